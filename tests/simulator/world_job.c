/* SPDX-License-Identifier: MIT */
#include "tests/simulator/world_step.h"

#include <assert.h>

enum step world_job_note(struct world *world, int thread, const struct op *op)
{
	uint64_t job = world->items[world->threads[thread].item].job;
	struct event *event;

	if (op->code == OP_PARTITION_DONE && --world->job_partitions_left[job] > 0) {
		return STEP_NEXT;
	}
	if (op->code == OP_JOB_SUBMIT) {
		event = world_emit(world, EVENT_JOB_SUBMIT, thread);
		world->job_partitions_left[job] = (uint32_t)op->amount;
		world->job_submitted_ns[job] = world->now_ns;
		world->window_begin_ns = world->has_jobs ? world->window_begin_ns : world->now_ns;
		world->has_jobs = true;
		event->job.partitions = (uint32_t)op->amount;
	} else if (op->code == OP_JOB_BEGIN) {
		event = world_emit(world, EVENT_JOB_BEGIN, thread);
	} else {
		event = world_emit(world, EVENT_JOB_END, thread);
		event->job.duration_ns = world->now_ns - world->job_submitted_ns[job];
		world->job_ended_ns[job] = world->now_ns;
		world->window_end_ns = world->now_ns;
	}
	event->job.job = job;
	event->job.kind = "proof";
	return STEP_NEXT;
}

/*
 * kind 0: item number `amount`; kind 1: partition `amount` of the current item's job; kind 2: the
 * first item, or the one `amount` after the current one, and the thread ends after the last.
 */
enum step world_job_next_item(struct world *world, int thread, const struct op *op)
{
	struct thread *state = &world->threads[thread];

	if (op->kind == 2) {
		state->item = state->item < 0 ? 0 : state->item + (int)op->amount;
		return (size_t)state->item < world->item_count ? STEP_NEXT
							       : world_thread_finish(world, thread);
	}
	if (op->kind == 0) {
		state->item = (int)op->amount;
		return STEP_NEXT;
	}
	for (size_t i = 0; i < world->item_count; i++) {
		if (world->items[i].job == world->items[state->item].job &&
			world->items[i].partition == (int)op->amount) {
			state->item = (int)i;
			return STEP_NEXT;
		}
	}
	assert(false); /* no such partition */
	return STEP_NEXT;
}
