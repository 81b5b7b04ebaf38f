/* SPDX-License-Identifier: MIT */
/* Comparisons come to the right outcome: worse, better, moved, noise, not comparable, untrusted. */
#include "analysis/diff/diff.h"
#include "analysis/diff/phrase.h"
#include "tests/unit/diff_runs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define RUN_MAX 16

/* Runs of a comparison, and what came of it. */
struct scene {
	struct run *runs[RUN_MAX];
	uint32_t count;
	struct diff *diff;
	struct diag diag;
};

static const struct diff_run_plan healthy = {.seed = 1, .unit_count = 200, .lock_scale = 1};

static void scene_add(struct scene *scene, const struct diff_run_plan *plan, uint64_t seed)
{
	struct diff_run_plan own = *plan;
	char path[32];

	own.seed = seed;
	(void)snprintf(path, sizeof(path), "run-%u.json", scene->count);
	scene->runs[scene->count++] = diff_run_make(&own, path);
}

static enum status scene_compare(struct scene *scene, uint32_t base_count)
{
	const struct diff_request request = {.runs = (const struct run *const *)scene->runs,
		.run_count = scene->count,
		.base_count = base_count,
		.settings = &diff_settings_default};

	return diff_create(&request, &scene->diff, &scene->diag);
}

static void scene_finish(struct scene *scene)
{
	diff_destroy(scene->diff);
	for (uint32_t i = 0; i < scene->count; i++) {
		run_destroy(scene->runs[i]);
	}
}

static const struct diff_row *find(
	const struct scene *scene, int32_t device, enum metric metric, enum cause cause)
{
	for (uint32_t i = 0; i < scene->diff->row_count; i++) {
		const struct table_row *figures = scene->diff->rows[i].figures;

		if (figures->device == device && figures->metric == metric &&
			(metric != METRIC_CAUSE || figures->cause == cause)) {
			return &scene->diff->rows[i];
		}
	}
	fail_msg("no row of %s", table_metric_name(metric));
	return NULL;
}

static void expect_reason(const struct scene *scene, const char *text)
{
	for (uint32_t i = 0; i < scene->diff->reasons.count; i++) {
		if (strstr(scene->diff->reasons.list[i], text)) {
			return;
		}
	}
	fail_msg("no reason says '%s'", text);
}

/* Two plans, one run each, and the outcome. */
static void compare_two(struct scene *scene, const struct diff_run_plan *base,
	const struct diff_run_plan *changed, enum diff_outcome expected)
{
	scene_add(scene, base, 100);
	scene_add(scene, changed, 200);
	assert_int_equal(scene_compare(scene, 1), STATUS_OK);
	assert_int_equal(scene->diff->outcome, expected);
}

static void a_planted_lock_is_a_regression_and_named(void **state)
{
	struct scene scene = {0};
	struct diff_run_plan planted = healthy;
	const struct diff_row *row;
	char text[PHRASE_BYTES_MAX];

	(void)state;
	planted.lock_scale = 4;
	compare_two(&scene, &healthy, &planted, DIFF_WORSE);
	row = &scene.diff->rows[scene.diff->order[0]];
	assert_int_equal(row->verdict, DIFF_REGRESSED);
	assert_string_equal(phrase_what(row->figures, text), "lock tracker held for malloc_trim");
	assert_true(row->figures->device >= 0);
	assert_non_null(strstr(phrase_change(scene.diff, row->figures, text), "per partition"));
	assert_true(row->figures->new_value > 3 * row->figures->base_value);
	assert_int_equal(
		find(&scene, TABLE_ALL, METRIC_CAUSE, CAUSE_LOCK)->verdict, DIFF_REGRESSED);
	assert_int_equal(find(&scene, TABLE_ALL, METRIC_TIME, 0)->verdict, DIFF_REGRESSED);
	assert_int_equal(
		find(&scene, TABLE_ALL, METRIC_CAUSE, CAUSE_CPU_PHASE)->verdict, DIFF_SAME);
	scene_finish(&scene);
}

