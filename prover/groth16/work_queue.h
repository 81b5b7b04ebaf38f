/* SPDX-License-Identifier: MIT */
/*
 * What a set of threads has to do together: tasks, each of many independent tiles, some of which
 * must wait for other tasks. A queue is set up by one thread, worked off once by
 * work_pool_run() and then spent. It holds no memory; contexts belong to the caller.
 */
#pragma once

#include "trace/base/cleanup.h"
#include "trace/base/status.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* A whole proof takes about 30 tasks. */
#define WORK_QUEUE_TASKS_MAX 64

/* A task is followed by at most the queries' inputs, or by the passes of one transform. */
#define WORK_QUEUE_FOLLOWERS_MAX 12

/* Also the return value of an optional step that was left out. */
#define WORK_TASK_NONE UINT32_MAX

struct work_task {
	/* Does one tile. `worker` is below the pool's thread count, and no two tiles that run at
	 * the same time have the same. What is not OK ends the run. */
	enum status (*run)(void *context, uint32_t tile, uint32_t worker);
	void *context;
	uint32_t tile_count;
};

struct work_slot {
	struct work_task task;
	uint32_t followers[WORK_QUEUE_FOLLOWERS_MAX];
	uint32_t follower_count;
	atomic_uint blocker_count;
	atomic_uint next_tile;
	atomic_uint done_count;
};

struct work_queue {
	struct work_slot slots[WORK_QUEUE_TASKS_MAX];
	uint32_t task_count;
	atomic_uint open_count; /* tasks not yet done */
	atomic_int status;      /* the first failure */
};

void work_queue_init(struct work_queue *queue);

/* Copies `task` and gives its number. Tasks added first are worked on first, when they are ready.
 */
uint32_t work_queue_add(struct work_queue *queue, const struct work_task *task);

/* `later` starts when every tile of `earlier` is done. Either may be WORK_TASK_NONE. */
void work_queue_order(struct work_queue *queue, uint32_t earlier, uint32_t later);

/* Sets the tiles of a task that waits: to be called from a tile of a task it waits for. */
void work_queue_resize(struct work_queue *queue, uint32_t task, uint32_t tile_count);

/* For work_pool.c. Readies the tasks that wait for none; once, before the first step. */
void work_queue_start(struct work_queue *queue);

/*
 * Does one tile, if one is ready. `out_has_changed` is set if others should look again: a task
 * became ready, or nothing is left to start.
 */
bool work_queue_step(struct work_queue *queue, uint32_t worker, bool *out_has_changed);

/* Nothing is left to start: all is done, or something failed. */
bool work_queue_is_over(struct work_queue *queue);
