/* SPDX-License-Identifier: MIT */
#include "analysis/core/walk_chain.h"

#include "analysis/core/walk_doubt.h"
#include "analysis/core/walk_engine.h"
#include "analysis/core/walk_own.h"
#include "analysis/core/walk_phase.h"
#include "analysis/core/walk_piece.h"

/* NOLINTBEGIN(misc-no-recursion): rules 6 and 7 nest, and a chain is at most GAP_VIA_MAX long. */

static uint64_t later(uint64_t a_ns, uint64_t b_ns)
{
	return a_ns > b_ns ? a_ns : b_ns;
}

static uint64_t earlier(uint64_t a_ns, uint64_t b_ns)
{
	return a_ns < b_ns ? a_ns : b_ns;
}

/* False when the chain is as long as one may be. */
static bool push_link(struct walk_explanation *explanation, const struct walk_link *link)
{
	if (explanation->link_count == GAP_VIA_MAX) {
		return false;
	}
	explanation->links[explanation->link_count] = *link;
	explanation->link_count++;
	return true;
}

static bool is_waiting(const struct walk_explanation *explanation, const struct walk_lane *lane)
{
	for (uint32_t i = 0; i < explanation->link_count; i++) {
		if (explanation->links[i].lane == lane) {
			return true;
		}
	}
	return false;
}

/* Goes on with the thread that ended the innermost wait. */
static void follow_ender(struct walk_explanation *explanation, struct walk_lane_reference ender,
	struct walk_stretch stretch)
{
	const struct walk_lane *lane = walk_lanes_of(&explanation->walk->lanes, ender);

	if (!lane) {
		walk_charge_unknown(explanation, stretch.from_ns, stretch.to_ns, "no waker");
	} else if (is_waiting(explanation, lane)) {
		walk_charge_unknown(explanation, stretch.from_ns, stretch.to_ns, "cycle");
	} else {
		walk_chain_follow(explanation, lane, stretch);
	}
}

/* Unknown when there is a reason. */
static bool charge_doubt(
	struct walk_explanation *explanation, uint64_t from_ns, uint64_t to_ns, const char *reason)
{
	if (reason) {
		walk_charge_unknown(explanation, from_ns, to_ns, reason);
	}
	return reason != NULL;
}

static void charge_handover(struct walk_explanation *explanation, uint64_t from_ns, uint64_t to_ns,
	const struct walk_lane *waiter)
{
	const struct walk_charge charge = {
		.cause = CAUSE_CPU_PHASE, .name = "handover", .runnable = waiter};

	walk_charge(explanation, from_ns, to_ns, &charge);
}

/* ---- Locks ---- */

/* Nobody is known to have held the lock; unknown when there is a reason why that may be wrong. */
static void charge_free(struct walk_explanation *explanation, const struct walk_lane *waiter,
	struct walk_stretch stretch, const char *reason)
{
	if (!charge_doubt(explanation, stretch.from_ns, stretch.to_ns, reason)) {
		charge_handover(explanation, stretch.from_ns, stretch.to_ns, waiter);
	}
}

/*
 * Holders, the last to release first. Each answers for the time since it acquired; before that,
 * the one that released last of those that had acquired earlier does.
 */
