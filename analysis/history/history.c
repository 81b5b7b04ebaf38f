/* SPDX-License-Identifier: MIT */
#include "analysis/history/history.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A statement over all columns, with conditions. */
#define SQL_BYTES_MAX 4096

struct sql {
	char text[SQL_BYTES_MAX];
	size_t used;
};

__attribute__((format(printf, 2, 3))) static void sql_add(struct sql *sql, const char *format, ...)
{
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vsnprintf(sql->text + sql->used, sizeof(sql->text) - sql->used, format, arguments);
	va_end(arguments);
	/* The columns are fixed and conditions few: only a new column can break this. */
	assert(length >= 0 && sql->used + (size_t)length < sizeof(sql->text));
	sql->used += (size_t)length;
}

/* The columns by name, the report only if it is wanted. */
static void sql_add_columns(struct sql *sql, bool wants_report)
{
	/* An empty text in its place keeps the numbers of the columns. */
	for (int i = 0; i < STORE_COLUMN_COUNT; i++) {
		const bool is_left_out = i == STORE_COLUMN_REPORT && !wants_report;

		sql_add(sql, "%s%s", i ? ", " : "",
			is_left_out ? "''" : store_column_name((enum store_column)i));
	}
}

struct addition {
	struct history_run *const *runs;
	uint32_t count;
	struct history_added *added;
};

static enum status take_id(void *context, const char *const *values)
{
	int64_t *id = context;

	*id = strtoll(values[0] ? values[0] : "0", NULL, 10);
	return STATUS_OK;
}

/* A conflict returns no row: `*out_id` is 0 then, and the run is there already. */
static enum status insert(
	struct store *store, const struct history_run *run, int64_t *out_id, struct diag *diag)
{
	struct sql sql = {.used = 0};
	int64_t id = 0;
	struct store_statement statement = {
		.value_count = STORE_COLUMN_COUNT, .visit = take_id, .context = &id};
	enum status status;

	sql_add(&sql, "INSERT INTO gaptrace_runs (");
	sql_add_columns(&sql, true);
	sql_add(&sql, ") VALUES (");
	for (uint32_t i = 0; i < STORE_COLUMN_COUNT; i++) {
		sql_add(&sql, "%s$%" PRIu32, i ? ", " : "", i + 1);
		statement.values[i] = run->values[i];
	}
	sql_add(&sql, ") ON CONFLICT (fingerprint) DO NOTHING RETURNING id");
	statement.sql = sql.text;
	status = store_run(store, &statement, diag);
	*out_id = id;
	return status;
}

struct known {
	int64_t id;
	const struct history_run *run;
	bool is_same;
	bool is_other;
};

static enum status take_known(void *context, const struct history_found *found)
{
	static const enum store_column labels[] = {
		STORE_COLUMN_HOST, STORE_COLUMN_BUILD, STORE_COLUMN_PROFILE};
	/* What the fingerprint leaves out: it is of the report alone. */
	struct known *known = context;

	known->id = strtoll(found->id, NULL, 10);
	known->is_same = true;
	for (size_t i = 0; i < sizeof(labels) / sizeof(labels[0]); i++) {
		known->is_same = known->is_same && strcmp(found->values[labels[i]],
							   known->run->values[labels[i]]) == 0;
	}
	known->is_other =
		history_run_figures(found->values[STORE_COLUMN_REPORT]) != known->run->figures;
	return STATUS_OK;
}

/* What stands behind WHERE, with its values, and who looks at the rows. */
struct search {
	struct store_statement conditions;
	const char *tail;
	bool wants_report;
	history_visitor *visit;
	void *context;
	struct diag *diag;
};

/* Ids become names of files, and a database may come from anywhere. */
static enum status check_id(const struct search *search, const char *id)
{
	return *id && strspn(id, "0123456789") == strlen(id)
		       ? STATUS_OK
		       : diag_set(search->diag, STATUS_BAD_INPUT,
				 "the history has a run whose id is '%s' and not a number", id);
}

static enum status take_row(void *context, const char *const *values)
{
	const struct search *search = context;
	struct history_found found = {.id = values[0] ? values[0] : ""};
	const enum status status = check_id(search, found.id);

	if (status != STATUS_OK) {
		return status;
	}
	for (int i = 0; i < STORE_COLUMN_COUNT; i++) {
		found.values[i] = values[i + 1] ? values[i + 1] : "";
	}
	return search->visit(search->context, &found);
}

static enum status find_rows(struct store *store, struct search *search, struct diag *diag)
{
	struct store_statement query = search->conditions;
	struct sql sql = {.used = 0};

	sql_add(&sql, "SELECT id, ");
	sql_add_columns(&sql, search->wants_report);
	sql_add(&sql, " FROM gaptrace_runs WHERE %s%s", search->conditions.sql, search->tail);
	query.sql = sql.text;
	query.visit = take_row;
	query.context = search;
	search->diag = diag;
	return store_run(store, &query, diag);
}

