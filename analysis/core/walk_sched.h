/* SPDX-License-Identifier: MIT */
/* When threads could have run and did not: exact, from the scheduler's events of a kernel trace. */
#pragma once

#include "analysis/core/walk_map.h"
#include "analysis/core/walk_ring.h"
#include "analysis/core/walk_slab.h"

/* Why a thread left its CPU. */
enum walk_sched_state {
	WALK_SCHED_RUNNABLE, /* it was pushed off it */
	WALK_SCHED_BLOCKED,
	WALK_SCHED_AWAY, /* nothing says why */
};

struct walk_scheds {
	bool keeps_blocked; /* when it was off its CPU by its own will, too: of imported traces */
	struct walk_map by_tid;
	struct walk_slab slab;
	size_t stretch_count;    /* kept, of all threads */
	uint64_t doubt_until_ns; /* events are missing up to then */
};

void walk_scheds_init(struct walk_scheds *scheds);
void walk_scheds_finish(struct walk_scheds *scheds);

MUST_CHECK enum status walk_scheds_leave(
	struct walk_scheds *scheds, int32_t tid, uint64_t time_ns, enum walk_sched_state state);
MUST_CHECK enum status walk_scheds_wake(struct walk_scheds *scheds, int32_t tid, uint64_t time_ns);
MUST_CHECK enum status walk_scheds_run(struct walk_scheds *scheds, int32_t tid, uint64_t time_ns);

/* True when the scheduler's events cover the thread at y; raises *from_ns to where they begin. */
bool walk_scheds_knows(
	const struct walk_scheds *scheds, int32_t tid, uint64_t y_ns, uint64_t *from_ns);

/* True when it waited for a CPU at y; raises *from_ns to where that answer begins. */
bool walk_scheds_starved_at(
	const struct walk_scheds *scheds, int32_t tid, uint64_t y_ns, uint64_t *from_ns);

/* Events are missing up to then: where threads are must be told anew. */
void walk_scheds_doubt(struct walk_scheds *scheds, uint64_t end_ns);

/* When it was last told before y where the thread is. */
uint64_t walk_scheds_known_at(const struct walk_scheds *scheds, int32_t tid, uint64_t y_ns);

/* Why it was off its CPU at y and could not run, NULL when it was not; raises *from_ns likewise. */
const char *walk_scheds_off_at(
	const struct walk_scheds *scheds, int32_t tid, uint64_t y_ns, uint64_t *from_ns);

void walk_scheds_sweep(struct walk_scheds *scheds, uint64_t forget_ns);
