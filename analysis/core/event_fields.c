/* SPDX-License-Identifier: MIT */
#include "analysis/core/event_fields.h"

#include <assert.h>

/* An event without a NEED says nothing; without a FIELD, as if that were not known. lint.events
 * holds the table against docs/events.md and the provider. */
#define FIELD(name, storage, member)                                                               \
	{                                                                                          \
		name, FIELD_##storage, false, offsetof(struct event, member)                       \
	}
#define NEED(name, storage, member)                                                                \
	{                                                                                          \
		name, FIELD_##storage, true, offsetof(struct event, member)                        \
	}
#define WORK(member)                                                                               \
	FIELD("job", U64, member.job), FIELD("partition", WORK, member.partition),                 \
		FIELD("device", WORK, member.device)
#define OPERATION(member)                                                                          \
	NEED("device", I32, member.operation.device),                                              \
		FIELD("context", U32, member.operation.context),                                   \
		FIELD("stream", U32, member.operation.stream),                                     \
		FIELD("correlation", U64, member.operation.correlation),                           \
		NEED("start_ns", TIME, member.operation.start_ns),                                 \
		NEED("end_ns", TIME, member.operation.end_ns)
#define SPAN_COST                                                                                  \
	FIELD("begin_tid", TID, span.begin_tid), FIELD("duration_ns", DURATION, span.duration_ns), \
		FIELD("cpu_ns", DURATION, span.cpu_ns),                                            \
		FIELD("run_delay_ns", DURATION, span.run_delay_ns)
#define LOCK                                                                                       \
	FIELD("lock", U64, lock.lock), FIELD("name", STRING, lock.name),                           \
		FIELD("mode", U32, lock.mode)
#define QUEUE FIELD("queue", U64, queue.queue), FIELD("name", STRING, queue.name)
#define TASK                                                                                       \
	FIELD("pool", U64, task.pool), FIELD("name", STRING, task.name),                           \
		FIELD("task", U64, task.task), FIELD("kind", STRING, task.kind), WORK(task.work)
#define WAIT FIELD("object", U64, wait.object), FIELD("name", STRING, wait.name)
#define BUDGET                                                                                     \
	FIELD("budget", U64, budget.budget), WORK(budget.work), FIELD("bytes", U64, budget.bytes), \
		FIELD("used", U64, budget.used), FIELD("limit", U64, budget.limit)
#define BUFFER                                                                                     \
	FIELD("kind", U32, buffer.kind), FIELD("bytes", U64, buffer.bytes),                        \
		FIELD("live_count", U64, buffer.live_count),                                       \
		FIELD("live_bytes", U64, buffer.live_bytes),                                       \
		FIELD("duration_ns", DURATION, buffer.duration_ns)

