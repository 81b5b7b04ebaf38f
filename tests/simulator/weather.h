/* SPDX-License-Identifier: MIT */
/*
 * Noise as hosts and GPUs have it: every duration is drawn anew, slow minutes slow all that
 * happens in them, whole runs differ, and now and then something takes four times as long. Used as
 * a world's duration function.
 */
#pragma once

#include "tests/simulator/world.h"

/* The op's name that makes its duration an exponential one, as between requests of many users. */
#define WEATHER_ARRIVAL "arrival"

struct weather_plan {
	uint64_t seed;
	double host_noise;   /* standard deviation of the logarithm, of each duration */
	double device_noise; /* the same of kernels and copies */
	double drift;        /* of all durations of a side at a time */
	double drift_ns;     /* after which it is another */
	double run_noise;    /* of all durations of a run */
};

struct weather {
	struct weather_plan plan;
	uint64_t random;
	double run[2]; /* of the host, of devices */
	double drift[2];
	uint64_t drift_at_ns;
};

void weather_init(struct weather *weather, const struct weather_plan *plan);

/*
 * For world_options.duration; the context is a struct weather. An op of kind K, 0 < K < 100, that
 * runs or trims does so in K of 100 times only.
 */
uint64_t weather_duration(
	void *context, uint64_t now_ns, const struct op *op, enum world_engine engine, uint64_t ns);