static void follow_holders(struct walk_explanation *explanation, const struct walk_lane *waiter,
	const struct walk_activity *wait, struct walk_stretch stretch)
{
	const struct walk_lock *lock =
		walk_locks_find(&explanation->walk->locks, waiter->pid, wait->object);
	const bool is_shared = wait->mode == GAPTRACE_LOCK_SHARED;
	uint64_t y_ns = wait->end_ns;
	size_t i = 0;

	if (lock && wait->end_ns != WALK_OPEN) {
		i = walk_ring_below(&lock->holds, wait->end_ns + 1);
	}
	for (; i > 0 && y_ns > stretch.from_ns; i--) {
		const struct walk_hold *hold = walk_ring_at(&lock->holds, i - 1);
		const bool is_own = hold->lane.index == waiter->self.index &&
				    hold->lane.generation == waiter->self.generation;
		struct walk_stretch held = {.act_ns = hold->release_ns};

		/* Readers let a reader in: the writer before it, or behind it, did not. */
		if (hold->acquire_ns >= y_ns || (is_own && hold->release_ns > wait->begin_ns) ||
			(is_shared && hold->is_shared && y_ns == wait->end_ns &&
				hold->release_ns > wait->begin_ns)) {
			continue;
		}
		charge_free(explanation, waiter,
			(struct walk_stretch){.from_ns = later(hold->release_ns, stretch.from_ns),
				.to_ns = earlier(y_ns, stretch.to_ns)},
			walk_losses_within(&explanation->walk->losses, hold->release_ns, y_ns));
		y_ns = earlier(y_ns, hold->release_ns);
		if (hold->release_ns <= wait->begin_ns) {
			y_ns = stretch.from_ns; /* free from before the wait on */
			break;
		}
		held.from_ns = later(hold->acquire_ns, stretch.from_ns);
		held.to_ns = earlier(y_ns, stretch.to_ns);
		if (held.from_ns < held.to_ns && hold->is_released) {
			follow_ender(explanation, hold->lane, held);
		} else {
			walk_charge_unknown(explanation, held.from_ns, held.to_ns, "no waker");
		}
		y_ns = hold->acquire_ns;
	}
	walk_charge_unknown(explanation, stretch.from_ns, earlier(y_ns, stretch.to_ns), "no waker");
}

static void follow_lock(struct walk_explanation *explanation, const struct walk_lane *waiter,
	const struct walk_activity *wait, struct walk_stretch stretch)
{
	const struct walk_call *call = walk_calls_at(waiter, stretch.to_ns);
	const struct walk_link link = {
		.kind = GAP_VIA_LOCK,
		.object = wait->name,
		/* A lock inside a call is the driver's: what counts is what keeps the driver. */
		.has_cause = !call || call->start_ns > wait->begin_ns,
		.cause = walk_phase_is_gpu_mutex(wait->name) ? CAUSE_GPU_MUTEX : CAUSE_LOCK,
		.lane = waiter,
		.work = wait->work,
	};

	if (!push_link(explanation, &link)) {
		walk_charge_unknown(explanation, stretch.from_ns, stretch.to_ns, "too deep");
		return;
	}
	follow_holders(explanation, waiter, wait, stretch);
	explanation->link_count--;
}

/* ---- Other waits ---- */

struct wait_kind_row {
	enum gap_via_kind via;
	bool has_cause;
	enum cause cause;
};

static const struct wait_kind_row wait_kinds[] = {
	[GAPTRACE_WAIT_BARRIER] = {.via = GAP_VIA_BARRIER},
	[GAPTRACE_WAIT_JOIN] = {.via = GAP_VIA_JOIN},
	[GAPTRACE_WAIT_CONDITION] = {.via = GAP_VIA_CONDITION},
	[GAPTRACE_WAIT_BUDGET] = {GAP_VIA_BUDGET, true, CAUSE_BUDGET},
	[GAPTRACE_WAIT_PACER] = {GAP_VIA_PACER, true, CAUSE_PACING},
	[GAPTRACE_WAIT_SLEEP] = {GAP_VIA_SLEEP, true, CAUSE_PACING},
	[GAPTRACE_WAIT_BACKPRESSURE] = {GAP_VIA_BACKPRESSURE, true, CAUSE_BACKPRESSURE},
};

