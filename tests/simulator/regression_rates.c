/* SPDX-License-Identifier: MIT */
/*
 * Prints how often gaptrace diff is right about simulated services, with bounds of 95 %
 * confidence. bench/regression.sh runs it:
 *   regression_rates equal [COMPARISONS]            false alarms
 *   regression_rates planted [COMPARISONS [CAUSE]]  regressions and improvements of each cause
 *   regression_rates lengths [COMPARISONS [CAUSE]]  a quarter more, found at which length of run
 *   regression_rates calibrate [CAUSE]              the levels that planted.c has
 * It ends with 1 when a target of docs/regression.md is missed.
 */
#include "tests/simulator/regression.h"
#include "tests/simulator/service_report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FALSE_ALARMS_MAX 0.01
#define POWER_MIN        0.95

struct shape {
	uint32_t runs; /* a side */
	uint32_t units;
};

/* False alarms must be rare however little there is to compare. */
#define EQUAL_SHAPE_COUNT 4
static const struct shape equal_shapes[EQUAL_SHAPE_COUNT] = {
	{1, 200}, {1, 2000}, {3, 300}, {6, 200}};

/* What docs/regression.md says is needed to find a quarter more. */
#define PLANTED_SHAPE_COUNT 2
static const struct shape planted_shapes[PLANTED_SHAPE_COUNT] = {{1, 2000}, {6, 400}};

/* Whether at most `hits` of `count` are less likely than 2.5 % at the rate. */
static bool is_too_high(double rate, uint32_t hits, uint32_t count)
{
	double sum = 0;

	for (uint32_t i = 0; i <= hits; i++) {
		sum += exp(lgamma(count + 1.0) - lgamma(i + 1.0) - lgamma(count - i + 1.0) +
			   i * log(rate) + (count - i) * log1p(-rate));
	}
	return sum < 0.025;
}

/* The upper bound of Clopper and Pearson. */
static double upper_bound(uint32_t hits, uint32_t count)
{
	double low = 0;
	double high = 1;

	for (int i = 0; i < 40 && hits < count; i++) {
		const double middle = (low + high) / 2;

		*(is_too_high(middle, hits, count) ? &high : &low) = middle;
	}
	return high;
}

static void print_rate(uint32_t hits, uint32_t count)
{
	printf(" %4u of %4u = %5.1f %% (%5.1f .. %5.1f)", hits, count, 100.0 * hits / count,
		100 - 100 * upper_bound(count - hits, count), 100 * upper_bound(hits, count));
}

/* ---- Equals ---- */

struct equal {
	const char *name;
	const char *planted; /* NULL: the healthy service */
	uint32_t arrival_us; /* 0: more than can be served */
	bool is_rough;
};

static const struct equal equals[] = {
	{"healthy, busy", NULL, 0, false},
	{"healthy, at four fifths of its capacity", NULL, 1400000, false},
	{"healthy, rough host", NULL, 0, true},
	{"trims under the tracker", "trim_tracker", 0, false},
	{"short of synthesis", "one_synthesis", 0, false},
	{"full pool", "blocking_pool_full", 0, true},
	{"unequal GPUs", "all_on_device_0", 0, false},
	{"starved", "cpu_starved", 0, true},
};

#define EQUAL_COUNT (sizeof(equals) / sizeof(equals[0]))

static struct regression_series equal_series(const struct equal *equal, const struct shape *shape)
{
	const struct planted *planted = equal->planted ? planted_find(equal->planted) : NULL;
	struct regression_series series = {
		.base = planted ? planted_plan(planted, planted->level) : service_healthy(),
		.weather = equal->is_rough ? regression_weather_rough() : regression_weather_calm(),
		.base_count = shape->runs,
		.new_count = shape->runs,
		.seed = 1000 + (uint32_t)(equal - equals) * 10 + (uint32_t)(shape - equal_shapes)};

	if (equal->arrival_us > 0) {
		series.base.arrival_us = equal->arrival_us;
	}
	series.base = regression_sized(series.base, shape->units);
	series.changed = series.base;
	return series;
}

