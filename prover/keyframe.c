/* SPDX-License-Identifier: MIT */
#include "prover/keyframe.h"

#include "prover/lock_registry.h"
#include "prover/pipeline.h"
#include "prover/tracker_snapshot.h"
#include "trace/base/clock.h"

#include <pthread.h>
#include <stdlib.h>

/* How long a recording that begins waits for its first keyframe. */
#define LOOK_NS (NS_PER_S / 10)

struct keyframe {
	struct pipeline *pipeline;
	pthread_t thread;
	struct gaptrace_mutex mutex; /* guards is_stopping */
	struct gaptrace_condition stopping;
	bool is_stopping;
	bool was_recording; /* when the thread was started, which it is handed to */
};

static void queue_state(struct priority_queue *queue, int32_t device)
{
	struct priority_queue_counts counts = priority_queue_counts(queue);

	gaptrace_state(&(struct gaptrace_state){.subject = GAPTRACE_STATE_QUEUE,
		.object = queue,
		.name = queue->name,
		.work = {0, GAPTRACE_NONE, device},
		.value = counts.depth,
		/* docs/events.md: 0 is no limit. */
		.limit = queue->capacity == UINT32_MAX ? 0 : queue->capacity});
}

static void pool_state(struct thread_pool *pool, const char *name)
{
	struct thread_pool_counts counts;

	if (!pool) {
		return;
	}
	counts = thread_pool_counts(pool);
	gaptrace_state(&(struct gaptrace_state){.subject = GAPTRACE_STATE_POOL,
		.object = pool,
		.name = name,
		.work = GAPTRACE_NO_WORK,
		.value = counts.backlog,
		.limit = counts.thread_count});
}

static void memory_states(struct pipeline *pipeline)
{
	struct memory_budget_counts budget = memory_budget_counts(&pipeline->budget);
	struct pinned_pool_counts pinned = pinned_pool_counts(pipeline->pinned_pool);

	gaptrace_state(&(struct gaptrace_state){.subject = GAPTRACE_STATE_BUDGET,
		.object = &pipeline->budget,
		.name = "budget",
		.work = GAPTRACE_NO_WORK,
		.value = budget.used_bytes,
		.limit = budget.limit_bytes});
	gaptrace_state(&(struct gaptrace_state){.subject = GAPTRACE_STATE_BUFFER,
		.object = pipeline->pinned_pool,
		.name = "abc",
		.work = GAPTRACE_NO_WORK,
		.value = pinned.live_bytes,
		.limit = pinned.live_count});
}

static void worker_state(
	struct pipeline *pipeline, const struct tracker_worker *worker, uint32_t index)
{
	bool is_busy = worker->job != 0;

	gaptrace_state(&(struct gaptrace_state){.subject = GAPTRACE_STATE_WORKER,
		.object = &pipeline->tracker.workers[index],
		/* What a report that begins in the middle of it needs; finer phases come as
		 * spans. */
		.name = is_busy ? "prove_start" : "idle",
		.work = {worker->job, is_busy ? (int32_t)worker->partition : GAPTRACE_NONE,
			(int32_t)worker->device},
		.tid = worker->tid,
		.value = index,
		.since_ns = worker->since_ns});
}

static void job_state(const struct tracker_snapshot_job *job)
{
	gaptrace_state(&(struct gaptrace_state){.subject = GAPTRACE_STATE_JOB,
		.name = job_kind_name(job->kind),
		.work = {job->id, GAPTRACE_NONE, GAPTRACE_NONE},
		.value = job->done_count,
		.limit = job->partition_count,
		.since_ns = job->submitted_ns});
}

static void job_and_worker_states(struct pipeline *pipeline)
{
	AUTO(tracker_snapshot_destroy) struct tracker_snapshot *snapshot = NULL;

	/* Without memory for a copy this keyframe is shorter, no more. */
	if (tracker_snapshot_create(&pipeline->tracker, TRACKER_SNAPSHOT_ACTIVE, 0, &snapshot) !=
		STATUS_OK) {
		return;
	}
	for (uint32_t i = 0; i < snapshot->worker_count; i++) {
		worker_state(pipeline, &snapshot->workers[i], i);
	}
	for (uint32_t i = 0; i < snapshot->job_count; i++) {
		job_state(&snapshot->jobs[i]);
	}
	/* So that a recording without a job says that there was none, and not that none was told.
	 */
	gaptrace_state(&(struct gaptrace_state){.subject = GAPTRACE_STATE_PROCESS,
		.object = pipeline,
		.name = GAPTRACE_STATE_OPEN_JOBS,
		.work = GAPTRACE_NO_WORK,
		.value = snapshot->job_count});
}

