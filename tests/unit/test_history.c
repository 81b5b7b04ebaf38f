/* SPDX-License-Identifier: MIT */
/*
 * A store gives back what was put in, once; it finds runs by what they are, and of a report the
 * runs that it can be compared with; what it does not know it leaves as it is.
 */
#include "analysis/history/history_kind.h"

#include "tests/unit/history_rig.h"

#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MS        1000000ULL
#define FOUND_MAX 16

struct rig {
	char folder[64];
	char database[128];
	struct store *store;
};

static void open_store(struct rig *rig, enum store_mode mode)
{
	const struct store_target target = {.name = rig->database, .mode = mode, .wait_ms = 10000};
	struct diag diag = {""};

	store_close(rig->store);
	rig->store = NULL;
	if (store_open(&target, &rig->store, &diag) != STATUS_OK) {
		fail_msg("%s", diag.line);
	}
}

static void rig_init(struct rig *rig)
{
	*rig = (struct rig){.store = NULL};
	history_rig_make(rig->folder);
	(void)snprintf(rig->database, sizeof(rig->database), "%s/history.db", rig->folder);
	open_store(rig, STORE_WRITE);
}

static void rig_finish(struct rig *rig)
{
	store_close(rig->store);
	history_rig_remove(rig->folder);
}

static struct history_run *load(
	struct rig *rig, const struct history_sample *sample, const struct history_label *label)
{
	struct history_run *run = NULL;
	struct diag diag = {""};
	char path[128];

	history_rig_write(rig->folder, "report.json", sample);
	(void)snprintf(path, sizeof(path), "%s/report.json", rig->folder);
	if (history_run_load(path, label, &run, &diag) != STATUS_OK) {
		fail_msg("%s", diag.line);
	}
	return run;
}

static int64_t add(
	struct rig *rig, const struct history_sample *sample, const struct history_label *label)
{
	AUTO(history_run_destroy) struct history_run *run = load(rig, sample, label);
	struct history_added added = {0};
	struct diag diag = {""};

	if (history_add(rig->store, &run, 1, &added, &diag) != STATUS_OK) {
		fail_msg("%s", diag.line);
	}
	return added.id;
}

struct list {
	int64_t ids[FOUND_MAX];
	uint32_t count;
};

static enum status keep(void *context, const struct history_found *found)
{
	struct list *list = context;

	assert_true(list->count < FOUND_MAX);
	list->ids[list->count++] = strtoll(found->id, NULL, 10);
	return STATUS_OK;
}

/* The ids found, as "3 1 ", the newest first. */
static const char *find(struct rig *rig, const struct history_filter *filter)
{
	static char text[256];
	struct list list = {.count = 0};
	struct diag diag = {""};

	if (history_find(rig->store, filter, keep, &list, &diag) != STATUS_OK) {
		fail_msg("%s", diag.line);
	}
	text[0] = '\0';
	for (uint32_t i = 0; i < list.count; i++) {
		(void)snprintf(
			text + strlen(text), sizeof(text) - strlen(text), "%d ", (int)list.ids[i]);
	}
	return text;
}

static enum status check_figures(void *context, const struct history_found *found)
{
	const char *const *values = found->values;

	*(bool *)context = true;
	assert_string_equal(values[STORE_COLUMN_HOST], "h");
	assert_string_equal(values[STORE_COLUMN_BUILD], "b");
	assert_string_equal(values[STORE_COLUMN_PROFILE], "p");
	assert_string_equal(values[STORE_COLUMN_MARK], "");
	assert_string_equal(values[STORE_COLUMN_TIME_S], "1000");
	assert_string_equal(values[STORE_COLUMN_DEVICES], "2 x test device (cpu)");
	assert_string_equal(values[STORE_COLUMN_DEVICE_COUNT], "2");
	assert_string_equal(values[STORE_COLUMN_WORK_UNIT], "partition");
	assert_string_equal(values[STORE_COLUMN_WORK_COUNT], "2");
	assert_string_equal(values[STORE_COLUMN_THRESHOLD_NS], "1000000");
	assert_string_equal(values[STORE_COLUMN_TRUSTED], "1");
	assert_string_equal(values[STORE_COLUMN_WINDOW_NS], "50000000");
	assert_string_equal(values[STORE_COLUMN_BUSY_NS], "40000000");
	assert_string_equal(values[STORE_COLUMN_GAP_NS], "60000000");
	assert_string_equal(values[STORE_COLUMN_GAPS], "2");
	assert_string_equal(values[STORE_COLUMN_MAX_GAP_NS], "30000000");
	assert_non_null(strstr(values[STORE_COLUMN_REPORT], "gaptrace.report/1"));
	return STATUS_OK;
}

