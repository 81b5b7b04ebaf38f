/* SPDX-License-Identifier: MIT */
#include "tests/simulator/world_step.h"

#include <string.h>

uint64_t world_object_address(int object)
{
	return OBJECT_ADDRESS + (uint64_t)object * 64;
}

void world_object_add_waiter(struct world *world, int object, int thread)
{
	struct object *state = &world->objects[object];

	(void)world;
	state->waiters = world_grow(state->waiters, state->waiter_count, &state->waiter_capacity,
		sizeof(*state->waiters));
	state->waiters[state->waiter_count++] = thread;
}

void world_object_remove_waiter(struct object *object, int thread)
{
	for (size_t i = 0; i < object->waiter_count; i++) {
		if (object->waiters[i] == thread) {
			memmove(&object->waiters[i], &object->waiters[i + 1],
				(object->waiter_count - i - 1) * sizeof(*object->waiters));
			object->waiter_count--;
			return;
		}
	}
}

void world_object_wake_first(struct world *world, const struct object *object)
{
	for (size_t i = 0; i < object->waiter_count; i++) {
		if (!world->threads[object->waiters[i]].is_woken) {
			world_thread_wake(world, object->waiters[i]);
			return;
		}
	}
}

void world_object_add_pending(struct object *object, struct pending pending)
{
	object->pending = world_grow(object->pending, object->pending_count,
		&object->pending_capacity, sizeof(*object->pending));
	object->pending[object->pending_count++] = pending;
}

struct pending world_object_take_pending(struct object *object, size_t index)
{
	struct pending taken = object->pending[index];

	memmove(&object->pending[index], &object->pending[index + 1],
		(object->pending_count - index - 1) * sizeof(*object->pending));
	object->pending_count--;
	return taken;
}
