/* SPDX-License-Identifier: MIT */
/*
 * Multi-scalar sums: for one query and one witness the sum of scalar times point, as tiles on a
 * work queue. The tail goes through Pippenger's buckets, one tile for each window (and part of the
 * points, when there are few windows for many threads); the ones are added directly.
 */
#pragma once

#include "prover/groth16/curve.h"
#include "prover/groth16/msm_window.h"
#include "prover/groth16/scalars.h"
#include "prover/groth16/work_queue.h"
#include "trace/base/cleanup.h"
#include "trace/base/status.h"

#include <stdbool.h>
#include <stdint.h>

struct msm;
struct work_pool;

/* How a tail is cut: part p of window w is tile w * part_count + p. */
struct msm_plan {
	uint32_t window_bits;
	uint32_t window_count;
	uint32_t part_count;
};

/* The plan that a pool of so many threads gets done first. */
struct msm_plan msm_plan_make(uint32_t point_count, uint32_t bit_count, uint32_t thread_count);

/* One tail's work; the context of its task. */
struct msm_tail {
	struct msm *msm;
	const struct scalar_tail *scalars;
	struct msm_plan plan;
	struct curve_point *sums; /* of each tile */
	uint32_t task;            /* on the queue, to be sized; or WORK_TASK_NONE */
};

struct msm {
	struct msm_input input;
	uint32_t thread_count;
	struct msm_tail small;
	struct msm_tail wide;
	struct curve_point *one_sums; /* of each tile of ones */
	uint32_t one_tile_count;
	uint32_t ones_task;
	struct work_queue *queue;        /* where the tasks are, or NULL */
	struct msm_buckets *buckets;     /* of each thread */
	struct msm_buckets *own_buckets; /* the same, to be freed; NULL if they are lent */
	bool is_input_borrowed;
};

/*
 * An empty sum, to be run by `thread_count` threads; msm_prepare() fills it. It stays where it is
 * until it is finished.
 */
void msm_init(struct msm *msm, uint32_t thread_count);

/* Lends memory, one for each thread, that sums run by the same threads can share. */
void msm_lend_buckets(struct msm *msm, struct msm_buckets *buckets);

/* Wipes and frees. Accepts an msm that is all zero. */
void msm_finish(struct msm *msm);

/*
 * Sorts the scalars of the query, plans the tiles and, when tasks are on a queue already, sizes
 * them. `scalars` and `classes` are not needed afterwards; the query's points are.
 */
MUST_CHECK enum status msm_prepare(struct msm *msm, const struct msm_query *query,
	const blst_scalar *scalars, const uint8_t *classes);

/* The same for scalars that were sorted before; `input` is borrowed until msm_finish(). */
MUST_CHECK enum status msm_prepare_borrowed(struct msm *msm, const struct msm_input *input);

/* Adds the tails after the task `after`, a tile of which must call msm_prepare(). */
void msm_add_tails(struct msm *msm, struct work_queue *queue, uint32_t after);

/* The same for the ones: a "batch addition". */
void msm_add_ones(struct msm *msm, struct work_queue *queue, uint32_t after);

/* The sum over all that was run; parts that were not run count as infinity. */
void msm_result(const struct msm *msm, enum curve_group group, struct curve_point *out_sum);

/* On a prepared msm, return when it is done: the two steps of a device. */
MUST_CHECK enum status msm_run_tails(struct msm *msm, struct work_pool *pool);
MUST_CHECK enum status msm_run_ones(struct msm *msm, struct work_pool *pool);
