/* SPDX-License-Identifier: MIT */
/* Inside of the walk: all that it remembers, shared by the files walk*.c and nobody else. */
#pragma once

#include "analysis/core/walk.h"
#include "analysis/core/walk_call.h"
#include "analysis/core/walk_device.h"
#include "analysis/core/walk_import.h"
#include "analysis/core/walk_job.h"
#include "analysis/core/walk_lane.h"
#include "analysis/core/walk_lock.h"
#include "analysis/core/walk_loss.h"
#include "analysis/core/walk_names.h"
#include "analysis/core/walk_object.h"
#include "analysis/core/walk_queue.h"
#include "analysis/core/walk_sched.h"
#include "analysis/core/walk_teller.h"
#include "analysis/core/walk_witness.h"

/*
 * Activities, calls, holds and operations remembered, some 40 MiB. An open gap keeps all that came
 * since it began; past this, the older half is let go, and that time is untrusted.
 */
#define WALK_RECORD_COUNT_MAX 300000

/* A full sweep of the tables after so many events keeps its cost per event small. */
#define WALK_SWEEP_EVENTS 65536

/* A thread that has done nothing for so long is given up. */
#define WALK_LANE_IDLE_NS 60000000000ULL

/* Of more threads than any program has, none is kept for what it might still do. */
#define WALK_LANE_COUNT_IDLE 32768

struct walk {
	struct walk_names names;
	struct walk_lanes lanes;
	struct walk_calls calls;
	struct walk_locks locks;
	struct walk_queues queues;
	struct walk_objects objects;
	struct walk_jobs jobs;
	struct walk_scheds scheds;
	struct walk_devices devices;
	struct walk_imports imports;
	struct walk_losses losses;
	struct walk_tellers tellers;
	struct walk_map thread_names; /* const char * by thread */
	bool has_gpu_mutex;           /* somebody took one */
	struct walk_counts counts;
	struct walk_witness witness;
	uint64_t first_ns; /* of the first event */
	uint64_t now_ns;   /* of the latest one */
	uint64_t event_count;
	uint64_t swept_count; /* event_count of the last sweep */
};
