/* SPDX-License-Identifier: MIT */
#include "tests/simulator/world_step.h"

static const char *issuing_name(enum op_code code)
{
	switch ((int)code) {
	case OP_LAUNCH:
		return "cudaLaunchKernel";
	case OP_GRAPH:
		return "cudaGraphLaunch";
	default:
		return "cudaMemcpyAsync";
	}
}

/* When it returns, as a collector tells of calls: one that is still open nobody knows of. */
static void emit_call(struct world *world, int thread, const char *name, uint64_t correlation)
{
	struct event *event = world_emit(world, EVENT_GPU_API, thread);

	event->api.name = name;
	event->api.tid = world_tid(thread);
	event->api.correlation = correlation;
	event->api.start_ns = world->threads[thread].wait_from_ns;
	event->api.end_ns = world->now_ns;
}

enum step world_call_run(struct world *world, int thread, const struct op *op)
{
	if (world_thread_lasts(world, thread, op, op->ns)) {
		return STEP_STAY;
	}
	world_thread_note(world, thread,
		(struct activity){
			.kind = ACTIVITY_CALL, .name = op->name, .object = -1, .ender = -1});
	emit_call(world, thread, op->name, ++world->correlation);
	return STEP_NEXT;
}

enum step world_call_issue(struct world *world, int thread, const struct op *op)
{
	struct thread *state = &world->threads[thread];
	bool is_pageable = op->code == OP_COPY && op->kind == 1;
	const char *name = issuing_name(op->code);
	struct world_operation *fact;

	/* From the call's begin: the device may start before the call returns. */
	if (state->run_until_ns == 0 && state->operation < 0) {
		state->operation = world_device_call(world, thread, op);
	}
	if (!state->is_waiting && world_thread_lasts(world, thread, op, op->ns)) {
		return STEP_STAY;
	}
	state->is_woken = false;
	/* It returns when its memory may be used again; the last piece is staged at the end. */
	if (is_pageable && !world->states[state->operation].is_done) {
		state->is_waiting = true;
		world->states[state->operation].waiter = thread;
		return STEP_STAY;
	}
	state->is_waiting = false;
	fact = &world->states[state->operation].fact;
	fact->call_end_ns = world->now_ns;
	if (op->code == OP_GRAPH) {
		world->states[state->operation + 1].fact.call_end_ns = world->now_ns;
	}
	world_thread_note(world, thread,
		(struct activity){.kind = ACTIVITY_CALL,
			.name = name,
			.object = -1,
			.ender = -1,
			.is_pageable = is_pageable,
			.device = fact->device,
			.stream = fact->stream});
	emit_call(world, thread, name, fact->correlation);
	state->operation = -1;
	return STEP_NEXT;
}

/* A call that waited for, or made a stream wait for, what a stream has. */
static struct event *emit_sync(struct world *world, int thread, const char *name, int stream)
{
	const uint64_t correlation = ++world->correlation;
	struct event *event;

	emit_call(world, thread, name, correlation);
	event = world_emit(world, EVENT_GPU_SYNC, thread);
	event->sync.operation = (struct event_operation){.device = world->threads[thread].device,
		.context = world_context(world->threads[thread].device),
		.stream = (uint32_t)stream,
		.correlation = correlation,
		.start_ns = world->threads[thread].wait_from_ns,
		.end_ns = world->now_ns};
	return event;
}

enum step world_call_stream_wait(struct world *world, int thread, const struct op *op)
{
	static const char name[] = "cudaStreamWaitEvent";
	struct thread *state = &world->threads[thread];
	struct event *event;

	if (state->run_until_ns == 0) {
		world_device_await(world, state->device, op->object, op->kind);
	}
	if (world_thread_lasts(world, thread, op, op->ns)) {
		return STEP_STAY;
	}
	world_thread_note(world, thread,
		(struct activity){.kind = ACTIVITY_CALL, .name = name, .object = -1, .ender = -1});
	event = emit_sync(world, thread, name, op->object);
	event->sync.kind = GAPTRACE_SYNC_STREAM_WAIT_EVENT;
	event->sync.event_stream = (uint32_t)op->kind;
	return STEP_NEXT;
}

enum step world_call_synchronize(struct world *world, int thread, const struct op *op)
{
	static const char name[] = "cudaStreamSynchronize";
	struct thread *state = &world->threads[thread];

	/* What the stream has now: of what comes later the call knows nothing. */
	if (state->run_until_ns == 0 && !state->is_waiting) {
		state->operation = world->devices[state->device].last_of_stream[op->object];
	}
	if (!state->is_waiting && world_thread_lasts(world, thread, op, op->ns)) {
		return STEP_STAY;
	}
	state->is_woken = false;
	if (state->operation >= 0 && !world->states[state->operation].is_done) {
		state->is_waiting = true;
		world->states[state->operation].waiter = thread;
		return STEP_STAY;
	}
	state->is_waiting = false;
	state->operation = -1;
	world_thread_note(world, thread,
		(struct activity){.kind = ACTIVITY_CALL,
			.name = name,
			.object = -1,
			.ender = -1,
			.is_stream_sync = true,
			.device = state->device,
			.stream = op->object});
	emit_sync(world, thread, name, op->object)->sync.kind = GAPTRACE_SYNC_STREAM;
	return STEP_NEXT;
}
