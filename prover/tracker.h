/* SPDX-License-Identifier: MIT */
/*
 * The job table, the results, the worker table and the counters, under the lock `tracker`; and
 * where each partition is, under the read-write lock `status`. Order: tracker, then status. The
 * functions named _locked are for the finalizer, whose work under the lock is a matter of
 * configuration; the others take the lock themselves.
 */
#pragma once

#include "gaptrace/gaptrace.h"
#include "prover/job.h"
#include "trace/base/cleanup.h"
#include "trace/base/status.h"

#include <stdbool.h>
#include <stdint.h>

/* What a GPU worker does, and since when. */
struct tracker_worker {
	uint32_t device;
	int32_t tid;
	uint64_t job; /* 0: idle */
	uint32_t partition;
	uint64_t since_ns;
};

struct tracker_counts {
	uint64_t submitted;
	uint64_t refused; /* over the limit, or while draining */
	uint64_t done[JOB_KIND_COUNT];
	uint64_t failed[JOB_KIND_COUNT];
	uint64_t cancelled;
	uint64_t partitions_done;
	uint64_t partitions_failed; /* dropped ones included */
	uint64_t duration_ns;       /* of done jobs, from submit to end */
	uint64_t synthesis_ns;      /* of all partitions */
	uint64_t gpu_ns;
	uint32_t active; /* queued or running */
};

struct tracker_config {
	uint32_t active_max;
	uint32_t history_max;
	uint32_t worker_count;
};

struct tracker {
	struct tracker_config config;
	struct gaptrace_mutex mutex; /* `tracker`: guards all below */
	struct gaptrace_condition idle;
	struct gaptrace_rwlock status; /* guards the partitions' states and times */
	struct job **jobs;             /* by ascending id */
	uint32_t job_count;
	uint32_t job_capacity;
	uint64_t last_id;
	uint64_t last_sequence;
	struct tracker_worker *workers;
	struct tracker_counts counts;
	uint32_t undelivered_count; /* jobs that ended and that nobody has asked for since */
	bool is_draining;
	bool is_cancelled;
	bool has_given_up; /* nobody waits for deliveries any more */
};

MUST_CHECK enum status tracker_init(struct tracker *tracker, const struct tracker_config *config);

/* No job may be active. */
void tracker_finish(struct tracker *tracker);

/*
 * Numbers `job`, which the table references from now on, and traces its submission. OVER_LIMIT
 * when too many are active, STOPPED while draining.
 */
MUST_CHECK enum status tracker_add(struct tracker *tracker, struct job *job);

/* A reference to the job, NULL when there is none (any more). */
struct job *tracker_find(struct tracker *tracker, uint64_t id);

/* Once it is over, a job's state and results do not change any more. */
enum job_state tracker_state(struct tracker *tracker, const struct job *job);

/*
 * The job leaves the scheduler: gives its place in the order of all jobs. False when it was
 * cancelled before.
 */
bool tracker_begin(struct tracker *tracker, struct job *job, uint64_t *out_sequence);

/* The fail check: true when no more work is to be spent on this job. */
bool tracker_is_failing(struct tracker *tracker, const struct job *job);

/* The job fails, with this reason unless it had one already. */
void tracker_fail(struct tracker *tracker, struct job *job, const char *reason);

/* Takes the text, on which clients verify the job's proofs. */
void tracker_set_verification_key(struct tracker *tracker, struct job *job, char **text);

/* All active jobs fail as cancelled. Where none is active, or once more, ends the wait for
 * deliveries. */
void tracker_cancel_all(struct tracker *tracker);

/*
 * Fail check and mark busy in one: false when the job is failing, and the worker stays idle.
 * `out_wait_ns` is how long the lock took.
 */
bool tracker_worker_begin(struct tracker *tracker, uint32_t worker, const struct job *job,
	uint32_t partition, uint64_t *out_wait_ns);
void tracker_worker_end(struct tracker *tracker, uint32_t worker);

/* Where a partition is now. */
void tracker_partition(struct tracker *tracker, struct job *job, uint32_t partition,
	enum job_partition_state state);
void tracker_partition_synthesized(
	struct tracker *tracker, struct job *job, uint32_t partition, uint64_t synthesis_ns);

struct tracker_result {
	const struct proof *proof; /* NULL: failed, or simulated */
	blst_scalar *publics;      /* taken */
	uint32_t public_count;
	bool is_done;
	uint64_t gpu_ns;
};

/* A partition is over. True when it was the job's last one: then call tracker_job_end_locked(). */
bool tracker_partition_end_locked(struct tracker *tracker, struct job *job, uint32_t partition,
	struct tracker_result *result);

void tracker_fail_locked(struct job *job, enum job_state state, const char *reason);

/* Every partition is over: the job is done, failed or cancelled from now on. */
void tracker_job_end_locked(struct tracker *tracker, struct job *job);

/* No job is accepted any more. */
void tracker_drain(struct tracker *tracker);

/* A client has what it came for: the proofs of a done job, the reason of a failed one. */
void tracker_deliver(struct tracker *tracker, struct job *job);

/* Blocks until every ended job was delivered or is given up, or `deadline_ns` has passed. */
void tracker_wait_delivered(struct tracker *tracker, uint64_t deadline_ns);

/* Blocks until no job is active, or `deadline_ns` has passed; true when none is. */
bool tracker_wait_idle(struct tracker *tracker, uint64_t deadline_ns);
