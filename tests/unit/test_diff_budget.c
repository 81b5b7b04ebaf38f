/* SPDX-License-Identifier: MIT */
/* A budget file says what it limits, is refused by line where it is wrong, and is kept or broken.
 */
#include "analysis/diff/diff.h"
#include "analysis/diff/phrase.h"
#include "tests/unit/diff_runs.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

static enum status load(const char *text, struct diff_settings *settings,
	struct budget **out_budget, struct diag *diag)
{
	const int descriptor = memfd_create("budget", MFD_CLOEXEC);
	char path[64];
	enum status status;

	assert_true(descriptor >= 0);
	assert_int_equal(write(descriptor, text, strlen(text)), (ssize_t)strlen(text));
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", descriptor);
	status = budget_load(path, settings, out_budget, diag);
	(void)close(descriptor);
	return status;
}

static void thresholds_and_limits_are_read(void **state)
{
	AUTO(budget_destroy) struct budget *budget = NULL;
	struct diff_settings settings = diff_settings_default;

	(void)state;
	assert_int_equal(
		load("; why\n[thresholds]\nabsolute = 1.5ms\nrelative = 12.5%\nthroughput = 3 %\n"
		     "false_alarms = 5%\n[limit trim]\nwhat = idle\ncause = lock\nobject = "
		     "track*\ngpu = 1\nat_most = 5ms\n[limit use]\nwhat = utilisation\nat_least = "
		     "80%\n",
			&settings, &budget, NULL),
		STATUS_OK);
	assert_true(settings.has_absolute_ns && settings.absolute_ns == 1500000);
	assert_true(fabs(settings.relative - 0.125) < 1e-12);
	assert_true(fabs(settings.throughput - 0.03) < 1e-12);
	assert_true(fabs(settings.false_alarms - 0.05) < 1e-12);
	assert_int_equal(budget->limit_count, 2);
	assert_string_equal(budget->limits[0].name, "trim");
	assert_true(budget->limits[0].scope == BUDGET_ONE && budget->limits[0].device_index == 1);
	assert_true(budget->limits[0].at_most == 5e6 && !budget->limits[0].has_at_least);
	assert_true(fabs(budget->limits[1].at_least - 0.8) < 1e-12);
}

static void indented_lines_are_lines(void **state)
{
	AUTO(budget_destroy) struct budget *budget = NULL;
	struct diff_settings settings = diff_settings_default;

	(void)state;
	assert_int_equal(load("[thresholds]\n  relative = 20%\n\tthroughput = 3%\n"
			      "[limit a]\n  what = idle\n  ; why\n  at_most = 5ms\n",
				 &settings, &budget, NULL),
		STATUS_OK);
	assert_true(fabs(settings.relative - 0.2) < 1e-12);
	assert_true(fabs(settings.throughput - 0.03) < 1e-12);
	assert_int_equal(budget->limit_count, 1);
	assert_true(budget->limits[0].has_at_most && budget->limits[0].at_most == 5e6);
}

