/* SPDX-License-Identifier: MIT */
/* The one file that defines the trace points, and what concerns all of them. */
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "trace/emit/tracepoints.h"

bool gaptrace_is_on(void)
{
	return true;
}

/*
 * A child of fork has the parent's ring buffers, thread ids and locks of LTTng, and none of its
 * threads: what it emitted would stand under the parent's name, or wait for a lock that nobody
 * holds. LTTng's liblttng-ust-fork.so, where preloaded, registers the child anew after this.
 */
static void fork_child(void)
{
#define DISABLE(constant, name)     lttng_ust_tracepoint_gaptrace___##name.state = 0;
#define DISABLE_GPU(constant, name) lttng_ust_tracepoint_gaptrace_gpu___##name.state = 0;
	GAPTRACE_HOST_EVENTS(DISABLE)
	GAPTRACE_GPU_EVENTS(DISABLE_GPU)
#undef DISABLE
#undef DISABLE_GPU
}

__attribute__((constructor)) static void tracepoints_prepare(void)
{
	(void)pthread_atfork(NULL, NULL, fork_child);
	/* Else exit takes LTTng's functions away from threads that are inside a trace point. */
	tracepoint_disable_destructors();
}

bool gaptrace_is_recording(void)
{
#define OR_WANTED(constant, name)     || WANTED(name)
#define OR_WANTED_GPU(constant, name) || WANTED_GPU(name)
	return false GAPTRACE_HOST_EVENTS(OR_WANTED) GAPTRACE_GPU_EVENTS(OR_WANTED_GPU);
#undef OR_WANTED
#undef OR_WANTED_GPU
}
