/* SPDX-License-Identifier: MIT */
/*
 * Queues: who pushed each item that is in one, and when a queue that belongs to one device held
 * work. A queue belongs to a device when all its items say so.
 */
#pragma once

#include "analysis/core/walk_lane.h"

/* Items in all queues. More means that pops were lost; the older half is then forgotten. */
#define WALK_ITEM_COUNT_MAX 262144

struct walk_item {
	uint64_t time_ns; /* of the push */
	struct walk_lane_reference lane;
	struct event_work work;
};

struct walk_queue {
	int32_t pid;
	uint64_t id;
	const char *name;
	int32_t device; /* GAPTRACE_NONE: none, or several */
	bool is_used;   /* an item was seen */
	bool is_shared; /* of several devices */
	uint64_t last_ns;
	uint32_t waiting_count;            /* pops under way */
	struct walk_map items;             /* struct walk_item */
	struct walk_ring turns;            /* struct walk_queue_turn */
	const struct walk_queues *queues;  /* it is one of these */
	struct walk_lane_reference popper; /* the last one */
	uint64_t pop_ns;
};

/* From here on the queue held work, or none. */
struct walk_queue_turn {
	uint64_t time_ns;
	bool has_work;
};

struct walk_queues {
	struct walk_map by_id;
	struct walk_slab slab;
	struct walk_slab items;
	uint64_t doubt_until_ns; /* events are missing up to then */
};

void walk_queues_init(struct walk_queues *queues);
void walk_queues_finish(struct walk_queues *queues);

/* Made when there is none; NULL without memory. `name` is kept by address. */
struct walk_queue *walk_queues_get(
	struct walk_queues *queues, int32_t pid, uint64_t id, const char *name);
struct walk_queue *walk_queues_find(const struct walk_queues *queues, int32_t pid, uint64_t id);

MUST_CHECK enum status walk_queues_push(struct walk_queues *queues, struct walk_queue *queue,
	uint64_t item, const struct walk_item *pushed);

/* Takes the item off the queue; false when its push was not seen. */
bool walk_queues_pop(struct walk_queues *queues, struct walk_queue *queue, uint64_t item,
	struct walk_item *out_item);

/* The first event of a queue also says what it had held since the recording began. */
MUST_CHECK enum status walk_queue_begin(struct walk_queue *queue, uint64_t first_ns, bool has_work);

/* After a push, a pop or a keyframe. */
MUST_CHECK enum status walk_queue_set_depth(
	struct walk_queue *queue, uint64_t time_ns, uint32_t depth);
void walk_queue_set_device(struct walk_queue *queue, int32_t device);

/* Events are missing up to then: what a queue held must be told anew. */
void walk_queues_doubt(struct walk_queues *queues, uint64_t end_ns);

/* Since when it was told what the queue held at y, 0 for never. */
uint64_t walk_queue_known_at(const struct walk_queue *queue, uint64_t y_ns);

/* Whether the queue held work at y; raises *from_ns to where that answer begins. */
bool walk_queue_had_work(const struct walk_queue *queue, uint64_t y_ns, uint64_t *from_ns);

/*
 * A queue of the same process that belongs to another device than `device` and held work at y;
 * NULL when none did. Raises *from_ns to where that answer begins.
 */
const struct walk_queue *walk_queues_other_with_work(const struct walk_queues *queues, int32_t pid,
	int32_t device, uint64_t y_ns, uint64_t *from_ns);

void walk_queues_sweep(struct walk_queues *queues, uint64_t forget_ns);
