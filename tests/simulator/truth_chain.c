/* SPDX-License-Identifier: MIT */
#include "tests/simulator/truth_private.h"

#include <string.h>

static bool push_link(struct chain *chain, int thread, struct link link)
{
	if (chain->count >= GAP_VIA_MAX) {
		truth_charge_plain(chain->out, CAUSE_UNKNOWN);
		chain->out->phase = "too deep";
		return false;
	}
	chain->threads[chain->count] = thread;
	chain->links[chain->count++] = link;
	return true;
}

static void hand_over(struct chain *chain)
{
	truth_end_charge(
		chain, (struct end){.cause = CAUSE_CPU_PHASE, .name = "handover", .holder = -1});
}

/* Goes on in the thread that ended the wait, unless it waits on this chain already. */
static void follow_ender(struct chain *chain, int thread, uint64_t anchor_ns)
{
	for (int i = 0; i < chain->count; i++) {
		if (chain->threads[i] == thread) {
			truth_charge_plain(chain->out, CAUSE_UNKNOWN);
			chain->out->phase = "cycle";
			return;
		}
	}
	truth_chain_follow(chain, thread, anchor_ns);
}

/* Of those who had it before then, who let go last while the thread waited; NULL for none. */
static const struct hold *last_holder(const struct chain *chain, int thread,
	const struct activity *wait, uint64_t before_ns, bool wants_writer)
{
	size_t count;
	const struct hold *holds = world_holds(chain->world, wait->object, &count);
	const struct hold *last = NULL;

	for (size_t i = 0; i < count; i++) {
		const bool is_candidate =
			holds[i].thread != thread && holds[i].from_ns < before_ns &&
			holds[i].to_ns <= wait->to_ns && holds[i].to_ns > wait->from_ns &&
			!(wants_writer && holds[i].is_shared);

		if (is_candidate && (!last || holds[i].to_ns > last->to_ns)) {
			last = &holds[i];
		}
	}
	return last;
}

static void follow_lock(struct chain *chain, int thread, const struct activity *wait)
{
	uint64_t end_ns = wait->to_ns;
	uint64_t before_ns = UINT64_MAX;
	bool is_gpu_mutex = strncmp(wait->name, "gpu_mutex", 9) == 0;
	bool wants_writer = wait->wait_kind != 0;

	if (!push_link(chain, thread,
		    (struct link){.kind = GAP_VIA_LOCK,
			    .object = wait->name,
			    .has_cause = true,
			    .cause = is_gpu_mutex ? CAUSE_GPU_MUTEX : CAUSE_LOCK,
			    .queue = -1})) {
		return;
	}
	/* Back from the acquisition: of those who held before, the one who let go last, and so on.
	 */
	for (;;) {
		const struct hold *holder =
			last_holder(chain, thread, wait, before_ns, wants_writer);
		uint64_t until_ns;

		/* Later than any release: it lay free, and the waiter had yet to wake up. */
		until_ns = holder && holder->to_ns < end_ns ? holder->to_ns : end_ns;
		if (!holder || chain->y_ns > until_ns) {
			hand_over(chain);
			return;
		}
		if (chain->y_ns > holder->from_ns) {
			follow_ender(chain, holder->thread, until_ns);
			return;
		}
		end_ns = holder->from_ns;
		before_ns = holder->from_ns;
		/* A reader waits for a writer first; behind that writer readers count too. */
		wants_writer = false;
	}
}

