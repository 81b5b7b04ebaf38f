/* SPDX-License-Identifier: MIT */
/* The permutation test gives the p that can be counted by hand, and holds its level over all rows.
 */
#include "analysis/diff/statistics.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define SAMPLES 20
#define ROWS    10

static uint64_t random_state;

static double uniform(void)
{
	uint64_t value = (random_state += 0x9e3779b97f4a7c15ULL);

	value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
	value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
	return (double)((value ^ (value >> 31)) >> 11) / 9007199254740992.0;
}

/* Base and new, half each, one stratum. */
static struct statistics_design halves(bool *is_new, uint8_t *stratum, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		is_new[i] = i >= count / 2;
		stratum[i] = 1;
	}
	return (struct statistics_design){
		.sample_count = count, .is_new = is_new, .stratum = stratum};
}

/* Four against four: of 70 labellings one is as extreme as complete separation. */
static void complete_separation_has_the_p_of_one_labelling(void **state)
{
	const double values[] = {1, 2, 3, 4, 11, 12, 13, 14};
	struct statistics_row row = {.values = values, .inflation = 1};
	bool is_new[8];
	uint8_t stratum[8];
	const struct statistics_design design = halves(is_new, stratum, 8);

	(void)state;
	assert_int_equal(statistics_test(&design, &row, 1), STATUS_OK);
	assert_true(fabs(row.p_rise - 1.0 / 70) < 0.005);
	assert_true(row.p_fall > 0.99);
}

/* Within strata: 2 x 2 x 6 labellings, of which one is as extreme. */
static void strata_are_exchanged_among_themselves_only(void **state)
{
	const double values[] = {100, 1, 2, 50, 200, 11, 12, 90};
	const uint8_t stratum[] = {0, 1, 1, 2, 0, 1, 1, 2};
	const bool is_new[] = {false, false, false, false, true, true, true, true};
	const struct statistics_design design = {
		.sample_count = 8, .is_new = is_new, .stratum = stratum};
	struct statistics_row row = {.values = values, .inflation = 1};

	(void)state;
	assert_int_equal(statistics_test(&design, &row, 1), STATUS_OK);
	assert_true(fabs(row.p_rise - 1.0 / 24) < 0.01);
}

static void what_never_varies_is_no_change(void **state)
{
	const double values[] = {5, 5, 5, 5, 5, 5, 5, 5};
	struct statistics_row row = {.values = values, .inflation = 1};
	bool is_new[8];
	uint8_t stratum[8];
	const struct statistics_design design = halves(is_new, stratum, 8);

	(void)state;
	assert_int_equal(statistics_test(&design, &row, 1), STATUS_OK);
	assert_true(row.p_rise == 1 && row.p_fall == 1);
}

