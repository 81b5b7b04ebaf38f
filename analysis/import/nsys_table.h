/* SPDX-License-Identifier: MIT */
/*
 * One table of the file, read in order of its first column. Columns are found by name, since
 * versions of nsys add, rename and drop them: one that is not there reads as NULL.
 */
#pragma once

#include "analysis/import/nsys_database.h"

/* The widest table here reads 13. */
#define NSYS_COLUMNS_MAX 16

/* nsys's own names, the longest of 36 bytes, and the version of a table. */
#define NSYS_TABLE_NAME_BYTES 64

/* What of a table is read, as it is known before any file is. */
struct nsys_shape {
	const char *table;
	/* Column 0 is the order, the time. "new|old": the first of them that is there. A column
	 * that is not in every version begins with '?'. */
	const char *columns[NSYS_COLUMNS_MAX];
	const char *order; /* after the first column, in terms of c0, c1 and so on; NULL */
	const char *only;  /* the condition for a row; NULL for all */
};

enum nsys_table_state {
	NSYS_TABLE_ABSENT,
	NSYS_TABLE_USELESS, /* a column without which rows mean nothing is missing */
	NSYS_TABLE_OPEN,
	NSYS_TABLE_ENDED,
};

struct nsys_table {
	const struct nsys_shape *shape;
	char name[NSYS_TABLE_NAME_BYTES]; /* in this file */
	sqlite3_stmt *statement;
	enum nsys_table_state state;
	uint32_t missing; /* bit per column that is in no variant there, '?' ones apart */
	uint64_t row_count;
	bool is_other;   /* USELESS since it is no table, but a view or a virtual one */
	bool was_saved;  /* its rows are those that damage left */
	char fault[160]; /* why it is USELESS, or what is damaged in it; "" */
};

/* The rest is for an OPEN table; columns by their place in the shape. `needed`: bits of columns
 * without which the table is USELESS. */
MUST_CHECK enum status nsys_table_open(struct nsys_database *database,
	const struct nsys_shape *shape, uint32_t needed, struct nsys_table *table);
/* Accepts one that was never opened, all zero. */
void nsys_table_close(struct nsys_table *table);

/* Goes to the next row; the state is not OPEN any more when there is none. */
MUST_CHECK enum status nsys_table_step(
	struct nsys_database *database, struct nsys_table *table, struct diag *diag);

bool nsys_table_is_null(const struct nsys_table *table, int column);
/* False when the value is no integer. */
bool nsys_table_integer(const struct nsys_table *table, int column, int64_t *out_value);
/* 0 when it is no integer. */
uint64_t nsys_table_number(const struct nsys_table *table, int column);
/* NULL when the value is no text; borrowed until the next step. */
const char *nsys_table_text(const struct nsys_table *table, int column);
