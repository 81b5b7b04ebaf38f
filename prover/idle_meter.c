/* SPDX-License-Identifier: MIT */
#include "prover/idle_meter_private.h"

#include "trace/base/clock.h"

#include <assert.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

static const char *const reason_names[IDLE_REASON_COUNT] = {
	[IDLE_NO_WORK] = "no_work",
	[IDLE_SRS_LOAD] = "srs_load",
	[IDLE_PACING] = "pacing",
	[IDLE_BUDGET] = "budget",
	[IDLE_BACKPRESSURE] = "backpressure",
	[IDLE_DISPATCH] = "dispatch",
	[IDLE_SYNTHESIS] = "synthesis",
	[IDLE_STARVED] = "starved",
	[IDLE_PINNED_ALLOC] = "pinned_alloc",
	[IDLE_PINNED_FREE] = "pinned_free",
	[IDLE_TRACKER_TRIM] = "tracker_trim",
	[IDLE_TRACKER_CHECK] = "tracker_check",
	[IDLE_TRACKER] = "tracker",
	[IDLE_POOL] = "pool",
	[IDLE_START] = "start",
	[IDLE_PREP] = "prep",
	[IDLE_PREP_QUEUED] = "prep_queued",
	[IDLE_MUTEX] = "mutex",
	[IDLE_DEVICE_SYNC] = "device_sync",
	[IDLE_DEVICE_ALLOC] = "device_alloc",
	[IDLE_COPY_PAGEABLE] = "copy_pageable",
	[IDLE_COPY_PINNED] = "copy_pinned",
	[IDLE_REGION] = "region",
	[IDLE_B_G2] = "b_g2",
	[IDLE_FREE] = "free",
	[IDLE_FINISH] = "finish",
	[IDLE_IMBALANCE] = "imbalance",
	[IDLE_END] = "end",
	[IDLE_UNSEEN] = "unseen",
};

const char *idle_reason_name(enum idle_reason reason)
{
	assert(reason < IDLE_REASON_COUNT);
	return reason_names[reason];
}

/* A spin lock of its own, untraced: the meter is what traces are checked against, and adds no
 * events to them. */
static void lock(struct idle_meter *meter)
{
	while (atomic_flag_test_and_set_explicit(&meter->lock, memory_order_acquire)) {
		(void)sched_yield();
	}
}

static void unlock(struct idle_meter *meter)
{
	atomic_flag_clear_explicit(&meter->lock, memory_order_release);
}

enum status idle_meter_create(
	uint32_t device_count, uint32_t workers_per_device, struct idle_meter **out_meter)
{
	AUTO(idle_meter_destroy) struct idle_meter *meter = calloc(1, sizeof(*meter));

	assert(device_count > 0 && workers_per_device > 0 && out_meter);

	if (!meter) {
		return STATUS_NO_MEMORY;
	}
	meter->device_count = device_count;
	meter->worker_count = device_count * workers_per_device;
	meter->devices = calloc(device_count, sizeof(*meter->devices));
	meter->workers = calloc(meter->worker_count, sizeof(*meter->workers));
	if (!meter->devices || !meter->workers) {
		return STATUS_NO_MEMORY;
	}
	atomic_flag_clear(&meter->lock);
	*out_meter = MOVE(meter);
	return STATUS_OK;
}

void idle_meter_destroy(struct idle_meter *meter)
{
	if (!meter) {
		return;
	}
	free(meter->devices);
	free(meter->workers);
	free(meter);
}

void idle_meter_job_submit(struct idle_meter *meter)
{
	if (!meter) {
		return;
	}
	lock(meter);
	/* Only the first job's submit begins the window; later ones find it begun. */
	if (!meter->begin_ns) {
		meter->begin_ns = clock_now_ns();
		for (uint32_t i = 0; i < meter->device_count; i++) {
			meter->devices[i].idle_since_ns = meter->begin_ns;
		}
	}
	unlock(meter);
}

void idle_meter_job_end(struct idle_meter *meter)
{
	if (!meter) {
		return;
	}
	lock(meter);
	/* Each end overwrites the one before: the last one stays. */
	meter->end_ns = clock_now_ns();
	unlock(meter);
}

/* With the lock held, as all that follow. */
static struct stage *push_stage(
	struct idle_meter *meter, uint32_t index, enum idle_stage stage, uint64_t begin_ns)
{
	struct worker *worker = &meter->workers[index];
	struct stage *entry = &worker->stages[worker->count % STAGES_KEPT];

	worker->count++;
	*entry = (struct stage){.begin_ns = begin_ns, .stage = stage};
	return entry;
}

