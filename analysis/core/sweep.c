/* SPDX-License-Identifier: MIT */
#include "analysis/core/sweep.h"

#include "trace/base/array.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void sweep_init(struct sweep *sweep)
{
	*sweep = (struct sweep){.first_start_ns = UINT64_MAX};
}

/* A total order, so that the ender of a gap does not depend on the order of arrival. */
static bool comes_before(const struct operation *a, const struct operation *b)
{
	if (a->start_ns != b->start_ns) {
		return a->start_ns < b->start_ns;
	}
	if (a->is_kernel != b->is_kernel) {
		return a->is_kernel;
	}
	if (a->pid != b->pid) {
		return a->pid < b->pid;
	}
	if (a->correlation != b->correlation) {
		return a->correlation < b->correlation;
	}
	return a->stream < b->stream;
}

static void swap(struct operation *a, struct operation *b)
{
	const struct operation kept = *a;

	*a = *b;
	*b = kept;
}

/* A heap of its own for what comes out of order: merge_heap.h holds heads of streams, not
 * operations. */
static void sift_up(struct operation *heap, size_t i)
{
	while (i > 0 && comes_before(&heap[i], &heap[(i - 1) / 2])) {
		swap(&heap[i], &heap[(i - 1) / 2]);
		i = (i - 1) / 2;
	}
}

static void sift_down(struct operation *heap, size_t count)
{
	size_t i = 0;

	for (;;) {
		const size_t left = 2 * i + 1;
		const size_t right = left + 1;
		size_t first = i;

		if (left < count && comes_before(&heap[left], &heap[first])) {
			first = left;
		}
		if (right < count && comes_before(&heap[right], &heap[first])) {
			first = right;
		}
		if (first == i) {
			return;
		}
		swap(&heap[i], &heap[first]);
		i = first;
	}
}

/* Moves what is pending to the front once half of the room before it is free: O(1) per record. */
static enum status append(struct sweep_list *list, const struct operation *operation)
{
	if (list->first > 0 && list->first + list->count == list->capacity &&
		list->first >= list->count) {
		memcpy(list->operations, list->operations + list->first,
			list->count * sizeof(*list->operations));
		list->first = 0;
	}
	if (!ARRAY_MAKE_ROOM(list->operations, list->first + list->count, list->capacity, 64)) {
		return STATUS_NO_MEMORY;
	}
	list->operations[list->first + list->count++] = *operation;
	return STATUS_OK;
}

/* Nearly all records come in order of start: only those that do not pay for a heap. */
static enum status push(struct sweep *sweep, const struct operation *operation)
{
	struct sweep_list *list = &sweep->in_order;
	enum status status;

	if (list->count == 0 ||
		!comes_before(operation, &list->operations[list->first + list->count - 1])) {
		return append(list, operation);
	}
	list = &sweep->early;
	status = append(list, operation);
	if (status == STATUS_OK) {
		sift_up(list->operations, list->count - 1);
	}
	return status;
}

/* The list that holds the first of what is pending; NULL when nothing is. */
static struct sweep_list *first_list(const struct sweep *sweep)
{
	const struct sweep_list *in_order = &sweep->in_order;
	const struct sweep_list *early = &sweep->early;
	const struct sweep_list *list = in_order;

	if (in_order->count == 0 && early->count == 0) {
		return NULL;
	}
	if (in_order->count == 0 ||
		(early->count > 0 && comes_before(&early->operations[0],
					     &in_order->operations[in_order->first]))) {
		list = early;
	}
	return (struct sweep_list *)(uintptr_t)list;
}

/* From the front of what came in order, or off the top of the heap. */
static struct operation pop(struct sweep *sweep, struct sweep_list *list)
{
	const struct operation operation = list->operations[list->first];

	/* The front moves on without a copy; append() moves the rest down when room runs out. */
	list->count--;
	if (list == &sweep->in_order) {
		list->first = list->count > 0 ? list->first + 1 : 0;
	} else {
		list->operations[0] = list->operations[list->count];
		sift_down(list->operations, list->count);
	}
	return operation;
}

size_t sweep_pending_count(const struct sweep *sweep)
{
	return sweep->in_order.count + sweep->early.count;
}

uint64_t sweep_pending_start_ns(const struct sweep *sweep)
{
	const struct sweep_list *list = first_list(sweep);

	return list ? list->operations[list->first].start_ns : UINT64_MAX;
}

enum status sweep_add(struct sweep *sweep, const struct operation *operation)
{
	const uint64_t length_ns = operation->end_ns - operation->start_ns;

	assert(operation->start_ns <= operation->end_ns);

