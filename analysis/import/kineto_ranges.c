/* SPDX-License-Identifier: MIT */
#include "analysis/import/kineto_ranges.h"

#include "trace/base/array.h"

#include <stdlib.h>

/*
 * The heap is one of threads, by the end of what each has innermost: a range inside another never
 * ends later, so the next end of all is on top, and a thread costs the same however deep it is.
 */

/* What a thread has open, the outermost first: the innermost never ends after those around it. */
struct kineto_range_thread {
	int32_t pid;
	int32_t tid;
	size_t place; /* in the heap, of the threads that have something open */
	size_t count;
	size_t capacity;
	struct kineto_range *open;
};

static uint64_t end_of(const struct kineto_range_thread *thread)
{
	return thread->open[thread->count - 1].end_ns;
}

static void put(struct kineto_ranges *ranges, size_t place, struct kineto_range_thread *thread)
{
	ranges->heap[place] = thread;
	thread->place = place;
}

/* To where the end of its innermost range belongs. */
static void settle(struct kineto_ranges *ranges, struct kineto_range_thread *thread)
{
	size_t place = thread->place;

	while (place > 0 && end_of(ranges->heap[(place - 1) / 2]) > end_of(thread)) {
		put(ranges, place, ranges->heap[(place - 1) / 2]);
		place = (place - 1) / 2;
	}
	for (size_t child = 2 * place + 1; child < ranges->heap_count; child = 2 * place + 1) {
		if (child + 1 < ranges->heap_count &&
			end_of(ranges->heap[child + 1]) < end_of(ranges->heap[child])) {
			child++;
		}
		if (end_of(ranges->heap[child]) >= end_of(thread)) {
			break;
		}
		put(ranges, place, ranges->heap[child]);
		place = child;
	}
	put(ranges, place, thread);
}

static enum status add_to_heap(struct kineto_ranges *ranges, struct kineto_range_thread *thread)
{
	if (!ARRAY_MAKE_ROOM(ranges->heap, ranges->heap_count, ranges->heap_capacity, 64)) {
		return STATUS_NO_MEMORY;
	}
	put(ranges, ranges->heap_count++, thread);
	return STATUS_OK;
}

static void remove_from_heap(struct kineto_ranges *ranges, struct kineto_range_thread *thread)
{
	struct kineto_range_thread *last = ranges->heap[--ranges->heap_count];

	if (last != thread) {
		put(ranges, thread->place, last);
		settle(ranges, last);
	}
}

static struct kineto_range_thread *find_thread(
	const struct kineto_ranges *ranges, const struct event *event)
{
	return walk_map_find(&ranges->threads, (uint32_t)event->tid, (uint32_t)event->pid);
}

static enum status get_thread(struct kineto_ranges *ranges, const struct event *event,
	struct kineto_range_thread **out_thread)
{
	struct kineto_range_thread *thread = find_thread(ranges, event);

	if (!thread && ranges->threads.count < KINETO_RANGE_THREAD_COUNT_MAX) {
		thread = calloc(1, sizeof(*thread));
		if (!thread) {
			return STATUS_NO_MEMORY;
		}
		thread->pid = event->pid;
		thread->tid = event->tid;
		if (walk_map_put(&ranges->threads, (uint32_t)event->tid, (uint32_t)event->pid,
			    thread) != STATUS_OK) {
			free(thread);
			return STATUS_NO_MEMORY;
		}
	}
	*out_thread = thread;
	return STATUS_OK;
}

static enum status push(struct kineto_ranges *ranges, struct kineto_range_thread *thread,
	const struct kineto_range *range)
{
	if (!ARRAY_MAKE_ROOM(thread->open, thread->count, thread->capacity, 16)) {
		return STATUS_NO_MEMORY;
	}
	if (thread->count == 0) {
		const enum status status = add_to_heap(ranges, thread);

		if (status != STATUS_OK) {
			return status;
		}
	}
	thread->open[thread->count++] = *range;
	if (thread->count > 1 && range->end_ns > thread->open[thread->count - 2].end_ns) {
		thread->open[thread->count - 1].end_ns = thread->open[thread->count - 2].end_ns;
		ranges->cut += !range->is_pair;
	}
	settle(ranges, thread);
	return STATUS_OK;
}

