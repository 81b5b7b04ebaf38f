/* SPDX-License-Identifier: MIT */
#include "tests/simulator/world_private.h"

#include <assert.h>
#include <string.h>

/* What a step did: took no time, blocks or takes time, or ended the thread. */
enum step {
	STEP_NEXT,
	STEP_STAY,
	STEP_GONE
};

static uint64_t object_address(int object)
{
	return OBJECT_ADDRESS + (uint64_t)object * 64;
}

static uint64_t latch_address(size_t latch)
{
	return LATCH_ADDRESS + latch * 64;
}

static const char *inner_span(const struct thread *thread)
{
	return thread->span_count > 0 ? thread->spans[thread->span_count - 1].name : "";
}

static const struct op *current_op(const struct world *world, const struct thread *thread)
{
	return &world->programs[thread->program].ops[thread->pc];
}

static void add_waiter(struct world *world, int object, int thread)
{
	struct object *state = &world->objects[object];

	(void)world;
	state->waiters = world_grow(state->waiters, state->waiter_count, &state->waiter_capacity,
		sizeof(*state->waiters));
	state->waiters[state->waiter_count++] = thread;
}

static void remove_waiter(struct object *object, int thread)
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

static void wake_first(struct world *world, const struct object *object)
{
	for (size_t i = 0; i < object->waiter_count; i++) {
		if (!world->threads[object->waiters[i]].is_woken) {
			world_thread_wake(world, object->waiters[i]);
			return;
		}
	}
}

/* The first half of every op that lasts: true until its time has passed. */
static bool takes_time(struct world *world, int thread, const struct op *op, uint64_t duration_ns)
{
	struct thread *state = &world->threads[thread];

	if (state->run_until_ns == 0) {
		duration_ns = world_duration(world, op, WORLD_ON_HOST, duration_ns);
		state->run_until_ns = world_thread_time(thread, world->now_ns + duration_ns);
		state->wait_from_ns = world->now_ns;
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

static void note_until_now(struct world *world, int thread, struct activity activity)
{
	activity.from_ns = world->threads[thread].wait_from_ns;
	activity.to_ns = world->now_ns;
	world_note(world, thread, activity);
}

/* Drawn once per execution of an op: when it begins. */
static uint64_t jitter(struct world *world, int thread, uint64_t below)
{
	return world->threads[thread].run_until_ns == 0 ? world_random(world, below) : 0;
}

static enum step run(struct world *world, int thread, const struct op *op)
{
	struct thread *state = &world->threads[thread];

	if (state->run_until_ns == 0 && op->code == OP_TRIM) {
		(void)world_emit(world, EVENT_MALLOC_TRIM_BEGIN, thread);
	}
	if (takes_time(world, thread, op, op->ns + jitter(world, thread, op->amount))) {
		return STEP_STAY;
	}
	if (op->code == OP_STARVE) {
		state->starved_ns += world->now_ns - state->wait_from_ns;
	}
	note_until_now(world, thread,
		(struct activity){.kind = ACTIVITY_RUN,
			.name = op->code == OP_TRIM ? "malloc_trim" : inner_span(state),
			.object = -1,
			.ender = -1});
	if (op->code == OP_TRIM) {
		struct event *event = world_emit(world, EVENT_MALLOC_TRIM_END, thread);

		event->malloc_trim.duration_ns = world->now_ns - state->wait_from_ns;
		event->malloc_trim.returned = 1;
	}
	return STEP_NEXT;
}

static enum step begin_span(struct world *world, int thread, const struct op *op)
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

static enum step end_span(struct world *world, int thread, const struct op *op)
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
	event->span.cpu_ns = GAPTRACE_UNKNOWN;
	event->span.run_delay_ns = world->options.has_run_delay
					   ? state->starved_ns - span.starved_ns
					   : GAPTRACE_UNKNOWN;
	return STEP_NEXT;
}

/* ---- Locks: a free lock goes to whoever tries first, as with pthreads. ---- */

static int last_holder_tid(const struct object *lock)
{
	for (size_t i = lock->hold_count; i > 0; i--) {
		if (lock->holds[i - 1].to_ns == UINT64_MAX) {
			return world_tid(lock->holds[i - 1].thread);
		}
	}
	return 0;
}

static enum step lock(struct world *world, int thread, const struct op *op)
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
			add_waiter(world, op->object, thread);
			event = world_emit(world, EVENT_LOCK_WAIT, thread);
			event->lock.lock = object_address(op->object);
			event->lock.name = object->name;
			event->lock.mode =
				is_shared ? GAPTRACE_LOCK_SHARED : GAPTRACE_LOCK_EXCLUSIVE;
			event->lock.holder_tid = last_holder_tid(object);
		}
		return STEP_STAY;
	}
	event = world_emit(world, EVENT_LOCK_ACQUIRE, thread);
	event->lock.lock = object_address(op->object);
	event->lock.name = object->name;
	event->lock.mode = is_shared ? GAPTRACE_LOCK_SHARED : GAPTRACE_LOCK_EXCLUSIVE;
	if (state->is_waiting) {
		event->lock.wait_ns = world->now_ns - state->wait_from_ns;
		note_until_now(world, thread,
			(struct activity){.kind = ACTIVITY_LOCK,
				.name = object->name,
				.object = op->object,
				.wait_kind = is_shared,
				.ender = -1});
		remove_waiter(object, thread);
		state->is_waiting = false;
	}
	if (is_shared) {
		object->reader_count++;
		/* Another reader may come in beside this one. */
		wake_first(world, object);
	} else {
		object->holder = thread;
	}
	object->holds = world_grow(
		object->holds, object->hold_count, &object->hold_capacity, sizeof(*object->holds));
	object->holds[object->hold_count++] =
		(struct hold){thread, is_shared, world->now_ns, UINT64_MAX};
	return STEP_NEXT;
}