static struct walk_link link_of(const struct walk_explanation *explanation,
	const struct walk_lane *waiter, const struct walk_activity *wait)
{
	const struct walk *walk = explanation->walk;
	struct walk_link link = {
		.kind = GAP_VIA_QUEUE,
		.object = wait->name,
		.lane = waiter,
		.work = wait->work,
		.pid = waiter->pid,
		.queue_device = GAPTRACE_NONE,
	};
	struct walk_job_submission submit = {0};

	if (wait->kind == WALK_WAIT) {
		const size_t kind = (size_t)wait->wait_kind;
		const bool is_known = kind < sizeof(wait_kinds) / sizeof(wait_kinds[0]);
		const struct wait_kind_row *row =
			&wait_kinds[is_known ? kind : GAPTRACE_WAIT_CONDITION];

		link.kind = row->via;
		link.has_cause = row->has_cause;
		link.cause = row->cause;
	} else {
		const struct walk_queue *queue =
			walk_queues_find(&walk->queues, waiter->pid, wait->object);

		link.queue_device = queue && !queue->is_shared ? queue->device : GAPTRACE_NONE;
		link.has_submit =
			wait->work.job != 0 &&
			walk_jobs_submitted(&walk->jobs, waiter->pid, wait->work.job, &submit);
		link.submit_ns = submit.time_ns;
		link.is_way_in = link.has_submit && submit.lane.generation != 0 &&
				 submit.lane.index == wait->ender.index &&
				 submit.lane.generation == wait->ender.generation;
	}
	return link;
}

/*
 * On the way in, the pusher of an item is who submitted its job: what it did before that, it did
 * for other requests. So the walk goes no further back than to the submission.
 */
static void follow_pusher(struct walk_explanation *explanation, const struct walk_activity *wait,
	struct walk_stretch stretch)
{
	const struct walk_link *link = &explanation->links[explanation->link_count - 1];
	const struct walk_charge nothing = {
		.cause = CAUSE_CPU_PHASE, .name = "not traced", .is_untraced = true};
	struct walk_stretch after = stretch;

	if (link->is_way_in) {
		after.from_ns = later(after.from_ns, link->submit_ns);
	}
	if (after.from_ns < after.to_ns) {
		follow_ender(explanation, wait->ender, after);
	}
	if (link->is_way_in) {
		walk_charge(explanation, stretch.from_ns, earlier(after.from_ns, stretch.to_ns),
			&nothing);
	}
}

/* Everything between the act and the wait's end is the hand-over. */
static void follow_waker(struct walk_explanation *explanation, const struct walk_lane *waiter,
	const struct walk_activity *wait, struct walk_stretch stretch)
{
	const struct walk_charge sleep = {
		.cause = CAUSE_PACING,
		.name = wait->wait_kind == GAPTRACE_WAIT_PACER ? "pacer" : "sleep",
		.holder = waiter,
	};

	if (wait->kind == WALK_WAIT && (wait->wait_kind == GAPTRACE_WAIT_PACER ||
					       wait->wait_kind == GAPTRACE_WAIT_SLEEP)) {
		walk_charge(explanation, stretch.from_ns, stretch.to_ns, &sleep);
	} else if (!wait->has_ender) {
		walk_charge_unknown(explanation, stretch.from_ns, stretch.to_ns, "no waker");
	} else {
		stretch.act_ns = wait->ender_ns;
		follow_pusher(explanation, wait, stretch);
	}
}

/*
 * The thread has the GPU's mutex in hand: nobody else may feed the GPU meanwhile. Its own doing, or
 * that of the task which the feeder's thread saw through before: which worker got the mutex next
 * must not decide what the time before is called.
 */
static bool push_inside(
	struct walk_explanation *explanation, const struct walk_lane *lane, uint64_t y_ns)
{
	const struct walk_gpu_hold *hold = walk_lane_gpu_hold(lane, y_ns);
	const struct walk_link link = {
		.kind = GAP_VIA_INSIDE,
		.object = hold ? hold->name : "",
		.has_cause = true,
		.cause = CAUSE_GPU_MUTEX,
	};

	return hold && walk_explanation_is_own(explanation) && push_link(explanation, &link);
}

/* Whether that is known, where it counts. */
static const char *doubt_inside(
	const struct walk_explanation *explanation, const struct walk_lane *lane, uint64_t y_ns)
{
	return walk_explanation_is_own(explanation)
		       ? walk_doubt_gpu_hold(explanation->walk, lane, y_ns)
		       : NULL;
}

