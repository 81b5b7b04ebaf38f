/* SPDX-License-Identifier: MIT */
/*
 * A set of instants as sorted, disjoint half-open intervals [begin, end) in nanoseconds. Touching
 * intervals merge; an empty interval adds nothing. The caller owns the struct and finishes it.
 */
#pragma once

#include "trace/base/cleanup.h"
#include "trace/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct interval {
	uint64_t begin_ns;
	uint64_t end_ns;
};

struct interval_set {
	struct interval *intervals;
	size_t count;
	size_t capacity;
};

void interval_set_init(struct interval_set *set);

/* Adds [begin, end). Cheap when intervals come in order of time. */
MUST_CHECK enum status interval_set_add(
	struct interval_set *set, uint64_t begin_ns, uint64_t end_ns);

/* The summed length. */
uint64_t interval_set_total_ns(const struct interval_set *set);

void interval_set_finish(struct interval_set *set);
