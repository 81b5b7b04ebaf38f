/* SPDX-License-Identifier: MIT */
#include "tests/simulator/world_private.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
		free(world->objects[i].waiters);
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

static int add_object(struct world *world, enum object_kind kind, const char *name)
{
	struct object *object;

	assert(world->object_count < WORLD_OBJECTS_MAX);
	object = &world->objects[world->object_count];
	object->kind = kind;
	object->name = name;
	object->holder = -1;
	object->device = -1;
	return world->object_count++;
}

int world_add_lock(struct world *world, const char *name)
{
	return add_object(world, OBJECT_LOCK, name);
}

int world_add_queue(struct world *world, const char *name, int device)
{
	int queue = add_object(world, OBJECT_QUEUE, name);

	world->objects[queue].device = device;
	return queue;
}

int world_add_budget(struct world *world, uint64_t limit)
{
	int budget = add_object(world, OBJECT_BUDGET, "budget");

	world->objects[budget].limit = limit;
	return budget;
}

int world_add_pool(struct world *world, const char *name, int thread_count)
{
	int pool = add_object(world, OBJECT_POOL, name);

	for (int i = 0; i < thread_count; i++) {
		int thread = world_add_thread(world, name, -1, -1, 0);

		world->threads[thread].pool = pool;
		world->threads[thread].idle_from_ns = world->threads[thread].resume_ns;
	}
	return pool;
}

int world_add_device(struct world *world, int stream_count)
{
	struct device *device;

	assert(world->device_count < WORLD_DEVICES_MAX && stream_count <= WORLD_STREAMS_MAX);
	device = &world->devices[world->device_count];
	device->stream_count = stream_count;
	for (int engine = 0; engine < ENGINES; engine++) {
		device->running[engine] = -1;
	}
	for (int stream = 0; stream < WORLD_STREAMS_MAX; stream++) {
		device->last_of_stream[stream] = -1;
	}
	return world->device_count++;
}

int world_add_program(struct world *world, const struct op *ops, size_t count)
{
	struct program *program = &world->programs[world->program_count];

	assert(world->program_count < WORLD_OBJECTS_MAX && count <= WORLD_PROGRAM_MAX);
	memcpy(program->ops, ops, count * sizeof(*ops));
	program->count = count;
	return world->program_count++;
}

int world_add_thread(
	struct world *world, const char *name, int program, int device, uint64_t start_ns)
{
	struct thread *thread;
	int index = world->thread_count++;

	assert(index < WORLD_THREADS_MAX);
	thread = &world->threads[index];
	thread->name = name;
	thread->program = program;
	thread->device = device;
	thread->item = -1;
	thread->task = -1;
	thread->pool = -1;
	thread->operation = -1;
	thread->resume_ns = world_thread_time(index, start_ns);
	return index;
}

int world_add_item(struct world *world, uint64_t job, int partition)
{
	world->items = world_grow(
		world->items, world->item_count, &world->item_capacity, sizeof(*world->items));
	world->items[world->item_count] =
		(struct item){.job = job, .partition = partition, .latch_base = world->latch_count};
	for (int i = 0; i < LATCHES_PER_ITEM; i++) {
		world->latches = world_grow(world->latches, world->latch_count,
			&world->latch_capacity, sizeof(*world->latches));
		world->latches[world->latch_count++] =
			(struct latch){.waiter = -1, .signaller = -1};
	}
	return (int)world->item_count++;
}

/* ---- Time ---- */

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

static struct wake next_wake(struct world *world)
{
	struct wake first = world->heap[0];
	size_t i = 0;

	world->heap[0] = world->heap[--world->heap_count];
	for (;;) {
		size_t least = i;

		for (size_t child = 2 * i + 1; child <= 2 * i + 2; child++) {
			if (child < world->heap_count &&
				wakes_before(world->heap[child], world->heap[least])) {
				least = child;
			}
		}
		if (least == i) {
			return first;
		}
		struct wake swap = world->heap[least];
		world->heap[least] = world->heap[i];
		world->heap[i] = swap;
		i = least;
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
	world_sort_events(world);
	for (size_t i = 0; i < world->operation_count; i++) {
		world->operations[i] = world->states[i].fact;
	}
	for (int i = 0; i < world->thread_count; i++) {
		struct thread *thread = &world->threads[i];

		/* A thread that waits for a queue's next item waits for ever: no stop is modelled.
		 */
		if (!thread->has_ended && thread->pool < 0 &&
			world->programs[thread->program].ops[thread->pc].code != OP_POP) {
			fprintf(stderr, "simulator: thread %s is stuck at op %zu of program %d\n",
				thread->name, thread->pc, thread->program);
			return false;
		}
	}
	return true;
}

/* ---- What happened ---- */

const struct activity *world_history(const struct world *world, int thread, size_t *out_count)
{
	*out_count = world->threads[thread].history_count;
	return world->threads[thread].history;
}

const struct hold *world_holds(const struct world *world, int lock, size_t *out_count)
{
	*out_count = world->objects[lock].hold_count;
	return world->objects[lock].holds;
}

int world_task_count(const struct world *world)
{
	return (int)world->task_count;
}

const struct task *world_task(const struct world *world, int task)
{
	return &world->tasks[task];
}

size_t world_event_count(const struct world *world)
{
	return world->event_count;
}

const struct event *world_events(const struct world *world)
{
	return world->events;
}

size_t world_operation_count(const struct world *world)
{
	return world->operation_count;
}

const struct world_operation *world_operations(const struct world *world)
{
	return world->operations;
}

size_t world_stay_count(const struct world *world)
{
	return world->stay_count;
}

const struct stay *world_stays(const struct world *world)
{
	return world->stays;
}

int world_thread_count(const struct world *world)
{
	return world->thread_count;
}

const char *world_object_name(const struct world *world, int object)
{
	return world->objects[object].name;
}

int world_queue_device(const struct world *world, int queue)
{
	return world->objects[queue].device;
}

bool world_is_lock(const struct world *world, int object)
{
	return world->objects[object].kind == OBJECT_LOCK;
}

int world_object_count(const struct world *world)
{
	return world->object_count;
}

uint64_t world_job_submitted_ns(const struct world *world, uint64_t job)
{
	return world->job_submitted_ns[job];
}

uint64_t world_job_ended_ns(const struct world *world, uint64_t job)
{
	return world->job_ended_ns[job];
}

uint64_t world_item_job(const struct world *world, int item)
{
	return world->items[item].job;
}

int32_t world_pid(void)
{
	return WORLD_PID;
}

int32_t world_tid(int thread)
{
	return WORLD_TID_BASE + thread;
}

int world_device_count(const struct world *world)
{
	return world->device_count;
}

void world_window(const struct world *world, uint64_t *out_begin_ns, uint64_t *out_end_ns)
{
	*out_begin_ns = world->window_begin_ns;
	*out_end_ns = world->window_end_ns;
}
