/* SPDX-License-Identifier: MIT */
#include "tests/simulator/world_step.h"

#include <assert.h>

static const struct op *current_op(const struct world *world, const struct thread *thread)
{
	return &world->programs[thread->program].ops[thread->pc];
}

/*
 * Once, whoever else acts before it runs. It may be in vain, since another thread may have come
 * first: steps look again, and say themselves that they no longer expect a wake-up.
 */
void world_thread_wake(struct world *world, int thread)
{
	struct thread *state = &world->threads[thread];
	uint64_t latency_ns = 1 + world_random(world, world->options.latency_ns_max);

	if (state->is_woken) {
		return;
	}
	state->is_woken = true;
	world_schedule(
		world, world_thread_time(thread, world->now_ns + latency_ns), WAKE_THREAD, thread);
}

/* The first half of every op that lasts: true until its time has passed. */
bool world_thread_lasts(struct world *world, int thread, const struct op *op, uint64_t duration_ns)
{
	struct thread *state = &world->threads[thread];

	if (state->run_until_ns == 0) {
		duration_ns = world_duration(world, op, WORLD_ON_HOST, duration_ns);
		state->run_until_ns = world_thread_time(thread, world->now_ns + duration_ns);
		state->wait_from_ns = world->now_ns;
		/* Time must pass, or a loop of what takes none would never end. */
		if (state->run_until_ns == world->now_ns) {
			state->run_until_ns += WORLD_TICK_NS;
		}
		world_schedule(world, state->run_until_ns, WAKE_THREAD, thread);
		return true;
	}
	assert(state->run_until_ns == world->now_ns);
	state->run_until_ns = 0;
	return false;
}

void world_thread_note(struct world *world, int thread, struct activity activity)
{
	activity.from_ns = world->threads[thread].wait_from_ns;
	activity.to_ns = world->now_ns;
	world_note(world, thread, activity);
}

enum step world_thread_finish(struct world *world, int thread)
{
	world->threads[thread].has_ended = true;
	return STEP_GONE;
}

static enum step step(struct world *world, int thread, const struct op *op)
{
	switch (op->code) {
	case OP_SPAN_BEGIN:
	case OP_START_BEGIN:
	case OP_FINISH_BEGIN:
		return world_span_begin(world, thread, op);
	case OP_SPAN_END:
	case OP_START_END:
	case OP_FINISH_END:
		return world_span_end(world, thread, op);
	case OP_RUN:
	case OP_STARVE:
	case OP_TRIM:
		return world_span_run(world, thread, op);
	case OP_LOCK:
	case OP_LOCK_SHARED:
		return world_lock_take(world, thread, op);
	case OP_UNLOCK:
		return world_lock_release(world, thread, op);
	case OP_PUSH:
		return world_queue_push(world, thread, op);
	case OP_POP:
		return world_queue_pop(world, thread, op);
	case OP_SUBMIT:
		return world_pool_submit(world, thread, op);
	case OP_LATCH_WAIT:
		return world_wait_latch(world, thread, op);
	case OP_LATCH_SIGNAL:
		return world_wait_signal(world, thread, op);
	case OP_RESERVE:
		return world_budget_reserve(world, thread, op);
	case OP_RELEASE:
		return world_budget_release(world, thread, op);
	case OP_SLEEP:
		return world_wait_sleep(world, thread, op);
	case OP_LAUNCH:
	case OP_GRAPH:
	case OP_COPY:
		return world_call_issue(world, thread, op);
	case OP_STREAM_WAIT:
		return world_call_stream_wait(world, thread, op);
	case OP_SYNC:
		return world_call_synchronize(world, thread, op);
	case OP_CALL:
		return world_call_run(world, thread, op);
	case OP_JOB_SUBMIT:
	case OP_JOB_BEGIN:
	case OP_PARTITION_DONE:
		return world_job_note(world, thread, op);
	case OP_NEXT_ITEM:
		return world_job_next_item(world, thread, op);
	case OP_JUMP:
		break;
	case OP_EXIT:
		return world_thread_finish(world, thread);
	}
	return STEP_NEXT;
}

/* Whether there is an op to run: a pool's thread goes on with the next task in the same instant. */
static bool has_op(struct world *world, int thread)
{
	const struct thread *state = &world->threads[thread];

	if (state->pool >= 0 && state->task < 0) {
		return world_pool_begin(world, thread);
	}
	if (state->pc < world->programs[state->program].count) {
		return true;
	}
	if (state->pool < 0) {
		(void)world_thread_finish(world, thread);
		return false;
	}
	world_pool_end(world, thread);
	return world_pool_begin(world, thread);
}

void world_thread_run(struct world *world, int thread)
{
	struct thread *state = &world->threads[thread];

	while (has_op(world, thread)) {
		const struct op *op = current_op(world, state);

		if (step(world, thread, op) != STEP_NEXT) {
			return;
		}
		state->pc = op->code == OP_JUMP ? (size_t)op->amount : state->pc + 1;
	}
}
