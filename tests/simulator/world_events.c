/* SPDX-License-Identifier: MIT */
#include "tests/simulator/world_private.h"

#include <stdlib.h>

struct event *world_emit(struct world *world, enum event_kind kind, int thread)
{
	struct event *event;

	world->events = world_grow(
		world->events, world->event_count, &world->event_capacity, sizeof(*world->events));
	event = &world->events[world->event_count++];
	*event = (struct event){
		.kind = kind, .time_ns = world->now_ns, .pid = WORLD_PID, .tid = world_tid(thread)};
	return event;
}

void world_emit_device(struct world *world, int device)
{
	static const char *const uuids[WORLD_DEVICES_MAX] = {"sim-0", "sim-1", "sim-2", "sim-3"};
	struct event *event = world_emit(world, EVENT_GPU_DEVICE, 0);

	event->device.device = device;
	event->device.backend = GAPTRACE_BACKEND_SIM;
	event->device.uuid = uuids[device];
	event->device.name = "simulated";
	event->device.link = "";
}

struct event_work world_work_of(const struct world *world, int thread)
{
	const struct thread *state = &world->threads[thread];
	struct event_work work = {.job = 0, .partition = GAPTRACE_NONE, .device = state->device};

	if (state->item >= 0) {
		work.job = world->items[state->item].job;
		work.partition = world->items[state->item].partition;
	}
	return work;
}

static int compare_events(const void *a, const void *b)
{
	const struct event *left = a;
	const struct event *right = b;

	return (left->time_ns > right->time_ns) - (left->time_ns < right->time_ns);
}

/* Merge sort keeps the order of events of one instant, which glibc's qsort does only by chance. */
static void merge_sort(struct event *events, struct event *scratch, size_t count)
{
	size_t half = count / 2;
	size_t left = 0;
	size_t right = half;

	if (count < 2) {
		return;
	}
	merge_sort(events, scratch, half);
	merge_sort(events + half, scratch, count - half);
	for (size_t i = 0; i < count; i++) {
		bool takes_left = right >= count || (left < half && compare_events(&events[left],
									    &events[right]) <= 0);

		scratch[i] = takes_left ? events[left++] : events[right++];
	}
	for (size_t i = 0; i < count; i++) {
		events[i] = scratch[i];
	}
}

void world_sort_events(struct world *world)
{
	struct event *scratch = calloc(world->event_count + 1, sizeof(*scratch));

	if (!scratch) {
		abort();
	}
	merge_sort(world->events, scratch, world->event_count);
	free(scratch);
}

void world_note(struct world *world, int thread, struct activity activity)
{
	struct thread *state = &world->threads[thread];

	/* An instant without length covers nothing, and would hide what comes at its end. */
	if (activity.from_ns == activity.to_ns) {
		return;
	}
	state->history = world_grow(state->history, state->history_count, &state->history_capacity,
		sizeof(*state->history));
	activity.task = state->task;
	state->history[state->history_count++] = activity;
}
