/* SPDX-License-Identifier: MIT */
/* Memory of the cuda device, pinned and its own, and copies between the two. */
#include "prover/device/cuda/device_cuda_private.h"
#include "prover/device/device_driver.h"
#include "prover/idle_meter.h"
#include "trace/base/clock.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The buffer events of the prover's own memory; the runtime has locks of its own for the calls. */
static void tell_alloc(
	struct device *device, enum gaptrace_buffer_kind kind, uint64_t bytes, uint64_t begin_ns)
{
	struct device_driver *driver = device->config.driver;

	gaptrace_mutex_lock(&driver->mutex);
	device_driver_tally_add(driver, kind, bytes, clock_now_ns() - begin_ns);
	gaptrace_mutex_unlock(&driver->mutex);
}

static void tell_free(
	struct device *device, enum gaptrace_buffer_kind kind, uint64_t bytes, uint64_t begin_ns)
{
	struct device_driver *driver = device->config.driver;

	gaptrace_mutex_lock(&driver->mutex);
	device_driver_tally_remove(driver, kind, bytes, clock_now_ns() - begin_ns);
	gaptrace_mutex_unlock(&driver->mutex);
}

enum status device_cuda_pinned_alloc(struct device *device, uint64_t bytes, void **out_memory)
{
	const uint64_t begin_ns = clock_now_ns();
	void *memory = NULL;
	enum status status = device_cuda_fails(device, DEVICE_FAULT_PINNED_ALLOC)
				     ? STATUS_NO_MEMORY
				     : runtime_pinned_alloc(device->runtime, bytes, &memory);

	idle_meter_interval(device->config.meter, IDLE_CLOCK_PINNED_ALLOC, 0, begin_ns);
	device_cuda_count(device, &device->counts.alloc_ns, begin_ns);
	if (status == STATUS_OK) {
		tell_alloc(device, GAPTRACE_BUFFER_PINNED, bytes, begin_ns);
		memset(memory, 0, bytes);
		*out_memory = memory;
	}
	return status;
}

void device_cuda_pinned_free(struct device *device, void *memory, uint64_t bytes)
{
	const uint64_t begin_ns = clock_now_ns();

	if (!memory) {
		return;
	}
	explicit_bzero(memory, bytes); /* it held a witness */
	runtime_pinned_free(device->runtime, memory);
	tell_free(device, GAPTRACE_BUFFER_PINNED, bytes, begin_ns);
	idle_meter_interval(device->config.meter, IDLE_CLOCK_PINNED_FREE, 0, begin_ns);
	device_cuda_count(device, &device->counts.free_ns, begin_ns);
}

/* Sets `bytes` aside within the configured limit. */
static enum status reserve(struct device *device, uint64_t bytes)
{
	const uint64_t limit =
		device->config.memory_bytes ? device->config.memory_bytes : UINT64_MAX;
	enum status status;

	gaptrace_mutex_lock(&device->mutex);
	if (bytes <= limit - device->used_bytes) {
		device->used_bytes += bytes;
		status = STATUS_OK;
	} else {
		status = diag_set(&device->refusal, STATUS_NO_MEMORY,
			"%" PRIu64 " bytes more than [gpu] memory_bytes leaves: raise it",
			bytes - (limit - device->used_bytes));
	}
	gaptrace_mutex_unlock(&device->mutex);
	return status;
}

static void give_back(struct device *device, uint64_t bytes)
{
	gaptrace_mutex_lock(&device->mutex);
	device->used_bytes -= bytes;
	gaptrace_mutex_unlock(&device->mutex);
}

enum status device_cuda_memory_alloc(
	struct device *device, uint64_t bytes, struct device_memory **out_memory)
{
	const uint64_t begin_ns = clock_now_ns();
	struct device_memory *memory = calloc(1, sizeof(*memory));
	enum status status = STATUS_NO_MEMORY;

