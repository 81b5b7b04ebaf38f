/* SPDX-License-Identifier: MIT */
#include "prover/device/device_software.h"

#include "prover/device/device_clock.h"
#include "prover/device/device_driver.h"
#include "prover/device/device_operation.h"
#include "prover/device/model_sleep.h"
#include "prover/lock_registry.h"
#include "trace/base/clock.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void device_software_take_time(struct device *device, enum device_api api, uint64_t bytes)
{
	uint64_t time_ns;

	if (!device->backend->call_ns) {
		return;
	}
	time_ns = device->backend->call_ns(device, api, bytes);
	if (time_ns) {
		(void)model_sleep_until(device->config.sleep, clock_now_ns() + time_ns);
	}
}

static uint64_t host_memory_bytes(void)
{
	const long pages = sysconf(_SC_PHYS_PAGES);
	const long page_bytes = sysconf(_SC_PAGESIZE);

	return pages > 0 && page_bytes > 0 ? (uint64_t)pages * (uint64_t)page_bytes : 0;
}

enum status device_software_open(const struct device_backend *backend,
	const struct device_config *config, const struct device_identity *identity,
	struct diag *diag, struct device **out_device)
{
	AUTO(device_software_close) struct device *device = NULL;
	enum status status;

	assert(backend && config && config->driver && identity && out_device);

	device = calloc(1, sizeof(*device));
	if (!device) {
		return diag_set(diag, STATUS_NO_MEMORY, "device %u: out of memory", config->index);
	}
	device->backend = backend;
	device->config = *config;
	if (device->config.memory_bytes == 0) {
		device->config.memory_bytes = host_memory_bytes();
	}
	(void)snprintf(device->uuid, sizeof(device->uuid), "%s", identity->uuid);
	(void)snprintf(device->name, sizeof(device->name), "%s", identity->name);
	/* Lock order: `driver` before `device_queue` of any device. An engine lets its lock go
	 * while it works. */
	status = lock_registry_mutex_init(&device->mutex, "device_queue");
	if (status != STATUS_OK) {
		free(MOVE(device));
		return diag_set(diag, status, "device %u: no lock", config->index);
	}

	status = backend->open(device);
	if (status == STATUS_OK) {
		status = device_engine_start(device);
	}
	if (status == STATUS_OK) {
		status = device_clock_start(device);
	}
	if (status != STATUS_OK) {
		return diag_set(diag, status, "device %u: cannot start its threads", config->index);
	}

	gaptrace_gpu_device(&(struct gaptrace_gpu_device){
		.device = (int32_t)config->index,
		.backend = backend->ops->backend,
		.uuid = device->uuid,
		.name = device->name,
		.link = identity->link,
	});
	*out_device = MOVE(device);
	return STATUS_OK;
}

void device_software_close(struct device *device)
{
	if (!device) {
		return;
	}

	assert(!device->streams && device->memory_count == 0 && device->pinned_count == 0);

	device_engine_stop(device);
	device_clock_stop(device);
	device->backend->close(device);
	lock_registry_mutex_finish(&device->mutex);
	free(device);
}

uint64_t device_software_free_bytes(struct device *device)
{
	uint64_t free_bytes;

	gaptrace_mutex_lock(&device->mutex);
	free_bytes = device->config.memory_bytes - device->used_bytes;
	gaptrace_mutex_unlock(&device->mutex);
	return free_bytes;
}

struct device_counts device_software_counts(struct device *device)
{
	struct device_counts counts;

	gaptrace_mutex_lock(&device->mutex);
	counts = device->counts;
	gaptrace_mutex_unlock(&device->mutex);
	return counts;
}

enum status device_software_stream_open(struct device *device, struct device_stream **out_stream)
{
	const struct device_call call = device_call_begin(device, DEVICE_API_STREAM_CREATE);
	struct device_stream *stream = calloc(1, sizeof(*stream));
	const enum status status = stream ? STATUS_OK : STATUS_NO_MEMORY;

	assert(out_stream);

	gaptrace_mutex_lock(&device->mutex);
	if (stream) {
		stream->device = device;
		stream->id = ++device->stream_id_last;
		stream->next = device->streams;
		device->streams = stream;
		*out_stream = stream;
	}
	(void)device_call_end_locked(&call, status);
	gaptrace_mutex_unlock(&device->mutex);
	return status;
}

void device_software_stream_close(struct device *device, struct device_stream *stream)
{
	struct device_stream **link = &device->streams;
	struct device_call call;

	if (!stream) {
		return;
	}

	call = device_call_begin(device, DEVICE_API_STREAM_DESTROY);
	gaptrace_mutex_lock(&device->mutex);
	/* As CUDA does: closing waits for what was issued. */
	device_engine_drain(stream);
	while (*link != stream) {
		link = &(*link)->next;
	}
	*link = stream->next;
	(void)device_call_end_locked(&call, STATUS_OK);
	gaptrace_mutex_unlock(&device->mutex);
	free(stream);
}

enum status device_software_event_open(struct device *device, struct device_event **out_event)
{
	const struct device_call call = device_call_begin(device, DEVICE_API_EVENT_CREATE);
	struct device_event *event = calloc(1, sizeof(*event));
	const enum status status = event ? STATUS_OK : STATUS_NO_MEMORY;

	assert(out_event);

	gaptrace_mutex_lock(&device->mutex);
	if (event) {
		event->id = ++device->event_id_last;
		*out_event = event;
	}
	(void)device_call_end_locked(&call, status);
	gaptrace_mutex_unlock(&device->mutex);
	return status;
}

