/* SPDX-License-Identifier: MIT */
#include "prover/groth16/msm.h"

#include "prover/groth16/secret.h"
#include "prover/groth16/work_pool.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Of a tile of ones: some 0.5 ms in G1. */
#define ONES_TILE_POINTS 4096u

/* Points of a part below which its buckets cost more than what another thread can save. */
#define PART_POINTS_MIN 256u

/* What summing one bucket costs, in additions of a point to a bucket. */
#define BUCKET_COST 2u

static uint32_t divide_up(uint32_t dividend, uint32_t divisor)
{
	return dividend / divisor + (dividend % divisor != 0);
}

/* Parts of the points, so that each thread gets two tiles or more if that is worth its buckets. */
static uint32_t choose_parts(uint32_t point_count, uint32_t window_count, uint32_t thread_count)
{
	uint32_t wanted = divide_up(2 * thread_count, window_count);
	uint32_t useful = divide_up(point_count, PART_POINTS_MIN);

	return wanted < useful ? wanted : useful;
}

struct msm_plan msm_plan_make(uint32_t point_count, uint32_t bit_count, uint32_t thread_count)
{
	struct msm_plan best = {0};
	uint64_t best_cost = UINT64_MAX;
	uint32_t bits_max =
		point_count < MSM_WINDOW_FEW_POINTS ? MSM_WINDOW_FEW_BITS_MAX : MSM_WINDOW_BITS_MAX;

	if (point_count == 0) {
		return best;
	}
	/* Tiles of one round run beside one another; the cost is that of the rounds. */
	for (uint32_t bits = MSM_WINDOW_BITS_MIN; bits <= bits_max; bits++) {
		/* One more than full windows: what is left, which takes the last carry. */
		struct msm_plan plan = {.window_bits = bits, .window_count = bit_count / bits + 1};
		uint64_t tile_cost;
		uint64_t cost;

		plan.part_count = choose_parts(point_count, plan.window_count, thread_count);
		tile_cost = divide_up(point_count, plan.part_count) +
			    ((uint64_t)BUCKET_COST << (bits - 1));
		cost = tile_cost * divide_up(plan.window_count * plan.part_count, thread_count);
		if (cost < best_cost) {
			best_cost = cost;
			best = plan;
		}
	}
	return best;
}

static void tail_init(struct msm_tail *tail, struct msm *msm, const struct scalar_tail *scalars)
{
	*tail = (struct msm_tail){.msm = msm, .scalars = scalars, .task = WORK_TASK_NONE};
}

void msm_init(struct msm *msm, uint32_t thread_count)
{
	assert(thread_count > 0);

	*msm = (struct msm){.thread_count = thread_count, .ones_task = WORK_TASK_NONE};
	tail_init(&msm->small, msm, &msm->input.small);
	tail_init(&msm->wide, msm, &msm->input.wide);
}

void msm_lend_buckets(struct msm *msm, struct msm_buckets *buckets)
{
	msm->buckets = buckets;
}

void msm_finish(struct msm *msm)
{
	for (uint32_t i = 0; msm->own_buckets && i < msm->thread_count; i++) {
		msm_buckets_finish(&msm->own_buckets[i]);
	}
	free(msm->own_buckets);
	secret_destroy(msm->small.sums);
	secret_destroy(msm->wide.sums);
	secret_destroy(msm->one_sums);
	if (!msm->is_input_borrowed) {
		msm_input_finish(&msm->input);
	}
	*msm = (struct msm){0};
}

static uint32_t tail_tile_count(const struct msm_tail *tail)
{
	return tail->plan.window_count * tail->plan.part_count;
}

/* Sums of tiles, all infinity, so that those not run yet count for nothing. */
static struct curve_point *create_sums(enum curve_group group, uint32_t count)
{
	struct curve_point *sums = secret_create(count, sizeof(*sums));

	for (uint32_t i = 0; sums && i < count; i++) {
		curve_set_infinity(&sums[i], group);
	}
	return sums;
}

static enum status prepare_tail(struct msm_tail *tail)
{
	struct msm *msm = tail->msm;

	tail->plan =
		msm_plan_make(tail->scalars->count, tail->scalars->bit_count, msm->thread_count);
	tail->sums = create_sums(msm->input.group, tail_tile_count(tail));
	if (!tail->sums) {
		return STATUS_NO_MEMORY;
	}
	/* The task was queued before anybody knew how many scalars would be in this class. */
	if (tail->task != WORK_TASK_NONE) {
		work_queue_resize(msm->queue, tail->task, tail_tile_count(tail));
	}
	return STATUS_OK;
}

/* Plans the tiles of msm->input. */
static enum status plan_tiles(struct msm *msm)
{
	enum status status;

