/* SPDX-License-Identifier: MIT */
#include "tests/simulator/world_step.h"

static void fill_budget(
	struct world *world, struct event *event, int thread, const struct op *op, uint64_t wait_ns)
{
	event->budget.budget = world_object_address(op->object);
	event->budget.work = world_work_of(world, thread);
	event->budget.bytes = op->amount;
	event->budget.used = world->objects[op->object].used;
	event->budget.limit = world->objects[op->object].limit;
	event->budget.wait_ns = wait_ns;
}

enum step world_budget_reserve(struct world *world, int thread, const struct op *op)
{
	struct thread *state = &world->threads[thread];
	struct object *budget = &world->objects[op->object];
	uint64_t wait_ns = 0;
	struct event *event;

	state->is_woken = false;
	if (budget->used + op->amount > budget->limit) {
		if (!state->is_waiting) {
			state->is_waiting = true;
			state->wait_from_ns = world->now_ns;
			state->releaser = -1;
			world_object_add_thread(&budget->waiters, thread);
			world_wait_fill(world_emit(world, EVENT_WAIT_BEGIN, thread),
				world_object_address(op->object), budget->name,
				GAPTRACE_WAIT_BUDGET);
		}
		return STEP_STAY;
	}
	budget->used += op->amount;
	if (state->is_waiting) {
		state->is_waiting = false;
		world_object_remove_thread(&budget->waiters, thread);
		wait_ns = world->now_ns - state->wait_from_ns;
		world_thread_note(world, thread,
			(struct activity){.kind = ACTIVITY_WAIT,
				.name = budget->name,
				.object = op->object,
				.wait_kind = GAPTRACE_WAIT_BUDGET,
				.ender = state->releaser,
				.act_ns = state->released_ns});
		event = world_emit(world, EVENT_WAIT_END, thread);
		world_wait_fill(event, world_object_address(op->object), budget->name,
			GAPTRACE_WAIT_BUDGET);
		event->wait.wait_ns = wait_ns;
	}
	fill_budget(world, world_emit(world, EVENT_BUDGET_RESERVE, thread), thread, op, wait_ns);
	/* Room may be left for the next one, or none any more for one that had been told of some.
	 */
	for (size_t i = 0; i < budget->waiters.count; i++) {
		if (budget->used + op->amount > budget->limit) {
			world->threads[budget->waiters.threads[i]].releaser = -1;
		}
	}
	world_object_wake_first(world, &budget->waiters);
	return STEP_NEXT;
}

enum step world_budget_release(struct world *world, int thread, const struct op *op)
{
	struct object *budget = &world->objects[op->object];

	budget->used -= op->amount;
	for (size_t i = 0; i < budget->waiters.count; i++) {
		struct thread *waiter = &world->threads[budget->waiters.threads[i]];

		/* Every reservation is of the same size, so what fits one fits all. */
		if (waiter->releaser < 0 && budget->used + op->amount <= budget->limit) {
			waiter->releaser = thread;
			waiter->released_ns = world->now_ns;
		}
	}
	fill_budget(world, world_emit(world, EVENT_BUDGET_RELEASE, thread), thread, op, 0);
	if (budget->waiters.count > 0) {
		world_wait_fill(world_emit(world, EVENT_WAKE, thread),
			world_object_address(op->object), budget->name, 0);
		world_object_wake_first(world, &budget->waiters);
	}
	return STEP_NEXT;
}
