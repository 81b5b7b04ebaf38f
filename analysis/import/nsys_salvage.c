/* SPDX-License-Identifier: MIT */
#include "analysis/import/nsys_salvage.h"

#include <stdio.h>
#include <string.h>

#define QUERY_BYTES 4096

/* No row of a table takes fewer; more rows than that come from pages that form a cycle. */
#define ROW_BYTES_MIN 4

/* The rowid of a saved row is its column 0, before those of the table. */
struct saving {
	struct nsys_database *database;
	const struct nsys_salvage *salvage;
	sqlite3_stmt *insert;
	int64_t last_row; /* of those saved forwards */
	uint64_t left;    /* rows that the file can hold */
	bool has_row;
};

static bool execute(sqlite3 *scratch, const char *sql)
{
	return sqlite3_exec(scratch, sql, NULL, NULL, NULL) == SQLITE_OK;
}

/* "c0, c1, ..." or "?1, ?2, ...". */
static void list(char *text, size_t bytes, const char *prefix, int first, int count)
{
	size_t used = 0;

	for (int i = 0; i < count && used < bytes; i++) {
		used += (size_t)snprintf(
			text + used, bytes - used, "%s%s%d", i > 0 ? "," : "", prefix, first + i);
	}
}

static enum status save_row(struct saving *saving, sqlite3_stmt *row, struct diag *diag)
{
	for (int i = 0; i < saving->salvage->column_count; i++) {
		if (sqlite3_bind_value(saving->insert, i + 1, sqlite3_column_value(row, i + 1)) !=
			SQLITE_OK) {
			return STATUS_NO_MEMORY;
		}
	}
	if (sqlite3_step(saving->insert) != SQLITE_DONE) {
		return nsys_database_failure(saving->database->scratch, diag);
	}
	(void)sqlite3_reset(saving->insert);
	return STATUS_OK;
}

/* Forwards until the damage, then backwards until the damage or a row that is saved. */
static enum status save_rows(struct saving *saving, bool is_backwards, struct diag *diag)
{
	const struct nsys_salvage *salvage = saving->salvage;
	char query[QUERY_BYTES];
	sqlite3_stmt *statement;
	enum nsys_step step = NSYS_STEP_END;
	enum status status = STATUS_OK;
	int64_t row;

	(void)snprintf(query, sizeof(query), "SELECT rowid, %s FROM main.%s %s %s%s",
		salvage->columns, salvage->table, salvage->only ? "WHERE" : "",
		salvage->only ? salvage->only : "", is_backwards ? " ORDER BY rowid DESC" : "");
	statement = nsys_database_prepare(saving->database, query);
	while (statement && status == STATUS_OK && saving->left > 0 &&
		(step = nsys_database_step(saving->database, statement)) == NSYS_STEP_ROW) {
		row = sqlite3_column_int64(statement, 0);
		if (is_backwards && saving->has_row && row <= saving->last_row) {
			break;
		}
		saving->left--;
		status = save_row(saving, statement, diag);
		if (!is_backwards) {
			saving->last_row = row;
			saving->has_row = true;
		}
	}
	if (status == STATUS_OK && step == NSYS_STEP_FAILED) {
		status = nsys_database_failure(saving->database->db, diag);
	}
	(void)sqlite3_finalize(statement);
	return status;
}

static enum status fill(
	struct nsys_database *database, const struct nsys_salvage *salvage, struct diag *diag)
{
	sqlite3 *scratch = database->scratch;
	struct saving saving = {.database = database,
		.salvage = salvage,
		.left = database->file_bytes / ROW_BYTES_MIN};
	char query[QUERY_BYTES];
	char names[256];
	enum status status;

	list(names, sizeof(names), "c", 0, salvage->column_count);
	(void)snprintf(
		query, sizeof(query), "CREATE TABLE saved_%d (%s); BEGIN", salvage->number, names);
	if (!execute(scratch, query)) {
		return nsys_database_failure(scratch, diag);
	}
	list(names, sizeof(names), "?", 1, salvage->column_count);
	(void)snprintf(
		query, sizeof(query), "INSERT INTO saved_%d VALUES (%s)", salvage->number, names);
	if (sqlite3_prepare_v2(scratch, query, -1, &saving.insert, NULL) != SQLITE_OK) {
		return nsys_database_failure(scratch, diag);
	}
	status = save_rows(&saving, false, diag);
	if (status == STATUS_OK) {
		status = save_rows(&saving, true, diag);
	}
	(void)sqlite3_finalize(saving.insert);
	if (status == STATUS_OK && !execute(scratch, "COMMIT")) {
		status = nsys_database_failure(scratch, diag);
	}
	return status;
}

enum status nsys_salvage_rows(struct nsys_database *database, const struct nsys_salvage *salvage,
	struct diag *diag, sqlite3_stmt **out_statement)
{
	char query[QUERY_BYTES];
	sqlite3 *scratch = nsys_database_scratch(database);
	enum status status;

	if (!scratch) {
		return diag_set(diag, STATUS_NO_SPACE,
			"nsys: no room for a temporary file to save the rows of a damaged table "
			"in");
	}
	status = fill(database, salvage, diag);
	if (status != STATUS_OK) {
		return status;
	}
	(void)snprintf(query, sizeof(query), "SELECT * FROM saved_%d ORDER BY %s", salvage->number,
		salvage->order);
	if (sqlite3_prepare_v2(scratch, query, -1, out_statement, NULL) != SQLITE_OK) {
		return nsys_database_failure(scratch, diag);
	}
	return STATUS_OK;
}
