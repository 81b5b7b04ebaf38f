/* SPDX-License-Identifier: MIT */
#include "trace/cupti/activity_operation.h"

#include "gaptrace/gaptrace.h"
#include "trace/base/limits.h"

#include <stdio.h>

/* What all operations have in common; stamps that make no sense come out as zeros. */
static struct clock_interval operation_interval(
	const struct decoding *decoding, uint32_t correlation, uint64_t start_ns, uint64_t end_ns)
{
	struct activity_decoder *decoder = decoding->decoder;
	struct clock_interval interval;
	uint64_t launch_ns;

	if (clock_sync_operation(decoder->clock, (struct clock_interval){start_ns, end_ns},
		    decoding->now_ns, &interval) &&
		activity_facts_start(&decoder->facts, correlation, interval.start_ns, &launch_ns)) {
		clock_sync_launch(decoder->clock, launch_ns, interval.start_ns);
	}
	return interval;
}

static void emit_kernel(struct gaptrace_gpu_kernel kernel, const char *name)
{
	char bounded[NAME_BYTES_MAX];

	/* A demangled template can be longer than an event may be: its end is cut off. */
	(void)snprintf(bounded, sizeof(bounded), "%.*s", NAME_BYTES_MAX - 1, name ? name : "");
	kernel.name = bounded;
	gaptrace_gpu_kernel(&kernel);
}

void activity_operation_kernel(const struct decoding *decoding, const void *record)
{
	const CUpti_ActivityKernel10 *from = record;
	const struct clock_interval interval =
		operation_interval(decoding, from->correlationId, from->start, from->end);
	const struct gaptrace_gpu_kernel kernel = {
		.device = (int32_t)from->deviceId,
		.context = from->contextId,
		.stream = from->streamId,
		.correlation = from->correlationId,
		.start_ns = interval.start_ns,
		.end_ns = interval.end_ns,
		.graph = from->graphId,
	};

	activity_facts_context(&decoding->decoder->facts, from->contextId, from->deviceId);
	emit_kernel(kernel, from->name);
}

/* A whole graph launch, when its nodes are not recorded: work of the device like a kernel. */
void activity_operation_graph(const struct decoding *decoding, const void *record)
{
	const CUpti_ActivityGraphTrace2 *from = record;
	const struct clock_interval interval =
		operation_interval(decoding, from->correlationId, from->start, from->end);
	const struct gaptrace_gpu_kernel kernel = {
		.device = (int32_t)from->deviceId,
		.context = from->contextId,
		.stream = from->streamId,
		.correlation = from->correlationId,
		.start_ns = interval.start_ns,
		.end_ns = interval.end_ns,
		.graph = from->graphId,
	};

	activity_facts_context(&decoding->decoder->facts, from->contextId, from->deviceId);
	emit_kernel(kernel, "graph");
}

/* Directions to and from arrays have no value of their own in the trace. */
static enum gaptrace_copy_kind copy_kind(uint8_t kind)
{
	switch (kind) {
	case CUPTI_ACTIVITY_MEMCPY_KIND_HTOD:
	case CUPTI_ACTIVITY_MEMCPY_KIND_HTOA:
		return GAPTRACE_COPY_HTOD;
	case CUPTI_ACTIVITY_MEMCPY_KIND_DTOH:
	case CUPTI_ACTIVITY_MEMCPY_KIND_ATOH:
		return GAPTRACE_COPY_DTOH;
	case CUPTI_ACTIVITY_MEMCPY_KIND_ATOA:
	case CUPTI_ACTIVITY_MEMCPY_KIND_ATOD:
	case CUPTI_ACTIVITY_MEMCPY_KIND_DTOA:
	case CUPTI_ACTIVITY_MEMCPY_KIND_DTOD:
		return GAPTRACE_COPY_DTOD;
	case CUPTI_ACTIVITY_MEMCPY_KIND_HTOH:
		return GAPTRACE_COPY_HTOH;
	case CUPTI_ACTIVITY_MEMCPY_KIND_PTOP:
		return GAPTRACE_COPY_PTOP;
	default:
		return GAPTRACE_COPY_UNKNOWN;
	}
}

/* The trace's values are CUPTI's; what is newer is not known. */
static enum gaptrace_memory_kind memory_kind(uint32_t kind)
{
	return kind <= CUPTI_ACTIVITY_MEMORY_KIND_MANAGED_STATIC ? (enum gaptrace_memory_kind)kind
								 : GAPTRACE_MEMORY_UNKNOWN;
}

void activity_operation_memcpy(const struct decoding *decoding, const void *record)
{
	const CUpti_ActivityMemcpy6 *from = record;
	const struct clock_interval interval =
		operation_interval(decoding, from->correlationId, from->start, from->end);
	const struct gaptrace_gpu_memcpy copy = {
		.device = (int32_t)from->deviceId,
		.context = from->contextId,
		.stream = from->streamId,
		.correlation = from->correlationId,
		.start_ns = interval.start_ns,
		.end_ns = interval.end_ns,
		.bytes = from->bytes,
		.kind = copy_kind(from->copyKind),
		.source_memory = memory_kind(from->srcKind),
		.target_memory = memory_kind(from->dstKind),
		.is_async = (from->flags & CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC) != 0,
	};

	activity_facts_context(&decoding->decoder->facts, from->contextId, from->deviceId);
	gaptrace_gpu_memcpy(&copy);
}

void activity_operation_memcpy_peer(const struct decoding *decoding, const void *record)
{
	const CUpti_ActivityMemcpyPtoP4 *from = record;
	const struct clock_interval interval =
		operation_interval(decoding, from->correlationId, from->start, from->end);
	const struct gaptrace_gpu_memcpy copy = {
		.device = (int32_t)from->deviceId,
		.context = from->contextId,
		.stream = from->streamId,
		.correlation = from->correlationId,
		.start_ns = interval.start_ns,
		.end_ns = interval.end_ns,
		.bytes = from->bytes,
		.kind = copy_kind(from->copyKind),
		.source_memory = memory_kind(from->srcKind),
		.target_memory = memory_kind(from->dstKind),
		.is_async = (from->flags & CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC) != 0,
	};

	activity_facts_context(&decoding->decoder->facts, from->contextId, from->deviceId);
	gaptrace_gpu_memcpy(&copy);
}

void activity_operation_memset(const struct decoding *decoding, const void *record)
{
	const CUpti_ActivityMemset4 *from = record;
	const struct clock_interval interval =
		operation_interval(decoding, from->correlationId, from->start, from->end);
	const struct gaptrace_gpu_memset set = {
		.device = (int32_t)from->deviceId,
		.context = from->contextId,
		.stream = from->streamId,
		.correlation = from->correlationId,
		.start_ns = interval.start_ns,
		.end_ns = interval.end_ns,
		.bytes = from->bytes,
		.target_memory = memory_kind(from->memoryKind),
		.is_async = (from->flags & CUPTI_ACTIVITY_FLAG_MEMSET_ASYNC) != 0,
	};

	activity_facts_context(&decoding->decoder->facts, from->contextId, from->deviceId);
	gaptrace_gpu_memset(&set);
}