/* Lines of a keyframe are of a moment each: queues move while it is told. */
static void emit(struct pipeline *pipeline)
{
	gaptrace_keyframe();
	queue_state(&pipeline->scheduler, GAPTRACE_NONE);
	queue_state(&pipeline->synth_queue, GAPTRACE_NONE);
	queue_state(&pipeline->dispatch, GAPTRACE_NONE);
	for (uint32_t i = 0; i < pipeline->gpu_queue_count; i++) {
		queue_state(&pipeline->gpu_queues[i],
			pipeline->gpu_queue_count > 1 ? (int32_t)i : GAPTRACE_NONE);
	}
	pool_state(pipeline->blocking_pool, "blocking");
	pool_state(pipeline->groth16_pool, "groth16_pool");
	pool_state(pipeline->prep_pool, "prep");
	pool_state(pipeline->dealloc_pool, "dealloc");
	pool_state(pipeline->trim_pool, "trim");
	memory_states(pipeline);
	job_and_worker_states(pipeline);
}

static void *run(void *argument)
{
	struct keyframe *keyframe = argument;
	bool is_stopping = false;
	bool was_recording = keyframe->was_recording;
	uint64_t due_ns = clock_now_ns() + LOOK_NS;

	gaptrace_thread_name("keyframe");
	while (!is_stopping) {
		const uint64_t now_ns = clock_now_ns();
		/* Cheap enough to ask ten times a second, so that a recording that begins gets
		 * its state at once. */
		const bool is_recording = gaptrace_is_recording();

		if (is_recording && (!was_recording || now_ns >= due_ns)) {
			emit(keyframe->pipeline);
			/* Once more soon: a session turns its events on one after another. */
			due_ns = now_ns + (was_recording ? NS_PER_S : LOOK_NS);
		}
		was_recording = is_recording;
		gaptrace_mutex_lock(&keyframe->mutex);
		while (!keyframe->is_stopping && gaptrace_condition_wait_until(&keyframe->stopping,
							 &keyframe->mutex, now_ns + LOOK_NS)) {
		}
		is_stopping = keyframe->is_stopping;
		gaptrace_mutex_unlock(&keyframe->mutex);
	}
	gaptrace_thread_end();
	return NULL;
}

enum status keyframe_start(struct pipeline *pipeline, struct keyframe **out_keyframe)
{
	struct keyframe *keyframe = calloc(1, sizeof(*keyframe));
	enum status status = STATUS_OK;
	int error = 0;

	if (!keyframe) {
		return STATUS_NO_MEMORY;
	}
	keyframe->pipeline = pipeline;
	gaptrace_condition_init(&keyframe->stopping, NULL);
	status = lock_registry_mutex_init(&keyframe->mutex, "keyframe");
	if (status != STATUS_OK) {
		free(keyframe);
		return status;
	}
	/* Before the first job can come, so that a recording of the whole run begins with none. */
	keyframe->was_recording = gaptrace_is_recording();
	if (keyframe->was_recording) {
		emit(pipeline);
	}
	error = pthread_create(&keyframe->thread, NULL, run, keyframe);
	if (error != 0) {
		lock_registry_mutex_finish(&keyframe->mutex);
		free(keyframe);
		return status_from_errno(error);
	}
	*out_keyframe = keyframe;
	return STATUS_OK;
}

void keyframe_stop(struct keyframe *keyframe)
{
	if (!keyframe) {
		return;
	}
	gaptrace_mutex_lock(&keyframe->mutex);
	keyframe->is_stopping = true;
	gaptrace_condition_signal(&keyframe->stopping);
	gaptrace_mutex_unlock(&keyframe->mutex);
	(void)pthread_join(keyframe->thread, NULL);
	lock_registry_mutex_finish(&keyframe->mutex);
	gaptrace_condition_finish(&keyframe->stopping);
	free(keyframe);
}
