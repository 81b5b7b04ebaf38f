/* SPDX-License-Identifier: MIT */
/* A proving service drawn from a seed: the daemon's pipeline with drawn sizes, times and habits. */
#pragma once

#include "tests/simulator/world.h"

/* Every field can be made smaller or zero for a simpler case: that is how a failure is shrunk. */
struct scenario {
	uint64_t seed;
	int jobs;
	int partitions;
	int devices;
	int synthesis_threads;
	int workers_per_device;
	int blocking_threads;
	int prep_threads;
	int noise_threads;
	int noise_rounds;
	int budget_partitions; /* room for so many, 0: no budget */
	int is_pageable;       /* staging */
	int has_pacer;
	int has_trim_under_tracker;
	int has_status_lock;   /* a read-write lock nested inside tracker */
	int has_device_queues; /* a queue per device instead of one for all */
	int has_whole_mutex;   /* the mutex around the whole call, prep included */
	int latency_ns_max;
};

#define SCENARIO_FIELDS 17

struct scenario scenario_draw(uint64_t seed);

/* The field number `index` after the seed, for shrinking. */
int *scenario_field(struct scenario *scenario, int index);
int scenario_field_least(int index);
const char *scenario_field_name(int index);

/* Gives a world that has run. NULL when it got stuck, which is a bug of the scenario. */
struct world *scenario_run(const struct scenario *scenario);