/* clang-format off */
static const struct event_fields rows[EVENT_KIND_COUNT] = {
	[EVENT_LOCK_WAIT] = {"gaptrace:lock_wait", NULL, {
		LOCK, FIELD("holder_tid", TID, lock.holder_tid)}},
	[EVENT_LOCK_ACQUIRE] = {"gaptrace:lock_acquire", NULL, {
		LOCK, FIELD("wait_ns", DURATION, lock.wait_ns)}},
	[EVENT_LOCK_RELEASE] = {"gaptrace:lock_release", NULL, {
		LOCK, FIELD("hold_ns", DURATION, lock.hold_ns)}},
	[EVENT_QUEUE_PUSH] = {"gaptrace:queue_push", NULL, {
		QUEUE, FIELD("item", U64, queue.item), WORK(queue.work), FIELD("depth", U32, queue.depth)}},
	[EVENT_QUEUE_POP_WAIT] = {"gaptrace:queue_pop_wait", NULL, {QUEUE}},
	[EVENT_QUEUE_POP] = {"gaptrace:queue_pop", NULL, {
		QUEUE, FIELD("item", U64, queue.item), WORK(queue.work), FIELD("depth", U32, queue.depth),
		FIELD("wait_ns", DURATION, queue.wait_ns), FIELD("resident_ns", DURATION, queue.resident_ns)}},
	[EVENT_TASK_SUBMIT] = {"gaptrace:task_submit", NULL, {
		TASK, FIELD("backlog", U32, task.backlog)}},
	[EVENT_TASK_BEGIN] = {"gaptrace:task_begin", NULL, {
		TASK, FIELD("queued_ns", DURATION, task.queued_ns)}},
	[EVENT_TASK_END] = {"gaptrace:task_end", NULL, {
		TASK, FIELD("queued_ns", DURATION, task.queued_ns), FIELD("run_ns", DURATION, task.run_ns),
		FIELD("cpu_ns", DURATION, task.cpu_ns), FIELD("run_delay_ns", DURATION, task.run_delay_ns)}},
	[EVENT_WAIT_BEGIN] = {"gaptrace:wait_begin", NULL, {WAIT, FIELD("kind", U32, wait.kind)}},
	[EVENT_WAIT_END] = {"gaptrace:wait_end", NULL, {
		WAIT, FIELD("kind", U32, wait.kind), FIELD("wait_ns", DURATION, wait.wait_ns)}},
	[EVENT_WAKE] = {"gaptrace:wake", NULL, {WAIT}},
	[EVENT_SPAN_BEGIN] = {"gaptrace:span_begin", NULL, {
		FIELD("name", STRING, span.name), WORK(span.work)}},
	[EVENT_SPAN_END] = {"gaptrace:span_end", NULL, {
		FIELD("name", STRING, span.name), WORK(span.work), SPAN_COST}},
	[EVENT_PROVE_START_BEGIN] = {"gaptrace:prove_start_begin", "prove_start", {
		WORK(span.work), FIELD("worker", WORK, span.worker)}},
	[EVENT_PROVE_START_END] = {"gaptrace:prove_start_end", "prove_start", {
		WORK(span.work), FIELD("worker", WORK, span.worker), SPAN_COST}},
	[EVENT_PROVE_FINISH_BEGIN] = {"gaptrace:prove_finish_begin", "prove_finish", {
		WORK(span.work), FIELD("worker", WORK, span.worker)}},
	[EVENT_PROVE_FINISH_END] = {"gaptrace:prove_finish_end", "prove_finish", {
		WORK(span.work), FIELD("worker", WORK, span.worker), SPAN_COST}},
	[EVENT_MALLOC_TRIM_BEGIN] = {"gaptrace:malloc_trim_begin", NULL, {{0}}},
	[EVENT_MALLOC_TRIM_END] = {"gaptrace:malloc_trim_end", NULL, {
		FIELD("duration_ns", DURATION, malloc_trim.duration_ns),
		FIELD("rss_before", U64, malloc_trim.rss_before),
		FIELD("rss_after", U64, malloc_trim.rss_after),
		FIELD("returned", I32, malloc_trim.returned)}},
	[EVENT_BUDGET_RESERVE] = {"gaptrace:budget_reserve", NULL, {
		BUDGET, FIELD("wait_ns", DURATION, budget.wait_ns)}},
	[EVENT_BUDGET_RELEASE] = {"gaptrace:budget_release", NULL, {BUDGET}},
	[EVENT_BUFFER_ALLOC] = {"gaptrace:buffer_alloc", NULL, {BUFFER}},
	[EVENT_BUFFER_FREE] = {"gaptrace:buffer_free", NULL, {BUFFER}},
	[EVENT_JOB_SUBMIT] = {"gaptrace:job_submit", NULL, {
		NEED("job", U64, job.job), FIELD("kind", STRING, job.kind),
		FIELD("partitions", U32, job.partitions)}},
	[EVENT_JOB_BEGIN] = {"gaptrace:job_begin", NULL, {NEED("job", U64, job.job)}},
	[EVENT_JOB_END] = {"gaptrace:job_end", NULL, {
		NEED("job", U64, job.job), FIELD("status", U32, job.status),
		FIELD("duration_ns", DURATION, job.duration_ns)}},
	[EVENT_STATE] = {"gaptrace:state", NULL, {
		NEED("subject", U32, state.subject), FIELD("object", U64, state.object),
		FIELD("name", STRING, state.name), WORK(state.work), FIELD("tid", TID, state.tid),
		FIELD("value", U64, state.value), FIELD("limit", U64, state.limit),
		FIELD("since_ns", TIME, state.since_ns)}},
	[EVENT_GPU_DEVICE] = {"gaptrace_gpu:device", NULL, {
		NEED("device", I32, device.device), FIELD("backend", U32, device.backend),
		FIELD("uuid", STRING, device.uuid), FIELD("name", STRING, device.name),
		FIELD("link", STRING, device.link)}},
	[EVENT_GPU_KERNEL] = {"gaptrace_gpu:kernel", NULL, {
		OPERATION(kernel), FIELD("name", STRING, kernel.name), FIELD("graph", U32, kernel.graph)}},
	[EVENT_GPU_MEMCPY] = {"gaptrace_gpu:memcpy", NULL, {
		OPERATION(copy), FIELD("bytes", U64, copy.bytes), FIELD("kind", U32, copy.kind),
		FIELD("source_memory", U32, copy.source_memory),
		FIELD("target_memory", U32, copy.target_memory), FIELD("is_async", BOOL, copy.is_async)}},
	[EVENT_GPU_MEMSET] = {"gaptrace_gpu:memset", NULL, {
		OPERATION(copy), FIELD("bytes", U64, copy.bytes),
		FIELD("target_memory", U32, copy.target_memory), FIELD("is_async", BOOL, copy.is_async)}},
	[EVENT_GPU_API] = {"gaptrace_gpu:api", NULL, {
		FIELD("name", STRING, api.name), FIELD("tid", TID, api.tid),
		FIELD("correlation", U64, api.correlation), NEED("start_ns", TIME, api.start_ns),
		NEED("end_ns", TIME, api.end_ns), FIELD("result", I32, api.result)}},
	[EVENT_GPU_SYNC] = {"gaptrace_gpu:sync", NULL, {
		OPERATION(sync), FIELD("kind", U32, sync.kind), FIELD("event", U64, sync.event),
		FIELD("event_stream", U32, sync.event_stream)}},
	[EVENT_GPU_OVERHEAD] = {"gaptrace_gpu:overhead", NULL, {
		FIELD("kind", U32, overhead.kind), FIELD("tid", TID, overhead.tid),
		FIELD("correlation", U64, overhead.correlation),
		NEED("start_ns", TIME, overhead.start_ns), NEED("end_ns", TIME, overhead.end_ns)}},
	[EVENT_GPU_CLOCK_PAIR] = {"gaptrace_gpu:clock_pair", NULL, {
		NEED("device", I32, clock_pair.device),
		NEED("host_before_ns", TIME, clock_pair.host_before_ns),
		NEED("device_ns", TIME, clock_pair.device_ns),
		NEED("host_after_ns", TIME, clock_pair.host_after_ns)}},
	[EVENT_GPU_WATERMARK] = {"gaptrace_gpu:watermark", NULL, {
		NEED("device", I32, watermark.device),
		NEED("complete_until_ns", TIME, watermark.complete_until_ns)}},
	[EVENT_GPU_DROPPED] = {"gaptrace_gpu:dropped", NULL, {
		FIELD("device", I32, dropped.device), NEED("count", U64, dropped.count)}},
	[EVENT_SCHED_SWITCH] = {"sched_switch", NULL, {
		NEED("prev_tid", TID, sched_switch.previous_tid),
		NEED("next_tid", TID, sched_switch.next_tid),
		NEED("prev_state", STATE, sched_switch.previous_state)}},
	[EVENT_SCHED_WAKING] = {"sched_waking", NULL, {NEED("tid", TID, sched_waking.woken_tid)}},
	[EVENT_IMPORT_NOTE] = {"gaptrace_import:note", NULL, {
		NEED("kind", U32, note.kind), FIELD("text", STRING, note.text),
		FIELD("count", U64, note.count), FIELD("begin_ns", TIME, note.begin_ns),
		FIELD("end_ns", TIME, note.end_ns)}},
	[EVENT_IMPORT_OS_CALL] = {"gaptrace_import:os_call", NULL, {
		FIELD("name", STRING, os_call.name), FIELD("tid", TID, os_call.tid),
		NEED("start_ns", TIME, os_call.start_ns), NEED("end_ns", TIME, os_call.end_ns)}},
};
/* clang-format on */

const struct event_fields *event_fields_of(enum event_kind kind)
{
	assert((unsigned int)kind < EVENT_KIND_COUNT);
	return &rows[kind];
}