	/* Callers with several sums lend one set to all: only tiles that run need buckets. */
	if (!msm->buckets) {
		msm->own_buckets = calloc(msm->thread_count, sizeof(msm->own_buckets[0]));
		msm->buckets = msm->own_buckets;
	}
	if (!msm->buckets) {
		return STATUS_NO_MEMORY;
	}
	msm->one_tile_count =
		divide_up(msm->input.one_count + msm->input.minus_one_count, ONES_TILE_POINTS);
	msm->one_sums = create_sums(msm->input.group, msm->one_tile_count);
	if (!msm->one_sums) {
		return STATUS_NO_MEMORY;
	}
	if (msm->ones_task != WORK_TASK_NONE) {
		work_queue_resize(msm->queue, msm->ones_task, msm->one_tile_count);
	}
	status = prepare_tail(&msm->small);
	return status == STATUS_OK ? prepare_tail(&msm->wide) : status;
}

enum status msm_prepare(struct msm *msm, const struct msm_query *query, const blst_scalar *scalars,
	const uint8_t *classes)
{
	enum status status = msm_input_init(query, scalars, classes, &msm->input);

	return status == STATUS_OK ? plan_tiles(msm) : status;
}

enum status msm_prepare_borrowed(struct msm *msm, const struct msm_input *input)
{
	msm->input = *input;
	msm->is_input_borrowed = true;
	return plan_tiles(msm);
}

static enum status run_tail(void *context, uint32_t tile, uint32_t worker)
{
	struct msm_tail *tail = context;
	struct msm *msm = tail->msm;
	uint32_t part = tile % tail->plan.part_count;
	uint32_t part_points = divide_up(tail->scalars->count, tail->plan.part_count);
	uint32_t begin = part * part_points;
	struct msm_window window = {.group = msm->input.group,
		.points = msm->input.points,
		.scalar_bits = tail->scalars->bit_count,
		.first_bit = tile / tail->plan.part_count * tail->plan.window_bits,
		.window_bits = tail->plan.window_bits};

	if (begin >= tail->scalars->count) {
		return STATUS_OK; /* rounded away */
	}
	window.count = tail->scalars->count - begin;
	if (window.count > part_points) {
		window.count = part_points;
	}
	window.indices = tail->scalars->indices + begin;
	window.scalars = tail->scalars->scalars +
			 (size_t)begin * msm_window_scalar_bytes(window.scalar_bits);
	return msm_window_sum(&window, &msm->buckets[worker], &tail->sums[tile]);
}

static enum status run_ones(void *context, uint32_t tile, uint32_t worker)
{
	struct msm *msm = context;
	const struct msm_input *input = &msm->input;
	uint32_t begin = tile * ONES_TILE_POINTS;
	uint32_t count = input->one_count + input->minus_one_count - begin;
	struct msm_window window = {.group = input->group,
		.points = input->points,
		.indices = input->ones + begin,
		.count = count < ONES_TILE_POINTS ? count : ONES_TILE_POINTS};

	return msm_window_add(&window, input->one_count > begin ? input->one_count - begin : 0,
		&msm->buckets[worker], &msm->one_sums[tile]);
}

static void add_tail(struct msm_tail *tail, struct work_queue *queue, uint32_t after)
{
	struct work_task task = {
		.run = run_tail, .context = tail, .tile_count = tail_tile_count(tail)};

	tail->task = work_queue_add(queue, &task);
	work_queue_order(queue, after, tail->task);
}

void msm_add_tails(struct msm *msm, struct work_queue *queue, uint32_t after)
{
	msm->queue = queue;
	/* The wide ones first: they are the longer. */
	add_tail(&msm->wide, queue, after);
	add_tail(&msm->small, queue, after);
}

void msm_add_ones(struct msm *msm, struct work_queue *queue, uint32_t after)
{
	struct work_task task = {
		.run = run_ones, .context = msm, .tile_count = msm->one_tile_count};

	msm->queue = queue;
	msm->ones_task = work_queue_add(queue, &task);
	work_queue_order(queue, after, msm->ones_task);
}

/* Horner's rule over the windows, from the top. */
static void add_tail_result(const struct msm_tail *tail, struct curve_point *sum)
{
	struct curve_point total;

	if (!tail->sums) {
		return;
	}
	curve_set_infinity(&total, sum->group);
	for (uint32_t tile = tail_tile_count(tail); tile > 0; tile--) {
		if (tile % tail->plan.part_count == 0) {
			curve_double(&total, tail->plan.window_bits);
		}
		curve_add(&total, &tail->sums[tile - 1]);
	}
	curve_add(sum, &total);
}

void msm_result(const struct msm *msm, enum curve_group group, struct curve_point *out_sum)
{
	curve_set_infinity(out_sum, group);
	for (uint32_t i = 0; i < msm->one_tile_count; i++) {
		curve_add(out_sum, &msm->one_sums[i]);
	}
	add_tail_result(&msm->small, out_sum);
	add_tail_result(&msm->wide, out_sum);
}

enum status msm_run_tails(struct msm *msm, struct work_pool *pool)
{
	struct work_queue queue;

	work_queue_init(&queue);
	msm_add_tails(msm, &queue, WORK_TASK_NONE);
	return work_pool_run(pool, &queue);
}

enum status msm_run_ones(struct msm *msm, struct work_pool *pool)
{
	struct work_queue queue;

	work_queue_init(&queue);
	msm_add_ones(msm, &queue, WORK_TASK_NONE);
	return work_pool_run(pool, &queue);
}
