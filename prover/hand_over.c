/* SPDX-License-Identifier: MIT */
#include "prover/hand_over.h"

#include "prover/device_loss.h"
#include "prover/lock_registry.h"

#include <assert.h>
#include <stdlib.h>

struct hand_over {
	struct gaptrace_mutex mutex; /* `hand_over`: guards all below, and as job.h says */
	struct partition *held;
	uint32_t next_queue;
	bool is_flushing;
};

enum status hand_over_create(struct hand_over **out_hand_over)
{
	struct hand_over *hand_over = calloc(1, sizeof(*hand_over));
	enum status status = STATUS_OK;

	if (!hand_over) {
		return STATUS_NO_MEMORY;
	}
	status = lock_registry_mutex_init(&hand_over->mutex, "hand_over");
	if (status != STATUS_OK) {
		free(hand_over);
		return status;
	}
	*out_hand_over = hand_over;
	return STATUS_OK;
}

void hand_over_destroy(struct hand_over *hand_over)
{
	if (!hand_over) {
		return;
	}
	assert(!hand_over->held);
	lock_registry_mutex_finish(&hand_over->mutex);
	free(hand_over);
}

/* The first queue from `index` on whose device is not lost. */
static uint32_t skip_lost(const struct pipeline *pipeline, uint32_t index)
{
	for (uint32_t i = 0; i < pipeline->gpu_queue_count; i++) {
		const uint32_t next = (index + i) % pipeline->gpu_queue_count;

		if (!device_loss_has(pipeline, next)) {
			return next;
		}
	}
	return index;
}

/* The GPU queue of a partition: the shared one, the next in turn, or always the first. */
static struct priority_queue *choose_queue(struct pipeline *pipeline, struct partition *partition)
{
	struct hand_over *hand_over = pipeline->hand_over;
	uint32_t index = 0;

	if (pipeline->config.gpu.affinity == CONFIG_AFFINITY_PER_DEVICE) {
		gaptrace_mutex_lock(&hand_over->mutex);
		index = hand_over->next_queue;
		hand_over->next_queue = (index + 1) % pipeline->gpu_queue_count;
		gaptrace_mutex_unlock(&hand_over->mutex);
	}
	/* Items of a device's own queue name it, which tells a report whose queue it is. */
	if (pipeline->gpu_queue_count > 1) {
		index = skip_lost(pipeline, index);
		partition->entry.item.work.device = (int32_t)index;
	}
	return &pipeline->gpu_queues[index];
}

static void queue_for_gpu(struct pipeline *pipeline, struct partition *partition)
{
	enum status status = STATUS_OK;

	/* (job, partition): an older job's partitions first. */
	partition->entry.major = partition->sequence;
	partition->entry.minor = partition->index;
	status = priority_queue_push(choose_queue(pipeline, partition), &partition->entry);
	if (status != STATUS_OK) {
		partition_fail(&partition, status_text(status));
	}
}

void hand_over_again(struct pipeline *pipeline, struct partition *partition)
{
	queue_for_gpu(pipeline, partition);
}

/* Under the lock: takes the held partitions of `job` out of the list; of all jobs for NULL. */
static struct partition *take_held(struct hand_over *hand_over, const struct job *job)
{
	struct partition *taken = NULL;
	struct partition **link = &hand_over->held;

	while (*link) {
		struct partition *partition = *link;

		if (job && partition->job != job) {
			link = &partition->next_held;
			continue;
		}
		*link = partition->next_held;
		partition->next_held = taken;
		/* Its later partitions go as they come: those they would wait for are gone. */
		partition->job->hands_over_at_once = true;
		taken = partition;
	}
	return taken;
}

static void queue_all(struct pipeline *pipeline, struct partition *partition)
{
	while (partition) {
		struct partition *next = partition->next_held;

		partition->next_held = NULL;
		queue_for_gpu(pipeline, partition);
		partition = next;
	}
}

void hand_over_partition(struct pipeline *pipeline, struct partition *partition)
{
	struct hand_over *hand_over = pipeline->hand_over;
	struct job *job = partition->job;
	struct partition *ready = NULL;

	if (pipeline->config.synthesis.hand_over == CONFIG_HAND_OVER_PARTITION) {
		queue_for_gpu(pipeline, partition);
		return;
	}
	gaptrace_mutex_lock(&hand_over->mutex);
	job->held_count++;
	/* The dispatcher waits for memory that only held partitions can release. */
	if (hand_over->is_flushing) {
		job->hands_over_at_once = true;
	}
	partition->next_held = hand_over->held;
	hand_over->held = partition;
	if (job->hands_over_at_once || job->held_count == job->request.partition_count) {
		ready = take_held(hand_over, job);
	}
	gaptrace_mutex_unlock(&hand_over->mutex);
	queue_all(pipeline, ready);
}

void hand_over_flush_job(struct pipeline *pipeline, struct job *job)
{
	struct hand_over *hand_over = pipeline->hand_over;
	struct partition *ready = NULL;

	if (pipeline->config.synthesis.hand_over == CONFIG_HAND_OVER_PARTITION) {
		return;
	}
	gaptrace_mutex_lock(&hand_over->mutex);
	job->hands_over_at_once = true;
	ready = take_held(hand_over, job);
	gaptrace_mutex_unlock(&hand_over->mutex);
	queue_all(pipeline, ready);
}

void hand_over_begin_flush(struct pipeline *pipeline, uint64_t bytes)
{
	struct hand_over *hand_over = pipeline->hand_over;
	struct memory_budget_counts counts;
	struct partition *ready = NULL;

	if (pipeline->config.synthesis.hand_over == CONFIG_HAND_OVER_PARTITION) {
		return;
	}
	/* Before the lock: no other one is taken under it. */
	counts = memory_budget_counts(&pipeline->budget);
	if (bytes <= counts.limit_bytes - counts.used_bytes) {
		return;
	}
	gaptrace_mutex_lock(&hand_over->mutex);
	hand_over->is_flushing = true;
	ready = take_held(hand_over, NULL);
	gaptrace_mutex_unlock(&hand_over->mutex);
	queue_all(pipeline, ready);
}

void hand_over_end_flush(struct pipeline *pipeline)
{
	struct hand_over *hand_over = pipeline->hand_over;

	if (pipeline->config.synthesis.hand_over == CONFIG_HAND_OVER_PARTITION) {
		return;
	}
	gaptrace_mutex_lock(&hand_over->mutex);
	hand_over->is_flushing = false;
	gaptrace_mutex_unlock(&hand_over->mutex);
}