static void figures_are_those_of_the_report(void **state)
{
	struct rig rig;
	const struct history_sample sample = {.begin_ns = 5, .gap_ms = 30, .device_count = 2};
	const struct history_label label = {"h", "b", "p", 1000};
	const struct history_filter all = {.wants_report = true};
	struct diag diag = {""};
	bool was_seen = false;

	(void)state;
	rig_init(&rig);
	add(&rig, &sample, &label);
	assert_int_equal(history_find(rig.store, &all, check_figures, &was_seen, &diag), STATUS_OK);
	assert_true(was_seen);
	rig_finish(&rig);
}

static void a_run_is_kept_once(void **state)
{
	struct rig rig;
	const struct history_sample sample = {.begin_ns = 5, .gap_ms = 30};
	const struct history_sample other = {.begin_ns = 6, .gap_ms = 30};
	const struct history_label label = {"h", "b", "p", 1000};
	const struct history_label wrong = {"h", "another", "p", 1000};
	struct history_run *runs[2];
	struct history_added added[2];
	struct diag diag = {""};

	(void)state;
	rig_init(&rig);
	assert_int_equal(add(&rig, &sample, &label), add(&rig, &sample, &label));
	assert_string_equal(find(&rig, &(struct history_filter){.limit = 0}), "1 ");
	/* One of two is there under another name: neither is added. */
	runs[0] = load(&rig, &other, &wrong);
	runs[1] = load(&rig, &sample, &wrong);
	assert_int_equal(history_add(rig.store, runs, 2, added, &diag), STATUS_EXISTS);
	assert_non_null(strstr(diag.line, "run 1 already"));
	assert_string_equal(find(&rig, &(struct history_filter){.limit = 0}), "1 ");
	history_run_destroy(runs[0]);
	history_run_destroy(runs[1]);
	rig_finish(&rig);
}

/* The report that load() wrote, as a version that knew no blocks would have it. */
static struct history_run *load_without_blocks(struct rig *rig, const struct history_label *label)
{
	struct history_run *run = NULL;
	struct diag diag = {""};
	char path[128];
	char text[16384] = "";
	char *blocks;
	FILE *file;

	(void)snprintf(path, sizeof(path), "%s/report.json", rig->folder);
	file = fopen(path, "r+");
	assert_non_null(file);
	assert_true(fread(text, 1, sizeof(text) - 1, file) < sizeof(text) - 1);
	blocks = strstr(text, "\"blocks\"");
	assert_non_null(blocks);
	assert_int_equal(fseek(file, blocks - text, SEEK_SET), 0);
	assert_true(fputs("\"others\"", file) >= 0);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(history_run_load(path, label, &run, &diag), STATUS_OK);
	return run;
}

static void another_report_of_a_run_is_told_apart_from_the_same(void **state)
{
	struct rig rig;
	const struct history_sample sample = {.begin_ns = 5, .gap_ms = 30};
	const struct history_label label = {"h", "b", "p", 1000};
	struct history_run *runs[2];
	struct history_added added[2] = {{0}, {0}};
	struct diag diag = {""};

	(void)state;
	rig_init(&rig);
	add(&rig, &sample, &label);
	runs[0] = load(&rig, &sample, &label);
	runs[1] = load_without_blocks(&rig, &label);
	assert_int_equal(history_add(rig.store, runs, 2, added, &diag), STATUS_OK);
	assert_true(added[0].is_known && !added[0].is_other);
	assert_true(added[1].is_known && added[1].is_other);
	assert_string_equal(find(&rig, &(struct history_filter){.limit = 0}), "1 ");
	history_run_destroy(runs[0]);
	history_run_destroy(runs[1]);
	rig_finish(&rig);
}

