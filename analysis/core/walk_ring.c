/* SPDX-License-Identifier: MIT */
#include "analysis/core/walk_ring.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define CAPACITY_MIN 8

void walk_ring_init(struct walk_ring *ring, size_t item_bytes)
{
	/* Items begin with the uint64_t that they are ordered by, and lie one behind another. */
	assert(item_bytes % sizeof(uint64_t) == 0);

	*ring = (struct walk_ring){.item_bytes = item_bytes};
}

static enum status grow(struct walk_ring *ring)
{
	const size_t capacity = ring->capacity ? ring->capacity * 2 : CAPACITY_MIN;
	char *items = malloc(capacity * ring->item_bytes);

	if (!items) {
		return STATUS_NO_MEMORY;
	}
	for (size_t i = 0; i < ring->count; i++) {
		memcpy(items + i * ring->item_bytes, walk_ring_at(ring, i), ring->item_bytes);
	}
	free(ring->items);
	ring->items = items;
	ring->capacity = capacity;
	ring->first = 0;
	return STATUS_OK;
}

enum status walk_ring_insert(struct walk_ring *ring, size_t i, const void *item)
{
	enum status status = STATUS_OK;

	assert(i <= ring->count);

	if (ring->count == ring->capacity) {
		status = grow(ring);
	}
	if (status != STATUS_OK) {
		return status;
	}
	ring->count++;
	/* From the end: nearly every item is the latest, and moves nothing. */
	for (size_t j = ring->count - 1; j > i; j--) {
		memcpy(walk_ring_at(ring, j), walk_ring_at(ring, j - 1), ring->item_bytes);
	}
	memcpy(walk_ring_at(ring, i), item, ring->item_bytes);
	return STATUS_OK;
}

size_t walk_ring_below(const struct walk_ring *ring, uint64_t time_ns)
{
	size_t low = 0;
	size_t high = ring->count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		uint64_t item_ns;

		memcpy(&item_ns, walk_ring_at(ring, middle), sizeof(item_ns));
		if (item_ns < time_ns) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	return low;
}

void walk_ring_finish(struct walk_ring *ring)
{
	free(ring->items);
	ring->items = NULL;
	ring->capacity = 0;
	ring->count = 0;
}
