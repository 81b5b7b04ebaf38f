/* SPDX-License-Identifier: MIT */
/*
 * A gap: a maximal stretch of one device without a kernel (or without anything), and the parts it
 * is charged to. Plain values; strings are interned by the walk and live as long as it does.
 */
#pragma once

#include "analysis/core/causes.h"

#include <stdbool.h>
#include <stdint.h>

/* Which end of the window a gap touches, if any. */
enum gap_edge {
	GAP_INNER,        /* an operation before it and one after it */
	GAP_BEFORE_FIRST, /* window begin to the device's first operation */
	GAP_AFTER_LAST,   /* the device's last operation to the window's end */
	GAP_SILENT,       /* the device never ran anything: the whole window */
};

/* The operation that ended a gap, as far as the trace says; meaningful when has_ender. */
struct gap_ender {
	int32_t pid;
	uint32_t context;
	uint32_t stream;
	uint64_t correlation;
	uint64_t start_ns;
	uint32_t graph;
};

struct gap {
	uint32_t device; /* index in the timeline's device table, not the ordinal of a process */
	uint64_t begin_ns;
	uint64_t end_ns;
	enum gap_edge edge;
	bool has_ender;
	struct gap_ender ender;
};

/* How deep a blame chain may go (design rule 10). Real chains seen are at most 5 deep. */
#define GAP_VIA_MAX 32

/* clang-format off */
/* What was waited for on the way: X(constant, name in reports). */
#define GAP_VIA_TABLE(X)                       \
	X(LOCK,         "lock")                \
	X(QUEUE,        "queue")               \
	X(POOL,         "pool")                \
	X(BARRIER,      "barrier")             \
	X(JOIN,         "join")                \
	X(CONDITION,    "condition")           \
	X(BUDGET,       "budget")              \
	X(PACER,        "pacer")               \
	X(SLEEP,        "sleep")               \
	X(BACKPRESSURE, "backpressure")        \
	X(INSIDE,       "inside") /* the holder of the GPU's mutex waited with it in hand */
/* clang-format on */

#define GAP_VIA_ENUM(constant, name) GAP_VIA_##constant,
enum gap_via_kind {
	GAP_VIA_TABLE(GAP_VIA_ENUM) GAP_VIA_KIND_COUNT
};
#undef GAP_VIA_ENUM

/* The name in reports, valid for ever. */
const char *gap_via_kind_name(enum gap_via_kind kind);

/*
 * One wait on the way from the feeder to whoever was to blame. The wait that gave the part its
 * cause and object is not repeated among them.
 */
struct gap_via {
	enum gap_via_kind kind;
	const char *object; /* lock, queue, pool or object name */
};

/* [from, to) of a gap, charged to one cause. Parts are disjoint, in order, and sum to the gap. */
struct gap_part {
	uint64_t from_ns;
	uint64_t to_ns;
	enum cause cause;
	const char *object; /* what the innermost wait was on, or the copy, call or span; "" if
			       nothing */
	const char *phase;  /* what was going on at the end of the chain; for unknown: the reason */
	int32_t thread_tid; /* the feeder, 0 when not known */
	int32_t holder_tid; /* who was at the end of the chain, 0 when nobody */
	uint64_t job;       /* 0: none */
	int32_t partition;  /* -1: none */
	uint64_t bytes;     /* of a copy, for the achieved rate */
	bool is_apportioned; /* a share by run delay, not an exact interval */
	uint32_t via_count;
	struct gap_via via[GAP_VIA_MAX];
};

/* Whether both are charged to the same, on the same way; whatever their times, jobs and bytes. */
bool gap_part_reads_same(const struct gap_part *a, const struct gap_part *b);