	if (memory && !device_cuda_fails(device, DEVICE_FAULT_MEMORY_ALLOC)) {
		status = reserve(device, bytes);
	}
	if (status == STATUS_OK) {
		status = runtime_memory_alloc(device->runtime, bytes, &memory->bytes);
		if (status != STATUS_OK) {
			give_back(device, bytes);
		}
	}
	device_cuda_count(device, &device->counts.alloc_ns, begin_ns);
	if (status != STATUS_OK) {
		free(memory);
		return status;
	}
	tell_alloc(device, GAPTRACE_BUFFER_DEVICE, bytes, begin_ns);
	memory->device = device;
	memory->size = bytes;
	*out_memory = memory;
	return STATUS_OK;
}

void device_cuda_memory_free(struct device *device, struct device_memory *memory)
{
	const uint64_t begin_ns = clock_now_ns();

	if (!memory) {
		return;
	}
	runtime_memory_free(device->runtime, memory->bytes, memory->size);
	give_back(device, memory->size);
	tell_free(device, GAPTRACE_BUFFER_DEVICE, memory->size, begin_ns);
	free(memory);
	device_cuda_count(device, &device->counts.free_ns, begin_ns);
}

static void count_copy(struct device *device, const struct device_copy *copy,
	enum runtime_direction direction, uint64_t begin_ns)
{
	struct device_counts *counts = &device->counts;
	const uint64_t took_ns = clock_now_ns() - begin_ns;

	gaptrace_mutex_lock(&device->mutex);
	counts->api_count++;
	counts->copy_count++;
	counts->pageable_call_ns += copy->is_pinned ? 0 : took_ns;
	if (direction == RUNTIME_UPLOAD) {
		counts->upload_pinned_bytes += copy->is_pinned ? copy->bytes : 0;
		counts->upload_pageable_bytes += copy->is_pinned ? 0 : copy->bytes;
	}
	gaptrace_mutex_unlock(&device->mutex);
}

static enum status copy_bytes(struct device_stream *stream, const struct device_copy *copy,
	enum runtime_direction direction)
{
	struct device *device = stream->device;
	const struct device_memory *memory = copy->memory;
	const uint64_t begin_ns = clock_now_ns();
	const bool is_upload = direction == RUNTIME_UPLOAD;
	uint8_t *on_device;
	enum status status;

	assert(memory && memory->device == device);

	if (copy->offset_bytes > memory->size || copy->bytes > memory->size - copy->offset_bytes) {
		return STATUS_BAD_USE;
	}
	if (stream->status != STATUS_OK) {
		return STATUS_OK; /* behind a failure nothing runs */
	}
	on_device = (uint8_t *)memory->bytes + copy->offset_bytes;
	status = device_cuda_meter_begin(
		stream, copy->is_pinned ? TIMING_COPY_PINNED : TIMING_COPY_PAGEABLE);
	if (status != STATUS_OK) {
		return device_cuda_fail(stream, status);
	}
	status = runtime_copy(device->runtime, stream->stream,
		&(struct runtime_copy){.target = is_upload ? on_device : copy->host,
			.source = is_upload ? copy->host : on_device,
			.bytes = copy->bytes,
			.direction = direction});
	if (device_cuda_fails(device, is_upload ? DEVICE_FAULT_UPLOAD : DEVICE_FAULT_DOWNLOAD)) {
		status = STATUS_INTERNAL;
	}
	status = device_cuda_meter_end(stream, status);
	count_copy(device, copy, direction, begin_ns);
	return device_cuda_fail(stream, status);
}

enum status device_cuda_upload(struct device_stream *stream, const struct device_copy *copy)
{
	return copy_bytes(stream, copy, RUNTIME_UPLOAD);
}

enum status device_cuda_download(struct device_stream *stream, const struct device_copy *copy)
{
	return copy_bytes(stream, copy, RUNTIME_DOWNLOAD);
}
