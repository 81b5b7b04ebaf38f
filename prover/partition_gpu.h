/* SPDX-License-Identifier: MIT */
/*
 * One GPU as the prover uses it: the device, the mutex around its kernel region, the streams,
 * events and device memory that a partition works with, the choices of how to prove, and clocks
 * that measure, apart from any trace, where its time went.
 */
#pragma once

#include "prover/device/device.h"
#include "prover/thread_pool.h"
#include "trace/base/cleanup.h"
#include "trace/base/limits.h"
#include "trace/base/status.h"

#include <stdbool.h>
#include <stdint.h>

struct idle_meter;
struct model_sleep;
struct partition_gpu;

/* What the mutex covers: the kernels, or the host's work before and after them too. */
enum partition_mutex_scope {
	PARTITION_MUTEX_KERNELS,
	PARTITION_MUTEX_CALL
};

/* Where prep_msm runs: on the thread that was started for it, or as one more pool task. */
enum partition_prep {
	PARTITION_PREP_OWN_THREAD,
	PARTITION_PREP_POOL
};

/* Who frees a partition's memory. */
enum partition_dealloc {
	PARTITION_DEALLOC_BACKGROUND, /* a thread of its own, one partition after the other */
	PARTITION_DEALLOC_FINALIZER,  /* partition_proof_finish() */
	PARTITION_DEALLOC_CALL,       /* partition_proof_start(), as far as it can */
};

/* All zero is how the daemon does it today; each other value was a cause of idling once. */
struct partition_options {
	enum partition_mutex_scope mutex_scope;
	enum partition_prep prep;
	enum partition_dealloc dealloc;
	bool is_whole;                /* start joins b_g2 and assembles; finish only hands over */
	bool barrier_before_mutex;    /* wait for prep first, then take the mutex */
	bool synchronizes_device;     /* a device-wide synchronisation before the unlock */
	bool allocates_each_call;     /* device memory made and freed inside the mutex */
	bool evaluates;               /* a, b and c are made of the witness on the device */
	const uint8_t *blinding_seed; /* INSECURE, tests only: BLINDING_SEED_BYTES */
};

/* How long the host's phases take when they are only modelled. */
struct partition_model {
	double time_scale;         /* 0 counts as 1 */
	bool burns_cpu;            /* spin instead of sleep */
	struct model_sleep *sleep; /* borrowed; NULL: nobody cuts it short */
	uint64_t prep_ns;
	uint64_t b_g2_ns;
	uint64_t epilogue_ns;
	uint64_t unmap_bytes_per_s;
	uint64_t tail_bytes; /* split vectors and tails of a partition, freed at its end */
};

/* A Threadripper 7995WX, 32 threads for b_g2: what the daemon's authors published. */
extern const struct partition_model partition_model_threadripper;

struct partition_gpu_config {
	const struct device_ops *ops;
	struct device *device;            /* borrowed, as all that follow */
	struct thread_pool *groth16_pool; /* b_g2's tiles, and prep if so chosen */
	struct thread_pool *prep_pool;    /* growing: one thread for each proof under way */
	struct thread_pool *dealloc_pool; /* NULL: finish frees */
	struct idle_meter *meter;         /* NULL: none */
	uint32_t device_index;
	struct partition_options options;
	struct partition_model model; /* of a device that makes no proofs */
};

/* A key as partitions use it; lives until the last of them is finished. */
struct partition_key {
	const struct zkey *zkey; /* NULL when simulated */
	struct device_shape shape;
	struct device_key *device_keys[DEVICE_COUNT_MAX]; /* by device index */
};

/*
 * Truth from clocks inside the prover, nanoseconds summed since the start. Times of several
 * workers overlap; those inside the mutex do not.
 */
struct partition_gpu_counts {
	uint64_t start_count;  /* calls of partition_proof_start, failed ones included */
	uint64_t finish_count; /* calls of partition_proof_finish */
	uint64_t failed_count;
	uint64_t proved_count;
	uint64_t mutex_wait_ns;
	uint64_t mutex_held_ns;
	uint64_t mutex_without_kernel_ns; /* held, and no kernel ran */
	uint64_t barrier_wait_ns;         /* waiting for prep, inside the mutex or before it */
	uint64_t barrier_in_mutex_ns;
	uint64_t barrier_count;
	uint64_t upload_pageable_ns; /* inside staged uploads */
	uint64_t workspace_ns;       /* making and freeing device memory for partitions */
	uint64_t device_sync_ns;
	uint64_t prep_ns;
	uint64_t b_g2_ns;
	uint64_t b_g2_join_ns;
	uint64_t epilogue_ns;
	uint64_t release_abc_ns;
	uint64_t dealloc_ns;
	struct device_counts device;
};

MUST_CHECK enum status partition_gpu_create(
	const struct partition_gpu_config *config, struct partition_gpu **out_gpu);

struct partition_gpu_counts partition_gpu_counts(struct partition_gpu *gpu);

/* Accepts NULL. No proof may be under way. */
void partition_gpu_destroy(struct partition_gpu *gpu);
DEFINE_AUTO(struct partition_gpu, partition_gpu_destroy)
