/* SPDX-License-Identifier: MIT */
/*
 * The trace points as the library uses them: hidden in it, and without a link to LTTng. The
 * provider that records them is another library, loaded at run time (provider.c).
 */
#pragma once

/* LTTng's macros are not pedantic-clean where they are expanded. */
#pragma GCC diagnostic ignored "-Wpedantic"

#define LTTNG_UST_TRACEPOINT_PROBE_DYNAMIC_LINKAGE
#define LTTNG_UST_TRACEPOINT_HIDDEN_DEFINITION
#include "trace/emit/host_guard.h"
#include "trace/lttng/gpu_events.h"
#include "trace/lttng/host_events.h"

/* A load and a branch. */
#define WANTED(event)     lttng_ust_tracepoint_enabled(gaptrace, event)
#define WANTED_GPU(event) lttng_ust_tracepoint_enabled(gaptrace_gpu, event)

/* LTTng writes to a pipe whenever a sub-buffer is full. */
#define EMIT(event, ...)     EMIT_GUARDED(gaptrace, event, __VA_ARGS__)
#define EMIT_GPU(event, ...) EMIT_GUARDED(gaptrace_gpu, event, __VA_ARGS__)

#define EMIT_GUARDED(provider, event, ...)                                                         \
	do {                                                                                       \
		struct host_guard guard_ = host_guard_begin();                                     \
		lttng_ust_do_tracepoint(provider, event, __VA_ARGS__);                             \
		host_guard_end(&guard_);                                                           \
	} while (0)
