/* SPDX-License-Identifier: MIT */
/*
 * The LTTng provider `gaptrace`: what the host side of a prover did. LTTng's own headers read this
 * file several times, so it has no #pragma once. docs/events.md describes each event; a lint test
 * holds the fields here against that page.
 */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER gaptrace

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "trace/lttng/host_events.h"

#if !defined(TRACE_LTTNG_HOST_EVENTS_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define TRACE_LTTNG_HOST_EVENTS_H

#include "gaptrace/gaptrace.h"
#include "trace/lttng/samples.h"

#include <lttng/tracepoint.h>

/* clang-format off */
LTTNG_UST_TRACEPOINT_ENUM(gaptrace, lock_mode,
	LTTNG_UST_TP_ENUM_VALUES(GAPTRACE_LOCK_MODES(SAMPLE_ENUM_VALUE)))
LTTNG_UST_TRACEPOINT_ENUM(gaptrace, wait_kind,
	LTTNG_UST_TP_ENUM_VALUES(GAPTRACE_WAIT_KINDS(SAMPLE_ENUM_VALUE)))
LTTNG_UST_TRACEPOINT_ENUM(gaptrace, buffer_kind,
	LTTNG_UST_TP_ENUM_VALUES(GAPTRACE_BUFFER_KINDS(SAMPLE_ENUM_VALUE)))
LTTNG_UST_TRACEPOINT_ENUM(gaptrace, job_status,
	LTTNG_UST_TP_ENUM_VALUES(GAPTRACE_JOB_STATUSES(SAMPLE_ENUM_VALUE)))
LTTNG_UST_TRACEPOINT_ENUM(gaptrace, state_subject,
	LTTNG_UST_TP_ENUM_VALUES(GAPTRACE_STATE_SUBJECTS(SAMPLE_ENUM_VALUE)))

/* ---- Locks ---- */

LTTNG_UST_TRACEPOINT_EVENT(gaptrace, lock_wait,
	LTTNG_UST_TP_ARGS(const void *, lock, const char *, name, enum gaptrace_lock_mode, mode,
		int32_t, holder_tid),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer_hex(uint64_t, lock, SAMPLE_ADDRESS(lock))
		lttng_ust_field_string(name, name)
		lttng_ust_field_enum(gaptrace, lock_mode, uint8_t, mode, mode)
		lttng_ust_field_integer(int32_t, holder_tid, holder_tid)))

LTTNG_UST_TRACEPOINT_EVENT(gaptrace, lock_acquire,
	LTTNG_UST_TP_ARGS(const void *, lock, const char *, name, enum gaptrace_lock_mode, mode,
		uint64_t, wait_ns),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer_hex(uint64_t, lock, SAMPLE_ADDRESS(lock))
		lttng_ust_field_string(name, name)
		lttng_ust_field_enum(gaptrace, lock_mode, uint8_t, mode, mode)
		lttng_ust_field_integer(uint64_t, wait_ns, wait_ns)))

LTTNG_UST_TRACEPOINT_EVENT(gaptrace, lock_release,
	LTTNG_UST_TP_ARGS(const void *, lock, const char *, name, enum gaptrace_lock_mode, mode,
		uint64_t, hold_ns),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer_hex(uint64_t, lock, SAMPLE_ADDRESS(lock))
		lttng_ust_field_string(name, name)
		lttng_ust_field_enum(gaptrace, lock_mode, uint8_t, mode, mode)
		lttng_ust_field_integer(uint64_t, hold_ns, hold_ns)))

/* ---- Queues ---- */

LTTNG_UST_TRACEPOINT_EVENT(gaptrace, queue_push,
	LTTNG_UST_TP_ARGS(const void *, queue, const char *, name,
		const struct gaptrace_item *, item, uint32_t, depth),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer_hex(uint64_t, queue, SAMPLE_ADDRESS(queue))
		lttng_ust_field_string(name, name)
		lttng_ust_field_integer(uint64_t, item, item->id)
		lttng_ust_field_integer(uint64_t, job, item->work.job)
		lttng_ust_field_integer(int32_t, partition, item->work.partition)
		lttng_ust_field_integer(int32_t, device, item->work.device)
		lttng_ust_field_integer(uint32_t, depth, depth)))

LTTNG_UST_TRACEPOINT_EVENT(gaptrace, queue_pop_wait,
	LTTNG_UST_TP_ARGS(const void *, queue, const char *, name),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer_hex(uint64_t, queue, SAMPLE_ADDRESS(queue))
		lttng_ust_field_string(name, name)))

