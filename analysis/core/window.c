/* SPDX-License-Identifier: MIT */
#include "analysis/core/window.h"

#include "trace/base/array.h"

#include <stdlib.h>

void window_init(struct window *window)
{
	*window = (struct window){0};
}

/* The job that an event is about, 0 when it names none. */
static uint64_t job_of(const struct event *event)
{
	switch ((int)event->kind) {
	case EVENT_QUEUE_PUSH:
	case EVENT_QUEUE_POP:
		return event->queue.work.job;
	case EVENT_TASK_SUBMIT:
	case EVENT_TASK_BEGIN:
	case EVENT_TASK_END:
		return event->task.work.job;
	case EVENT_SPAN_BEGIN:
	case EVENT_SPAN_END:
	case EVENT_PROVE_START_BEGIN:
	case EVENT_PROVE_START_END:
	case EVENT_PROVE_FINISH_BEGIN:
	case EVENT_PROVE_FINISH_END:
		return event->span.work.job;
	case EVENT_BUDGET_RESERVE:
	case EVENT_BUDGET_RELEASE:
		return event->budget.work.job;
	case EVENT_JOB_SUBMIT:
	case EVENT_JOB_BEGIN:
	case EVENT_JOB_END:
		return event->job.job;
	case EVENT_STATE:
		return event->state.work.job;
	default:
		return 0;
	}
}

/* By search: a daemon has few jobs open at once. */
static struct window_job *find_open(struct window *window, int32_t pid, uint64_t job)
{
	for (size_t i = 0; i < window->open_count; i++) {
		if (window->open[i].job == job && window->open[i].pid == pid) {
			return &window->open[i];
		}
	}
	return NULL;
}

static bool has_ended(const struct window *window, int32_t pid, uint64_t job)
{
	for (size_t i = 0; i < WINDOW_ENDED_JOBS; i++) {
		if (window->ended[i].job == job && window->ended[i].pid == pid) {
			return true;
		}
	}
	return false;
}

/*
 * Two sessions that record one process stamp its events a few nanoseconds apart, but what the
 * process measured is the same in both. A daemon started again that numbers its jobs anew in a
 * process of the same number (a container's) measures something else.
 */
static bool is_measured(uint64_t duration_ns)
{
	return duration_ns != 0 && duration_ns != GAPTRACE_UNKNOWN;
}

static bool is_job_told_twice(const struct window *window, const struct event *event)
{
	for (size_t i = 0; i < WINDOW_ENDED_JOBS; i++) {
		if (window->ended[i].job == event->job.job && window->ended[i].pid == event->pid &&
			window->ended[i].duration_ns == event->job.duration_ns) {
			return is_measured(event->job.duration_ns);
		}
	}
	return false;
}

static bool is_same(const struct window_partition *left, const struct window_partition *right)
{
	return left->pid == right->pid && left->job == right->job &&
	       left->partition == right->partition && left->duration_ns == right->duration_ns;
}

static void end_partition(struct window *window, const struct event *event)
{
	const struct window_partition ended = {.pid = event->pid,
		.partition = event->span.work.partition,
		.job = event->span.work.job,
		.duration_ns = event->span.duration_ns};

	for (size_t i = 0; i < WINDOW_ENDED_PARTITIONS && is_measured(ended.duration_ns); i++) {
		if (is_same(&window->ended_partitions[i], &ended)) {
			window->told_twice++;
			return;
		}
	}
	window->ended_partitions[window->ended_partition_next++ % WINDOW_ENDED_PARTITIONS] = ended;
	window->partitions_finished++;
}

static enum status open_job(struct window *window, int32_t pid, uint64_t job, uint32_t partitions)
{
	struct window_job *known = find_open(window, pid, job);

	if (known) {
		known->partitions = partitions ? partitions : known->partitions;
		return STATUS_OK;
	}
	if (!ARRAY_MAKE_ROOM(window->open, window->open_count, window->open_capacity, 16)) {
		return STATUS_NO_MEMORY;
	}
	window->open[window->open_count++] = (struct window_job){pid, job, partitions, 0};
	return STATUS_OK;
}

static void end_job(struct window *window, const struct event *event)
{
	struct window_job *open = find_open(window, event->pid, event->job.job);
	uint32_t partitions = event->job.partitions;

	if (is_job_told_twice(window, event)) {
		window->told_twice++;
		return;
	}
	if (open) {
		partitions = partitions ? partitions : open->partitions;
		/* The order of the open ones does not matter. */
		*open = window->open[--window->open_count];
	}
	window->ended[window->ended_next++ % WINDOW_ENDED_JOBS] =
		(struct window_job){event->pid, event->job.job, partitions, event->job.duration_ns};
	window->has_job_end = true;
	window->last_job_end_ns = event->time_ns;
	window->last_job_event_ns = event->time_ns;
	/* A cancelled job counts as failed: its work was not done. */
	if (event->job.status == GAPTRACE_JOB_DONE) {
		window->jobs_done++;
		window->partitions_done += partitions;
	} else {
		window->jobs_failed++;
	}
}

