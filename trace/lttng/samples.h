/* SPDX-License-Identifier: MIT */
/*
 * What the emitting library hands to the provider besides the structs of gaptrace.h, and two
 * macros of the event definitions. Private to trace/: both sides are built from one tree.
 */
#pragma once

#include <stdint.h>

/* What an open span or task cost; GAPTRACE_UNKNOWN for what could not be measured. */
struct sample_usage {
	uint64_t duration_ns;
	uint64_t cpu_ns;
	uint64_t run_delay_ns;
};

struct sample_pop {
	uint32_t depth;
	uint64_t wait_ns;
	uint64_t resident_ns;
};

struct sample_trim {
	uint64_t duration_ns;
	uint64_t rss_before_bytes;
	uint64_t rss_after_bytes;
	int32_t returned; /* what malloc_trim gave: 1 when memory went back */
};

#define SAMPLE_ADDRESS(pointer) ((uint64_t)(uintptr_t)(pointer))

/* One row of an enumeration of schema.h as a value of a CTF enumeration. */
#define SAMPLE_ENUM_VALUE(constant, value, label) lttng_ust_field_enum_value(label, value)
