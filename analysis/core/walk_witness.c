/* SPDX-License-Identifier: MIT */
#include "analysis/core/walk_witness.h"

#include <string.h>

/* Every other sample goes; from now on only every other job end is taken. */
static void thin_out(struct walk_witness *witness)
{
	struct walk_evidence *evidence = &witness->evidence;

	/* The later of each pair, so that samples stay spread over the run and the last one is
	 * kept. */
	for (uint32_t i = 0; i < WALK_FLOOR_SAMPLES_MAX / 2; i++) {
		memcpy(evidence->live_counts[i], evidence->live_counts[2 * i + 1],
			sizeof(evidence->live_counts[i]));
	}
	evidence->sample_count = WALK_FLOOR_SAMPLES_MAX / 2;
	witness->stride *= 2;
}

static void end_job(struct walk_witness *witness)
{
	struct walk_evidence *evidence = &witness->evidence;

	if (witness->stride == 0) {
		witness->stride = 1;
	}
	evidence->ended_jobs++;
	/* docs/causes.md, "buffer_leak": at most 64 samples, whatever the run's length. */
	if (evidence->ended_jobs % witness->stride != 0) {
		return;
	}
	memcpy(evidence->live_counts[evidence->sample_count], witness->live_counts,
		sizeof(witness->live_counts));
	evidence->sample_count++;
	if (evidence->sample_count == WALK_FLOOR_SAMPLES_MAX) {
		thin_out(witness);
	}
}

static void count_buffer(struct walk_witness *witness, const struct event *event)
{
	const size_t kind = (size_t)event->buffer.kind;

	witness->evidence.buffers++;
	if (kind < WALK_BUFFER_KINDS) {
		witness->live_counts[kind] = event->buffer.live_count;
	}
}

void walk_witness_add(struct walk_witness *witness, const struct event *event)
{
	struct walk_evidence *evidence = &witness->evidence;

	switch ((int)event->kind) {
	case EVENT_LOCK_ACQUIRE:
		evidence->locks++;
		return;
	case EVENT_TASK_BEGIN:
		evidence->tasks++;
		return;
	case EVENT_TASK_END:
		evidence->run_delays += event->task.run_delay_ns != GAPTRACE_UNKNOWN;
		return;
	case EVENT_SPAN_END:
		evidence->run_delays += event->span.run_delay_ns != GAPTRACE_UNKNOWN;
		return;
	case EVENT_GPU_MEMCPY:
		evidence->copies++;
		return;
	case EVENT_GPU_API:
		witness->has_calls = true;
		return;
	case EVENT_SCHED_SWITCH:
		evidence->scheds++;
		return;
	case EVENT_BUFFER_ALLOC:
	case EVENT_BUFFER_FREE:
		count_buffer(witness, event);
		return;
	case EVENT_JOB_END:
		end_job(witness);
		return;
	default:
		return;
	}
}