void idle_meter_stage_at(
	struct idle_meter *meter, uint32_t worker, enum idle_stage stage, uint64_t begin_ns)
{
	if (!meter) {
		return;
	}
	assert(worker < meter->worker_count);
	lock(meter);
	(void)push_stage(meter, worker, stage, begin_ns);
	if (stage == IDLE_STAGE_REGION) {
		meter->devices[worker / (meter->worker_count / meter->device_count)].holder =
			worker;
	}
	unlock(meter);
}

void idle_meter_stage(struct idle_meter *meter, uint32_t worker, enum idle_stage stage)
{
	idle_meter_stage_at(meter, worker, stage, clock_now_ns());
}

void idle_meter_popped(struct idle_meter *meter, uint32_t worker,
	const struct idle_upstream *upstream, uint64_t popped_ns)
{
	struct worker *entry;

	if (!meter) {
		return;
	}
	assert(worker < meter->worker_count);
	lock(meter);
	entry = &meter->workers[worker];
	/* What the item went through explains the wait at the queue, the stage that ends here. */
	if (entry->count > 0) {
		entry->stages[(entry->count - 1) % STAGES_KEPT].upstream = *upstream;
	}
	(void)push_stage(meter, worker, IDLE_STAGE_TRACKER, popped_ns);
	unlock(meter);
}

/* A ring: stretches are charged when they end, so only what is recent is asked for. */
static void keep(struct idle_meter *meter, enum idle_clock clock, uint32_t device,
	const struct kept_interval *interval)
{
	struct interval_ring *ring;

	lock(meter);
	ring = ring_of(meter, clock, device);
	ring->intervals[ring->count % INTERVALS_KEPT] = *interval;
	ring->count++;
	unlock(meter);
}

void idle_meter_interval_at(struct idle_meter *meter, enum idle_clock clock, uint32_t device,
	uint64_t begin_ns, uint64_t end_ns)
{
	if (meter) {
		keep(meter, clock, device, &(struct kept_interval){.interval = {begin_ns, end_ns}});
	}
}

void idle_meter_interval(
	struct idle_meter *meter, enum idle_clock clock, uint32_t device, uint64_t begin_ns)
{
	idle_meter_interval_at(meter, clock, device, begin_ns, clock_now_ns());
}

void idle_meter_work(
	struct idle_meter *meter, enum idle_clock clock, uint64_t begin_ns, uint64_t cpu_ns)
{
	const uint64_t end_ns = clock_now_ns();
	const uint64_t took_ns = end_ns - begin_ns;

	if (meter) {
		keep(meter, clock, 0,
			&(struct kept_interval){.interval = {begin_ns, end_ns},
				.starved_ns = took_ns > cpu_ns ? took_ns - cpu_ns : 0});
	}
}

void idle_meter_kernel_begin(struct idle_meter *meter, uint32_t device, uint64_t begin_ns)
{
	struct meter_device *entry;
	struct interval stretch;

	if (!meter) {
		return;
	}
	assert(device < meter->device_count);
	lock(meter);
	entry = &meter->devices[device];
	stretch = (struct interval){entry->idle_since_ns, begin_ns};
	if (meter->begin_ns && !entry->is_busy && begin_ns > stretch.begin_ns) {
		entry->counts.idle_ns += begin_ns - stretch.begin_ns;
		if (begin_ns - stretch.begin_ns < IDLE_METER_STRETCH_NS) {
			entry->counts.short_ns += begin_ns - stretch.begin_ns;
		} else {
			idle_charge_stretch(meter, device, &stretch);
		}
	}
	/* Shared out anew in each stretch. */
	memset(entry->shared_ns, 0, sizeof(entry->shared_ns));
	entry->is_busy = true;
	entry->was_busy = true;
	unlock(meter);
}

void idle_meter_kernel_end(struct idle_meter *meter, uint32_t device, uint64_t end_ns)
{
	if (!meter) {
		return;
	}
	assert(device < meter->device_count);
	lock(meter);
	meter->devices[device].is_busy = false;
	meter->devices[device].idle_since_ns = end_ns;
	unlock(meter);
}

struct idle_counts idle_meter_counts(struct idle_meter *meter, uint32_t device)
{
	struct idle_counts counts = {.idle_ns = 0};
	const struct meter_device *entry;

	if (!meter) {
		return counts;
	}
	assert(device < meter->device_count);
	lock(meter);
	entry = &meter->devices[device];
	counts = entry->counts;
	if (meter->begin_ns && !entry->is_busy && meter->end_ns > entry->idle_since_ns) {
		/* On the copy: the stretch is not over, and the next look charges it anew. */
		idle_charge_last(meter, device, &counts);
	}
	unlock(meter);
	return counts;
}
