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

uint64_t device_driver_correlation(struct device_driver *driver)
{
	return atomic_fetch_add(&driver->correlation_last, 1) + 1;
}

void device_driver_pass(struct device_driver *driver)
{
	gaptrace_mutex_lock(&driver->mutex);
	gaptrace_mutex_unlock(&driver->mutex);
}
