/* SPDX-License-Identifier: MIT */
/*
 * The LTTng provider `gaptrace_gpu`: what devices did, and who asked them to. Read several times
 * by LTTng's own headers, as host_events.h is.
 */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER gaptrace_gpu

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "trace/lttng/gpu_events.h"

#if !defined(TRACE_LTTNG_GPU_EVENTS_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define TRACE_LTTNG_GPU_EVENTS_H

#include "gaptrace/gaptrace.h"
#include "trace/lttng/samples.h"

#include <lttng/tracepoint.h>

/* clang-format off */
LTTNG_UST_TRACEPOINT_ENUM(gaptrace_gpu, backend,
	LTTNG_UST_TP_ENUM_VALUES(GAPTRACE_BACKENDS(SAMPLE_ENUM_VALUE)))
LTTNG_UST_TRACEPOINT_ENUM(gaptrace_gpu, copy_kind,
	LTTNG_UST_TP_ENUM_VALUES(GAPTRACE_COPY_KINDS(SAMPLE_ENUM_VALUE)))
LTTNG_UST_TRACEPOINT_ENUM(gaptrace_gpu, memory_kind,
	LTTNG_UST_TP_ENUM_VALUES(GAPTRACE_MEMORY_KINDS(SAMPLE_ENUM_VALUE)))
LTTNG_UST_TRACEPOINT_ENUM(gaptrace_gpu, sync_kind,
	LTTNG_UST_TP_ENUM_VALUES(GAPTRACE_SYNC_KINDS(SAMPLE_ENUM_VALUE)))
LTTNG_UST_TRACEPOINT_ENUM(gaptrace_gpu, overhead_kind,
	LTTNG_UST_TP_ENUM_VALUES(GAPTRACE_OVERHEAD_KINDS(SAMPLE_ENUM_VALUE)))

LTTNG_UST_TRACEPOINT_EVENT(gaptrace_gpu, device,
	LTTNG_UST_TP_ARGS(const struct gaptrace_gpu_device *, sample),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(int32_t, device, sample->device)
		lttng_ust_field_enum(gaptrace_gpu, backend, uint8_t, backend, sample->backend)
		lttng_ust_field_string(uuid, sample->uuid)
		lttng_ust_field_string(name, sample->name)
		lttng_ust_field_string(link, sample->link)))

LTTNG_UST_TRACEPOINT_EVENT(gaptrace_gpu, kernel,
	LTTNG_UST_TP_ARGS(const struct gaptrace_gpu_kernel *, sample),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(int32_t, device, sample->device)
		lttng_ust_field_integer(uint32_t, context, sample->context)
		lttng_ust_field_integer(uint32_t, stream, sample->stream)
		lttng_ust_field_integer(uint64_t, correlation, sample->correlation)
		lttng_ust_field_integer(uint64_t, start_ns, sample->start_ns)
		lttng_ust_field_integer(uint64_t, end_ns, sample->end_ns)
		lttng_ust_field_string(name, sample->name)
		lttng_ust_field_integer(uint32_t, graph, sample->graph)))

LTTNG_UST_TRACEPOINT_EVENT(gaptrace_gpu, memcpy,
	LTTNG_UST_TP_ARGS(const struct gaptrace_gpu_memcpy *, sample),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(int32_t, device, sample->device)
		lttng_ust_field_integer(uint32_t, context, sample->context)
		lttng_ust_field_integer(uint32_t, stream, sample->stream)
		lttng_ust_field_integer(uint64_t, correlation, sample->correlation)
		lttng_ust_field_integer(uint64_t, start_ns, sample->start_ns)
		lttng_ust_field_integer(uint64_t, end_ns, sample->end_ns)
		lttng_ust_field_integer(uint64_t, bytes, sample->bytes)
		lttng_ust_field_enum(gaptrace_gpu, copy_kind, uint8_t, kind, sample->kind)
		lttng_ust_field_enum(gaptrace_gpu, memory_kind, uint8_t, source_memory,
			sample->source_memory)
		lttng_ust_field_enum(gaptrace_gpu, memory_kind, uint8_t, target_memory,
			sample->target_memory)
		lttng_ust_field_integer(uint8_t, is_async, sample->is_async)))

