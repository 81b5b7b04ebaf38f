/* SPDX-License-Identifier: MIT */
/* A history in an SQLite file. Writers wait for each other; readers see what was committed. */
#include "analysis/history/store.h"
#include "trace/base/path.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Columns of a query of ours. */
#define COLUMN_COUNT_MAX 32

struct sqlite {
	struct store store;
	sqlite3 *database;
	char *path;
};

static void sqlite_close(struct store *store)
{
	struct sqlite *sqlite = (struct sqlite *)store;

	(void)sqlite3_close(sqlite->database);
	free(sqlite->path);
	free(sqlite);
}

static enum status status_of(int code)
{
	switch (code & 0xff) {
	case SQLITE_NOMEM:
		return STATUS_NO_MEMORY;
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return STATUS_TIMED_OUT;
	case SQLITE_READONLY:
	case SQLITE_PERM:
	case SQLITE_AUTH:
		return STATUS_PERMISSION;
	case SQLITE_FULL:
		return STATUS_NO_SPACE;
	case SQLITE_NOTADB:
	case SQLITE_CORRUPT:
		return STATUS_BAD_INPUT;
	case SQLITE_CANTOPEN:
		return STATUS_NOT_FOUND;
	default:
		return STATUS_IO;
	}
}

/* What to do about it, where SQLite's own words do not say; `code` is an extended one. */
static const char *mend_of(int code)
{
	if (code == SQLITE_READONLY_ROLLBACK) {
		return "; a writer died, and whoever may write must open it to undo what it left";
	}
	switch (code & 0xff) {
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return "; another process writes to it, wait longer with --wait";
	case SQLITE_READONLY:
		return "; the file and its folder must be writable to add or mark";
	default:
		return "; nothing was changed";
	}
}

static enum status fail(const struct sqlite *sqlite, int code, struct diag *diag)
{
	if (!sqlite->database) {
		return diag_set(diag, status_of(code), "%s: %s%s", sqlite->path,
			sqlite3_errstr(code), mend_of(code));
	}
	return diag_set(diag, status_of(code), "%s: %s%s", sqlite->path,
		sqlite3_errmsg(sqlite->database),
		mend_of(sqlite3_extended_errcode(sqlite->database)));
}

/*
 * SQLite takes a file of a single byte for an empty database, and would write over it. An empty one
 * is what mktemp makes, and welcome.
 */
static bool is_something_else(const char *path)
{
	static const char magic[] = "SQLite format 3";
	char begin[sizeof(magic)] = "";
	const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t length;

	/* What cannot be opened or read is for SQLite to complain about. */
	if (descriptor < 0) {
		return false;
	}
	length = read(descriptor, begin, sizeof(begin));
	(void)close(descriptor);
	return length > 0 &&
	       (length < (ssize_t)sizeof(begin) || memcmp(begin, magic, sizeof(magic)) != 0);
}

/* SQLite's own names of databases that are gone when they are closed. */
static bool is_no_file(const char *path)
{
	struct stat facts;

	return path[0] == ':' || (stat(path, &facts) == 0 && !S_ISREG(facts.st_mode));
}

static enum status check_file(const struct store_target *target, struct diag *diag)
{
	char reason[PATH_REASON_BYTES];

	if (is_no_file(target->name)) {
		return diag_set(diag, STATUS_BAD_USE,
			"%s: not a file, so it would keep nothing; one whose name begins with ':' "
			"is written ./:...",
			target->name);
	}
	/* A file that is missing is the writer's to make, but no folder is. */
	if (access(target->name, F_OK) != 0 &&
		(target->mode == STORE_READ || !path_has_folders(target->name))) {
		const int error = errno;

		return diag_set(diag, status_from_errno(error), "%s: %s%s", target->name,
			path_reason(target->name, error, reason),
			error == ENOENT && path_has_folders(target->name)
				? "; the first 'gaptrace history DB add' makes it"
				: "");
	}
	if (is_something_else(target->name)) {
		return diag_set(diag, STATUS_BAD_INPUT,
			"%s: file is not a database; nothing was changed", target->name);
	}
	return STATUS_OK;
}