static void what_is_wrong_is_refused_by_line(void **state)
{
	static const struct {
		const char *text;
		const char *line;
	} cases[] = {
		{"[limit a]\nwhat = idel\n", ":2: what = idel: there are time, idle"},
		{"[limit a]\nat_most = 5ms\n",
			":2: say what is limited (what = ...) before at_most"},
		{"[limit a]\nwhat = idle\nat_most = 5\n",
			":3: at_most = 5: a duration like 5ms is needed"},
		{"[limit a]\nwhat = utilisation\nat_least = 5ms\n",
			":3: at_least = 5ms: a percentage like 80% is needed"},
		{"[limit a]\nwhat = gaps\nat_most = -1\n", ":3: at_most = -1: a number is needed"},
		{"[limit a]\nwhat = idle\n", ": [limit a] has neither at_most nor at_least"},
		{"[limit a]\nwhat = busy\ncause = lock\nat_most = 1ms\n",
			"has a cause, which only what = idle"},
		{"[limit a]\nwhat = gap_max\ngpu = all\nat_most = 1ms\n", "gpu = each"},
		{"[limit a]\nwhat = idle\ncause = luck\n", ":3: there is no cause 'luck'"},
		{"[limit a]\nwhat = idle\ngpu = -1\n",
			":3: gpu = -1: each, all, or a number is needed"},
		{"[limit a]\nmost = 1\n", ":2: no key 'most' in a limit"},
		{"[limit ]\nwhat = idle\n", ":2: a limit needs a name"},
		{"[thresholds]\nrelative = 10\n",
			":2: relative = 10: a percentage like 10% is needed"},
		{"[thresholds]\nfalse_alarms = 0%\n",
			":2: false_alarms = 0%: a percentage like 10% is needed, from 0.1% to 50%"},
		{"[thresholds]\nabsolut = 1ms\n", ":2: no key 'absolut' in [thresholds]"},
		{"[limits]\na = 1\n", ":2: key 'a' is in section [limits]"},
		{"a = 1\n", ":1: key 'a' "},
		{"[limit a]\nwhat = idle\nat_most = 1ms\nat_most = 50s\n",
			":4: at_most is there twice in [limit a]"},
		{"[limit a]\nwhat = idle\nat_most = 1ms\n[limit a]\nwhat = busy\n",
			":5: what is there twice in [limit a]"},
		{"[limit a]\nwhat = idle\ngpu = all\ngpu = 1\n", ":4: gpu is there twice"},
		{"[limit a]\nwhat = idle\nobject = x\nobject = y\n", ":4: object is there twice"},
		{"[limit a]\nwhat = idle\nat_most = 1ms\nat_least = 5ms\n",
			"[limit a] cannot be kept: at_most is below at_least"},
		{"[limit a]\n; what = idle\n", ":1: the limit that begins here has no keys"},
		{"[thresholds]\n[limit a]\n[limit b]\nwhat = idle\nat_most = 1ms\n",
			":2: the limit that begins here has no keys"},
		{"[limit a]\nwhat\n", ":2: neither [section] nor key = value"},
		{"[limit a\nwhat = idle\nat_most = 1ms\n", ":1: neither [section] nor key = value"},
		{"[thresholds]\nrelative = 5%\nabsolute = 1ms\nrelative = 50%\n",
			":4: relative is there twice in [thresholds]"},
		{"[limit of what the tracker may be held for by malloc_trim]\nwhat = idle\n",
			":1: a section's name is longer than 49 bytes"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct diff_settings settings = diff_settings_default;
		struct budget *budget = NULL;
		struct diag diag = {""};

		assert_int_equal(load(cases[i].text, &settings, &budget, &diag), STATUS_BAD_USE);
		assert_null(budget);
		if (!strstr(diag.line, cases[i].line)) {
			fail_msg("'%s' does not say '%s'", diag.line, cases[i].line);
		}
	}
}

static void long_lines_and_missing_files_are_said(void **state)
{
	struct diff_settings settings = diff_settings_default;
	struct budget *budget = NULL;
	struct diag diag = {""};
	char text[400] = "[limit a]\nobject = ";

	(void)state;
	memset(text + strlen(text), 'x', 300);
	assert_int_equal(load(text, &settings, &budget, &diag), STATUS_BAD_USE);
	assert_non_null(strstr(diag.line, ":2: a line is longer than 198 bytes"));
	assert_int_equal(
		budget_load("/nowhere/gaptrace.conf", &settings, &budget, &diag), STATUS_NOT_FOUND);
	assert_non_null(strstr(diag.line, "/nowhere/gaptrace.conf"));
}

/* Holds a healthy run against a budget, with nothing to compare it with. */
static enum status hold(const char *text, struct run **out_run, struct budget **out_budget,
	struct diff **out_diff, struct diag *diag)
{
	const struct diff_run_plan plan = {.seed = 3, .unit_count = 40, .lock_scale = 1};
	struct diff_settings settings = diff_settings_default;
	struct diff_request request;

	assert_int_equal(load(text, &settings, out_budget, diag), STATUS_OK);
	*out_run = diff_run_make(&plan, "run.json");
	request = (struct diff_request){.runs = (const struct run *const *)out_run,
		.run_count = 1,
		.settings = &settings,
		.budget = *out_budget};
	return diff_create(&request, out_diff, diag);
}

static void limits_hold_without_a_base(void **state)
{
	AUTO(run_destroy) struct run *run = NULL;
	AUTO(budget_destroy) struct budget *budget = NULL;
	AUTO(diff_destroy) struct diff *diff = NULL;
	struct diag diag = {""};
	char text[PHRASE_BYTES_MAX];

	(void)state;
	assert_int_equal(
		hold("[limit lock]\nwhat = idle\ncause = lock\nobject = tracker\nat_most = 50ms\n"
		     "[limit longest]\nwhat = gap_max\nat_most = 2s\n"
		     "[limit use]\nwhat = utilisation\ngpu = all\nat_least = 10%\n"
		     "[limit none]\nwhat = idle\ncause = backpressure\ngpu = all\nat_most = 0ns\n",
			&run, &budget, &diff, &diag),
		STATUS_OK);
	assert_int_equal(diff->outcome, DIFF_PASSED);
	/* Two for each GPU, two for all of them. */
	assert_int_equal(diff->limit_count, 6);
	assert_true(diff->limits[2].value == 40000000 && diff->limits[2].is_kept);
	assert_string_equal(
		phrase_limit(diff, &diff->limits[2], text), "gpu 0: 40.00 ms, at most 2.000 s");
}

static void a_limit_on_an_unknown_name_is_kept_and_noted(void **state)
{
	AUTO(run_destroy) struct run *run = NULL;
	AUTO(budget_destroy) struct budget *budget = NULL;
	AUTO(diff_destroy) struct diff *diff = NULL;
	struct diag diag = {""};
	uint32_t noted = 0;

	(void)state;
	assert_int_equal(
		hold("[limit typo]\nwhat = idle\ncause = lock\nobject = trackr\nat_most = 50ms\n"
		     "[limit good]\nwhat = idle\ncause = lock\nobject = track*\nat_most = 50ms\n",
			&run, &budget, &diff, &diag),
		STATUS_OK);
	assert_int_equal(diff->outcome, DIFF_PASSED);
	for (uint32_t i = 0; i < diff->notes.count; i++) {
		noted += strstr(diff->notes.list[i], "[limit typo]: no new run has") != NULL;
		assert_null(strstr(diff->notes.list[i], "[limit good]"));
	}
	assert_int_equal(noted, 1);
}

static void a_broken_limit_is_a_regression(void **state)
{
	AUTO(run_destroy) struct run *run = NULL;
	AUTO(budget_destroy) struct budget *budget = NULL;
	AUTO(diff_destroy) struct diff *diff = NULL;
	struct diag diag = {""};
	double lock_ns = 0;

	(void)state;
	assert_int_equal(hold("[limit lock]\nwhat = idle\ncause = lock\ngpu = 0\nat_most = 1us\n"
			      "[limit share]\nwhat = idle_share\ngpu = all\nat_most = 99%\n",
				 &run, &budget, &diff, &diag),
		STATUS_OK);
	assert_int_equal(diff->outcome, DIFF_WORSE);
	assert_false(diff->limits[0].is_kept);
	assert_true(diff->limits[1].is_kept && diff->limits[1].value > 0.1);
	for (uint32_t i = 0; i < run->devices[0].usage.cause_count; i++) {
		const struct run_cause *row = &run->devices[0].usage.causes[i];

		lock_ns += row->cause == CAUSE_LOCK ? (double)row->ns : 0;
	}
	assert_true(fabs(diff->limits[0].value - lock_ns / 40) < 1);
}

static void a_limit_on_what_is_not_there_is_wrong_use(void **state)
{
	static const char *const texts[][2] = {
		{"[limit a]\nwhat = idle\ngpu = 7\nat_most = 1ms\n", "run.json has no gpu 7"},
		{"[limit a]\nwhat = idle\nunit = kernel\nat_most = 1ms\n",
			"is per kernel, and run.json counts work by partition"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		AUTO(run_destroy) struct run *run = NULL;
		AUTO(budget_destroy) struct budget *budget = NULL;
		AUTO(diff_destroy) struct diff *diff = NULL;
		struct diag diag = {""};

		assert_int_equal(hold(texts[i][0], &run, &budget, &diff, &diag), STATUS_BAD_USE);
		assert_non_null(strstr(diag.line, texts[i][1]));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(thresholds_and_limits_are_read),
		cmocka_unit_test(indented_lines_are_lines),
		cmocka_unit_test(what_is_wrong_is_refused_by_line),
		cmocka_unit_test(long_lines_and_missing_files_are_said),
		cmocka_unit_test(limits_hold_without_a_base),
		cmocka_unit_test(a_limit_on_an_unknown_name_is_kept_and_noted),
		cmocka_unit_test(a_broken_limit_is_a_regression),
		cmocka_unit_test(a_limit_on_what_is_not_there_is_wrong_use),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
