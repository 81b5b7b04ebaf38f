/* SPDX-License-Identifier: MIT */
/*
 * Services simulated with noise: between equals nothing is called worse, each planted cause is
 * found and named when there is twice as much of it, and its cure is called better. The seeds are
 * fixed; rates, and smaller regressions, are measured by bench/regression.sh.
 */
#include "tests/simulator/regression.h"
#include "tests/simulator/service_report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A doubled cause is found in runs of this many units of work. */
#define UNITS 400

static void expect_no_alarm(struct service_plan plan, struct weather_plan weather, uint32_t runs,
	uint32_t units, uint32_t comparisons)
{
	const struct regression_series series = {.base = regression_sized(plan, units),
		.changed = regression_sized(plan, units),
		.weather = weather,
		.base_count = runs,
		.new_count = runs,
		.comparisons = comparisons,
		.seed = 1};
	const struct regression_rates rates = regression_measure(&series);

	assert_int_equal(rates.comparisons, comparisons);
	assert_int_equal(rates.refused, 0);
	assert_int_equal(rates.worse, 0);
}

static void equals_raise_no_alarm(void **state)
{
	const struct planted *trims = planted_find("trim_tracker");
	const struct planted *pool = planted_find("blocking_pool_full");
	struct service_plan quiet = service_healthy();

	(void)state;
	quiet.arrival_us = 1400000;
	expect_no_alarm(service_healthy(), regression_weather_rough(), 1, 200, 12);
	expect_no_alarm(quiet, regression_weather_calm(), 1, 200, 8);
	expect_no_alarm(planted_plan(trims, trims->level), regression_weather_calm(), 1, 200, 8);
	expect_no_alarm(planted_plan(trims, trims->level), regression_weather_calm(), 5, 40, 6);
	expect_no_alarm(planted_plan(pool, pool->level), regression_weather_rough(), 3, 80, 6);
}

static struct regression_series doubled(const struct planted *planted)
{
	return (struct regression_series){
		.base = regression_sized(planted_plan(planted, planted->level), UNITS),
		.changed = regression_sized(planted_plan(planted, planted->more[2]), UNITS),
		.weather = regression_weather_calm(),
		.base_count = 1,
		.new_count = 1,
		.comparisons = 1,
		.seed = 2,
		.planted = planted};
}

static void a_doubled_cause_is_found_and_named(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < planted_count(); i++) {
		const struct regression_series series = doubled(planted_at(i));
		const struct regression_rates rates = regression_measure(&series);

		if (rates.worse_named != 1) {
			fail_msg("%s, %.1f -> %.1f ms: worse %u, named %u", planted_at(i)->name,
				rates.base_ns / 1e6, rates.new_ns / 1e6, rates.worse,
				rates.worse_named);
		}
	}
}

static void a_cure_is_called_better_and_nothing_worse(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < planted_count(); i++) {
		struct regression_series series = doubled(planted_at(i));
		const struct service_plan base = series.base;
		struct regression_rates rates;

		series.base = series.changed;
		series.changed = base;
		series.seed = 3;
		rates = regression_measure(&series);
		if (rates.better_named != 1) {
			fail_msg("%s, %.1f -> %.1f ms: better %u, named %u, worse %u",
				planted_at(i)->name, rates.base_ns / 1e6, rates.new_ns / 1e6,
				rates.better, rates.better_named, rates.worse);
		}
	}
}

static void the_same_seed_gives_the_same_run(void **state)
{
	const struct service_plan plan = regression_sized(service_healthy(), 40);
	struct weather_plan weather = regression_weather_calm();
	size_t length;
	size_t again_length;
	size_t other_length;
	char *report;
	char *again;
	char *other;

	(void)state;
	weather.seed = 7;
	report = service_report(&plan, &weather, 7, &length);
	again = service_report(&plan, &weather, 7, &again_length);
	weather.seed = 8;
	other = service_report(&plan, &weather, 8, &other_length);
	assert_string_equal(report, again);
	assert_string_not_equal(report, other);
	free(report);
	free(again);
	free(other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equals_raise_no_alarm),
		cmocka_unit_test(a_doubled_cause_is_found_and_named),
		cmocka_unit_test(a_cure_is_called_better_and_nothing_worse),
		cmocka_unit_test(the_same_seed_gives_the_same_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