LTTNG_UST_TRACEPOINT_EVENT(gaptrace, queue_pop,
	LTTNG_UST_TP_ARGS(const struct gaptrace_pop *, pop, const struct gaptrace_item *, item,
		const struct sample_pop *, sample),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer_hex(uint64_t, queue, SAMPLE_ADDRESS(pop->queue))
		lttng_ust_field_string(name, pop->name)
		lttng_ust_field_integer(uint64_t, item, item->id)
		lttng_ust_field_integer(uint64_t, job, item->work.job)
		lttng_ust_field_integer(int32_t, partition, item->work.partition)
		lttng_ust_field_integer(int32_t, device, item->work.device)
		lttng_ust_field_integer(uint32_t, depth, sample->depth)
		lttng_ust_field_integer(uint64_t, wait_ns, sample->wait_ns)
		lttng_ust_field_integer(uint64_t, resident_ns, sample->resident_ns)))

/* ---- Task pools ---- */

LTTNG_UST_TRACEPOINT_EVENT(gaptrace, task_submit,
	LTTNG_UST_TP_ARGS(const struct gaptrace_task *, task, uint32_t, backlog),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer_hex(uint64_t, pool, SAMPLE_ADDRESS(task->pool))
		lttng_ust_field_string(name, task->name)
		lttng_ust_field_integer(uint64_t, task, task->id)
		lttng_ust_field_string(kind, task->kind)
		lttng_ust_field_integer(uint64_t, job, task->work.job)
		lttng_ust_field_integer(int32_t, partition, task->work.partition)
		lttng_ust_field_integer(int32_t, device, task->work.device)
		lttng_ust_field_integer(uint32_t, backlog, backlog)))

LTTNG_UST_TRACEPOINT_EVENT(gaptrace, task_begin,
	LTTNG_UST_TP_ARGS(const struct gaptrace_task *, task, uint64_t, queued_ns),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer_hex(uint64_t, pool, SAMPLE_ADDRESS(task->pool))
		lttng_ust_field_string(name, task->name)
		lttng_ust_field_integer(uint64_t, task, task->id)
		lttng_ust_field_string(kind, task->kind)
		lttng_ust_field_integer(uint64_t, job, task->work.job)
		lttng_ust_field_integer(int32_t, partition, task->work.partition)
		lttng_ust_field_integer(int32_t, device, task->work.device)
		lttng_ust_field_integer(uint64_t, queued_ns, queued_ns)))

LTTNG_UST_TRACEPOINT_EVENT(gaptrace, task_end,
	LTTNG_UST_TP_ARGS(const struct gaptrace_task *, task, uint64_t, queued_ns,
		const struct sample_usage *, usage),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer_hex(uint64_t, pool, SAMPLE_ADDRESS(task->pool))
		lttng_ust_field_string(name, task->name)
		lttng_ust_field_integer(uint64_t, task, task->id)
		lttng_ust_field_string(kind, task->kind)
		lttng_ust_field_integer(uint64_t, job, task->work.job)
		lttng_ust_field_integer(int32_t, partition, task->work.partition)
		lttng_ust_field_integer(int32_t, device, task->work.device)
		lttng_ust_field_integer(uint64_t, queued_ns, queued_ns)
		lttng_ust_field_integer(uint64_t, run_ns, usage->duration_ns)
		lttng_ust_field_integer(uint64_t, cpu_ns, usage->cpu_ns)
		lttng_ust_field_integer(uint64_t, run_delay_ns, usage->run_delay_ns)))

/* ---- Waits ---- */

LTTNG_UST_TRACEPOINT_EVENT(gaptrace, wait_begin,
	LTTNG_UST_TP_ARGS(const struct gaptrace_wait *, wait),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer_hex(uint64_t, object, SAMPLE_ADDRESS(wait->object))
		lttng_ust_field_string(name, wait->name)
		lttng_ust_field_enum(gaptrace, wait_kind, uint8_t, kind, wait->kind)))

LTTNG_UST_TRACEPOINT_EVENT(gaptrace, wait_end,
	LTTNG_UST_TP_ARGS(const struct gaptrace_wait *, wait, uint64_t, wait_ns),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer_hex(uint64_t, object, SAMPLE_ADDRESS(wait->object))
		lttng_ust_field_string(name, wait->name)
		lttng_ust_field_enum(gaptrace, wait_kind, uint8_t, kind, wait->kind)
		lttng_ust_field_integer(uint64_t, wait_ns, wait_ns)))

