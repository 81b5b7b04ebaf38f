/* SPDX-License-Identifier: MIT */
/*
 * The proving pipeline: all its queues, locks, pools, devices and threads, made from one
 * configuration. Jobs go in by pipeline_submit(); their results are read from the tracker.
 *
 * request -> scheduler heap -> synth_queue -> dispatcher (pacer, budget) -> dispatch channel
 *   -> synthesis workers -> gpu_queue -> GPU workers (tracker, blocking pool: prove_start)
 *   -> finalizer (prove_finish, tracker: assemble, trim, self-check) -> result
 *
 * The fields are for the pipeline's own stages and for those who report on them; each object has
 * its own lock.
 */
#pragma once

#include "prover/config.h"
#include "prover/idle_meter.h"
#include "prover/memory_budget.h"
#include "prover/pacer.h"
#include "prover/partition_gpu.h"
#include "prover/pinned_pool.h"
#include "prover/priority_queue.h"
#include "prover/srs.h"
#include "prover/thread_pool.h"
#include "prover/tracker.h"
#include "trace/base/cleanup.h"
#include "trace/base/diag.h"
#include "trace/base/status.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct hand_over;
struct heap_chunks;
struct keyframe;
struct model_sleep;
struct pipeline_thread;

/* Where the host's time went, by clocks apart from any trace; nanoseconds, workers added up. */
struct pipeline_clocks {
	_Atomic uint64_t malloc_trim_ns;
	_Atomic uint64_t self_check_ns;
	_Atomic uint64_t synthesis_ns;
	_Atomic uint64_t gpu_queue_wait_ns; /* GPU workers had nothing to pop */
	_Atomic uint64_t tracker_wait_ns; /* GPU workers waited for `tracker` before prove_start */
	_Atomic uint64_t hop_wait_ns;     /* prove_start waited for a thread of `blocking` */
	_Atomic uint64_t prove_start_ns;
	_Atomic uint64_t finalizer_wait_ns; /* finalizers waited for `tracker` */
};

struct pipeline {
	struct config config;
	const struct device_ops *ops;
	uint64_t begin_ns;

	struct tracker tracker;
	struct memory_budget budget;
	struct pacer pacer;
	struct priority_queue scheduler;   /* jobs, by priority, then age */
	struct priority_queue synth_queue; /* partitions, by (job, partition), as gpu_queues */
	struct priority_queue dispatch; /* the bounded channel to synthesis, first in first out */
	struct priority_queue *gpu_queues; /* one that all devices share, or one for each */
	uint32_t gpu_queue_count;
	struct hand_over *hand_over;
	uint32_t init_count; /* how many of the above are to be finished */

	struct thread_pool *blocking_pool;
	struct thread_pool *groth16_pool;
	struct thread_pool *prep_pool;
	struct thread_pool *dealloc_pool; /* NULL: no background dealloc */
	struct thread_pool *trim_pool;    /* NULL: no background trim */

	struct idle_meter *meter;
	struct model_sleep *sleep;       /* of all that is only modelled */
	struct heap_chunks *heap_chunks; /* NULL: the heap as it is */
	struct device_driver *driver;
	struct device *devices[DEVICE_COUNT_MAX];
	struct partition_gpu *gpus[DEVICE_COUNT_MAX];
	uint32_t device_count;
	atomic_bool is_loss_told[DEVICE_COUNT_MAX]; /* of devices that are lost */
	_Atomic uint32_t lost_count;                /* told of */
	int lost_fd;                                /* readable once none is left */
	struct pinned_pool *pinned_pool;
	struct srs_manager *srs_manager;
	struct keyframe *keyframe;

	struct pipeline_clocks clocks;
	_Atomic uint64_t trim_count;
	_Atomic uint64_t synthesizing; /* partitions now */

	struct pipeline_thread *threads;
	uint32_t thread_count;
};

/*
 * Opens the devices, makes missing keys, starts all threads. `state_dir` exists and is borrowed.
 */
MUST_CHECK enum status pipeline_create(const struct config *config, const char *state_dir,
	struct diag *diag, struct pipeline **out_pipeline);

/*
 * Accepts a job: takes what `request` holds on success and gives its number. NOT_FOUND for a kind
 * that is not served, TOO_LARGE for what can never fit, OVER_LIMIT when too many jobs are active,
 * STOPPED while draining, each with a line in `diag`.
 */
MUST_CHECK enum status pipeline_submit(struct pipeline *pipeline, struct job_request *request,
	struct diag *diag, uint64_t *out_job_id);

/* The devices make no proofs. */
bool pipeline_is_simulated(const struct pipeline *pipeline);

/* Workers of all devices together. */
uint32_t pipeline_worker_count(const struct pipeline *pipeline);

/* Event counts as a recording of the whole run would have them; exact once nothing runs. */
struct pipeline_counters {
	uint64_t lock_acquires;
	uint64_t queue_pops;
	uint64_t prove_starts;
	uint64_t prove_finishes;
	uint64_t malloc_trims;
};

struct pipeline_counters pipeline_counters(struct pipeline *pipeline);

/* No job is accepted any more, all active ones fail, and nobody waits for pacer, budget or model.
 */
void pipeline_cancel(struct pipeline *pipeline);

/*
 * Lets the accepted jobs end, then ends all threads. After it only counters and results may be
 * asked for.
 */
void pipeline_stop(struct pipeline *pipeline);

/* Stops it first if need be. Accepts NULL. */
void pipeline_destroy(struct pipeline *pipeline);
DEFINE_AUTO(struct pipeline, pipeline_destroy)
