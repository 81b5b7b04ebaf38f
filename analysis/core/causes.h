/* SPDX-License-Identifier: MIT */
/* The closed list of causes a part of a gap can be charged to: docs/causes.md has one heading each.
 */
#pragma once

/* clang-format off */
/* X(constant, name in reports, what it means) */
#define CAUSE_TABLE(X)                                                                             \
	X(NO_WORK,           "no_work",           "no job was waiting anywhere: idle by right")    \
	X(SYNTHESIS,         "synthesis",         "the queue was empty because synthesis was not done") \
	X(PACING,            "pacing",            "the dispatcher slept")                          \
	X(BUDGET,            "budget",            "the dispatcher waited for memory")              \
	X(BACKPRESSURE,      "backpressure",      "a channel was full")                            \
	X(LOCK,              "lock",              "blocked on a lock, for what its holder did")    \
	X(GPU_MUTEX,         "gpu_mutex",         "the GPU's own mutex held without a kernel")     \
	X(CPU_PHASE,         "cpu_phase",         "the feeder itself ran host work")               \
	X(POOL,              "pool",              "a task sat in a full thread pool")              \
	X(COPY_PAGEABLE,     "copy_pageable",     "a copy staged through pageable memory")         \
	X(COPY_PINNED,       "copy_pinned",       "a copy bound by the link")                      \
	X(ALLOC,             "alloc",             "pinned or device memory was being allocated")   \
	X(FREE,              "free",              "memory was being freed or unmapped")            \
	X(DRIVER,            "driver",            "module load, device-wide sync, full command buffer") \
	X(CPU_STARVED,       "cpu_starved",       "runnable but not running")                      \
	X(SRS_LOAD,          "srs_load",          "the reference string was being read, decoded or pinned") \
	X(IMBALANCE,         "imbalance",         "another GPU took the work, or work was pinned to it") \
	X(DEVICE_DEPENDENCY, "device_dependency", "issued, waiting for another stream or device")  \
	X(LAUNCH,            "launch",            "issued, not started, nothing else in the way")  \
	X(GRAPH_INTERNAL,    "graph_internal",    "between the nodes of one graph")                \
	X(UNKNOWN,           "unknown",           "the recording does not tell")
/* clang-format on */

#define CAUSE_ENUM(constant, name, meaning) CAUSE_##constant,
enum cause {
	CAUSE_TABLE(CAUSE_ENUM) CAUSE_COUNT
};
#undef CAUSE_ENUM

/* The name in reports, valid for ever. */
const char *cause_name(enum cause cause);

/* One line of meaning, valid for ever. */
const char *cause_meaning(enum cause cause);
