/* SPDX-License-Identifier: MIT */
/*
 * Inside of the walk: the device's side of a gap. What a call is charged to, and what lay between
 * the call and the start of what it issued. Rules 2 and 3.
 */
#pragma once

#include "analysis/core/walk_chain.h"

/* Charges a stretch that `lane` spent in `call`; the rest of `charge` is filled in. */
void walk_engine_charge_call(struct walk_explanation *explanation, const struct walk_lane *lane,
	const struct walk_call *call, struct walk_stretch stretch, struct walk_charge *charge);

/* From the end of the call to the start of the operation that ended the gap. */
void walk_engine_charge_after(struct walk_explanation *explanation, const struct walk_call *call,
	uint64_t from_ns, uint64_t to_ns);
