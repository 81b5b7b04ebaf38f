/* SPDX-License-Identifier: MIT */
/*
 * The log has two clocks: TIMELINE counts milliseconds since the engine began, tracing lines are
 * UTC. Pairs of lines are written about the same moment: a partition that was queued for the GPU,
 * one whose proof is complete, and a job in one piece that a worker starts. The smallest difference
 * of ten minutes' pairs is what lies between the clocks then. UTC may be slewed between, or set:
 * ten minutes in which pairs of the first or last kind disagree have no difference.
 */
#pragma once

#include "analysis/import/cuzk_timeline.h"
#include "analysis/import/cuzk_tracing.h"
#include "trace/base/cleanup.h"
#include "trace/base/status.h"

#include <stdbool.h>
#include <stdint.h>

struct cuzk_clock;

MUST_CHECK enum status cuzk_clock_create(struct cuzk_clock **out_clock);

/* Every line of the log, in any order. */
MUST_CHECK enum status cuzk_clock_add_timeline(
	struct cuzk_clock *clock, const struct cuzk_timeline *timeline);
MUST_CHECK enum status cuzk_clock_add_tracing(
	struct cuzk_clock *clock, const struct cuzk_tracing *tracing);

/* The engine began anew: what its lines told before is of another clock. */
void cuzk_clock_restart(struct cuzk_clock *clock);

/* How many pairs were found. */
uint64_t cuzk_clock_pair_count(const struct cuzk_clock *clock);

/* Whether the pairs tell of two clocks by turns: the log is of several daemons. */
bool cuzk_clock_takes_turns(const struct cuzk_clock *clock);

/*
 * The time since the engine began; false when no pair was found, UTC was set then, or it is before
 * the beginning.
 */
bool cuzk_clock_time(const struct cuzk_clock *clock, uint64_t utc_ns, uint64_t *out_time_ns);

/* Whether UTC was set about then. */
bool cuzk_clock_is_set(const struct cuzk_clock *clock, uint64_t utc_ns);

/* When the engine began, since 1970; false when no pair was found. */
bool cuzk_clock_epoch(const struct cuzk_clock *clock, uint64_t *out_epoch_ns);

/* Accepts NULL. */
void cuzk_clock_destroy(struct cuzk_clock *clock);
DEFINE_AUTO(struct cuzk_clock, cuzk_clock_destroy)
