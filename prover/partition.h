/* SPDX-License-Identifier: MIT */
/*
 * One partition on its way through the pipeline: from the synthesis queue through the dispatch
 * channel and a GPU queue to its finalizer. One thread at a time owns it; queues hand it on.
 */
#pragma once

#include "prover/idle_meter.h"
#include "prover/job.h"
#include "prover/partition_proof.h"
#include "prover/priority_queue.h"
#include "prover/synthesized.h"
#include "trace/base/cleanup.h"
#include "trace/base/status.h"

#include <stdint.h>

struct pipeline;

/* Small blocks as a synthesis of the real size leaves behind; NULL without [memory] churn_bytes. */
struct partition_churn {
	uint64_t block_count;
	void *blocks[];
};

struct partition {
	struct priority_queue_entry entry; /* first: queues give entries back */
	struct pipeline *pipeline;         /* borrowed */
	struct job *job;                   /* a reference */
	uint64_t sequence;                 /* the job's place in the order of all jobs */
	uint32_t index;
	uint32_t worker;         /* the GPU worker that started it */
	uint64_t reserved_bytes; /* what is still held of the memory budget */
	struct idle_upstream upstream;
	uint64_t gpu_begin_ns;
	uint64_t gpu_ns;    /* from prove_start's begin to prove_finish's end */
	bool is_dispatched; /* the pacer counts it */
	struct synthesized *synthesized;
	struct partition_proof *proof; /* between start and finish */
	blst_scalar *publics;          /* of the witness, for the result */
	uint32_t public_count;
	struct partition_churn *churn;
	struct partition *next_held; /* in the list of hand_over.h */
};

/* Gives a partition with a reference to `job` and its key (major, minor) = (sequence, index). */
MUST_CHECK enum status partition_create(struct pipeline *pipeline, struct job *job,
	uint64_t sequence, uint32_t index, struct partition **out_partition);

/* The work that trace points name, on `device` or GAPTRACE_NONE. */
struct gaptrace_work partition_work(const struct partition *partition, int32_t device);

/* The partition that a queue gave back; NULL for NULL. */
struct partition *partition_of_entry(struct priority_queue_entry *entry);

/* Gives back `bytes` of its reservation, or what is left if that is less. */
void partition_release(struct partition *partition, uint64_t bytes);

/*
 * Takes a partition that will not be proved: its job fails, with `reason` unless it had one, and
 * everything the partition held is given back. NULL when the job is failing already.
 */
void partition_fail(struct partition **partition, const char *reason);

/* Frees all that is left of it; the tracker must know its end already. Accepts NULL. */
void partition_destroy(struct partition *partition);
DEFINE_AUTO(struct partition, partition_destroy)

/* What synthesis takes and the finalizer gives back, all blocks but the last before the trim. */
struct partition_churn *partition_churn_create(uint64_t bytes);
void partition_churn_release(struct partition_churn *churn);