/* 0.1 twelve times, over twelve, is not 0.1 to the last bit: that is no change of any row. */
static void rounding_of_what_never_varies_hides_nothing(void **state)
{
	const double risen[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
	const double fallen[] = {12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1};
	const double constants[] = {0.1, 0.7, 1.1, 1e9 / 3, 39.92e6 / 7};
	double same[12];
	bool is_new[12];
	uint8_t stratum[12];
	const struct statistics_design design = halves(is_new, stratum, 12);

	(void)state;
	for (size_t c = 0; c < sizeof(constants) / sizeof(constants[0]); c++) {
		struct statistics_row rows[] = {
			{.values = risen, .inflation = 1},
			{.values = same, .inflation = 1},
			{.values = fallen, .inflation = 1},
		};

		for (int i = 0; i < 12; i++) {
			same[i] = constants[c];
		}
		assert_int_equal(statistics_test(&design, rows, 3), STATUS_OK);
		/* Complete separation, of one row or the other: 2 of 924 labellings. */
		assert_true(rows[0].p_rise < 0.01 && rows[2].p_fall < 0.01);
		assert_true(rows[1].p_rise == 1 && rows[1].p_fall == 1);
	}
}

static void dependence_makes_a_change_less_sure(void **state)
{
	double values[SAMPLES];
	bool is_new[SAMPLES];
	uint8_t stratum[SAMPLES];
	const struct statistics_design design = halves(is_new, stratum, SAMPLES);
	struct statistics_row plain = {.values = values, .inflation = 1};
	struct statistics_row inflated = {.values = values, .inflation = 4};

	(void)state;
	random_state = 7;
	for (uint32_t i = 0; i < SAMPLES; i++) {
		values[i] = uniform() + (is_new[i] ? 0.4 : 0);
	}
	assert_int_equal(statistics_test(&design, &plain, 1), STATUS_OK);
	assert_int_equal(statistics_test(&design, &inflated, 1), STATUS_OK);
	assert_true(plain.p_rise < inflated.p_rise);
}

/* Ten rows of nothing but noise: any of them under 0.05 in about one test of twenty, not in eight.
 */
static void the_level_holds_over_all_rows_together(void **state)
{
	static double values[ROWS][SAMPLES];
	struct statistics_row rows[ROWS];
	bool is_new[SAMPLES];
	uint8_t stratum[SAMPLES];
	const struct statistics_design design = halves(is_new, stratum, SAMPLES);
	uint32_t alarms = 0;

	(void)state;
	random_state = 1;
	for (uint32_t test = 0; test < 200; test++) {
		bool is_alarm = false;

		for (uint32_t r = 0; r < ROWS; r++) {
			for (uint32_t i = 0; i < SAMPLES; i++) {
				/* Skewed, and of another shape in every row. */
				values[r][i] = pow(uniform(), 1 + r);
			}
			rows[r] = (struct statistics_row){.values = values[r], .inflation = 1};
		}
		assert_int_equal(statistics_test(&design, rows, ROWS), STATUS_OK);
		for (uint32_t r = 0; r < ROWS; r++) {
			is_alarm |= rows[r].p_rise <= 0.05;
		}
		alarms += is_alarm;
	}
	assert_in_range(alarms, 2, 20);
}

static void a_true_change_among_noise_is_the_one_found(void **state)
{
	static double values[ROWS][SAMPLES];
	struct statistics_row rows[ROWS];
	bool is_new[SAMPLES];
	uint8_t stratum[SAMPLES];
	const struct statistics_design design = halves(is_new, stratum, SAMPLES);

	(void)state;
	random_state = 3;
	for (uint32_t r = 0; r < ROWS; r++) {
		for (uint32_t i = 0; i < SAMPLES; i++) {
			values[r][i] = uniform() + (r == 4 && is_new[i] ? 1 : 0) -
				       (r == 6 && is_new[i] ? 1 : 0);
		}
		rows[r] = (struct statistics_row){.values = values[r], .inflation = 1};
	}
	assert_int_equal(statistics_test(&design, rows, ROWS), STATUS_OK);
	for (uint32_t r = 0; r < ROWS; r++) {
		assert_int_equal(rows[r].p_rise <= 0.01, r == 4);
		assert_int_equal(rows[r].p_fall <= 0.01, r == 6);
	}
}

static void labellings_are_counted(void **state)
{
	(void)state;
	assert_true(statistics_labellings(1, 1) == 2);
	assert_true(statistics_labellings(4, 4) == 70);
	assert_true(fabs(statistics_labellings(5, 5) - 252) < 1e-6);
	assert_true(statistics_labellings(200, 200) > 1e100);
}

/* Each value keeps 0.6 of the one before: memory 4, and groups of 8 still correlate. */
static void memory_of_a_series_is_found(void **state)
{
	struct statistics_memory with = {0};
	struct statistics_memory without = {0};
	double series[2000];
	double before = 0;

	(void)state;
	random_state = 11;
	for (uint32_t i = 0; i < 2000; i++) {
		series[i] = uniform() - 0.5;
	}
	statistics_memory_add(&without, series, 2000);
	for (uint32_t i = 0; i < 2000; i++) {
		before = 0.6 * before + series[i];
		series[i] = before;
	}
	statistics_memory_add(&with, series, 2000);
	assert_true(statistics_memory_inflation(&without, 1) == 1);
	/* (1 + 0.6) / (1 - 0.6) */
	assert_true(fabs(statistics_memory_inflation(&with, 1) - 4) < 0.8);
	assert_true(fabs(statistics_memory_inflation(&with, 8) - 1.36) < 0.2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(complete_separation_has_the_p_of_one_labelling),
		cmocka_unit_test(strata_are_exchanged_among_themselves_only),
		cmocka_unit_test(what_never_varies_is_no_change),
		cmocka_unit_test(rounding_of_what_never_varies_hides_nothing),
		cmocka_unit_test(dependence_makes_a_change_less_sure),
		cmocka_unit_test(the_level_holds_over_all_rows_together),
		cmocka_unit_test(a_true_change_among_noise_is_the_one_found),
		cmocka_unit_test(labellings_are_counted),
		cmocka_unit_test(memory_of_a_series_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