void device_software_event_close(struct device *device, struct device_event *event)
{
	struct device_call call;

	if (!event) {
		return;
	}
	call = device_call_begin(device, DEVICE_API_EVENT_DESTROY);
	(void)device_call_end(&call, STATUS_OK);
	free(event);
}

enum status device_software_queue(
	struct device_stream *stream, enum device_api api, struct device_operation *operation)
{
	struct device *device = stream->device;
	const struct device_call call = device_call_begin(device, api);
	/* A copy of pageable memory is staged by the caller's thread, which is why it blocks. */
	const bool is_staged = device_operation_is_copy(operation) && !operation->copy.is_pinned;
	bool is_done = false;
	uint64_t took_ns;
	enum status status;

	device_driver_pass(device->config.driver);
	gaptrace_mutex_lock(&device->mutex);
	operation->out_is_done = is_staged ? &is_done : NULL;
	status = device_engine_enqueue(stream, &call, operation);
	if (status == STATUS_OK && is_staged) {
		while (!is_done) {
			gaptrace_condition_wait(&device->has_finished, &device->mutex);
		}
		status = stream->status;
	}
	/* It pointed to this stack. */
	operation->out_is_done = NULL;
	took_ns = device_call_end_locked(&call, status);
	if (is_staged) {
		device->counts.pageable_call_ns += took_ns;
	}
	gaptrace_mutex_unlock(&device->mutex);
	return status;
}

static enum status queue_copy(struct device_stream *stream, enum device_operation_kind kind,
	const struct device_copy *copy)
{
	struct device_operation operation = {.kind = kind};

	assert(stream && copy && copy->memory && copy->memory->device == stream->device);

	if (!device_memory_has(copy->memory, copy->offset_bytes, copy->bytes)) {
		return STATUS_BAD_USE;
	}
	operation.copy = *copy;
	return device_software_queue(stream, DEVICE_API_MEMCPY_ASYNC, &operation);
}

enum status device_software_upload(struct device_stream *stream, const struct device_copy *copy)
{
	return queue_copy(stream, DEVICE_OPERATION_UPLOAD, copy);
}

enum status device_software_download(struct device_stream *stream, const struct device_copy *copy)
{
	return queue_copy(stream, DEVICE_OPERATION_DOWNLOAD, copy);
}

static enum status queue_event(struct device_stream *stream, struct device_event *event,
	enum device_operation_kind kind, enum device_api api)
{
	struct device *device = stream->device;
	const struct device_call call = device_call_begin(device, api);
	struct device_operation operation = {.kind = kind, .event = event};
	enum status status;

	device_driver_pass(device->config.driver);
	gaptrace_mutex_lock(&device->mutex);
	if (kind == DEVICE_OPERATION_EVENT_RECORD) {
		/* Waits are for the recording that was the last when they were issued, as in
		 * CUDA. */
		event->recorded_sequence++;
		event->stream_id = stream->id;
	}
	operation.event_sequence = event->recorded_sequence;
	status = device_engine_enqueue(stream, &call, &operation);
	if (status != STATUS_OK && kind == DEVICE_OPERATION_EVENT_RECORD) {
		event->recorded_sequence--;
	}
	(void)device_call_end_locked(&call, status);
	gaptrace_mutex_unlock(&device->mutex);
	return status;
}

enum status device_software_event_record(struct device_event *event, struct device_stream *stream)
{
	assert(event && stream);
	return queue_event(stream, event, DEVICE_OPERATION_EVENT_RECORD, DEVICE_API_EVENT_RECORD);
}

enum status device_software_stream_wait(struct device_stream *stream, struct device_event *event)
{
	assert(stream && event);
	return queue_event(
		stream, event, DEVICE_OPERATION_STREAM_WAIT, DEVICE_API_STREAM_WAIT_EVENT);
}

enum status device_software_stream_synchronize(struct device_stream *stream)
{
	struct device *device;
	struct device_call call;
	uint64_t start_ns;
	enum status status;

	assert(stream);

	device = stream->device;
	call = device_call_begin(device, DEVICE_API_STREAM_SYNCHRONIZE);
	gaptrace_mutex_lock(&device->mutex);
	start_ns = clock_now_ns();
	device_engine_drain(stream);
	status = stream->status;
	/* A failure is told once, to whoever synchronises; then the stream may be used again. */
	stream->status = STATUS_OK;
	device_operation_record_synchronize(&call, stream->id, start_ns);
	device->counts.synchronize_ns += device_call_end_locked(&call, status);
	gaptrace_mutex_unlock(&device->mutex);
	return status;
}

static bool has_queued(const struct device *device)
{
	for (const struct device_stream *stream = device->streams; stream; stream = stream->next) {
		if (stream->first) {
			return true;
		}
	}
	return false;
}

/* The driver keeps everybody out while it tidies up after a device-wide synchronisation. */
void device_software_synchronize(struct device *device)
{
	struct device_driver *driver = device->config.driver;
	struct device_call call;
	uint64_t start_ns;

	assert(device);

	call = device_call_begin(device, DEVICE_API_DEVICE_SYNCHRONIZE);
	gaptrace_mutex_lock(&device->mutex);
	start_ns = clock_now_ns();
	while (has_queued(device)) {
		gaptrace_condition_wait(&device->has_finished, &device->mutex);
	}
	gaptrace_mutex_unlock(&device->mutex);

	gaptrace_mutex_lock(&driver->mutex);
	device_software_take_time(device, call.api, 0);
	gaptrace_mutex_unlock(&driver->mutex);

	gaptrace_mutex_lock(&device->mutex);
	device_operation_record_synchronize(&call, 0, start_ns);
	device->counts.synchronize_ns += device_call_end_locked(&call, STATUS_OK);
	gaptrace_mutex_unlock(&device->mutex);
}