static void what_got_better_is_called_better(void **state)
{
	struct scene scene = {0};
	struct diff_run_plan planted = healthy;

	(void)state;
	planted.lock_scale = 4;
	compare_two(&scene, &planted, &healthy, DIFF_PASSED);
	assert_int_equal(find(&scene, TABLE_ALL, METRIC_CAUSE, CAUSE_LOCK)->verdict, DIFF_IMPROVED);
	assert_int_equal(find(&scene, TABLE_ALL, METRIC_TIME, 0)->verdict, DIFF_IMPROVED);
	scene_finish(&scene);
}

static void equals_pass_and_so_does_a_run_against_itself(void **state)
{
	struct scene scene = {0};
	struct scene same = {0};

	(void)state;
	compare_two(&scene, &healthy, &healthy, DIFF_PASSED);
	scene_finish(&scene);
	scene_add(&same, &healthy, 5);
	scene_add(&same, &healthy, 5);
	assert_int_equal(scene_compare(&same, 1), STATUS_OK);
	assert_int_equal(same.diff->outcome, DIFF_PASSED);
	for (uint32_t i = 0; i < same.diff->row_count; i++) {
		const enum diff_verdict verdict = same.diff->rows[i].verdict;

		assert_true(verdict == DIFF_SAME || verdict == DIFF_SHOWN);
	}
	assert_non_null(strstr(same.diff->notes.list[0], "both sides are the same runs"));
	scene_finish(&same);
}

/* The lock is cured, and what stood behind it shows: more of that, less in all. */
static void what_moved_from_one_cause_to_another_is_no_regression(void **state)
{
	struct scene scene = {0};
	struct diff_run_plan locked = healthy;
	struct diff_run_plan cured = healthy;

	(void)state;
	locked.lock_scale = 4;
	cured.phase_scale = 3;
	compare_two(&scene, &locked, &cured, DIFF_PASSED);
	assert_int_equal(find(&scene, TABLE_ALL, METRIC_CAUSE, CAUSE_LOCK)->verdict, DIFF_IMPROVED);
	for (int32_t device = TABLE_ALL; device < 2; device++) {
		assert_int_equal(
			find(&scene, device, METRIC_CAUSE, CAUSE_CPU_PHASE)->verdict, DIFF_MOVED);
	}
	scene_finish(&scene);
}

/* More of another cause than was saved on the lock: in all it is worse, and that is what counts. */
static void what_outweighs_a_cure_is_a_regression(void **state)
{
	struct scene scene = {0};
	struct diff_run_plan locked = healthy;
	struct diff_run_plan worse = healthy;

	(void)state;
	locked.lock_scale = 2;
	worse.phase_scale = 10;
	compare_two(&scene, &locked, &worse, DIFF_WORSE);
	assert_int_equal(scene.diff->rows[scene.diff->order[0]].figures->cause, CAUSE_CPU_PHASE);
	assert_int_equal(
		find(&scene, TABLE_ALL, METRIC_CAUSE, CAUSE_CPU_PHASE)->verdict, DIFF_REGRESSED);
	scene_finish(&scene);
}

/* Idle without work is nobody's fault: however much of it there is, nothing is worse. */
static void no_work_is_no_regression(void **state)
{
	struct scene scene = {0};

	(void)state;
	compare_two(&scene, &healthy, &healthy, DIFF_PASSED);
	assert_false(
		diff_row_is_gate(find(&scene, TABLE_ALL, METRIC_CAUSE, CAUSE_NO_WORK)->figures));
	assert_false(diff_row_is_gate(find(&scene, TABLE_ALL, METRIC_UTILISATION, 0)->figures));
	assert_false(diff_row_is_gate(find(&scene, TABLE_ALL, METRIC_THROUGHPUT, 0)->figures));
	assert_true(diff_row_is_gate(find(&scene, TABLE_ALL, METRIC_IDLE, 0)->figures));
	scene_finish(&scene);
}

