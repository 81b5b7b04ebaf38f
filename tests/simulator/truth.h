/* SPDX-License-Identifier: MIT */
/*
 * The right answer: for an instant of a gap, what it must be charged to, worked out from what the
 * world knows and no recording holds. Written from docs/causes.md, instant by instant, and not as
 * the engine is, interval by interval.
 */
#pragma once

#include "analysis/core/gap.h"
#include "tests/simulator/world.h"

struct truth_charge {
	enum cause cause;
	const char *object;
	const char *phase;
	int32_t holder_tid;
	uint32_t via_count;
	struct gap_via via[GAP_VIA_MAX];
};

struct truth_gap {
	struct gap gap;
	int ender; /* the operation that ended it, -1 none */
};

/* Every stretch of the window without a kernel of `device`, in order. The caller frees it. */
struct truth_gap *truth_gaps(const struct world *world, int device, size_t *out_count);

/* What the moment before y must be charged to, for begin < y <= end of the gap. */
void truth_charge_at(const struct world *world, const struct truth_gap *gap, uint64_t y_ns,
	struct truth_charge *out_charge);

/*
 * The instants of (begin, end] at which a charge may change, in order, the last of them end. The
 * caller frees it.
 */
uint64_t *truth_cuts(
	const struct world *world, uint64_t begin_ns, uint64_t end_ns, size_t *out_count);
