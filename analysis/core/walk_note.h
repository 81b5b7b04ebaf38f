/* SPDX-License-Identifier: MIT */
/* Inside of the walk: begins and ends of activities on the lanes of the threads that tell them. */
#pragma once

#include "analysis/core/walk_state.h"

/* The lane of the thread that recorded the event; NULL when there is no memory. */
struct walk_lane *walk_note_lane(struct walk *walk, const struct event *event);

/* When something that ends now began; 0 when that is not known: before all that was recorded. */
uint64_t walk_note_begin_ns(const struct event *event, uint64_t duration_ns);

/* The open activity that `wanted` describes by kind and identity; NULL for none. */
struct walk_activity *walk_note_find(
	const struct walk_lane *lane, const struct walk_activity *wanted);

/* Opens `activity` now. */
MUST_CHECK enum status walk_note_begin(struct walk *walk, struct walk_lane *lane,
	struct walk_activity *activity, const struct event *event);

/* Ends the open activity that `ended` describes, or takes it in whole when its begin is missing. */
MUST_CHECK enum status walk_note_end(struct walk *walk, struct walk_lane *lane,
	struct walk_activity *ended, const struct event *event, uint64_t duration_ns);

/* A thread that goes on has left every wait: the ends of those inside `outer` were lost. */
MUST_CHECK enum status walk_note_stale_waits(struct walk *walk, struct walk_lane *lane,
	const struct walk_activity *outer, uint64_t now_ns);
