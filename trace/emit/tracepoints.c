/* SPDX-License-Identifier: MIT */
/* The one file that defines the trace points, and what concerns all of them. */
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "trace/emit/tracepoints.h"

bool gaptrace_is_on(void)
{
	return true;
}

bool gaptrace_is_recording(void)
{
#define OR_WANTED(constant, name)     || WANTED(name)
#define OR_WANTED_GPU(constant, name) || WANTED_GPU(name)
	return false GAPTRACE_HOST_EVENTS(OR_WANTED) GAPTRACE_GPU_EVENTS(OR_WANTED_GPU);
#undef OR_WANTED
#undef OR_WANTED_GPU
}