/* The run is there already: by the same labels it is the same addition made twice. */
static enum status check_known(struct store *store, const struct history_run *run,
	struct history_added *out_added, struct diag *diag)
{
	struct known known = {.run = run};
	struct search search = {
		.conditions = {.sql = "fingerprint = $1",
			.values = {run->values[STORE_COLUMN_FINGERPRINT]},
			.value_count = 1},
		.tail = "",
		.wants_report = true,
		.visit = take_known,
		.context = &known,
	};
	const enum status status = find_rows(store, &search, diag);

	if (status != STATUS_OK) {
		return status;
	}
	if (!known.is_same) {
		return diag_set(diag, STATUS_EXISTS,
			"this is run %" PRId64
			" already, of another host, build or profile; nothing was added",
			known.id);
	}
	*out_added = (struct history_added){
		.id = known.id, .is_known = true, .is_other = known.is_other};
	return STATUS_OK;
}

static enum status add_all(void *context, struct store *store, struct diag *diag)
{
	const struct addition *addition = context;
	enum status status = STATUS_OK;

	for (uint32_t i = 0; i < addition->count && status == STATUS_OK; i++) {
		int64_t id = 0;

		status = insert(store, addition->runs[i], &id, diag);
		addition->added[i] = (struct history_added){.id = id};
		if (status == STATUS_OK && id == 0) {
			status = check_known(store, addition->runs[i], &addition->added[i], diag);
		}
	}
	return status;
}

enum status history_add(struct store *store, struct history_run *const *runs, uint32_t count,
	struct history_added *out_added, struct diag *diag)
{
	struct addition addition = {.runs = runs, .count = count, .added = out_added};

	return store_transact(store, add_all, &addition, diag);
}

static void add_condition(struct sql *sql, struct store_statement *conditions,
	const char *comparison, const char *value)
{
	if (value) {
		conditions->values[conditions->value_count++] = value;
		sql_add(sql, " AND %s $%" PRIu32, comparison, conditions->value_count);
	}
}

enum status history_find(struct store *store, const struct history_filter *filter,
	history_visitor *visit, void *context, struct diag *diag)
{
	const struct {
		const char *comparison;
		const char *value;
	} table[] = {
		{"host =", filter->host},
		{"build =", filter->build},
		{"profile =", filter->profile},
		{"devices =", filter->devices},
		{"work_unit =", filter->work_unit},
		{"work_name =", filter->work_name},
		{"mark =", filter->mark},
		{"threshold_ns =", filter->threshold_ns},
		{"simulated =", filter->simulated},
		{"time_s >=", filter->since_s},
		{"time_s <", filter->until_s},
		{"id =", filter->id},
		{"fingerprint <>", filter->not_fingerprint},
	};
	struct sql sql = {.used = 0};
	/* Of one second the run that was added last is the newest. */
	char tail[64] = " ORDER BY time_s DESC, id DESC";
	const size_t tail_length = strlen(tail);
	struct search search = {.tail = tail,
		.wants_report = filter->wants_report,
		.visit = visit,
		.context = context};

	/* So that every condition, if there is any, begins with AND. */
	sql_add(&sql, "1 = 1");
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		add_condition(&sql, &search.conditions, table[i].comparison, table[i].value);
	}
	if (filter->is_trusted) {
		sql_add(&sql, " AND trusted = 1");
	}
	if (filter->is_not_bad) {
		sql_add(&sql, " AND mark <> '" HISTORY_BAD "'");
	}
	if (filter->has_work) {
		sql_add(&sql, " AND work_count > 0");
	}
	if (filter->limit > 0) {
		(void)snprintf(tail + tail_length, sizeof(tail) - tail_length, " LIMIT %" PRIu32,
			filter->limit);
	}
	search.conditions.sql = sql.text;
	return find_rows(store, &search, diag);
}

struct marking {
	const char *const *ids;
	uint32_t count;
	const char *mark;
};

/* Inside one transaction: an id that is not there leaves all of them as they were. */
static enum status mark_all(void *context, struct store *store, struct diag *diag)
{
	const struct marking *marking = context;
	enum status status = STATUS_OK;

	for (uint32_t i = 0; i < marking->count && status == STATUS_OK; i++) {
		int64_t id = 0;
		const struct store_statement update = {
			.sql = "UPDATE gaptrace_runs SET mark = $1 WHERE id = $2 RETURNING id",
			.values = {marking->mark, marking->ids[i]},
			.value_count = 2,
			.visit = take_id,
			.context = &id,
		};

		status = store_run(store, &update, diag);
		if (status == STATUS_OK && id == 0) {
			status = diag_set(diag, STATUS_NOT_FOUND,
				"there is no run %s; nothing was marked", marking->ids[i]);
		}
	}
	return status;
}

enum status history_mark(struct store *store, const char *const *ids, uint32_t count,
	const char *mark, struct diag *diag)
{
	struct marking marking = {.ids = ids, .count = count, .mark = mark};

	return store_transact(store, mark_all, &marking, diag);
}
