/* SPDX-License-Identifier: MIT */
#include "tests/simulator/world_private.h"

#include <assert.h>

/* Records reach the trace after the operation, as CUPTI's do. */
#define RECORD_DELAY_NS_MAX 20000

/* Engines act at remainders above those of threads: nothing else happens at that nanosecond. */
static uint64_t engine_time(int device, int engine, uint64_t time_ns)
{
	return world_thread_time(WORLD_THREADS_MAX + device * ENGINES + engine, time_ns);
}

/* Gives the number of a new operation of the call. It waits for its stream, and may be issued. */
static int add_operation(struct world *world, int thread, const struct op *op)
{
	struct device *device = &world->devices[world->threads[thread].device];
	const int index = (int)world->operation_count;

	world->states = world_grow(
		world->states, (size_t)index, &world->state_capacity, sizeof(*world->states));
	world->operations = world_grow(world->operations, (size_t)index, &world->operation_capacity,
		sizeof(*world->operations));
	world->operation_count++;
	world->states[index] = (struct operation_state){
		.fact = {.device = world->threads[thread].device,
			.stream = op->object,
			.is_kernel = op->code != OP_COPY,
			.is_pageable = op->code == OP_COPY && op->kind == 1,
			.correlation = world->correlation,
			.awaited = device->awaited_by_stream[op->object],
			.issuer = thread,
			.issuer_task = world->threads[thread].task,
			.call_begin_ns = world->now_ns,
			.bytes = op->amount * 10,
			.name = op->name},
		.engine = op->code == OP_COPY ? ENGINE_COPY : ENGINE_KERNEL,
		.previous = device->last_of_stream[op->object],
		.duration_ns = world_duration(world, op, WORLD_ON_DEVICE,
			op->amount + world_random(world, op->amount / 4)),
		.waiter = -1};
	device->last_of_stream[op->object] = index;
	return index;
}

int world_device_call(struct world *world, int thread, const struct op *op)
{
	const int device = world->threads[thread].device;
	uint64_t delay_ns = op->delay_ns;
	int index;

	assert(device >= 0 && op->object < world->devices[device].stream_count);
	world->correlation++;
	index = add_operation(world, thread, op);
	if (op->code == OP_GRAPH) {
		const int second = add_operation(world, thread, op);

		delay_ns = 0;
		world->graph_count++;
		world->states[index].fact.graph = world->graph_count;
		world->states[second].fact.graph = world->graph_count;
		world->states[second].fact.node = 1;
		world->states[second].gap_ns =
			world_duration(world, op, WORLD_ON_HOST, op->delay_ns);
	}
	world_schedule(world,
		engine_time(device, world->states[index].engine,
			world->now_ns + op->ns / 2 + delay_ns + WORLD_TICK_NS),
		WAKE_ISSUE, index);
	return index;
}

void world_device_await(struct world *world, int device, int stream, int other)
{
	world->devices[device].awaited_by_stream[stream] =
		world->devices[device].last_of_stream[other];
}

/* Whether the operation is another engine's, or has started. */
static bool is_past(const struct world *world, size_t operation, int device, int engine)
{
	const struct operation_state *state = &world->states[operation];

	return state->fact.device != device || state->engine != engine || state->is_started;
}

/* Nothing, or done. */
static bool is_over(const struct world *world, int operation)
{
	return operation < 0 || world->states[operation].is_done;
}

static bool may_start(
	const struct world *world, const struct operation_state *state, int device, int engine)
{
	return state->fact.device == device && state->engine == engine && state->is_issued &&
	       !state->is_started && is_over(world, state->previous) &&
	       is_over(world, state->fact.awaited);
}

static void start(struct world *world, size_t operation, int device, int engine)
{
	struct operation_state *state = &world->states[operation];

	state->is_started = true;
	state->fact.start_ns = engine_time(device, engine, world->now_ns);
	state->fact.end_ns = engine_time(device, engine, state->fact.start_ns + state->duration_ns);
	world->devices[device].running[engine] = (int)operation;
	world_schedule(world, state->fact.end_ns, WAKE_ENGINE, (int)operation);
}

/* Starts the first operation that was issued and has nothing left to wait for. */
static void dispatch_engine(struct world *world, int device, int engine)
{
	size_t *first = &world->devices[device].first_waiting[engine];

	if (world->devices[device].running[engine] >= 0) {
		return;
	}
	while (*first < world->operation_count && is_past(world, *first, device, engine)) {
		(*first)++;
	}
	for (size_t i = *first; i < world->operation_count; i++) {
		if (may_start(world, &world->states[i], device, engine)) {
			start(world, i, device, engine);
			return;
		}
	}
}

static void dispatch(struct world *world, int device)
{
	for (int engine = 0; engine < ENGINES; engine++) {
		dispatch_engine(world, device, engine);
	}
}

void world_device_issue(struct world *world, int operation)
{
	world->states[operation].is_issued = true;
	dispatch(world, world->states[operation].fact.device);
}

static void emit_record(struct world *world, const struct world_operation *fact)
{
	uint64_t now_ns = world->now_ns;
	struct event *event;
	struct event_operation operation = {.device = fact->device,
		.context = world_context(fact->device),
		.stream = (uint32_t)fact->stream,
		.correlation = fact->correlation,
		.start_ns = fact->start_ns,
		.end_ns = fact->end_ns};

	/* Its time stamp is when it was written; the times of the operation are in it. */
	world->now_ns = now_ns + world_random(world, RECORD_DELAY_NS_MAX);
	event = world_emit(world, fact->is_kernel ? EVENT_GPU_KERNEL : EVENT_GPU_MEMCPY, 0);
	world->now_ns = now_ns;
	if (fact->is_kernel) {
		event->kernel.operation = operation;
		event->kernel.name = fact->name;
		event->kernel.graph = fact->graph;
		return;
	}
	event->copy.operation = operation;
	event->copy.bytes = fact->bytes;
	event->copy.kind = GAPTRACE_COPY_HTOD;
	event->copy.source_memory =
		fact->is_pageable ? GAPTRACE_MEMORY_PAGEABLE : GAPTRACE_MEMORY_PINNED;
	event->copy.target_memory = GAPTRACE_MEMORY_DEVICE;
	event->copy.is_async = !fact->is_pageable;
}

void world_device_done(struct world *world, int operation)
{
	struct operation_state *state = &world->states[operation];

	state->is_done = true;
	world->devices[state->fact.device].running[state->engine] = -1;
	emit_record(world, &state->fact);
	if (state->waiter >= 0) {
		world_thread_wake(world, state->waiter);
	}
	if (state->fact.graph > 0 && state->fact.node == 0) {
		const int next = operation + 1;

		world_schedule(world,
			engine_time(state->fact.device, state->engine,
				world->now_ns + world->states[next].gap_ns),
			WAKE_ISSUE, next);
	}
	dispatch(world, state->fact.device);
}
