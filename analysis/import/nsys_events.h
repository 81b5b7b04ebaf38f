/* SPDX-License-Identifier: MIT */
/*
 * Where CUDA events were recorded: a stream that waits for one waits for that stream. The pairing
 * is by eventSyncId, which counts recordings; the id of an event is used again and again.
 */
#pragma once

#include "analysis/import/nsys_database.h"

struct nsys_events;

/* Borrows `database`; without the table nothing is known. */
MUST_CHECK enum status nsys_events_create(
	struct nsys_database *database, struct nsys_events **out_events);
/* Accepts NULL. */
void nsys_events_destroy(struct nsys_events *events);

/* The stream of a recording, 0 when it is not known. */
uint32_t nsys_events_stream(struct nsys_events *events, int64_t sync_id, int64_t process);
