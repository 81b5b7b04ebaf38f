/* SPDX-License-Identifier: MIT */
/*
 * Runs that never were, for comparisons to be tested on: two GPUs, some causes with noise that has
 * a memory, bursts and edges, as real runs have, and one planted cause. The same plan gives the
 * same run.
 */
#pragma once

#include "analysis/diff/run.h"

struct diff_run_plan {
	uint64_t seed;
	uint32_t unit_count;
	double lock_scale;  /* of lock tracker held for malloc_trim; 1 is healthy */
	double phase_scale; /* of cpu_phase prep_msm; 0 is healthy, as 1 */
	double memory;      /* how much of a unit's noise the next one keeps, 0 to 1 */
	double run_noise;   /* by how much whole runs differ, as a share */
	double phase_noise; /* by how much they differ in cpu_phase prep_msm, if more */
	bool has_no_blocks;
	const char *name;      /* of the devices; NULL: the usual one */
	const char *unit;      /* NULL: partition */
	uint64_t threshold_ns; /* 0: 1 ms */
	uint32_t device_count; /* 0: two */
	bool is_untrusted;
	bool is_simulated;
};

/* The run's report as JSON, the caller's to free. */
char *diff_run_json(const struct diff_run_plan *plan);

/* The run itself; the program aborts when it is refused. */
struct run *diff_run_make(const struct diff_run_plan *plan, const char *path);
