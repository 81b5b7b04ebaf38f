/* SPDX-License-Identifier: MIT */
/* The probes of the provider `gaptrace_gpu`, made by LTTng's headers. */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#include "trace/lttng/gpu_events.h"
