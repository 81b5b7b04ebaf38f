/* SPDX-License-Identifier: MIT */
/*
 * Memory and keys of software devices. As with a real driver, an allocation keeps everybody else
 * out of the driver for as long as it takes.
 */
#include "prover/device/device_driver.h"
#include "prover/device/device_software.h"
#include "prover/idle_meter.h"
#include "trace/base/clock.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static bool is_call_failing(struct device *device, enum device_fault fault)
{
	bool is_failing;

	gaptrace_mutex_lock(&device->mutex);
	is_failing = device_engine_fails(device, fault);
	gaptrace_mutex_unlock(&device->mutex);
	return is_failing;
}

enum status device_software_pinned_alloc(struct device *device, uint64_t bytes, void **out_memory)
{
	const struct device_call call = device_call_begin(device, DEVICE_API_MALLOC_HOST);
	struct device_driver *driver = device->config.driver;
	void *memory = NULL;
	uint64_t locked_ns;
	enum status status;

	assert(out_memory);

	gaptrace_mutex_lock(&driver->mutex);
	locked_ns = clock_now_ns();
	device_software_take_time(device, call.api, bytes);
	status = is_call_failing(device, DEVICE_FAULT_PINNED_ALLOC)
			 ? STATUS_NO_MEMORY
			 : device->backend->pinned_alloc(bytes, &memory);
	if (status == STATUS_OK) {
		device_driver_tally_add(
			driver, GAPTRACE_BUFFER_PINNED, bytes, clock_now_ns() - call.start_ns);
	}
	idle_meter_interval(device->config.meter, IDLE_CLOCK_PINNED_ALLOC, 0, locked_ns);
	gaptrace_mutex_unlock(&driver->mutex);

	gaptrace_mutex_lock(&device->mutex);
	device->pinned_count += status == STATUS_OK;
	device->counts.alloc_ns += device_call_end_locked(&call, status);
	gaptrace_mutex_unlock(&device->mutex);
	if (status == STATUS_OK) {
		*out_memory = memory;
	}
	return status;
}

void device_software_pinned_free(struct device *device, void *memory, uint64_t bytes)
{
	struct device_driver *driver = device->config.driver;
	struct device_call call;
	uint64_t locked_ns;

	if (!memory) {
		return;
	}

	call = device_call_begin(device, DEVICE_API_FREE_HOST);
	gaptrace_mutex_lock(&driver->mutex);
	locked_ns = clock_now_ns();
	device_software_take_time(device, call.api, bytes);
	device->backend->pinned_free(memory, bytes);
	device_driver_tally_remove(
		driver, GAPTRACE_BUFFER_PINNED, bytes, clock_now_ns() - call.start_ns);
	idle_meter_interval(device->config.meter, IDLE_CLOCK_PINNED_FREE, 0, locked_ns);
	gaptrace_mutex_unlock(&driver->mutex);

	gaptrace_mutex_lock(&device->mutex);
	device->pinned_count--;
	device->counts.free_ns += device_call_end_locked(&call, STATUS_OK);
	gaptrace_mutex_unlock(&device->mutex);
}

/* Sets `bytes` aside on the device. */
static enum status reserve_memory(struct device *device, uint64_t bytes)
{
	enum status status = STATUS_OK;

	gaptrace_mutex_lock(&device->mutex);
	if (device_engine_fails(device, DEVICE_FAULT_MEMORY_ALLOC) ||
		bytes > device->config.memory_bytes - device->used_bytes) {
		status = STATUS_NO_MEMORY;
	} else {
		device->used_bytes += bytes;
		device->memory_count++;
	}
	gaptrace_mutex_unlock(&device->mutex);
	return status;
}

static void return_memory(struct device *device, uint64_t bytes)
{
	gaptrace_mutex_lock(&device->mutex);
	device->used_bytes -= bytes;
	device->memory_count--;
	gaptrace_mutex_unlock(&device->mutex);
}

static enum status make_memory(
	struct device *device, uint64_t bytes, struct device_memory **out_memory)
{
	struct device_memory *memory = calloc(1, sizeof(*memory));
	enum status status = memory ? reserve_memory(device, bytes) : STATUS_NO_MEMORY;

	if (status != STATUS_OK) {
		free(memory);
		return status;
	}
	memory->device = device;
	memory->size = bytes;
	status = device->backend->memory_alloc(bytes, &memory->bytes);
	if (status != STATUS_OK) {
		return_memory(device, bytes);
		free(memory);
		return status;
	}

	*out_memory = memory;
	return STATUS_OK;
}

enum status device_software_memory_alloc(
	struct device *device, uint64_t bytes, struct device_memory **out_memory)
{
	const struct device_call call = device_call_begin(device, DEVICE_API_MALLOC);
	struct device_driver *driver = device->config.driver;
	enum status status;

	assert(out_memory);

	gaptrace_mutex_lock(&driver->mutex);
	device_software_take_time(device, call.api, bytes);
	status = make_memory(device, bytes, out_memory);
	if (status == STATUS_OK) {
		device_driver_tally_add(
			driver, GAPTRACE_BUFFER_DEVICE, bytes, clock_now_ns() - call.start_ns);
	}
	gaptrace_mutex_unlock(&driver->mutex);

	gaptrace_mutex_lock(&device->mutex);
	device->counts.alloc_ns += device_call_end_locked(&call, status);
	gaptrace_mutex_unlock(&device->mutex);
	return status;
}

void device_software_memory_free(struct device *device, struct device_memory *memory)
{
	struct device_driver *driver = device->config.driver;
	struct device_call call;

	if (!memory) {
		return;
	}

	call = device_call_begin(device, DEVICE_API_FREE);
	gaptrace_mutex_lock(&driver->mutex);
	device_software_take_time(device, call.api, memory->size);
	return_memory(device, memory->size);
	if (memory->bytes) {
		explicit_bzero(memory->bytes, memory->size); /* it held a witness */
	}
	free(memory->bytes);
	device_driver_tally_remove(
		driver, GAPTRACE_BUFFER_DEVICE, memory->size, clock_now_ns() - call.start_ns);
	gaptrace_mutex_unlock(&driver->mutex);
	free(memory);

	gaptrace_mutex_lock(&device->mutex);
	device->counts.free_ns += device_call_end_locked(&call, STATUS_OK);
	gaptrace_mutex_unlock(&device->mutex);
}

/*
 * Reading and decoding is the caller's own work, whatever it calls it; only the pinning is a call.
 */
enum status device_software_key_load(struct device *device, const struct zkey *zkey,
	const struct device_shape *shape, struct device_key **out_key)
{
	struct device_key *key = calloc(1, sizeof(*key));
	struct device_call call;
	enum status status;

	assert(shape && out_key);

	if (!key) {
		return STATUS_NO_MEMORY;
	}
	key->device = device;
	key->zkey = zkey;
	key->shape = *shape;
	device_software_take_time(device, DEVICE_API_HOST_REGISTER, shape->key_bytes);
	status = device->backend->key_load(key);

	call = device_call_begin(device, DEVICE_API_HOST_REGISTER);
	device_driver_pass(device->config.driver);
	(void)device_call_end(&call, status);
	if (status != STATUS_OK) {
		free(key);
		return status;
	}

	*out_key = key;
	return STATUS_OK;
}

void device_software_key_unload(struct device *device, struct device_key *key)
{
	struct device_call call;

	if (!key) {
		return;
	}
	call = device_call_begin(device, DEVICE_API_HOST_UNREGISTER);
	device->backend->key_unload(key);
	free(key);
	(void)device_call_end(&call, STATUS_OK);
}
