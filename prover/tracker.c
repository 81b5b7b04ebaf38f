/* SPDX-License-Identifier: MIT */
#include "prover/tracker.h"

#include "prover/lock_registry.h"
#include "trace/base/clock.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Lock order everywhere: `tracker` before `status`. */
enum status tracker_init(struct tracker *tracker, const struct tracker_config *config)
{
	enum status status = STATUS_OK;

	assert(tracker && config && config->active_max > 0 && config->worker_count > 0);

	memset(tracker, 0, sizeof(*tracker));
	tracker->config = *config;
	tracker->workers = calloc(config->worker_count, sizeof(*tracker->workers));
	if (!tracker->workers) {
		return STATUS_NO_MEMORY;
	}
	gaptrace_condition_init(&tracker->idle, "jobs_idle");
	status = lock_registry_mutex_init(&tracker->mutex, "tracker");
	if (status != STATUS_OK) {
		free(tracker->workers);
		return status;
	}
	status = lock_registry_rwlock_init(&tracker->status, "status");
	if (status != STATUS_OK) {
		lock_registry_mutex_finish(&tracker->mutex);
		free(tracker->workers);
	}
	return status;
}

void tracker_finish(struct tracker *tracker)
{
	assert(tracker->counts.active == 0);

	for (uint32_t i = 0; i < tracker->job_count; i++) {
		job_unref(tracker->jobs[i]);
	}
	free(tracker->jobs);
	free(tracker->workers);
	lock_registry_rwlock_finish(&tracker->status);
	lock_registry_mutex_finish(&tracker->mutex);
	gaptrace_condition_finish(&tracker->idle);
}

static bool is_over(const struct job *job)
{
	return job->state != JOB_QUEUED && job->state != JOB_RUNNING;
}

/* Under the lock: forgets the oldest ended jobs beyond the history's length. */
static void forget_oldest(struct tracker *tracker)
{
	/* Jobs stand in the order of their ids, so the first that is over is the oldest. */
	uint32_t ended = tracker->job_count - tracker->counts.active;

	for (uint32_t i = 0; ended > tracker->config.history_max && i < tracker->job_count;) {
		if (!is_over(tracker->jobs[i])) {
			i++;
			continue;
		}
		tracker->undelivered_count -= !tracker->jobs[i]->is_delivered;
		job_unref(tracker->jobs[i]);
		tracker->job_count--;
		ended--;
		memmove(&tracker->jobs[i], &tracker->jobs[i + 1],
			(tracker->job_count - i) * sizeof(struct job *));
	}
}

static enum status make_room(struct tracker *tracker)
{
	uint32_t capacity = tracker->job_capacity ? 2 * tracker->job_capacity : 16;
	struct job **jobs = NULL;

	if (tracker->job_count < tracker->job_capacity) {
		return STATUS_OK;
	}
	jobs = realloc(tracker->jobs, capacity * sizeof(struct job *));
	if (!jobs) {
		return STATUS_NO_MEMORY;
	}
	tracker->jobs = jobs;
	tracker->job_capacity = capacity;
	return STATUS_OK;
}

enum status tracker_add(struct tracker *tracker, struct job *job)
{
	enum status status = STATUS_OK;

	gaptrace_mutex_lock(&tracker->mutex);
	if (tracker->is_draining) {
		status = STATUS_STOPPED;
	} else if (tracker->counts.active >= tracker->config.active_max) {
		status = STATUS_OVER_LIMIT;
	} else {
		status = make_room(tracker);
	}
	if (status == STATUS_OK) {
		tracker->last_id++;
		job->id = tracker->last_id;
		/* Under the lock, so that job_submit events have ascending ids and times. */
		job->submitted_ns = clock_now_ns();
		job->trace = (struct gaptrace_job){.id = job->id,
			.kind = job_kind_name(job->request.kind),
			.partition_count = job->request.partition_count};
		gaptrace_job_submit(&job->trace);
		tracker->jobs[tracker->job_count] = job_ref(job);
		tracker->job_count++;
		tracker->counts.active++;
		tracker->counts.submitted++;
	} else {
		tracker->counts.refused++;
	}
	gaptrace_mutex_unlock(&tracker->mutex);
	return status;
}

struct job *tracker_find(struct tracker *tracker, uint64_t id)
{
	struct job *job = NULL;
	uint32_t begin = 0;
	uint32_t end = 0;

