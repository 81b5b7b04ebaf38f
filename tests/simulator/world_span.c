/* SPDX-License-Identifier: MIT */
#include "tests/simulator/world_step.h"

#include <assert.h>

const char *world_span_inner(const struct thread *thread)
{
	return thread->span_count > 0 ? thread->spans[thread->span_count - 1].name : "";
}

/* Drawn once per execution of an op: when it begins. */
static uint64_t jitter(struct world *world, int thread, uint64_t below)
{
	return world->threads[thread].run_until_ns == 0 ? world_random(world, below) : 0;
}

/* Another thread gets the CPU, or this one gets it back, when anybody tells of that. */
static void emit_switch(struct world *world, int thread, bool is_away)
{
	struct event *event;

	if (!world->options.has_scheduler) {
		return;
	}
	event = world_emit(world, EVENT_SCHED_SWITCH, thread);
	event->sched_switch.previous_tid = is_away ? world_tid(thread) : 0;
	event->sched_switch.next_tid = is_away ? 0 : world_tid(thread);
}

enum step world_span_run(struct world *world, int thread, const struct op *op)
{
	struct thread *state = &world->threads[thread];

	if (state->run_until_ns == 0 && op->code == OP_TRIM) {
		(void)world_emit(world, EVENT_MALLOC_TRIM_BEGIN, thread);
	}
	if (state->run_until_ns == 0 && op->code == OP_STARVE) {
		emit_switch(world, thread, true);
	}
	if (world_thread_lasts(world, thread, op, op->ns + jitter(world, thread, op->amount))) {
		return STEP_STAY;
	}
	/* A span tells its run delay when it ends; until then it is the thread's. */
	if (op->code == OP_STARVE) {
		state->starved_ns += world->now_ns - state->wait_from_ns;
		emit_switch(world, thread, false);
	}
	world_thread_note(world, thread,
		(struct activity){.kind = ACTIVITY_RUN,
			.name = op->code == OP_TRIM ? "malloc_trim" : world_span_inner(state),
			.object = -1,
			.ender = -1,
			.is_starved = op->code == OP_STARVE});
	if (op->code == OP_TRIM) {
		struct event *event = world_emit(world, EVENT_MALLOC_TRIM_END, thread);

		event->malloc_trim.duration_ns = world->now_ns - state->wait_from_ns;
		event->malloc_trim.returned = 1;
	}
	return STEP_NEXT;
}

enum step world_span_begin(struct world *world, int thread, const struct op *op)
{
	struct thread *state = &world->threads[thread];
	enum event_kind kind = EVENT_SPAN_BEGIN;
	const char *name = op->name;
	struct event *event;

	if (op->code == OP_START_BEGIN) {
		kind = EVENT_PROVE_START_BEGIN;
		name = "prove_start";
	} else if (op->code == OP_FINISH_BEGIN) {
		kind = EVENT_PROVE_FINISH_BEGIN;
		name = "prove_finish";
	}
	assert(state->span_count < WORLD_SPAN_DEPTH_MAX);
	state->spans[state->span_count++] =
		(struct span){name, world->now_ns, state->starved_ns, (int)op->code};
	event = world_emit(world, kind, thread);
	event->span.name = name;
	event->span.work = world_work_of(world, thread);
	event->span.begin_tid = world_tid(thread);
	return STEP_NEXT;
}

enum step world_span_end(struct world *world, int thread, const struct op *op)
{
	struct thread *state = &world->threads[thread];
	enum event_kind kind = EVENT_SPAN_END;
	struct span span;
	struct event *event;

	if (op->code == OP_START_END) {
		kind = EVENT_PROVE_START_END;
	} else if (op->code == OP_FINISH_END) {
		kind = EVENT_PROVE_FINISH_END;
	}
	assert(state->span_count > 0);
	span = state->spans[--state->span_count];
	event = world_emit(world, kind, thread);
	event->span.name = span.name;
	event->span.work = world_work_of(world, thread);
	event->span.begin_tid = world_tid(thread);
	event->span.duration_ns = world->now_ns - span.begin_ns;
	/* There are no CPUs here that could be shared, but for what a program says is starving. */
	event->span.cpu_ns = GAPTRACE_UNKNOWN;
	event->span.run_delay_ns = world->options.has_run_delay
					   ? state->starved_ns - span.starved_ns
					   : GAPTRACE_UNKNOWN;
	return STEP_NEXT;
}
