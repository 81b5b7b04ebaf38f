/* SPDX-License-Identifier: MIT */
#include "analysis/core/window.h"

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

static enum status open_job(struct window *window, int32_t pid, uint64_t job, uint32_t partitions)
{
	struct window_job *known = find_open(window, pid, job);

	if (known) {
		known->partitions = partitions ? partitions : known->partitions;
		return STATUS_OK;
	}
	if (window->open_count == window->open_capacity) {
		const size_t capacity = window->open_capacity ? window->open_capacity * 2 : 16;
		struct window_job *open = reallocarray(window->open, capacity, sizeof(*open));

		if (!open) {
			return STATUS_NO_MEMORY;
		}
		window->open = open;
		window->open_capacity = capacity;
	}
	window->open[window->open_count++] = (struct window_job){pid, job, partitions};
	return STATUS_OK;
}

static void end_job(struct window *window, const struct event *event)
{
	struct window_job *open = find_open(window, event->pid, event->job.job);
	uint32_t partitions = event->job.partitions;

	if (open) {
		partitions = partitions ? partitions : open->partitions;
		*open = window->open[--window->open_count];
	}
	window->ended[window->ended_next++ % WINDOW_ENDED_JOBS] =
		(struct window_job){event->pid, event->job.job, partitions};
	window->has_job_end = true;
	window->last_job_end_ns = event->time_ns;
	window->last_job_event_ns = event->time_ns;
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
	window->is_begin_cut = event->kind != EVENT_JOB_SUBMIT;
	window->begin_ns = window->is_begin_cut ? window->first_event_ns : event->time_ns;
}

enum status window_add(struct window *window, const struct event *event)
{
	const uint64_t job = job_of(event);

	if (!window->has_event) {
		window->has_event = true;
		window->first_event_ns = event->time_ns;
	}
	window->last_event_ns = event->time_ns;
	if (job == 0) {
		return STATUS_OK;
	}
	if (!window->has_begun) {
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
		window->partitions_finished++;
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
	return window_is_end_cut(window) ? window->last_event_ns : window->last_job_end_ns;
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
