/* SPDX-License-Identifier: MIT */
/*
 * The walk: for every instant of a gap, what was the thread that should have been feeding this GPU
 * doing or waiting for, and what was the one it waited for doing? Rules 1 to 10 of docs/causes.md.
 *
 * The walk is fed every event in time order and asked to explain gaps once they are final. It keeps
 * lanes only as far back as it was told something may still be asked (walk_forget_before), plus
 * what is open. It owns the strings its parts point to.
 */
#pragma once

#include "analysis/core/event.h"
#include "analysis/core/gap.h"
#include "trace/base/cleanup.h"
#include "trace/base/status.h"

struct walk;

/* Gives a new walk to the caller, who destroys it. */
MUST_CHECK enum status walk_create(struct walk **out_walk);

/* Takes note of `event`; its strings are copied. NO_MEMORY or OVER_LIMIT. */
MUST_CHECK enum status walk_add(struct walk *walk, const struct event *event);

/*
 * Says that nothing can be trusted in [begin, end): events or packets were lost there. `reason` is
 * a literal such as "lost events". Parts that touch it become unknown.
 */
MUST_CHECK enum status walk_add_untrusted(
	struct walk *walk, uint64_t begin_ns, uint64_t end_ns, const char *reason);

/*
 * Which device of the timeline an (pid, ordinal) of the events is; called once for each device
 * before its first operation is added.
 */
MUST_CHECK enum status walk_add_device(
	struct walk *walk, int32_t pid, int32_t ordinal, uint32_t device);

struct gap_part_list {
	struct gap_part *parts;
	uint32_t count;
	uint32_t capacity;
};

/*
 * Explains `gap` into `list`, which it clears first. Every event up to gap->end_ns, and for
 * operations up to their watermark, must have been added. The parts always cover the gap exactly.
 */
MUST_CHECK enum status walk_explain(
	struct walk *walk, const struct gap *gap, struct gap_part_list *list);

void gap_part_list_finish(struct gap_part_list *list);

/* No gap that begins before `time_ns` will be asked for any more. */
void walk_forget_before(struct walk *walk, uint64_t time_ns);

/* True when half of what the walk can remember is taken. */
bool walk_is_filling(const struct walk *walk);

/* What the walk could not place, for the report's trust section. */
struct walk_counts {
	uint64_t joined_operations; /* kernels joined to the call that issued them */
	uint64_t unjoined_operations;
	uint64_t outside_operations; /* kernels issued before the recording began */
	uint64_t before_launch;      /* operations that started before their call began */
	uint64_t internal_errors;    /* parts that did not add up, made unknown: internal */
};

struct walk_counts walk_counts(const struct walk *walk);

struct interval_set;

/* When records of devices were dropped; borrowed from the walk. */
const struct interval_set *walk_dropped(const struct walk *walk);

/* Buffers alive whenever a job ended: a sample of the run, thinned out when it grows. */
#define WALK_FLOOR_SAMPLES_MAX 64
#define WALK_BUFFER_KINDS      5

/* What kinds of evidence the recording has; a verdict rests on it. */
struct walk_evidence {
	uint64_t locks; /* events of each sort */
	uint64_t tasks;
	uint64_t copies;
	uint64_t run_delays; /* spans and tasks that told one */
	uint64_t scheds;
	uint64_t buffers;
	uint64_t ended_jobs;
	uint32_t sample_count;
	uint64_t live_counts[WALK_FLOOR_SAMPLES_MAX][WALK_BUFFER_KINDS];
};

/* Borrowed from the walk. */
const struct walk_evidence *walk_evidence(const struct walk *walk);

/* The name of a thread of the recording, "" when the trace does not tell; lives as long as the
 * walk. */
const char *walk_thread_name(const struct walk *walk, int32_t tid);

/*
 * The one name for all ranges of an imported trace that differ by a counter ("IO #" for "IO 12"),
 * for an object or phase of a part; other names as they are.
 */
const char *walk_family(const struct walk *walk, const char *name);

/* A gap cut at the call that issued what ended it. The parts sum to the gap. */
struct gap_split {
	uint64_t host_late_ns;
	uint64_t in_call_ns;
	uint64_t after_call_ns;
	uint64_t unjoined_ns; /* all of it, when no call is recorded */
};

/* Of a gap that something ended; to be asked when walk_explain() may be. */
struct gap_split walk_split(const struct walk *walk, const struct gap *gap);

/* Accepts NULL. */
void walk_destroy(struct walk *walk);
DEFINE_AUTO(struct walk, walk_destroy)
