/* SPDX-License-Identifier: MIT */
#include "prover/device/device_driver.h"

#include "prover/lock_registry.h"

#include <assert.h>
#include <stdlib.h>

enum status device_driver_create(struct device_driver **out_driver)
{
	struct device_driver *driver = calloc(1, sizeof(*driver));
	enum status status;

	assert(out_driver);

	if (!driver) {
		return STATUS_NO_MEMORY;
	}
	/* One for all devices of the process: an allocation for one stalls calls on every other,
	 * as with CUDA. */
	status = lock_registry_mutex_init(&driver->mutex, "driver");
	if (status != STATUS_OK) {
		free(driver);
		return status;
	}

	*out_driver = driver;
	return STATUS_OK;
}

void device_driver_destroy(struct device_driver *driver)
{
	if (!driver) {
		return;
	}
	lock_registry_mutex_finish(&driver->mutex);
	free(driver);
}

static struct device_tally *tally_of(struct device_driver *driver, enum gaptrace_buffer_kind kind)
{
	return kind == GAPTRACE_BUFFER_PINNED ? &driver->pinned : &driver->memory;
}

void device_driver_tally_add(struct device_driver *driver, enum gaptrace_buffer_kind kind,
	uint64_t bytes, uint64_t duration_ns)
{
	struct device_tally *tally = tally_of(driver, kind);

	/* Under the driver's mutex, so that live counts follow one another in the trace. */
	tally->count++;
	tally->bytes += bytes;
	gaptrace_buffer_alloc(&(struct gaptrace_buffer){
		.kind = kind,
		.bytes = bytes,
		.live_count = tally->count,
		.live_bytes = tally->bytes,
		.duration_ns = duration_ns,
	});
}

void device_driver_tally_remove(struct device_driver *driver, enum gaptrace_buffer_kind kind,
	uint64_t bytes, uint64_t duration_ns)
{
	struct device_tally *tally = tally_of(driver, kind);

	tally->count--;
	tally->bytes -= bytes;
	gaptrace_buffer_free(&(struct gaptrace_buffer){
		.kind = kind,
		.bytes = bytes,
		.live_count = tally->count,
		.live_bytes = tally->bytes,
		.duration_ns = duration_ns,
	});
}

uint64_t device_driver_correlation(struct device_driver *driver)
{
	return atomic_fetch_add(&driver->correlation_last, 1) + 1;
}

/* A launch waits here while anybody allocates, and takes no longer than that. */
void device_driver_pass(struct device_driver *driver)
{
	gaptrace_mutex_lock(&driver->mutex);
	gaptrace_mutex_unlock(&driver->mutex);
}
