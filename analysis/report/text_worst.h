/* SPDX-License-Identifier: MIT */
/* The part of the text report that draws the longest gaps as their parts, and what it shares. */
#pragma once

#include "analysis/core/report_data.h"
#include "analysis/report/printable.h"

#include <stdio.h>

/* Columns of every picture along time; with what stands around it a line has at most 100. */
#define TEXT_STRIP_COLUMNS 88

double text_percent(uint64_t part, uint64_t whole);

/* "lock tracker: malloc_trim", cut to `column_max` columns; gives `out_text` back. */
const char *text_cause(enum cause cause, const char *object, const char *phase, size_t column_max,
	char out_text[PRINTABLE_BYTES_MAX]);

void text_write_worst(
	const struct report_data *report, const struct report_device *device, FILE *stream);
