/* SPDX-License-Identifier: MIT */
/* Among equals hardly any comparison sees a regression; a planted one is found, and named. */
#include "analysis/diff/diff.h"
#include "tests/unit/diff_runs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SIDE_MAX 8

/* What a series of comparisons came to. */
struct rates {
	uint32_t worse;
	uint32_t named; /* worse, and the lock is named first */
	uint32_t better;
};

struct series {
	uint32_t comparisons;
	uint32_t base_count;
	uint32_t new_count;
	uint32_t units;
	double memory;
	double run_noise;
	double base_lock;
	double new_lock;
	double phase_noise;
};

static bool has_verdict(const struct diff *diff, enum diff_verdict verdict)
{
	for (uint32_t i = 0; i < diff->row_count; i++) {
		if (diff->rows[i].verdict == verdict) {
			return true;
		}
	}
	return false;
}

/* The first row that is worse, as people read them. */
static bool names_lock(const struct diff *diff)
{
	for (uint32_t i = 0; i < diff->row_count; i++) {
		const struct diff_row *row = &diff->rows[diff->order[i]];

		if (row->verdict == DIFF_REGRESSED) {
			return row->figures->metric == METRIC_CAUSE &&
			       row->figures->cause == CAUSE_LOCK &&
			       strcmp(row->figures->object, "tracker") == 0;
		}
	}
	return false;
}

static void compare(const struct series *series, uint32_t number, struct rates *rates)
{
	AUTO(diff_destroy) struct diff *diff = NULL;
	const uint32_t count = series->base_count + series->new_count;
	struct run *runs[2 * SIDE_MAX];
	struct diag diag = {""};
	const struct diff_request request = {.runs = (const struct run *const *)runs,
		.run_count = count,
		.base_count = series->base_count,
		.settings = &diff_settings_default};

	for (uint32_t i = 0; i < count; i++) {
		const struct diff_run_plan plan = {.seed = 1 + number * 1000 + i,
			.unit_count = series->units,
			.memory = series->memory,
			.run_noise = series->run_noise,
			.phase_noise = series->phase_noise,
			.lock_scale =
				i < series->base_count ? series->base_lock : series->new_lock};

		runs[i] = diff_run_make(&plan, i < series->base_count ? "base" : "new");
	}
	assert_int_equal(diff_create(&request, &diff, &diag), STATUS_OK);
	assert_true(diff->outcome == DIFF_PASSED || diff->outcome == DIFF_WORSE);
	rates->worse += diff->outcome == DIFF_WORSE;
	rates->named += diff->outcome == DIFF_WORSE && names_lock(diff);
	rates->better += has_verdict(diff, DIFF_IMPROVED);
	for (uint32_t i = 0; i < count; i++) {
		run_destroy(runs[i]);
	}
}

static struct rates measure(const struct series *series)
{
	struct rates rates = {0};

	for (uint32_t i = 0; i < series->comparisons; i++) {
		compare(series, i, &rates);
	}
	print_message(
		"%u v %u runs of %u units, memory %.1f, run noise %.2f, lock %.2f -> %.2f: of "
		"%u worse %u, named %u, better %u\n",
		series->base_count, series->new_count, series->units, series->memory,
		series->run_noise, series->base_lock, series->new_lock, series->comparisons,
		rates.worse, rates.named, rates.better);
	return rates;
}

/* Runs with noise that has a memory, and bursts; the family of all figures, causes and GPUs. */
static void equals_are_hardly_ever_called_worse(void **state)
{
	static const struct series one_a_side = {.comparisons = 30,
		.base_count = 1,
		.new_count = 1,
		.units = 100,
		.memory = 0.3,
		.base_lock = 1,
		.new_lock = 1};
	static const struct series three_a_side = {.comparisons = 8,
		.base_count = 3,
		.new_count = 3,
		.units = 64,
		.memory = 0.3,
		.run_noise = 0.04,
		.base_lock = 1,
		.new_lock = 1};
	static const struct series five_a_side = {.comparisons = 8,
		.base_count = 5,
		.new_count = 5,
		.units = 32,
		.memory = 0.3,
		.run_noise = 0.1,
		.base_lock = 1,
		.new_lock = 1};

	(void)state;
	assert_true(measure(&one_a_side).worse <= 1);
	assert_true(measure(&three_a_side).worse <= 1);
	assert_true(measure(&five_a_side).worse <= 1);
}

