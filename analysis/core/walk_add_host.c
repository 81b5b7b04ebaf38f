/* SPDX-License-Identifier: MIT */
/* The host's events: what threads did, and who ended whose waits. */
#include "analysis/core/walk_add.h"
#include "analysis/core/walk_phase.h"

/* The wait of a budget is looked for among so many activities that its thread ended last. */
#define RECENT_CLOSED_MAX 16

static struct walk_lane *lane_of(struct walk *walk, const struct event *event)
{
	struct walk_lane *lane = walk_lanes_get(&walk->lanes, event->pid, event->tid);

	if (lane) {
		lane->last_ns = event->time_ns;
	}
	return lane;
}

/* When something that ends now began; 0 when that is not known: before all that was recorded. */
static uint64_t begin_of(const struct event *event, uint64_t duration_ns)
{
	return duration_ns != GAPTRACE_UNKNOWN && duration_ns < event->time_ns
		       ? event->time_ns - duration_ns
		       : 0;
}

static bool is_match(const struct walk_activity *open, const struct walk_activity *wanted)
{
	if (open->kind != wanted->kind) {
		return false;
	}
	if (open->kind == WALK_SPAN || open->kind == WALK_PROVE_START) {
		return open->name == wanted->name && open->work.job == wanted->work.job &&
		       open->work.partition == wanted->work.partition;
	}
	return open->object == wanted->object;
}

static struct walk_activity *find_open(
	const struct walk_lane *lane, const struct walk_activity *wanted)
{
	struct walk_activity *open = walk_lane_open(lane, NULL);

	while (open && !is_match(open, wanted)) {
		open = walk_lane_open(lane, open);
	}
	return open;
}

/* A thread that goes on has left every wait: the ends of those inside `outer` were lost. */
static enum status end_stale_waits(struct walk *walk, struct walk_lane *lane,
	const struct walk_activity *outer, uint64_t now_ns)
{
	struct walk_activity *open = walk_lane_open(lane, NULL);
	enum status status = STATUS_OK;

	while (open && open != outer && walk_activity_is_wait(open) && status == STATUS_OK) {
		walk->lanes.stale_count++;
		status = walk_lane_end(&walk->lanes, lane, open, now_ns);
		open = walk_lane_open(lane, NULL);
	}
	return status;
}

static enum status begin(struct walk *walk, struct walk_lane *lane, struct walk_activity *activity,
	const struct event *event)
{
	const struct walk_activity *open = walk_lane_open(lane, NULL);
	enum status status = STATUS_OK;

	/* One that is blocked on a lock begins nothing: it got the lock, and the event was lost. */
	while (open && open->kind == WALK_LOCK_WAIT && status == STATUS_OK) {
		status = end_stale_waits(walk, lane, open->parent, event->time_ns);
		open = walk_lane_open(lane, NULL);
	}
	if (status != STATUS_OK) {
		return status;
	}
	activity->begin_ns = event->time_ns;
	activity->run_delay_ns = GAPTRACE_UNKNOWN;
	return walk_lane_begin(&walk->lanes, lane, activity) ? STATUS_OK : STATUS_NO_MEMORY;
}

/* Ends the open activity that `ended` describes, or takes it in whole when its begin is missing. */
static enum status end(struct walk *walk, struct walk_lane *lane, struct walk_activity *ended,
	const struct event *event, uint64_t duration_ns)
{
	struct walk_activity *open = find_open(lane, ended);
	enum status status = STATUS_OK;

	if (!open) {
		ended->begin_ns = begin_of(event, duration_ns);
		ended->end_ns = event->time_ns;
		return walk_lane_insert(&walk->lanes, lane, ended);
	}
	if (lane->tid == event->tid) {
		status = end_stale_waits(walk, lane, open, event->time_ns);
	}
	if (status != STATUS_OK) {
		return status;
	}
	open->run_delay_ns = ended->run_delay_ns;
	open->ender = ended->ender;
	open->ender_ns = ended->ender_ns;
	open->has_ender = ended->has_ender;
	if (ended->work.job != 0) {
		open->work = ended->work;
	}
	return walk_lane_end(&walk->lanes, lane, open, event->time_ns);
}

static enum status note_gpu_hold(struct walk_lane *lane, const char *name, uint64_t time_ns,
	bool is_acquired, uint64_t since_ns)
{
	struct walk_ring *holds = &lane->gpu_holds;
	const struct walk_gpu_hold hold = {.release_ns = is_acquired ? WALK_OPEN : time_ns,
		.acquire_ns = since_ns,
		.name = name};
	struct walk_gpu_hold *last = NULL;

	if (holds->count > 0) {
		last = walk_ring_at(holds, holds->count - 1);
	}
	if (last && last->release_ns == WALK_OPEN) {
		last->release_ns = time_ns;
		if (!is_acquired) {
			return STATUS_OK;
		}
	}
	return walk_ring_push(holds, &hold);
}