static void runs_are_found_by_what_they_are(void **state)
{
	struct rig rig;
	const struct history_sample plain = {.begin_ns = 1, .gap_ms = 30};
	const struct history_sample lossy = {.begin_ns = 2, .gap_ms = 30, .discard_note = "cut"};
	const struct history_sample fine = {.begin_ns = 3, .gap_ms = 30, .threshold_ns = 10000};
	const struct history_sample events = {.begin_ns = 4, .work = "event:job_end"};
	struct diag diag = {""};
	const char *bad = "1";

	(void)state;
	rig_init(&rig);
	add(&rig, &plain, &(struct history_label){"a", "b1", "p", 400});
	add(&rig, &lossy, &(struct history_label){"a", "b2", "p", 300});
	add(&rig, &fine, &(struct history_label){"b", "b2", "q", 200});
	add(&rig, &events, &(struct history_label){"b", "b2'", "", 100});
	assert_string_equal(find(&rig, &(struct history_filter){.limit = 0}), "1 2 3 4 ");
	assert_string_equal(find(&rig, &(struct history_filter){.limit = 2}), "1 2 ");
	assert_string_equal(find(&rig, &(struct history_filter){.host = "b"}), "3 4 ");
	assert_string_equal(find(&rig, &(struct history_filter){.build = "b2"}), "2 3 ");
	assert_string_equal(find(&rig, &(struct history_filter){.build = "b2'"}), "4 ");
	assert_string_equal(find(&rig, &(struct history_filter){.profile = ""}), "4 ");
	assert_string_equal(find(&rig, &(struct history_filter){.threshold_ns = "10000"}), "3 ");
	assert_string_equal(find(&rig, &(struct history_filter){.work_unit = "event"}), "4 ");
	assert_string_equal(
		find(&rig, &(struct history_filter){.since_s = "200", .until_s = "400"}), "2 3 ");
	assert_string_equal(find(&rig, &(struct history_filter){.is_trusted = true}), "1 3 4 ");
	assert_string_equal(
		find(&rig, &(struct history_filter){.devices = "1 x test device (cpu)"}),
		"1 2 3 4 ");
	assert_string_equal(find(&rig, &(struct history_filter){.id = "3"}), "3 ");
	assert_int_equal(history_mark(rig.store, &bad, 1, HISTORY_BAD, &diag), STATUS_OK);
	assert_string_equal(find(&rig, &(struct history_filter){.mark = "bad"}), "1 ");
	assert_string_equal(find(&rig, &(struct history_filter){.is_not_bad = true}), "2 3 4 ");
	rig_finish(&rig);
}

static void marks_are_all_set_or_none(void **state)
{
	struct rig rig;
	const struct history_sample sample = {.begin_ns = 1, .gap_ms = 30};
	const char *const ids[] = {"1", "2"};
	struct diag diag = {""};

	(void)state;
	rig_init(&rig);
	add(&rig, &sample, &(struct history_label){"a", "b", "p", 1});
	assert_int_equal(history_mark(rig.store, ids, 2, HISTORY_GOOD, &diag), STATUS_NOT_FOUND);
	assert_string_equal(find(&rig, &(struct history_filter){.mark = "good"}), "");
	assert_int_equal(history_mark(rig.store, ids, 1, HISTORY_GOOD, &diag), STATUS_OK);
	assert_string_equal(find(&rig, &(struct history_filter){.mark = "good"}), "1 ");
	assert_int_equal(history_mark(rig.store, ids, 1, "", &diag), STATUS_OK);
	assert_string_equal(find(&rig, &(struct history_filter){.mark = "good"}), "");
	rig_finish(&rig);
}