static enum step unlock(struct world *world, int thread, const struct op *op)
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
		event->lock.lock = object_address(op->object);
		event->lock.name = object->name;
		event->lock.mode = hold->is_shared ? GAPTRACE_LOCK_SHARED : GAPTRACE_LOCK_EXCLUSIVE;
		event->lock.hold_ns = hold->to_ns - hold->from_ns;
		if (hold->is_shared) {
			object->reader_count--;
		} else {
			object->holder = -1;
		}
		break;
	}
	if (object->holder < 0 && object->reader_count == 0) {
		wake_first(world, object);
	}
	return STEP_NEXT;
}

/* ---- Queues ---- */

static void add_pending(struct object *object, struct pending pending)
{
	object->pending = world_grow(object->pending, object->pending_count,
		&object->pending_capacity, sizeof(*object->pending));
	object->pending[object->pending_count++] = pending;
}

static struct pending take_pending(struct object *object, size_t index)
{
	struct pending taken = object->pending[index];

	memmove(&object->pending[index], &object->pending[index + 1],
		(object->pending_count - index - 1) * sizeof(*object->pending));
	object->pending_count--;
	return taken;
}

static void fill_queue_event(struct world *world, struct event *event, int queue, int item)
{
	const struct object *object = &world->objects[queue];

	event->queue.queue = object_address(queue);
	event->queue.name = object->name;
	event->queue.work = (struct event_work){0, GAPTRACE_NONE, object->device};
	if (item >= 0) {
		event->queue.item = (uint64_t)item;
		event->queue.work.job = world->items[item].job;
		event->queue.work.partition = world->items[item].partition;
		event->queue.depth = (uint32_t)object->pending_count;
	}
}

static enum step push(struct world *world, int thread, const struct op *op)
{
	struct object *object = &world->objects[op->object];
	int item = world->threads[thread].item;

	assert(item >= 0);
	world->stays = world_grow(
		world->stays, world->stay_count, &world->stay_capacity, sizeof(*world->stays));
	world->stays[world->stay_count++] = (struct stay){.queue = op->object,
		.item = item,
		.pushed_ns = world->now_ns,
		.popped_ns = UINT64_MAX};
	add_pending(object,
		(struct pending){.index = item, .pusher = thread, .pushed_ns = world->now_ns});
	fill_queue_event(world, world_emit(world, EVENT_QUEUE_PUSH, thread), op->object, item);
	wake_first(world, object);
	return STEP_NEXT;
}

static enum step finish_thread(struct world *world, int thread)
{
	world->threads[thread].has_ended = true;
	return STEP_GONE;
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

static enum step pop(struct world *world, int thread, const struct op *op)
{
	struct thread *state = &world->threads[thread];
	struct object *object = &world->objects[op->object];
	struct pending taken;
	struct event *event;

