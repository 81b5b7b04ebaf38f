/* SPDX-License-Identifier: MIT */
#include "prover/partition.h"

#include "prover/hand_over.h"
#include "prover/stages.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Below glibc's threshold for a mapping of its own, so that the heap keeps what is freed. */
#define CHURN_BLOCK_BYTES 65536

enum status partition_create(struct pipeline *pipeline, struct job *job, uint64_t sequence,
	uint32_t index, struct partition **out_partition)
{
	struct partition *partition = calloc(1, sizeof(*partition));

	assert(pipeline && job && out_partition);

	if (!partition) {
		return STATUS_NO_MEMORY;
	}
	partition->pipeline = pipeline;
	partition->job = job_ref(job);
	partition->sequence = sequence;
	partition->index = index;
	partition->entry.major = sequence;
	partition->entry.minor = index;
	partition->entry.item.work = partition_work(partition, GAPTRACE_NONE);
	*out_partition = partition;
	return STATUS_OK;
}

struct gaptrace_work partition_work(const struct partition *partition, int32_t device)
{
	return (struct gaptrace_work){.job = partition->job->id,
		.partition = (int32_t)partition->index,
		.device = device};
}

struct partition *partition_of_entry(struct priority_queue_entry *entry)
{
	/* The entry is the struct's first member. */
	return (struct partition *)entry;
}

void partition_release(struct partition *partition, uint64_t bytes)
{
	if (bytes > partition->reserved_bytes) {
		bytes = partition->reserved_bytes;
	}
	partition->reserved_bytes -= bytes;
	memory_budget_release(
		&partition->pipeline->budget, bytes, partition_work(partition, GAPTRACE_NONE));
}

void partition_fail(struct partition **partition, const char *reason)
{
	struct partition *failed = MOVE(*partition);
	struct pipeline *pipeline = failed->pipeline;

	/* Without one the job is failing already. */
	if (reason) {
		tracker_fail(&pipeline->tracker, failed->job, reason);
	}
	hand_over_flush_job(pipeline, failed->job);
	/* Its memory first, then its reservation: the budget must not run ahead of the host. */
	partition_proof_destroy(MOVE(failed->proof));
	synthesized_destroy(MOVE(failed->synthesized));
	partition_release(failed, failed->reserved_bytes);
	finalizer_end_partition(pipeline, failed, &(struct tracker_result){.is_done = false});
	partition_destroy(failed);
}

void partition_destroy(struct partition *partition)
{
	if (!partition) {
		return;
	}
	assert(partition->reserved_bytes == 0);
	partition_proof_destroy(partition->proof);
	synthesized_destroy(partition->synthesized);
	partition_churn_release(partition->churn);
	if (partition->churn) {
		free(partition->churn->blocks[partition->churn->block_count - 1]);
	}
	free(partition->churn);
	free(partition->publics);
	job_unref(partition->job);
	free(partition);
}

struct partition_churn *partition_churn_create(uint64_t bytes)
{
	uint64_t block_count = bytes / CHURN_BLOCK_BYTES;
	struct partition_churn *churn = NULL;

	if (block_count == 0) {
		return NULL;
	}
	churn = calloc(1, sizeof(*churn) + block_count * sizeof(void *));
	if (!churn) {
		return NULL;
	}
	churn->block_count = block_count;
	for (uint64_t i = 0; i < block_count; i++) {
		churn->blocks[i] = malloc(CHURN_BLOCK_BYTES);
		if (churn->blocks[i]) {
			/* Touched, or there would be no pages to give back. */
			memset(churn->blocks[i], 1, CHURN_BLOCK_BYTES);
		}
	}
	return churn;
}

void partition_churn_release(struct partition_churn *churn)
{
	/* The last block stays: it keeps the heap's top in use, so that free() trims nothing. */
	for (uint64_t i = 0; churn && i + 1 < churn->block_count; i++) {
		free(churn->blocks[i]);
		churn->blocks[i] = NULL;
	}
}
