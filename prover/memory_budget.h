/* SPDX-License-Identifier: MIT */
/*
 * Memory that keys and partitions reserve before they use it. Who waits is served first come,
 * first served, and is granted by the thread whose release made room, under the lock: no wake-up
 * can fall between a refusal and the wait for the next release. Any thread may call.
 */
#pragma once

#include "gaptrace/gaptrace.h"
#include "trace/base/cleanup.h"
#include "trace/base/status.h"

#include <stdbool.h>
#include <stdint.h>

struct memory_budget_waiter;

struct memory_budget {
	struct gaptrace_mutex mutex; /* guards all below */
	uint64_t limit_bytes;
	uint64_t used_bytes;
	uint64_t peak_bytes;
	uint64_t wait_ns;       /* of all reservations together, a truth apart from the trace */
	uint64_t reserve_count; /* granted */
	uint64_t release_count;
	uint32_t waiting_count;
	struct memory_budget_waiter *first;
	struct memory_budget_waiter *last;
	bool is_stopped;
};

MUST_CHECK enum status memory_budget_init(struct memory_budget *budget, uint64_t limit_bytes);

/* Nothing may be reserved any more, nobody may wait. */
void memory_budget_finish(struct memory_budget *budget);

/*
 * Blocks until `bytes` fit and all who came earlier have theirs. TOO_LARGE when they can never
 * fit; STOPPED once the budget is stopped.
 */
MUST_CHECK enum status memory_budget_reserve(
	struct memory_budget *budget, uint64_t bytes, struct gaptrace_work work);

/* Gives back part or all of what was reserved. Zero bytes is nothing. */
void memory_budget_release(struct memory_budget *budget, uint64_t bytes, struct gaptrace_work work);

/* Those who wait, and those who come, get STOPPED; releases go on. */
void memory_budget_stop(struct memory_budget *budget);

struct memory_budget_counts {
	uint64_t limit_bytes;
	uint64_t used_bytes;
	uint64_t peak_bytes;
	uint64_t wait_ns;
	uint64_t reserve_count;
	uint64_t release_count;
	uint32_t waiting_count;
};

struct memory_budget_counts memory_budget_counts(struct memory_budget *budget);
