/* SPDX-License-Identifier: MIT */
#include "prover/idle_meter.h"

#include "trace/base/clock.h"

#include <assert.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* As far back as an idle stretch can be told: a worker makes a dozen stages of a partition. */
#define INTERVALS_KEPT 256
#define STAGES_KEPT    64

struct interval {
	uint64_t begin_ns;
	uint64_t end_ns;
};

struct interval_ring {
	struct interval intervals[INTERVALS_KEPT];
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

static uint64_t earlier_of(uint64_t first_ns, uint64_t second_ns)
{
	return first_ns < second_ns ? first_ns : second_ns;
}

static uint64_t later_of(uint64_t first_ns, uint64_t second_ns)
{
	return first_ns > second_ns ? first_ns : second_ns;
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

void idle_meter_popped(
	struct idle_meter *meter, uint32_t worker, const struct idle_upstream *upstream)
{
	struct worker *entry;

	if (!meter) {
		return;
	}
	assert(worker < meter->worker_count);
	lock(meter);
	entry = &meter->workers[worker];
	if (entry->count > 0) {
		entry->stages[(entry->count - 1) % STAGES_KEPT].upstream = *upstream;
	}
	(void)push_stage(meter, worker, IDLE_STAGE_TRACKER, clock_now_ns());
	unlock(meter);
}

static struct interval_ring *ring_of(
	struct idle_meter *meter, enum idle_clock clock, uint32_t device)
{
	if (clock < IDLE_CLOCK_OF_DEVICE) {
		return &meter->clocks[clock];
	}
	assert(device < meter->device_count);
	return &meter->devices[device].clocks[clock - IDLE_CLOCK_OF_DEVICE];
}

void idle_meter_interval_at(struct idle_meter *meter, enum idle_clock clock, uint32_t device,
	uint64_t begin_ns, uint64_t end_ns)
{
	struct interval_ring *ring;

	if (!meter) {
		return;
	}
	lock(meter);
	ring = ring_of(meter, clock, device);
	ring->intervals[ring->count % INTERVALS_KEPT] = (struct interval){begin_ns, end_ns};
	ring->count++;
	unlock(meter);
}

void idle_meter_interval(
	struct idle_meter *meter, enum idle_clock clock, uint32_t device, uint64_t begin_ns)
{
	idle_meter_interval_at(meter, clock, device, begin_ns, clock_now_ns());
}

/* How much of [begin, end) the clock's intervals cover. */
static uint64_t covered(struct idle_meter *meter, enum idle_clock clock, uint32_t device,
	uint64_t begin_ns, uint64_t end_ns)
{
	const struct interval_ring *ring = ring_of(meter, clock, device);
	const uint64_t kept = ring->count < INTERVALS_KEPT ? ring->count : INTERVALS_KEPT;
	uint64_t sum_ns = 0;

	for (uint64_t i = 0; i < kept; i++) {
		const uint64_t from_ns = later_of(ring->intervals[i].begin_ns, begin_ns);
		const uint64_t to_ns = earlier_of(ring->intervals[i].end_ns, end_ns);

		sum_ns += to_ns > from_ns ? to_ns - from_ns : 0;
	}
	return sum_ns;
}

/* A stretch, or what is left of it, while it is shared out. */
struct share {
	struct idle_meter *meter;
	uint64_t *reason_ns;
	uint32_t device;
};

/* Charges what the clock covers of [begin, end) and gives what it took, at most `left_ns`. */
static uint64_t charge_clock(const struct share *share, enum idle_clock clock,
	enum idle_reason reason, const struct interval *part, uint64_t left_ns)
{
	const uint64_t took_ns = earlier_of(
		covered(share->meter, clock, share->device, part->begin_ns, part->end_ns), left_ns);

	share->reason_ns[reason] += took_ns;
	return left_ns - took_ns;
}

struct clock_reason {
	enum idle_clock clock;
	enum idle_reason reason;
};

/* Clock by clock, and what none of them covers to `rest`. */
static void charge_clocks(const struct share *share, const struct interval *part,
	const struct clock_reason *clocks, size_t count, enum idle_reason rest)
{
	uint64_t left_ns = part->end_ns - part->begin_ns;

	for (size_t i = 0; i < count; i++) {
		left_ns = charge_clock(share, clocks[i].clock, clocks[i].reason, part, left_ns);
	}
	share->reason_ns[rest] += left_ns;
}

#define CHARGE(share, part, clocks, rest)                                                          \
	charge_clocks(share, part, clocks, sizeof(clocks) / sizeof((clocks)[0]), rest)

/* `part` of [begin, end); false when there is none. */
static bool clip(
	uint64_t begin_ns, uint64_t end_ns, const struct interval *part, struct interval *out_part)
{
	out_part->begin_ns = later_of(begin_ns, part->begin_ns);
	out_part->end_ns = earlier_of(end_ns, part->end_ns);
	return out_part->end_ns > out_part->begin_ns;
}

static void charge_synthesis(const struct share *share, const struct idle_upstream *upstream,
	const struct interval *part)
{
	const uint64_t took_ns = part->end_ns - part->begin_ns;
	const uint64_t whole_ns = upstream->synthesis_end_ns - upstream->synthesis_work_ns;
	const uint64_t starved_ns =
		(uint64_t)((double)took_ns * (double)upstream->starved_ns / (double)whole_ns);

	share->reason_ns[IDLE_STARVED] += starved_ns;
	share->reason_ns[IDLE_SYNTHESIS] += took_ns - starved_ns;
}

/* The worker had nothing to do until this partition came: along the stages it came through. */
static void charge_pop(const struct share *share, const struct idle_upstream *upstream,
	const struct interval *part)
{
	static const struct clock_reason scheduler[] = {{IDLE_CLOCK_SRS, IDLE_SRS_LOAD}};
	static const struct clock_reason driver[] = {{IDLE_CLOCK_PINNED_FREE, IDLE_PINNED_FREE}};
	static const struct clock_reason dispatcher[] = {{IDLE_CLOCK_PACER, IDLE_PACING},
		{IDLE_CLOCK_BUDGET, IDLE_BUDGET}, {IDLE_CLOCK_BACKPRESSURE, IDLE_BACKPRESSURE}};
	struct interval clipped;

	if (clip(0, upstream->submitted_ns, part, &clipped)) {
		share->reason_ns[IDLE_NO_WORK] += clipped.end_ns - clipped.begin_ns;
	}
	if (clip(upstream->submitted_ns, upstream->queued_ns, part, &clipped)) {
		CHARGE(share, &clipped, scheduler, IDLE_DISPATCH);
	}
	if (clip(upstream->queued_ns, upstream->dispatched_ns, part, &clipped)) {
		CHARGE(share, &clipped, dispatcher, IDLE_DISPATCH);
	}
	/* In the channel it waits for a worker, and that is busy with another synthesis. */
	if (clip(upstream->dispatched_ns, upstream->synthesis_begin_ns, part, &clipped)) {
		share->reason_ns[IDLE_SYNTHESIS] += clipped.end_ns - clipped.begin_ns;
	}
	if (clip(upstream->synthesis_begin_ns, upstream->synthesis_work_ns, part, &clipped)) {
		CHARGE(share, &clipped, driver, IDLE_PINNED_ALLOC);
	}
	if (clip(upstream->synthesis_work_ns, upstream->synthesis_end_ns, part, &clipped)) {
		charge_synthesis(share, upstream, &clipped);
	}
	/* Held back for the others of its job, which are being synthesized. */
	if (clip(upstream->synthesis_end_ns, UINT64_MAX, part, &clipped)) {
		share->reason_ns[IDLE_SYNTHESIS] += clipped.end_ns - clipped.begin_ns;
	}
}

static void charge_stage(
	const struct share *share, const struct stage *stage, const struct interval *part)
{
	static const struct clock_reason tracker[] = {
		{IDLE_CLOCK_TRIM, IDLE_TRACKER_TRIM}, {IDLE_CLOCK_CHECK, IDLE_TRACKER_CHECK}};
	static const struct clock_reason region[] = {{IDLE_CLOCK_SYNC, IDLE_DEVICE_SYNC},
		{IDLE_CLOCK_DEVICE_ALLOC, IDLE_DEVICE_ALLOC},
		{IDLE_CLOCK_COPY_PAGEABLE, IDLE_COPY_PAGEABLE},
		{IDLE_CLOCK_COPY_PINNED, IDLE_COPY_PINNED},
		{IDLE_CLOCK_PINNED_ALLOC, IDLE_PINNED_ALLOC},
		{IDLE_CLOCK_PINNED_FREE, IDLE_PINNED_FREE}};
	static const enum idle_reason plain[] = {
		[IDLE_STAGE_POOL] = IDLE_POOL,
		[IDLE_STAGE_START] = IDLE_START,
		[IDLE_STAGE_PREP_QUEUED] = IDLE_PREP_QUEUED,
		[IDLE_STAGE_PREP] = IDLE_PREP,
		[IDLE_STAGE_B_G2] = IDLE_B_G2,
		[IDLE_STAGE_FREE] = IDLE_FREE,
		[IDLE_STAGE_FINISH] = IDLE_FINISH,
	};

	switch (stage->stage) {
	case IDLE_STAGE_POP:
		charge_pop(share, &stage->upstream, part);
		break;
	case IDLE_STAGE_TRACKER:
		CHARGE(share, part, tracker, IDLE_TRACKER);
		break;
	case IDLE_STAGE_MUTEX_WAIT:
		CHARGE(share, part, region, IDLE_MUTEX);
		break;
	case IDLE_STAGE_REGION:
		CHARGE(share, part, region, IDLE_REGION);
		break;
	case IDLE_STAGE_POOL:
	case IDLE_STAGE_START:
	case IDLE_STAGE_PREP_QUEUED:
	case IDLE_STAGE_PREP:
	case IDLE_STAGE_B_G2:
	case IDLE_STAGE_FREE:
	case IDLE_STAGE_FINISH:
		share->reason_ns[plain[stage->stage]] += part->end_ns - part->begin_ns;
		break;
	}
}

/* Lays [begin, end) over what the worker was about, from its end backwards. */
static void charge_stretch(struct idle_meter *meter, uint32_t index, const struct interval *stretch)
{
	struct meter_device *device = &meter->devices[index];
	const struct worker *worker = &meter->workers[device->holder];
	const uint64_t kept = worker->count < STAGES_KEPT ? worker->count : STAGES_KEPT;
	const struct share share = {
		.meter = meter, .reason_ns = device->counts.reason_ns, .device = index};
	uint64_t until_ns = stretch->end_ns;

	for (uint64_t i = 1; i <= kept && until_ns > stretch->begin_ns; i++) {
		const struct stage *stage = &worker->stages[(worker->count - i) % STAGES_KEPT];
		const struct interval before = {stretch->begin_ns, until_ns};
		struct interval part;

		if (clip(stage->begin_ns, UINT64_MAX, &before, &part)) {
			charge_stage(&share, stage, &part);
			until_ns = part.begin_ns;
		}
	}
	device->counts.reason_ns[IDLE_UNSEEN] += until_ns - stretch->begin_ns;
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
			charge_stretch(meter, device, &stretch);
		}
	}
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

/* Until when any device but this ran kernels, as far as the window goes. */
static uint64_t others_end_ns(const struct idle_meter *meter, uint32_t device)
{
	uint64_t end_ns = 0;

	for (uint32_t i = 0; i < meter->device_count; i++) {
		if (i != device && meter->devices[i].was_busy) {
			end_ns = later_of(end_ns, meter->devices[i].is_busy
							  ? meter->end_ns
							  : meter->devices[i].idle_since_ns);
		}
	}
	return earlier_of(end_ns, meter->end_ns);
}

struct idle_counts idle_meter_counts(struct idle_meter *meter, uint32_t device)
{
	struct idle_counts counts = {.idle_ns = 0};
	const struct meter_device *entry;
	uint64_t others_ns;

	if (!meter) {
		return counts;
	}
	assert(device < meter->device_count);
	lock(meter);
	entry = &meter->devices[device];
	counts = entry->counts;
	if (meter->begin_ns && !entry->is_busy && meter->end_ns > entry->idle_since_ns) {
		others_ns = later_of(others_end_ns(meter, device), entry->idle_since_ns);
		counts.idle_ns += meter->end_ns - entry->idle_since_ns;
		counts.reason_ns[IDLE_IMBALANCE] += others_ns - entry->idle_since_ns;
		counts.reason_ns[IDLE_END] += meter->end_ns - others_ns;
	}
	unlock(meter);
	return counts;
}