	state->is_woken = false;
	if (!state->is_waiting) {
		state->is_waiting = true;
		state->wait_from_ns = world->now_ns;
		add_waiter(world, op->object, thread);
		fill_queue_event(
			world, world_emit(world, EVENT_QUEUE_POP_WAIT, thread), op->object, -1);
	}
	if (object->pending_count == 0) {
		return STEP_STAY;
	}
	taken = take_pending(object, first_pending(world, object));
	remove_waiter(object, thread);
	state->is_waiting = false;
	note_until_now(world, thread,
		(struct activity){.kind = ACTIVITY_POP,
			.name = object->name,
			.object = op->object,
			.ender = taken.pusher,
			.act_ns = taken.pushed_ns,
			.device = object->device,
			.item = taken.index});
	state->item = taken.index;
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
	if (object->pending_count > 0) {
		wake_first(world, object);
	}
	return STEP_NEXT;
}

/* ---- Pools ---- */

static void fill_task_event(struct world *world, struct event *event, int task)
{
	const struct task *fact = &world->tasks[task];

	event->task.pool = object_address(fact->pool);
	event->task.name = fact->pool_name;
	event->task.kind = "task";
	event->task.task = (uint64_t)task + 1;
	event->task.cpu_ns = GAPTRACE_UNKNOWN;
	event->task.run_delay_ns = GAPTRACE_UNKNOWN;
}

static enum step submit(struct world *world, int thread, const struct op *op)
{
	struct object *object = &world->objects[op->object];
	int task = (int)world->task_count;
	struct event *event;

	world->tasks = world_grow(
		world->tasks, world->task_count, &world->task_capacity, sizeof(*world->tasks));
	world->tasks[world->task_count++] = (struct task){.pool = op->object,
		.pool_name = object->name,
		.submitter = thread,
		.runner = -1,
		.submitted_ns = world->now_ns};
	add_pending(object, (struct pending){.index = task,
				    .pusher = thread,
				    .pushed_ns = world->now_ns,
				    .program = op->program,
				    .item = world->threads[thread].item,
				    .device = world->threads[thread].device});
	event = world_emit(world, EVENT_TASK_SUBMIT, thread);
	fill_task_event(world, event, task);
	event->task.work = world_work_of(world, thread);
	event->task.work.device = world->threads[thread].device;
	event->task.backlog = (uint32_t)object->pending_count;
	for (int i = 0; i < world->thread_count; i++) {
		struct thread *runner = &world->threads[i];

		if (runner->pool == op->object && runner->task < 0 && !runner->is_woken) {
			world_thread_wake(world, i);
			break;
		}
	}
	return STEP_NEXT;
}

/* A pool's thread takes the next task, or idles. */
static bool take_task(struct world *world, int thread)
{
	struct thread *state = &world->threads[thread];
	struct object *object = &world->objects[state->pool];
	struct pending taken;
	struct task *task;
	struct event *event;

	state->is_woken = false;
	if (object->pending_count == 0) {
		return false;
	}
	taken = take_pending(object, 0);
	state->wait_from_ns = state->idle_from_ns;
	note_until_now(world, thread,
		(struct activity){.kind = ACTIVITY_IDLE, .name = "", .object = -1, .ender = -1});
	task = &world->tasks[taken.index];
	state->task = taken.index;
	state->item = taken.item;
	state->program = taken.program;
	state->pc = 0;
	state->device = taken.device;
	task->runner = thread;
	task->begin_ns = world->now_ns;
	event = world_emit(world, EVENT_TASK_BEGIN, thread);
	fill_task_event(world, event, taken.index);
	event->task.work = world_work_of(world, thread);
	event->task.queued_ns = world->now_ns - task->submitted_ns;
	return true;
}

static void end_task(struct world *world, int thread)
{
	struct thread *state = &world->threads[thread];
	struct task *task = &world->tasks[state->task];
	struct event *event = world_emit(world, EVENT_TASK_END, thread);

	fill_task_event(world, event, state->task);
	event->task.work = world_work_of(world, thread);
	event->task.queued_ns = task->begin_ns - task->submitted_ns;
	event->task.run_ns = world->now_ns - task->begin_ns;
	task->end_ns = world->now_ns;
	state->task = -1;
	state->item = -1;
	state->program = -1;
	state->idle_from_ns = world->now_ns;
}

/* ---- Latches, the budget, sleeps ---- */

static void fill_wait(struct event *event, uint64_t object, const char *name, int kind)
{
	event->wait.object = object;
	event->wait.name = name;
	event->wait.kind = (enum gaptrace_wait_kind)kind;
}

static enum step latch_wait(struct world *world, int thread, const struct op *op)
{
	struct thread *state = &world->threads[thread];
	size_t index = world->items[state->item].latch_base + (size_t)op->object;
	struct latch *latch = &world->latches[index];
	struct event *event;