static bool measure_equals(uint32_t comparisons)
{
	uint32_t worse = 0;
	uint32_t count = 0;
	bool is_complete = true;

	printf("equals called a regression\n");
	for (size_t i = 0; i < EQUAL_COUNT * EQUAL_SHAPE_COUNT; i++) {
		const struct equal *equal = &equals[i / EQUAL_SHAPE_COUNT];
		const struct shape *shape = &equal_shapes[i % EQUAL_SHAPE_COUNT];
		struct regression_series series = equal_series(equal, shape);
		struct regression_rates rates;

		series.comparisons = comparisons;
		rates = regression_measure(&series);
		printf("  %-40s %u v %u of %4u units:", equal->name, shape->runs, shape->runs,
			shape->units);
		print_rate(rates.worse, rates.comparisons);
		printf(", better %u, refused %u\n", rates.better, rates.refused);
		(void)fflush(stdout);
		worse += rates.worse;
		count += rates.comparisons;
		is_complete = is_complete && rates.refused == 0;
	}
	printf("  in all:");
	print_rate(worse, count);
	printf("\n");
	return is_complete && worse <= FALSE_ALARMS_MAX * count;
}

/* ---- Planted causes ---- */

static bool is_wanted(const struct planted *planted, const char *only)
{
	return !only || strcmp(only, planted->name) == 0;
}

static struct regression_series planted_series(
	const struct planted *planted, uint32_t level, const struct shape *shape)
{
	return (struct regression_series){
		.base = regression_sized(planted_plan(planted, planted->level), shape->units),
		.changed = regression_sized(planted_plan(planted, level), shape->units),
		.weather = regression_weather_calm(),
		.base_count = shape->runs,
		.new_count = shape->runs,
		.seed = 2000 + level % 1000,
		.planted = planted};
}

/* The reverse: what was planted is cured. */
static struct regression_series cure_series(
	const struct planted *planted, uint32_t level, const struct shape *shape)
{
	struct regression_series series = planted_series(planted, level, shape);
	const struct service_plan base = series.base;

	series.base = series.changed;
	series.changed = base;
	series.seed += 1000;
	return series;
}

static void print_planted(const char *what, const struct planted *planted, uint32_t more,
	const struct shape *shape, const struct regression_rates *rates)
{
	printf("  %-19s %s %3u %%, %u v %u of %4u units, %5.1f -> %5.1f ms:", planted->name, what,
		more, shape->runs, shape->runs, shape->units, rates->base_ns / 1e6,
		rates->new_ns / 1e6);
}

struct tally {
	uint32_t hits[PLANTED_MORE_COUNT];
	uint32_t named[PLANTED_MORE_COUNT];
	uint32_t counts[PLANTED_MORE_COUNT];
	uint32_t opposites[PLANTED_MORE_COUNT]; /* a regression called better, or a cure worse */
};

static void measure_one(const struct planted *planted, uint32_t index, const struct shape *shape,
	uint32_t comparisons, struct tally tallies[2])
{
	for (int is_cure = 0; is_cure < 2; is_cure++) {
		struct regression_series series =
			is_cure ? cure_series(planted, planted->more[index], shape)
				: planted_series(planted, planted->more[index], shape);
		struct regression_rates rates;
		uint32_t named;

		series.comparisons = comparisons;
		rates = regression_measure(&series);
		named = is_cure ? rates.better_named : rates.worse_named;
		print_planted(is_cure ? "cured of" : "with    ", planted, planted_more[index],
			shape, &rates);
		print_rate(is_cure ? rates.better : rates.worse, rates.comparisons);
		printf(", named %u, the opposite %u\n", named,
			is_cure ? rates.worse : rates.better);
		(void)fflush(stdout);
		tallies[is_cure].hits[index] += is_cure ? rates.better : rates.worse;
		tallies[is_cure].named[index] += named;
		tallies[is_cure].counts[index] += rates.comparisons;
		tallies[is_cure].opposites[index] += is_cure ? rates.worse : rates.better;
	}
}

static void measure_cause(
	const struct planted *planted, uint32_t comparisons, struct tally tallies[2])
{
	for (uint32_t more = 0; more < PLANTED_MORE_COUNT; more++) {
		for (uint32_t i = 0; i < PLANTED_SHAPE_COUNT; i++) {
			measure_one(planted, more, &planted_shapes[i], comparisons, tallies);
		}
	}
}