LTTNG_UST_TRACEPOINT_EVENT(gaptrace, wake,
	LTTNG_UST_TP_ARGS(const void *, object, const char *, name),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer_hex(uint64_t, object, SAMPLE_ADDRESS(object))
		lttng_ust_field_string(name, name)))

/* ---- Spans ---- */

LTTNG_UST_TRACEPOINT_EVENT(gaptrace, span_begin,
	LTTNG_UST_TP_ARGS(const struct gaptrace_span *, span),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_string(name, span->name)
		lttng_ust_field_integer(uint64_t, job, span->work.job)
		lttng_ust_field_integer(int32_t, partition, span->work.partition)
		lttng_ust_field_integer(int32_t, device, span->work.device)))

LTTNG_UST_TRACEPOINT_EVENT(gaptrace, span_end,
	LTTNG_UST_TP_ARGS(const struct gaptrace_span *, span, const struct sample_usage *, usage),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_string(name, span->name)
		lttng_ust_field_integer(uint64_t, job, span->work.job)
		lttng_ust_field_integer(int32_t, partition, span->work.partition)
		lttng_ust_field_integer(int32_t, device, span->work.device)
		lttng_ust_field_integer(int32_t, begin_tid, span->tid)
		lttng_ust_field_integer(uint64_t, duration_ns, usage->duration_ns)
		lttng_ust_field_integer(uint64_t, cpu_ns, usage->cpu_ns)
		lttng_ust_field_integer(uint64_t, run_delay_ns, usage->run_delay_ns)))

LTTNG_UST_TRACEPOINT_EVENT_CLASS(gaptrace, prove_begin_class,
	LTTNG_UST_TP_ARGS(const struct gaptrace_span *, span),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(uint64_t, job, span->work.job)
		lttng_ust_field_integer(int32_t, partition, span->work.partition)
		lttng_ust_field_integer(int32_t, device, span->work.device)
		lttng_ust_field_integer(int32_t, worker, span->worker)))

LTTNG_UST_TRACEPOINT_EVENT_CLASS(gaptrace, prove_end_class,
	LTTNG_UST_TP_ARGS(const struct gaptrace_span *, span, const struct sample_usage *, usage),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(uint64_t, job, span->work.job)
		lttng_ust_field_integer(int32_t, partition, span->work.partition)
		lttng_ust_field_integer(int32_t, device, span->work.device)
		lttng_ust_field_integer(int32_t, worker, span->worker)
		lttng_ust_field_integer(int32_t, begin_tid, span->tid)
		lttng_ust_field_integer(uint64_t, duration_ns, usage->duration_ns)
		lttng_ust_field_integer(uint64_t, cpu_ns, usage->cpu_ns)
		lttng_ust_field_integer(uint64_t, run_delay_ns, usage->run_delay_ns)))

LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(gaptrace, prove_begin_class, gaptrace, prove_start_begin,
	LTTNG_UST_TP_ARGS(const struct gaptrace_span *, span))
LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(gaptrace, prove_end_class, gaptrace, prove_start_end,
	LTTNG_UST_TP_ARGS(const struct gaptrace_span *, span, const struct sample_usage *, usage))
LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(gaptrace, prove_begin_class, gaptrace, prove_finish_begin,
	LTTNG_UST_TP_ARGS(const struct gaptrace_span *, span))
LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(gaptrace, prove_end_class, gaptrace, prove_finish_end,
	LTTNG_UST_TP_ARGS(const struct gaptrace_span *, span, const struct sample_usage *, usage))

/* ---- Memory ---- */

LTTNG_UST_TRACEPOINT_EVENT(gaptrace, malloc_trim_begin,
	LTTNG_UST_TP_ARGS(),
	LTTNG_UST_TP_FIELDS())

LTTNG_UST_TRACEPOINT_EVENT(gaptrace, malloc_trim_end,
	LTTNG_UST_TP_ARGS(const struct sample_trim *, trim),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(uint64_t, duration_ns, trim->duration_ns)
		lttng_ust_field_integer(uint64_t, rss_before, trim->rss_before_bytes)
		lttng_ust_field_integer(uint64_t, rss_after, trim->rss_after_bytes)
		lttng_ust_field_integer(int32_t, returned, trim->returned)))

