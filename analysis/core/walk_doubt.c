/* SPDX-License-Identifier: MIT */
#include "analysis/core/walk_doubt.h"

static uint64_t later(uint64_t a_ns, uint64_t b_ns)
{
	return a_ns > b_ns ? a_ns : b_ns;
}

enum status walk_doubt_begin(struct walk *walk, uint64_t now_ns)
{
	enum status status = STATUS_OK;
	struct walk_loss loss;

	while (status == STATUS_OK && walk_losses_take(&walk->losses, now_ns, &loss)) {
		/* A record that was lost may be about what happened before. */
		const struct walk_loss late = {
			.begin_ns = walk_tellers_complete_until(&walk->tellers, loss.begin_ns),
			.end_ns = loss.begin_ns,
			.reason = loss.reason,
			.kind = WALK_LOSS_RECORDS,
		};

		walk_lanes_doubt(&walk->lanes, loss.begin_ns, loss.end_ns, loss.reason);
		walk_queues_doubt(&walk->queues, loss.end_ns);
		walk_scheds_doubt(&walk->scheds, loss.end_ns);
		walk_jobs_doubt(&walk->jobs, loss.begin_ns, loss.end_ns, loss.reason);
		if (late.begin_ns < late.end_ns) {
			status = walk_losses_add(&walk->losses, &late);
		}
	}
	return status;
}

enum status walk_doubt_records(struct walk *walk, const struct event *dropped)
{
	const struct walk_loss loss = {
		.begin_ns = walk_tellers_drop(&walk->tellers, dropped->pid, dropped->time_ns),
		.end_ns = dropped->time_ns,
		.reason = "lost records",
		.kind = WALK_LOSS_RECORDS,
	};

	enum status status;

	if (dropped->dropped.count == 0 || loss.begin_ns >= loss.end_ns) {
		return STATUS_OK;
	}
	status = interval_set_add(&walk->losses.dropped, loss.begin_ns, loss.end_ns);
	return status == STATUS_OK ? walk_losses_add(&walk->losses, &loss) : status;
}

static bool has_losses(const struct walk *walk)
{
	return walk->losses.all_until_ns > 0;
}

/*
 * The end of the activity was told, so nothing inside it is still to come. But of what begins in
 * one loss and ends in another one nobody knows.
 */
static const char *doubt_inner(
	const struct walk *walk, const struct walk_activity *activity, uint64_t y_ns)
{
	const char *reason = walk_losses_within(&walk->losses, activity->begin_ns, y_ns);

	return reason && walk_losses_within(&walk->losses, y_ns, activity->end_ns) ? reason : NULL;
}

const char *walk_doubt_piece(const struct walk *walk, const struct walk_lane *lane,
	const struct walk_piece *piece, uint64_t y_ns, uint64_t *from_ns)
{
	const struct walk_activity *activity = piece->wait ? piece->wait : piece->activity;
	const char *reason;
	uint64_t begin_ns;

	if (!has_losses(walk) || (piece->call && !piece->wait)) {
		return NULL;
	}
	if (activity && activity->doubt) {
		if (walk_activity_is_doubtful(activity, y_ns)) {
			*from_ns = later(*from_ns, activity->doubt_ns);
			return activity->doubt;
		}
		return NULL;
	}
	if (activity) {
		return doubt_inner(walk, activity, y_ns);
	}
	begin_ns = later(walk_lane_end_before(lane, y_ns), walk_calls_end_before(lane, y_ns));
	begin_ns = later(begin_ns, lane->process_ns);
	reason = walk_losses_last_within(&walk->losses, begin_ns, y_ns, &begin_ns);
	if (reason) {
		*from_ns = later(*from_ns, begin_ns);
	}
	return reason;
}

const char *walk_doubt_ender(const struct walk *walk, const struct walk_activity *wait)
{
	/* A pop names its item, and a lock's holders are looked at one by one. */
	if (!has_losses(walk) || wait->kind != WALK_WAIT || !wait->has_ender) {
		return NULL;
	}
	return walk_losses_within(&walk->losses,
		wait->wait_kind == GAPTRACE_WAIT_BUDGET ? wait->begin_ns : wait->ender_ns,
		wait->end_ns);
}

const char *walk_doubt_no_task(
	const struct walk *walk, const struct walk_lane *lane, uint64_t y_ns, uint64_t *out_from_ns)
{
	const struct walk_activity *activity = walk_lane_at(lane, y_ns);
	uint64_t begin_ns = y_ns;

	*out_from_ns = 0;
	if (!has_losses(walk) || !lane->runs_tasks) {
		return NULL;
	}
	for (; activity; activity = walk_activity_outer(activity, y_ns)) {
		begin_ns = activity->begin_ns;
	}
	/* Whatever it was in lay in the task, whose begin is not later. */
	return walk_losses_last_within(&walk->losses,
		later(walk_lane_end_before(lane, begin_ns), lane->process_ns), begin_ns,
		out_from_ns);
}

const char *walk_doubt_gpu_hold(
	const struct walk *walk, const struct walk_lane *lane, uint64_t y_ns)
{
	const struct walk_gpu_hold *hold = walk_lane_gpu_hold(lane, y_ns);

	if (!has_losses(walk) || !walk->has_gpu_mutex) {
		return NULL;
	}
	if (hold) {
		return hold->is_released
			       ? NULL
			       : walk_losses_within(&walk->losses, hold->acquire_ns, y_ns);
	}
	/* The next acquisition or release would have told of one. */
	if (walk_ring_below(&lane->gpu_holds, y_ns) < lane->gpu_holds.count) {
		return NULL;
	}
	return walk_losses_within(&walk->losses,
		later(walk_lane_gpu_change_before(lane, y_ns), lane->process_ns), y_ns);
}

const char *walk_doubt_jobs(const struct walk *walk, uint64_t y_ns)
{
	return has_losses(walk) || walk->jobs.blind_count > 0
		       ? walk_jobs_doubt_at(&walk->jobs, &walk->losses,
				 walk_lanes_process_ns(&walk->lanes, walk->jobs.pid), y_ns)
		       : NULL;
}

const char *walk_doubt_queues(const struct walk *walk, uint64_t y_ns)
{
	const char *reason = NULL;

	if (!has_losses(walk)) {
		return NULL;
	}
	for (size_t i = 0; i < walk->queues.by_id.capacity && !reason; i++) {
		const struct walk_queue *queue = walk->queues.by_id.entries[i].value;

		if (queue && queue->device != GAPTRACE_NONE) {
			reason = walk_losses_within(&walk->losses,
				later(walk_queue_known_at(queue, y_ns),
					walk_lanes_process_ns(&walk->lanes, queue->pid)),
				y_ns);
		}
	}
	return reason;
}

const char *walk_doubt_sched(const struct walk *walk, int32_t tid, uint64_t y_ns, uint64_t *from_ns)
{
	const char *reason;
	uint64_t known_ns;
	uint64_t begin_ns;

	if (!has_losses(walk)) {
		return NULL;
	}
	known_ns = walk_scheds_known_at(&walk->scheds, tid, y_ns);
	reason = walk_losses_last_within(&walk->losses, known_ns, y_ns, &begin_ns);
	*from_ns = later(*from_ns, reason ? begin_ns : known_ns);
	return reason;
}

const char *walk_doubt_record(const struct walk *walk, uint64_t since_ns)
{
	return walk->losses.all_until_ns > since_ns ? walk->losses.reason : NULL;
}