	state->is_woken = false;
	if (!state->is_waiting) {
		state->is_waiting = true;
		state->wait_from_ns = world->now_ns;
		latch->waiter = thread;
		fill_wait(world_emit(world, EVENT_WAIT_BEGIN, thread), latch_address(index),
			op->name, op->kind);
	}
	if (!latch->is_signalled) {
		return STEP_STAY;
	}
	state->is_waiting = false;
	note_until_now(world, thread,
		(struct activity){.kind = ACTIVITY_WAIT,
			.name = op->name,
			.object = -1,
			.wait_kind = op->kind,
			.ender = latch->signaller,
			.act_ns = latch->signalled_ns});
	event = world_emit(world, EVENT_WAIT_END, thread);
	fill_wait(event, latch_address(index), op->name, op->kind);
	event->wait.wait_ns = world->now_ns - state->wait_from_ns;
	return STEP_NEXT;
}

static enum step latch_signal(struct world *world, int thread, const struct op *op)
{
	size_t index = world->items[world->threads[thread].item].latch_base + (size_t)op->object;
	struct latch *latch = &world->latches[index];

	assert(!latch->is_signalled);
	latch->is_signalled = true;
	latch->signaller = thread;
	latch->signalled_ns = world->now_ns;
	fill_wait(world_emit(world, EVENT_WAKE, thread), latch_address(index), op->name, 0);
	if (latch->waiter >= 0) {
		world_thread_wake(world, latch->waiter);
	}
	return STEP_NEXT;
}

static void fill_budget(
	struct world *world, struct event *event, int thread, const struct op *op, uint64_t wait_ns)
{
	event->budget.budget = object_address(op->object);
	event->budget.work = world_work_of(world, thread);
	event->budget.bytes = op->amount;
	event->budget.used = world->objects[op->object].used;
	event->budget.limit = world->objects[op->object].limit;
	event->budget.wait_ns = wait_ns;
}

static enum step reserve(struct world *world, int thread, const struct op *op)
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
			add_waiter(world, op->object, thread);
			fill_wait(world_emit(world, EVENT_WAIT_BEGIN, thread),
				object_address(op->object), budget->name, GAPTRACE_WAIT_BUDGET);
		}
		return STEP_STAY;
	}
	budget->used += op->amount;
	if (state->is_waiting) {
		state->is_waiting = false;
		remove_waiter(budget, thread);
		wait_ns = world->now_ns - state->wait_from_ns;
		note_until_now(world, thread,
			(struct activity){.kind = ACTIVITY_WAIT,
				.name = budget->name,
				.object = op->object,
				.wait_kind = GAPTRACE_WAIT_BUDGET,
				.ender = state->releaser,
				.act_ns = state->released_ns});
		event = world_emit(world, EVENT_WAIT_END, thread);
		fill_wait(event, object_address(op->object), budget->name, GAPTRACE_WAIT_BUDGET);
		event->wait.wait_ns = wait_ns;
	}
	fill_budget(world, world_emit(world, EVENT_BUDGET_RESERVE, thread), thread, op, wait_ns);
	/* Room may be left for the next one, or none any more for one that had been told of some.
	 */
	for (size_t i = 0; i < budget->waiter_count; i++) {
		if (budget->used + op->amount > budget->limit) {
			world->threads[budget->waiters[i]].releaser = -1;
		}
	}
	wake_first(world, budget);
	return STEP_NEXT;
}

static enum step release(struct world *world, int thread, const struct op *op)
{
	struct object *budget = &world->objects[op->object];

	budget->used -= op->amount;
	for (size_t i = 0; i < budget->waiter_count; i++) {
		struct thread *waiter = &world->threads[budget->waiters[i]];

		/* Every reservation is of the same size, so what fits one fits all. */
		if (waiter->releaser < 0 && budget->used + op->amount <= budget->limit) {
			waiter->releaser = thread;
			waiter->released_ns = world->now_ns;
		}
	}
	fill_budget(world, world_emit(world, EVENT_BUDGET_RELEASE, thread), thread, op, 0);
	if (budget->waiter_count > 0) {
		fill_wait(world_emit(world, EVENT_WAKE, thread), object_address(op->object),
			budget->name, 0);
		wake_first(world, budget);
	}
	return STEP_NEXT;
}

