/* SPDX-License-Identifier: MIT */
/*
 * A growing ring of items of one size: pushed at the back, dropped at the front, and put in order
 * where a late one belongs. Pointers into it are valid until the next change. The caller finishes.
 * The size of an item is a multiple of eight bytes.
 */
#pragma once

#include "trace/base/cleanup.h"
#include "trace/base/status.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct walk_ring {
	char *items;
	size_t item_bytes;
	size_t capacity; /* 0 or a power of two */
	size_t first;
	size_t count;
};

void walk_ring_init(struct walk_ring *ring, size_t item_bytes);

/* The i-th from the front. */
static inline void *walk_ring_at(const struct walk_ring *ring, size_t i)
{
	return ring->items + ((ring->first + i) & (ring->capacity - 1)) * ring->item_bytes;
}

/* A copy of `item` comes to lie before the i-th, or at the back when i is the count. */
MUST_CHECK enum status walk_ring_insert(struct walk_ring *ring, size_t i, const void *item);

static inline enum status walk_ring_push(struct walk_ring *ring, const void *item)
{
	char *place;

	if (ring->count == ring->capacity) {
		return walk_ring_insert(ring, ring->count, item);
	}
	place = walk_ring_at(ring, ring->count);
	ring->count++;
	/* Items are whole words, and few: a loop costs less than a call. */
	for (size_t i = 0; i < ring->item_bytes; i += sizeof(uint64_t)) {
		memcpy(place + i, (const char *)item + i, sizeof(uint64_t));
	}
	return STATUS_OK;
}

static inline void walk_ring_drop_front(struct walk_ring *ring, size_t count)
{
	ring->first = (ring->first + count) & (ring->capacity - 1);
	ring->count -= count;
}

/* How many items at the front have a time below `time_ns`; the time is an item's first field. */
size_t walk_ring_below(const struct walk_ring *ring, uint64_t time_ns);

void walk_ring_finish(struct walk_ring *ring);