static void five_runs_a_side_are_judged_by_runs_without_blocks(void **state)
{
	struct scene scene = {0};
	struct diff_run_plan base = healthy;
	struct diff_run_plan planted;

	(void)state;
	base.has_no_blocks = true;
	planted = base;
	planted.lock_scale = 2;
	for (uint64_t i = 0; i < 10; i++) {
		scene_add(&scene, i < 5 ? &base : &planted, 100 + i);
	}
	assert_int_equal(scene_compare(&scene, 5), STATUS_OK);
	assert_int_equal(scene.diff->outcome, DIFF_WORSE);
	assert_int_equal(scene.diff->table->mode, TABLE_RUNS);
	assert_int_equal(scene.diff->rows[scene.diff->order[0]].figures->cause, CAUSE_LOCK);
	scene_finish(&scene);
}

/* With 252 labellings one run that strays is enough to hide a change; six a side have 924. */
static void blocks_are_the_samples_until_there_are_plenty_of_runs(void **state)
{
	(void)state;
	for (uint32_t side = 5; side <= 6; side++) {
		struct scene scene = {.count = 0};

		for (uint32_t i = 0; i < 2 * side; i++) {
			scene_add(&scene, &healthy, 100 + i);
		}
		assert_int_equal(scene_compare(&scene, side), STATUS_OK);
		assert_int_equal(scene.diff->table->mode, side == 5 ? TABLE_BLOCKS : TABLE_RUNS);
		assert_int_equal(scene.diff->notes.count, side == 5);
		scene_finish(&scene);
	}
}

/* Of 220 draws, those that looked like a regression when all causes were taken to differ alike. */
static void a_cause_that_differs_more_from_run_to_run_is_judged_by_its_own_runs(void **state)
{
	static const uint64_t draws[] = {91, 100};
	const struct diff_run_plan plan = {.unit_count = 64,
		.memory = 0.3,
		.run_noise = 0.02,
		.phase_noise = 0.4,
		.lock_scale = 1};

	(void)state;
	for (size_t i = 0; i < sizeof(draws) / sizeof(draws[0]); i++) {
		struct scene scene = {.count = 0};

		for (uint32_t run = 0; run < 8; run++) {
			scene_add(&scene, &plan, 1 + draws[i] * 1000 + run);
		}
		assert_int_equal(scene_compare(&scene, 4), STATUS_OK);
		assert_int_equal(scene.diff->outcome, DIFF_PASSED);
		assert_int_equal(find(&scene, TABLE_ALL, METRIC_CAUSE, CAUSE_CPU_PHASE)->verdict,
			DIFF_NOISE);
		scene_finish(&scene);
	}
}

static void runs_that_differ_among_themselves_make_changes_less_sure(void **state)
{
	struct scene quiet = {0};
	struct scene noisy = {0};
	struct diff_run_plan plan = healthy;

	(void)state;
	for (uint64_t i = 0; i < 6; i++) {
		scene_add(&quiet, &plan, 100 + i);
	}
	plan.run_noise = 0.2;
	for (uint64_t i = 0; i < 6; i++) {
		scene_add(&noisy, &plan, 100 + i);
	}
	assert_int_equal(scene_compare(&quiet, 3), STATUS_OK);
	assert_int_equal(scene_compare(&noisy, 3), STATUS_OK);
	assert_true(noisy.diff->run_noise > 0.1);
	assert_true(quiet.diff->run_noise < noisy.diff->run_noise / 2);
	scene_finish(&quiet);
	scene_finish(&noisy);
}

