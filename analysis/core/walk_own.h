/* SPDX-License-Identifier: MIT */
/*
 * Inside of the walk: what a thread of an imported trace did by itself, where nothing but ranges,
 * calls of the system and the scheduler tells. See "Imported traces" in docs/causes.md.
 */
#pragma once

#include "analysis/core/walk_piece.h"

/* Fills in the charge of a piece that is in no call of the device, as seen from y. */
void walk_own_refine(const struct walk_explanation *explanation, const struct walk_piece *piece,
	uint64_t y_ns, struct walk_charge *charge);