static void follow_wait(struct walk_explanation *explanation, const struct walk_lane *waiter,
	const struct walk_activity *wait, struct walk_stretch stretch, bool is_handover)
{
	const uint32_t link_count = explanation->link_count;
	struct walk_link link;

	if (wait->kind == WALK_LOCK_WAIT) {
		follow_lock(explanation, waiter, wait, stretch);
		return;
	}
	link = link_of(explanation, waiter, wait);
	if (!link.has_cause) {
		if (charge_doubt(explanation, stretch.from_ns, stretch.to_ns,
			    doubt_inside(explanation, waiter, stretch.to_ns))) {
			return;
		}
		(void)push_inside(explanation, waiter, stretch.to_ns);
	}
	if (is_handover && link.kind == GAP_VIA_QUEUE) {
		link.queue_device = GAPTRACE_NONE; /* its item is there: nothing is missing */
	}
	if (!push_link(explanation, &link)) {
		walk_charge_unknown(explanation, stretch.from_ns, stretch.to_ns, "too deep");
	} else if (charge_doubt(explanation, stretch.from_ns, stretch.to_ns,
			   walk_doubt_ender(explanation->walk, wait))) {
		/* A later act may have ended it, which was lost. */
	} else if (is_handover) {
		charge_handover(explanation, stretch.from_ns, stretch.to_ns, waiter);
	} else {
		follow_waker(explanation, waiter, wait, stretch);
	}
	explanation->link_count = link_count;
}

/* ---- What a thread did ---- */

static void charge_running(struct walk_explanation *explanation, const struct walk_lane *lane,
	const struct walk_piece *piece, struct walk_stretch stretch)
{
	const uint32_t link_count = explanation->link_count;
	struct walk_charge charge = {
		.cause = CAUSE_CPU_PHASE,
		.name = "not traced",
		.holder = lane,
		.runnable = lane,
		.is_untraced = !piece->activity,
	};

	if (piece->call) {
		charge.activity = piece->activity;
		walk_engine_charge_call(explanation, lane, piece->call, stretch, &charge);
		return;
	}
	if (piece->activity) {
		charge.activity = piece->activity;
		charge.cause = piece->activity->cause;
		charge.name = piece->activity->name;
	}
	if (explanation->walk->imports.is_on) {
		walk_own_refine(explanation, piece, stretch.to_ns, &charge);
	}
	if (charge.cause == CAUSE_CPU_PHASE) {
		if (charge_doubt(explanation, stretch.from_ns, stretch.to_ns,
			    doubt_inside(explanation, lane, stretch.to_ns))) {
			return;
		}
		(void)push_inside(explanation, lane, stretch.to_ns);
	}
	walk_charge(explanation, stretch.from_ns, stretch.to_ns, &charge);
	explanation->link_count = link_count;
}

/* A pool's thread between two tasks. */
static bool is_idle(const struct walk_piece *piece, uint64_t y_ns)
{
	const struct walk_activity *around = piece->activity;

	while (around && walk_activity_is_wait(around)) {
		around = walk_activity_outer(around, y_ns);
	}
	return !around && !piece->call;
}

/* `is_pool`: the thread is looked at because a task waits for it, and may be idle. */
static void follow_pieces(struct walk_explanation *explanation, const struct walk_lane *lane,
	uint64_t from_ns, uint64_t to_ns, bool is_pool)
{
	while (from_ns < to_ns && explanation->status == STATUS_OK) {
		struct walk_piece piece = walk_piece_at(explanation, lane, to_ns);
		struct walk_stretch stretch = {.to_ns = to_ns, .act_ns = to_ns};
		const char *doubt;

		/* A device that came late asks for what no other one needed any more. */
		if (lane->forgotten_ns >= to_ns) {
			walk_charge_unknown(explanation, from_ns, to_ns, "history limit");
			return;
		}
		stretch.from_ns = later(later(from_ns, piece.from_ns), lane->forgotten_ns);
		doubt = walk_doubt_piece(explanation->walk, lane, &piece, to_ns, &stretch.from_ns);
		explanation->step_count++;
		if (explanation->step_count > WALK_STEP_COUNT_MAX) {
			walk_charge_unknown(explanation, from_ns, to_ns, "too many steps");
			return;
		}
		if (charge_doubt(explanation, stretch.from_ns, to_ns, doubt)) {
			/* It may have been in something else. */
		} else if (is_pool && is_idle(&piece, to_ns)) {
			charge_handover(explanation, stretch.from_ns, to_ns, lane);
		} else if (piece.wait) {
			follow_wait(explanation, lane, piece.wait, stretch, piece.is_handover);
		} else {
			charge_running(explanation, lane, &piece, stretch);
		}
		to_ns = stretch.from_ns;
	}
}

