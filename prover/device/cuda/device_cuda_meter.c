/* SPDX-License-Identifier: MIT */
/*
 * When kernels and copies ran, by marks around them on their streams, on the host's clock. The
 * device is asked only for marks it has passed, so nothing waits for what is measured.
 */
#include "prover/device/cuda/device_cuda_private.h"
#include "prover/idle_meter.h"
#include "trace/base/clock.h"

#include <assert.h>
#include <stdlib.h>

/* A distance between marks is a float in milliseconds: up to here it is true to a microsecond. */
#define BASE_AGE_NS (10 * NS_PER_S)

/* The base is as exact as the fastest of some tries. */
#define BASE_TRIES 3

/* A mark that the device passes while the host waits for it: both clocks at one moment. */
static enum status set_base(struct device *device)
{
	struct device_meter *meter = &device->meter;
	struct runtime *runtime = device->runtime;
	uint64_t best_ns = UINT64_MAX;
	enum status status = STATUS_OK;

	for (int i = 0; i < BASE_TRIES && status == STATUS_OK; i++) {
		struct runtime_mark *mark = meter->base_try;
		uint64_t begin_ns;
		uint64_t took_ns;

		status = runtime_mark_record(runtime, mark, meter->stream);
		begin_ns = clock_now_ns();
		if (status == STATUS_OK) {
			status = runtime_stream_synchronize(runtime, meter->stream);
		}
		took_ns = clock_now_ns() - begin_ns;
		if (status == STATUS_OK && took_ns < best_ns) {
			best_ns = took_ns;
			meter->base_try = meter->base;
			meter->base = mark;
			meter->base_ns = begin_ns + took_ns / 2;
		}
	}
	return status;
}

enum status device_cuda_meter_open(struct device *device)
{
	struct device_meter *meter = &device->meter;
	enum status status = runtime_stream_open(device->runtime, &meter->stream);

	if (status == STATUS_OK) {
		status = runtime_mark_open(device->runtime, &meter->base);
	}
	if (status == STATUS_OK) {
		status = runtime_mark_open(device->runtime, &meter->base_try);
	}
	return status == STATUS_OK ? set_base(device) : status;
}

void device_cuda_meter_close(struct device *device)
{
	struct device_meter *meter = &device->meter;

	for (uint32_t i = 0; i < TIMING_COUNT_MAX; i++) {
		runtime_mark_close(device->runtime, meter->timings[i].begin);
		runtime_mark_close(device->runtime, meter->timings[i].end);
	}
	runtime_mark_close(device->runtime, meter->base);
	runtime_mark_close(device->runtime, meter->base_try);
	if (meter->stream) {
		runtime_stream_close(device->runtime, meter->stream);
	}
}

/* A slot that is free, with its marks; NULL when there is none. With the lock held. */
static enum status take_timing(struct device *device, struct device_timing **out_timing)
{
	enum status status = STATUS_OK;

	*out_timing = NULL;
	for (uint32_t i = 0; i < TIMING_COUNT_MAX && !*out_timing; i++) {
		struct device_timing *timing = &device->meter.timings[i];

		if (timing->state == TIMING_FREE) {
			*out_timing = timing;
		}
	}
	if (*out_timing && !(*out_timing)->begin) {
		status = runtime_mark_open(device->runtime, &(*out_timing)->begin);
	}
	if (status == STATUS_OK && *out_timing && !(*out_timing)->end) {
		status = runtime_mark_open(device->runtime, &(*out_timing)->end);
	}
	if (status == STATUS_OK && *out_timing) {
		(*out_timing)->state = TIMING_BEGUN;
		device->meter.count++;
	}
	return status;
}

static void release(struct device *device, struct device_timing *timing)
{
	timing->state = TIMING_FREE;
	device->meter.count--;
}

static enum status read_timing(struct device *device, struct device_timing *timing)
{
	const struct device_meter *meter = &device->meter;
	uint64_t before_ns = 0;
	uint64_t took_ns = 0;
	enum status status =
		runtime_mark_elapsed(device->runtime, meter->base, timing->begin, &before_ns);

	if (status == STATUS_OK) {
		status =
			runtime_mark_elapsed(device->runtime, timing->begin, timing->end, &took_ns);
	}
	timing->start_ns = meter->base_ns + before_ns;
	timing->end_ns = timing->start_ns + took_ns;
	return status;
}

