/* SPDX-License-Identifier: MIT */
/* Queues, task pools, and waits that are no lock. */
#include "gaptrace/gaptrace.h"
#include "trace/base/clock.h"
#include "trace/emit/nvtx_range.h"
#include "trace/emit/thread.h"
#include "trace/emit/tracepoints.h"
#include "trace/emit/usage.h"

/* From `begin_ns`, which is 0 when nothing recorded then, to `end_ns`. */
static uint64_t between(uint64_t begin_ns, uint64_t end_ns)
{
	return begin_ns ? end_ns - begin_ns : GAPTRACE_UNKNOWN;
}

struct gaptrace_wait gaptrace_wait_begin(
	const void *object, const char *name, enum gaptrace_wait_kind kind)
{
	struct gaptrace_wait wait = {.object = object, .name = name, .kind = kind};

	/* The end's duration needs the begin's time, also when only ends are recorded. */
	if (WANTED(wait_begin) || WANTED(wait_end)) {
		wait.begin_ns = clock_now_ns();
	}
	if (WANTED(wait_begin)) {
		EMIT(wait_begin, &wait);
	}
	nvtx_range_push(NVTX_RANGE_WAIT, name);
	return wait;
}

void gaptrace_wait_end(const struct gaptrace_wait *wait)
{
	/* Before the event, as the push came after it: ranges lie inside what the events tell. */
	nvtx_range_pop();
	if (WANTED(wait_end)) {
		uint64_t wait_ns = between(wait->begin_ns, clock_now_ns());

		EMIT(wait_end, wait, wait_ns);
	}
}

void gaptrace_wake(const void *object, const char *name)
{
	if (WANTED(wake)) {
		EMIT(wake, object, name);
	}
}

void gaptrace_queue_push(
	const void *queue, const char *name, struct gaptrace_item *item, uint32_t depth)
{
	/* 0 says to the pop that nobody looked at the clock. */
	item->pushed_ns = WANTED(queue_push) || WANTED(queue_pop) ? clock_now_ns() : 0;
	if (WANTED(queue_push)) {
		EMIT(queue_push, queue, name, item, depth);
	}
}

struct gaptrace_pop gaptrace_queue_pop_wait(const void *queue, const char *name)
{
	struct gaptrace_pop pop = {.queue = queue, .name = name};

	if (WANTED(queue_pop_wait) || WANTED(queue_pop)) {
		pop.begin_ns = clock_now_ns();
	}
	if (WANTED(queue_pop_wait)) {
		EMIT(queue_pop_wait, queue, name);
	}
	nvtx_range_push(NVTX_RANGE_QUEUE, name);
	return pop;
}

void gaptrace_queue_pop(
	const struct gaptrace_pop *pop, const struct gaptrace_item *item, uint32_t depth)
{
	nvtx_range_pop();
	if (WANTED(queue_pop)) {
		uint64_t now_ns = clock_now_ns();
		struct sample_pop sample = {.depth = depth,
			.wait_ns = between(pop->begin_ns, now_ns),
			.resident_ns = between(item->pushed_ns, now_ns)};

		EMIT(queue_pop, pop, item, &sample);
	}
}

void gaptrace_queue_pop_cancel(const struct gaptrace_pop *pop)
{
	const struct gaptrace_item none = {.work = GAPTRACE_NO_WORK};

	gaptrace_queue_pop(pop, &none, 0);
}

void gaptrace_task_submit(struct gaptrace_task *task, uint32_t backlog)
{
	bool is_wanted = WANTED(task_submit) || WANTED(task_begin) || WANTED(task_end);

	task->submitted_ns = is_wanted ? clock_now_ns() : 0;
	if (WANTED(task_submit)) {
		EMIT(task_submit, task, backlog);
	}
}

static uint64_t queued_ns(const struct gaptrace_task *task)
{
	/* A recording may begin between submit and begin, or between begin and end. */
	return task->begin_ns ? between(task->submitted_ns, task->begin_ns) : GAPTRACE_UNKNOWN;
}

void gaptrace_task_begin(struct gaptrace_task *task)
{
	task->begin_ns = WANTED(task_begin) || WANTED(task_end) ? clock_now_ns() : 0;
	if (task->begin_ns) {
		usage_begin(task->begin_ns, &task->begin_cpu_ns, &task->begin_run_delay_ns);
	}
	if (WANTED(task_begin)) {
		EMIT(task_begin, task, queued_ns(task));
	}
	nvtx_range_push(NVTX_RANGE_POOL, task->kind);
}

void gaptrace_task_end(const struct gaptrace_task *task)
{
	nvtx_range_pop();
	if (WANTED(task_end)) {
		const struct usage_mark mark = {.begin_ns = task->begin_ns,
			.cpu_ns = task->begin_cpu_ns,
			.run_delay_ns = task->begin_run_delay_ns,
			.tid = thread_tid()};
		struct sample_usage usage = usage_end(&mark);

		EMIT(task_end, task, queued_ns(task), &usage);
	}
}
