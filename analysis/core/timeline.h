/* SPDX-License-Identifier: MIT */
/*
 * What every device did along time. Takes the events of a recording in order, keeps the devices
 * apart by UUID (so that processes share one), and tells gaps once nothing can change them: when
 * every process's watermark has passed, or at the end. Memory is bounded by what is not final.
 */
#pragma once

#include "analysis/core/device_table.h"
#include "analysis/core/event.h"
#include "analysis/core/gap.h"
#include "analysis/core/sweep.h"
#include "analysis/core/trust.h"
#include "analysis/core/window.h"
#include "trace/base/cleanup.h"
#include "trace/base/status.h"

struct timeline;

/* What became of each device when the recording ended. */
struct timeline_usage {
	uint64_t span_ns; /* first start to last end */
	uint64_t busy_ns;
	uint64_t copying_ns;
	uint64_t idle_ns;
};

struct timeline_counts {
	uint64_t operations;
	uint64_t bad_stamps; /* operations with an end before their start, or no stamps at all */
	uint64_t dropped_records; /* told by the recorder */
	uint64_t late_records;    /* came after their watermark and reached into a final gap */
	uint64_t late_ns;
	enum trust_clock clock; /* as the recorder told it */
	bool has_clock_pairs;
	uint64_t clock_bound_ns;    /* how far device stamps may be from the host's clock */
	uint64_t without_watermark; /* devices (of processes) that never told one */
};

struct timeline_listener {
	void *context;
	/* `device` stands for (pid, ordinal) from now on; before its first operation is told. */
	enum status (*device)(void *context, int32_t pid, int32_t ordinal, uint32_t device);
	/* A final gap, clipped to the window, never empty. */
	enum status (*gap)(void *context, enum sweep_layer layer, const struct gap *gap);
	enum status (*covered)(void *context, uint32_t device, enum sweep_layer layer,
		uint64_t begin_ns, uint64_t end_ns);
};

/* Gives a new timeline to the caller, who destroys it; copies `listener`. */
MUST_CHECK enum status timeline_create(
	const struct timeline_listener *listener, struct timeline **out_timeline);

MUST_CHECK enum status timeline_add(struct timeline *timeline, const struct event *event);

/*
 * From now on the events are those of a trace that another tool recorded: what lasts is told at its
 * start, in order of time, so that nothing before a watermark is still to come.
 */
void timeline_set_imported(struct timeline *timeline);

/* False for an operation whose time stamps cannot be used: it is counted and nothing else. */
bool timeline_accepts(const struct event *event);

/* The recording ended: tells all that is left. Nothing may be added any more. */
MUST_CHECK enum status timeline_end(struct timeline *timeline);

/* No gap that begins before this will be told any more. */
uint64_t timeline_open_since(const struct timeline *timeline);

/* The window begins with the recording, if no job has told otherwise so far: gaps may be told. */
void timeline_force_begin(struct timeline *timeline);

uint32_t timeline_device_count(const struct timeline *timeline);
/* Borrowed from the timeline. */
const struct timeline_device *timeline_device(const struct timeline *timeline, uint32_t device);
struct timeline_usage timeline_usage(const struct timeline_device *device);
const struct window *timeline_window(const struct timeline *timeline);
struct timeline_counts timeline_counts(const struct timeline *timeline);

/* Accepts NULL. */
void timeline_destroy(struct timeline *timeline);
DEFINE_AUTO(struct timeline, timeline_destroy)