static bool measure_planted(uint32_t comparisons, const char *only)
{
	struct tally tallies[2] = {0};
	bool is_enough = true;

	printf("planted causes found, and named first\n");
	for (uint32_t i = 0; i < planted_count(); i++) {
		if (is_wanted(planted_at(i), only)) {
			measure_cause(planted_at(i), comparisons, tallies);
		}
	}
	for (uint32_t i = 0; i < PLANTED_MORE_COUNT * 2; i++) {
		const struct tally *tally = &tallies[i / PLANTED_MORE_COUNT];
		const uint32_t index = i % PLANTED_MORE_COUNT;
		const bool is_target = planted_more[index] >= 25;

		printf("  all %s %3u %%:", i < PLANTED_MORE_COUNT ? "with    " : "cured of",
			planted_more[index]);
		print_rate(tally->hits[index], tally->counts[index]);
		printf("; named");
		print_rate(tally->named[index], tally->counts[index]);
		printf("; the opposite %u\n", tally->opposites[index]);
		is_enough = is_enough && tally->opposites[index] == 0 &&
			    (!is_target || tally->named[index] >= POWER_MIN * tally->counts[index]);
	}
	return is_enough;
}

/* ---- How long runs must be ---- */

static void measure_length(const struct shape *length, uint32_t comparisons, const char *only)
{
	uint32_t named = 0;
	uint32_t count = 0;

	for (uint32_t i = 0; i < planted_count(); i++) {
		struct regression_series series =
			planted_series(planted_at(i), planted_at(i)->more[1], length);

		if (is_wanted(planted_at(i), only)) {
			series.comparisons = comparisons;
			count += comparisons;
			named += regression_measure(&series).worse_named;
		}
	}
	printf("  %2u v %2u of %4u units:", length->runs, length->runs, length->units);
	print_rate(named, count);
	printf("\n");
	(void)fflush(stdout);
}

static void measure_lengths(uint32_t comparisons, const char *only)
{
	static const struct shape lengths[] = {{1, 1000}, {1, 2000}, {1, 4000}, {3, 300}, {3, 600},
		{5, 200}, {5, 400}, {6, 200}, {6, 400}, {8, 200}, {8, 400}, {10, 200}};

	printf("a quarter more of each cause, found and named\n");
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		measure_length(&lengths[i], comparisons, only);
	}
}

/* ---- The levels of planted.c ---- */

static double idle_at(const struct planted *planted, uint32_t level)
{
	const struct service_plan plan = regression_sized(planted_plan(planted, level), 500);
	double sum = 0;

	for (uint64_t seed = 1; seed <= 2; seed++) {
		struct weather_plan weather = regression_weather_calm();
		struct run *run;

		weather.seed = 900000 + seed;
		weather.run_noise = 0;
		weather.drift = 0;
		run = service_report_run(&plan, &weather, weather.seed, "calibration");
		sum += regression_idle_ns(run, planted) / 2;
		run_destroy(run);
	}
	return sum;
}

static uint32_t find_level(
	const struct planted *planted, double idle_ns, uint32_t low, uint32_t high)
{
	while (high - low > high / 400 + 1) {
		const uint32_t middle = low + (high - low) / 2;

		*(idle_at(planted, middle) < idle_ns ? &low : &high) = middle;
	}
	return high;
}

static void calibrate(const char *only)
{
	for (uint32_t i = 0; i < planted_count(); i++) {
		const struct planted *planted = planted_at(i);
		uint32_t level;
		double idle_ns;

		if (!is_wanted(planted, only)) {
			continue;
		}
		level = find_level(planted, planted->idle_ms * 1e6, 1000, 5000000);
		idle_ns = idle_at(planted, level);
		printf("%s, %u, {", planted->name, level);
		for (int more = 0; more < PLANTED_MORE_COUNT; more++) {
			printf("%s%u", more ? ", " : "",
				find_level(planted, idle_ns * (1 + planted_more[more] / 100.0),
					level, level * 3));
		}
		printf("}, of %.1f ms\n", idle_ns / 1e6);
		(void)fflush(stdout);
	}
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	const uint32_t comparisons = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 25;

	if (strcmp(what, "equal") == 0) {
		return measure_equals(comparisons) ? 0 : 1;
	}
	if (strcmp(what, "planted") == 0) {
		return measure_planted(comparisons, argc > 3 ? argv[3] : NULL) ? 0 : 1;
	}
	if (strcmp(what, "lengths") == 0) {
		measure_lengths(comparisons, argc > 3 ? argv[3] : NULL);
		return 0;
	}
	if (strcmp(what, "calibrate") == 0) {
		calibrate(argc > 2 ? argv[2] : NULL);
		return 0;
	}
	(void)fprintf(stderr,
		"usage: regression_rates equal|planted|lengths|calibrate [COMPARISONS]"
		" [CAUSE]\n");
	return 2;
}