static enum status add_lock(struct walk *walk, const struct event *event)
{
	struct walk_lane *lane = lane_of(walk, event);
	const char *name = walk_names_keep(&walk->names, event->lock.name);
	struct walk_activity wait = {
		.kind = WALK_LOCK_WAIT,
		.name = name,
		.object = event->lock.lock,
		.mode = event->lock.mode,
		.run_delay_ns = GAPTRACE_UNKNOWN,
	};
	struct walk_lock_act act = {
		.pid = event->pid,
		.lock = event->lock.lock,
		.is_shared = event->lock.mode == GAPTRACE_LOCK_SHARED,
		.time_ns = event->time_ns,
	};
	uint64_t since_ns = event->time_ns;
	enum status status = STATUS_OK;

	if (!lane || !name) {
		return STATUS_NO_MEMORY;
	}
	act.lane = lane->self;
	if (event->kind == EVENT_LOCK_WAIT) {
		return begin(walk, lane, &wait, event);
	}
	if (event->kind == EVENT_LOCK_ACQUIRE) {
		if (event->lock.wait_ns > 0 || find_open(lane, &wait)) {
			status = end(walk, lane, &wait, event, event->lock.wait_ns);
		}
		if (status == STATUS_OK) {
			status = walk_locks_acquire(&walk->locks, &act);
		}
	} else {
		act.hold_ns = event->lock.hold_ns;
		status = walk_locks_release(&walk->locks, &act, &since_ns);
	}
	if (status != STATUS_OK || !walk_phase_is_gpu_mutex(name)) {
		return status;
	}
	return note_gpu_hold(
		lane, name, event->time_ns, event->kind == EVENT_LOCK_ACQUIRE, since_ns);
}

static enum status add_push(struct walk *walk, const struct event *event, struct walk_lane *lane,
	struct walk_queue *queue)
{
	const struct walk_item item = {
		.time_ns = event->time_ns, .lane = lane->self, .work = event->queue.work};
	const enum status status = walk_queues_push(&walk->queues, queue, event->queue.item, &item);

	return status == STATUS_OK ? walk_queue_set_depth(queue, event->time_ns, event->queue.depth)
				   : status;
}

static enum status add_pop(struct walk *walk, const struct event *event, struct walk_lane *lane,
	struct walk_queue *queue)
{
	struct walk_activity pop = {
		.kind = WALK_POP,
		.name = queue->name,
		.object = queue->id,
		.work = event->queue.work,
		.run_delay_ns = GAPTRACE_UNKNOWN,
	};
	struct walk_item item;
	enum status status;

	if (walk_queues_pop(&walk->queues, queue, event->queue.item, &item)) {
		pop.has_ender = true;
		pop.ender = item.lane;
		pop.ender_ns = item.time_ns;
	}
	queue->waiting_count -= queue->waiting_count > 0;
	queue->popper = lane->self;
	queue->pop_ns = event->time_ns;
	walk_queue_set_device(queue, event->queue.work.device);
	status = end(walk, lane, &pop, event, event->queue.wait_ns);
	return status == STATUS_OK ? walk_queue_set_depth(queue, event->time_ns, event->queue.depth)
				   : status;
}

static enum status add_queue(struct walk *walk, const struct event *event)
{
	struct walk_lane *lane = lane_of(walk, event);
	const char *name = walk_names_keep(&walk->names, event->queue.name);
	struct walk_queue *queue;
	struct walk_activity pop = {.kind = WALK_POP, .object = event->queue.queue};
	enum status status;

	if (!lane || !name) {
		return STATUS_NO_MEMORY;
	}
	queue = walk_queues_get(&walk->queues, event->pid, event->queue.queue, name);
	if (!queue) {
		return STATUS_NO_MEMORY;
	}
	queue->last_ns = event->time_ns;
	if (event->kind == EVENT_QUEUE_PUSH) {
		return add_push(walk, event, lane, queue);
	}
	if (event->kind == EVENT_QUEUE_POP) {
		return add_pop(walk, event, lane, queue);
	}
	/* A pop that was cancelled told nothing; the next one shows that it is over. */
	status = end_stale_waits(walk, lane, NULL, event->time_ns);
	pop.name = name;
	queue->waiting_count++;
	return status == STATUS_OK ? begin(walk, lane, &pop, event) : status;
}

