/* SPDX-License-Identifier: MIT */
#include "trace/emit/device.h"

#include "gaptrace/gaptrace.h"
#include "trace/base/limits.h"
#include "trace/emit/tracepoints.h"

#include <pthread.h>
#include <stdio.h>

struct device_row {
	struct gaptrace_gpu_device device; /* its strings are the copies below */
	char uuid[64];
	char name[NAME_BYTES_MAX];
	char link[64];
};

/* Kept for keyframes: a recording that begins later must be told what its devices are. */
static struct {
	pthread_mutex_t mutex; /* guards the rows */
	uint32_t count;
	struct device_row rows[DEVICE_COUNT_MAX];
} devices = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static void copy_text(char *target, size_t bytes, const char *text)
{
	(void)snprintf(target, bytes, "%s", text ? text : "");
}

/* Devices past DEVICE_COUNT_MAX are emitted once and not repeated. */
static void device_keep(const struct gaptrace_gpu_device *device)
{
	uint32_t i = 0;

	pthread_mutex_lock(&devices.mutex);
	while (i < devices.count && devices.rows[i].device.device != device->device) {
		i++;
	}
	if (i < DEVICE_COUNT_MAX) {
		struct device_row *row = &devices.rows[i];

		copy_text(row->uuid, sizeof(row->uuid), device->uuid);
		copy_text(row->name, sizeof(row->name), device->name);
		copy_text(row->link, sizeof(row->link), device->link);
		row->device = *device;
		row->device.uuid = row->uuid;
		row->device.name = row->name;
		row->device.link = row->link;
		devices.count += i == devices.count;
	}
	pthread_mutex_unlock(&devices.mutex);
}

void device_repeat(void)
{
	if (!WANTED_GPU(device)) {
		return;
	}
	pthread_mutex_lock(&devices.mutex);
	for (uint32_t i = 0; i < devices.count; i++) {
		EMIT_GPU(device, &devices.rows[i].device);
	}
	pthread_mutex_unlock(&devices.mutex);
}

/* A fork while another thread holds the mutex would leave it locked in the child for ever. */
static void fork_prepare(void)
{
	pthread_mutex_lock(&devices.mutex);
}

static void fork_done(void)
{
	pthread_mutex_unlock(&devices.mutex);
}

__attribute__((constructor)) static void fork_watch(void)
{
	(void)pthread_atfork(fork_prepare, fork_done, fork_done);
}

void gaptrace_gpu_device(const struct gaptrace_gpu_device *device)
{
	device_keep(device);
	if (WANTED_GPU(device)) {
		EMIT_GPU(device, device);
	}
}

void gaptrace_gpu_kernel(const struct gaptrace_gpu_kernel *kernel)
{
	if (WANTED_GPU(kernel)) {
		EMIT_GPU(kernel, kernel);
	}
}

void gaptrace_gpu_memcpy(const struct gaptrace_gpu_memcpy *copy)
{
	if (WANTED_GPU(memcpy)) {
		EMIT_GPU(memcpy, copy);
	}
}

void gaptrace_gpu_memset(const struct gaptrace_gpu_memset *set)
{
	if (WANTED_GPU(memset)) {
		EMIT_GPU(memset, set);
	}
}

void gaptrace_gpu_api(const struct gaptrace_gpu_api *api)
{
	if (WANTED_GPU(api)) {
		EMIT_GPU(api, api);
	}
}

void gaptrace_gpu_sync(const struct gaptrace_gpu_sync *sync)
{
	if (WANTED_GPU(sync)) {
		EMIT_GPU(sync, sync);
	}
}

void gaptrace_gpu_overhead(const struct gaptrace_gpu_overhead *overhead)
{
	if (WANTED_GPU(overhead)) {
		EMIT_GPU(overhead, overhead);
	}
}

void gaptrace_gpu_clock_pair(const struct gaptrace_gpu_clock_pair *pair)
{
	if (WANTED_GPU(clock_pair)) {
		EMIT_GPU(clock_pair, pair);
	}
}

void gaptrace_gpu_watermark(int32_t device, uint64_t complete_until_ns)
{
	if (WANTED_GPU(watermark)) {
		EMIT_GPU(watermark, device, complete_until_ns);
	}
}

void gaptrace_gpu_dropped(int32_t device, uint64_t count)
{
	if (WANTED_GPU(dropped)) {
		EMIT_GPU(dropped, device, count);
	}
}
