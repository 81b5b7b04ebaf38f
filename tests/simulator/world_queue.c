/* SPDX-License-Identifier: MIT */
#include "tests/simulator/world_step.h"

#include <assert.h>

static void fill_queue_event(struct world *world, struct event *event, int queue, int item)
{
	const struct object *object = &world->objects[queue];

	event->queue.queue = world_object_address(queue);
	event->queue.name = object->name;
	event->queue.work = (struct event_work){0, GAPTRACE_NONE, object->device};
	if (item >= 0) {
		event->queue.item = (uint64_t)item;
		event->queue.work.job = world->items[item].job;
		event->queue.work.partition = world->items[item].partition;
		event->queue.depth = (uint32_t)object->pending_count;
	}
}

/* Of a channel, what a push waits on: not the queue itself, as the prover's condition is not. */
static uint64_t room_address(int queue)
{
	return world_object_address(queue) + 32;
}

/* True until the channel has room. */
static bool waits_for_room(struct world *world, int thread, const struct op *op)
{
	struct thread *state = &world->threads[thread];
	struct object *object = &world->objects[op->object];
	struct event *event;

	state->is_woken = false;
	if (object->pending_count >= object->room) {
		if (!state->is_waiting) {
			state->is_waiting = true;
			state->wait_from_ns = world->now_ns;
			world_object_add_thread(&object->pushers, thread);
			world_wait_fill(world_emit(world, EVENT_WAIT_BEGIN, thread),
				room_address(op->object), object->name, GAPTRACE_WAIT_BACKPRESSURE);
		}
		return true;
	}
	if (state->is_waiting) {
		state->is_waiting = false;
		world_object_remove_thread(&object->pushers, thread);
		/* Whoever popped last: the room that was made before, somebody else may have. */
		world_thread_note(world, thread,
			(struct activity){.kind = ACTIVITY_WAIT,
				.name = object->name,
				.object = op->object,
				.wait_kind = GAPTRACE_WAIT_BACKPRESSURE,
				.ender = object->popper,
				.act_ns = object->popped_ns});
		event = world_emit(world, EVENT_WAIT_END, thread);
		world_wait_fill(
			event, room_address(op->object), object->name, GAPTRACE_WAIT_BACKPRESSURE);
		event->wait.wait_ns = world->now_ns - state->wait_from_ns;
	}
	return false;
}

enum step world_queue_push(struct world *world, int thread, const struct op *op)
{
	struct object *object = &world->objects[op->object];
	int item = world->threads[thread].item;

	assert(item >= 0);
	if (object->room > 0 && waits_for_room(world, thread, op)) {
		return STEP_STAY;
	}
	world->stays = world_grow(
		world->stays, world->stay_count, &world->stay_capacity, sizeof(*world->stays));
	world->stays[world->stay_count++] = (struct stay){.queue = op->object,
		.item = item,
		.pushed_ns = world->now_ns,
		.popped_ns = UINT64_MAX};
	world_object_add_pending(object,
		(struct pending){.index = item, .pusher = thread, .pushed_ns = world->now_ns});
	fill_queue_event(world, world_emit(world, EVENT_QUEUE_PUSH, thread), op->object, item);
	world_object_wake_first(world, &object->waiters);
	return STEP_NEXT;
}

/* The least (job, partition) of what is there. */
static size_t first_pending(const struct world *world, const struct object *object)
{
	size_t first = 0;

	for (size_t i = 1; i < object->pending_count; i++) {
		const struct item *a = &world->items[object->pending[i].index];
		const struct item *b = &world->items[object->pending[first].index];

		if (a->job < b->job || (a->job == b->job && a->partition < b->partition)) {
			first = i;
		}
	}
	return first;
}

enum step world_queue_pop(struct world *world, int thread, const struct op *op)
{
	struct thread *state = &world->threads[thread];
	struct object *object = &world->objects[op->object];
	struct pending taken;
	struct event *event;

	state->is_woken = false;
	/* Told even when an item is there, as the prover's queues do under their lock. */
	if (!state->is_waiting) {
		state->is_waiting = true;
		state->wait_from_ns = world->now_ns;
		world_object_add_thread(&object->waiters, thread);
		fill_queue_event(
			world, world_emit(world, EVENT_QUEUE_POP_WAIT, thread), op->object, -1);
	}
	if (object->pending_count == 0) {
		return STEP_STAY;
	}
	taken = world_object_take_pending(object, first_pending(world, object));
	object->popper = thread;
	object->popped_ns = world->now_ns;
	world_object_remove_thread(&object->waiters, thread);
	state->is_waiting = false;
	world_thread_note(world, thread,
		(struct activity){.kind = ACTIVITY_POP,
			.name = object->name,
			.object = op->object,
			.ender = taken.pusher,
			.act_ns = taken.pushed_ns,
			.device = object->device,
			.item = taken.index});
	state->item = taken.index;
	/* From the end: what is popped was mostly pushed just now, and stays are many. */
	for (size_t i = world->stay_count; i > 0; i--) {
		struct stay *stay = &world->stays[i - 1];

		if (stay->queue == op->object && stay->item == taken.index &&
			stay->popped_ns == UINT64_MAX) {
			stay->popped_ns = world->now_ns;
			break;
		}
	}
	event = world_emit(world, EVENT_QUEUE_POP, thread);
	fill_queue_event(world, event, op->object, taken.index);
	event->queue.wait_ns = world->now_ns - state->wait_from_ns;
	event->queue.resident_ns = world->now_ns - taken.pushed_ns;
	if (object->pushers.count > 0) {
		world_wait_fill(world_emit(world, EVENT_WAKE, thread), room_address(op->object),
			object->name, 0);
		world_object_wake_first(world, &object->pushers);
	}
	/* Two pushes may have woken one thread, which takes one item. */
	if (object->pending_count > 0) {
		world_object_wake_first(world, &object->waiters);
	}
	return STEP_NEXT;
}
