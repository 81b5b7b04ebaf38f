/* SPDX-License-Identifier: MIT */
/* Inside of idle_meter: what is kept, for who notes it and for who shares idle stretches out. */
#pragma once

#include "prover/idle_meter.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>

/* As far back as an idle stretch can be told: a worker makes a dozen stages of a partition. */
#define INTERVALS_KEPT 256
#define STAGES_KEPT    64

struct interval {
	uint64_t begin_ns;
	uint64_t end_ns;
};

struct kept_interval {
	struct interval interval;
	uint64_t starved_ns;
};

struct interval_ring {
	struct kept_interval intervals[INTERVALS_KEPT];
	uint64_t count; /* ever */
};

struct stage {
	uint64_t begin_ns;
	enum idle_stage stage;
	struct idle_upstream upstream; /* of a pop that is over */
};

struct worker {
	struct stage stages[STAGES_KEPT];
	uint64_t count; /* ever */
};

struct meter_device {
	struct interval_ring clocks[IDLE_CLOCK_COUNT - IDLE_CLOCK_OF_DEVICE];
	uint32_t holder; /* the worker whose region it is, or was last */
	bool is_busy;
	bool was_busy;
	uint64_t idle_since_ns;
	struct idle_counts counts;
	/* While no device ran a kernel, since this one ran its last: should it not run another,
	 * what kept the others is what kept it too. */
	uint64_t shared_ns[IDLE_REASON_COUNT];
};

struct idle_meter {
	/* Spins: a lock of the trace library would add events to what is measured. */
	atomic_flag lock;
	uint64_t begin_ns; /* 0: no job yet */
	uint64_t end_ns;
	struct interval_ring clocks[IDLE_CLOCK_OF_DEVICE];
	struct worker *workers;
	struct meter_device *devices;
	uint32_t device_count;
	uint32_t worker_count;
};

static inline uint64_t earlier_of(uint64_t first_ns, uint64_t second_ns)
{
	return first_ns < second_ns ? first_ns : second_ns;
}

static inline uint64_t later_of(uint64_t first_ns, uint64_t second_ns)
{
	return first_ns > second_ns ? first_ns : second_ns;
}

static inline struct interval_ring *ring_of(
	struct idle_meter *meter, enum idle_clock clock, uint32_t device)
{
	if (clock < IDLE_CLOCK_OF_DEVICE) {
		return &meter->clocks[clock];
	}
	assert(device < meter->device_count);
	return &meter->devices[device].clocks[clock - IDLE_CLOCK_OF_DEVICE];
}

/* Charges [begin, end) of a device without a kernel, which the kernel of a worker ended, to that
 * worker's stages, from its end backwards. With the lock held, as the next. */
void idle_charge_stretch(struct idle_meter *meter, uint32_t device, const struct interval *stretch);

/* The stretch after a device's last kernel, which nothing ended. */
void idle_charge_last(const struct idle_meter *meter, uint32_t device, struct idle_counts *counts);
