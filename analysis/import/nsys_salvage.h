/* SPDX-License-Identifier: MIT */
/*
 * The rows of a damaged table that can still be read: those before the damage, and those after it
 * as far as they can be reached from the end. They go to a temporary file, so that they can be
 * sorted as those of a whole table are.
 */
#pragma once

#include "analysis/import/nsys_database.h"

struct nsys_salvage {
	const char *table;   /* its name in the file */
	const char *columns; /* "a" AS c0, ... */
	const char *only;    /* NULL: all rows */
	const char *order;
	int column_count;
	int number; /* no two of a file have the same */
};

/* Gives a statement of the scratch file over the rows that were saved, in order. */
MUST_CHECK enum status nsys_salvage_rows(struct nsys_database *database,
	const struct nsys_salvage *salvage, struct diag *diag, sqlite3_stmt **out_statement);
