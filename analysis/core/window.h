/* SPDX-License-Identifier: MIT */
/*
 * The window that gaps are looked for in: from the first job submitted to the last job ended. When
 * the recording began or stopped while jobs were under way, or knows no jobs, the recording's own
 * first or last event takes that place (the cut).
 */
#pragma once

#include "analysis/core/event.h"
#include "trace/base/cleanup.h"
#include "trace/base/status.h"

#include <stddef.h>

/*
 * Jobs that ended, remembered so that a keyframe that crossed the end does not open them again, and
 * partitions, so that one told by two recordings is counted once.
 */
#define WINDOW_ENDED_JOBS       64
#define WINDOW_ENDED_PARTITIONS 64

/* Stamps this large are CUPTI's "no time", not times. */
#define WINDOW_STAMP_MAX_NS (1ULL << 63)

struct window_job {
	int32_t pid;
	uint64_t job;
	uint32_t partitions;
	uint64_t duration_ns; /* of one that ended */
};

struct window_partition {
	int32_t pid;
	int32_t partition;
	uint64_t job;
	uint64_t duration_ns;
};

struct window {
	bool has_event;
	uint64_t first_event_ns;
	uint64_t last_event_ns;
	uint64_t last_end_ns; /* of what was told at its start, and may end after the last event */
	bool is_imported;
	bool is_begin_assumed; /* no job was named yet */
	bool is_begin_told;    /* a gap was told: the begin stays where it is */
	bool has_begun; /* an event that names a job was seen, or window_force_begin called */
	bool is_begin_cut;
	uint64_t begin_ns;
	bool has_job_end;
	uint64_t last_job_end_ns;
	uint64_t last_job_event_ns; /* a submit or an end */
	struct window_job *open;
	size_t open_count;
	size_t open_capacity;
	struct window_job ended[WINDOW_ENDED_JOBS];
	size_t ended_next;
	struct window_partition ended_partitions[WINDOW_ENDED_PARTITIONS];
	size_t ended_partition_next;
	uint64_t told_twice; /* ends of jobs and partitions, to the nanosecond the same as before */
	uint64_t jobs_done;
	uint64_t jobs_failed;
	uint64_t partitions_done;     /* of the jobs that are done */
	uint64_t partitions_finished; /* ends of prove_finish */
};

void window_init(struct window *window);

/* Every event of the recording, in order of time. */
MUST_CHECK enum status window_add(struct window *window, const struct event *event);

/*
 * The trace is another tool's: it begins with the first thing that happened in it, and most likely
 * knows no jobs. The begin moves to a job that is named before any gap is told.
 */
void window_set_imported(struct window *window);

/* No job is going to be named: the window begins with the recording. */
void window_force_begin(struct window *window);

/* Up to where it is certain that time belongs to the window; 0 before it has begun. */
uint64_t window_known_until(const struct window *window);

/* At the end of the recording: where the window ended, and whether the recording cut it. */
uint64_t window_end_ns(const struct window *window);
bool window_is_end_cut(const struct window *window);

/* How many partitions were proved. */
uint64_t window_partitions(const struct window *window);

void window_finish(struct window *window);
