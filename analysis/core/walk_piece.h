/* SPDX-License-Identifier: MIT */
/* Inside of the walk: what a thread was in at one instant, and since when. Rule 4. */
#pragma once

#include "analysis/core/walk_charge.h"

struct walk_piece {
	uint64_t from_ns;
	const struct walk_activity *activity; /* innermost; NULL: nothing recorded */
	const struct walk_call *call;         /* set when it is further in than the activity */
	const struct walk_os_call *os;        /* likewise; not inside a call */
	const struct walk_activity *wait;     /* to be followed, around all of it */
	bool is_handover; /* the act that ended its wait is done, and it has not gone on yet */
};

/* What the lane did at y. */
struct walk_piece walk_piece_at(
	const struct walk_explanation *explanation, const struct walk_lane *lane, uint64_t y_ns);
