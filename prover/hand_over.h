/* SPDX-License-Identifier: MIT */
/*
 * From synthesis to the GPU queues: each partition at once, or, to reproduce a herd, all of a job
 * together when its last one is synthesized. Held partitions keep their memory, so they are let go
 * when the dispatcher must wait for some, and when their job fails.
 */
#pragma once

#include "prover/partition.h"
#include "prover/pipeline.h"
#include "trace/base/status.h"

#include <stdint.h>

struct hand_over;

MUST_CHECK enum status hand_over_create(struct hand_over **out_hand_over);

/* Nothing may be held. Accepts NULL. */
void hand_over_destroy(struct hand_over *hand_over);

/* Takes a synthesized partition and queues or holds it. */
void hand_over_partition(struct pipeline *pipeline, struct partition *partition);

/* Takes one that was queued for a device that is lost meanwhile, and queues it for another. */
void hand_over_again(struct pipeline *pipeline, struct partition *partition);

/* Lets go what is held of `job`, now and later. */
void hand_over_flush_job(struct pipeline *pipeline, struct job *job);

/* The dispatcher is about to reserve `bytes`: if it must wait, nothing is held until the end. */
void hand_over_begin_flush(struct pipeline *pipeline, uint64_t bytes);
void hand_over_end_flush(struct pipeline *pipeline);
