/* SPDX-License-Identifier: MIT */
/*
 * Multi-scalar sums: for one query and one witness the sum of scalar times point, as tiles on a
 * work queue. The tail goes through Pippenger's buckets, one tile for each window (and part of the
 * points, when there are few windows for many threads); the ones are added directly.
 */
#pragma once

#include "prover/groth16/curve.h"
#include "prover/groth16/scalars.h"
#include "prover/groth16/work_queue.h"
#include "trace/base/cleanup.h"
#include "trace/base/status.h"

#include <stdint.h>

struct work_pool;

/* How one tail is cut: window w, part p is tile w * part_count + p. */
struct msm_plan {
	uint32_t window_bits;
	uint32_t window_count;
	uint32_t part_count;
};

struct msm_tail_job {
	const struct scalar_tail *tail;
	struct msm_plan plan;
	struct curve_point *sums; /* one for each tile */
};

struct msm {
	struct msm_input input;
	uint32_t thread_count;
	struct msm_tail_job small;
	struct msm_tail_job wide;
	struct curve_point *one_sums; /* one for each tile of ones */
	uint32_t one_tile_count;
	/* On the queue, for a task that prepares the input to size those that follow. */
	struct work_queue *queue;
	uint32_t small_task;
	uint32_t wide_task;
	uint32_t ones_task;
};

/* An empty sum, to be run by `thread_count` threads; msm_prepare() fills it. */
void msm_init(struct msm *msm, uint32_t thread_count);

/* Wipes and frees. Accepts an msm that is all zero. */
void msm_finish(struct msm *msm);

/* Takes what msm_input_init() makes of the query, and plans the tiles. */
MUST_CHECK enum status msm_prepare(struct msm *msm, const struct msm_query *query,
	const blst_scalar *scalars, const uint8_t *classes);

/* Adds the tails after the task `after`, a tile of which must call msm_prepare(). */
void msm_add_tails(struct msm *msm, struct work_queue *queue, uint32_t after);
/* The same for the ones: a "batch addition". */
void msm_add_ones(struct msm *msm, struct work_queue *queue, uint32_t after);

/* The sum over all that was run; the parts that were not run count as infinity. */
void msm_result(const struct msm *msm, struct curve_point *out_sum);

/* On a prepared msm, return when it is done: the two steps of a device. */
MUST_CHECK enum status msm_run_tails(struct msm *msm, struct work_pool *pool);
MUST_CHECK enum status msm_run_ones(struct msm *msm, struct work_pool *pool);