static enum status add_task(struct walk *walk, const struct event *event)
{
	struct walk_lane *lane = lane_of(walk, event);
	const char *pool = walk_names_keep(&walk->names, event->task.name);
	const char *kind = walk_names_keep(&walk->names, event->task.kind);
	struct walk_activity task = {
		.kind = WALK_TASK,
		.object = event->task.task,
		.work = event->task.work,
		.run_delay_ns = GAPTRACE_UNKNOWN,
	};
	struct walk_task submitted = {.work = event->task.work};
	uint64_t queued_ns = event->task.queued_ns;

	if (!lane || !pool || !kind) {
		return STATUS_NO_MEMORY;
	}
	if (event->kind == EVENT_TASK_SUBMIT) {
		submitted.submit = (struct walk_act){.time_ns = event->time_ns, .lane = lane->self};
		return walk_objects_submit(
			&walk->objects, event->pid, event->task.task, &submitted);
	}
	task.name = kind;
	task.pool = pool;
	task.cause = walk_phase_cause(kind);
	if (event->kind == EVENT_TASK_END) {
		struct walk_activity *open = find_open(lane, &task);

		task.run_delay_ns = event->task.run_delay_ns;
		if (open) { /* end() overwrites who submitted it */
			task.has_ender = open->has_ender;
			task.ender = open->ender;
			task.ender_ns = open->ender_ns;
			return end(walk, lane, &task, event, event->task.run_ns);
		}
		task.begin_ns = begin_of(event, event->task.run_ns);
	} else {
		task.begin_ns = event->time_ns;
	}
	/* A submission not seen: the time may be known still, from the event. */
	task.has_ender = queued_ns != GAPTRACE_UNKNOWN && queued_ns <= task.begin_ns;
	task.ender_ns = task.has_ender ? task.begin_ns - queued_ns : task.begin_ns;
	if (walk_objects_take_task(&walk->objects, event->pid, event->task.task, &submitted)) {
		task.has_ender = true;
		task.ender = submitted.submit.lane;
		task.ender_ns = submitted.submit.time_ns;
	}
	return event->kind == EVENT_TASK_END ? end(walk, lane, &task, event, event->task.run_ns)
					     : begin(walk, lane, &task, event);
}

/* The act that ended a wait on `event`'s object; no lane when it is not known. */
static struct walk_act find_ender(
	const struct walk *walk, const struct event *event, uint64_t begin_ns)
{
	const uint64_t object = event->wait.object;
	struct walk_act act = walk_objects_last_wake(&walk->objects, event->pid, object);
	struct walk_act other = {0};

	if (event->wait.kind == GAPTRACE_WAIT_BUDGET) {
		other = walk_objects_made_room(&walk->objects, event->pid, object, 0, begin_ns);
	} else if (event->wait.kind == GAPTRACE_WAIT_BACKPRESSURE) {
		const struct walk_queue *queue =
			walk_queues_find(&walk->queues, event->pid, object);

		if (queue) {
			other = (struct walk_act){.time_ns = queue->pop_ns, .lane = queue->popper};
		}
	}
	if (other.lane.generation != 0 && other.time_ns >= act.time_ns) {
		act = other;
	}
	return act.time_ns >= begin_ns ? act : (struct walk_act){0};
}

static enum status add_wait(struct walk *walk, const struct event *event)
{
	struct walk_lane *lane = lane_of(walk, event);
	const char *name = walk_names_keep(&walk->names, event->wait.name);
	struct walk_activity wait = {
		.kind = WALK_WAIT,
		.wait_kind = event->wait.kind,
		.name = name,
		.object = event->wait.object,
		.run_delay_ns = GAPTRACE_UNKNOWN,
	};
	const struct walk_activity *open;
	struct walk_act act = {0};

	if (!lane || !name) {
		return STATUS_NO_MEMORY;
	}
	act.lane = lane->self;
	act.time_ns = event->time_ns;
	if (event->kind == EVENT_WAKE) {
		return walk_objects_wake(&walk->objects, event->pid, event->wait.object, act);
	}
	if (event->kind == EVENT_WAIT_BEGIN) {
		return begin(walk, lane, &wait, event);
	}
	open = find_open(lane, &wait);
	act = find_ender(walk, event, open ? open->begin_ns : begin_of(event, event->wait.wait_ns));
	wait.has_ender = act.lane.generation != 0;
	wait.ender = act.lane;
	wait.ender_ns = act.time_ns;
	return end(walk, lane, &wait, event, event->wait.wait_ns);
}

