/* SPDX-License-Identifier: MIT */
/*
 * Inside of the walk: writes down whom an interval of a gap is charged to. The walk goes back in
 * time, so intervals come latest first, each ending where the one before it began; those with the
 * same charge become one part.
 */
#pragma once

#include "analysis/core/walk_state.h"

/* Parts of one gap. More than anybody reads; the rest of the gap is then "too many parts". */
#define WALK_PART_COUNT_MAX 20000

/* One wait on the chain from the feeder to whoever is to blame. */
struct walk_link {
	enum gap_via_kind kind;
	const char *object;
	bool has_cause; /* it gives the part its cause, unless one further in does */
	enum cause cause;
	const struct walk_lane *lane; /* the thread that waited; NULL: a task that was queued */
	struct event_work work;
	/* Of a queue: */
	int32_t pid;
	int32_t queue_device;
	bool has_submit;
	uint64_t submit_ns; /* when the popped item's job was submitted */
	bool is_way_in;     /* by the item's pusher itself */
};

/* Whom the end of the chain charges. */
struct walk_charge {
	enum cause cause;
	const char *name;                 /* of the span, call, copy; the reason of an unknown */
	const char *object;               /* what of, when that is another word; NULL */
	const struct walk_lane *holder;   /* who ran; NULL: nobody */
	const struct walk_lane *runnable; /* whose time on a CPU is asked of the scheduler */
	const struct walk_activity *activity; /* what it was in, for the job and the run delay */
	uint64_t bytes;                       /* of a copy */
	uint64_t copy_ns; /* how long it took: a part gets its share of the bytes */
	bool is_untraced; /* it ran, and nothing says what */
	bool is_unknown;  /* whatever the chain says */
	bool is_own_code; /* what it did off its CPU is not known: of imported traces */
};

struct walk_explanation {
	struct walk *walk;
	const struct gap *gap;
	struct gap_part_list *list;
	const struct walk_lane *feeder;
	struct walk_link links[GAP_VIA_MAX];
	uint32_t link_count;
	uint64_t step_count;
	struct gap_part pending;
	const struct walk_activity *pending_delay; /* whose run delay is split off */
	bool has_pending;
	enum status status;
};

/* No wait on the chain that gives a cause, and no lock of the driver: what the feeder's thread did,
 * or those did whose work it only waited for. */
bool walk_explanation_is_own(const struct walk_explanation *explanation);

/* Charges [from, to). Nothing when it is empty. */
void walk_charge(struct walk_explanation *explanation, uint64_t from_ns, uint64_t to_ns,
	const struct walk_charge *charge);

/* The same for an unknown. */
void walk_charge_unknown(
	struct walk_explanation *explanation, uint64_t from_ns, uint64_t to_ns, const char *reason);

/* Puts the parts in order of time, and takes out what touches an untrusted interval. */
void walk_charge_conclude(struct walk_explanation *explanation);
