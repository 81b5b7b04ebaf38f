/* SPDX-License-Identifier: MIT */
/*
 * A proving service of given sizes and times, for as long as a comparison needs: what scenario.h
 * draws small and at random is here steady and long, with noise, and with historical mistakes of
 * given sizes. Times are those of a partition of some half a second of kernels.
 */
#pragma once

#include "tests/simulator/weather.h"

/* Times are in microseconds; those that are zero do not happen. */
struct service_plan {
	uint32_t jobs;
	uint32_t partitions; /* of each */
	uint32_t devices;
	uint32_t workers; /* per device */
	uint32_t synthesis_threads;
	uint32_t blocking_threads;
	uint32_t prep_threads;
	uint32_t budget_partitions; /* room for so many; 0: no budget */
	uint32_t is_pageable;       /* staging */
	uint32_t
		has_device_queues; /* device 0 has a synthesis of its own, and so have the others */
	uint32_t arrival_us;       /* mean, between jobs */
	uint32_t pacer_us;
	uint32_t synthesis_us;
	uint32_t other_synthesis_us; /* of devices other than 0; 0: the same */
	uint32_t starve_us;          /* of each synthesis */
	uint32_t srs_us;
	uint32_t input_us; /* the feeder's own work before it may have the GPU */
	uint32_t prep_us;
	uint32_t b_g2_us;
	uint32_t copy_us; /* each of three copies, on the device */
	uint32_t alloc_us;
	uint32_t module_us;
	uint32_t launch_us; /* from a call to its kernel's start */
	uint32_t kernel_us; /* of all kernels of a partition */
	uint32_t release_us;
	uint32_t trim_us; /* under tracker */
	uint32_t self_check_us;
};

/* Two GPUs that are kept busy, and none of the mistakes. */
struct service_plan service_healthy(void);

/* Gives a world that has run in that weather; NULL when it got stuck, a bug of the plan. */
struct world *service_run(
	const struct service_plan *plan, const struct weather_plan *weather, uint64_t seed);
