/* SPDX-License-Identifier: MIT */
#include "prover/groth16/work_queue.h"

#include <assert.h>
#include <stddef.h>

void work_queue_init(struct work_queue *queue)
{
	queue->task_count = 0;
	atomic_init(&queue->open_count, 0);
	atomic_init(&queue->status, STATUS_OK);
}

uint32_t work_queue_add(struct work_queue *queue, const struct work_task *task)
{
	struct work_slot *slot;

	assert(queue->task_count < WORK_QUEUE_TASKS_MAX);
	assert(task->run);

	slot = &queue->slots[queue->task_count];
	slot->task = *task;
	slot->follower_count = 0;
	/* One for the start of the run, so that nothing is ready while tasks are added. */
	atomic_init(&slot->blocker_count, 1);
	atomic_init(&slot->next_tile, 0);
	atomic_init(&slot->done_count, 0);
	(void)atomic_fetch_add(&queue->open_count, 1);
	return queue->task_count++;
}

void work_queue_order(struct work_queue *queue, uint32_t earlier, uint32_t later)
{
	struct work_slot *slot;

	if (earlier == WORK_TASK_NONE || later == WORK_TASK_NONE) {
		return;
	}
	assert(earlier < later); /* so that there are no cycles */
	assert(later < queue->task_count);

	slot = &queue->slots[earlier];
	assert(slot->follower_count < WORK_QUEUE_FOLLOWERS_MAX);
	slot->followers[slot->follower_count++] = later;
	(void)atomic_fetch_add(&queue->slots[later].blocker_count, 1);
}

void work_queue_resize(struct work_queue *queue, uint32_t task, uint32_t tile_count)
{
	assert(task < queue->task_count);
	/* Only what is not ready: nobody claims its tiles yet. */
	assert(atomic_load(&queue->slots[task].blocker_count) > 0);
	queue->slots[task].task.tile_count = tile_count;
}

/* Takes one blocker from `task`. True if that makes it done: ready, and without a tile. */
static bool release(struct work_queue *queue, uint32_t task)
{
	struct work_slot *slot = &queue->slots[task];

	return atomic_fetch_sub(&slot->blocker_count, 1) == 1 && slot->task.tile_count == 0;
}

/* Releases those that wait for `task`; appends to `done` what that makes done. Gives their count.
 */
static uint32_t release_followers(struct work_queue *queue, uint32_t task, uint32_t *done)
{
	const struct work_slot *slot = &queue->slots[task];
	uint32_t count = 0;

	for (uint32_t i = 0; i < slot->follower_count; i++) {
		if (release(queue, slot->followers[i])) {
			done[count++] = slot->followers[i];
		}
	}
	return count;
}

/* `task` is done: so may be tasks without tiles that waited for it, and so on. */
static void finish(struct work_queue *queue, uint32_t task)
{
	uint32_t done[WORK_QUEUE_TASKS_MAX] = {task}; /* a task is done only once */
	uint32_t done_count = 1;

	for (uint32_t i = 0; i < done_count; i++) {
		done_count += release_followers(queue, done[i], done + done_count);
	}
	(void)atomic_fetch_sub(&queue->open_count, done_count);
}

void work_queue_start(struct work_queue *queue)
{
	for (uint32_t i = 0; i < queue->task_count; i++) {
		if (release(queue, i)) {
			finish(queue, i);
		}
	}
}

/* Claims a tile of a ready task, or gives NULL. */
static struct work_slot *claim(struct work_queue *queue, uint32_t *out_tile)
{
	for (uint32_t i = 0; i < queue->task_count; i++) {
		struct work_slot *slot = &queue->slots[i];
		uint32_t tile;

		if (atomic_load(&slot->blocker_count) > 0 ||
			atomic_load(&slot->next_tile) >= slot->task.tile_count) {
			continue;
		}
		/* May pass the end, when several threads come for the last tile. */
		tile = atomic_fetch_add(&slot->next_tile, 1);
		if (tile < slot->task.tile_count) {
			*out_tile = tile;
			return slot;
		}
	}
	return NULL;
}

bool work_queue_step(struct work_queue *queue, uint32_t worker, bool *out_has_changed)
{
	uint32_t tile = 0;
	struct work_slot *slot = claim(queue, &tile);
	enum status status;
	int expected = STATUS_OK;

	*out_has_changed = false;
	if (!slot) {
		return false;
	}
	status = slot->task.run(slot->task.context, tile, worker);
	if (status != STATUS_OK) {
		/* The first failure wins. The queue is over: its other tiles are left. */
		(void)atomic_compare_exchange_strong(&queue->status, &expected, (int)status);
		*out_has_changed = true;
		return true;
	}
	if (atomic_fetch_add(&slot->done_count, 1) + 1 == slot->task.tile_count) {
		/* Whoever ends the last tile has seen the results of all, by the counter. */
		finish(queue, (uint32_t)(slot - queue->slots));
		*out_has_changed = true;
	}
	return true;
}

bool work_queue_is_over(struct work_queue *queue)
{
	return atomic_load(&queue->open_count) == 0 || atomic_load(&queue->status) != STATUS_OK;
}