static enum status sqlite_open(
	const struct store_target *target, struct store **out_store, struct diag *diag)
{
	/* A reader, too, must be able to undo what a writer that died left; where the file is not
	 * writable SQLite opens it for reading. */
	const int flags =
		SQLITE_OPEN_READWRITE | (target->mode == STORE_READ ? 0 : SQLITE_OPEN_CREATE);
	enum status status = check_file(target, diag);
	struct sqlite *sqlite;
	int code;

	if (status != STATUS_OK) {
		return status;
	}
	sqlite = calloc(1, sizeof(*sqlite));
	if (!sqlite) {
		return STATUS_NO_MEMORY;
	}
	sqlite->store.ops = &store_sqlite;
	sqlite->path = strdup(target->name);
	if (!sqlite->path) {
		sqlite_close(&sqlite->store);
		return STATUS_NO_MEMORY;
	}
	code = sqlite3_open_v2(target->name, &sqlite->database, flags, NULL);
	if (code == SQLITE_OK) {
		code = sqlite3_busy_timeout(sqlite->database, (int)target->wait_ms);
	}
	if (code != SQLITE_OK) {
		status = fail(sqlite, code, diag);
		sqlite_close(&sqlite->store);
		return status;
	}
	*out_store = &sqlite->store;
	return STATUS_OK;
}

static enum status visit_row(sqlite3_stmt *prepared, const struct store_statement *statement)
{
	const char *values[COLUMN_COUNT_MAX] = {NULL};
	const int count = sqlite3_column_count(prepared);

	for (int i = 0; i < count && i < COLUMN_COUNT_MAX; i++) {
		values[i] = (const char *)sqlite3_column_text(prepared, i);
		if (!values[i] && sqlite3_column_type(prepared, i) != SQLITE_NULL) {
			return STATUS_NO_MEMORY;
		}
	}
	return statement->visit ? statement->visit(statement->context, values) : STATUS_OK;
}

static enum status step(struct sqlite *sqlite, sqlite3_stmt *prepared,
	const struct store_statement *statement, struct diag *diag)
{
	enum status status = STATUS_OK;
	int code = SQLITE_ROW;

	for (uint32_t i = 0; i < statement->value_count; i++) {
		code = sqlite3_bind_text(
			prepared, (int)i + 1, statement->values[i], -1, SQLITE_STATIC);
		if (code != SQLITE_OK) {
			return fail(sqlite, code, diag);
		}
	}
	while (status == STATUS_OK && (code = sqlite3_step(prepared)) == SQLITE_ROW) {
		status = visit_row(prepared, statement);
	}
	return status == STATUS_OK && code != SQLITE_DONE ? fail(sqlite, code, diag) : status;
}

static enum status sqlite_run(
	struct store *store, const struct store_statement *statement, struct diag *diag)
{
	struct sqlite *sqlite = (struct sqlite *)store;
	sqlite3_stmt *prepared = NULL;
	const int code = sqlite3_prepare_v2(sqlite->database, statement->sql, -1, &prepared, NULL);
	enum status status;

	if (code != SQLITE_OK) {
		return fail(sqlite, code, diag);
	}
	status = step(sqlite, prepared, statement, diag);
	(void)sqlite3_finalize(prepared);
	return status;
}

const struct store_ops store_sqlite = {
	.id_type = "INTEGER PRIMARY KEY AUTOINCREMENT",
	/* Takes the right to write at once, so that no reader turns writer and fails. */
	.begin = "BEGIN IMMEDIATE",
	.open = sqlite_open,
	.run = sqlite_run,
	/* A file of another program is that program's alone. */
	.count_tables =
		"SELECT coalesce(sum(name IN ('gaptrace_meta', 'gaptrace_runs')), 0), "
		"coalesce(sum(tbl_name NOT LIKE 'gaptrace_%' AND tbl_name NOT LIKE 'sqlite_%'), 0) "
		"FROM sqlite_master",
	.close = sqlite_close,
};
