/* SPDX-License-Identifier: MIT */
#include "analysis/history/store_tables.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The statement that makes the table of runs, with room for more columns. */
#define CREATE_BYTES_MAX 2048

struct column {
	const char *name;
	bool is_number;
};

static const struct column columns[] = {
#define COLUMN_ROW(constant, name, is_number) [STORE_COLUMN_##constant] = {#name, is_number},
	STORE_COLUMNS(COLUMN_ROW)
#undef COLUMN_ROW
};

const char *store_column_name(enum store_column column)
{
	return columns[column].name;
}

bool store_column_is_number(enum store_column column)
{
	return columns[column].is_number;
}

static enum status run(struct store *store, const char *sql, struct diag *diag)
{
	const struct store_statement statement = {.sql = sql};

	return store_run(store, &statement, diag);
}

/* From the table of columns, so that no column is named twice. */
static enum status create_runs(struct store *store, struct diag *diag)
{
	char sql[CREATE_BYTES_MAX];
	size_t used = (size_t)snprintf(sql, sizeof(sql),
		"CREATE TABLE IF NOT EXISTS gaptrace_runs (id %s", store->ops->id_type);

	for (int i = 0; i < STORE_COLUMN_COUNT && used < sizeof(sql); i++) {
		used += (size_t)snprintf(sql + used, sizeof(sql) - used, ", %s %s NOT NULL%s",
			columns[i].name, columns[i].is_number ? "BIGINT" : "TEXT",
			i == STORE_COLUMN_FINGERPRINT ? " UNIQUE" : "");
	}
	if (used + 2 > sizeof(sql)) {
		return STATUS_INTERNAL;
	}
	sql[used] = ')';
	sql[used + 1] = '\0';
	return run(store, sql, diag);
}

static enum status take_version(void *context, const char *const *values)
{
	int64_t *version = context;

	*version = strtoll(values[0] ? values[0] : "0", NULL, 10);
	return STATUS_OK;
}

static enum status check_version(struct store *store, const char *name, struct diag *diag)
{
	int64_t version = 0;
	const struct store_statement query = {
		.sql = "SELECT value FROM gaptrace_meta WHERE key = 'schema'",
		.visit = take_version,
		.context = &version,
	};
	const enum status status = store_run(store, &query, diag);

	if (status != STATUS_OK) {
		return status;
	}
	if (version > STORE_SCHEMA_VERSION) {
		return diag_set(diag, STATUS_UNSUPPORTED,
			"its tables are of version %" PRId64
			", made by a newer gaptrace; this one knows version %d: update it, nothing "
			"was changed",
			version, STORE_SCHEMA_VERSION);
	}
	if (version < 1) {
		return diag_set(diag, STATUS_BAD_INPUT,
			"%s has tables of gaptrace, but does not say of which version",
			store->ops == &store_sqlite ? name : "the server");
	}
	return STATUS_OK;
}

/* Another process may do the same at this moment: every step holds when it was done already. */
static enum status create(void *context, struct store *store, struct diag *diag)
{
	const char *const *name = context;
	char version[16];
	const struct store_statement insert = {
		.sql = "INSERT INTO gaptrace_meta (key, value) VALUES ('schema', $1) "
		       "ON CONFLICT (key) DO NOTHING",
		.values = {version},
		.value_count = 1,
	};
	enum status status = run(store,
		"CREATE TABLE IF NOT EXISTS gaptrace_meta (key TEXT PRIMARY KEY, value TEXT NOT "
		"NULL)",
		diag);

	(void)snprintf(version, sizeof(version), "%d", STORE_SCHEMA_VERSION);
	if (status == STATUS_OK) {
		status = create_runs(store, diag);
	}
	if (status == STATUS_OK) {
		status = run(store,
			"CREATE INDEX IF NOT EXISTS gaptrace_runs_time ON gaptrace_runs (time_s)",
			diag);
	}
	if (status == STATUS_OK) {
		status = store_run(store, &insert, diag);
	}
	/* A newer gaptrace may have other tables than these two: then all of this is undone. */
	return status == STATUS_OK ? check_version(store, *name, diag) : status;
}

struct counts {
	uint64_t ours;
	uint64_t others;
};

static enum status take_counts(void *context, const char *const *values)
{
	struct counts *counts = context;

	counts->ours = strtoull(values[0] ? values[0] : "0", NULL, 10);
	counts->others = strtoull(values[1] ? values[1] : "0", NULL, 10);
	return STATUS_OK;
}

enum status store_tables_check(struct store *store, const char *name, struct diag *diag)
{
	struct counts counts = {0, 0};
	const struct store_statement query = {
		.sql = store->ops->count_tables, .visit = take_counts, .context = &counts};
	enum status status = store_run(store, &query, diag);

	if (status != STATUS_OK) {
		return status;
	}
	if (counts.ours == 0 && counts.others > 0) {
		return diag_set(diag, STATUS_BAD_INPUT,
			"%s: an SQLite file of another program, no history of gaptrace", name);
	}
	/* Both tables are made in one transaction: fewer than two are none. */
	if (counts.ours == 0 && store->mode == STORE_READ) {
		return diag_set(diag, STATUS_NOT_FOUND,
			"nothing was ever added; gaptrace history DB add does that");
	}
	if (counts.ours < 2 && store->mode != STORE_READ) {
		return store_transact(store, create, &name, diag);
	}
	return check_version(store, name, diag);
}
