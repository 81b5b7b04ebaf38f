/* SPDX-License-Identifier: MIT */
/*
 * CUPTI's stamps, brought to CLOCK_MONOTONIC and judged. With the timestamp callback they are on
 * it already; without, they are on CUPTI's own clock (CLOCK_REALTIME on Linux) and are converted
 * by offset and drift between bracketed pairs of readings. A stamp that makes no sense is counted
 * and never handed on. One thread uses it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Records arrive within a flush of their end, so older pairs have nothing left to convert. */
#define CLOCK_PAIR_COUNT_MAX 64

enum clock_path {
	CLOCK_PATH_CALLBACK,
	CLOCK_PATH_DEFAULT,
};

/* A reading of the other clock between two of ours. */
struct clock_reading {
	uint64_t before_ns;
	uint64_t other_ns;
	uint64_t after_ns;
};

struct clock_pair {
	uint64_t other_ns;
	int64_t offset_ns; /* ours less the other */
};

struct clock_counts {
	uint64_t operation_count;
	uint64_t zero_count;          /* no start, no end, or neither */
	uint64_t inverted_count;      /* the end before the start */
	uint64_t implausible_count;   /* before we began, in the future, on an unknown clock */
	uint64_t before_launch_count; /* the start before the call that issued it; used all the same
				       */
	uint64_t converted_count;     /* on CUPTI's own clock although the callback is registered */
};

struct clock_sync {
	enum clock_path path;
	uint64_t begin_ns;
	uint32_t pair_count; /* kept, oldest first */
	struct clock_pair pairs[CLOCK_PAIR_COUNT_MAX];
	struct clock_counts counts;
};

struct clock_interval {
	uint64_t start_ns;
	uint64_t end_ns;
};

void clock_sync_init(struct clock_sync *clock, enum clock_path path, uint64_t begin_ns);

/* The narrowest of a few brackets around `read`, which gives 0 when it fails. */
struct clock_reading clock_sync_read(uint64_t (*read)(const void *context), const void *context);

/* What the readings so far say of that moment of the other clock; the callback needs none. */
uint64_t clock_sync_predict(const struct clock_sync *clock, uint64_t other_ns);

/* A reading of CUPTI's own clock. One that failed or stepped back starts the pairs anew. */
void clock_sync_add(struct clock_sync *clock, const struct clock_reading *reading);

/* Of a host-side record. False: makes no sense, and is written as zeros. */
bool clock_sync_convert(const struct clock_sync *clock, struct clock_interval stamps,
	uint64_t now_ns, struct clock_interval *out_interval);

/* The same of a device operation, counted. */
bool clock_sync_operation(struct clock_sync *clock, struct clock_interval stamps, uint64_t now_ns,
	struct clock_interval *out_interval);

/* The operation started that much too early to trust either stamp? Counts it then. */
void clock_sync_launch(struct clock_sync *clock, uint64_t launch_ns, uint64_t start_ns);

/* Operations whose stamps were not used. */
uint64_t clock_sync_bad_count(const struct clock_sync *clock);

/* So many of the operations have bad stamps that it is the clock's fault. */
bool clock_sync_is_spoilt(const struct clock_sync *clock);