static void what_cannot_be_compared_is_said_and_never_green(void **state)
{
	struct {
		struct diff_run_plan changed;
		const char *reason;
	} cases[] = {
		{healthy, "is 'H200' in run-0.json and 'L4' in run-1.json"},
		{healthy, "counts work by partition, run-1.json by kernel"},
		{healthy, "explains gaps of at least 1000000 ns, run-1.json of 10000 ns"},
		{healthy, "has 2 GPUs, run-1.json has 3"},
		{healthy, "is simulated and run-0.json is not"},
		{healthy, "run-1.json has no blocks"},
		{healthy, "run-1.json: too little work, 5 units in 5 blocks"},
	};

	(void)state;
	cases[0].changed.name = "L4";
	cases[1].changed.unit = "kernel";
	cases[2].changed.threshold_ns = 10000;
	cases[3].changed.device_count = 3;
	cases[4].changed.is_simulated = true;
	cases[5].changed.has_no_blocks = true;
	cases[6].changed.unit_count = 5;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct scene scene = {0};

		compare_two(&scene, &healthy, &cases[i].changed, DIFF_NOT_COMPARABLE);
		expect_reason(&scene, cases[i].reason);
		assert_int_equal(scene.diff->row_count, 0);
		scene_finish(&scene);
	}
}

static void an_untrusted_run_comes_before_all_else(void **state)
{
	struct scene scene = {0};
	struct diff_run_plan lossy = healthy;

	(void)state;
	lossy.is_untrusted = true;
	lossy.name = "L4";
	compare_two(&scene, &healthy, &lossy, DIFF_UNTRUSTED);
	expect_reason(&scene, "run-1.json is not to be trusted: events were lost");
	scene_finish(&scene);
}

static void a_newer_schema_is_not_comparable(void **state)
{
	const char *text = "{\"schema\": \"gaptrace.report/2\"}";
	struct scene scene = {0};

	(void)state;
	scene_add(&scene, &healthy, 1);
	assert_int_equal(
		run_parse("new.json", text, strlen(text), &scene.runs[scene.count++], NULL),
		STATUS_OK);
	assert_int_equal(scene_compare(&scene, 1), STATUS_OK);
	assert_int_equal(scene.diff->outcome, DIFF_NOT_COMPARABLE);
	expect_reason(
		&scene, "new.json is gaptrace.report/2; this program reads gaptrace.report/1");
	scene_finish(&scene);
}

static void a_run_given_twice_is_refused(void **state)
{
	struct scene repeats = {0};
	struct scene shared = {0};

	(void)state;
	scene_add(&repeats, &healthy, 1);
	scene_add(&repeats, &healthy, 2);
	scene_add(&repeats, &healthy, 2);
	assert_int_equal(scene_compare(&repeats, 1), STATUS_BAD_USE);
	assert_non_null(strstr(repeats.diag.line, "run-1.json and run-2.json are one run"));
	scene_finish(&repeats);
	scene_add(&shared, &healthy, 1);
	scene_add(&shared, &healthy, 2);
	scene_add(&shared, &healthy, 2);
	scene_add(&shared, &healthy, 3);
	assert_int_equal(scene_compare(&shared, 2), STATUS_BAD_USE);
	assert_non_null(strstr(shared.diag.line, "on both sides"));
	scene_finish(&shared);
}

static void one_gpu_has_no_rows_for_all(void **state)
{
	struct scene scene = {0};
	struct diff_run_plan one = healthy;

	(void)state;
	one.device_count = 1;
	compare_two(&scene, &one, &one, DIFF_PASSED);
	for (uint32_t i = 0; i < scene.diff->row_count; i++) {
		const struct table_row *figures = scene.diff->rows[i].figures;

		assert_true(figures->device == 0 || figures->metric == METRIC_TIME ||
			    figures->metric == METRIC_THROUGHPUT);
	}
	scene_finish(&scene);
}

/* Foreign traces may name no GPU, or several alike: then each stands where its rank is. */
static void gpus_without_uuids_are_held_against_their_own_rank(void **state)
{
	struct scene scene = {.count = 0};

	(void)state;
	for (uint32_t seed = 1; seed <= 2; seed++) {
		const struct diff_run_plan plan = {
			.seed = seed, .unit_count = 200, .lock_scale = seed == 1 ? 1 : 3};

		scene_add(&scene, &plan, seed);
		for (uint32_t d = 0; d < scene.runs[seed - 1]->device_count; d++) {
			scene.runs[seed - 1]->devices[d].uuid = "";
		}
		assert_int_equal(run_device_at(scene.runs[seed - 1], scene.runs[0], 0), 0);
		assert_int_equal(run_device_at(scene.runs[seed - 1], scene.runs[0], 1), 1);
	}
	assert_int_equal(scene_compare(&scene, 1), STATUS_OK);
	assert_int_equal(find(&scene, 1, METRIC_CAUSE, CAUSE_LOCK)->verdict, DIFF_REGRESSED);
	assert_true(find(&scene, 0, METRIC_BUSY, CAUSE_LOCK)->figures->base_value !=
		    find(&scene, 1, METRIC_BUSY, CAUSE_LOCK)->figures->base_value);
	scene_finish(&scene);
}

