/* SPDX-License-Identifier: MIT */
/*
 * Inside of the walk: follows a thread back in time, and whoever it waited for, and charges each
 * instant to the end of that chain. Rules 4 to 8 of docs/causes.md.
 */
#pragma once

#include "analysis/core/walk_charge.h"

/* Pieces looked at for one gap; what is left of a gap that needs more is "too many steps". */
#define WALK_STEP_COUNT_MAX 2000000

/* An interval that is explained by an act at its end or later. */
struct walk_stretch {
	uint64_t from_ns;
	uint64_t to_ns;
	uint64_t act_ns; /* where the thread is looked at first; not before to_ns */
};

/* Charges the stretch to what `lane` did in it, as the thread that acted at its end. */
void walk_chain_follow(struct walk_explanation *explanation, const struct walk_lane *lane,
	struct walk_stretch stretch);
