/* SPDX-License-Identifier: MIT */
/* Rows and limits of a comparison in words, the same in every format for people. Plain ASCII. */
#pragma once

#include "analysis/diff/diff.h"

/* A line of a terminal or of a table, with names escaped and cut to fit. */
#define PHRASE_BYTES_MAX 256

/* "gpu 1", or "all gpus". */
const char *phrase_scope(const struct diff *diff, int32_t device, char out_text[PHRASE_BYTES_MAX]);

/* "lock tracker held for malloc_trim". */
const char *phrase_what(const struct table_row *row, char out_text[PHRASE_BYTES_MAX]);

/* "61.00 ms", "93.1 %", "4.20 per second". */
const char *phrase_value(enum budget_kind kind, double value, char out_text[PHRASE_BYTES_MAX]);

enum budget_kind phrase_kind(enum metric metric);

/* "400.0 us -> 61.00 ms per partition". */
const char *phrase_change(
	const struct diff *diff, const struct table_row *row, char out_text[PHRASE_BYTES_MAX]);

/* "gpu 1: 6.120 ms per partition, at most 5.000 ms". */
const char *phrase_limit(const struct diff *diff, const struct budget_result *result,
	char out_text[PHRASE_BYTES_MAX]);

/* The unit of work: "partition", or its name. */
const char *phrase_unit(const struct diff *diff, char out_text[PHRASE_BYTES_MAX]);