static void execute(const char *database, const char *sql)
{
	sqlite3 *handle = NULL;

	assert_int_equal(sqlite3_open(database, &handle), SQLITE_OK);
	assert_int_equal(sqlite3_exec(handle, sql, NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_close(handle), SQLITE_OK);
}

static void a_report_is_compared_with_its_own_kind(void **state)
{
	struct rig rig;
	const struct history_label label = {"a", "b", "p", 1};
	const struct history_label plain = {"a", "b", "", 1};
	const struct history_sample same = {.begin_ns = 1, .gap_ms = 3};
	const struct history_sample again = {.begin_ns = 2, .gap_ms = 4};
	const struct history_sample device = {.begin_ns = 3, .device = "another"};
	const struct history_sample work = {.begin_ns = 4, .work = "event:job_end"};
	const struct history_sample threshold = {.begin_ns = 5, .threshold_ns = 5};
	const struct history_sample more = {.begin_ns = 6, .device_count = 2};
	struct history_kind kind = {0};
	struct history_filter filter = {.profile = "p"};
	struct diag diag = {""};
	char path[128];

	(void)state;
	rig_init(&rig);
	add(&rig, &same, &label);
	add(&rig, &device, &label);
	add(&rig, &work, &label);
	add(&rig, &threshold, &label);
	add(&rig, &more, &label);
	add(&rig, &again, &label);
	add(&rig, &(struct history_sample){.begin_ns = 7, .gap_ms = 3}, &plain);
	/* The report of `again`, which is in the store: it is not its own baseline. */
	history_rig_write(rig.folder, "new.json", &again);
	(void)snprintf(path, sizeof(path), "%s/new.json", rig.folder);
	assert_int_equal(history_kind_of_report(path, &kind, &diag), STATUS_OK);
	history_kind_narrow(&kind, &filter);
	assert_string_equal(find(&rig, &filter), "1 ");
	history_kind_finish(&kind);

	filter = (struct history_filter){.profile = "p"};
	assert_int_equal(history_kind_of_newest(rig.store, &filter, &kind, &diag), STATUS_OK);
	history_kind_narrow(&kind, &filter);
	assert_string_equal(find(&rig, &filter), "6 1 ");
	history_kind_finish(&kind);

	/* What was simulated is compared with its like only. */
	execute(rig.database, "UPDATE gaptrace_runs SET simulated = 1 - simulated WHERE id = 1");
	filter = (struct history_filter){.profile = "p"};
	assert_int_equal(history_kind_of_newest(rig.store, &filter, &kind, &diag), STATUS_OK);
	history_kind_narrow(&kind, &filter);
	assert_string_equal(find(&rig, &filter), "6 ");

	/* Nor is a run in which no work ended a base for one in which some did. */
	execute(rig.database, "UPDATE gaptrace_runs SET work_count = 0 WHERE id = 6");
	filter.has_work = true;
	assert_string_equal(find(&rig, &filter), "");
	history_kind_finish(&kind);
	rig_finish(&rig);
}

static void what_is_no_report_is_refused(void **state)
{
	static const char *const texts[] = {"", "{", "[]", "{\"schema\": \"gaptrace.report/2\"}",
		"{\"schema\": \"other\"}", "{\"schema\": \"gaptrace.report/1\"}"};
	const struct history_label label = {"a", "b", "p", 1};
	char folder[64];
	char path[128];

	(void)state;
	history_rig_make(folder);
	(void)snprintf(path, sizeof(path), "%s/report.json", folder);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct history_run *run = NULL;
		struct diag diag = {""};
		FILE *file = fopen(path, "w");

		assert_non_null(file);
		assert_true(fputs(texts[i], file) >= 0);
		assert_int_equal(fclose(file), 0);
		assert_int_not_equal(history_run_load(path, &label, &run, &diag), STATUS_OK);
		assert_non_null(strstr(diag.line, path));
		assert_null(run);
	}
	history_rig_remove(folder);
}

static enum status try_open(struct rig *rig, enum store_mode mode, struct diag *diag)
{
	const struct store_target target = {.name = rig->database, .mode = mode, .wait_ms = 20};
	enum status status;

	store_close(rig->store);
	rig->store = NULL;
	status = store_open(&target, &rig->store, diag);
	if (status != STATUS_OK) {
		assert_null(rig->store);
	}
	return status;
}

static void a_newer_schema_is_refused_politely(void **state)
{
	struct rig rig;
	struct diag diag = {""};

	(void)state;
	rig_init(&rig);
	store_close(rig.store);
	rig.store = NULL;
	execute(rig.database, "UPDATE gaptrace_meta SET value = '2'");
	assert_int_equal(try_open(&rig, STORE_WRITE, &diag), STATUS_UNSUPPORTED);
	assert_non_null(strstr(diag.line, "newer gaptrace"));
	assert_int_equal(try_open(&rig, STORE_READ, &diag), STATUS_UNSUPPORTED);
	/* One whose tables are others is not given ours as well. */
	execute(rig.database, "ALTER TABLE gaptrace_runs RENAME TO gaptrace_recordings");
	assert_int_equal(try_open(&rig, STORE_WRITE, &diag), STATUS_UNSUPPORTED);
	assert_int_equal(try_open(&rig, STORE_READ, &diag), STATUS_UNSUPPORTED);
	execute(rig.database, "ALTER TABLE gaptrace_recordings RENAME TO gaptrace_runs");
	execute(rig.database, "UPDATE gaptrace_meta SET value = 'one'");
	assert_int_equal(try_open(&rig, STORE_WRITE, &diag), STATUS_BAD_INPUT);
	execute(rig.database, "DELETE FROM gaptrace_meta");
	assert_int_equal(try_open(&rig, STORE_WRITE, &diag), STATUS_BAD_INPUT);
	rig_finish(&rig);
}

static enum status visit_none(void *context, const struct history_found *found)
{
	(void)found;
	(*(int *)context)++;
	return STATUS_OK;
}

