/* SPDX-License-Identifier: MIT */
/*
 * A traced queue ordered by (major, minor), smallest first, ties by age: the scheduler's heap, the
 * synthesis and GPU queues, and with equal keys the bounded dispatch channel. Entries lie inside
 * what they queue, so a push needs no key of its own and can never replace another entry. The
 * queue borrows an entry from push to pop. Any thread may call.
 */
#pragma once

#include "gaptrace/gaptrace.h"
#include "trace/base/cleanup.h"
#include "trace/base/status.h"

#include <stdbool.h>
#include <stdint.h>

struct priority_queue_entry {
	uint64_t major;
	uint64_t minor;
	struct gaptrace_item item; /* the queue numbers it; the pusher says what work it is */
};

struct priority_queue {
	struct gaptrace_mutex mutex; /* guards all below */
	struct gaptrace_condition not_empty;
	struct gaptrace_condition not_full;
	const char *name;
	struct priority_queue_entry **heap;
	uint32_t count;
	uint32_t allocated;
	uint32_t capacity;
	uint32_t waiting_pushers;
	uint64_t pushed_count;
	uint64_t popped_count;
	bool is_closed;
};

/* `name` is a literal; it is also the name of the queue's lock. `capacity` is at least 1. */
MUST_CHECK enum status priority_queue_init(
	struct priority_queue *queue, const char *name, uint32_t capacity);

/* The queue must be empty. */
void priority_queue_finish(struct priority_queue *queue);

/* OVER_LIMIT when full, STOPPED once closed. */
MUST_CHECK enum status priority_queue_push(
	struct priority_queue *queue, struct priority_queue_entry *entry);

/* Blocks while the queue is full (a wait of kind backpressure). STOPPED once closed. */
MUST_CHECK enum status priority_queue_push_wait(
	struct priority_queue *queue, struct priority_queue_entry *entry);

/* Blocks while the queue is empty. NULL once it is closed and empty. */
struct priority_queue_entry *priority_queue_pop(struct priority_queue *queue);

/* No push any more; pops go on until the queue is empty. */
void priority_queue_close(struct priority_queue *queue);

struct priority_queue_counts {
	uint32_t depth;
	uint64_t pushed_count;
	uint64_t popped_count;
};

struct priority_queue_counts priority_queue_counts(struct priority_queue *queue);
