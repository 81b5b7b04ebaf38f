/* SPDX-License-Identifier: MIT */
/* The one clock: CLOCK_MONOTONIC, which is LTTng-UST's own, in nanoseconds. */
#pragma once

#include <stdint.h>
#include <time.h>

#define NS_PER_US 1000ULL
#define NS_PER_MS 1000000ULL
#define NS_PER_S  1000000000ULL

static inline uint64_t clock_now_ns(void)
{
	struct timespec now;

	/* Cannot fail: the clock exists on every Linux and the address is valid. */
	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

/* CPU time of the calling thread; UINT64_MAX where a sandbox refuses the call. */
static inline uint64_t clock_thread_cpu_ns(void)
{
	struct timespec now;

	if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) != 0) {
		return UINT64_MAX;
	}
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

static inline struct timespec clock_timespec(uint64_t time_ns)
{
	return (struct timespec){
		.tv_sec = (time_t)(time_ns / NS_PER_S), .tv_nsec = (long)(time_ns % NS_PER_S)};
}
