/* SPDX-License-Identifier: MIT */
/*
 * Why devices had no kernel to run, by the prover's own clocks. GPU workers note what they are
 * about, the stages before them note intervals, devices note when kernels start and end; whenever a
 * kernel ends an idle stretch, the stretch is laid over what the worker that issued it had been
 * about. Nothing of it is recorded by the trace library or seen by the analysis, so a report can be
 * held against it. docs/profiles.md says what it takes to be the truth and how wrong it may be.
 */
#pragma once

#include "trace/base/cleanup.h"
#include "trace/base/status.h"

#include <stdint.h>

struct idle_meter;

/* What an idle stretch is charged to. */
enum idle_reason {
	IDLE_NO_WORK,
	IDLE_SRS_LOAD,
	IDLE_PACING,
	IDLE_BUDGET,
	IDLE_BACKPRESSURE,
	IDLE_DISPATCH,
	IDLE_SYNTHESIS,
	IDLE_STARVED, /* synthesis or a trim, which sleep nowhere, had no CPU */
	IDLE_PINNED_ALLOC,
	IDLE_PINNED_FREE,
	IDLE_TRACKER_TRIM,
	IDLE_TRACKER_CHECK,
	IDLE_TRACKER,
	IDLE_POOL,
	IDLE_START, /* the host's part of prove_start in front of the mutex */
	IDLE_PREP,
	IDLE_PREP_QUEUED,
	IDLE_MUTEX, /* another worker's region, and no kernel in it */
	IDLE_DEVICE_SYNC,
	IDLE_DEVICE_ALLOC,
	IDLE_COPY_PAGEABLE,
	IDLE_COPY_PINNED,
	IDLE_REGION, /* its own region: launches, streams waited for */
	IDLE_B_G2,
	IDLE_FREE,
	IDLE_FINISH,    /* the worker between its region and its next pop */
	IDLE_IMBALANCE, /* never again busy while another device was */
	IDLE_END,       /* after the last kernel of all */
	IDLE_UNSEEN,    /* longer ago than is kept */
	IDLE_REASON_COUNT
};

/* What a GPU worker is about; until it says otherwise. */
enum idle_stage {
	IDLE_STAGE_POP,
	IDLE_STAGE_TRACKER,
	IDLE_STAGE_POOL,
	IDLE_STAGE_START,
	IDLE_STAGE_MUTEX_WAIT,
	IDLE_STAGE_REGION,
	IDLE_STAGE_PREP_QUEUED,
	IDLE_STAGE_PREP,
	IDLE_STAGE_B_G2,
	IDLE_STAGE_FREE,
	IDLE_STAGE_FINISH
};

/* Intervals of which at most one goes on at a time; per device those behind the mark. */
enum idle_clock {
	IDLE_CLOCK_TRIM,  /* malloc_trim under the tracker lock */
	IDLE_CLOCK_CHECK, /* self-check under it */
	IDLE_CLOCK_PACER, /* the dispatcher in the pacer, and so on */
	IDLE_CLOCK_BUDGET,
	IDLE_CLOCK_BACKPRESSURE,
	IDLE_CLOCK_SRS,
	IDLE_CLOCK_PINNED_ALLOC, /* inside the driver's lock, as the next */
	IDLE_CLOCK_PINNED_FREE,
	IDLE_CLOCK_OF_DEVICE,
	IDLE_CLOCK_SYNC = IDLE_CLOCK_OF_DEVICE,
	IDLE_CLOCK_DEVICE_ALLOC,
	IDLE_CLOCK_COPY_PAGEABLE,
	IDLE_CLOCK_COPY_PINNED,
	IDLE_CLOCK_COUNT
};

/* Syntheses before it that a partition's worker is remembered by. */
#define IDLE_BEFORE_COUNT 4

/* When a partition passed the stages in front of the GPU queue. */
struct idle_upstream {
	uint64_t submitted_ns;
	uint64_t queued_ns;     /* in the synthesis queue: the key is there */
	uint64_t dispatched_ns; /* in the channel */
	uint64_t synthesis_begin_ns;
	uint64_t synthesis_work_ns; /* its memory is there */
	uint64_t synthesis_end_ns;
	uint64_t starved_ns; /* of its work: without a CPU though it wanted one */
	/* When its worker allocated for others, which it waited for in the channel; 0, 0: not. */
	uint64_t before_begin_ns[IDLE_BEFORE_COUNT];
	uint64_t before_work_ns[IDLE_BEFORE_COUNT];
};

/* One device's figures. */
struct idle_counts {
	uint64_t idle_ns;  /* without a kernel, from the first job's submit to the last job's end */
	uint64_t short_ns; /* of these in stretches below IDLE_METER_STRETCH_NS, charged to none */
	uint64_t reason_ns[IDLE_REASON_COUNT];
};

/* The report's own default threshold. */
#define IDLE_METER_STRETCH_NS 1000000ULL

/* Of a reason, as the counters file has it. */
const char *idle_reason_name(enum idle_reason reason);

MUST_CHECK enum status idle_meter_create(
	uint32_t device_count, uint32_t workers_per_device, struct idle_meter **out_meter);
/* Accepts NULL. */
void idle_meter_destroy(struct idle_meter *meter);
DEFINE_AUTO(struct idle_meter, idle_meter_destroy)

/* All that follow accept NULL for a meter and do nothing then. A worker is counted over all
 * devices, device by device. */
void idle_meter_job_submit(struct idle_meter *meter);
void idle_meter_job_end(struct idle_meter *meter);

/* From now on the worker is about that. */
void idle_meter_stage(struct idle_meter *meter, uint32_t worker, enum idle_stage stage);
/* The same from an earlier time on, which comes after the stage before it. */
void idle_meter_stage_at(
	struct idle_meter *meter, uint32_t worker, enum idle_stage stage, uint64_t begin_ns);
/* Ends its IDLE_STAGE_POP: what it popped came that way. The tracker is what comes next. */
void idle_meter_popped(struct idle_meter *meter, uint32_t worker,
	const struct idle_upstream *upstream, uint64_t popped_ns);

/* An interval that is over now. */
void idle_meter_interval(
	struct idle_meter *meter, enum idle_clock clock, uint32_t device, uint64_t begin_ns);
/* The same of work that sleeps nowhere and had the CPU for `cpu_ns` of it: the rest it starved. */
void idle_meter_work(
	struct idle_meter *meter, enum idle_clock clock, uint64_t begin_ns, uint64_t cpu_ns);
/* With its end. */
void idle_meter_interval_at(struct idle_meter *meter, enum idle_clock clock, uint32_t device,
	uint64_t begin_ns, uint64_t end_ns);

void idle_meter_kernel_begin(struct idle_meter *meter, uint32_t device, uint64_t begin_ns);
void idle_meter_kernel_end(struct idle_meter *meter, uint32_t device, uint64_t end_ns);

/* Up to the last job's end. */
struct idle_counts idle_meter_counts(struct idle_meter *meter, uint32_t device);
