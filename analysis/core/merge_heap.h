/* SPDX-License-Identifier: MIT */
/*
 * A binary heap of the next time of each input. Of equal times the input with the lower number is
 * first, so that an order never depends on chance. The caller owns the array.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct merge_head {
	uint64_t time_ns;
	size_t input;
};

struct merge_heap {
	struct merge_head *heads; /* the first one is the earliest */
	size_t count;
};

/* The array has room for it. */
void merge_heap_add(struct merge_heap *heap, struct merge_head head);

/* The first input goes on to a later time: most of the time it stays where it is. */
void merge_heap_move_first(struct merge_heap *heap, uint64_t time_ns);

void merge_heap_remove_first(struct merge_heap *heap);
