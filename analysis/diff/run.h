/* SPDX-License-Identifier: MIT */
/*
 * One run, as its report JSON tells it (docs/report.schema.json): what a comparison needs, checked
 * and bounded. Strings are borrowed from the document, which lives as long as the run.
 */
#pragma once

#include "analysis/core/causes.h"
#include "trace/base/cleanup.h"
#include "trace/base/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RUN_SCHEMA "gaptrace.report/1"

/* A report of 64 devices with 64 blocks of 64 causes each has some 30 MB. */
#define RUN_FILE_BYTES_MAX (64u << 20)

/* A report has at most 64; more is a newer writer's choice, and a bound all the same. */
#define RUN_BLOCK_COUNT_MAX 1024

struct run_cause {
	enum cause cause;
	const char *object;
	const char *phase;
	uint64_t ns;
	uint64_t gap_count;
};

/* What a device did in some stretch of time: the whole window, or a block of it. */
struct run_usage {
	uint64_t busy_ns;
	uint64_t copying_ns;
	uint64_t short_ns; /* without a kernel, in gaps below the threshold: they have no causes */
	uint64_t gap_ns;   /* kernel gaps of at least the threshold */
	uint64_t gap_count;
	struct run_cause *causes;
	uint32_t cause_count;
};

enum run_quantile {
	RUN_P50,
	RUN_P95,
	RUN_P99,
	RUN_QUANTILE_COUNT
};

enum run_split {
	RUN_HOST_LATE,
	RUN_IN_CALL,
	RUN_AFTER_CALL,
	RUN_SPLIT_COUNT
};

struct run_device {
	int64_t index;
	const char *uuid;
	const char *name;
	const char *backend;
	uint64_t kernel_count;
	struct run_usage usage;
	/* Lengths of kernel gaps of at least the threshold, between operations where that is told.
	 */
	uint64_t max_ns;
	bool has_quantiles;
	uint64_t quantiles_ns[RUN_QUANTILE_COUNT];
	/* Of those gaps: before, in and after the call that ended them. */
	bool has_split;
	uint64_t split_ns[RUN_SPLIT_COUNT];
};

struct run_block {
	uint64_t begin_ns;
	uint64_t end_ns;
	uint64_t work;
	struct run_usage *devices; /* as many as the run has, in the run's order */
};

struct run {
	char *path;
	void *document; /* the parsed JSON */
	const char *schema;
	bool is_readable; /* false: another version of the schema; nothing below is set */
	bool is_simulated;
	bool is_trusted;
	uint64_t window_begin_ns;
	uint64_t window_end_ns;
	const char *work_unit;
	const char *work_name; /* "" of a partition */
	uint64_t work_count;
	uint64_t jobs_done;
	uint64_t jobs_failed;
	uint64_t threshold_ns;
	struct run_device *devices; /* by index, then UUID */
	uint32_t device_count;
	struct run_block *blocks;
	uint32_t block_count; /* 0: the report tells of none */
	const char **notes;   /* of its trust */
	uint32_t note_count;
};

/*
 * Reads a report from a file. UNSUPPORTED when it is JSON, but no report of gaptrace's; BAD_INPUT
 * and the like with file, place and mend.
 */
MUST_CHECK enum status run_load(const char *path, struct run **out_run, struct diag *diag);

/* The same of a report in memory; `path` is for messages. */
MUST_CHECK enum status run_parse(
	const char *path, const char *text, size_t length, struct run **out_run, struct diag *diag);

/* Whether both tell of one and the same recording, however their files look. */
bool run_is_same(const struct run *left, const struct run *right);

/*
 * Which device of `run` stands where `slot` of `reference` stands: the one of the same UUID where
 * both have the same set of them, else the one of the same rank. Both have as many.
 */
uint32_t run_device_at(const struct run *run, const struct run *reference, uint32_t slot);

/* Accepts NULL. */
void run_destroy(struct run *run);
DEFINE_AUTO(struct run, run_destroy)
