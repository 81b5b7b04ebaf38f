/* SPDX-License-Identifier: MIT */
#include "tests/simulator/world_step.h"

#include <string.h>

/* Far enough apart for the addresses inside an object that waits are told with. */
uint64_t world_object_address(int object)
{
	return OBJECT_ADDRESS + (uint64_t)object * 64;
}

void world_object_add_thread(struct thread_list *list, int thread)
{
	list->threads =
		world_grow(list->threads, list->count, &list->capacity, sizeof(*list->threads));
	list->threads[list->count++] = thread;
}

void world_object_remove_thread(struct thread_list *list, int thread)
{
	for (size_t i = 0; i < list->count; i++) {
		if (list->threads[i] == thread) {
			memmove(&list->threads[i], &list->threads[i + 1],
				(list->count - i - 1) * sizeof(*list->threads));
			list->count--;
			return;
		}
	}
}

void world_object_wake_first(struct world *world, const struct thread_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		if (!world->threads[list->threads[i]].is_woken) {
			world_thread_wake(world, list->threads[i]);
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
