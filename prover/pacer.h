/* SPDX-License-Identifier: MIT */
/*
 * Holds the dispatcher back so that memory is not spent on partitions that would only queue for a
 * GPU. Fixed: a constant interval. Adaptive: the time a GPU takes for a partition, as measured in
 * the prove calls and not from gaps between them, corrected by how far the GPU queue is from its
 * target. Intervals run from the last dispatch, so that completions cannot starve them, and with
 * nothing in flight nobody is held back. One thread waits; any thread reports.
 */
#pragma once

#include "gaptrace/gaptrace.h"
#include "trace/base/cleanup.h"
#include "trace/base/status.h"

#include <stdbool.h>
#include <stdint.h>

enum pacer_mode {
	PACER_OFF,
	PACER_FIXED,
	PACER_ADAPTIVE
};

struct pacer_config {
	enum pacer_mode mode;
	uint64_t interval_ns; /* fixed, and before the first measurement */
	uint64_t interval_min_ns;
	uint64_t interval_max_ns;
	uint32_t target_depth;
	uint32_t lane_count; /* prove calls that run at once: devices times workers */
};

struct pacer {
	struct pacer_config config;
	struct gaptrace_mutex mutex; /* guards all below */
	struct gaptrace_condition changed;
	uint64_t last_dispatch_ns; /* 0: none yet */
	uint64_t in_flight;        /* dispatched and not ended, in whatever way */
	double gpu_ns;             /* moving mean of a prove call; 0: not measured */
	double waiting;            /* moving mean of the GPU queue's depth */
	double integral;
	uint64_t interval_ns; /* the last one used */
	uint64_t wait_ns;     /* all waits together, a truth apart from the trace */
	bool is_stopped;
};

MUST_CHECK enum status pacer_init(struct pacer *pacer, const struct pacer_config *config);
void pacer_finish(struct pacer *pacer);

/* Blocks until the next dispatch may go, and counts it. `queue_depth` is the GPU queue's. */
void pacer_wait(struct pacer *pacer, uint32_t queue_depth);

/* A prove call took `gpu_ns`. */
void pacer_measure(struct pacer *pacer, uint64_t gpu_ns);

/* A dispatched partition ended: proved, failed or dropped. */
void pacer_end(struct pacer *pacer);

/* Nobody waits any more. */
void pacer_stop(struct pacer *pacer);

struct pacer_counts {
	uint64_t in_flight;
	uint64_t interval_ns;
	uint64_t wait_ns;
};

struct pacer_counts pacer_counts(struct pacer *pacer);

/* The interval that the adaptive pacer would use now; for tests. */
uint64_t pacer_interval_ns(const struct pacer *pacer);