/* An id becomes the name of a file. */
static void a_run_whose_id_is_no_number_is_refused(void **state)
{
	const struct history_sample sample = {.begin_ns = 1};
	const struct history_label label = {"a", "b", "p", 1};
	const struct history_filter filter = {.host = "a"};
	struct diag diag = {""};
	struct rig rig;
	int count = 0;

	(void)state;
	rig_init(&rig);
	add(&rig, &sample, &label);
	execute(rig.database, "CREATE TABLE copy AS SELECT * FROM gaptrace_runs;"
			      "DROP TABLE gaptrace_runs;"
			      "ALTER TABLE copy RENAME TO gaptrace_runs;"
			      "UPDATE gaptrace_runs SET id = '../../elsewhere'");
	assert_int_equal(
		history_find(rig.store, &filter, visit_none, &count, &diag), STATUS_BAD_INPUT);
	assert_int_equal(count, 0);
	assert_non_null(strstr(diag.line, "../../elsewhere"));
	rig_finish(&rig);
}

static void files_of_others_are_left_alone(void **state)
{
	struct rig rig = {.store = NULL};
	struct diag diag = {""};
	FILE *file;

	(void)state;
	history_rig_make(rig.folder);
	(void)snprintf(rig.database, sizeof(rig.database), "%s/other.db", rig.folder);
	assert_int_equal(try_open(&rig, STORE_READ, &diag), STATUS_NOT_FOUND);
	execute(rig.database, "CREATE TABLE theirs (a INTEGER)");
	assert_int_equal(try_open(&rig, STORE_WRITE, &diag), STATUS_BAD_INPUT);
	assert_non_null(strstr(diag.line, "another program"));
	execute(rig.database, "DROP TABLE theirs");

	/* SQLite itself would take a single byte for nothing. */
	file = fopen(rig.database, "w");
	assert_non_null(file);
	assert_int_equal(fputc('x', file), 'x');
	assert_int_equal(fclose(file), 0);
	assert_int_equal(try_open(&rig, STORE_WRITE, &diag), STATUS_BAD_INPUT);

	file = fopen(rig.database, "w");
	assert_non_null(file);
	for (int i = 0; i < 1000; i++) {
		assert_true(fputs("no database\n", file) >= 0);
	}
	assert_int_equal(fclose(file), 0);
	assert_int_equal(try_open(&rig, STORE_WRITE, &diag), STATUS_BAD_INPUT);
	assert_int_equal(try_open(&rig, STORE_READ, &diag), STATUS_BAD_INPUT);
	rig_finish(&rig);
}

static void a_locked_file_is_told_after_the_wait(void **state)
{
	struct rig rig;
	const struct history_sample sample = {.begin_ns = 1, .gap_ms = 30};
	const struct history_label label = {"a", "b", "p", 1};
	struct history_run *run;
	struct history_added added;
	struct diag diag = {""};
	sqlite3 *other = NULL;

	(void)state;
	rig_init(&rig);
	assert_int_equal(try_open(&rig, STORE_WRITE, &diag), STATUS_OK);
	run = load(&rig, &sample, &label);
	assert_int_equal(sqlite3_open(rig.database, &other), SQLITE_OK);
	assert_int_equal(sqlite3_exec(other, "BEGIN EXCLUSIVE", NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(history_add(rig.store, &run, 1, &added, &diag), STATUS_TIMED_OUT);
	assert_non_null(strstr(diag.line, "--wait"));
	assert_int_equal(sqlite3_exec(other, "ROLLBACK", NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_close(other), SQLITE_OK);
	assert_int_equal(history_add(rig.store, &run, 1, &added, &diag), STATUS_OK);
	assert_int_equal(added.id, 1);
	history_run_destroy(run);
	rig_finish(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figures_are_those_of_the_report),
		cmocka_unit_test(a_run_is_kept_once),
		cmocka_unit_test(another_report_of_a_run_is_told_apart_from_the_same),
		cmocka_unit_test(runs_are_found_by_what_they_are),
		cmocka_unit_test(marks_are_all_set_or_none),
		cmocka_unit_test(a_report_is_compared_with_its_own_kind),
		cmocka_unit_test(what_is_no_report_is_refused),
		cmocka_unit_test(a_newer_schema_is_refused_politely),
		cmocka_unit_test(a_run_whose_id_is_no_number_is_refused),
		cmocka_unit_test(files_of_others_are_left_alone),
		cmocka_unit_test(a_locked_file_is_told_after_the_wait),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
