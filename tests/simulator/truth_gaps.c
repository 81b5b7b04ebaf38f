/* SPDX-License-Identifier: MIT */
#include "tests/simulator/truth_private.h"

#include <assert.h>
#include <stdlib.h>

static int compare_operations(const void *a, const void *b)
{
	const struct world_operation *left = *(const struct world_operation *const *)a;
	const struct world_operation *right = *(const struct world_operation *const *)b;

	return (left->start_ns > right->start_ns) - (left->start_ns < right->start_ns);
}

struct truth_gap *truth_gaps(const struct world *world, int device, size_t *out_count)
{
	size_t count = world_operation_count(world);
	const struct world_operation *all = world_operations(world);
	const struct world_operation **kernels = calloc(count + 1, sizeof(*kernels));
	struct truth_gap *gaps = calloc(count + 2, sizeof(*gaps));
	size_t kernel_count = 0;
	size_t gap_count = 0;
	uint64_t begin_ns;
	uint64_t window_end_ns;

	assert(kernels && gaps);
	world_window(world, &begin_ns, &window_end_ns);
	for (size_t i = 0; i < count; i++) {
		if (all[i].is_kernel && all[i].device == device) {
			kernels[kernel_count++] = &all[i];
		}
	}
	qsort(kernels, kernel_count, sizeof(*kernels), compare_operations);
	/* Kernels overlap, on several streams: a gap begins where the last of all before it ended.
	 */
	for (size_t i = 0; i < kernel_count; i++) {
		const struct world_operation *kernel = kernels[i];

		if (kernel->start_ns > begin_ns) {
			gaps[gap_count++] = (struct truth_gap){
				.gap = {.device = (uint32_t)device,
					.begin_ns = begin_ns,
					.end_ns = kernel->start_ns,
					.edge = i == 0 ? GAP_BEFORE_FIRST : GAP_INNER,
					.has_ender = true,
					.ender = {.pid = world_pid(),
						.context = world_context(device),
						.stream = (uint32_t)kernel->stream,
						.correlation = kernel->correlation,
						.graph = kernel->graph,
						.start_ns = kernel->start_ns}},
				.ender = (int)(kernel - all)};
		}
		begin_ns = kernel->end_ns > begin_ns ? kernel->end_ns : begin_ns;
	}
	if (window_end_ns > begin_ns) {
		gaps[gap_count++] = (struct truth_gap){
			.gap = {.device = (uint32_t)device,
				.begin_ns = begin_ns,
				.end_ns = window_end_ns,
				.edge = kernel_count == 0 ? GAP_SILENT : GAP_AFTER_LAST},
			.ender = -1};
	}
	free(kernels);
	*out_count = gap_count;
	return gaps;
}

struct cut_list {
	uint64_t begin_ns;
	uint64_t end_ns;
	uint64_t *cuts;
	size_t count;
	size_t capacity;
};

static void cut_at(struct cut_list *list, uint64_t time_ns)
{
	if (!truth_covers(list->begin_ns, list->end_ns, time_ns)) {
		return;
	}
	if (list->count == list->capacity) {
		list->capacity = list->capacity ? list->capacity * 2 : 256;
		list->cuts = realloc(list->cuts, list->capacity * sizeof(*list->cuts));
		assert(list->cuts);
	}
	list->cuts[list->count++] = time_ns;
}

static int compare_times(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a;
	uint64_t right = *(const uint64_t *)b;

	return (left > right) - (left < right);
}

uint64_t *truth_cuts(
	const struct world *world, uint64_t begin_ns, uint64_t end_ns, size_t *out_count)
{
	struct cut_list list = {.begin_ns = begin_ns, .end_ns = end_ns};
	size_t kept = 0;

	/* Everything that changes in the world is an event, or the begin or end of an operation. */
	for (size_t i = 0; i < world_event_count(world); i++) {
		const struct event *event = &world_events(world)[i];

		cut_at(&list, event->time_ns);
		if (event->kind == EVENT_GPU_API) {
			cut_at(&list, event->api.start_ns);
		}
	}
	for (size_t i = 0; i < world_operation_count(world); i++) {
		cut_at(&list, world_operations(world)[i].start_ns);
		cut_at(&list, world_operations(world)[i].end_ns);
	}
	cut_at(&list, end_ns);
	qsort(list.cuts, list.count, sizeof(*list.cuts), compare_times);
	for (size_t i = 0; i < list.count; i++) {
		if (kept == 0 || list.cuts[i] != list.cuts[kept - 1]) {
			list.cuts[kept++] = list.cuts[i];
		}
	}
	*out_count = kept;
	return list.cuts;
}
