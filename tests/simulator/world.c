/* SPDX-License-Identifier: MIT */
#include "tests/simulator/world_private.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

void *world_grow(void *array, size_t count, size_t *capacity, size_t element_bytes)
{
	if (count < *capacity) {
		return array;
	}
	*capacity = *capacity ? *capacity * 2 : 64;
	array = realloc(array, *capacity * element_bytes);
	if (!array) {
		perror("simulator");
		abort();
	}
	return array;
}

/* splitmix64 */
uint64_t world_random(struct world *world, uint64_t below)
{
	uint64_t z = world->random_state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	z ^= z >> 31;
	return below ? z % below : 0;
}

struct world *world_create(struct world_options options)
{
	struct world *world = calloc(1, sizeof(*world));

	if (!world) {
		abort();
	}
	world->options = options;
	world->random_state = options.seed;
	for (int job = 0; job < WORLD_JOBS_MAX; job++) {
		world->job_submitted_ns[job] = UINT64_MAX;
		world->job_ended_ns[job] = UINT64_MAX;
	}
	return world;
}

void world_destroy(struct world *world)
{
	for (int i = 0; i < world->thread_count; i++) {
		free(world->threads[i].history);
	}
	for (int i = 0; i < world->object_count; i++) {
		free(world->objects[i].holds);
		free(world->objects[i].pending);
		free(world->objects[i].waiters.threads);
		free(world->objects[i].pushers.threads);
	}
	free(world->items);
	free(world->tasks);
	free(world->latches);
	free(world->operations);
	free(world->states);
	free(world->stays);
	free(world->events);
	free(world->heap);
	free(world);
}

uint64_t world_thread_time(int thread, uint64_t time_ns)
{
	uint64_t base = time_ns / WORLD_TICK_NS * WORLD_TICK_NS + (uint64_t)thread;

	return base >= time_ns ? base : base + WORLD_TICK_NS;
}

uint64_t world_duration(
	struct world *world, const struct op *op, enum world_engine engine, uint64_t ns)
{
	return world->options.duration ? world->options.duration(world->options.context,
						 world->now_ns, op, engine, ns)
				       : ns;
}

void world_schedule(struct world *world, uint64_t time_ns, enum wake_kind kind, int index)
{
	size_t i;

	world->heap = world_grow(
		world->heap, world->heap_count, &world->heap_capacity, sizeof(*world->heap));
	i = world->heap_count++;
	world->heap[i] = (struct wake){time_ns, world->sequence++, kind, index};
	while (i > 0) {
		size_t parent = (i - 1) / 2;
		struct wake swap = world->heap[parent];

		if (swap.time_ns < world->heap[i].time_ns ||
			(swap.time_ns == world->heap[i].time_ns &&
				swap.sequence < world->heap[i].sequence)) {
			break;
		}
		world->heap[parent] = world->heap[i];
		world->heap[i] = swap;
		i = parent;
	}
}

static bool wakes_before(struct wake a, struct wake b)
{
	return a.time_ns < b.time_ns || (a.time_ns == b.time_ns && a.sequence < b.sequence);
}

/* Of a wake and the two below it in the heap. */
static size_t earliest_of(const struct world *world, size_t index)
{
	size_t earliest = index;

	for (size_t child = 2 * index + 1; child <= 2 * index + 2; child++) {
		if (child < world->heap_count &&
			wakes_before(world->heap[child], world->heap[earliest])) {
			earliest = child;
		}
	}
	return earliest;
}

/* The earliest; of one instant the one that was scheduled first, so that a seed is one run. */
static struct wake next_wake(struct world *world)
{
	struct wake first = world->heap[0];
	size_t i = 0;

	world->heap[0] = world->heap[--world->heap_count];
	for (;;) {
		const size_t earliest = earliest_of(world, i);
		const struct wake swap = world->heap[i];

		if (earliest == i) {
			return first;
		}
		world->heap[i] = world->heap[earliest];
		world->heap[earliest] = swap;
		i = earliest;
	}
}

bool world_run(struct world *world)
{
	for (int i = 0; i < world->device_count; i++) {
		world_emit_device(world, i);
	}
	for (int i = 0; i < world->thread_count; i++) {
		if (world->threads[i].pool < 0) {
			world_schedule(world, world->threads[i].resume_ns, WAKE_THREAD, i);
		}
	}
	while (world->heap_count > 0) {
		struct wake wake = next_wake(world);

		assert(wake.time_ns >= world->now_ns);
		world->now_ns = wake.time_ns;
		switch (wake.kind) {
		case WAKE_THREAD:
			world_thread_run(world, wake.index);
			break;
		case WAKE_ENGINE:
			world_device_done(world, wake.index);
			break;
		case WAKE_ISSUE:
			world_device_issue(world, wake.index);
			break;
		}
	}
	/* Records of operations were written ahead of time, with their delay. */
	world_sort_events(world);
	/* What is told of operations has none of what moved them. */
	for (size_t i = 0; i < world->operation_count; i++) {
		world->operations[i] = world->states[i].fact;
	}
	for (int i = 0; i < world->thread_count; i++) {
		struct thread *thread = &world->threads[i];

		/* A thread that waits for a queue's next item waits for ever: no stop is modelled.
		 */
		if (!thread->has_ended && thread->pool < 0 &&
			world->programs[thread->program].ops[thread->pc].code != OP_POP) {
			(void)fprintf(stderr,
				"simulator: thread %s is stuck at op %zu of program %d\n",
				thread->name, thread->pc, thread->program);
			return false;
		}
	}
	return true;
}
