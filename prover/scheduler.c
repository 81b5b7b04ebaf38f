/* SPDX-License-Identifier: MIT */
#include "prover/device_loss.h"
#include "prover/stages.h"
#include "trace/base/clock.h"

#include <stdlib.h>
#include <string.h>

/* `count` partitions of a job that were never queued are over. */
static void end_unqueued(struct pipeline *pipeline, struct job *job, uint32_t first, uint32_t count)
{
	for (uint32_t i = first; i < first + count; i++) {
		/* There is no partition to end, only the job's count of them: a job is over when
		 * all are. */
		struct partition stand_in = {.pipeline = pipeline, .job = job, .index = i};

		finalizer_end_partition(
			pipeline, &stand_in, &(struct tracker_result){.is_done = false});
	}
}

void scheduler_submit(struct pipeline *pipeline, struct job *job)
{
	struct scheduler_entry *entry = calloc(1, sizeof(*entry));
	enum status status = STATUS_NO_MEMORY;

	if (entry) {
		entry->job = job_ref(job);
		/* The heap's smallest key leaves first: the highest priority, then the oldest. */
		entry->entry.major = (uint64_t)(JOB_PRIORITY_CRITICAL - job->request.priority);
		entry->entry.item.work =
			(struct gaptrace_work){job->id, GAPTRACE_NONE, GAPTRACE_NONE};
		status = priority_queue_push(&pipeline->scheduler, &entry->entry);
	}
	if (status != STATUS_OK) {
		if (entry) {
			job_unref(entry->job);
		}
		free(entry);
		/* The caller has been told an id: the job must end and say why. */
		tracker_fail(&pipeline->tracker, job, status_text(status));
		end_unqueued(pipeline, job, 0, job->request.partition_count);
	}
}

static void queue_partitions(struct pipeline *pipeline, struct job *job, uint64_t sequence)
{
	uint32_t count = job->request.partition_count;

	for (uint32_t i = 0; i < count; i++) {
		struct partition *partition = NULL;
		enum status status = partition_create(pipeline, job, sequence, i, &partition);

		if (status == STATUS_OK) {
			partition->upstream.submitted_ns = job->submitted_ns;
			partition->upstream.queued_ns = clock_now_ns();
			status = priority_queue_push(&pipeline->synth_queue, &partition->entry);
		}
		/* Those before it are on their way and end by themselves. */
		if (status != STATUS_OK) {
			partition_destroy(partition);
			tracker_fail(&pipeline->tracker, job, status_text(status));
			end_unqueued(pipeline, job, i, count - i);
			return;
		}
	}
}

/* For clients that verify, since the key itself may be gone when they ask. */
static enum status keep_verification_key(struct pipeline *pipeline, struct job *job)
{
	char *text = NULL;

	if (!job->srs->verification_key_text) {
		return STATUS_OK;
	}
	text = strdup(job->srs->verification_key_text);
	if (!text) {
		return STATUS_NO_MEMORY;
	}
	tracker_set_verification_key(&pipeline->tracker, job, &text);
	return STATUS_OK;
}

static void start_job(struct pipeline *pipeline, struct job *job)
{
	struct diag diag = {.line = ""};
	struct gaptrace_span span;
	uint64_t sequence = 0;
	uint64_t begin_ns = 0;
	bool is_wanted = tracker_begin(&pipeline->tracker, job, &sequence);
	enum status status = STATUS_OK;

	if (is_wanted) {
		span = gaptrace_span_begin(
			"schedule", (struct gaptrace_work){job->id, GAPTRACE_NONE, GAPTRACE_NONE});
		begin_ns = clock_now_ns();
		/* May take seconds: jobs behind it wait, as they did in the daemon. */
		status = srs_acquire(pipeline->srs_manager, job, &diag, &job->srs);
		/* A load goes on without a device that it costs, and says nothing of it. */
		device_loss_tell(pipeline);
		idle_meter_interval(pipeline->meter, IDLE_CLOCK_SRS, 0, begin_ns);
		gaptrace_span_end(&span);
	}
	if (is_wanted && status == STATUS_OK) {
		status = keep_verification_key(pipeline, job);
	}
	if (status != STATUS_OK) {
		tracker_fail(&pipeline->tracker, job,
			diag.line[0] != '\0' ? diag.line : status_text(status));
		is_wanted = false;
	}
	if (is_wanted) {
		queue_partitions(pipeline, job, sequence);
	} else {
		end_unqueued(pipeline, job, 0, job->request.partition_count);
	}
}

void scheduler_run(struct pipeline *pipeline)
{
	struct priority_queue_entry *popped = NULL;

	while ((popped = priority_queue_pop(&pipeline->scheduler))) {
		struct scheduler_entry *entry = (struct scheduler_entry *)popped;

		start_job(pipeline, entry->job);
		job_unref(entry->job);
		free(entry);
	}
	/* The stage behind ends when it has emptied this. */
	priority_queue_close(&pipeline->synth_queue);
}
