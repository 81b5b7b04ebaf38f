/* SPDX-License-Identifier: MIT */
/* What there is to say about a Kineto file before its first event, and after its last. */
#pragma once

#include "analysis/import/kineto_ranges.h"
#include "analysis/import/kineto_trace.h"

struct kineto_note {
	enum event_note_kind kind;
	uint64_t count;
	char text[NAME_BYTES_MAX];
};

/*
 * Writes note number `index` of those in front of the events, from 0; false when there are no more.
 * `clipped`: that many rows at time 0 are taken for rows whose time is not known.
 */
bool kineto_notes_before(const struct kineto_trace *trace, uint64_t clipped, uint32_t *index,
	struct kineto_note *out_note);

/* The same of those behind them. */
bool kineto_notes_after(
	const struct kineto_ranges *ranges, uint32_t *index, struct kineto_note *out_note);
