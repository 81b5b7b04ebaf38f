/* SPDX-License-Identifier: MIT */
/*
 * Everything a report says, collected from an analyzer while it runs: per device the gap tables,
 * the causes, the worst gaps and the picture along time. The writers in analysis/report read it
 * once report_data_end was called. Strings belong to the analyzer's walk.
 */
#pragma once

#include "analysis/core/analyzer.h"
#include "analysis/core/blocks.h"
#include "analysis/core/histogram.h"
#include "analysis/core/quantiles.h"
#include "analysis/core/strip.h"
#include "analysis/core/verdict.h"
#include "analysis/core/work_meter.h"

/* Gaps kept with all their parts, per device. */
#define REPORT_WORST_COUNT 10

/* Rows of causes per device; what comes after is summed in one row per cause. */
#define REPORT_CAUSE_COUNT_MAX 1024

/* A thread as text: its name and id, or the id alone. */
#define REPORT_THREAD_BYTES_MAX 96

struct report_gap_table {
	uint64_t count;
	uint64_t total_ns;
	uint64_t max_ns;
	struct quantiles quantiles;
	/* Those of them between two operations, without the window's edges. */
	uint64_t inner_count;
	uint64_t inner_total_ns;
	uint64_t inner_max_ns;
	/* The same, cut at the call that issued what ended each of them. */
	struct gap_split split;
	uint64_t joined_count;
	struct histogram histogram; /* of all gaps, below the threshold too */
};

struct report_cause {
	enum cause cause;
	const char *object;
	const char *phase;
	char holder[REPORT_THREAD_BYTES_MAX];
	uint64_t ns;
	uint64_t gap_count;
	uint64_t last_gap; /* the number of the gap that counted last */
	uint64_t bytes;
};

struct report_cause_table {
	struct report_cause *rows; /* ranked by time once the report has ended */
	uint32_t count;
	uint32_t capacity;
};

struct report_worst {
	uint64_t begin_ns;
	uint64_t end_ns;
	struct gap_part *parts;
	uint32_t part_count;
};

struct report_device {
	bool is_used;
	struct report_gap_table gaps[SWEEP_LAYER_COUNT];
	struct report_cause_table causes;  /* a row for each cause, object, phase and holder */
	struct report_cause_table summary; /* the same whoever the holder was: "" */
	struct report_worst worst[REPORT_WORST_COUNT]; /* the longest first */
	uint32_t worst_count;
	struct strip strip;
	struct timeline_usage usage;
};

struct report_data {
	struct analyzer *analyzer;
	struct report_device *devices[DEVICE_COUNT_MAX];
	uint64_t gap_number;
	struct verdict_tally tally;
	struct verdict_list verdicts; /* once the report has ended */
	struct work_meter meter;
	struct blocks blocks; /* once the report has ended */
	bool is_simulated;
	uint64_t window_begin_ns;
	uint64_t window_end_ns;
	bool is_begin_cut;
	bool is_end_cut;
	uint64_t work_count;
	uint64_t jobs_done;
	uint64_t jobs_failed;
};

/* Gives a report and the analyzer it owns, to which the caller adds events. */
MUST_CHECK enum status report_data_create(uint64_t threshold_ns, struct report_data **out_report);

/* Chooses what counts as a unit of work, before events are added; partitions unless called. */
void report_data_set_work(struct report_data *report, const struct work_unit *unit);

/* The input ended. */
MUST_CHECK enum status report_data_end(struct report_data *report);

/* How many entries of `devices` there are; those not used are to be skipped. */
uint32_t report_data_device_count(const struct report_data *report);

/* The thread as reports name it, "" for 0. */
void report_data_thread(
	const struct report_data *report, int32_t tid, char out_name[REPORT_THREAD_BYTES_MAX]);

/* Accepts NULL. */
void report_data_destroy(struct report_data *report);
DEFINE_AUTO(struct report_data, report_data_destroy)
