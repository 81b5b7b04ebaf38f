/* SPDX-License-Identifier: MIT */
/*
 * Ranges of threads as their two ends, in order of time. A range comes whole, or as a begin and,
 * later, an end. What crosses the range around it is cut at that one's end; too many are dropped.
 */
#pragma once

#include "analysis/core/event.h"
#include "analysis/core/walk_map.h"
#include "trace/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Python itself stops at 1000 frames; operators nest a few more into the innermost. */
#define KINETO_RANGE_DEPTH_MAX 1200

/* Threads with ranges: more than a process that feeds GPUs has. */
#define KINETO_RANGE_THREAD_COUNT_MAX 4096

struct kineto_range {
	const char *name; /* borrowed */
	uint64_t begin_ns;
	uint64_t end_ns; /* UINT64_MAX: it is not known yet */
	bool is_pair;    /* its end comes on its own */
};

struct kineto_range_thread;

/* All zero is empty. */
struct kineto_ranges {
	struct walk_map threads; /* (tid, pid) to each */
	struct kineto_range_thread **heap;
	size_t heap_count;
	size_t heap_capacity;
	uint64_t cut;       /* crossed the range around them */
	uint64_t dropped;   /* nested too deep, or on too many threads */
	uint64_t unmatched; /* ends without a begin */
	uint64_t open;      /* pairs without an end, told by kineto_ranges_end_all */
};

/* A range begins on the event's thread; *out_is_told is false when it was dropped. */
MUST_CHECK enum status kineto_ranges_begin(struct kineto_ranges *ranges, const struct event *event,
	const struct kineto_range *range, bool *out_is_told);

/* The innermost pair of the event's thread ends, and with it what is open inside it. */
void kineto_ranges_end(struct kineto_ranges *ranges, const struct event *event);

/* Whatever is open ends at `time_ns`. */
void kineto_ranges_end_all(struct kineto_ranges *ranges, uint64_t time_ns);

/* Gives the event of the next end that is not after `until_ns`, if there is one. */
bool kineto_ranges_next(struct kineto_ranges *ranges, uint64_t until_ns, struct event *out_event);

void kineto_ranges_finish(struct kineto_ranges *ranges);
