/* SPDX-License-Identifier: MIT */
#include "prover/priority_queue.h"

#include "prover/lock_registry.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* item.id counts pushes, so that equal keys leave in the order in which they came. */
static bool entry_is_before(
	const struct priority_queue_entry *left, const struct priority_queue_entry *right)
{
	if (left->major != right->major) {
		return left->major < right->major;
	}
	if (left->minor != right->minor) {
		return left->minor < right->minor;
	}
	return left->item.id < right->item.id;
}

static void sift_up(struct priority_queue *queue, uint32_t index)
{
	struct priority_queue_entry *entry = queue->heap[index];

	while (index > 0 && entry_is_before(entry, queue->heap[(index - 1) / 2])) {
		queue->heap[index] = queue->heap[(index - 1) / 2];
		index = (index - 1) / 2;
	}
	queue->heap[index] = entry;
}

static void sift_down(struct priority_queue *queue, struct priority_queue_entry *entry)
{
	uint32_t index = 0;

	for (;;) {
		uint32_t child = 2 * index + 1;

		if (child >= queue->count) {
			break;
		}
		if (child + 1 < queue->count &&
			entry_is_before(queue->heap[child + 1], queue->heap[child])) {
			child++;
		}
		if (!entry_is_before(queue->heap[child], entry)) {
			break;
		}
		queue->heap[index] = queue->heap[child];
		index = child;
	}
	queue->heap[index] = entry;
}

/* Allocated as it fills: capacity may be as good as unlimited. */
static enum status grow(struct priority_queue *queue)
{
	uint32_t allocated = queue->allocated ? 2 * queue->allocated : 16;
	struct priority_queue_entry **heap = NULL;

	if (queue->count < queue->allocated) {
		return STATUS_OK;
	}
	heap = realloc(queue->heap, allocated * sizeof(struct priority_queue_entry *));
	if (!heap) {
		return STATUS_NO_MEMORY;
	}
	queue->heap = heap;
	queue->allocated = allocated;
	return STATUS_OK;
}

/* Under the lock, with room. */
static enum status push_locked(struct priority_queue *queue, struct priority_queue_entry *entry)
{
	enum status status = grow(queue);

	if (status != STATUS_OK) {
		return status;
	}
	queue->pushed_count++;
	entry->item.id = queue->pushed_count;
	queue->heap[queue->count] = entry;
	queue->count++;
	sift_up(queue, queue->count - 1);
	/* While the queue is locked: no pop of this item can come before its push in the trace. */
	gaptrace_queue_push(queue, queue->name, &entry->item, queue->count);
	gaptrace_condition_signal(&queue->not_empty);
	return STATUS_OK;
}

/* Under the lock, not empty. */
static struct priority_queue_entry *pop_locked(
	struct priority_queue *queue, const struct gaptrace_pop *pop)
{
	struct priority_queue_entry *first = queue->heap[0];

	queue->count--;
	if (queue->count > 0) {
		sift_down(queue, queue->heap[queue->count]);
	}
	queue->popped_count++;
	gaptrace_queue_pop(pop, &first->item, queue->count);
	if (queue->waiting_pushers > 0) {
		gaptrace_wake(&queue->not_full, queue->name);
		gaptrace_condition_signal(&queue->not_full);
	}
	return first;
}

enum status priority_queue_init(struct priority_queue *queue, const char *name, uint32_t capacity)
{
	assert(queue && name && capacity > 0);

	memset(queue, 0, sizeof(*queue));
	queue->name = name;
	queue->capacity = capacity;
	/* Without names: the queue tells its waits itself, as pops and backpressure. */
	gaptrace_condition_init(&queue->not_empty, NULL);
	gaptrace_condition_init(&queue->not_full, NULL);
	return lock_registry_mutex_init(&queue->mutex, name);
}

void priority_queue_finish(struct priority_queue *queue)
{
	assert(queue->count == 0);

	gaptrace_condition_finish(&queue->not_full);
	gaptrace_condition_finish(&queue->not_empty);
	lock_registry_mutex_finish(&queue->mutex);
	free(queue->heap);
	queue->heap = NULL;
}

enum status priority_queue_push(struct priority_queue *queue, struct priority_queue_entry *entry)
{
	enum status status = STATUS_OK;

	gaptrace_mutex_lock(&queue->mutex);
	if (queue->is_closed) {
		status = STATUS_STOPPED;
	} else if (queue->count >= queue->capacity) {
		status = STATUS_OVER_LIMIT;
	} else {
		status = push_locked(queue, entry);
	}
	gaptrace_mutex_unlock(&queue->mutex);
	return status;
}

enum status priority_queue_push_wait(
	struct priority_queue *queue, struct priority_queue_entry *entry)
{
	enum status status = STATUS_OK;

	gaptrace_mutex_lock(&queue->mutex);
	if (queue->count >= queue->capacity && !queue->is_closed) {
		struct gaptrace_wait wait = gaptrace_wait_begin(
			&queue->not_full, queue->name, GAPTRACE_WAIT_BACKPRESSURE);

		/* So that pops of a queue that nobody waits for cost no wake. */
		queue->waiting_pushers++;
		while (queue->count >= queue->capacity && !queue->is_closed) {
			gaptrace_condition_wait(&queue->not_full, &queue->mutex);
		}
		queue->waiting_pushers--;
		gaptrace_wait_end(&wait);
	}
	status = queue->is_closed ? STATUS_STOPPED : push_locked(queue, entry);
	gaptrace_mutex_unlock(&queue->mutex);
	return status;
}

struct priority_queue_entry *priority_queue_pop(struct priority_queue *queue)
{
	struct priority_queue_entry *entry = NULL;
	struct gaptrace_pop pop;

	gaptrace_mutex_lock(&queue->mutex);
	pop = gaptrace_queue_pop_wait(queue, queue->name);
	/* A closed queue is emptied before its consumers end. */
	while (queue->count == 0 && !queue->is_closed) {
		gaptrace_condition_wait(&queue->not_empty, &queue->mutex);
	}
	if (queue->count > 0) {
		entry = pop_locked(queue, &pop);
	} else {
		gaptrace_queue_pop_cancel(&pop);
	}
	gaptrace_mutex_unlock(&queue->mutex);
	return entry;
}

void priority_queue_close(struct priority_queue *queue)
{
	gaptrace_mutex_lock(&queue->mutex);
	queue->is_closed = true;
	if (queue->waiting_pushers > 0) {
		gaptrace_wake(&queue->not_full, queue->name);
	}
	gaptrace_condition_broadcast(&queue->not_empty);
	gaptrace_condition_broadcast(&queue->not_full);
	gaptrace_mutex_unlock(&queue->mutex);
}

struct priority_queue_counts priority_queue_counts(struct priority_queue *queue)
{
	struct priority_queue_counts counts;

	gaptrace_mutex_lock(&queue->mutex);
	counts = (struct priority_queue_counts){.depth = queue->count,
		.pushed_count = queue->pushed_count,
		.popped_count = queue->popped_count};
	gaptrace_mutex_unlock(&queue->mutex);
	return counts;
}
