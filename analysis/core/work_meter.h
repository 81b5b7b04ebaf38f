/* SPDX-License-Identifier: MIT */
/*
 * Counts the work that the window saw, and cuts blocks where it ends: partitions as the window
 * counts them, other units where they ended inside the window.
 */
#pragma once

#include "analysis/core/blocks.h"
#include "analysis/core/window.h"
#include "analysis/core/work_unit.h"

/* All zero counts partitions. */
struct work_meter {
	struct work_unit unit;
	bool has_begun; /* the window had, when work was counted last */
	uint64_t partitions_done;
	uint64_t partitions_finished;
	/* Ended while no job was outstanding: of the window only if another job follows. */
	uint64_t held;
	uint64_t held_until_ns;
};

/* After `window` took the event. */
MUST_CHECK enum status work_meter_add(struct work_meter *meter, const struct event *event,
	const struct window *window, struct blocks *blocks);

/* The recording ended. */
MUST_CHECK enum status work_meter_end(
	struct work_meter *meter, const struct window *window, struct blocks *blocks);
