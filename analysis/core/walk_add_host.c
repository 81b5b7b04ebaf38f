/* SPDX-License-Identifier: MIT */
/* The host's events: what threads did, what is outstanding, and what the scheduler says. */
#include "analysis/core/walk_add.h"
#include "analysis/core/walk_note.h"
#include "analysis/core/walk_phase.h"

#include <string.h>

static enum status add_span(struct walk *walk, const struct event *event, bool is_begin)
{
	/* A span belongs to the thread that began it, also when another one ends it. */
	const int32_t tid =
		is_begin || event->span.begin_tid == 0 ? event->tid : event->span.begin_tid;
	struct walk_lane *lane = walk_lanes_get(&walk->lanes, event->pid, tid);
	const char *name = walk->imports.is_on
				   ? walk_range_keep(&walk->imports, &walk->names, event->span.name)
				   : walk_names_keep(&walk->names, event->span.name);
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
		return walk_note_begin(walk, lane, &span, event);
	}
	span.run_delay_ns = event->span.run_delay_ns;
	return walk_note_end(walk, lane, &span, event, event->span.duration_ns);
}

static enum status add_trim(struct walk *walk, const struct event *event)
{
	struct walk_lane *lane = walk_note_lane(walk, event);
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
		       ? walk_note_begin(walk, lane, &trim, event)
		       : walk_note_end(walk, lane, &trim, event, event->malloc_trim.duration_ns);
}

/* Memory that was mapped, pinned or given back, and took its time. */
static enum status add_buffer(struct walk *walk, const struct event *event)
{
	static const char *const names[] = {"abc", "aux", "shell", "pinned", "device"};
	const size_t kind = (size_t)event->buffer.kind;
	struct walk_lane *lane = walk_note_lane(walk, event);
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
	/* What took no time, or nobody knows how much, covers nothing. */
	if (event->buffer.duration_ns == 0 || event->buffer.duration_ns == GAPTRACE_UNKNOWN) {
		return STATUS_OK;
	}
	buffer.begin_ns = walk_note_begin_ns(event, event->buffer.duration_ns);
	return walk_lane_insert(&walk->lanes, lane, &buffer);
}

static enum status add_job(struct walk *walk, const struct event *event)
{
	struct walk_job_submission submit = {.time_ns = event->time_ns};
	const struct walk_lane *lane;

	if (event->kind == EVENT_JOB_END) {
		return walk_jobs_end(&walk->jobs, event->pid, event->job.job,
			walk_note_begin_ns(event, event->job.duration_ns), event->time_ns);
	}
	/* A job's begin changes nothing about how many are outstanding. */
	if (event->kind != EVENT_JOB_SUBMIT) {
		return STATUS_OK;
	}
	lane = walk_note_lane(walk, event);
	if (!lane) {
		return STATUS_NO_MEMORY;
	}
	submit.lane = lane->self;
	return walk_jobs_come(&walk->jobs, event->pid, event->job.job, submit);
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

static enum status add_queue_state(struct walk *walk, const struct event *event)
{
	const char *name = walk_names_keep(&walk->names, event->state.name);
	struct walk_queue *queue = NULL;

	if (name) {
		queue = walk_queues_get(&walk->queues, event->pid, event->state.object, name);
	}
	if (!queue) {
		return STATUS_NO_MEMORY;
	}
	if (event->state.work.device >= 0) {
		walk_queue_set_device(queue, event->state.work.device);
	}
	/* Whether there is work, not how much: see walk_queue_set_depth(). */
	return walk_queue_set_depth(queue, event->time_ns, event->state.value > 0 ? 1 : 0);
}

/* What a recording that began late must know. Other subjects tell nothing new to the walk. */
static enum status add_state(struct walk *walk, const struct event *event)
{
	enum status status;

