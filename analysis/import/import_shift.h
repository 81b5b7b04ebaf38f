/* SPDX-License-Identifier: MIT */
/* Files of one job count from different beginnings; their events are told on one clock. */
#pragma once

#include "analysis/core/event.h"

/* Moves every time of the event, its own and those of its fields; one that would wrap ends at the
 * largest. */
void import_shift_event(struct event *event, uint64_t shift_ns);
