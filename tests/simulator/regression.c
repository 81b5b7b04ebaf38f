/* SPDX-License-Identifier: MIT */
#include "tests/simulator/regression.h"

#include "tests/simulator/service_report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct weather_plan regression_weather_calm(void)
{
	return (struct weather_plan){.host_noise = 0.25,
		.device_noise = 0.01,
		.drift = 0.02,
		.drift_ns = 20e9,
		.run_noise = 0.01};
}

struct weather_plan regression_weather_rough(void)
{
	return (struct weather_plan){.host_noise = 0.5,
		.device_noise = 0.02,
		.drift = 0.05,
		.drift_ns = 20e9,
		.run_noise = 0.02};
}

struct service_plan regression_sized(struct service_plan plan, uint32_t units)
{
	/* What is over is lost; sizes are multiples of the partitions of a job. */
	plan.jobs = units / plan.partitions;
	return plan;
}

static bool is_alike(const char *wanted, const char *text)
{
	return wanted[0] == '\0' || strcmp(wanted, text) == 0;
}

bool regression_is_named(const struct table_row *figures, const struct planted *planted)
{
	return figures->metric == METRIC_CAUSE && figures->cause == planted->cause &&
	       is_alike(planted->object, figures->object) &&
	       is_alike(planted->phase, figures->phase);
}

static double device_idle_ns(const struct run_usage *usage, const struct planted *planted)
{
	double ns = 0;

	for (uint32_t i = 0; i < usage->cause_count; i++) {
		const struct run_cause *cause = &usage->causes[i];

		if (cause->cause == planted->cause && is_alike(planted->object, cause->object) &&
			is_alike(planted->phase, cause->phase)) {
			ns += (double)cause->ns;
		}
	}
	return ns;
}

double regression_idle_ns(const struct run *run, const struct planted *planted)
{
	double ns = 0;

	for (uint32_t device = 0; device < run->device_count; device++) {
		ns += device_idle_ns(&run->devices[device].usage, planted);
	}
	return ns / (double)run->work_count;
}

/* Of the rows with that verdict, the first in the order of the text. */
static const struct table_row *first_row(const struct diff *diff, enum diff_verdict verdict)
{
	for (uint32_t i = 0; i < diff->row_count; i++) {
		const struct diff_row *row = &diff->rows[diff->order[i]];

		if (row->verdict == verdict) {
			return row->figures;
		}
	}
	return NULL;
}

/* A cure is right only when nothing is called worse beside it. */
static void count(const struct regression_series *series, const struct diff *diff,
	struct regression_rates *rates)
{
	const struct table_row *worse = first_row(diff, DIFF_REGRESSED);
	const struct table_row *better = first_row(diff, DIFF_IMPROVED);

	rates->comparisons++;
	rates->refused += diff->outcome != DIFF_PASSED && diff->outcome != DIFF_WORSE;
	rates->worse += diff->outcome == DIFF_WORSE;
	rates->better += diff->outcome == DIFF_PASSED && better;
	if (series->planted) {
		rates->worse_named += worse && regression_is_named(worse, series->planted);
		rates->better_named += diff->outcome == DIFF_PASSED && better &&
				       regression_is_named(better, series->planted);
	}
}

static void compare(
	const struct regression_series *series, uint32_t number, struct regression_rates *rates)
{
	AUTO(diff_destroy) struct diff *diff = NULL;
	const uint32_t run_count = series->base_count + series->new_count;
	struct run *runs[2 * REGRESSION_SIDE_MAX];
	const struct diff_request request = {.runs = (const struct run *const *)runs,
		.run_count = run_count,
		.base_count = series->base_count,
		.settings = &diff_settings_default};
	struct diag diag = {""};

	for (uint32_t i = 0; i < run_count; i++) {
		const bool is_new = i >= series->base_count;
		struct weather_plan weather = series->weather;

		/* 64 is more than there are runs in a comparison: no two runs share a seed. */
		weather.seed = ((uint64_t)series->seed << 32) + (uint64_t)number * 64 + i + 1;
		runs[i] = service_report_run(is_new ? &series->changed : &series->base, &weather,
			weather.seed, is_new ? "new" : "base");
		if (series->planted) {
			*(is_new ? &rates->new_ns : &rates->base_ns) +=
				regression_idle_ns(runs[i], series->planted);
		}
	}
	if (diff_create(&request, &diff, &diag) != STATUS_OK) {
		(void)fprintf(stderr, "regression: %s\n", diag.line);
		abort();
	}
	count(series, diff, rates);
	for (uint32_t i = 0; i < run_count; i++) {
		run_destroy(runs[i]);
	}
}

struct regression_rates regression_measure(const struct regression_series *series)
{
	struct regression_rates rates = {0};

	for (uint32_t i = 0; i < series->comparisons; i++) {
		compare(series, i, &rates);
	}
	rates.base_ns /= (double)series->comparisons * series->base_count;
	rates.new_ns /= (double)series->comparisons * series->new_count;
	return rates;
}