	gaptrace_mutex_lock(&tracker->mutex);
	/* Ids ascend, and forgetting leaves gaps but no disorder: halve. */
	end = tracker->job_count;
	while (begin < end) {
		uint32_t middle = begin + (end - begin) / 2;

		if (tracker->jobs[middle]->id < id) {
			begin = middle + 1;
		} else {
			end = middle;
		}
	}
	if (begin < tracker->job_count && tracker->jobs[begin]->id == id) {
		job = job_ref(tracker->jobs[begin]);
	}
	gaptrace_mutex_unlock(&tracker->mutex);
	return job;
}

enum job_state tracker_state(struct tracker *tracker, const struct job *job)
{
	enum job_state state = JOB_QUEUED;

	gaptrace_mutex_lock(&tracker->mutex);
	state = job->state;
	gaptrace_mutex_unlock(&tracker->mutex);
	return state;
}

bool tracker_begin(struct tracker *tracker, struct job *job, uint64_t *out_sequence)
{
	bool is_wanted = false;

	gaptrace_mutex_lock(&tracker->mutex);
	is_wanted = !job->is_failing;
	job->state = JOB_RUNNING;
	job->begin_ns = clock_now_ns();
	tracker->last_sequence++;
	*out_sequence = tracker->last_sequence;
	gaptrace_job_begin(&job->trace);
	gaptrace_mutex_unlock(&tracker->mutex);
	return is_wanted;
}

bool tracker_is_failing(struct tracker *tracker, const struct job *job)
{
	bool is_failing = false;

	gaptrace_mutex_lock(&tracker->mutex);
	is_failing = job->is_failing;
	gaptrace_mutex_unlock(&tracker->mutex);
	return is_failing;
}

void tracker_fail_locked(struct job *job, enum job_state state, const char *reason)
{
	/* The first reason is told; what fails after it mostly fails because of it. */
	if (!job->is_failing && !is_over(job)) {
		job->is_failing = true;
		job->failing_state = state;
		(void)snprintf(job->error, sizeof(job->error), "%s", reason);
	}
}

void tracker_fail(struct tracker *tracker, struct job *job, const char *reason)
{
	gaptrace_mutex_lock(&tracker->mutex);
	tracker_fail_locked(job, JOB_FAILED, reason);
	gaptrace_mutex_unlock(&tracker->mutex);
}

void tracker_set_verification_key(struct tracker *tracker, struct job *job, char **text)
{
	gaptrace_mutex_lock(&tracker->mutex);
	job->verification_key_text = MOVE(*text);
	gaptrace_mutex_unlock(&tracker->mutex);
}

void tracker_cancel_all(struct tracker *tracker)
{
	gaptrace_mutex_lock(&tracker->mutex);
	/* With nothing left to cancel it is the waiting that is to end. */
	tracker->has_given_up = tracker->is_cancelled || tracker->counts.active == 0;
	for (uint32_t i = 0; i < tracker->job_count; i++) {
		tracker_fail_locked(tracker->jobs[i], JOB_CANCELLED, "cancelled: the daemon stops");
	}
	tracker->is_cancelled = true;
	gaptrace_condition_broadcast(&tracker->idle);
	gaptrace_mutex_unlock(&tracker->mutex);
}

bool tracker_worker_begin(struct tracker *tracker, uint32_t worker, const struct job *job,
	uint32_t partition, uint64_t *out_wait_ns)
{
	struct tracker_worker *entry = &tracker->workers[worker];
	bool is_wanted = false;
	uint64_t begin_ns = clock_now_ns();

	gaptrace_mutex_lock(&tracker->mutex);
	/* The daemon's own measure of the wait that the trace shows: tests hold one against the
	 * other. */
	*out_wait_ns = clock_now_ns() - begin_ns;
	is_wanted = !job->is_failing;
	if (is_wanted) {
		entry->job = job->id;
		entry->partition = partition;
		entry->since_ns = clock_now_ns();
		entry->tid = (int32_t)syscall(SYS_gettid);
	}
	gaptrace_mutex_unlock(&tracker->mutex);
	return is_wanted;
}

void tracker_worker_end(struct tracker *tracker, uint32_t worker)
{
	struct tracker_worker *entry = &tracker->workers[worker];

	gaptrace_mutex_lock(&tracker->mutex);
	entry->job = 0;
	entry->since_ns = clock_now_ns();
	gaptrace_mutex_unlock(&tracker->mutex);
}

void tracker_partition(struct tracker *tracker, struct job *job, uint32_t partition,
	enum job_partition_state state)
{
	gaptrace_rwlock_write_lock(&tracker->status);
	job->partitions[partition].state = state;
	gaptrace_rwlock_unlock(&tracker->status);
}