static void a_planted_cause_is_found_and_named(void **state)
{
	static const struct series doubled = {.comparisons = 12,
		.base_count = 1,
		.new_count = 1,
		.units = 100,
		.memory = 0.3,
		.base_lock = 1,
		.new_lock = 2};
	static const struct series quarter_more = {.comparisons = 8,
		.base_count = 6,
		.new_count = 6,
		.units = 300,
		.memory = 0.3,
		.run_noise = 0.02,
		.base_lock = 1,
		.new_lock = 1.25};
	struct rates rates;

	(void)state;
	rates = measure(&doubled);
	assert_true(rates.worse >= 11 && rates.named >= 11);
	rates = measure(&quarter_more);
	assert_true(rates.worse >= 7 && rates.named >= 7);
}

static void a_cure_is_called_better_and_never_worse(void **state)
{
	static const struct series cured = {.comparisons = 12,
		.base_count = 1,
		.new_count = 1,
		.units = 100,
		.memory = 0.3,
		.base_lock = 2,
		.new_lock = 1};
	const struct rates rates = measure(&cured);

	(void)state;
	assert_true(rates.better >= 11);
	assert_true(rates.worse <= 1);
}

/* GAPTRACE_DIFF_RATES=1 prints the table of docs/regression.md, in some minutes. */
static void the_table_of_the_manual(void **state)
{
	static const struct series table[] = {
		{200, 1, 1, 64, 0, 0, 1, 1, 0},
		{200, 1, 1, 64, 0.6, 0, 1, 1, 0},
		{200, 1, 1, 500, 0.3, 0.03, 1, 1, 0},
		{200, 1, 1, 500, 0.3, 0.05, 1, 1, 0},
		{200, 3, 3, 64, 0.3, 0.05, 1, 1, 0},
		{600, 5, 5, 32, 0.3, 0.1, 1, 1, 0},
		{200, 2, 2, 100, 0.3, 0.02, 1, 1, 0.2},
		{200, 3, 3, 100, 0.3, 0.02, 1, 1, 0.2},
		{200, 4, 4, 100, 0.3, 0.02, 1, 1, 0.2},
		{200, 5, 5, 100, 0.3, 0.02, 1, 1, 0.2},
		{200, 6, 6, 100, 0.3, 0.02, 1, 1, 0.2},
		{100, 1, 1, 64, 0.3, 0, 1, 1.25, 0},
		{100, 1, 1, 1000, 0.3, 0, 1, 1.25, 0},
		{100, 1, 1, 2000, 0.3, 0, 1, 1.25, 0},
		{100, 1, 1, 2000, 0.3, 0, 1, 1.1, 0},
		{100, 1, 1, 64, 0.3, 0, 1, 2, 0},
		{50, 3, 3, 300, 0.3, 0.02, 1, 1.25, 0},
		{50, 5, 5, 200, 0.3, 0.02, 1, 1.25, 0},
		{50, 8, 8, 200, 0.3, 0.05, 1, 1.25, 0},
	};

	(void)state;
	if (!getenv("GAPTRACE_DIFF_RATES")) {
		skip();
	}
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		(void)measure(&table[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equals_are_hardly_ever_called_worse),
		cmocka_unit_test(a_planted_cause_is_found_and_named),
		cmocka_unit_test(a_cure_is_called_better_and_never_worse),
		cmocka_unit_test(the_table_of_the_manual),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