	sweep->operation_count++;
	sweep->kernel_count += operation->is_kernel;
	/* For the span, also of an operation of zero length: docs/events.md. */
	if (operation->start_ns < sweep->first_start_ns) {
		sweep->first_start_ns = operation->start_ns;
	}
	if (operation->end_ns > sweep->last_end_ns) {
		sweep->last_end_ns = operation->end_ns;
	}
	if (length_ns > sweep->longest_ns) {
		sweep->longest_ns = length_ns;
	}
	return push(sweep, operation);
}

/* What of a late operation would have covered gaps that were told. */
static void note_late(struct sweep *sweep, const struct operation *operation)
{
	const struct sweep_track *track = &sweep->tracks[SWEEP_ANYTHING];

	if (operation->is_kernel) {
		track = &sweep->tracks[SWEEP_KERNEL];
	}
	if (track->has_begun && operation->start_ns < track->run_begin_ns) {
		const uint64_t end_ns = operation->end_ns < track->run_begin_ns
						? operation->end_ns
						: track->run_begin_ns;

		sweep->late_count++;
		sweep->late_ns += end_ns - operation->start_ns;
	}
}

/* Operations come by start, so what lies beyond the cover so far is a gap, and final. */
static enum status cover(struct sweep *sweep, enum sweep_layer layer,
	const struct operation *operation, const struct sweep_listener *listener)
{
	struct sweep_track *track = &sweep->tracks[layer];
	uint64_t from_ns = operation->start_ns;
	enum status status = STATUS_OK;

	if (!track->has_begun || from_ns > track->cover_end_ns) {
		const struct sweep_gap gap = {
			.layer = layer,
			.begin_ns = track->has_begun ? track->cover_end_ns : 0,
			.end_ns = from_ns,
			.ender = operation,
		};

		track->has_begun = true;
		track->run_begin_ns = from_ns;
		track->cover_end_ns = from_ns;
		status = listener->gap(listener->context, &gap);
	}
	if (status == STATUS_OK && operation->end_ns > track->cover_end_ns) {
		from_ns = track->cover_end_ns;
		track->covered_ns += operation->end_ns - from_ns;
		track->cover_end_ns = operation->end_ns;
		status = listener->covered(listener->context, layer, from_ns, operation->end_ns);
	}
	return status;
}

enum status sweep_advance(
	struct sweep *sweep, uint64_t until_ns, const struct sweep_listener *listener)
{
	struct sweep_list *list;

	while ((list = first_list(sweep)) != NULL &&
		list->operations[list->first].start_ns < until_ns) {
		const struct operation operation = pop(sweep, list);
		enum status status = STATUS_OK;

		/* Before it covers anything: then it is known which told gaps it lies in. */
		note_late(sweep, &operation);
		status = cover(sweep, SWEEP_ANYTHING, &operation, listener);
		if (status == STATUS_OK && operation.is_kernel) {
			status = cover(sweep, SWEEP_KERNEL, &operation, listener);
		}
		if (status != STATUS_OK) {
			return status;
		}
	}
	return STATUS_OK;
}

enum status sweep_end(struct sweep *sweep, const struct sweep_listener *listener)
{
	/* Nothing more comes: all that is pending is final, and what follows is the gap after
	 * it. */
	enum status status = sweep_advance(sweep, UINT64_MAX, listener);

	for (int layer = 0; layer < SWEEP_LAYER_COUNT && status == STATUS_OK; layer++) {
		const struct sweep_track *track = &sweep->tracks[layer];
		const struct sweep_gap gap = {
			.layer = (enum sweep_layer)layer,
			.begin_ns = track->has_begun ? track->cover_end_ns : 0,
			.end_ns = UINT64_MAX,
		};

		status = listener->gap(listener->context, &gap);
	}
	return status;
}

enum status sweep_merge(struct sweep *into, struct sweep *from)
{
	struct sweep_list *list;

	/* What was swept already has told of gaps, which nobody could take back. */
	assert(!from->tracks[SWEEP_ANYTHING].has_begun);
	while ((list = first_list(from)) != NULL) {
		const struct operation operation = pop(from, list);
		const enum status status = push(into, &operation);

		if (status != STATUS_OK) {
			return status;
		}
	}
	into->operation_count += from->operation_count;
	into->kernel_count += from->kernel_count;
	if (from->first_start_ns < into->first_start_ns) {
		into->first_start_ns = from->first_start_ns;
	}
	if (from->last_end_ns > into->last_end_ns) {
		into->last_end_ns = from->last_end_ns;
	}
	if (from->longest_ns > into->longest_ns) {
		into->longest_ns = from->longest_ns;
	}
	sweep_finish(from);
	return STATUS_OK;
}

void sweep_finish(struct sweep *sweep)
{
	free(sweep->in_order.operations);
	free(sweep->early.operations);
	sweep_init(sweep);
}
