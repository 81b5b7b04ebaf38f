/* SPDX-License-Identifier: MIT */
#include "analysis/core/merge_heap.h"

#include <assert.h>
#include <stdbool.h>

/* At equal times the lower input, so that a merge is the same each time. */
static bool comes_before(const struct merge_head *a, const struct merge_head *b)
{
	return a->time_ns != b->time_ns ? a->time_ns < b->time_ns : a->input < b->input;
}

void merge_heap_add(struct merge_heap *heap, struct merge_head head)
{
	size_t i = heap->count++;

	while (i > 0 && comes_before(&head, &heap->heads[(i - 1) / 2])) {
		heap->heads[i] = heap->heads[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	heap->heads[i] = head;
}

/* Puts `head` where it belongs, starting from the first place, which is free. */
static void sift_down(struct merge_heap *heap, struct merge_head head)
{
	size_t i = 0;
	size_t child = 1;

	while (child < heap->count) {
		if (child + 1 < heap->count &&
			comes_before(&heap->heads[child + 1], &heap->heads[child])) {
			child++;
		}
		if (!comes_before(&heap->heads[child], &head)) {
			break;
		}
		heap->heads[i] = heap->heads[child];
		i = child;
		child = 2 * i + 1;
	}
	heap->heads[i] = head;
}

void merge_heap_move_first(struct merge_heap *heap, uint64_t time_ns)
{
	const struct merge_head head = {.time_ns = time_ns, .input = heap->heads[0].input};

	assert(heap->count > 0);
	sift_down(heap, head);
}

void merge_heap_remove_first(struct merge_heap *heap)
{
	assert(heap->count > 0);
	heap->count--;
	if (heap->count > 0) {
		sift_down(heap, heap->heads[heap->count]);
	}
}