LTTNG_UST_TRACEPOINT_EVENT(gaptrace_gpu, memset,
	LTTNG_UST_TP_ARGS(const struct gaptrace_gpu_memset *, sample),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(int32_t, device, sample->device)
		lttng_ust_field_integer(uint32_t, context, sample->context)
		lttng_ust_field_integer(uint32_t, stream, sample->stream)
		lttng_ust_field_integer(uint64_t, correlation, sample->correlation)
		lttng_ust_field_integer(uint64_t, start_ns, sample->start_ns)
		lttng_ust_field_integer(uint64_t, end_ns, sample->end_ns)
		lttng_ust_field_integer(uint64_t, bytes, sample->bytes)
		lttng_ust_field_enum(gaptrace_gpu, memory_kind, uint8_t, target_memory,
			sample->target_memory)
		lttng_ust_field_integer(uint8_t, is_async, sample->is_async)))

LTTNG_UST_TRACEPOINT_EVENT(gaptrace_gpu, api,
	LTTNG_UST_TP_ARGS(const struct gaptrace_gpu_api *, sample),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_string(name, sample->name)
		lttng_ust_field_integer(int32_t, tid, sample->tid)
		lttng_ust_field_integer(uint64_t, correlation, sample->correlation)
		lttng_ust_field_integer(uint64_t, start_ns, sample->start_ns)
		lttng_ust_field_integer(uint64_t, end_ns, sample->end_ns)
		lttng_ust_field_integer(int32_t, result, sample->result)))

LTTNG_UST_TRACEPOINT_EVENT(gaptrace_gpu, sync,
	LTTNG_UST_TP_ARGS(const struct gaptrace_gpu_sync *, sample),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(int32_t, device, sample->device)
		lttng_ust_field_integer(uint32_t, context, sample->context)
		lttng_ust_field_integer(uint32_t, stream, sample->stream)
		lttng_ust_field_integer(uint64_t, correlation, sample->correlation)
		lttng_ust_field_enum(gaptrace_gpu, sync_kind, uint8_t, kind, sample->kind)
		lttng_ust_field_integer(uint64_t, event, sample->event)
		lttng_ust_field_integer(uint32_t, event_stream, sample->event_stream)
		lttng_ust_field_integer(uint64_t, start_ns, sample->start_ns)
		lttng_ust_field_integer(uint64_t, end_ns, sample->end_ns)))

LTTNG_UST_TRACEPOINT_EVENT(gaptrace_gpu, overhead,
	LTTNG_UST_TP_ARGS(const struct gaptrace_gpu_overhead *, sample),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_enum(gaptrace_gpu, overhead_kind, uint8_t, kind, sample->kind)
		lttng_ust_field_integer(int32_t, tid, sample->tid)
		lttng_ust_field_integer(uint64_t, correlation, sample->correlation)
		lttng_ust_field_integer(uint64_t, start_ns, sample->start_ns)
		lttng_ust_field_integer(uint64_t, end_ns, sample->end_ns)))

LTTNG_UST_TRACEPOINT_EVENT(gaptrace_gpu, clock_pair,
	LTTNG_UST_TP_ARGS(const struct gaptrace_gpu_clock_pair *, sample),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(int32_t, device, sample->device)
		lttng_ust_field_integer(uint64_t, host_before_ns, sample->host_before_ns)
		lttng_ust_field_integer(uint64_t, device_ns, sample->device_ns)
		lttng_ust_field_integer(uint64_t, host_after_ns, sample->host_after_ns)))

LTTNG_UST_TRACEPOINT_EVENT(gaptrace_gpu, watermark,
	LTTNG_UST_TP_ARGS(int32_t, device, uint64_t, complete_until_ns),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(int32_t, device, device)
		lttng_ust_field_integer(uint64_t, complete_until_ns, complete_until_ns)))

LTTNG_UST_TRACEPOINT_EVENT(gaptrace_gpu, dropped,
	LTTNG_UST_TP_ARGS(int32_t, device, uint64_t, count),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(int32_t, device, device)
		lttng_ust_field_integer(uint64_t, count, count)))
/* clang-format on */

#endif

#include <lttng/tracepoint-event.h>
