/* SPDX-License-Identifier: MIT */
#include "prover/idle_meter_private.h"

#include <stddef.h>
#include <stdint.h>

/* `part` of [begin, end); false when there is none. */
static bool clip(
	uint64_t begin_ns, uint64_t end_ns, const struct interval *part, struct interval *out_part)
{
	out_part->begin_ns = later_of(begin_ns, part->begin_ns);
	out_part->end_ns = earlier_of(end_ns, part->end_ns);
	return out_part->end_ns > out_part->begin_ns;
}

/* A stretch, or what is left of it, while it is shared out. */
struct share {
	struct idle_meter *meter;
	uint64_t *reason_ns;
	uint32_t device;
};

/* Charges `took_ns` of work that took `whole_ns` and starved for some of it. */
static void charge_work(const struct share *share, enum idle_reason reason, uint64_t took_ns,
	uint64_t starved_ns, uint64_t whole_ns)
{
	const uint64_t part_ns =
		whole_ns ? (uint64_t)((double)took_ns * (double)starved_ns / (double)whole_ns) : 0;

	share->reason_ns[IDLE_STARVED] += part_ns;
	share->reason_ns[reason] += took_ns - part_ns;
}

/* Charges what the clock's intervals cover of the part and gives what is left of `left_ns`. */
static uint64_t charge_clock(const struct share *share, enum idle_clock clock,
	enum idle_reason reason, const struct interval *part, uint64_t left_ns)
{
	const struct interval_ring *ring = ring_of(share->meter, clock, share->device);
	const uint64_t kept = ring->count < INTERVALS_KEPT ? ring->count : INTERVALS_KEPT;

	/* The order of the ring does not matter: intervals of one clock on one device do not
	 * overlap, or count once by `left_ns`. */
	for (uint64_t i = 0; i < kept; i++) {
		const struct kept_interval *entry = &ring->intervals[i];
		const struct interval *whole = &entry->interval;
		struct interval clipped;
		uint64_t took_ns;

		if (clip(whole->begin_ns, whole->end_ns, part, &clipped)) {
			took_ns = earlier_of(clipped.end_ns - clipped.begin_ns, left_ns);
			charge_work(share, reason, took_ns, entry->starved_ns,
				whole->end_ns - whole->begin_ns);
			left_ns -= took_ns;
		}
	}
	return left_ns;
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

/* An allocation waits while others free. */
static const struct clock_reason driver[] = {{IDLE_CLOCK_PINNED_FREE, IDLE_PINNED_FREE}};

/* In the channel it waits for a worker, and that is busy with another synthesis. */
static void charge_channel(const struct share *share, const struct idle_upstream *upstream,
	const struct interval *part)
{
	uint64_t left_ns = part->end_ns - part->begin_ns;
	struct interval clipped;

	for (int i = 0; i < IDLE_BEFORE_COUNT; i++) {
		if (clip(upstream->before_begin_ns[i], upstream->before_work_ns[i], part,
			    &clipped)) {
			CHARGE(share, &clipped, driver, IDLE_PINNED_ALLOC);
			left_ns -= clipped.end_ns - clipped.begin_ns;
		}
	}
	share->reason_ns[IDLE_SYNTHESIS] += left_ns;
}

/* The worker had nothing to do until this partition came: along the stages it came through. */
static void charge_pop(const struct share *share, const struct idle_upstream *upstream,
	const struct interval *part)
{
	static const struct clock_reason scheduler[] = {{IDLE_CLOCK_SRS, IDLE_SRS_LOAD}};
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
	if (clip(upstream->dispatched_ns, upstream->synthesis_begin_ns, part, &clipped)) {
		charge_channel(share, upstream, &clipped);
	}
	if (clip(upstream->synthesis_begin_ns, upstream->synthesis_work_ns, part, &clipped)) {
		CHARGE(share, &clipped, driver, IDLE_PINNED_ALLOC);
	}
	if (clip(upstream->synthesis_work_ns, upstream->synthesis_end_ns, part, &clipped)) {
		charge_work(share, IDLE_SYNTHESIS, clipped.end_ns - clipped.begin_ns,
			upstream->starved_ns,
			upstream->synthesis_end_ns - upstream->synthesis_work_ns);
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

/* Lays [begin, end) over what a worker was about, from its end backwards. */
static void charge_stretch(
	const struct share *share, const struct worker *worker, const struct interval *stretch)
{
	const uint64_t kept = worker->count < STAGES_KEPT ? worker->count : STAGES_KEPT;
	uint64_t until_ns = stretch->end_ns;

	/* A stage lasts until the next one begins. */
	for (uint64_t i = 1; i <= kept && until_ns > stretch->begin_ns; i++) {
		const struct stage *stage = &worker->stages[(worker->count - i) % STAGES_KEPT];
		const struct interval before = {stretch->begin_ns, until_ns};
		struct interval part;

		if (clip(stage->begin_ns, UINT64_MAX, &before, &part)) {
			charge_stage(share, stage, &part);
			until_ns = part.begin_ns;
		}
	}
	share->reason_ns[IDLE_UNSEEN] += until_ns - stretch->begin_ns;
}

/* Of a stretch of one device, since when all others were idle too; its end when one is busy. */
static uint64_t all_idle_since(
	const struct idle_meter *meter, uint32_t device, const struct interval *stretch)
{
	uint64_t since_ns = stretch->begin_ns;

	for (uint32_t i = 0; i < meter->device_count; i++) {
		if (i != device) {
			since_ns = meter->devices[i].is_busy
					   ? stretch->end_ns
					   : later_of(since_ns, meter->devices[i].idle_since_ns);
		}
	}
	return earlier_of(since_ns, stretch->end_ns);
}

/* With the stretch of `device` a time ended when no device ran anything. */
static void share_stretch(struct idle_meter *meter, uint32_t device, const struct interval *stretch)
{
	const struct interval all = {all_idle_since(meter, device, stretch), stretch->end_ns};

	for (uint32_t i = 0; i < meter->device_count && all.begin_ns < all.end_ns; i++) {
		const struct share share = {
			.meter = meter, .reason_ns = meter->devices[i].shared_ns, .device = device};

		/* What kept this device, which launched next, kept the others that were idle,
		 * too. */
		if (i != device) {
			charge_stretch(
				&share, &meter->workers[meter->devices[device].holder], &all);
		}
	}
}

void idle_charge_stretch(struct idle_meter *meter, uint32_t device, const struct interval *stretch)
{
	struct meter_device *entry = &meter->devices[device];
	const struct share share = {
		.meter = meter, .reason_ns = entry->counts.reason_ns, .device = device};

	charge_stretch(&share, &meter->workers[entry->holder], stretch);
	share_stretch(meter, device, stretch);
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

/* The stretch after its last kernel: nothing ended it. */
void idle_charge_last(const struct idle_meter *meter, uint32_t device, struct idle_counts *counts)
{
	const struct meter_device *entry = &meter->devices[device];
	/* Until the others' last kernel there was work, after it there was none for anybody. */
	const uint64_t others_ns = later_of(others_end_ns(meter, device), entry->idle_since_ns);
	uint64_t left_ns = others_ns - entry->idle_since_ns;

	counts->idle_ns += meter->end_ns - entry->idle_since_ns;
	counts->reason_ns[IDLE_END] += meter->end_ns - others_ns;
	for (int i = 0; i < IDLE_REASON_COUNT; i++) {
		const uint64_t took_ns = earlier_of(entry->shared_ns[i], left_ns);

		counts->reason_ns[i] += took_ns;
		left_ns -= took_ns;
	}
	counts->reason_ns[IDLE_IMBALANCE] += left_ns;
}
