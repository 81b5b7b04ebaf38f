/* SPDX-License-Identifier: MIT */
/*
 * What is compared, as a table: a row for each figure of each GPU and of all together, with its
 * value in every run and, where noise is to be judged, in every sample. A sample is a run, or a
 * batch of a run's blocks.
 */
#pragma once

#include "analysis/diff/run.h"
#include "analysis/diff/statistics.h"

/* The device of a row that is about all of them. */
#define TABLE_ALL (-1)

/* Batches of blocks in a run, beside which fewer tell too little: see docs/regression.md. */
#define TABLE_BATCH_COUNT     16
#define TABLE_BATCH_COUNT_MIN 8

/* Runs on both sides: a month of hourly ones would be more than anybody compares. */
#define TABLE_RUN_COUNT_MAX 512

/* clang-format off */
/* X(constant, name in JSON and budgets, what it is) */
#define TABLE_METRICS(X)                                                     \
	X(TIME,        "time",        "time, no_work aside")                 \
	X(IDLE,        "idle",        "idle, all causes but no_work")        \
	X(SHORT,       "short_gaps",  "idle in gaps below the threshold")    \
	X(CAUSE,       "cause",       "idle of one cause")                   \
	X(BUSY,        "busy",        "busy with kernels")                   \
	X(COPYING,     "copying",     "copying, without a kernel")           \
	X(GAPS,        "gaps",        "gaps of at least the threshold")      \
	X(LATE,        "host_late",   "gaps before the call that ends them") \
	X(IN_CALL,     "in_call",     "gaps inside the call that ends them") \
	X(AFTER,       "after_call",  "gaps after the call that ends them")  \
	X(P50,         "gap_p50",     "median gap")                          \
	X(P95,         "gap_p95",     "95th percentile of gaps")             \
	X(P99,         "gap_p99",     "99th percentile of gaps")             \
	X(MAX,         "gap_max",     "longest gap between operations")      \
	X(UTILISATION, "utilisation", "utilisation")                         \
	X(THROUGHPUT,  "throughput",  "throughput")
/* clang-format on */

#define TABLE_ENUM(constant, name, meaning) METRIC_##constant,
enum metric {
	TABLE_METRICS(TABLE_ENUM) METRIC_COUNT
};
#undef TABLE_ENUM

enum table_mode {
	TABLE_NO_SAMPLES, /* nothing to compare with, or too little */
	TABLE_RUNS,
	TABLE_BLOCKS
};

/* What happens as work begins and ends is compared with its like only. */
enum table_stratum {
	TABLE_STRATUM_FIRST,
	TABLE_STRATUM_MIDDLE,
	TABLE_STRATUM_LAST
};

struct table_row {
	int32_t device; /* a slot of the first run, or TABLE_ALL */
	enum metric metric;
	enum cause cause; /* of METRIC_CAUSE */
	const char *object;
	const char *phase;
	double base_value; /* per unit of work, where that makes sense */
	double new_value;
	double base_gaps; /* per unit of work, of METRIC_CAUSE */
	double new_gaps;
	double *run_values; /* one for each run */
	double *samples;    /* one for each sample; NULL: not tested */
	double inflation;
};

struct table {
	const struct run *const *runs; /* borrowed; those of the base first */
	uint32_t run_count;
	uint32_t base_count;
	enum table_mode mode;
	struct statistics_design design;
	uint32_t *sample_runs;  /* which run each sample is of */
	struct table_row *rows; /* by device, metric, cause, object, phase */
	uint32_t row_count;
	/* The table's own. */
	struct table_batch *batches;
	double *memory;
};

/* How noise can be judged in these runs, which are comparable, at a rate of false alarms. */
enum table_mode table_mode_of(const struct run *const *runs, uint32_t run_count,
	uint32_t base_count, double false_alarms);

/* Gives the table of the runs, of which the first `base_count` are the base. */
MUST_CHECK enum status table_create(const struct run *const *runs, uint32_t run_count,
	uint32_t base_count, double false_alarms, struct table **out_table);

/* The name in JSON and budgets, valid for ever. */
const char *table_metric_name(enum metric metric);
const char *table_metric_meaning(enum metric metric);

/* Accepts NULL. */
void table_destroy(struct table *table);
DEFINE_AUTO(struct table, table_destroy)
