/* SPDX-License-Identifier: MIT */
/*
 * Inside of the walk: who fed the kernel that ended a gap, and the cut into what came before its
 * call, in it and after it. Rule 1.
 */
#pragma once

#include "analysis/core/walk_charge.h"

/* Charges [from, to) of the explanation's gap, or of what came before its end. */
void walk_feed_charge(struct walk_explanation *explanation, uint64_t from_ns, uint64_t to_ns);