static void follow_wait(struct chain *chain, int thread, const struct activity *wait)
{
	static const struct {
		enum gap_via_kind kind;
		bool has_cause;
		enum cause cause;
	} kinds[] = {
		[GAPTRACE_WAIT_BARRIER] = {GAP_VIA_BARRIER, false, CAUSE_UNKNOWN},
		[GAPTRACE_WAIT_JOIN] = {GAP_VIA_JOIN, false, CAUSE_UNKNOWN},
		[GAPTRACE_WAIT_CONDITION] = {GAP_VIA_CONDITION, false, CAUSE_UNKNOWN},
		[GAPTRACE_WAIT_BUDGET] = {GAP_VIA_BUDGET, true, CAUSE_BUDGET},
		[GAPTRACE_WAIT_PACER] = {GAP_VIA_PACER, true, CAUSE_PACING},
		[GAPTRACE_WAIT_SLEEP] = {GAP_VIA_SLEEP, true, CAUSE_PACING},
		[GAPTRACE_WAIT_BACKPRESSURE] = {GAP_VIA_BACKPRESSURE, true, CAUSE_BACKPRESSURE},
	};
	struct link link = {.object = wait->name, .queue = -1};

	if (wait->kind == ACTIVITY_POP) {
		link.kind = GAP_VIA_QUEUE;
		link.queue = wait->object;
		link.item = wait->item;
	} else {
		link.kind = kinds[wait->wait_kind].kind;
		link.has_cause = kinds[wait->wait_kind].has_cause;
		link.cause = kinds[wait->wait_kind].cause;
	}
	/* After the push a pop only has yet to wake up: its queue no longer lacks the item. */
	if (wait->ender >= 0 && chain->y_ns > wait->act_ns) {
		link.queue = wait->kind == ACTIVITY_POP ? -1 : link.queue;
	}
	if (!push_link(chain, thread, link)) {
		return;
	}
	if (wait->ender < 0) {
		truth_end_charge(chain,
			(struct end){.cause = CAUSE_PACING,
				.name = wait->wait_kind == GAPTRACE_WAIT_PACER ? "pacer" : "sleep",
				.holder = thread});
	} else if (chain->y_ns > wait->act_ns) {
		hand_over(chain);
	} else {
		follow_ender(chain, wait->ender, wait->act_ns);
	}
}

static const struct activity *activity_at(const struct world *world, int thread, uint64_t y_ns)
{
	size_t count;
	const struct activity *history = world_history(world, thread, &count);

	for (size_t i = 0; i < count; i++) {
		if (truth_covers(history[i].from_ns, history[i].to_ns, y_ns)) {
			return &history[i];
		}
	}
	return NULL;
}

/* What a thread is in at y, whatever tasks it ran on the way. */
static void follow_thread(struct chain *chain, int thread)
{
	const struct activity *activity = activity_at(chain->world, thread, chain->y_ns);

	switch (activity ? activity->kind : ACTIVITY_RUN) {
	case ACTIVITY_RUN:
		truth_end_run(chain, thread, activity);
		return;
	case ACTIVITY_CALL:
		truth_end_call(chain, thread, activity);
		return;
	case ACTIVITY_LOCK:
		follow_lock(chain, thread, activity);
		return;
	case ACTIVITY_POP:
	case ACTIVITY_WAIT:
		follow_wait(chain, thread, activity);
		return;
	case ACTIVITY_IDLE:
		truth_end_run(chain, thread, NULL);
		return;
	}
}

/* The task a thread is in at an instant: begun before it and ended at it or later; -1 none. */
static int task_at(const struct world *world, int thread, uint64_t y_ns)
{
	for (int task = 0; task < world_task_count(world); task++) {
		const struct task *fact = world_task(world, task);

		if (fact->runner == thread && truth_covers(fact->begin_ns, fact->end_ns, y_ns)) {
			return task;
		}
	}
	return -1;
}

/* Rule 7. */
void truth_chain_follow(struct chain *chain, int thread, uint64_t anchor_ns)
{
	int number = task_at(chain->world, thread, anchor_ns);
	const struct task *task = number < 0 ? NULL : world_task(chain->world, number);
	const struct activity *activity;

	if (!task || chain->y_ns > task->begin_ns) {
		follow_thread(chain, thread);
		return;
	}
	if (chain->y_ns <= task->submitted_ns) {
		truth_chain_follow(chain, task->submitter, task->submitted_ns);
		return;
	}
	if (!push_link(chain, -1,
		    (struct link){.kind = GAP_VIA_POOL,
			    .object = task->pool_name,
			    .has_cause = true,
			    .cause = CAUSE_POOL,
			    .queue = -1})) {
		return;
	}
	/* The task lay there: what did the thread do that was to run it? */
	activity = activity_at(chain->world, thread, chain->y_ns);
	if (!activity || activity->kind == ACTIVITY_IDLE) {
		hand_over(chain);
	} else {
		follow_thread(chain, thread);
	}
}
