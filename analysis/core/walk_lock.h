/* SPDX-License-Identifier: MIT */
/* Who held each lock when: readers and writers, as far back as somebody may ask. */
#pragma once

#include "analysis/core/walk_lane.h"

struct walk_hold {
	uint64_t release_ns; /* WALK_OPEN */
	uint64_t acquire_ns;
	struct walk_lane_reference lane;
	bool is_shared;
	bool is_released; /* false: somebody else has it now, but no release was seen */
};

struct walk_lock {
	int32_t pid;
	uint64_t id;
	struct walk_ring holds; /* struct walk_hold in order of release, at least the last one */
	struct walk_ring open;  /* struct walk_hold, in order of acquisition */
};

struct walk_locks {
	struct walk_map by_id;
	struct walk_slab slab;
	size_t hold_count; /* kept, of all locks */
};

/* How a lock changed hands. */
struct walk_lock_act {
	int32_t pid;
	uint64_t lock;
	struct walk_lane_reference lane;
	bool is_shared;
	uint64_t time_ns;
	uint64_t hold_ns; /* of a release: GAPTRACE_UNKNOWN when not known */
};

void walk_locks_init(struct walk_locks *locks);
void walk_locks_finish(struct walk_locks *locks);

MUST_CHECK enum status walk_locks_acquire(
	struct walk_locks *locks, const struct walk_lock_act *act);

/* Gives the time when the lock had been acquired, 0 when not known. */
MUST_CHECK enum status walk_locks_release(
	struct walk_locks *locks, const struct walk_lock_act *act, uint64_t *out_acquire_ns);

/* NULL when nothing is known of it. */
const struct walk_lock *walk_locks_find(const struct walk_locks *locks, int32_t pid, uint64_t id);

void walk_locks_sweep(struct walk_locks *locks, uint64_t forget_ns);
