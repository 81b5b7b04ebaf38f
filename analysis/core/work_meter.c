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
static enum status add_partitions(struct work_meter *meter, const struct event *event,
	const struct window *window, struct blocks *blocks)
{
	const uint64_t finished = window->partitions_finished - meter->partitions_finished;
	const uint64_t done = window->partitions_done - meter->partitions_done;
	/* Until the first one, whole jobs were counted: that was the only figure there was. */
	const bool is_first = finished > 0 && meter->partitions_finished == 0;

	meter->partitions_finished = window->partitions_finished;
	meter->partitions_done = window->partitions_done;
	if (is_first) {
		blocks_forget_work(blocks);
	}
	if (finished > 0) {
		return blocks_add_work(blocks, event->time_ns, finished);
	}
	if (done > 0 && window->partitions_finished == 0) {
		return blocks_add_work(blocks, event->time_ns, done);
	}
	return STATUS_OK;
}

static enum status release_held(struct work_meter *meter, struct blocks *blocks)
{
	const uint64_t held = meter->held;

	meter->held = 0;
	return held ? blocks_add_work(blocks, meter->held_until_ns, held) : STATUS_OK;
}

enum status work_meter_add(struct work_meter *meter, const struct event *event,
	const struct window *window, struct blocks *blocks)
{
	enum status status = STATUS_OK;
	uint64_t end_ns;

	if (meter->unit.kind == WORK_UNIT_PARTITION) {
		if (event->kind == EVENT_PROVE_FINISH_END || event->kind == EVENT_JOB_END) {
			return add_partitions(meter, event, window, blocks);
		}
		return STATUS_OK;
	}
	if (!work_unit_ends(&meter->unit, event, &end_ns)) {
		return STATUS_OK;
	}
	begin(meter, window, blocks);
	/* None of the window, see begin(). */
	if (meter->has_begun && end_ns < window->begin_ns) {
		return STATUS_OK;
	}
	/* Work after the last job's end is held until a later job shows that the window went on. */
	if (window->open_count > 0 || window->last_job_event_ns >= meter->held_until_ns) {
		status = release_held(meter, blocks);
	}
	if (status != STATUS_OK) {
		return status;
	}
	if (window_is_end_cut(window) || end_ns <= window->last_job_end_ns) {
		return blocks_add_work(blocks, end_ns, 1);
	}
	meter->held++;
	if (end_ns > meter->held_until_ns) {
		meter->held_until_ns = end_ns;
	}
	return STATUS_OK;
}

enum status work_meter_end(
	struct work_meter *meter, const struct window *window, struct blocks *blocks)
{
	if (meter->unit.kind == WORK_UNIT_PARTITION) {
		return STATUS_OK;
	}
	begin(meter, window, blocks);
	return window_end_ns(window) >= meter->held_until_ns ? release_held(meter, blocks)
							     : STATUS_OK;
}
