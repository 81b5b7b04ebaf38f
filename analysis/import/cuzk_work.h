/* SPDX-License-Identifier: MIT */
/*
 * The jobs and partitions of a log that are under way: numbers for the jobs' names, and what was
 * told of each partition so far. Those that the log never ends make room for new ones, the oldest
 * first.
 */
#pragma once

#include "analysis/core/walk_map.h"
#include "analysis/import/cuzk_native.h"
#include "analysis/import/cuzk_text.h"
#include "trace/base/status.h"

#include <stdint.h>

/* Far more than any host has memory for at once. */
#define CUZK_JOB_COUNT       4096
#define CUZK_PARTITION_COUNT 16384

#define CUZK_NO_TIME UINT64_MAX

struct cuzk_job {
	uint64_t name_key; /* 0: unused */
	uint64_t number;   /* from 1, in order of appearance */
	bool is_submitted; /* its coming was told */
};

struct cuzk_partition {
	uint64_t job; /* 0: unused */
	int32_t partition;
	uint64_t item; /* its number in the GPU queue */
	uint32_t synthesis_lane;
	uint64_t synthesis_ns; /* when each began, or CUZK_NO_TIME */
	uint64_t queued_ns;
	uint64_t picked_ns;
	uint64_t started_ns;
	int32_t worker;
	uint64_t entered_ns; /* prove_start's own beginning, when its call is known */
	struct cuzk_call call;
};

struct cuzk_work {
	struct walk_map jobs_by_name;
	struct cuzk_job *jobs;
	uint64_t job_count; /* ever */
	struct walk_map partitions_by_name;
	struct cuzk_partition *partitions;
	uint64_t partition_count; /* ever */
};

MUST_CHECK enum status cuzk_work_init(struct cuzk_work *work);
void cuzk_work_finish(struct cuzk_work *work);

/* The job of that name, a new one when none is under way; NULL without memory. */
struct cuzk_job *cuzk_work_job(struct cuzk_work *work, struct cuzk_word name);

/* NULL when none of that name is under way. */
struct cuzk_job *cuzk_work_find_job(const struct cuzk_work *work, struct cuzk_word name);

/* The name may be used again, for another job. */
void cuzk_work_end_job(struct cuzk_work *work, struct cuzk_job *job);

/* The partition of a job, a new one when it is not under way; NULL without memory. */
struct cuzk_partition *cuzk_work_partition(struct cuzk_work *work, uint64_t job, int32_t partition);

void cuzk_work_end_partition(struct cuzk_work *work, struct cuzk_partition *partition);