static enum step sleep_for(struct world *world, int thread, const struct op *op)
{
	struct thread *state = &world->threads[thread];
	struct event *event;

	if (state->run_until_ns == 0) {
		fill_wait(world_emit(world, EVENT_WAIT_BEGIN, thread),
			LATCH_ADDRESS - 64 * (uint64_t)(thread + 1), op->name, op->kind);
	}
	if (takes_time(world, thread, op, op->ns)) {
		return STEP_STAY;
	}
	note_until_now(world, thread,
		(struct activity){.kind = ACTIVITY_WAIT,
			.name = op->name,
			.object = -1,
			.wait_kind = op->kind,
			.ender = -1});
	event = world_emit(world, EVENT_WAIT_END, thread);
	fill_wait(event, LATCH_ADDRESS - 64 * (uint64_t)(thread + 1), op->name, op->kind);
	event->wait.wait_ns = world->now_ns - state->wait_from_ns;
	return STEP_NEXT;
}

/* ---- Device calls ---- */

static void emit_call(struct world *world, int thread, const char *name, uint64_t correlation)
{
	struct event *event = world_emit(world, EVENT_GPU_API, thread);

	event->api.name = name;
	event->api.tid = world_tid(thread);
	event->api.correlation = correlation;
	event->api.start_ns = world->threads[thread].wait_from_ns;
	event->api.end_ns = world->now_ns;
}

static enum step call(struct world *world, int thread, const struct op *op)
{
	if (takes_time(world, thread, op, op->ns)) {
		return STEP_STAY;
	}
	note_until_now(world, thread,
		(struct activity){
			.kind = ACTIVITY_CALL, .name = op->name, .object = -1, .ender = -1});
	emit_call(world, thread, op->name, ++world->correlation);
	return STEP_NEXT;
}

static enum step launch(struct world *world, int thread, const struct op *op)
{
	struct thread *state = &world->threads[thread];
	bool is_pageable = op->code == OP_COPY && op->kind == 1;
	const char *name = op->code == OP_LAUNCH ? "cudaLaunchKernel" : "cudaMemcpyAsync";
	struct world_operation *fact;

