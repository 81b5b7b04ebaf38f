/* SPDX-License-Identifier: MIT */
#include "analysis/import/nsys_table.h"

#include "analysis/import/nsys_salvage.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Longest SELECT: every column with its alternatives, well under this. */
#define QUERY_BYTES 2048
#define NAME_BYTES  NSYS_TABLE_NAME_BYTES

/* The name of the table in this file: newer records may come as a new version of a table. */
static bool find_table(struct nsys_database *database, const char *table, char *name)
{
	static const char *const suffixes[] = {"", "_V2", "_V3", "_V4"};

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		(void)snprintf(name, NAME_BYTES, "%s%s", table, suffixes[i]);
		if (nsys_database_has_table(database, name)) {
			return true;
		}
	}
	return false;
}

/* All of "new|old" that are in the table, as one expression. False when none is. */
static bool append_column(
	struct nsys_database *database, const char *table, const char *column, char *query)
{
	char names[NAME_BYTES];
	char *rest = NULL;
	size_t used = strlen(query);
	const char *open = strchr(column, '|') ? "coalesce(" : "";
	int found = 0;

	(void)snprintf(names, sizeof(names), "%s", column + (column[0] == '?'));
	for (char *name = strtok_r(names, "|", &rest); name; name = strtok_r(NULL, "|", &rest)) {
		if (nsys_database_has_column(database, table, name)) {
			(void)snprintf(query + used, QUERY_BYTES - used, "%s\"%s\"",
				found == 0 ? open : ",", name);
			used = strlen(query);
			found++;
		}
	}
	(void)snprintf(query + used, QUERY_BYTES - used, "%s",
		found == 0 ? "NULL" : (open[0] ? ",NULL)" : ""));
	return found > 0;
}

static void append(char *query, const char *before, const char *text)
{
	const size_t used = strlen(query);

	if (text) {
		(void)snprintf(query + used, QUERY_BYTES - used, "%s%s", before, text);
	}
}

static void fail_useless(struct nsys_table *table, uint32_t missing)
{
	int column = 0;

	while (!(missing >> column & 1)) {
		column++;
	}
	table->state = NSYS_TABLE_USELESS;
	(void)snprintf(table->fault, sizeof(table->fault), "no column '%s'",
		table->shape->columns[column]);
}

/* What a view or a virtual table computes is the file's code, which nobody here runs. */
static void fail_other(struct nsys_table *table)
{
	table->state = NSYS_TABLE_USELESS;
	table->is_other = true;
	(void)snprintf(table->fault, sizeof(table->fault),
		"a view or a virtual table, and only ordinary tables are read");
}

/* The columns as c0, c1 and so on; marks those that are missing. */
static int list_columns(struct nsys_database *database, struct nsys_table *table, char *query)
{
	const struct nsys_shape *shape = table->shape;
	char alias[NAME_BYTES];
	int i;

	for (i = 0; i < NSYS_COLUMNS_MAX && shape->columns[i]; i++) {
		append(query, i == 0 ? "" : ",", "");
		if (!append_column(database, table->name, shape->columns[i], query) &&
			shape->columns[i][0] != '?') {
			table->missing |= 1U << i;
		}
		(void)snprintf(alias, sizeof(alias), " AS c%d", i);
		append(query, alias, "");
	}
	return i;
}

static void list_order(const struct nsys_shape *shape, char *query)
{
	append(query, "c0", "");
	append(query, ",", shape->order);
}

/* Rows are always sorted here: an index that somebody added to the file is one more thing to be
 * damaged, and slow when the file is larger than the memory. */
static sqlite3_stmt *prepare(
	struct nsys_database *database, const struct nsys_table *table, const char *columns)
{
	char query[QUERY_BYTES] = "SELECT ";

