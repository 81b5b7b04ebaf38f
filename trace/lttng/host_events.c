/* SPDX-License-Identifier: MIT */
/* The probes of the provider `gaptrace`, made by LTTng's headers. */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#include "trace/lttng/host_events.h"

/* libgaptrace refuses a provider of another version, since it reads the same structs. */
extern const int gaptrace_lttng_schema_version;
__attribute__((visibility("default"))) const int gaptrace_lttng_schema_version =
	GAPTRACE_SCHEMA_VERSION;
