/* SPDX-License-Identifier: MIT */
/* A report is read for what it says; one that is cut, foreign or does not add up is refused by
 * name. */
#include "analysis/diff/run.h"
#include "tests/unit/diff_runs.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const struct diff_run_plan small = {.seed = 5, .unit_count = 9, .lock_scale = 1};

/* The text with the first `from` replaced; the caller's to free. */
static char *replaced(const char *text, const char *from, const char *to)
{
	const char *at = strstr(text, from);
	char *result = NULL;

	assert_non_null(at);
	assert_true(
		asprintf(&result, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from)) > 0);
	return result;
}

static void expect_refused(const char *text, enum status expected, const char *expected_line)
{
	struct run *run = NULL;
	struct diag diag = {""};

	assert_int_equal(run_parse("run.json", text, strlen(text), &run, &diag), expected);
	assert_null(run);
	if (!strstr(diag.line, expected_line) || !strstr(diag.line, "run.json")) {
		fail_msg("'%s' does not say '%s'", diag.line, expected_line);
	}
}

static void a_report_is_read_whole(void **state)
{
	AUTO(run_destroy) struct run *run = diff_run_make(&small, "run.json");

	(void)state;
	assert_true(run->is_readable && run->is_trusted && !run->is_simulated);
	assert_string_equal(run->work_unit, "partition");
	assert_int_equal(run->work_count, 9);
	assert_int_equal(run->device_count, 2);
	assert_int_equal(run->block_count, 9);
	assert_int_equal(run->threshold_ns, 1000000);
	/* The longest between operations; the window's edges are longer. */
	assert_int_equal(run->devices[0].max_ns, 40000000);
	assert_true(run->devices[0].has_quantiles);
	assert_int_equal(run->devices[1].quantiles_ns[RUN_P95], 9000000);
	for (uint32_t d = 0; d < run->device_count; d++) {
		uint64_t busy_ns = 0;
		uint64_t lock_ns = 0;

		for (uint32_t b = 0; b < run->block_count; b++) {
			busy_ns += run->blocks[b].devices[d].busy_ns;
			lock_ns += run->blocks[b].devices[d].causes[1].ns;
		}
		assert_int_equal(busy_ns, run->devices[d].usage.busy_ns);
		assert_int_equal(run->devices[d].usage.causes[1].cause, CAUSE_LOCK);
		assert_string_equal(run->devices[d].usage.causes[1].phase, "malloc_trim");
		assert_int_equal(lock_ns, run->devices[d].usage.causes[1].ns);
	}
}

static void a_report_cut_short_anywhere_is_refused(void **state)
{
	char *text = diff_run_json(&small);
	const size_t length = strlen(text);

	(void)state;
	for (size_t cut = 0; cut + 2 < length; cut += cut < 2000 ? 1 : 97) {
		struct run *run = NULL;
		struct diag diag = {""};

		assert_int_equal(run_parse("run.json", text, cut, &run, &diag), STATUS_BAD_INPUT);
		assert_null(run);
		assert_non_null(strstr(diag.line, "run.json:"));
	}
	free(text);
}

static void every_needed_field_is_missed_by_name(void **state)
{
	static const char *const keys[] = {"window", "begin_ns", "work", "count", "devices", "uuid",
		"backend", "kernels", "busy_ns", "kernel_gaps", "threshold_ns", "causes", "phase",
		"trust", "ok", "notes", "simulated"};
	char *text = diff_run_json(&small);

	(void)state;
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		char from[64];
		char line[64];
		char *changed;

		(void)snprintf(from, sizeof(from), "\"%s\":", keys[i]);
		changed = replaced(text, from, "\"renamed\":");
		(void)snprintf(line, sizeof(line), "there is no \"%s\"", keys[i]);
		expect_refused(changed, STATUS_BAD_INPUT, line);
		free(changed);
	}
	free(text);
}

static void what_cannot_be_is_refused_with_its_place(void **state)
{
	static const struct {
		const char *from;
		const char *to;
		const char *line;
	} cases[] = {
		{"\"cause\": \"lock\"", "\"cause\": \"luck\"",
			"devices[0].causes[1]: there is no cause 'luck': is it of a newer"},
		{"\"busy_ns\": ", "\"busy_ns\": -", "devices[0]: \"busy_ns\" is negative"},
		{"\"kernels\": 90", "\"kernels\": 9.5",
			"devices[0]: \"kernels\" is not a whole number"},
		{"\"work\": 1", "\"work\": \"1\"", "blocks[0]: \"work\" is not a whole number"},
		{"\"devices\": [{", "\"devices\": [7, {", "devices[0]: is not an object"},
		{"\"index\": 1, \"uuid\": \"GPU-1\"", "\"index\": 0, \"uuid\": \"GPU-0\"",
			"device 'GPU-0' is there twice"},
		{"\"blocks\": [{\"begin_ns\": 1", "\"blocks\": [{\"begin_ns\": 2",
			"blocks[0]: does not begin where the one before ends"},
		{"\"schema\": \"gaptrace.report/1\"", "\"schema\": \"gaptrace.diff/1\"",
			"is gaptrace.diff/1, not a report"},
		{"\"ok\": true", "\"ok\": 1", "trust: \"ok\" is not true or false"},
		{"\"begin_ns\"", "\"end_ns\": 0, \"begin_ns\"", "no JSON: duplicate object key"},
		{"\"busy_ns\": ", "\"busy_ns\": 99999999999", "no JSON: too big integer"},
	};
	char *text = diff_run_json(&small);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *changed = replaced(text, cases[i].from, cases[i].to);

		expect_refused(changed, STATUS_BAD_INPUT, cases[i].line);
		free(changed);
	}
	free(text);
}