LTTNG_UST_TRACEPOINT_EVENT(gaptrace, budget_reserve,
	LTTNG_UST_TP_ARGS(const struct gaptrace_budget *, sample),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer_hex(uint64_t, budget, SAMPLE_ADDRESS(sample->budget))
		lttng_ust_field_integer(uint64_t, job, sample->work.job)
		lttng_ust_field_integer(int32_t, partition, sample->work.partition)
		lttng_ust_field_integer(int32_t, device, sample->work.device)
		lttng_ust_field_integer(uint64_t, bytes, sample->bytes)
		lttng_ust_field_integer(uint64_t, used, sample->used_bytes)
		lttng_ust_field_integer(uint64_t, limit, sample->limit_bytes)
		lttng_ust_field_integer(uint64_t, wait_ns, sample->wait_ns)))

LTTNG_UST_TRACEPOINT_EVENT(gaptrace, budget_release,
	LTTNG_UST_TP_ARGS(const struct gaptrace_budget *, sample),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer_hex(uint64_t, budget, SAMPLE_ADDRESS(sample->budget))
		lttng_ust_field_integer(uint64_t, job, sample->work.job)
		lttng_ust_field_integer(int32_t, partition, sample->work.partition)
		lttng_ust_field_integer(int32_t, device, sample->work.device)
		lttng_ust_field_integer(uint64_t, bytes, sample->bytes)
		lttng_ust_field_integer(uint64_t, used, sample->used_bytes)
		lttng_ust_field_integer(uint64_t, limit, sample->limit_bytes)))

LTTNG_UST_TRACEPOINT_EVENT_CLASS(gaptrace, buffer_class,
	LTTNG_UST_TP_ARGS(const struct gaptrace_buffer *, buffer),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_enum(gaptrace, buffer_kind, uint8_t, kind, buffer->kind)
		lttng_ust_field_integer(uint64_t, bytes, buffer->bytes)
		lttng_ust_field_integer(uint64_t, live_count, buffer->live_count)
		lttng_ust_field_integer(uint64_t, live_bytes, buffer->live_bytes)
		lttng_ust_field_integer(uint64_t, duration_ns, buffer->duration_ns)))

LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(gaptrace, buffer_class, gaptrace, buffer_alloc,
	LTTNG_UST_TP_ARGS(const struct gaptrace_buffer *, buffer))
LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(gaptrace, buffer_class, gaptrace, buffer_free,
	LTTNG_UST_TP_ARGS(const struct gaptrace_buffer *, buffer))

/* ---- Jobs and keyframes ---- */

LTTNG_UST_TRACEPOINT_EVENT(gaptrace, job_submit,
	LTTNG_UST_TP_ARGS(const struct gaptrace_job *, job),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(uint64_t, job, job->id)
		lttng_ust_field_string(kind, job->kind)
		lttng_ust_field_integer(uint32_t, partitions, job->partition_count)))

LTTNG_UST_TRACEPOINT_EVENT(gaptrace, job_begin,
	LTTNG_UST_TP_ARGS(const struct gaptrace_job *, job),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(uint64_t, job, job->id)))

LTTNG_UST_TRACEPOINT_EVENT(gaptrace, job_end,
	LTTNG_UST_TP_ARGS(const struct gaptrace_job *, job, uint64_t, duration_ns),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(uint64_t, job, job->id)
		lttng_ust_field_enum(gaptrace, job_status, uint8_t, status, job->status)
		lttng_ust_field_integer(uint64_t, duration_ns, duration_ns)))

LTTNG_UST_TRACEPOINT_EVENT(gaptrace, state,
	LTTNG_UST_TP_ARGS(const struct gaptrace_state *, state),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_enum(gaptrace, state_subject, uint8_t, subject, state->subject)
		lttng_ust_field_integer_hex(uint64_t, object, SAMPLE_ADDRESS(state->object))
		lttng_ust_field_string(name, state->name)
		lttng_ust_field_integer(uint64_t, job, state->work.job)
		lttng_ust_field_integer(int32_t, partition, state->work.partition)
		lttng_ust_field_integer(int32_t, device, state->work.device)
		lttng_ust_field_integer(int32_t, tid, state->tid)
		lttng_ust_field_integer(uint64_t, value, state->value)
		lttng_ust_field_integer(uint64_t, limit, state->limit)
		lttng_ust_field_integer(uint64_t, since_ns, state->since_ns)))
/* clang-format on */

#endif

#include <lttng/tracepoint-event.h>