/* Kernels of streams beside each other make the device busy once. */
static void account(struct device *device, const struct device_timing *timing)
{
	struct device_meter *meter = &device->meter;
	struct idle_meter *idle = device->config.meter;
	const uint32_t index = device->config.index;

	if (timing->kind != TIMING_KERNEL) {
		device->counts.copy_busy_ns += timing->end_ns - timing->start_ns;
		idle_meter_interval_at(idle,
			timing->kind == TIMING_COPY_PINNED ? IDLE_CLOCK_COPY_PINNED
							   : IDLE_CLOCK_COPY_PAGEABLE,
			index, timing->start_ns, timing->end_ns);
		return;
	}
	if (timing->end_ns <= meter->busy_until_ns) {
		return;
	}
	if (timing->start_ns > meter->busy_until_ns) {
		idle_meter_kernel_begin(idle, index, timing->start_ns);
		device->counts.lane_busy_ns += timing->end_ns - timing->start_ns;
	} else {
		device->counts.lane_busy_ns += timing->end_ns - meter->busy_until_ns;
	}
	idle_meter_kernel_end(idle, index, timing->end_ns);
	meter->busy_until_ns = timing->end_ns;
}

/* Copies first: a kernel's begin shares out the idle time before it, along the copies in it. */
static int compare(const void *left, const void *right)
{
	const struct device_timing *a = *(struct device_timing *const *)left;
	const struct device_timing *b = *(struct device_timing *const *)right;

	if ((a->kind == TIMING_KERNEL) != (b->kind == TIMING_KERNEL)) {
		return a->kind == TIMING_KERNEL ? 1 : -1;
	}
	return (a->start_ns > b->start_ns) - (a->start_ns < b->start_ns);
}

/* With the lock held. */
static enum status collect(struct device *device)
{
	struct device_timing *passed[TIMING_COUNT_MAX];
	struct device_meter *meter = &device->meter;
	uint32_t count = 0;
	enum status first = STATUS_OK;

	for (uint32_t i = 0; i < TIMING_COUNT_MAX; i++) {
		struct device_timing *timing = &meter->timings[i];
		bool has_passed = false;
		enum status status;

		if (timing->state != TIMING_ENDED) {
			continue;
		}
		status = runtime_mark_passed(device->runtime, timing->end, &has_passed);
		if (status == STATUS_OK && has_passed) {
			status = read_timing(device, timing);
		}
		if (status != STATUS_OK) {
			release(device, timing); /* its stream has failed */
			first = first == STATUS_OK ? status : first;
		} else if (has_passed) {
			passed[count++] = timing;
		}
	}
	qsort(passed, count, sizeof(void *), compare);
	for (uint32_t i = 0; i < count; i++) {
		account(device, passed[i]);
		release(device, passed[i]);
	}
	return first;
}

enum status device_cuda_meter_collect(struct device *device)
{
	enum status status;

	gaptrace_mutex_lock(&device->mutex);
	status = collect(device);
	gaptrace_mutex_unlock(&device->mutex);
	return status;
}

/* With the lock held. The base of what is still to be read stays. */
static enum status begin(struct device *device, struct device_timing **out_timing)
{
	enum status status = STATUS_OK;

	if (device->meter.count == 0 && clock_now_ns() > device->meter.base_ns + BASE_AGE_NS) {
		status = set_base(device);
	}
	if (status == STATUS_OK) {
		status = take_timing(device, out_timing);
	}
	if (status == STATUS_OK && !*out_timing) {
		status = collect(device);
		if (status == STATUS_OK) {
			status = take_timing(device, out_timing);
		}
	}
	return status;
}

enum status device_cuda_meter_begin(struct device_stream *stream, enum timing_kind kind)
{
	struct device *device = stream->device;
	struct device_timing *timing = NULL;
	enum status status;

	assert(!stream->timing);

	gaptrace_mutex_lock(&device->mutex);
	status = begin(device, &timing);
	gaptrace_mutex_unlock(&device->mutex);
	if (status != STATUS_OK || !timing) {
		return status; /* without a slot it runs all the same */
	}
	timing->kind = kind;
	stream->timing = timing;
	status = runtime_mark_record(device->runtime, timing->begin, stream->stream);
	return status == STATUS_OK ? STATUS_OK : device_cuda_meter_end(stream, status);
}

enum status device_cuda_meter_end(struct device_stream *stream, enum status status)
{
	struct device *device = stream->device;
	struct device_timing *timing = MOVE(stream->timing);

	if (!timing) {
		return status;
	}
	if (status == STATUS_OK) {
		status = runtime_mark_record(device->runtime, timing->end, stream->stream);
	}
	gaptrace_mutex_lock(&device->mutex);
	if (status == STATUS_OK) {
		timing->state = TIMING_ENDED;
	} else {
		release(device, timing);
	}
	gaptrace_mutex_unlock(&device->mutex);
	return status;
}
