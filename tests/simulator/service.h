/* SPDX-License-Identifier: MIT */
/*
 * A proving service as the daemon has it, of given sizes, times and habits: the one that the walk
 * is held against the truth of, drawn small and at random (scenario.h), and the one that runs for
 * as long as a comparison needs, with historical mistakes of given sizes (planted.h).
 */
#pragma once

#include "tests/simulator/weather.h"

/* All of one type, so that a table can name any field. Zero is none: such steps do not happen. */
struct service_plan {
	/* Sizes. */
	uint32_t jobs;
	uint32_t partitions; /* of each */
	uint32_t devices;
	uint32_t workers; /* per device */
	uint32_t synthesis_threads;
	uint32_t blocking_threads;
	uint32_t prep_threads;
	uint32_t askers;            /* threads that ask for the status, which tracker guards */
	uint32_t asker_rounds;      /* of each */
	uint32_t budget_partitions; /* room for so many; 0: no budget */
	uint32_t finish_capacity;   /* proved partitions that may wait for the one finisher; 0: the
				       blocking pool finishes them, however many they are */
	uint32_t latency_ns_max;    /* of a wake-up */
	/* Habits: 0 or 1. */
	uint32_t is_pageable;       /* staging */
	uint32_t has_status_lock;   /* inside tracker, which readers take alone */
	uint32_t has_whole_mutex;   /* the GPU's mutex also covers reading inputs and b_g2 */
	uint32_t has_device_queues; /* each device has a queue and synthesis threads of its own */
	uint32_t has_tail_stream;   /* the last kernels are on another stream */
	uint32_t has_copy_stream;   /* copies too, and kernels wait for their event */
	uint32_t has_scheduler;     /* its events say when who starves; else spans tell how long */
	/* Times in microseconds. */
	uint32_t arrival_us; /* mean, between jobs */
	uint32_t pacer_us;
	uint32_t visit_us; /* with tracker, to look something up or to note it */
	uint32_t note_us;  /* by a worker, before it goes on: the finalizer mostly has tracker first
			    */
	uint32_t between_us; /* what steps without a span of their own take */
	uint32_t answer_us;  /* of a status, under its lock */
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
	uint32_t launch_us;    /* from a call to its kernel's start */
	uint32_t kernel_us;    /* of all kernels of a partition */
	uint32_t host_node_us; /* the last kernels are a graph, with a host function between them */
	uint32_t release_us;
	uint32_t trim_us; /* under tracker */
	uint32_t self_check_us;
	uint32_t write_us; /* of the proof, when all else is done */
};

/* Two GPUs that are kept busy, and none of the mistakes: half a second of kernels a partition. */
struct service_plan service_healthy(void);

/* Gives a world that has run in that weather; NULL when it got stuck, a bug of the plan. */
struct world *service_run(
	const struct service_plan *plan, const struct weather_plan *weather, uint64_t seed);
