/* SPDX-License-Identifier: MIT */
#include "prover/device/device_operation.h"

#include "trace/base/clock.h"

#include <unistd.h>

/* Software devices have one context each. Its number is unique in the process, as those of CUDA
 * are: streams are numbered within it. */
static uint32_t context_of(const struct device *device)
{
	return device->config.index + 1;
}

bool device_operation_is_copy(const struct device_operation *operation)
{
	return operation->kind == DEVICE_OPERATION_UPLOAD ||
	       operation->kind == DEVICE_OPERATION_DOWNLOAD;
}

bool device_operation_is_kernel(const struct device_operation *operation)
{
	return !device_operation_is_copy(operation) &&
	       operation->kind != DEVICE_OPERATION_EVENT_RECORD &&
	       operation->kind != DEVICE_OPERATION_STREAM_WAIT;
}

enum device_fault device_operation_fault(const struct device_operation *operation)
{
	static const enum device_fault faults[] = {
		[DEVICE_OPERATION_UPLOAD] = DEVICE_FAULT_UPLOAD,
		[DEVICE_OPERATION_DOWNLOAD] = DEVICE_FAULT_DOWNLOAD,
		[DEVICE_OPERATION_EVALUATE] = DEVICE_FAULT_EVALUATE,
		[DEVICE_OPERATION_TRANSFORM] = DEVICE_FAULT_TRANSFORM,
		[DEVICE_OPERATION_QUOTIENT] = DEVICE_FAULT_QUOTIENT,
		[DEVICE_OPERATION_MSM_H] = DEVICE_FAULT_MSM_H,
		[DEVICE_OPERATION_SUM_ONES] = DEVICE_FAULT_SUM_ONES,
		[DEVICE_OPERATION_MSM] = DEVICE_FAULT_MSM,
		[DEVICE_OPERATION_EVENT_RECORD] = DEVICE_FAULT_NONE,
		[DEVICE_OPERATION_STREAM_WAIT] = DEVICE_FAULT_NONE,
	};

	return faults[operation->kind];
}

static void record_copy(
	const struct device_stream *stream, const struct device_operation *operation)
{
	const enum gaptrace_memory_kind host =
		operation->copy.is_pinned ? GAPTRACE_MEMORY_PINNED : GAPTRACE_MEMORY_PAGEABLE;
	const bool is_upload = operation->kind == DEVICE_OPERATION_UPLOAD;

	gaptrace_gpu_memcpy(&(struct gaptrace_gpu_memcpy){
		.device = (int32_t)stream->device->config.index,
		.context = context_of(stream->device),
		.stream = stream->id,
		.correlation = operation->correlation,
		.start_ns = operation->start_ns,
		.end_ns = operation->end_ns,
		.bytes = operation->copy.bytes,
		.kind = is_upload ? GAPTRACE_COPY_HTOD : GAPTRACE_COPY_DTOH,
		.source_memory = is_upload ? host : GAPTRACE_MEMORY_DEVICE,
		.target_memory = is_upload ? GAPTRACE_MEMORY_DEVICE : host,
		.is_async = operation->copy.is_pinned,
	});
}

static void record_kernel(
	const struct device_stream *stream, const struct device_operation *operation)
{
	gaptrace_gpu_kernel(&(struct gaptrace_gpu_kernel){
		.device = (int32_t)stream->device->config.index,
		.context = context_of(stream->device),
		.stream = stream->id,
		.correlation = operation->correlation,
		.start_ns = operation->start_ns,
		.end_ns = operation->end_ns,
		.name = operation->name,
	});
}

static void count_copy(
	struct device_counts *counts, const struct device_operation *operation, uint64_t took_ns)
{
	counts->copy_count++;
	counts->copy_busy_ns += took_ns;
	/* Downloads are some results of a few hundred bytes. */
	if (operation->kind != DEVICE_OPERATION_UPLOAD) {
		return;
	}
	if (operation->copy.is_pinned) {
		counts->upload_pinned_bytes += operation->copy.bytes;
	} else {
		counts->upload_pageable_bytes += operation->copy.bytes;
	}
}

void device_operation_record(
	struct device_stream *stream, const struct device_operation *operation, enum status status)
{
	struct device_counts *counts = &stream->device->counts;
	const uint64_t took_ns = operation->end_ns - operation->start_ns;

	if (device_operation_is_copy(operation)) {
		record_copy(stream, operation);
		count_copy(counts, operation, took_ns);
	} else {
		record_kernel(stream, operation);
		counts->kernel_count++;
		counts->lane_busy_ns += took_ns;
	}
	if (status != STATUS_OK) {
		counts->failed_count++;
	}
}

void device_operation_record_wait(struct device_stream *stream,
	const struct device_operation *operation, uint64_t begin_ns, uint64_t end_ns)
{
	gaptrace_gpu_sync(&(struct gaptrace_gpu_sync){
		.device = (int32_t)stream->device->config.index,
		.context = context_of(stream->device),
		.stream = stream->id,
		.correlation = operation->correlation,
		.kind = GAPTRACE_SYNC_STREAM_WAIT_EVENT,
		.event = operation->event->id,
		.event_stream = operation->event->stream_id,
		.start_ns = begin_ns,
		.end_ns = end_ns,
	});
}

void device_operation_record_full(const struct device_call *call, uint64_t start_ns)
{
	gaptrace_gpu_overhead(&(struct gaptrace_gpu_overhead){
		.kind = GAPTRACE_OVERHEAD_COMMAND_BUFFER_FULL,
		.tid = gettid(),
		.correlation = call->correlation,
		.start_ns = start_ns,
		.end_ns = clock_now_ns(),
	});
}

void device_operation_record_synchronize(
	const struct device_call *call, uint32_t stream_id, uint64_t start_ns)
{
	gaptrace_gpu_sync(&(struct gaptrace_gpu_sync){
		.device = (int32_t)call->device->config.index,
		.context = context_of(call->device),
		.stream = stream_id,
		.correlation = call->correlation,
		/* Streams are numbered from 1; 0 is the whole device. */
		.kind = stream_id ? GAPTRACE_SYNC_STREAM : GAPTRACE_SYNC_DEVICE,
		.start_ns = start_ns,
		.end_ns = clock_now_ns(),
	});
}
