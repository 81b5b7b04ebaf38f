/* SPDX-License-Identifier: MIT */
/*
 * Memory that keys and partitions reserve before they use it. Who waits is served first come,
 * first served, partitions before keys: a key that waited in front of the partitions which must
 * end to make room for it would wait for ever. The thread whose release made room grants it,
 * under the lock: no wake-up can fall between a refusal and the wait for the next release.
 */
#pragma once

#include "gaptrace/gaptrace.h"
#include "trace/base/cleanup.h"
#include "trace/base/status.h"

#include <stdbool.h>
#include <stdint.h>

struct memory_budget_waiter;

enum memory_budget_class {
	MEMORY_BUDGET_PARTITION,
	MEMORY_BUDGET_KEY,
	MEMORY_BUDGET_CLASS_COUNT
};

/* Who waits, by age. */
struct memory_budget_line {
	struct memory_budget_waiter *first;
	struct memory_budget_waiter *last;
};

struct memory_budget {
	struct gaptrace_mutex mutex; /* guards all below */
	uint64_t limit_bytes;
	uint64_t used_bytes;
	uint64_t peak_bytes;
	uint64_t wait_ns;       /* of all reservations together, a truth apart from the trace */
	uint64_t reserve_count; /* granted */
	uint64_t release_count;
	uint32_t waiting_count;
	struct memory_budget_line lines[MEMORY_BUDGET_CLASS_COUNT];
	bool is_stopped;
};

MUST_CHECK enum status memory_budget_init(struct memory_budget *budget, uint64_t limit_bytes);

/* Nothing may be reserved any more, nobody may wait. */
void memory_budget_finish(struct memory_budget *budget);

/*
 * Blocks until `bytes` fit and all who go before have theirs. TOO_LARGE when they can never fit;
 * STOPPED once the budget is stopped.
 */
MUST_CHECK enum status memory_budget_reserve(struct memory_budget *budget,
	enum memory_budget_class class, uint64_t bytes, struct gaptrace_work work);

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
