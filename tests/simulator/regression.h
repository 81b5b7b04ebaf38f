/* SPDX-License-Identifier: MIT */
/*
 * Comparisons of simulated services by the hundred, and how often `gaptrace diff` was right: the
 * rates behind docs/regression.md.
 */
#pragma once

#include "analysis/diff/diff.h"
#include "tests/simulator/planted.h"

#define REGRESSION_SIDE_MAX 16

struct regression_series {
	struct service_plan base;
	struct service_plan changed;
	struct weather_plan weather; /* its seed is drawn for each run */
	uint32_t base_count;
	uint32_t new_count;
	uint32_t comparisons;
	uint32_t seed;                 /* series of other seeds have no run in common */
	const struct planted *planted; /* what changed; NULL: nothing */
};

struct regression_rates {
	uint32_t comparisons;
	uint32_t worse;        /* called a regression */
	uint32_t worse_named;  /* with the planted cause first of what is worse */
	uint32_t better;       /* something is called better, and nothing worse */
	uint32_t better_named; /* with the planted cause first of what is better */
	uint32_t refused;      /* not comparable, or not to be trusted */
	double base_ns;        /* idle of the planted cause, per unit of work, all GPUs: a mean */
	double new_ns;
};

/* Noise of a host that does nothing else, and of one that does. */
struct weather_plan regression_weather_calm(void);
struct weather_plan regression_weather_rough(void);

/* Jobs enough for so many units of work. */
struct service_plan regression_sized(struct service_plan plan, uint32_t units);

struct regression_rates regression_measure(const struct regression_series *series);

/* Idle of that cause, per unit of work and over all GPUs. */
double regression_idle_ns(const struct run *run, const struct planted *planted);

/* What a first row must be about to have named the cause. */
bool regression_is_named(const struct table_row *figures, const struct planted *planted);
