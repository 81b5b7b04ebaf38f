/* SPDX-License-Identifier: MIT */
/*
 * Calls of the device API, by the thread that made them and by correlation. A call and what it
 * issued come in any order: whichever is first waits for the other.
 */
#pragma once

#include "analysis/core/walk_lane.h"

/* Calls kept by correlation: a command buffer holds a thousand launches, and there are 64 devices.
 */
#define WALK_CALL_COUNT_MAX 131072

/* A launch waits this long for a record of its operation, then it is not expected any more. */
#define WALK_CALL_KEEP_NS 30000000000ULL

enum walk_call_category {
	WALK_CALL_OTHER, /* charged to the driver */
	WALK_CALL_LAUNCH,
	WALK_CALL_COPY,
	WALK_CALL_ALLOC,
	WALK_CALL_FREE,
	WALK_CALL_SYNC,
	WALK_CALL_OVERHEAD, /* not a call: what the recorder says went on in one */
};

struct walk_copy {
	uint64_t bytes;
	const char *label; /* htod and so on */
	bool is_pageable;
};

struct walk_call {
	uint64_t start_ns;
	uint64_t end_ns;
	const char *name;
	int32_t pid;
	struct walk_lane_reference lane;
	uint64_t correlation;
	enum walk_call_category category;
	bool has_record; /* false: only what it issued is known */
	bool is_in_lane;
	bool is_in_map;
	uint64_t operation_count;
	uint64_t unjoined_count;  /* kernels that came before the call's record */
	uint64_t outside_count;   /* of those, what seemed to be issued before the recording */
	uint64_t first_start_ns;  /* of what it issued */
	uint64_t first_kernel_ns; /* the same of its kernels; UINT64_MAX: none */
	uint64_t last_end_ns;
	bool has_copy;
	struct walk_copy copy;
	bool has_sync;
	int32_t sync_device;
	uint32_t sync_context;
	uint32_t sync_stream; /* of an event, where it was recorded; 0: not known */
	enum gaptrace_sync_kind sync_kind;
};

/* The least number of all calls that began while it was recorded: numbers grow. */
struct walk_call_first {
	uint64_t correlation;
};

struct walk_calls {
	bool keeps_first; /* of several calls of one number the earliest issued the operation */
	struct walk_slab slab;
	struct walk_map by_correlation;
	struct walk_ring arrivals; /* struct walk_call *, those in the map */
	struct walk_map first;     /* struct walk_call_first of each process */
	struct walk_slab firsts;
};

void walk_calls_init(struct walk_calls *calls);
void walk_calls_finish(struct walk_calls *calls);

/* Of a name that was kept. */
enum walk_call_category walk_call_category(const char *name);

/* Takes in the record of a call by the thread of `lane`; gives it, or NULL without memory. */
struct walk_call *walk_calls_add(
	struct walk_calls *calls, struct walk_lane *lane, const struct walk_call *record);

/* What is known of a correlation, made when there is nothing; NULL without memory. */
struct walk_call *walk_calls_get(struct walk_calls *calls, int32_t pid, uint64_t correlation);

/* NULL when there is no record of the call itself. */
const struct walk_call *walk_calls_find(
	const struct walk_calls *calls, int32_t pid, uint64_t correlation);

/* A call of that number began while it was recorded: what has a lower one was issued before; of one
 * that began earlier the number is UINT64_MAX. */
MUST_CHECK enum status walk_calls_note_first(
	struct walk_calls *calls, int32_t pid, uint64_t correlation);

/* True when the process's calls are recorded, and that one was made before the first of them. */
bool walk_calls_began_after(const struct walk_calls *calls, int32_t pid, uint64_t correlation);

/* The innermost call of a lane at y, NULL when it was in none. */
const struct walk_call *walk_calls_at(const struct walk_lane *lane, uint64_t y_ns);

/* The latest end of a call before y, 0 when there is none. */
uint64_t walk_calls_end_before(const struct walk_lane *lane, uint64_t y_ns);

/* Drops what nobody can ask for any more; of those by correlation, so many at most. */
void walk_calls_prune_lane(struct walk_calls *calls, struct walk_lane *lane, uint64_t forget_ns);
void walk_calls_prune(struct walk_calls *calls, uint64_t forget_ns, size_t count_max);
