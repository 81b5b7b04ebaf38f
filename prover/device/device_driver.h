/* SPDX-License-Identifier: MIT */
/* Inside of the backends: what device_driver_create() made, shared by all devices of a process. */
#pragma once

#include "gaptrace/gaptrace.h"
#include "prover/device/device.h"

#include <stdatomic.h>
#include <stdint.h>

/* What is allocated of one kind, for buffer events. */
struct device_tally {
	uint64_t count;
	uint64_t bytes;
};

struct device_driver {
	/* Held by an allocation for all of its time, and by every call that queues for a moment. */
	struct gaptrace_mutex mutex;
	/* Guarded by the mutex. */
	struct device_tally pinned;
	struct device_tally memory;

	atomic_ullong correlation_last;
};

/*
 * With the mutex held: what was allocated or freed, and how long that took, in the tally of its
 * kind and as a buffer event.
 */
void device_driver_tally_add(struct device_driver *driver, enum gaptrace_buffer_kind kind,
	uint64_t bytes, uint64_t duration_ns);
void device_driver_tally_remove(struct device_driver *driver, enum gaptrace_buffer_kind kind,
	uint64_t bytes, uint64_t duration_ns);

/* The next of the numbers that join operations to their calls, from 1. */
uint64_t device_driver_correlation(struct device_driver *driver);

/* What every call that queues does: waits while the driver allocates. */
void device_driver_pass(struct device_driver *driver);
