/* SPDX-License-Identifier: MIT */
#include "prover/device/device_clock.h"

#include "trace/base/clock.h"

#include <stdio.h>

#define WATERMARK_INTERVAL_NS (100 * NS_PER_MS)
#define CLOCK_PAIR_INTERVAL   10 /* watermarks */

/*
 * The earliest start that a record still to come may have. Starts are read from the clock with the
 * lock held, so only an operation that runs has one in the past; and the next of a model's stream,
 * whose thread wakes up later than the moment it stands for. A stream that waits for an event is
 * bounded by the stream the event is on.
 */
static uint64_t earliest_start_ns(const struct device *device, const struct device_stream *stream)
{
	const struct device_operation *operation = stream->first;

	if (!operation || operation->kind == DEVICE_OPERATION_STREAM_WAIT) {
		return UINT64_MAX;
	}
	if (operation->is_running) {
		return operation->start_ns;
	}
	if (!device->backend->is_modelled) {
		return UINT64_MAX;
	}
	return operation->issued_ns > stream->last_end_ns ? operation->issued_ns
							  : stream->last_end_ns;
}

void device_clock_watermark(struct device *device)
{
	uint64_t until_ns = clock_now_ns();

	for (const struct device_stream *stream = device->streams; stream; stream = stream->next) {
		const uint64_t start_ns = earliest_start_ns(device, stream);

		until_ns = start_ns < until_ns ? start_ns : until_ns;
	}
	if (until_ns > device->watermark_ns) {
		device->watermark_ns = until_ns;
	}
	gaptrace_gpu_watermark((int32_t)device->config.index, device->watermark_ns);
}

static void clock_pair(const struct device *device)
{
	const uint64_t before_ns = clock_now_ns();
	const uint64_t device_ns = clock_now_ns();

	gaptrace_gpu_clock_pair(&(struct gaptrace_gpu_clock_pair){
		.device = (int32_t)device->config.index,
		.host_before_ns = before_ns,
		.device_ns = device_ns,
		.host_after_ns = clock_now_ns(),
	});
}

/* The `tick`-th time since a recording began; gives the next, or 0 when nothing records. */
static uint32_t say_time(struct device *device, uint32_t tick)
{
	if (!gaptrace_is_recording()) {
		return 0;
	}
	if (tick % CLOCK_PAIR_INTERVAL == 0) {
		clock_pair(device);
	}
	device_clock_watermark(device);
	return tick + 1;
}

static void *clock_main(void *argument)
{
	struct device *device = argument;
	uint64_t next_ns = clock_now_ns();
	uint32_t tick = 0;

	gaptrace_thread_name(device->clock_name);
	gaptrace_mutex_lock(&device->mutex);
	while (!device->is_stopping) {
		tick = say_time(device, tick);
		next_ns += WATERMARK_INTERVAL_NS;
		while (!device->is_stopping && clock_now_ns() < next_ns) {
			(void)gaptrace_condition_wait_until(
				&device->has_stopped, &device->mutex, next_ns);
		}
	}
	clock_pair(device);
	device_clock_watermark(device);
	gaptrace_mutex_unlock(&device->mutex);
	gaptrace_thread_end();
	return NULL;
}

enum status device_clock_start(struct device *device)
{
	gaptrace_condition_init(&device->has_stopped, NULL);
	(void)snprintf(device->clock_name, sizeof(device->clock_name), "%s%u clock",
		device->backend->ops->name, device->config.index);
	if (pthread_create(&device->clock_thread, NULL, clock_main, device)) {
		return STATUS_UNAVAILABLE;
	}
	device->has_clock_thread = true;
	return STATUS_OK;
}

void device_clock_stop(struct device *device)
{
	gaptrace_mutex_lock(&device->mutex);
	device->is_stopping = true;
	gaptrace_condition_broadcast(&device->has_stopped);
	gaptrace_mutex_unlock(&device->mutex);
	if (device->has_clock_thread) {
		(void)pthread_join(device->clock_thread, NULL);
	}
	gaptrace_condition_finish(&device->has_stopped);
}
