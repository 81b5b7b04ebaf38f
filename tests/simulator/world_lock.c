/* SPDX-License-Identifier: MIT */
#include "tests/simulator/world_step.h"

/* What a waiter is told; of several readers anyone, here the last, as the library knows no more. */
static int last_holder_tid(const struct object *lock)
{
	for (size_t i = lock->hold_count; i > 0; i--) {
		if (lock->holds[i - 1].to_ns == UINT64_MAX) {
			return world_tid(lock->holds[i - 1].thread);
		}
	}
	return 0;
}

static void fill_lock(struct world *world, struct event *event, int lock, bool is_shared)
{
	event->lock.lock = world_object_address(lock);
	event->lock.name = world->objects[lock].name;
	event->lock.mode = is_shared ? GAPTRACE_LOCK_SHARED : GAPTRACE_LOCK_EXCLUSIVE;
}

enum step world_lock_take(struct world *world, int thread, const struct op *op)
{
	struct thread *state = &world->threads[thread];
	struct object *object = &world->objects[op->object];
	bool is_shared = op->code == OP_LOCK_SHARED;
	bool is_free = object->holder < 0 && (is_shared || object->reader_count == 0);
	struct event *event;

	state->is_woken = false;
	if (!is_free) {
		if (!state->is_waiting) {
			state->is_waiting = true;
			state->wait_from_ns = world->now_ns;
			world_object_add_thread(&object->waiters, thread);
			event = world_emit(world, EVENT_LOCK_WAIT, thread);
			fill_lock(world, event, op->object, is_shared);
			event->lock.holder_tid = last_holder_tid(object);
		}
		return STEP_STAY;
	}
	event = world_emit(world, EVENT_LOCK_ACQUIRE, thread);
	fill_lock(world, event, op->object, is_shared);
	if (state->is_waiting) {
		event->lock.wait_ns = world->now_ns - state->wait_from_ns;
		world_thread_note(world, thread,
			(struct activity){.kind = ACTIVITY_LOCK,
				.name = object->name,
				.object = op->object,
				.wait_kind = is_shared,
				.ender = -1});
		world_object_remove_thread(&object->waiters, thread);
		state->is_waiting = false;
	}
	if (is_shared) {
		object->reader_count++;
		/* Another reader may come in beside this one. */
		world_object_wake_first(world, &object->waiters);
	} else {
		object->holder = thread;
	}
	object->holds = world_grow(
		object->holds, object->hold_count, &object->hold_capacity, sizeof(*object->holds));
	object->holds[object->hold_count++] =
		(struct hold){thread, is_shared, world->now_ns, UINT64_MAX};
	return STEP_NEXT;
}

enum step world_lock_release(struct world *world, int thread, const struct op *op)
{
	struct object *object = &world->objects[op->object];

	for (size_t i = object->hold_count; i > 0; i--) {
		struct hold *hold = &object->holds[i - 1];
		struct event *event;

		if (hold->thread != thread || hold->to_ns != UINT64_MAX) {
			continue;
		}
		hold->to_ns = world->now_ns;
		event = world_emit(world, EVENT_LOCK_RELEASE, thread);
		fill_lock(world, event, op->object, hold->is_shared);
		event->lock.hold_ns = hold->to_ns - hold->from_ns;
		if (hold->is_shared) {
			object->reader_count--;
		} else {
			object->holder = -1;
		}
		break;
	}
	if (object->holder < 0 && object->reader_count == 0) {
		world_object_wake_first(world, &object->waiters);
	}
	return STEP_NEXT;
}