	if (event->state.subject == GAPTRACE_STATE_THREAD) {
		return name_thread(walk, event->state.tid, event->state.name);
	}
	if (event->state.subject == GAPTRACE_STATE_JOB) {
		status = walk_jobs_submit(&walk->jobs, event->pid, event->state.work.job,
			(struct walk_job_submission){
				.time_ns = event->state.since_ns < event->time_ns
						   ? event->state.since_ns
						   : event->time_ns});
		walk_jobs_confirm(&walk->jobs, event->pid, event->state.work.job);
		return status;
	}
	if (event->state.subject == GAPTRACE_STATE_PROCESS &&
		strcmp(event->state.name, GAPTRACE_STATE_OPEN_JOBS) == 0) {
		return walk_jobs_count(&walk->jobs, event->pid, event->time_ns);
	}
	if (event->state.subject == GAPTRACE_STATE_QUEUE) {
		return add_queue_state(walk, event);
	}
	return STATUS_OK;
}

static enum walk_sched_state state_of(uint64_t previous_state)
{
	/* Imported rows may not say why a thread left its CPU. */
	if (previous_state == GAPTRACE_UNKNOWN) {
		return WALK_SCHED_AWAY;
	}
	return previous_state == 0 ? WALK_SCHED_RUNNABLE : WALK_SCHED_BLOCKED;
}

/* Thread 0 is none: a CPU that idles, or the side of an imported row that is not known. */
static enum status add_sched_switch(struct walk *walk, const struct event *event)
{
	const int32_t left = event->sched_switch.previous_tid;
	const int32_t next = event->sched_switch.next_tid;
	enum status status = STATUS_OK;

	if (left != 0) {
		status = walk_scheds_leave(&walk->scheds, left, event->time_ns,
			state_of(event->sched_switch.previous_state));
	}
	if (status == STATUS_OK && next != 0) {
		status = walk_scheds_run(&walk->scheds, next, event->time_ns);
	}
	return status;
}

static enum status add_os_call(struct walk *walk, const struct event *event)
{
	struct walk_lane *lane = walk_lanes_get(&walk->lanes, event->pid, event->os_call.tid);
	const struct walk_os_call call = {
		.start_ns = event->os_call.start_ns,
		.end_ns = event->os_call.end_ns,
		.name = walk_names_keep(&walk->names, event->os_call.name),
	};

	if (!lane || !call.name) {
		return STATUS_NO_MEMORY;
	}
	if (event->time_ns > lane->last_ns) {
		lane->last_ns = event->time_ns;
	}
	return walk_os_add(&walk->imports, lane, &call, walk->lanes.forget_ns);
}

static void add_note(struct walk *walk, const struct event *event)
{
	if (event->note.kind == EVENT_NOTE_SOURCE) {
		/* docs/causes.md, rule 11, from here on: what other tools recorded is read by
		 * other rules. */
		walk->imports.is_on = true;
		walk->scheds.keeps_blocked = true;
		walk->calls.keeps_first = true;
		walk->lanes.depth_max = WALK_IMPORT_DEPTH_MAX;
	}
}

enum status walk_add_host(struct walk *walk, const struct event *event)
{
	switch ((int)event->kind) {
	case EVENT_LOCK_WAIT:
	case EVENT_LOCK_ACQUIRE:
	case EVENT_LOCK_RELEASE:
		return walk_add_lock(walk, event);
	case EVENT_QUEUE_PUSH:
	case EVENT_QUEUE_POP_WAIT:
	case EVENT_QUEUE_POP:
		return walk_add_queue(walk, event);
	case EVENT_TASK_SUBMIT:
	case EVENT_TASK_BEGIN:
	case EVENT_TASK_END:
		return walk_add_task(walk, event);
	case EVENT_WAIT_BEGIN:
	case EVENT_WAIT_END:
	case EVENT_WAKE:
		return walk_add_wait(walk, event);
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
		return walk_add_budget(walk, event);
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
	case EVENT_IMPORT_NOTE:
		add_note(walk, event);
		return STATUS_OK;
	case EVENT_IMPORT_OS_CALL:
		return add_os_call(walk, event);
	default:
		return STATUS_OK;
	}
}
