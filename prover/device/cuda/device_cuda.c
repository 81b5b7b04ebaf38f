/* SPDX-License-Identifier: MIT */
/*
 * The cuda device: a GPU, its streams and events by the CUDA runtime. An error ends what is on its
 * stream, and so its job; the daemon goes on.
 */
#include "prover/device/cuda/device_cuda_private.h"
#include "prover/lock_registry.h"
#include "trace/base/clock.h"

#include <assert.h>
#include <stdlib.h>

bool device_cuda_fails(struct device *device, enum device_fault fault)
{
	bool is_failing = false;

	if (fault == DEVICE_FAULT_NONE || fault != device->config.fault) {
		return false;
	}
	gaptrace_mutex_lock(&device->mutex);
	is_failing = device->fault_count++ == device->config.fault_after_count;
	gaptrace_mutex_unlock(&device->mutex);
	return is_failing;
}

enum status device_cuda_fail(struct device_stream *stream, enum status status)
{
	struct device *device = stream->device;

	if (status == STATUS_OK) {
		return STATUS_OK;
	}
	gaptrace_mutex_lock(&device->mutex);
	device->counts.failed_count++;
	gaptrace_mutex_unlock(&device->mutex);
	if (stream->status == STATUS_OK) {
		stream->status = status;
	}
	return status;
}

void device_cuda_count(struct device *device, uint64_t *count_ns, uint64_t begin_ns)
{
	const uint64_t took_ns = clock_now_ns() - begin_ns;

	gaptrace_mutex_lock(&device->mutex);
	*count_ns += took_ns;
	device->counts.api_count++;
	gaptrace_mutex_unlock(&device->mutex);
}

static void cuda_close(struct device *device)
{
	if (!device) {
		return;
	}
	if (device->runtime) {
		device_cuda_meter_close(device);
	}
	runtime_close(device->runtime);
	lock_registry_mutex_finish(&device->mutex);
	free(device);
}

static enum status open_meter(struct device *device, struct diag *diag)
{
	const enum status status = device_cuda_meter_open(device);
	struct diag words;

	if (status == STATUS_OK) {
		return STATUS_OK;
	}
	runtime_failure(device->runtime, &words);
	return diag_set(
		diag, status, "device %u: cannot be used: %s", device->config.index, words.line);
}

static enum status cuda_open(
	const struct device_config *config, struct diag *diag, struct device **out_device)
{
	struct device *device = calloc(1, sizeof(*device));
	enum status status;

	assert(config && config->driver && out_device);

	if (!device) {
		return diag_set(diag, STATUS_NO_MEMORY, "device %u: out of memory", config->index);
	}
	device->config = *config;
	status = lock_registry_mutex_init(&device->mutex, "device_queue");
	if (status != STATUS_OK) {
		free(device);
		return diag_set(diag, status, "device %u: no lock", config->index);
	}
	status = runtime_open(config->index, diag, &device->runtime);
	if (status == STATUS_OK) {
		status = open_meter(device, diag);
	}
	if (status != STATUS_OK) {
		cuda_close(device);
		return status;
	}
	*out_device = device;
	return STATUS_OK;
}

static void cuda_failure(struct device *device, struct diag *out_words)
{
	gaptrace_mutex_lock(&device->mutex);
	*out_words = device->refusal;
	device->refusal.line[0] = '\0';
	gaptrace_mutex_unlock(&device->mutex);
	if (!out_words->line[0]) {
		runtime_failure(device->runtime, out_words);
	}
}

static bool cuda_is_lost(struct device *device, struct diag *out_words)
{
	return runtime_is_lost(device->runtime, out_words);
}

static uint64_t cuda_free_bytes(struct device *device)
{
	const uint64_t limit = device->config.memory_bytes;
	uint64_t free_bytes = 0;
	uint64_t used_bytes;

	if (runtime_free_bytes(device->runtime, &free_bytes) != STATUS_OK) {
		return 0;
	}
	gaptrace_mutex_lock(&device->mutex);
	used_bytes = device->used_bytes;
	gaptrace_mutex_unlock(&device->mutex);
	if (limit == 0) {
		return free_bytes;
	}
	if (used_bytes >= limit) {
		return 0;
	}
	return free_bytes < limit - used_bytes ? free_bytes : limit - used_bytes;
}

static struct device_counts cuda_counts(struct device *device)
{
	struct device_counts counts;

	gaptrace_mutex_lock(&device->mutex);
	counts = device->counts;
	gaptrace_mutex_unlock(&device->mutex);
	return counts;
}

static void cuda_stream_close(struct device *device, struct device_stream *stream)
{
	if (!stream) {
		return;
	}
	if (stream->stream) {
		/* A failure has been told or will concern nobody: the stream goes. */
		if (runtime_stream_synchronize(device->runtime, stream->stream) != STATUS_OK) {
			stream->status = STATUS_INTERNAL;
		}
		runtime_stream_close(device->runtime, stream->stream);
	}
	device_cuda_memory_free(device, stream->scratch);
	device_cuda_memory_free(device, stream->state);
	device_cuda_pinned_free(device, stream->host, sizeof(*stream->host));
	free(stream);
}

static enum status open_stream(struct device_stream *stream)
{
	struct device *device = stream->device;
	void *host = NULL;
	enum status status = runtime_stream_open(device->runtime, &stream->stream);

