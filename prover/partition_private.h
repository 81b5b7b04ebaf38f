/* SPDX-License-Identifier: MIT */
/* Inside of partition_gpu and partition_proof: what the two halves of a proof share. */
#pragma once

#include "gaptrace/gaptrace.h"
#include "prover/groth16/msm.h"
#include "prover/groth16/scalars.h"
#include "prover/idle_meter.h"
#include "prover/partition_gpu.h"
#include "prover/partition_proof.h"

#include <blst.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* A clock or count of partition_gpu_counts, by the field it ends up in. */
enum partition_clock {
	PARTITION_START_COUNT,
	PARTITION_FINISH_COUNT,
	PARTITION_FAILED_COUNT,
	PARTITION_PROVED_COUNT,
	PARTITION_MUTEX_WAIT,
	PARTITION_MUTEX_HELD,
	PARTITION_MUTEX_WITHOUT_KERNEL,
	PARTITION_BARRIER_WAIT,
	PARTITION_BARRIER_IN_MUTEX,
	PARTITION_BARRIER_COUNT,
	PARTITION_UPLOAD_PAGEABLE,
	PARTITION_WORKSPACE,
	PARTITION_DEVICE_SYNC,
	PARTITION_PREP,
	PARTITION_B_G2,
	PARTITION_B_G2_JOIN,
	PARTITION_EPILOGUE,
	PARTITION_RELEASE_ABC,
	PARTITION_DEALLOC,
	PARTITION_CLOCK_COUNT
};

/* Points that kernels leave: H's sum, then the ones and the tails of each other query. */
enum partition_result {
	PARTITION_RESULT_H,
	PARTITION_RESULT_ONES,
	PARTITION_RESULT_TAILS = PARTITION_RESULT_ONES + DEVICE_QUERY_COUNT,
	PARTITION_RESULT_COUNT = PARTITION_RESULT_TAILS + DEVICE_QUERY_COUNT
};

struct partition_gpu {
	struct partition_gpu_config config;
	atomic_ullong clocks[PARTITION_CLOCK_COUNT];

	/* The GPU mutex: whoever holds it uses the device, and what follows. */
	struct gaptrace_mutex mutex;
	uint64_t locked_ns;
	uint64_t lane_busy_at_lock_ns;
	struct device_stream *streams[DEVICE_VECTOR_COUNT];
	struct device_event *transformed[DEVICE_VECTOR_COUNT];
	struct device_event *evaluated;
	struct device_event *uploaded;
	struct device_memory *workspace; /* the vectors, later the scalars */
	uint64_t workspace_bytes;
	struct device_memory *results;
	blst_p1 *host_results; /* pinned */

	/* Guards is_prepared, is_awaited and prep_status of the proofs under way. */
	struct gaptrace_mutex barrier_mutex;
	struct gaptrace_condition barrier;
};

struct partition_proof {
	struct partition_gpu *gpu;
	const struct partition_key *key;
	struct synthesized *synthesized;
	struct gaptrace_work work;
	int32_t worker;

	/* What prep makes of the witness, until the barrier its own. */
	struct thread_pool_task task;   /* prep, then b_g2, on the thread started for it */
	bool is_started;                /* and not joined yet */
	_Atomic uint64_t prep_begin_ns; /* 0: still queued */
	bool is_prepared;
	bool is_awaited;
	enum status prep_status;
	bool are_inputs_freed;
	uint8_t *classes;
	struct msm_input inputs[DEVICE_QUERY_COUNT]; /* of all but H */

	/* Its own until the task is joined. */
	struct msm b_g2;
	enum status b_g2_status;

	/* Made in the kernel region. */
	struct device_scalars scalars[DEVICE_QUERY_COUNT];
	blst_p1 results[PARTITION_RESULT_COUNT];
	bool has_result[PARTITION_RESULT_COUNT];

	bool is_assembled;
	struct partition_output output;
};

void partition_gpu_add(struct partition_gpu *gpu, enum partition_clock clock, uint64_t ns);

/* The worker of the proof is about that from now on. */
void partition_proof_stage(const struct partition_proof *proof, enum idle_stage stage);

/* Takes `time_ns`, scaled, as the model has it: asleep or busy. */
void partition_model_wait(const struct partition_model *model, uint64_t time_ns);

/* The same for unmapping so many bytes. */
void partition_model_unmap(const struct partition_model *model, uint64_t bytes);

/*
 * Device memory for a partition of that shape. With the mutex held: reserve, which wants none that
 * is too small to be there, and return. What is too small is taken with the mutex held, too, and
 * NULL when there is none; it is freed without it, for a free waits for all that the device does.
 */
MUST_CHECK struct device_memory *partition_gpu_take_outgrown(
	struct partition_gpu *gpu, const struct partition_key *key);
void partition_gpu_free(struct partition_gpu *gpu, struct device_memory *memory);
MUST_CHECK enum status partition_gpu_reserve(
	struct partition_gpu *gpu, const struct device_shape *shape);
void partition_gpu_return(struct partition_gpu *gpu);

/* partition_prep.c: what runs on the CPU beside the kernels. */
MUST_CHECK enum status partition_prep_start(struct partition_proof *proof);
/* Blocks until the scalars are sorted; how that went. */
MUST_CHECK enum status partition_prep_wait(struct partition_proof *proof);
/* Blocks until b_g2 is done too; b_g2_status says how both went. More than once is nothing. */
void partition_prep_join(struct partition_proof *proof);

/* partition_kernels.c: the kernel region, with the mutex held. */
MUST_CHECK enum status partition_kernels_run(struct partition_proof *proof);
