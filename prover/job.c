/* SPDX-License-Identifier: MIT */
#include "prover/job.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* In the order of the enumerations in job.h. Priorities begin at 1. */
static const char *const kind_names[] = {"merkle", "squaring", "files"};
static const char *const priority_names[] = {"", "low", "normal", "high", "critical"};
static const char *const state_names[] = {"queued", "running", "done", "failed", "cancelled"};
static const char *const partition_state_names[] = {"pending", "dispatched", "synthesizing",
	"synthesized", "gpu", "finishing", "done", "failed"};

const char *job_kind_name(enum job_kind kind)
{
	return kind_names[kind];
}

const char *job_priority_name(enum job_priority priority)
{
	return priority_names[priority];
}

const char *job_state_name(enum job_state state)
{
	return state_names[state];
}

const char *job_partition_state_name(enum job_partition_state state)
{
	return partition_state_names[state];
}

bool job_kind_find(const char *name, enum job_kind *out_kind)
{
	for (int i = 0; i < JOB_KIND_COUNT; i++) {
		if (strcmp(kind_names[i], name) == 0) {
			*out_kind = (enum job_kind)i;
			return true;
		}
	}
	return false;
}

bool job_priority_find(const char *name, enum job_priority *out_priority)
{
	for (int i = JOB_PRIORITY_LOW; i <= JOB_PRIORITY_CRITICAL; i++) {
		if (strcmp(priority_names[i], name) == 0) {
			*out_priority = (enum job_priority)i;
			return true;
		}
	}
	return false;
}

void job_request_finish(struct job_request *request)
{
	if (request->witness_paths) {
		for (uint32_t i = 0; i < request->partition_count; i++) {
			free(request->witness_paths[i]);
		}
	}
	if (request->secrets) {
		/* What a partition proves knowledge of. */
		explicit_bzero(
			request->secrets, (size_t)request->partition_count * request->secret_bytes);
	}
	free(request->witness_paths);
	free(request->secrets);
	free(request->key_path);
	memset(request, 0, sizeof(*request));
}

enum status job_create(struct job_request *request, struct job **out_job)
{
	struct job *job = NULL;

	assert(request && request->partition_count > 0 && out_job);

	job = calloc(1, sizeof(*job));
	if (!job) {
		return STATUS_NO_MEMORY;
	}
	job->partitions = calloc(request->partition_count, sizeof(*job->partitions));
	if (!job->partitions) {
		free(job);
		return STATUS_NO_MEMORY;
	}
	atomic_store(&job->reference_count, 1);
	/* Moved: the caller's request is empty after this. */
	job->request = *request;
	memset(request, 0, sizeof(*request));
	*out_job = job;
	return STATUS_OK;
}

struct job *job_ref(struct job *job)
{
	(void)atomic_fetch_add(&job->reference_count, 1);
	return job;
}

void job_unref(struct job *job)
{
	/* References are of the tracker, of each partition in flight, and of pages being made. */
	if (!job || atomic_fetch_sub(&job->reference_count, 1) != 1) {
		return;
	}
	for (uint32_t i = 0; i < job->request.partition_count; i++) {
		free(job->partitions[i].publics);
	}
	free(job->partitions);
	free(job->verification_key_text);
	job_request_finish(&job->request);
	free(job);
}