enum status kineto_ranges_begin(struct kineto_ranges *ranges, const struct event *event,
	const struct kineto_range *range, bool *out_is_told)
{
	struct kineto_range_thread *thread = NULL;
	enum status status = get_thread(ranges, event, &thread);

	*out_is_told = thread && thread->count < KINETO_RANGE_DEPTH_MAX;
	if (status == STATUS_OK && *out_is_told) {
		return push(ranges, thread, range);
	}
	ranges->dropped++;
	return status;
}

void kineto_ranges_end(struct kineto_ranges *ranges, const struct event *event)
{
	struct kineto_range_thread *thread = find_thread(ranges, event);
	size_t pair = thread ? thread->count : 0;

	/* An 'E' names nothing: it ends the innermost 'B', and with it all that began inside. */
	while (pair > 0 && !thread->open[pair - 1].is_pair) {
		pair--;
	}
	if (pair == 0) {
		ranges->unmatched++;
		return;
	}
	ranges->cut += thread->count - pair;
	for (size_t i = pair - 1; i < thread->count; i++) {
		thread->open[i].end_ns = event->time_ns;
		thread->open[i].is_pair = false;
	}
	settle(ranges, thread);
}

static void end_thread(
	struct kineto_ranges *ranges, struct kineto_range_thread *thread, uint64_t time_ns)
{
	for (size_t i = 0; i < thread->count; i++) {
		ranges->open += thread->open[i].is_pair;
		if (thread->open[i].end_ns > time_ns) {
			thread->open[i].end_ns = time_ns;
		}
	}
}

void kineto_ranges_end_all(struct kineto_ranges *ranges, uint64_t time_ns)
{
	for (size_t i = 0; i < ranges->heap_count; i++) {
		end_thread(ranges, ranges->heap[i], time_ns);
	}
	/* Many ends changed at once: the heap is built anew from its leaves. */
	for (size_t i = ranges->heap_count / 2; i-- > 0;) {
		settle(ranges, ranges->heap[i]);
	}
}

bool kineto_ranges_next(struct kineto_ranges *ranges, uint64_t until_ns, struct event *out_event)
{
	struct kineto_range_thread *thread;
	struct kineto_range range;

	if (ranges->heap_count == 0 || end_of(ranges->heap[0]) > until_ns) {
		return false;
	}
	thread = ranges->heap[0];
	range = thread->open[--thread->count];
	if (thread->count > 0) {
		settle(ranges, thread);
	} else {
		remove_from_heap(ranges, thread);
	}
	*out_event = (struct event){
		.kind = EVENT_SPAN_END,
		.time_ns = range.end_ns,
		.pid = thread->pid,
		.tid = thread->tid,
		.span = {.name = range.name,
			.work = {.partition = GAPTRACE_NONE, .device = GAPTRACE_NONE},
			.worker = GAPTRACE_NONE,
			.begin_tid = thread->tid,
			.duration_ns = range.end_ns - range.begin_ns,
			.cpu_ns = GAPTRACE_UNKNOWN,
			.run_delay_ns = GAPTRACE_UNKNOWN},
	};
	return true;
}

static bool release(void *context, void *value)
{
	struct kineto_range_thread *thread = value;

	(void)context;
	free(thread->open);
	free(thread);
	return false;
}

void kineto_ranges_finish(struct kineto_ranges *ranges)
{
	walk_map_sweep(&ranges->threads, release, NULL);
	walk_map_finish(&ranges->threads);
	free(ranges->heap);
	*ranges = (struct kineto_ranges){0};
}
