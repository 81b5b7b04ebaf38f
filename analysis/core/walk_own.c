/* SPDX-License-Identifier: MIT */
#include "analysis/core/walk_own.h"

/* The innermost range that the program itself named; NULL when a library named them all. */
static const struct walk_activity *program_range(
	const struct walk_activity *activity, uint64_t y_ns)
{
	while (activity && walk_range_is_library(activity->name)) {
		activity = walk_activity_outer(activity, y_ns);
	}
	return activity;
}

/* A thread in a call of the system: the call is what it did, the range what for. */
static void refine_os(const struct walk_os_call *os, const struct walk_activity *range,
	struct walk_charge *charge)
{
	charge->is_untraced = false;
	charge->is_own_code = false;
	charge->object = range ? range->name : os->name;
	charge->name = os->name;
	switch (walk_os_nature(os->name)) {
	case WALK_OS_SLEEPS:
		charge->cause = CAUSE_PACING;
		charge->object = os->name;
		charge->name = range ? range->name : "sleep";
		charge->runnable = NULL;
		break;
	case WALK_OS_BLOCKS:
		charge->is_unknown = true;
		charge->object = os->name;
		charge->name = "no waker";
		break;
	case WALK_OS_ALLOCS:
		charge->cause = CAUSE_ALLOC;
		break;
	case WALK_OS_FREES:
		charge->cause = CAUSE_FREE;
		break;
	case WALK_OS_RUNS:
		break;
	}
}

void walk_own_refine(const struct walk_piece *piece, uint64_t y_ns, struct walk_charge *charge)
{
	const struct walk_activity *range = program_range(piece->activity, y_ns);

	charge->is_own_code = true;
	range = range ? range : piece->activity;
	if (piece->os) {
		refine_os(piece->os, range, charge);
	} else if (range) {
		charge->object = range->name;
	}
}
