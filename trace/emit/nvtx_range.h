/* SPDX-License-Identifier: MIT */
/*
 * The same waits, holds and spans as NVTX ranges, so that Nsight Systems shows the names that the
 * recording has. Push and pop where begin and end share a thread and nest, start and end where
 * they need not. With no tool attached a call is a load and a branch.
 *
 * nvtx_range.c implements it over the NVTX headers, nvtx_range_none.c where there are none.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define NVTX_RANGE_DOMAIN "gaptrace"

/* clang-format off */
#define NVTX_RANGE_CATEGORIES(X)  \
	X(LOCK,   1, "lock")      \
	X(QUEUE,  2, "queue")     \
	X(PROVE,  3, "prove")     \
	X(MEMORY, 4, "memory")    \
	X(SPAN,   5, "span")      \
	X(POOL,   6, "pool")      \
	X(WAIT,   7, "wait")
/* clang-format on */

#define NVTX_RANGE_ENUM(constant, value, label) NVTX_RANGE_##constant = (value),
enum nvtx_range_category {
	NVTX_RANGE_CATEGORIES(NVTX_RANGE_ENUM)
};
#undef NVTX_RANGE_ENUM

/* Not NULL once a tool is attached; set when the library is loaded and never again. */
extern void *nvtx_range_tool __attribute__((visibility("hidden")));

static inline bool nvtx_range_is_on(void)
{
	return __builtin_expect(nvtx_range_tool != 0, 0);
}

/* What the next functions take; `name` is kept by address. */
void nvtx_range_push_always(enum nvtx_range_category category, const char *name);
void nvtx_range_pop_always(void);
uint64_t nvtx_range_start_always(enum nvtx_range_category category, const char *name);
void nvtx_range_end_always(uint64_t range);
void nvtx_range_name_thread_always(int32_t tid, const char *name);

static inline void nvtx_range_push(enum nvtx_range_category category, const char *name)
{
	if (nvtx_range_is_on()) {
		nvtx_range_push_always(category, name);
	}
}

static inline void nvtx_range_pop(void)
{
	if (nvtx_range_is_on()) {
		nvtx_range_pop_always();
	}
}

/* Gives what nvtx_range_end takes; 0 when there is no tool. */
static inline uint64_t nvtx_range_start(enum nvtx_range_category category, const char *name)
{
	return nvtx_range_is_on() ? nvtx_range_start_always(category, name) : 0;
}

static inline void nvtx_range_end(uint64_t range)
{
	if (nvtx_range_is_on() && range != 0) {
		nvtx_range_end_always(range);
	}
}

static inline void nvtx_range_name_thread(int32_t tid, const char *name)
{
	if (nvtx_range_is_on()) {
		nvtx_range_name_thread_always(tid, name);
	}
}