static void begin(struct window *window, const struct event *event)
{
	window->has_begun = true;
	window->is_begin_assumed = false;
	window->is_begin_cut = event->kind != EVENT_JOB_SUBMIT;
	window->begin_ns = window->is_begin_cut ? window->first_event_ns : event->time_ns;
}

/*
 * What an imported trace says of itself (its source, its devices, its threads) did not happen in
 * it, and carries whatever time its reader has at hand.
 */
static bool is_about_trace(const struct event *event)
{
	switch ((int)event->kind) {
	case EVENT_IMPORT_NOTE:
	case EVENT_GPU_DEVICE:
	case EVENT_GPU_WATERMARK:
		return true;
	case EVENT_STATE:
		return event->state.subject == GAPTRACE_STATE_THREAD;
	default:
		return false;
	}
}

/* When that which the event tells of is over: imported calls and operations come at their start. */
static uint64_t end_of(const struct event *event)
{
	const struct event_operation *operation = event_operation(event);

	if (operation) {
		return operation->end_ns;
	}
	return event->kind == EVENT_GPU_API ? event->api.end_ns : event->time_ns;
}

/* False for an event that is in no time of the window. */
static bool note_time(struct window *window, const struct event *event)
{
	uint64_t end_ns;

	if (window->is_imported && is_about_trace(event)) {
		return false;
	}
	if (!window->has_event) {
		window->has_event = true;
		window->first_event_ns = event->time_ns;
	}
	window->last_event_ns = event->time_ns;
	if (window->is_imported) {
		end_ns = end_of(event);
		window->last_end_ns = end_ns < WINDOW_STAMP_MAX_NS && end_ns > window->last_end_ns
					      ? end_ns
					      : window->last_end_ns;
		/* Gaps may be told from here on, so that memory stays bounded. */
		if (!window->has_begun) {
			window_force_begin(window);
			window->is_begin_assumed = true;
		}
	}
	return true;
}

static bool may_begin(const struct window *window)
{
	/* An assumed begin gives way to a job's submit as long as no gap was told by it. */
	return !window->has_begun || (window->is_begin_assumed && !window->is_begin_told);
}

enum status window_add(struct window *window, const struct event *event)
{
	const uint64_t job = job_of(event);

	if (!note_time(window, event) || job == 0) {
		return STATUS_OK;
	}
	if (may_begin(window)) {
		begin(window, event);
	}

	switch ((int)event->kind) {
	case EVENT_JOB_SUBMIT:
		window->last_job_event_ns = event->time_ns;
		return open_job(window, event->pid, job, event->job.partitions);
	case EVENT_JOB_BEGIN:
		return open_job(window, event->pid, job, event->job.partitions);
	case EVENT_JOB_END:
		end_job(window, event);
		return STATUS_OK;
	case EVENT_PROVE_FINISH_END:
		end_partition(window, event);
		return STATUS_OK;
	case EVENT_STATE:
		if (event->state.subject == GAPTRACE_STATE_JOB &&
			!has_ended(window, event->pid, job)) {
			return open_job(window, event->pid, job, 0);
		}
		return STATUS_OK;
	default:
		return STATUS_OK;
	}
}

void window_set_imported(struct window *window)
{
	window->is_imported = true;
}

void window_force_begin(struct window *window)
{
	if (!window->has_begun) {
		window->has_begun = true;
		window->is_begin_cut = true;
		window->begin_ns = window->first_event_ns;
	}
}

uint64_t window_known_until(const struct window *window)
{
	if (!window->has_begun) {
		return 0;
	}
	if (window->open_count > 0 || window->last_job_event_ns == 0) {
		/* While a job is open, or none was ever told, the window goes on: gaps up to now
		 * are final. */
		return window->last_event_ns;
	}
	return window->last_job_event_ns;
}

bool window_is_end_cut(const struct window *window)
{
	return window->open_count > 0 || !window->has_job_end;
}

uint64_t window_end_ns(const struct window *window)
{
	if (!window_is_end_cut(window)) {
		return window->last_job_end_ns;
	}
	return window->last_end_ns > window->last_event_ns ? window->last_end_ns
							   : window->last_event_ns;
}

uint64_t window_partitions(const struct window *window)
{
	return window->partitions_finished ? window->partitions_finished : window->partitions_done;
}

void window_finish(struct window *window)
{
	free(window->open);
	window_init(window);
}
