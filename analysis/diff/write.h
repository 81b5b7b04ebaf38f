/* SPDX-License-Identifier: MIT */
/*
 * The output formats of a comparison, one file each. A writer reads and writes to a stream; errors
 * stay in the stream (ferror). The table names them.
 */
#pragma once

#include "analysis/diff/diff.h"

#include <stdio.h>

struct write_format {
	const char *name;
	void (*write)(const struct diff *diff, FILE *stream);
};

void write_text(const struct diff *diff, FILE *stream);
void write_markdown(const struct diff *diff, FILE *stream);
void write_json(const struct diff *diff, FILE *stream);
void write_junit(const struct diff *diff, FILE *stream);

/* NULL when no format has that name. */
const struct write_format *write_format_find(const char *name);

/* Whether a row is large enough on either side to be worth a line for people. */
bool write_row_is_visible(const struct diff *diff, const struct diff_row *row);

/* "no regression", "REGRESSION", "NOT COMPARABLE" or "NOT TO BE TRUSTED". */
const char *write_headline(const struct diff *diff);
