/* SPDX-License-Identifier: MIT */
/*
 * What a recording cannot vouch for, as counts, as one line of text each, and as a verdict: below
 * which the report answers, above which it says that it cannot.
 */
#pragma once

#include "analysis/core/interval_set.h"
#include "trace/base/cleanup.h"
#include "trace/base/status.h"

#include <stdbool.h>
#include <stdint.h>

/* A reader wants the kinds of trouble, each once; there are fewer than these. */
#define TRUST_NOTE_COUNT_MAX 64

/* Of those, what is merely worth knowing: a job of many ranks says much, and must leave room for
 * what is missing. */
#define TRUST_FACT_COUNT_MAX 40

/* What a report was read from: some tens of ranks make one job; of more, their number is enough. */
#define TRUST_SOURCE_COUNT_MAX 64

/* How device stamps came to the host's clock; of several the one that is known least well. */
enum trust_clock {
	TRUST_CLOCK_UNKNOWN,
	TRUST_CLOCK_HOST,     /* they never were on another */
	TRUST_CLOCK_OFF,      /* nothing could be recorded of a GPU */
	TRUST_CLOCK_CALLBACK, /* CUPTI stamped with the host's clock */
	TRUST_CLOCK_DEFAULT,  /* CUPTI's own, converted by offset and drift */
};

struct trust {
	bool ok;
	uint64_t events;
	uint64_t discarded_events;
	bool has_uncounted; /* of some losses nobody knows how many events: each counts as one */
	uint64_t discarded_packets;
	uint64_t dropped_records;
	uint64_t bad_stamps;
	uint64_t late_records;
	uint64_t late_ns;
	uint64_t before_launch;
	uint64_t joined;
	uint64_t unjoined;
	uint64_t outside; /* kernels issued before the recording began: of imported traces */
	uint64_t operations;
	enum trust_clock clock;
	bool has_clock_bound;
	uint64_t clock_bound_ns;
	uint64_t without_watermark;
	uint64_t unreadable;      /* inputs, or parts of them, that could not be read */
	uint64_t unknown_events;  /* events of our providers that this version does not know */
	uint64_t told_twice;      /* ends of jobs and partitions that two recordings told */
	uint64_t without_thread;  /* events without a thread or process id */
	uint64_t internal_errors; /* parts that did not add up */
	uint64_t window_begin_ns;
	uint64_t window_ns;
	struct interval_set untrusted;         /* of events and packets that were lost */
	struct interval_set uncovered;         /* by any of the recordings given together */
	const struct interval_set *unrecorded; /* of dropped records; borrowed; NULL: none */
	uint64_t untrusted_ns;                 /* of the window, by any of the three; concluded */
	char *notes[TRUST_NOTE_COUNT_MAX];
	uint32_t note_count;
	uint32_t fact_count;                   /* among the notes */
	char *sources[TRUST_SOURCE_COUNT_MAX]; /* of traces that other tools recorded */
	uint32_t source_count;                 /* kept; none: it is a recording of ours */
	uint64_t source_total;
};

void trust_init(struct trust *trust);

/* Adds one line, formatted; lines past the limit are counted in the last one. */
MUST_CHECK enum status trust_note(struct trust *trust, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Adds a line that is no loss; those past their limit are told as such in the last one. */
MUST_CHECK enum status trust_fact(struct trust *trust, const char *line);

/* Adds what a trace of another tool was read from, one line. */
MUST_CHECK enum status trust_add_source(struct trust *trust, const char *line);

/* Once all counts are in: writes the notes about them and decides `ok`. */
MUST_CHECK enum status trust_conclude(struct trust *trust);

/* The share of operations joined to the call that issued them; negative when there were none. */
double trust_coverage(const struct trust *trust);

/* One word, as reports have it. */
const char *trust_clock_name(enum trust_clock clock);

void trust_finish(struct trust *trust);
