/* SPDX-License-Identifier: MIT */
#include "prover/groth16/proof_json.h"
#include "prover/status_page.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A reference to a job whose proofs may be asked for. */
static enum status find_done(
	struct pipeline *pipeline, uint64_t id, struct diag *diag, struct job **out_job)
{
	AUTO(job_unref) struct job *job = tracker_find(&pipeline->tracker, id);
	enum job_state state = JOB_QUEUED;

	if (!job) {
		return diag_set(diag, STATUS_NOT_FOUND, "there is no job %" PRIu64, id);
	}
	/* Read under the lock; of the states, done and failed are final. */
	state = tracker_state(&pipeline->tracker, job);
	if (state == JOB_QUEUED || state == JOB_RUNNING) {
		return diag_set(diag, STATUS_EXISTS, "job %" PRIu64 " is %s: it has no proof yet",
			id, job_state_name(state));
	}
	if (state != JOB_DONE) {
		return diag_set(diag, STATUS_NOT_FOUND, "job %" PRIu64 " %s: %s", id,
			job_state_name(state), job->error);
	}
	if (pipeline_is_simulated(pipeline)) {
		return diag_set(diag, STATUS_NOT_FOUND,
			"job %" PRIu64 " was simulated: it has no proofs", id);
	}
	*out_job = MOVE(job);
	return STATUS_OK;
}

/* A done job's results do not change any more, so that no lock is needed to read them. */
static enum status print_partition(const struct job_partition *partition, FILE *stream)
{
	char *proof = NULL;
	char *publics = NULL;
	enum status status = proof_json_format(&partition->proof, &proof);

	if (status == STATUS_OK) {
		status = public_json_format(partition->publics, partition->public_count, &publics);
	}
	if (status == STATUS_OK) {
		(void)fprintf(stream, "{\"proof\": %s, \"public\": %s}", proof, publics);
	}
	free(proof);
	free(publics);
	return status;
}

enum status status_page_proofs(
	struct pipeline *pipeline, uint64_t id, struct diag *diag, char **out_text)
{
	AUTO(job_unref) struct job *job = NULL;
	enum status status = find_done(pipeline, id, diag, &job);
	char *text = NULL;
	size_t size = 0;
	FILE *stream = NULL;

	/* A NULL means that `status` and `diag` say why. */
	if (!job) {
		return status;
	}
	stream = open_memstream(&text, &size);
	if (!stream) {
		return STATUS_NO_MEMORY;
	}
	(void)fprintf(stream, "[");
	for (uint32_t i = 0; i < job->request.partition_count && status == STATUS_OK; i++) {
		(void)fprintf(stream, "%s", i == 0 ? "" : ",\n");
		status = print_partition(&job->partitions[i], stream);
	}
	(void)fprintf(stream, "]\n");
	if (fclose(stream) != 0 && status == STATUS_OK) {
		status = STATUS_NO_MEMORY;
	}
	if (status != STATUS_OK) {
		free(text);
		return status;
	}
	*out_text = text;
	return STATUS_OK;
}

enum status status_page_partition(struct pipeline *pipeline, uint64_t id, uint64_t partition,
	enum status_page_part part, struct diag *diag, char **out_text)
{
	AUTO(job_unref) struct job *job = NULL;
	enum status status = find_done(pipeline, id, diag, &job);
	const struct job_partition *entry = NULL;

	if (!job) {
		return status;
	}
	if (partition >= job->request.partition_count) {
		return diag_set(diag, STATUS_NOT_FOUND, "job %" PRIu64 " has no partition %" PRIu64,
			id, partition);
	}
	entry = &job->partitions[partition];
	if (part == STATUS_PAGE_PROOF) {
		return proof_json_format(&entry->proof, out_text);
	}
	return public_json_format(entry->publics, entry->public_count, out_text);
}

enum status status_page_verification_key(
	struct pipeline *pipeline, uint64_t id, struct diag *diag, char **out_text)
{
	AUTO(job_unref) struct job *job = NULL;
	enum status status = find_done(pipeline, id, diag, &job);

	if (!job) {
		return status;
	}
	/* The job's own copy: the key itself may have made room for another. */
	*out_text = strdup(job->verification_key_text);
	return *out_text ? STATUS_OK : STATUS_NO_MEMORY;
}