/* Damage that leaves the JSON whole must not turn into a comparison that passes. */
static void figures_that_contradict_each_other_are_refused(void **state)
{
	static const struct {
		const char *from;
		const char *to;
		const char *line;
	} cases[] = {
		{"\"count\": 9,", "\"count\": 9223372036854775807,",
			"the work of its blocks is not the 9223372036854775807 units of the "
			"window"},
		{"\"work\": 1", "\"work\": 9223372036854775807",
			"the work of its blocks is not the 9 units"},
		{"\"busy_ns\": ", "\"busy_ns\": 9223372036854775807, \"was\": ",
			"gpu 0 is busy and idle for longer than the window"},
		{"\"ns\": ", "\"ns\": 9223372036854775807, \"was\": ",
			"gpu 0 has more time in causes than in gaps"},
		{"\"work\": 1, \"devices\": [", "\"work\": 1, \"devices\": [], \"were\": [",
			"blocks[0] does not tell of gpu 0"},
	};
	char *text = diff_run_json(&small);
	char *untrusted = replaced(text, "\"ok\": true", "\"ok\": false");
	struct run *run = NULL;
	char *changed;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		changed = replaced(text, cases[i].from, cases[i].to);
		expect_refused(changed, STATUS_BAD_INPUT, cases[i].line);
		free(changed);
	}
	/* A recording that is not to be trusted has an exit code of its own. */
	changed = replaced(untrusted, cases[0].from, cases[0].to);
	assert_int_equal(run_parse("run.json", changed, strlen(changed), &run, NULL), STATUS_OK);
	run_destroy(run);
	free(changed);
	free(untrusted);
	free(text);
}

static void other_json_is_no_report(void **state)
{
	(void)state;
	expect_refused("{}", STATUS_UNSUPPORTED, "no report of gaptrace");
	expect_refused("[1, 2]", STATUS_UNSUPPORTED, "no report of gaptrace");
	expect_refused(
		"{\"traceEvents\": []}", STATUS_UNSUPPORTED, "gaptrace report --format json");
	expect_refused("{\"schema\": 1}", STATUS_UNSUPPORTED, "no report of gaptrace");
	expect_refused("", STATUS_BAD_INPUT, "ends too early");
}

static void nesting_without_end_is_refused(void **state)
{
	const size_t depth = 100000;
	char *text = malloc(depth + 1);

	(void)state;
	assert_non_null(text);
	memset(text, '[', depth);
	text[depth] = '\0';
	expect_refused(text, STATUS_BAD_INPUT, "no JSON: maximum parsing depth reached");
	free(text);
}

/* Not an error yet: that it cannot be compared is for the comparison to say. */
static void a_newer_schema_is_known_as_such(void **state)
{
	const char *text = "{\"schema\": \"gaptrace.report/2\", \"anything\": []}";
	AUTO(run_destroy) struct run *run = NULL;

	(void)state;
	assert_int_equal(run_parse("run.json", text, strlen(text), &run, NULL), STATUS_OK);
	assert_false(run->is_readable);
	assert_string_equal(run->schema, "gaptrace.report/2");
}

static void a_run_is_known_whatever_its_file_looks_like(void **state)
{
	const struct diff_run_plan other_plan = {.seed = 6, .unit_count = 9, .lock_scale = 1};
	struct diff_run_plan bare_plan = small;
	AUTO(run_destroy) struct run *run = diff_run_make(&small, "a.json");
	AUTO(run_destroy) struct run *other = diff_run_make(&other_plan, "b.json");
	AUTO(run_destroy) struct run *bare = NULL;

	(void)state;
	bare_plan.has_no_blocks = true;
	bare_plan.threshold_ns = 10000;
	bare = diff_run_make(&bare_plan, "c.json");
	assert_true(run_is_same(run, bare));
	assert_false(run_is_same(run, other));
}

static void files_are_told_from_what_is_none(void **state)
{
	struct run *run = NULL;
	struct diag diag = {""};

	(void)state;
	assert_int_equal(run_load("/nowhere/run.json", &run, &diag), STATUS_NOT_FOUND);
	assert_non_null(strstr(diag.line, "/nowhere/run.json"));
	assert_int_equal(run_load("/", &run, &diag), status_from_errno(EISDIR));
	assert_int_equal(run_load("/dev/zero", &run, &diag), STATUS_BAD_INPUT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_report_is_read_whole),
		cmocka_unit_test(a_report_cut_short_anywhere_is_refused),
		cmocka_unit_test(every_needed_field_is_missed_by_name),
		cmocka_unit_test(what_cannot_be_is_refused_with_its_place),
		cmocka_unit_test(figures_that_contradict_each_other_are_refused),
		cmocka_unit_test(other_json_is_no_report),
		cmocka_unit_test(nesting_without_end_is_refused),
		cmocka_unit_test(a_newer_schema_is_known_as_such),
		cmocka_unit_test(a_run_is_known_whatever_its_file_looks_like),
		cmocka_unit_test(files_are_told_from_what_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
