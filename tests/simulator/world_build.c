/* SPDX-License-Identifier: MIT */
#include "tests/simulator/world_private.h"

#include <assert.h>
#include <string.h>

/* The number is also the address in events, so no two objects are one to a reader. */
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

int world_add_channel(struct world *world, const char *name, uint32_t capacity)
{
	int queue = world_add_queue(world, name, -1);

	world->objects[queue].room = capacity;
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

	/* They have no program: a task that wakes one brings it. */
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
		device->awaited_by_stream[stream] = -1;
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
	/* 0 would be a thing: none is -1. */
	thread->item = -1;
	thread->task = -1;
	thread->pool = -1;
	thread->operation = -1;
	thread->resume_ns = world_thread_time(index, start_ns);
	return index;
}

/* Each has latches of its own: the wakes of one must not seem to end a wait for another. */
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