	append(query, columns, "");
	append(query, " FROM main.", table->name);
	append(query, " NOT INDEXED", "");
	append(query, " WHERE ", table->shape->only);
	append(query, " ORDER BY ", "");
	list_order(table->shape, query);
	assert(strlen(query) < QUERY_BYTES - 1);
	return nsys_database_prepare(database, query);
}

enum status nsys_table_open(struct nsys_database *database, const struct nsys_shape *shape,
	uint32_t needed, struct nsys_table *table)
{
	char columns[QUERY_BYTES] = "";

	*table = (struct nsys_table){.shape = shape, .state = NSYS_TABLE_ABSENT};
	if (!find_table(database, shape->table, table->name)) {
		if (nsys_database_has_other(database, shape->table)) {
			fail_other(table);
		}
		return STATUS_OK;
	}
	(void)list_columns(database, table, columns);
	if (table->missing & needed) {
		fail_useless(table, table->missing & needed);
		return STATUS_OK;
	}
	table->statement = prepare(database, table, columns);
	table->state = table->statement ? NSYS_TABLE_OPEN : NSYS_TABLE_USELESS;
	if (!table->statement) {
		(void)snprintf(
			table->fault, sizeof(table->fault), "%s", nsys_database_fault(database));
	}
	return STATUS_OK;
}

void nsys_table_close(struct nsys_table *table)
{
	(void)sqlite3_finalize(table->statement);
	table->statement = NULL;
}

/* The sort met damage and gave nothing: what can be read is saved and sorted on its own. */
static enum status save(struct nsys_database *database, struct nsys_table *table, struct diag *diag)
{
	char columns[QUERY_BYTES] = "";
	char order[QUERY_BYTES] = "";
	struct nsys_salvage salvage = {
		.table = table->name,
		.columns = columns,
		.only = table->shape->only,
		.order = order,
		.number = database->saved_count++,
	};

	nsys_table_close(table);
	table->was_saved = true;
	salvage.column_count = list_columns(database, table, columns);
	list_order(table->shape, order);
	return nsys_salvage_rows(database, &salvage, diag, &table->statement);
}

enum status nsys_table_step(
	struct nsys_database *database, struct nsys_table *table, struct diag *diag)
{
	enum nsys_step step = nsys_database_step(database, table->statement);
	enum status status;

	assert(table->state == NSYS_TABLE_OPEN);
	if (step == NSYS_STEP_DAMAGED) {
		(void)snprintf(
			table->fault, sizeof(table->fault), "%s", nsys_database_fault(database));
	}
	if (step == NSYS_STEP_DAMAGED && table->row_count == 0 && !table->was_saved) {
		status = save(database, table, diag);
		if (status != STATUS_OK) {
			return status;
		}
		step = nsys_database_step(database, table->statement);
	}
	if (step == NSYS_STEP_FAILED) {
		return nsys_database_failure(
			table->was_saved ? database->scratch : database->db, diag);
	}
	if (step == NSYS_STEP_ROW) {
		table->row_count++;
	} else {
		table->state = NSYS_TABLE_ENDED;
		nsys_table_close(table);
	}
	return STATUS_OK;
}

bool nsys_table_is_null(const struct nsys_table *table, int column)
{
	return sqlite3_column_type(table->statement, column) == SQLITE_NULL;
}

bool nsys_table_integer(const struct nsys_table *table, int column, int64_t *out_value)
{
	if (sqlite3_column_type(table->statement, column) != SQLITE_INTEGER) {
		return false;
	}
	*out_value = sqlite3_column_int64(table->statement, column);
	return true;
}

uint64_t nsys_table_number(const struct nsys_table *table, int column)
{
	int64_t value = 0;

	return nsys_table_integer(table, column, &value) ? (uint64_t)value : 0;
}

const char *nsys_table_text(const struct nsys_table *table, int column)
{
	return sqlite3_column_type(table->statement, column) == SQLITE_TEXT
		       ? (const char *)sqlite3_column_text(table->statement, column)
		       : NULL;
}