	if (state->run_until_ns == 0 && state->operation < 0) {
		state->operation = world_device_call(world, thread, op);
	}
	if (!state->is_waiting && takes_time(world, thread, op, op->ns)) {
		return STEP_STAY;
	}
	state->is_woken = false;
	if (is_pageable && !world->states[state->operation].is_done) {
		state->is_waiting = true;
		world->states[state->operation].waiter = thread;
		return STEP_STAY;
	}
	state->is_waiting = false;
	fact = &world->states[state->operation].fact;
	fact->call_end_ns = world->now_ns;
	note_until_now(world, thread,
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

static enum step synchronize(struct world *world, int thread, const struct op *op)
{
	struct thread *state = &world->threads[thread];
	uint64_t correlation;
	struct event *event;

	if (state->run_until_ns == 0 && !state->is_waiting) {
		state->operation = world->devices[state->device].last_of_stream[op->object];
	}
	if (!state->is_waiting && takes_time(world, thread, op, op->ns)) {
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
	note_until_now(world, thread,
		(struct activity){.kind = ACTIVITY_CALL,
			.name = "cudaStreamSynchronize",
			.object = -1,
			.ender = -1,
			.is_stream_sync = true,
			.device = state->device,
			.stream = op->object});
	correlation = ++world->correlation;
	emit_call(world, thread, "cudaStreamSynchronize", correlation);
	event = world_emit(world, EVENT_GPU_SYNC, thread);
	event->sync.operation = (struct event_operation){.device = state->device,
		.context = 1,
		.stream = (uint32_t)op->object,
		.correlation = correlation,
		.start_ns = state->wait_from_ns,
		.end_ns = world->now_ns};
	event->sync.kind = GAPTRACE_SYNC_STREAM;
	return STEP_NEXT;
}

/* ---- Jobs ---- */

static enum step job_event(struct world *world, int thread, const struct op *op)
{
	uint64_t job = world->items[world->threads[thread].item].job;
	struct event *event;

	if (op->code == OP_PARTITION_DONE && --world->job_partitions_left[job] > 0) {
		return STEP_NEXT;
	}
	if (op->code == OP_JOB_SUBMIT) {
		event = world_emit(world, EVENT_JOB_SUBMIT, thread);
		world->job_partitions_left[job] = (uint32_t)op->amount;
		world->job_submitted_ns[job] = world->now_ns;
		world->window_begin_ns = world->has_jobs ? world->window_begin_ns : world->now_ns;
		world->has_jobs = true;
		event->job.partitions = (uint32_t)op->amount;
	} else if (op->code == OP_JOB_BEGIN) {
		event = world_emit(world, EVENT_JOB_BEGIN, thread);
	} else {
		event = world_emit(world, EVENT_JOB_END, thread);
		world->job_ended_ns[job] = world->now_ns;
		world->window_end_ns = world->now_ns;
	}
	event->job.job = job;
	event->job.kind = "proof";
	return STEP_NEXT;
}

/*
 * kind 0: item number `amount`; kind 1: partition `amount` of the current item's job; kind 2: the
 * first item, or the one `amount` after the current one, and the thread ends after the last.
 */
static enum step next_item(struct world *world, int thread, const struct op *op)
{
	struct thread *state = &world->threads[thread];

	if (op->kind == 2) {
		state->item = state->item < 0 ? 0 : state->item + (int)op->amount;
		return (size_t)state->item < world->item_count ? STEP_NEXT
							       : finish_thread(world, thread);
	}
	if (op->kind == 0) {
		state->item = (int)op->amount;
		return STEP_NEXT;
	}
	for (size_t i = 0; i < world->item_count; i++) {
		if (world->items[i].job == world->items[state->item].job &&
			world->items[i].partition == (int)op->amount) {
			state->item = (int)i;
			return STEP_NEXT;
		}
	}
	assert(false); /* no such partition */
	return STEP_NEXT;
}

static enum step step(struct world *world, int thread, const struct op *op)
{
	switch (op->code) {
	case OP_SPAN_BEGIN:
	case OP_START_BEGIN:
	case OP_FINISH_BEGIN:
		return begin_span(world, thread, op);
	case OP_SPAN_END:
	case OP_START_END:
	case OP_FINISH_END:
		return end_span(world, thread, op);
	case OP_RUN:
	case OP_STARVE:
	case OP_TRIM:
		return run(world, thread, op);
	case OP_LOCK:
	case OP_LOCK_SHARED:
		return lock(world, thread, op);
	case OP_UNLOCK:
		return unlock(world, thread, op);
	case OP_PUSH:
		return push(world, thread, op);
	case OP_POP:
		return pop(world, thread, op);
	case OP_SUBMIT:
		return submit(world, thread, op);
	case OP_LATCH_WAIT:
		return latch_wait(world, thread, op);
	case OP_LATCH_SIGNAL:
		return latch_signal(world, thread, op);
	case OP_RESERVE:
		return reserve(world, thread, op);
	case OP_RELEASE:
		return release(world, thread, op);
	case OP_SLEEP:
		return sleep_for(world, thread, op);
	case OP_LAUNCH:
	case OP_COPY:
		return launch(world, thread, op);
	case OP_SYNC:
		return synchronize(world, thread, op);
	case OP_CALL:
		return call(world, thread, op);
	case OP_JOB_SUBMIT:
	case OP_JOB_BEGIN:
	case OP_PARTITION_DONE:
		return job_event(world, thread, op);
	case OP_NEXT_ITEM:
		return next_item(world, thread, op);
	case OP_JUMP:
		break;
	case OP_EXIT:
		return finish_thread(world, thread);
	}
	return STEP_NEXT;
}

void world_thread_run(struct world *world, int thread)
{
	struct thread *state = &world->threads[thread];

	if (state->pool >= 0 && state->task < 0 && !take_task(world, thread)) {
		return;
	}
	for (;;) {
		const struct op *op;
		enum step outcome;

		if (state->pc >= world->programs[state->program].count) {
			if (state->pool < 0) {
				(void)finish_thread(world, thread);
				return;
			}
			end_task(world, thread);
			if (!take_task(world, thread)) {
				return;
			}
		}
		op = current_op(world, state);
		outcome = step(world, thread, op);
		if (outcome != STEP_NEXT) {
			return;
		}
		state->pc = op->code == OP_JUMP ? (size_t)op->amount : state->pc + 1;
	}
}
