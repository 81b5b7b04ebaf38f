/* SPDX-License-Identifier: MIT */
#include "prover/hand_over.h"
#include "prover/stages.h"
#include "trace/base/clock.h"

/* The partitions that wait for a GPU: what the pacer steers by. */
static uint32_t waiting_for_gpu(struct pipeline *pipeline)
{
	uint32_t depth = 0;

	for (uint32_t i = 0; i < pipeline->gpu_queue_count; i++) {
		depth += priority_queue_counts(&pipeline->gpu_queues[i]).depth;
	}
	return depth;
}

static void dispatch(struct pipeline *pipeline, struct partition *partition)
{
	uint64_t bytes = partition->job->srs->partition_bytes;
	struct gaptrace_work work = partition_work(partition, GAPTRACE_NONE);
	uint64_t begin_ns = clock_now_ns();
	enum status status = STATUS_OK;

	if (pipeline->config.scheduler.pacer != CONFIG_PACER_OFF) {
		pacer_wait(&pipeline->pacer, waiting_for_gpu(pipeline));
		idle_meter_interval(pipeline->meter, IDLE_CLOCK_PACER, 0, begin_ns);
		partition->is_dispatched = true;
	}
	/* Before the wait: partitions held back for their job may hold the memory that this one
	 * needs. */
	hand_over_begin_flush(pipeline, bytes);
	begin_ns = clock_now_ns();
	status = srs_manager_reserve(pipeline->srs_manager, bytes, work);
	idle_meter_interval(pipeline->meter, IDLE_CLOCK_BUDGET, 0, begin_ns);
	hand_over_end_flush(pipeline);
	if (status != STATUS_OK) {
		partition_fail(&partition, status_text(status));
		return;
	}
	/* From here on partition_fail() gives it back. */
	partition->reserved_bytes = bytes;
	/* Again, after waits that may have lasted minutes. */
	if (tracker_is_failing(&pipeline->tracker, partition->job)) {
		partition_fail(&partition, NULL);
		return;
	}
	tracker_partition(
		&pipeline->tracker, partition->job, partition->index, JOB_PARTITION_DISPATCHED);
	/* The channel is first in, first out: equal keys leave by age. */
	partition->entry.major = 0;
	partition->entry.minor = 0;
	begin_ns = clock_now_ns();
	partition->upstream.dispatched_ns = begin_ns;
	status = priority_queue_push_wait(&pipeline->dispatch, &partition->entry);
	idle_meter_interval(pipeline->meter, IDLE_CLOCK_BACKPRESSURE, 0, begin_ns);
	if (status != STATUS_OK) {
		partition_fail(&partition, status_text(status));
	}
}

void dispatcher_run(struct pipeline *pipeline)
{
	struct priority_queue_entry *entry = NULL;

	while ((entry = priority_queue_pop(&pipeline->synth_queue))) {
		dispatch(pipeline, partition_of_entry(entry));
	}
	priority_queue_close(&pipeline->dispatch);
}