/* 252 labellings cannot give a p under 0.1 %: the blocks can, and without them nothing is green. */
static void a_lower_rate_of_false_alarms_wants_more_runs(void **state)
{
	struct diff_settings strict = diff_settings_default;

	(void)state;
	strict.false_alarms = 0.001;
	for (int has_no_blocks = 0; has_no_blocks <= 1; has_no_blocks++) {
		struct scene scene = {.count = 0};
		struct diff_request request = {
			.run_count = 10, .base_count = 5, .settings = &strict};

		for (uint32_t i = 0; i < request.run_count; i++) {
			const struct diff_run_plan plan = {.unit_count = 60,
				.lock_scale = i < request.base_count ? 1 : 8,
				.has_no_blocks = has_no_blocks};

			scene_add(&scene, &plan, 100 + i);
		}
		request.runs = (const struct run *const *)scene.runs;
		assert_int_equal(diff_create(&request, &scene.diff, &scene.diag), STATUS_OK);
		assert_int_equal(
			scene.diff->outcome, has_no_blocks ? DIFF_NOT_COMPARABLE : DIFF_WORSE);
		if (has_no_blocks) {
			expect_reason(&scene, "at least 7 runs a side");
		}
		scene_finish(&scene);
	}
	assert_int_equal(statistics_runs_for(statistics_labellings_wanted(0.01)), 5);
}

static void a_gpu_that_fell_out_is_noted(void **state)
{
	struct scene scene = {.count = 0};

	(void)state;
	scene_add(&scene, &healthy, 1);
	scene_add(&scene, &healthy, 2);
	scene.runs[1]->devices[1].kernel_count = 0;
	assert_int_equal(scene_compare(&scene, 1), STATUS_OK);
	assert_true(scene.diff->notes.count > 0);
	assert_non_null(strstr(scene.diff->notes.list[0], "run-1.json: gpu 1 ran no kernel"));
	scene_finish(&scene);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_planted_lock_is_a_regression_and_named),
		cmocka_unit_test(what_got_better_is_called_better),
		cmocka_unit_test(equals_pass_and_so_does_a_run_against_itself),
		cmocka_unit_test(what_moved_from_one_cause_to_another_is_no_regression),
		cmocka_unit_test(what_outweighs_a_cure_is_a_regression),
		cmocka_unit_test(no_work_is_no_regression),
		cmocka_unit_test(five_runs_a_side_are_judged_by_runs_without_blocks),
		cmocka_unit_test(blocks_are_the_samples_until_there_are_plenty_of_runs),
		cmocka_unit_test(
			a_cause_that_differs_more_from_run_to_run_is_judged_by_its_own_runs),
		cmocka_unit_test(runs_that_differ_among_themselves_make_changes_less_sure),
		cmocka_unit_test(what_cannot_be_compared_is_said_and_never_green),
		cmocka_unit_test(an_untrusted_run_comes_before_all_else),
		cmocka_unit_test(a_newer_schema_is_not_comparable),
		cmocka_unit_test(a_run_given_twice_is_refused),
		cmocka_unit_test(one_gpu_has_no_rows_for_all),
		cmocka_unit_test(a_lower_rate_of_false_alarms_wants_more_runs),
		cmocka_unit_test(a_gpu_that_fell_out_is_noted),
		cmocka_unit_test(gpus_without_uuids_are_held_against_their_own_rank),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
