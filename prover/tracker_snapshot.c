/* SPDX-License-Identifier: MIT */
#include "prover/tracker_snapshot.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static bool is_wanted(const struct job *job, enum tracker_snapshot_scope scope, uint64_t id)
{
	switch (scope) {
	case TRACKER_SNAPSHOT_ACTIVE:
		return job->state == JOB_QUEUED || job->state == JOB_RUNNING;
	case TRACKER_SNAPSHOT_ONE:
		return job->id == id;
	case TRACKER_SNAPSHOT_ALL:
		break;
	}
	return true;
}

/* Under both locks. */
static enum status copy_job(const struct job *job, struct tracker_snapshot_job *copy)
{
	uint32_t count = job->request.partition_count;

	*copy = (struct tracker_snapshot_job){.id = job->id,
		.kind = job->request.kind,
		.priority = job->request.priority,
		.state = job->state,
		.partition_count = count,
		.submitted_ns = job->submitted_ns,
		.begin_ns = job->begin_ns,
		.end_ns = job->end_ns};
	memcpy(copy->error, job->error, sizeof(copy->error));
	copy->partitions = calloc(count, sizeof(*copy->partitions));
	if (!copy->partitions) {
		return STATUS_NO_MEMORY;
	}
	for (uint32_t i = 0; i < count; i++) {
		const struct job_partition *partition = &job->partitions[i];

		copy->partitions[i] = (struct tracker_snapshot_partition){.state = partition->state,
			.synthesis_ns = partition->synthesis_ns,
			.gpu_ns = partition->gpu_ns,
			.has_proof = partition->has_proof};
		copy->done_count += partition->state == JOB_PARTITION_DONE;
	}
	return STATUS_OK;
}

/* Under both locks. */
static enum status fill(struct tracker *tracker, enum tracker_snapshot_scope scope, uint64_t id,
	struct tracker_snapshot *snapshot)
{
	uint32_t workers = tracker->config.worker_count;
	enum status status = STATUS_OK;

	snapshot->counts = tracker->counts;
	snapshot->is_draining = tracker->is_draining;
	snapshot->workers = calloc(workers, sizeof(*snapshot->workers));
	/* One more, since there may be none, and an empty answer is no failure. */
	snapshot->jobs = calloc(tracker->job_count + 1, sizeof(*snapshot->jobs));
	if (!snapshot->workers || !snapshot->jobs) {
		return STATUS_NO_MEMORY;
	}
	memcpy(snapshot->workers, tracker->workers, workers * sizeof(*snapshot->workers));
	snapshot->worker_count = workers;
	for (uint32_t i = 0; i < tracker->job_count && status == STATUS_OK; i++) {
		if (is_wanted(tracker->jobs[i], scope, id)) {
			status = copy_job(tracker->jobs[i], &snapshot->jobs[snapshot->job_count]);
			/* Counted even when its copy failed, so that it is freed. */
			snapshot->job_count++;
		}
	}
	return status;
}

enum status tracker_snapshot_create(struct tracker *tracker, enum tracker_snapshot_scope scope,
	uint64_t id, struct tracker_snapshot **out_snapshot)
{
	AUTO(tracker_snapshot_destroy)
	struct tracker_snapshot *snapshot = calloc(1, sizeof(*snapshot));
	enum status status = STATUS_OK;

	assert(tracker && out_snapshot);

	if (!snapshot) {
		return STATUS_NO_MEMORY;
	}
	gaptrace_mutex_lock(&tracker->mutex);
	/* The order of both locks is the same everywhere: `tracker`, then `status`. */
	gaptrace_rwlock_read_lock(&tracker->status);
	status = fill(tracker, scope, id, snapshot);
	gaptrace_rwlock_unlock(&tracker->status);
	gaptrace_mutex_unlock(&tracker->mutex);
	if (status == STATUS_OK) {
		*out_snapshot = MOVE(snapshot);
	}
	return status;
}

void tracker_snapshot_destroy(struct tracker_snapshot *snapshot)
{
	if (!snapshot) {
		return;
	}
	for (uint32_t i = 0; snapshot->jobs && i < snapshot->job_count; i++) {
		free(snapshot->jobs[i].partitions);
	}
	free(snapshot->jobs);
	free(snapshot->workers);
	free(snapshot);
}