void tracker_partition_synthesized(
	struct tracker *tracker, struct job *job, uint32_t partition, uint64_t synthesis_ns)
{
	gaptrace_rwlock_write_lock(&tracker->status);
	job->partitions[partition].state = JOB_PARTITION_SYNTHESIZED;
	job->partitions[partition].synthesis_ns = synthesis_ns;
	gaptrace_rwlock_unlock(&tracker->status);
}

bool tracker_partition_end_locked(
	struct tracker *tracker, struct job *job, uint32_t partition, struct tracker_result *result)
{
	struct job_partition *entry = &job->partitions[partition];

	gaptrace_rwlock_write_lock(&tracker->status);
	entry->state = result->is_done ? JOB_PARTITION_DONE : JOB_PARTITION_FAILED;
	entry->gpu_ns = result->gpu_ns;
	/* Under `status`, which guards the partitions' figures. */
	tracker->counts.synthesis_ns += entry->synthesis_ns;
	gaptrace_rwlock_unlock(&tracker->status);

	if (result->is_done) {
		tracker->counts.partitions_done++;
	} else {
		tracker->counts.partitions_failed++;
	}
	tracker->counts.gpu_ns += result->gpu_ns;
	if (result->proof) {
		entry->has_proof = true;
		entry->proof = *result->proof;
		entry->publics = MOVE(result->publics);
		entry->public_count = result->public_count;
	}
	/* Whoever brings it to the partition count ends the job: exactly one finalizer does. */
	job->ended_count++;
	assert(job->ended_count <= job->request.partition_count);
	return job->ended_count == job->request.partition_count;
}

/* A failed job has no proof, so it keeps none of its parts. */
static void drop_proofs(struct job *job)
{
	for (uint32_t i = 0; i < job->request.partition_count; i++) {
		job->partitions[i].has_proof = false;
		free(job->partitions[i].publics);
		job->partitions[i].publics = NULL;
	}
}

void tracker_job_end_locked(struct tracker *tracker, struct job *job)
{
	assert(!is_over(job));

	job->state = job->is_failing ? job->failing_state : JOB_DONE;
	job->end_ns = clock_now_ns();
	tracker->counts.active--;
	/* A daemon that stops waits a while for clients who have not fetched these. */
	tracker->undelivered_count++;
	if (job->state == JOB_DONE) {
		tracker->counts.done[job->request.kind]++;
		tracker->counts.duration_ns += job->end_ns - job->submitted_ns;
		job->trace.status = GAPTRACE_JOB_DONE;
	} else if (job->state == JOB_FAILED) {
		tracker->counts.failed[job->request.kind]++;
		job->trace.status = GAPTRACE_JOB_FAILED;
		drop_proofs(job);
	} else {
		tracker->counts.cancelled++;
		job->trace.status = GAPTRACE_JOB_CANCELLED;
		drop_proofs(job);
	}
	/* After the counts, before waiters are woken: an idle daemon has no open job in its
	 * trace. */
	gaptrace_job_end(&job->trace);
	forget_oldest(tracker);
	if (tracker->counts.active == 0) {
		gaptrace_condition_broadcast(&tracker->idle);
	}
}

void tracker_drain(struct tracker *tracker)
{
	gaptrace_mutex_lock(&tracker->mutex);
	tracker->is_draining = true;
	gaptrace_mutex_unlock(&tracker->mutex);
}

void tracker_deliver(struct tracker *tracker, struct job *job)
{
	gaptrace_mutex_lock(&tracker->mutex);
	if (is_over(job) && !job->is_delivered) {
		job->is_delivered = true;
		tracker->undelivered_count--;
		if (tracker->undelivered_count == 0) {
			gaptrace_condition_broadcast(&tracker->idle);
		}
	}
	gaptrace_mutex_unlock(&tracker->mutex);
}

void tracker_wait_delivered(struct tracker *tracker, uint64_t deadline_ns)
{
	gaptrace_mutex_lock(&tracker->mutex);
	/* The condition serves both waits; each looks at its own words again. */
	while (tracker->undelivered_count > 0 && !tracker->has_given_up &&
		gaptrace_condition_wait_until(&tracker->idle, &tracker->mutex, deadline_ns)) {
	}
	gaptrace_mutex_unlock(&tracker->mutex);
}

bool tracker_wait_idle(struct tracker *tracker, uint64_t deadline_ns)
{
	bool is_idle = false;

	gaptrace_mutex_lock(&tracker->mutex);
	while (tracker->counts.active > 0 &&
		gaptrace_condition_wait_until(&tracker->idle, &tracker->mutex, deadline_ns)) {
	}
	is_idle = tracker->counts.active == 0;
	gaptrace_mutex_unlock(&tracker->mutex);
	return is_idle;
}
