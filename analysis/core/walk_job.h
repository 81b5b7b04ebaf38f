/* SPDX-License-Identifier: MIT */
/* How many jobs were outstanding (submitted, not ended) along time, and when each was submitted. */
#pragma once

#include "analysis/core/walk_lane.h"

struct walk_job_step {
	uint64_t time_ns;
	uint64_t count; /* from here on */
};

struct walk_jobs {
	struct walk_map by_id; /* struct walk_job */
	struct walk_slab slab;
	struct walk_ring steps; /* struct walk_job_step */
	bool is_told;           /* the recording has jobs at all */
};

void walk_jobs_init(struct walk_jobs *jobs);
void walk_jobs_finish(struct walk_jobs *jobs);

struct walk_job_submission {
	uint64_t time_ns;                /* may lie before the recording */
	struct walk_lane_reference lane; /* generation 0: nobody knows who did it */
};

MUST_CHECK enum status walk_jobs_submit(
	struct walk_jobs *jobs, int32_t pid, uint64_t job, struct walk_job_submission submit);
MUST_CHECK enum status walk_jobs_end(
	struct walk_jobs *jobs, int32_t pid, uint64_t job, uint64_t begin_ns, uint64_t now_ns);

/* True when jobs are told and none was outstanding at y; raises *from_ns to where that began. */
bool walk_jobs_none_at(const struct walk_jobs *jobs, uint64_t y_ns, uint64_t *from_ns);

/* False when its submission is not known. */
bool walk_jobs_submitted(const struct walk_jobs *jobs, int32_t pid, uint64_t job,
	struct walk_job_submission *out_submit);

void walk_jobs_sweep(struct walk_jobs *jobs, uint64_t forget_ns);
