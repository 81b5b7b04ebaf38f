/* SPDX-License-Identifier: MIT */
/* The closed list of causes a part of a gap can be charged to: docs/causes.md has one heading each.
 */
#pragma once

/* clang-format off */
/* X(constant, name in reports, what it means, what helps: in a word, what docs/causes.md says) */
#define CAUSE_TABLE(X)                                                                             \
	X(NO_WORK, "no_work", "no job was waiting anywhere: idle by right",                        \
		"nothing is wrong with the prover: look at whoever sends it work")                 \
	X(SYNTHESIS, "synthesis", "the queue was empty because synthesis was not done",            \
		"more syntheses at once if cores and memory allow, or faster ones")                \
	X(PACING, "pacing", "the dispatcher slept",                                                \
		"raise the pacer's target depth, shorten its interval, or turn it off")            \
	X(BUDGET, "budget", "the dispatcher waited for memory",                                    \
		"a larger budget, smaller reservations, or an earlier release")                    \
	X(BACKPRESSURE, "backpressure", "a channel was full",                                      \
		"see what kept the consumer of the channel")                                       \
	X(LOCK, "lock", "blocked on a lock, for what its holder did",                              \
		"do it after the release of the lock, not under it")                               \
	X(GPU_MUTEX, "gpu_mutex", "the GPU's own mutex held without a kernel",                     \
		"take it out of the mutex: only kernels belong under it")                          \
	X(CPU_PHASE, "cpu_phase", "the feeder itself ran host work",                               \
		"another worker per GPU can hide it; else make it shorter")                        \
	X(POOL, "pool", "a task sat in a full thread pool",                                        \
		"a larger pool, or one of its own for what is short and urgent")                   \
	X(COPY_PAGEABLE, "copy_pageable", "a copy staged through pageable memory",                 \
		"pin the buffers once and reuse them")                                             \
	X(COPY_PINNED, "copy_pinned", "a copy bound by the link",                                  \
		"overlap it with kernels on another stream; a wider link")                         \
	X(ALLOC, "alloc", "pinned or device memory was being allocated",                           \
		"allocate once and reuse: a pool")                                                 \
	X(FREE, "free", "memory was being freed or unmapped",                                      \
		"let a background thread free it")                                                 \
	X(DRIVER, "driver", "module load, device-wide sync, full command buffer",                  \
		"see the call: synchronise streams, not devices; load modules at start")           \
	X(CPU_STARVED, "cpu_starved", "runnable but not running",                                  \
		"fewer threads, pinned cores, other hosts for other work")                         \
	X(SRS_LOAD, "srs_load", "the reference string was being read, decoded or pinned",          \
		"load it at start, and keep it")                                                   \
	X(IMBALANCE, "imbalance", "another GPU took the work, or work was pinned to it",           \
		"one queue for all GPUs, or work placed where the queue is shortest")              \
	X(DEVICE_DEPENDENCY, "device_dependency", "issued, waiting for another stream or device",  \
		"see what the other stream or device ran")                                         \
	X(LAUNCH, "launch", "issued, not started, nothing else in the way",                        \
		"launch latency, or a device busy with what is not recorded")                      \
	X(GRAPH_INTERNAL, "graph_internal", "between the nodes of one graph",                      \
		"nothing that the host does can fill it")                                          \
	X(UNKNOWN, "unknown", "the recording does not tell",                                       \
		"record more, or trace what is not")
/* clang-format on */

#define CAUSE_ENUM(constant, name, meaning, remedy) CAUSE_##constant,
enum cause {
	CAUSE_TABLE(CAUSE_ENUM) CAUSE_COUNT
};
#undef CAUSE_ENUM

/* The name in reports, valid for ever. */
const char *cause_name(enum cause cause);

/* One line of meaning, valid for ever. */
const char *cause_meaning(enum cause cause);

/* One line of what helps, valid for ever. */
const char *cause_remedy(enum cause cause);
