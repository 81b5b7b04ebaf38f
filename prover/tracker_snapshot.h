/* SPDX-License-Identifier: MIT */
/*
 * A consistent copy of the job and worker tables, taken at one moment under both of the tracker's
 * locks, so that pages are made of it without holding them.
 */
#pragma once

#include "prover/tracker.h"
#include "trace/base/cleanup.h"
#include "trace/base/status.h"

struct tracker_snapshot_partition {
	enum job_partition_state state;
	uint64_t synthesis_ns;
	uint64_t gpu_ns;
	bool has_proof;
};

struct tracker_snapshot_job {
	uint64_t id;
	enum job_kind kind;
	enum job_priority priority;
	enum job_state state;
	uint32_t partition_count;
	uint32_t done_count;
	uint64_t submitted_ns;
	uint64_t begin_ns; /* 0: not yet */
	uint64_t end_ns;
	char error[DIAG_LINE_BYTES_MAX];
	struct tracker_snapshot_partition *partitions;
};

struct tracker_snapshot {
	struct tracker_counts counts;
	bool is_draining;
	uint32_t job_count;
	struct tracker_snapshot_job *jobs;
	uint32_t worker_count;
	struct tracker_worker *workers;
};

enum tracker_snapshot_scope {
	TRACKER_SNAPSHOT_ACTIVE, /* jobs that are queued or running */
	TRACKER_SNAPSHOT_ALL,
	TRACKER_SNAPSHOT_ONE, /* the job of this id, if it is there */
};

/* Gives a snapshot, which the caller destroys. */
MUST_CHECK enum status tracker_snapshot_create(struct tracker *tracker,
	enum tracker_snapshot_scope scope, uint64_t id, struct tracker_snapshot **out_snapshot);

/* Accepts NULL. */
void tracker_snapshot_destroy(struct tracker_snapshot *snapshot);
DEFINE_AUTO(struct tracker_snapshot, tracker_snapshot_destroy)
