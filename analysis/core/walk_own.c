/* SPDX-License-Identifier: MIT */
#include "analysis/core/walk_own.h"

/*
 * Ranges that last less than this share of a gap are not named in it: some record every function,
 * and a gap of a second would fall into a hundred thousand parts that nobody reads.
 */
#define GAP_SHARE 64

static bool is_long_enough(const struct walk_activity *range, uint64_t least_ns)
{
	return range->end_ns == WALK_OPEN || range->end_ns - range->begin_ns >= least_ns;
}

/* The innermost range at y that is worth naming; the outermost when none is; NULL for none. */
static const struct walk_activity *named_range(
	const struct walk_activity *activity, uint64_t least_ns, uint64_t y_ns)
{
	const struct walk_activity *range = activity;

	while (activity && !is_long_enough(activity, least_ns)) {
		activity = walk_activity_outer(activity, y_ns);
		range = activity ? activity : range;
	}
	return range;
}

/* The one that the program itself named; `range` when a library named them all. */
static const struct walk_activity *program_range(const struct walk_activity *range, uint64_t y_ns)
{
	const struct walk_activity *outer = range;

	while (outer && walk_range_is_library(outer->name)) {
		outer = walk_activity_outer(outer, y_ns);
	}
	return outer ? outer : range;
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

/* Of several files one begins first; of the processes of the others nothing is known as yet. */
static bool is_before_capture(
	const struct walk_explanation *explanation, const struct walk_charge *charge, uint64_t y_ns)
{
	return charge->holder &&
	       y_ns <= walk_imports_begin_ns(&explanation->walk->imports, charge->holder->pid);
}

void walk_own_refine(const struct walk_explanation *explanation, const struct walk_piece *piece,
	uint64_t y_ns, struct walk_charge *charge)
{
	const struct gap *gap = explanation->gap;
	const struct walk_activity *range =
		named_range(piece->activity, (gap->end_ns - gap->begin_ns) / GAP_SHARE, y_ns);
	const struct walk_activity *program = program_range(range, y_ns);

	charge->is_own_code = true;
	if (range) {
		charge->cause = range->cause;
		charge->name = range->name;
		charge->object = program->name;
	}
	if (piece->os) {
		refine_os(piece->os, program, charge);
	} else if (!range && is_before_capture(explanation, charge, y_ns)) {
		charge->is_unknown = true;
		charge->name = "before the capture";
	}
}
