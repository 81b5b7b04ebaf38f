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
#include "trace/lttng/gpu_events.h"
#include "trace/lttng/host_events.h"

/* A load and a branch. */
#define WANTED(event)     lttng_ust_tracepoint_enabled(gaptrace, event)
#define WANTED_GPU(event) lttng_ust_tracepoint_enabled(gaptrace_gpu, event)

#define EMIT(event, ...)     lttng_ust_do_tracepoint(gaptrace, event, __VA_ARGS__)
#define EMIT_GPU(event, ...) lttng_ust_do_tracepoint(gaptrace_gpu, event, __VA_ARGS__)
