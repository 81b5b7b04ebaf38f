/* SPDX-License-Identifier: MIT */
/*
 * The union of one device's operations, over streams, contexts and processes, found in one sweep
 * along time. Operations may come in any order as long as each comes before the sweep passes its
 * start; whatever comes later than that is counted, and cannot take back a gap already told.
 */
#pragma once

#include "trace/base/cleanup.h"
#include "trace/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is looked at: kernels alone, or anything (kernels, copies, sets). */
enum sweep_layer {
	SWEEP_KERNEL,
	SWEEP_ANYTHING,
	SWEEP_LAYER_COUNT
};

struct operation {
	uint64_t start_ns;
	uint64_t end_ns;
	uint64_t correlation;
	int32_t pid;
	uint32_t context;
	uint32_t stream;
	uint32_t graph;
	bool is_kernel;
};

/* A stretch without operations. Before the first one begin is 0, after the last end is the maximum.
 */
struct sweep_gap {
	enum sweep_layer layer;
	uint64_t begin_ns;
	uint64_t end_ns;
	const struct operation *ender; /* NULL after the last */
};

struct sweep_listener {
	void *context;
	enum status (*gap)(void *context, const struct sweep_gap *gap);
	/* Every covered instant is told once for each layer, in order of time. */
	enum status (*covered)(
		void *context, enum sweep_layer layer, uint64_t begin_ns, uint64_t end_ns);
};

struct sweep_track {
	bool has_begun;
	uint64_t run_begin_ns; /* where the last gap ended */
	uint64_t cover_end_ns;
	uint64_t covered_ns;
};

/* Operations in an array that grows; the places before `first` are free. */
struct sweep_list {
	struct operation *operations;
	size_t first;
	size_t count;
	size_t capacity;
};

struct sweep {
	struct sweep_list in_order; /* each came after its predecessor's start: most do */
	struct sweep_list early;    /* a heap of the others, the earliest start first */
	struct sweep_track tracks[SWEEP_LAYER_COUNT];
	uint64_t first_start_ns;
	uint64_t last_end_ns;
	uint64_t longest_ns;
	uint64_t operation_count;
	uint64_t kernel_count;
	uint64_t late_count; /* operations that reached into a gap already told */
	uint64_t late_ns;    /* how much of those gaps they would have covered */
};

void sweep_init(struct sweep *sweep);

/* Takes note of an operation. One of length zero ends a gap where it ran, and covers nothing. */
MUST_CHECK enum status sweep_add(struct sweep *sweep, const struct operation *operation);

/* How many operations wait to be told, and the start of the first of them. */
size_t sweep_pending_count(const struct sweep *sweep);
uint64_t sweep_pending_start_ns(const struct sweep *sweep);

/* Tells everything up to `until_ns`: no operation that starts before it is to come. */
MUST_CHECK enum status sweep_advance(
	struct sweep *sweep, uint64_t until_ns, const struct sweep_listener *listener);

/* Tells the rest, the stretches after the last operation included. */
MUST_CHECK enum status sweep_end(struct sweep *sweep, const struct sweep_listener *listener);

/* Moves all that is pending in `from` into `into`; nothing of `from` may have been told yet. */
MUST_CHECK enum status sweep_merge(struct sweep *into, struct sweep *from);

void sweep_finish(struct sweep *sweep);
