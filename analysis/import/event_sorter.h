/* SPDX-License-Identifier: MIT */
/*
 * Puts any number of events into order of time with bounded memory: what does not fit goes, in
 * sorted runs, into an unlinked file in TMPDIR, and the runs are merged when the events are taken.
 * Names are kept once each, as the engine keeps them (walk_names.h). Add, finish, then take.
 */
#pragma once

#include "analysis/core/event.h"
#include "trace/base/cleanup.h"
#include "trace/base/diag.h"
#include "trace/base/status.h"

#include <stddef.h>

struct event_sorter;

/* A sorter that holds about `memory_bytes` of events at a time, names not counted. */
MUST_CHECK enum status event_sorter_create(size_t memory_bytes, struct event_sorter **out_sorter);

/*
 * Copies the fields of the event that event_fields.h knows. Of events of one time the one with the
 * lower `order` is first, then the one that was added first. NO_SPACE, with the folder in the diag,
 * when the disk is full.
 */
MUST_CHECK enum status event_sorter_add(
	struct event_sorter *sorter, const struct event *event, uint64_t order, struct diag *diag);

/* Nothing is added from here on. */
MUST_CHECK enum status event_sorter_finish(struct event_sorter *sorter, struct diag *diag);

/* The next event; its names stay valid as long as the sorter. *out_has_event is false at the end.
 */
MUST_CHECK enum status event_sorter_next(struct event_sorter *sorter, struct event *out_event,
	uint64_t *out_order, bool *out_has_event, struct diag *diag);

/* How many runs went to the disk. */
size_t event_sorter_run_count(const struct event_sorter *sorter);

/* How many names became WALK_NAME_OTHER, since there were too many different ones. */
uint64_t event_sorter_refused_count(const struct event_sorter *sorter);

/* Accepts NULL. */
void event_sorter_destroy(struct event_sorter *sorter);
DEFINE_AUTO(struct event_sorter, event_sorter_destroy)