static enum status add_span(struct walk *walk, const struct event *event, bool is_begin)
{
	const int32_t tid =
		is_begin || event->span.begin_tid == 0 ? event->tid : event->span.begin_tid;
	struct walk_lane *lane = walk_lanes_get(&walk->lanes, event->pid, tid);
	const char *name = walk_names_keep(&walk->names, event->span.name);
	struct walk_activity span = {
		.kind = event->kind == EVENT_PROVE_START_BEGIN ||
					event->kind == EVENT_PROVE_START_END
				? WALK_PROVE_START
				: WALK_SPAN,
		.name = name,
		.work = event->span.work,
	};

	if (!lane || !name) {
		return STATUS_NO_MEMORY;
	}
	lane->last_ns = event->time_ns;
	span.cause = walk_phase_cause(name);
	if (is_begin) {
		return begin(walk, lane, &span, event);
	}
	span.run_delay_ns = event->span.run_delay_ns;
	return end(walk, lane, &span, event, event->span.duration_ns);
}

static enum status add_trim(struct walk *walk, const struct event *event)
{
	struct walk_lane *lane = lane_of(walk, event);
	struct walk_activity trim = {
		.kind = WALK_SPAN,
		.name = walk_names_keep(&walk->names, "malloc_trim"),
		.cause = CAUSE_CPU_PHASE,
		.run_delay_ns = GAPTRACE_UNKNOWN,
		.work = {.partition = GAPTRACE_NONE, .device = GAPTRACE_NONE},
	};

	if (!lane || !trim.name) {
		return STATUS_NO_MEMORY;
	}
	return event->kind == EVENT_MALLOC_TRIM_BEGIN
		       ? begin(walk, lane, &trim, event)
		       : end(walk, lane, &trim, event, event->malloc_trim.duration_ns);
}

/* The wait that a reservation ended: now it is known how much room was needed. */
static void refine_budget_wait(
	struct walk *walk, const struct event *event, const struct walk_lane *lane)
{
	const size_t count = lane->closed.count;

	for (size_t i = count; i > 0 && count - i < RECENT_CLOSED_MAX; i--) {
		const struct walk_closed *closed = walk_ring_at(&lane->closed, i - 1);
		struct walk_activity *wait = closed->activity;
		struct walk_act act;

		if (wait->kind != WALK_WAIT || wait->wait_kind != GAPTRACE_WAIT_BUDGET) {
			continue;
		}
		act = walk_objects_made_room(&walk->objects, event->pid, event->budget.budget,
			event->budget.bytes, wait->begin_ns);
		if (act.lane.generation != 0 && act.time_ns <= wait->end_ns) {
			wait->has_ender = true;
			wait->ender = act.lane;
			wait->ender_ns = act.time_ns;
		}
		return;
	}
}

static enum status add_budget(struct walk *walk, const struct event *event)
{
	struct walk_lane *lane = lane_of(walk, event);
	struct walk_budget_sample sample = {
		.used_bytes = event->budget.used,
		.limit_bytes = event->budget.limit,
		.is_release = event->kind == EVENT_BUDGET_RELEASE,
	};

	if (!lane) {
		return STATUS_NO_MEMORY;
	}
	if (!sample.is_release && event->budget.wait_ns > 0) {
		refine_budget_wait(walk, event, lane);
	}
	sample.act = (struct walk_act){.time_ns = event->time_ns, .lane = lane->self};
	return walk_objects_budget(&walk->objects, event->pid, event->budget.budget, &sample);
}

/* Memory that was mapped, pinned or given back, and took its time. */
static enum status add_buffer(struct walk *walk, const struct event *event)
{
	static const char *const names[] = {"abc", "aux", "shell", "pinned", "device"};
	const size_t kind = (size_t)event->buffer.kind;
	struct walk_lane *lane = lane_of(walk, event);
	struct walk_activity buffer = {
		.kind = WALK_BUFFER,
		.end_ns = event->time_ns,
		.cause = event->kind == EVENT_BUFFER_ALLOC ? CAUSE_ALLOC : CAUSE_FREE,
		.name = walk_names_keep(&walk->names,
			kind < sizeof(names) / sizeof(names[0]) ? names[kind] : "buffer"),
		.run_delay_ns = GAPTRACE_UNKNOWN,
		.work = {.partition = GAPTRACE_NONE, .device = GAPTRACE_NONE},
	};

	if (!lane || !buffer.name) {
		return STATUS_NO_MEMORY;
	}
	if (event->buffer.duration_ns == 0 || event->buffer.duration_ns == GAPTRACE_UNKNOWN) {
		return STATUS_OK;
	}
	buffer.begin_ns = begin_of(event, event->buffer.duration_ns);
	return walk_lane_insert(&walk->lanes, lane, &buffer);
}

