/* SPDX-License-Identifier: MIT */
/*
 * The SQLite file that `nsys export` made, opened so that it is never written, locked or trusted:
 * no extension, view, trigger or virtual table of it runs, and a file whose pages form a cycle
 * ends the reading instead of lasting for ever.
 */
#pragma once

#include "trace/base/cleanup.h"
#include "trace/base/diag.h"
#include "trace/base/status.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

struct nsys_database {
	sqlite3 *db;
	sqlite3_stmt *find_table;  /* asked for each table, kept for all of them */
	sqlite3_stmt *find_other;  /* likewise */
	sqlite3_stmt *find_column; /* likewise */
	sqlite3 *scratch;          /* a temporary file of ours, made when it is needed */
	const char *path;          /* borrowed from the opener while it opens */
	FILE *file;                /* held so that changes of it are seen; SQLite opens its own */
	struct timespec modified;  /* when it was opened */
	uint64_t file_bytes;
	uint64_t missing_bytes; /* the file is so much shorter than its header says */
	uint64_t steps_left;    /* of SQLite's machine, before the file is taken for a cycle */
	int saved_count;        /* damaged tables whose rows were saved */
	bool is_partial;        /* of the schema only a part could be read */
	bool has_log;           /* a write-ahead log lies beside it, whose rows are not read */
	bool has_journal;       /* whoever wrote the file has not ended, or died over it */
};

/* What a step of a statement came to. */
enum nsys_step {
	NSYS_STEP_ROW,
	NSYS_STEP_END,
	NSYS_STEP_DAMAGED, /* the file's fault: nsys_database_fault() says what */
	NSYS_STEP_FAILED,  /* the machine's fault */
};

/* BAD_INPUT when it is no SQLite file or has no schema that can be read. */
MUST_CHECK enum status nsys_database_open(
	struct nsys_database *database, const char *path, struct diag *diag);
/* Whether it was written to since it was opened: what was read of it then may be of two states. */
bool nsys_database_has_changed(const struct nsys_database *database);
/* Accepts one that was never opened, all zero. */
void nsys_database_close(struct nsys_database *database);

/* True when `name` is an ordinary table of the file: no view, no virtual table. */
bool nsys_database_has_table(struct nsys_database *database, const char *name);
/* True when something of that name is there that is no such table. */
bool nsys_database_has_other(struct nsys_database *database, const char *name);
/* True when that table has a stored column of that name. */
bool nsys_database_has_column(
	struct nsys_database *database, const char *table, const char *column);

/* NULL when the file's schema does not allow it (or memory is out: the next step says so). */
sqlite3_stmt *nsys_database_prepare(struct nsys_database *database, const char *sql);
enum nsys_step nsys_database_step(const struct nsys_database *database, sqlite3_stmt *statement);

/* The scratch file; NULL when there is no room for one. */
sqlite3 *nsys_database_scratch(struct nsys_database *database);

/* Of the last step, in words, valid until the next call. */
const char *nsys_database_fault(const struct nsys_database *database);
/* The status that stands for a FAILED step in `db`, the file or the scratch file, and its line. */
MUST_CHECK enum status nsys_database_failure(sqlite3 *db, struct diag *diag);
