/* SPDX-License-Identifier: MIT */
/* Inside of the walk: counts what a recording has to show, event by event. */
#pragma once

#include "analysis/core/walk.h"

struct walk_witness {
	struct walk_evidence evidence;
	uint64_t live_counts[WALK_BUFFER_KINDS]; /* now, of the last process that told */
	bool has_calls;                          /* calls of devices are recorded */
	uint64_t stride;                         /* a sample is taken at every so many job ends */
};

void walk_witness_add(struct walk_witness *witness, const struct event *event);