static enum status add_job(struct walk *walk, const struct event *event)
{
	if (event->kind == EVENT_JOB_END) {
		return walk_jobs_end(&walk->jobs, event->pid, event->job.job,
			begin_of(event, event->job.duration_ns), event->time_ns);
	}
	return event->kind == EVENT_JOB_SUBMIT
		       ? walk_jobs_submit(&walk->jobs, event->pid, event->job.job, event->time_ns)
		       : STATUS_OK;
}

static enum status name_thread(struct walk *walk, int32_t tid, const char *text)
{
	const char *name = walk_names_keep(&walk->names, text);

	if (!name) {
		return STATUS_NO_MEMORY;
	}
	/* Threads that come and go must not fill the memory: their names may be told again. */
	if (walk->thread_names.count >= WALK_NAME_COUNT_MAX) {
		walk_map_finish(&walk->thread_names);
	}
	return walk_map_put(&walk->thread_names, (uint32_t)tid, 0, (void *)(uintptr_t)name);
}

/* What a recording that began late must know. Other subjects tell nothing new to the walk. */
static enum status add_state(struct walk *walk, const struct event *event)
{
	struct walk_queue *queue;

	if (event->state.subject == GAPTRACE_STATE_THREAD) {
		return name_thread(walk, event->state.tid, event->state.name);
	}
	if (event->state.subject == GAPTRACE_STATE_JOB) {
		return walk_jobs_submit(&walk->jobs, event->pid, event->state.work.job,
			event->state.since_ns < event->time_ns ? event->state.since_ns
							       : event->time_ns);
	}
	if (event->state.subject == GAPTRACE_STATE_QUEUE) {
		queue = walk_queues_find(&walk->queues, event->pid, event->state.object);
		return queue ? walk_queue_set_depth(
				       queue, event->time_ns, event->state.value > 0 ? 1 : 0)
			     : STATUS_OK;
	}
	return STATUS_OK;
}

static enum status add_sched_switch(struct walk *walk, const struct event *event)
{
	const enum status status =
		walk_scheds_leave(&walk->scheds, event->sched_switch.previous_tid, event->time_ns,
			event->sched_switch.previous_state == 0);

	return status == STATUS_OK ? walk_scheds_run(&walk->scheds, event->sched_switch.next_tid,
					     event->time_ns)
				   : status;
}

enum status walk_add_host(struct walk *walk, const struct event *event)
{
	switch ((int)event->kind) {
	case EVENT_LOCK_WAIT:
	case EVENT_LOCK_ACQUIRE:
	case EVENT_LOCK_RELEASE:
		return add_lock(walk, event);
	case EVENT_QUEUE_PUSH:
	case EVENT_QUEUE_POP_WAIT:
	case EVENT_QUEUE_POP:
		return add_queue(walk, event);
	case EVENT_TASK_SUBMIT:
	case EVENT_TASK_BEGIN:
	case EVENT_TASK_END:
		return add_task(walk, event);
	case EVENT_WAIT_BEGIN:
	case EVENT_WAIT_END:
	case EVENT_WAKE:
		return add_wait(walk, event);
	case EVENT_SPAN_BEGIN:
	case EVENT_PROVE_START_BEGIN:
	case EVENT_PROVE_FINISH_BEGIN:
		return add_span(walk, event, true);
	case EVENT_SPAN_END:
	case EVENT_PROVE_START_END:
	case EVENT_PROVE_FINISH_END:
		return add_span(walk, event, false);
	case EVENT_MALLOC_TRIM_BEGIN:
	case EVENT_MALLOC_TRIM_END:
		return add_trim(walk, event);
	case EVENT_BUDGET_RESERVE:
	case EVENT_BUDGET_RELEASE:
		return add_budget(walk, event);
	case EVENT_BUFFER_ALLOC:
	case EVENT_BUFFER_FREE:
		return add_buffer(walk, event);
	case EVENT_JOB_SUBMIT:
	case EVENT_JOB_BEGIN:
	case EVENT_JOB_END:
		return add_job(walk, event);
	case EVENT_STATE:
		return add_state(walk, event);
	case EVENT_SCHED_SWITCH:
		return add_sched_switch(walk, event);
	case EVENT_SCHED_WAKING:
		return walk_scheds_wake(
			&walk->scheds, event->sched_waking.woken_tid, event->time_ns);
	default:
		return STATUS_OK;
	}
}