	if (status == STATUS_OK) {
		status = device_cuda_pinned_alloc(device, sizeof(*stream->host), &host);
	}
	if (status == STATUS_OK) {
		stream->host = host;
		status = device_cuda_memory_alloc(
			device, sizeof(struct device_stream_state), &stream->state);
	}
	return status == STATUS_OK ? runtime_clear(device->runtime, stream->stream,
					     stream->state->bytes, stream->state->size)
				   : status;
}

static enum status cuda_stream_open(struct device *device, struct device_stream **out_stream)
{
	struct device_stream *stream = calloc(1, sizeof(*stream));
	enum status status;

	if (!stream) {
		return STATUS_NO_MEMORY;
	}
	stream->device = device;
	status = open_stream(stream);
	if (status != STATUS_OK) {
		cuda_stream_close(device, stream);
		return status;
	}
	*out_stream = stream;
	return STATUS_OK;
}

static enum status cuda_event_open(struct device *device, struct device_event **out_event)
{
	struct device_event *event = calloc(1, sizeof(*event));
	enum status status =
		event ? runtime_event_open(device->runtime, &event->event) : STATUS_NO_MEMORY;

	if (status != STATUS_OK) {
		free(event);
		return status;
	}
	*out_event = event;
	return STATUS_OK;
}

static void cuda_event_close(struct device *device, struct device_event *event)
{
	if (!event) {
		return;
	}
	runtime_event_close(device->runtime, event->event);
	free(event);
}

static enum status cuda_event_record(struct device_event *event, struct device_stream *stream)
{
	enum status status =
		runtime_event_record(stream->device->runtime, event->event, stream->stream);

	if (status == STATUS_OK) {
		event->is_recorded = true;
		event->status = stream->status;
	}
	return device_cuda_fail(stream, status);
}

static enum status cuda_stream_wait(struct device_stream *stream, struct device_event *event)
{
	if (!event->is_recorded) {
		return STATUS_OK;
	}
	if (stream->status == STATUS_OK) {
		stream->status = event->status;
	}
	return device_cuda_fail(
		stream, runtime_stream_wait(stream->device->runtime, stream->stream, event->event));
}

/* Whether a kernel met a number that leads nowhere comes back with every wait. */
static enum status wait_and_look(struct device_stream *stream)
{
	struct runtime *runtime = stream->device->runtime;
	struct device_stream_state *state = stream->state->bytes;
	enum status status = runtime_copy(runtime, stream->stream,
		&(struct runtime_copy){.target = &stream->host->is_broken,
			.source = &state->is_broken,
			.bytes = sizeof(state->is_broken),
			.direction = RUNTIME_DOWNLOAD});

	if (status == STATUS_OK) {
		status = runtime_stream_synchronize(runtime, stream->stream);
	}
	if (status == STATUS_OK && stream->host->is_broken) {
		status = runtime_clear(
			runtime, stream->stream, &state->is_broken, sizeof(state->is_broken));
		status = status == STATUS_OK ? STATUS_INTERNAL : status;
	}
	return status == STATUS_OK ? device_cuda_meter_collect(stream->device) : status;
}

static enum status cuda_stream_synchronize(struct device_stream *stream)
{
	const uint64_t begin_ns = clock_now_ns();
	const enum status waited = device_cuda_fail(stream, wait_and_look(stream));
	/* The first failure, which may be an older one. */
	const enum status status = stream->status == STATUS_OK ? waited : stream->status;

	device_cuda_count(stream->device, &stream->device->counts.synchronize_ns, begin_ns);
	stream->status = STATUS_OK;
	return status;
}

static void cuda_synchronize(struct device *device)
{
	const uint64_t begin_ns = clock_now_ns();

	/* What failed stays with its stream, which tells it when it is waited for. */
	if (runtime_synchronize(device->runtime) != STATUS_OK ||
		device_cuda_meter_collect(device) != STATUS_OK) {
		gaptrace_mutex_lock(&device->mutex);
		device->counts.failed_count++;
		gaptrace_mutex_unlock(&device->mutex);
	}
	device_cuda_count(device, &device->counts.synchronize_ns, begin_ns);
}

const struct device_ops device_cuda = {
	.name = "cuda",
	.backend = GAPTRACE_BACKEND_CUDA,
	.makes_proofs = true,
	.open = cuda_open,
	.close = cuda_close,
	.free_bytes = cuda_free_bytes,
	.counts = cuda_counts,
	.failure = cuda_failure,
	.is_lost = cuda_is_lost,
	.pinned_alloc = device_cuda_pinned_alloc,
	.pinned_free = device_cuda_pinned_free,
	.memory_alloc = device_cuda_memory_alloc,
	.memory_free = device_cuda_memory_free,
	.key_load = device_cuda_key_load,
	.key_unload = device_cuda_key_unload,
	.stream_open = cuda_stream_open,
	.stream_close = cuda_stream_close,
	.stream_take_outgrown = device_cuda_take_outgrown,
	.event_open = cuda_event_open,
	.event_close = cuda_event_close,
	.upload = device_cuda_upload,
	.download = device_cuda_download,
	.event_record = cuda_event_record,
	.stream_wait = cuda_stream_wait,
	.evaluate = device_cuda_evaluate,
	.transform = device_cuda_transform,
	.quotient = device_cuda_quotient,
	.msm_h = device_cuda_msm_h,
	.sum_ones = device_cuda_sum_ones,
	.msm = device_cuda_msm,
	.stream_synchronize = cuda_stream_synchronize,
	.synchronize = cuda_synchronize,
};
