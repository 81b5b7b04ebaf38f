/* SPDX-License-Identifier: MIT */
#include "analysis/core/work_meter.h"

/* Work that ended before the first job was submitted was none of the window. */
static void begin(struct work_meter *meter, const struct window *window, struct blocks *blocks)
{
	if (meter->has_begun || !window->has_begun) {
		return;
	}
	meter->has_begun = true;
	if (!window->is_begin_cut) {
		blocks_forget_work(blocks);
	}
}

/* Partitions that finished are counted; where the recording tells of none, those of whole jobs. */
static void add_partitions(struct work_meter *meter, const struct event *event,
	const struct window *window, struct blocks *blocks)
{
	if (window->partitions_finished > meter->partitions_finished) {
		if (meter->partitions_finished == 0) {
			blocks_forget_work(blocks);
		}
		blocks_add_work(blocks, event->time_ns,
			window->partitions_finished - meter->partitions_finished);
	} else if (window->partitions_finished == 0 &&
		   window->partitions_done > meter->partitions_done) {
		blocks_add_work(blocks, event->time_ns,
			window->partitions_done - meter->partitions_done);
	}
	meter->partitions_finished = window->partitions_finished;
	meter->partitions_done = window->partitions_done;
}

static void release_held(struct work_meter *meter, struct blocks *blocks)
{
	if (meter->held > 0) {
		blocks_add_work(blocks, meter->held_until_ns, meter->held);
		meter->held = 0;
	}
}

void work_meter_add(struct work_meter *meter, const struct event *event,
	const struct window *window, struct blocks *blocks)
{
	uint64_t end_ns;

	if (meter->unit.kind == WORK_UNIT_PARTITION) {
		if (event->kind == EVENT_PROVE_FINISH_END || event->kind == EVENT_JOB_END) {
			add_partitions(meter, event, window, blocks);
		}
		return;
	}
	if (!work_unit_ends(&meter->unit, event, &end_ns)) {
		return;
	}
	begin(meter, window, blocks);
	if (meter->has_begun && end_ns < window->begin_ns) {
		return;
	}
	if (window->open_count > 0 || window->last_job_event_ns >= meter->held_until_ns) {
		release_held(meter, blocks);
	}
	if (window_is_end_cut(window) || end_ns <= window->last_job_end_ns) {
		blocks_add_work(blocks, end_ns, 1);
		return;
	}
	meter->held++;
	if (end_ns > meter->held_until_ns) {
		meter->held_until_ns = end_ns;
	}
}

void work_meter_end(
	struct work_meter *meter, const struct window *window, struct blocks *blocks)
{
	begin(meter, window, blocks);
	if (window_end_ns(window) >= meter->held_until_ns) {
		release_held(meter, blocks);
	}
}