/* ---- Tasks ---- */

static const struct walk_activity *task_at(const struct walk_lane *lane, uint64_t y_ns)
{
	const struct walk_activity *activity = walk_lane_at(lane, y_ns);

	while (activity && activity->kind != WALK_TASK) {
		activity = walk_activity_outer(activity, y_ns);
	}
	return activity;
}

/* Whether a thread was in that task, or in none, at y; it was until *out_from_ns in any case. */
static const char *doubt_task(const struct walk *walk, const struct walk_lane *lane,
	const struct walk_activity *task, uint64_t y_ns, uint64_t *out_from_ns)
{
	if (!task) {
		return walk_doubt_no_task(walk, lane, y_ns, out_from_ns);
	}
	*out_from_ns = task->doubt_ns;
	return walk_activity_is_doubtful(task, y_ns) ? task->doubt : NULL;
}

/* The time a task lay in its pool: charged to what the thread that ran it did meanwhile. */
static void follow_queued(struct walk_explanation *explanation, const struct walk_lane *runner,
	const struct walk_activity *task, uint64_t from_ns, uint64_t to_ns)
{
	const struct walk_link link = {
		.kind = GAP_VIA_POOL,
		.object = task->pool,
		.has_cause = true,
		.cause = CAUSE_POOL,
		.work = task->work,
	};

	if (from_ns >= to_ns) {
		return;
	}
	if (!push_link(explanation, &link)) {
		walk_charge_unknown(explanation, from_ns, to_ns, "too deep");
	} else if (is_waiting(explanation, runner)) {
		walk_charge_unknown(explanation, from_ns, to_ns, "cycle");
		explanation->link_count--;
	} else {
		follow_pieces(explanation, runner, from_ns, to_ns, true);
		explanation->link_count--;
	}
}

void walk_chain_follow(struct walk_explanation *explanation, const struct walk_lane *lane,
	struct walk_stretch stretch)
{
	uint64_t to_ns = stretch.to_ns;
	uint64_t act_ns = stretch.act_ns;

	while (stretch.from_ns < to_ns && explanation->status == STATUS_OK) {
		const struct walk_activity *task = task_at(lane, act_ns);
		const struct walk_lane *submitter;
		const char *doubt;
		uint64_t submit_ns;
		uint64_t sure_ns = 0;

		doubt = doubt_task(explanation->walk, lane, task, act_ns, &sure_ns);
		if (!task || doubt) {
			sure_ns = earlier(later(stretch.from_ns, doubt ? sure_ns : 0), to_ns);
			follow_pieces(explanation, lane, sure_ns, to_ns, false);
			(void)charge_doubt(explanation, stretch.from_ns, sure_ns, doubt);
			return;
		}
		follow_pieces(
			explanation, lane, later(stretch.from_ns, task->begin_ns), to_ns, false);
		to_ns = earlier(to_ns, task->begin_ns);
		submit_ns =
			task->has_ender ? earlier(task->ender_ns, task->begin_ns) : task->begin_ns;
		follow_queued(explanation, lane, task, later(stretch.from_ns, submit_ns), to_ns);
		to_ns = earlier(to_ns, submit_ns);
		if (to_ns <= stretch.from_ns) {
			return;
		}
		submitter = walk_lanes_of(&explanation->walk->lanes, task->ender);
		if (!submitter || is_waiting(explanation, submitter)) {
			walk_charge_unknown(explanation, stretch.from_ns, to_ns,
				submitter ? "cycle" : "no waker");
			return;
		}
		lane = submitter;
		act_ns = submit_ns;
	}
}

/* NOLINTEND(misc-no-recursion) */
