/* SPDX-License-Identifier: MIT */
/* The pipeline's stages: what each of its threads runs, and what hands work between them. */
#pragma once

#include "prover/partition.h"
#include "prover/pipeline.h"

/* An entry of the scheduler's heap. */
struct scheduler_entry {
	struct priority_queue_entry entry;
	struct job *job; /* a reference */
};

/* scheduler.c: gives a job to the heap. The job is numbered by the tracker already. */
void scheduler_submit(struct pipeline *pipeline, struct job *job);
/* Pops jobs, gets their keys, queues their partitions; until the heap is closed and empty. */
void scheduler_run(struct pipeline *pipeline);

/* dispatcher.c: pacer, memory budget and fail check in front of the dispatch channel. */
void dispatcher_run(struct pipeline *pipeline);

/* synthesis.c: one synthesis worker. */
void synthesis_run(struct pipeline *pipeline);

/* gpu_worker.c: worker `worker` of all, worker / workers_per_device of devices. */
void gpu_worker_run(struct pipeline *pipeline, uint32_t worker);

/* finalizer.c: the task that ends a started partition, its argument, which it takes. */
void finalizer_run(void *argument);

/* The end of a partition in the job table, in whatever way it came, and with the last one of its
 * job. */
void finalizer_end_partition(
	struct pipeline *pipeline, struct partition *partition, struct tracker_result *result);
