/* SPDX-License-Identifier: MIT */
/*
 * The window cut at ends of work into blocks of about equal work, and what each device did in each:
 * samples of one run, by which its noise can be judged. Neighbours are joined in pairs when there
 * are too many, so memory does not grow. Gaps become final later than work ends: they are put where
 * they belong by time, and nothing is cut behind time that was charged already.
 */
#pragma once

#include "analysis/core/gap.h"
#include "analysis/core/sweep.h"
#include "trace/base/limits.h"
#include "trace/base/status.h"

/* Enough for a distribution; half of them remain after a joining. */
#define BLOCK_COUNT_MAX 64

/* Rows of causes per device and block; what comes after is summed in one row per cause. */
#define BLOCK_CAUSE_COUNT_MAX 64

struct block_cause {
	enum cause cause;
	const char *object; /* borrowed from the walk, as `phase` */
	const char *phase;
	uint64_t ns;
	uint64_t gap_count; /* gaps that this cause first charges here */
};

struct block_device {
	uint64_t covered_ns[SWEEP_LAYER_COUNT];
	uint64_t gap_ns;    /* of kernel gaps of at least the threshold, clipped to the block */
	uint64_t gap_count; /* those of them that begin here */
	struct block_cause *causes; /* ranked by time once the blocks have ended */
	uint32_t cause_count;
	uint32_t cause_capacity;
};

struct block {
	uint64_t end_ns; /* UINT64_MAX of the last one, until the blocks have ended */
	uint64_t work;
	struct block_device *devices[DEVICE_COUNT_MAX]; /* NULL: it was not told of */
};

/* Time that a layer of a device covered without a pause, not yet put into blocks. */
struct block_run {
	uint64_t begin_ns;
	uint64_t end_ns;
};

/* blocks_init makes it one block without work. */
struct blocks {
	struct block list[BLOCK_COUNT_MAX];
	uint32_t count;
	uint64_t begin_ns;
	uint64_t work_per_block;
	uint64_t charged_until_ns; /* no cut before this */
	uint64_t limit_ns;         /* the window's end, once it is known */
	struct block_run runs[DEVICE_COUNT_MAX][SWEEP_LAYER_COUNT];
};

void blocks_init(struct blocks *blocks);

/* `work` units ended at `time_ns`; may come a little late. */
MUST_CHECK enum status blocks_add_work(struct blocks *blocks, uint64_t time_ns, uint64_t work);

/* What was counted so far was no work after all. */
void blocks_forget_work(struct blocks *blocks);

/* A device's layer covered [begin, end): in order, and no instant twice. */
MUST_CHECK enum status blocks_add_covered(struct blocks *blocks, uint32_t device,
	enum sweep_layer layer, const struct block_run *covered);

/* A kernel gap of at least the threshold. */
MUST_CHECK enum status blocks_add_gap(struct blocks *blocks, const struct gap *gap);

/* A part of that gap; `is_first` of its cause in the gap. */
MUST_CHECK enum status blocks_add_part(
	struct blocks *blocks, uint32_t device, const struct gap_part *part, bool is_first);

/* Where the window ends, before the last gaps are told. */
void blocks_set_limit(struct blocks *blocks, uint64_t end_ns);

/* All was told: the blocks now cover [begin_ns, limit_ns) without a break. */
MUST_CHECK enum status blocks_end(struct blocks *blocks, uint64_t begin_ns);

uint64_t blocks_work(const struct blocks *blocks);

/* Where block `index` begins. */
uint64_t blocks_begin_ns(const struct blocks *blocks, uint32_t index);

void blocks_finish(struct blocks *blocks);
