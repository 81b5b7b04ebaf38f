/* SPDX-License-Identifier: MIT */
#include "tests/simulator/world_step.h"

#include <assert.h>

static uint64_t latch_address(size_t latch)
{
	return LATCH_ADDRESS + latch * 64;
}

void world_wait_fill(struct event *event, uint64_t object, const char *name, int kind)
{
	event->wait.object = object;
	event->wait.name = name;
	event->wait.kind = (enum gaptrace_wait_kind)kind;
}

enum step world_wait_latch(struct world *world, int thread, const struct op *op)
{
	struct thread *state = &world->threads[thread];
	size_t index = world->items[state->item].latch_base + (size_t)op->object;
	struct latch *latch = &world->latches[index];
	struct event *event;

	state->is_woken = false;
	/* Told even of one that was signalled before, as the library's barriers do. */
	if (!state->is_waiting) {
		state->is_waiting = true;
		state->wait_from_ns = world->now_ns;
		latch->waiter = thread;
		world_wait_fill(world_emit(world, EVENT_WAIT_BEGIN, thread), latch_address(index),
			op->name, op->kind);
	}
	if (!latch->is_signalled) {
		return STEP_STAY;
	}
	state->is_waiting = false;
	world_thread_note(world, thread,
		(struct activity){.kind = ACTIVITY_WAIT,
			.name = op->name,
			.object = -1,
			.wait_kind = op->kind,
			.ender = latch->signaller,
			.act_ns = latch->signalled_ns});
	event = world_emit(world, EVENT_WAIT_END, thread);
	world_wait_fill(event, latch_address(index), op->name, op->kind);
	event->wait.wait_ns = world->now_ns - state->wait_from_ns;
	return STEP_NEXT;
}

enum step world_wait_signal(struct world *world, int thread, const struct op *op)
{
	size_t index = world->items[world->threads[thread].item].latch_base + (size_t)op->object;
	struct latch *latch = &world->latches[index];

	assert(!latch->is_signalled);
	latch->is_signalled = true;
	latch->signaller = thread;
	latch->signalled_ns = world->now_ns;
	world_wait_fill(world_emit(world, EVENT_WAKE, thread), latch_address(index), op->name, 0);
	if (latch->waiter >= 0) {
		world_thread_wake(world, latch->waiter);
	}
	return STEP_NEXT;
}

enum step world_wait_sleep(struct world *world, int thread, const struct op *op)
{
	struct thread *state = &world->threads[thread];
	struct event *event;

	/* An object of its own for each thread: nobody ever wakes it. */
	if (state->run_until_ns == 0) {
		world_wait_fill(world_emit(world, EVENT_WAIT_BEGIN, thread),
			LATCH_ADDRESS - 64 * (uint64_t)(thread + 1), op->name, op->kind);
	}
	if (world_thread_lasts(world, thread, op, op->ns)) {
		return STEP_STAY;
	}
	world_thread_note(world, thread,
		(struct activity){.kind = ACTIVITY_WAIT,
			.name = op->name,
			.object = -1,
			.wait_kind = op->kind,
			.ender = -1});
	event = world_emit(world, EVENT_WAIT_END, thread);
	world_wait_fill(event, LATCH_ADDRESS - 64 * (uint64_t)(thread + 1), op->name, op->kind);
	event->wait.wait_ns = world->now_ns - state->wait_from_ns;
	return STEP_NEXT;
}
