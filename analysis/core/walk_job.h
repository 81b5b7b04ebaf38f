/* SPDX-License-Identifier: MIT */
/* How many jobs were outstanding (submitted, not ended) along time, and when each was submitted. */
#pragma once

#include "analysis/core/walk_lane.h"
#include "analysis/core/walk_loss.h"

struct walk_job_step {
	uint64_t time_ns;
	uint64_t count; /* from here on */
};

/* From `since_ns` to here no job came that is not known. */
struct walk_job_known {
	uint64_t time_ns;
	uint64_t since_ns;
};

struct walk_jobs {
	struct walk_map by_id; /* struct walk_job */
	struct walk_slab slab;
	struct walk_ring steps; /* struct walk_job_step */
	bool is_told;           /* the recording has jobs at all */
	/* By process, how its jobs are known: enum knowledge of walk_job.c. */
	struct walk_map processes;
	uint32_t blind_count;   /* of them, those that had jobs which no keyframe has told yet */
	struct walk_ring known; /* struct walk_job_known: how many are open was told, not counted */
	bool has_pid;
	int32_t pid;   /* whose jobs these are */
	bool is_mixed; /* they are of several processes, each with its own numbers */
	uint64_t last_job;
	uint64_t last_submit_ns;
	uint64_t doubt_until_ns; /* events are missing up to then */
	const char *doubt;
};

void walk_jobs_init(struct walk_jobs *jobs);
void walk_jobs_finish(struct walk_jobs *jobs);

struct walk_job_submission {
	uint64_t time_ns;                /* may lie before the recording */
	struct walk_lane_reference lane; /* generation 0: nobody knows who did it */
};

MUST_CHECK enum status walk_jobs_submit(
	struct walk_jobs *jobs, int32_t pid, uint64_t job, struct walk_job_submission submit);
/* The same of a job that comes now, whose number tells whether one before it was missed. */
MUST_CHECK enum status walk_jobs_come(
	struct walk_jobs *jobs, int32_t pid, uint64_t job, struct walk_job_submission submit);
MUST_CHECK enum status walk_jobs_end(
	struct walk_jobs *jobs, int32_t pid, uint64_t job, uint64_t begin_ns, uint64_t now_ns);

/* True when jobs are told and none was outstanding at y; raises *from_ns to where that began. */
bool walk_jobs_none_at(const struct walk_jobs *jobs, uint64_t y_ns, uint64_t *from_ns);

/* False when its submission is not known. */
bool walk_jobs_submitted(const struct walk_jobs *jobs, int32_t pid, uint64_t job,
	struct walk_job_submission *out_submit);

/* Events are missing: jobs may have ended, or come, without our knowing. */
void walk_jobs_doubt(
	struct walk_jobs *jobs, uint64_t begin_ns, uint64_t end_ns, const char *reason);

/* A keyframe told that a job is open, and, after all of these, how many are. */
void walk_jobs_confirm(struct walk_jobs *jobs, int32_t pid, uint64_t job);
MUST_CHECK enum status walk_jobs_count(struct walk_jobs *jobs, int32_t pid, uint64_t now_ns);

/*
 * Why it is not known whether a job was outstanding at y; NULL when it is. `since_ns` is when their
 * process was first heard of.
 */
const char *walk_jobs_doubt_at(const struct walk_jobs *jobs, const struct walk_losses *losses,
	uint64_t since_ns, uint64_t y_ns);

void walk_jobs_sweep(struct walk_jobs *jobs, uint64_t forget_ns);
