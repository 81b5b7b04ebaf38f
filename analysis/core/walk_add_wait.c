/* SPDX-License-Identifier: MIT */
/* The host's events of waiting: locks, queues, tasks, wakes and budgets, and who ended whose wait.
 */
#include "analysis/core/walk_add.h"
#include "analysis/core/walk_note.h"
#include "analysis/core/walk_phase.h"

/* The wait of a budget is looked for among so many activities that its thread ended last. */
#define RECENT_CLOSED_MAX 16

static enum status note_gpu_hold(struct walk_lane *lane, const char *name, uint64_t time_ns,
	bool is_acquired, uint64_t since_ns)
{
	struct walk_ring *holds = &lane->gpu_holds;
	const struct walk_gpu_hold hold = {.release_ns = is_acquired ? WALK_OPEN : time_ns,
		.acquire_ns = since_ns,
		.name = name,
		.is_released = !is_acquired};
	struct walk_gpu_hold *last = NULL;

	if (holds->count > 0) {
		last = walk_ring_at(holds, holds->count - 1);
	}
	/* One thread holds one GPU mutex at a time: a second acquisition means that a release
	 * was lost. */
	if (last && last->release_ns == WALK_OPEN) {
		last->release_ns = time_ns;
		last->is_released = !is_acquired;
		if (!is_acquired) {
			return STATUS_OK;
		}
	}
	return walk_ring_push(holds, &hold);
}

enum status walk_add_lock(struct walk *walk, const struct event *event)
{
	struct walk_lane *lane = walk_note_lane(walk, event);
	const char *name = walk_names_keep(&walk->names, event->lock.name);
	struct walk_activity wait = {
		.kind = WALK_LOCK_WAIT,
		.name = name,
		.object = event->lock.lock,
		.mode = event->lock.mode,
		.run_delay_ns = GAPTRACE_UNKNOWN,
	};
	struct walk_lock_act act = {
		.pid = event->pid,
		.lock = event->lock.lock,
		.is_shared = event->lock.mode == GAPTRACE_LOCK_SHARED,
		.time_ns = event->time_ns,
	};
	uint64_t since_ns = event->time_ns;
	enum status status = STATUS_OK;

	if (!lane || !name) {
		return STATUS_NO_MEMORY;
	}
	act.lane = lane->self;
	if (event->kind == EVENT_LOCK_WAIT) {
		return walk_note_begin(walk, lane, &wait, event);
	}
	if (event->kind == EVENT_LOCK_ACQUIRE) {
		/* Also when only one of wait and acquisition was recorded. */
		if (event->lock.wait_ns > 0 || walk_note_find(lane, &wait)) {
			status = walk_note_end(walk, lane, &wait, event, event->lock.wait_ns);
		}
		if (status == STATUS_OK) {
			status = walk_locks_acquire(&walk->locks, &act);
		}
	} else {
		act.hold_ns = event->lock.hold_ns;
		status = walk_locks_release(&walk->locks, &act, &since_ns);
	}
	if (status != STATUS_OK || !walk_phase_is_gpu_mutex(name)) {
		return status;
	}
	walk->has_gpu_mutex = true;
	return note_gpu_hold(
		lane, name, event->time_ns, event->kind == EVENT_LOCK_ACQUIRE, since_ns);
}

static enum status add_push(struct walk *walk, const struct event *event, struct walk_lane *lane,
	struct walk_queue *queue)
{
	const struct walk_item item = {
		.time_ns = event->time_ns, .lane = lane->self, .work = event->queue.work};
	enum status status = walk_queues_push(&walk->queues, queue, event->queue.item, &item);

	if (status == STATUS_OK) {
		status = walk_queue_begin(queue, walk->first_ns, event->queue.depth > 1);
	}
	return status == STATUS_OK ? walk_queue_set_depth(queue, event->time_ns, event->queue.depth)
				   : status;
}

static enum status add_pop(struct walk *walk, const struct event *event, struct walk_lane *lane,
	struct walk_queue *queue)
{
	struct walk_activity pop = {
		.kind = WALK_POP,
		.name = queue->name,
		.object = queue->id,
		.work = event->queue.work,
		.run_delay_ns = GAPTRACE_UNKNOWN,
	};
	struct walk_item item;
	enum status status;

	/* docs/causes.md, rule 6: a pop is ended by the pusher of what it got. */
	if (walk_queues_pop(&walk->queues, queue, event->queue.item, &item)) {
		pop.has_ender = true;
		pop.ender = item.lane;
		pop.ender_ns = item.time_ns;
	}
	/* A recording may begin in the middle of a wait. */
	queue->waiting_count -= queue->waiting_count > 0;
	queue->popper = lane->self;
	queue->pop_ns = event->time_ns;
	walk_queue_set_device(queue, event->queue.work.device);
	status = walk_queue_begin(queue, walk->first_ns, event->queue.item != 0);
	if (status != STATUS_OK) {
		return status;
	}
	status = walk_note_end(walk, lane, &pop, event, event->queue.wait_ns);
	return status == STATUS_OK ? walk_queue_set_depth(queue, event->time_ns, event->queue.depth)
				   : status;
}

enum status walk_add_queue(struct walk *walk, const struct event *event)
{
	struct walk_lane *lane = walk_note_lane(walk, event);
	const char *name = walk_names_keep(&walk->names, event->queue.name);
	struct walk_queue *queue;
	struct walk_activity pop = {.kind = WALK_POP, .object = event->queue.queue};
	enum status status;

	if (!lane || !name) {
		return STATUS_NO_MEMORY;
	}
	queue = walk_queues_get(&walk->queues, event->pid, event->queue.queue, name);
	if (!queue) {
		return STATUS_NO_MEMORY;
	}
	queue->last_ns = event->time_ns;
	if (event->kind == EVENT_QUEUE_PUSH) {
		return add_push(walk, event, lane, queue);
	}
	if (event->kind == EVENT_QUEUE_POP) {
		return add_pop(walk, event, lane, queue);
	}
	/* A pop that was cancelled told nothing; the next one shows that it is over. */
	status = walk_note_stale_waits(walk, lane, NULL, event->time_ns);
	pop.name = name;
	queue->waiting_count++;
	return status == STATUS_OK ? walk_note_begin(walk, lane, &pop, event) : status;
}

enum status walk_add_task(struct walk *walk, const struct event *event)
{
	struct walk_lane *lane = walk_note_lane(walk, event);
	const char *pool = walk_names_keep(&walk->names, event->task.name);
	const char *kind = walk_names_keep(&walk->names, event->task.kind);
	struct walk_activity task = {
		.kind = WALK_TASK,
		.object = event->task.task,
		.work = event->task.work,
		.run_delay_ns = GAPTRACE_UNKNOWN,
	};
	struct walk_task submitted = {.work = event->task.work};
	uint64_t queued_ns = event->task.queued_ns;

	if (!lane || !pool || !kind) {
		return STATUS_NO_MEMORY;
	}
	lane->runs_tasks |= event->kind != EVENT_TASK_SUBMIT;
	if (event->kind == EVENT_TASK_SUBMIT) {
		submitted.submit = (struct walk_act){.time_ns = event->time_ns, .lane = lane->self};
		return walk_objects_submit(
			&walk->objects, event->pid, event->task.task, &submitted);
	}
	task.name = kind;
	task.pool = pool;
	task.cause = walk_phase_cause(kind);
	if (event->kind == EVENT_TASK_END) {
		struct walk_activity *open = walk_note_find(lane, &task);

		task.run_delay_ns = event->task.run_delay_ns;
		if (open) { /* its end would overwrite who submitted it */
			task.has_ender = open->has_ender;
			task.ender = open->ender;
			task.ender_ns = open->ender_ns;
			return walk_note_end(walk, lane, &task, event, event->task.run_ns);
		}
		task.begin_ns = walk_note_begin_ns(event, event->task.run_ns);
	} else {
		task.begin_ns = event->time_ns;
	}
	/* A submission not seen: the time may be known still, from the event. */
	task.has_ender = queued_ns != GAPTRACE_UNKNOWN && queued_ns <= task.begin_ns;
	task.ender_ns = task.has_ender ? task.begin_ns - queued_ns : task.begin_ns;
	if (walk_objects_take_task(&walk->objects, event->pid, event->task.task, &submitted)) {
		task.has_ender = true;
		task.ender = submitted.submit.lane;
		task.ender_ns = submitted.submit.time_ns;
	}
	return event->kind == EVENT_TASK_END
		       ? walk_note_end(walk, lane, &task, event, event->task.run_ns)
		       : walk_note_begin(walk, lane, &task, event);
}

/* The act that ended a wait on `event`'s object; no lane when it is not known. */
static struct walk_act find_ender(
	const struct walk *walk, const struct event *event, uint64_t begin_ns)
{
	const uint64_t object = event->wait.object;
	struct walk_act act = walk_objects_last_wake(&walk->objects, event->pid, object);
	struct walk_act other = {0};

	if (event->wait.kind == GAPTRACE_WAIT_BUDGET) {
		other = walk_objects_made_room(&walk->objects, event->pid,
			&(struct walk_room){.budget = object, .begin_ns = begin_ns});
	} else if (event->wait.kind == GAPTRACE_WAIT_BACKPRESSURE) {
		const struct walk_queue *queue =
			walk_queues_find(&walk->queues, event->pid, object);

		if (queue) {
			other = (struct walk_act){.time_ns = queue->pop_ns, .lane = queue->popper};
		}
	}
	if (other.lane.generation != 0 && other.time_ns >= act.time_ns) {
		act = other;
	}
	return act.time_ns >= begin_ns ? act : (struct walk_act){0};
}

enum status walk_add_wait(struct walk *walk, const struct event *event)
{
	struct walk_lane *lane = walk_note_lane(walk, event);
	const char *name = walk_names_keep(&walk->names, event->wait.name);
	struct walk_activity wait = {
		.kind = WALK_WAIT,
		.wait_kind = event->wait.kind,
		.name = name,
		.object = event->wait.object,
		.run_delay_ns = GAPTRACE_UNKNOWN,
	};
	const struct walk_activity *open;
	struct walk_act act = {0};

	if (!lane || !name) {
		return STATUS_NO_MEMORY;
	}
	act.lane = lane->self;
	act.time_ns = event->time_ns;
	if (event->kind == EVENT_WAKE) {
		return walk_objects_wake(&walk->objects, event->pid, event->wait.object, act);
	}
	if (event->kind == EVENT_WAIT_BEGIN) {
		return walk_note_begin(walk, lane, &wait, event);
	}
	open = walk_note_find(lane, &wait);
	act = find_ender(walk, event,
		open ? open->begin_ns : walk_note_begin_ns(event, event->wait.wait_ns));
	wait.has_ender = act.lane.generation != 0;
	wait.ender = act.lane;
	wait.ender_ns = act.time_ns;
	return walk_note_end(walk, lane, &wait, event, event->wait.wait_ns);
}

/* The wait that a reservation ended: now it is known how much room was needed. */
static void refine_budget_wait(
	struct walk *walk, const struct event *event, const struct walk_lane *lane)
{
	struct walk_room room = {.budget = event->budget.budget, .bytes = event->budget.bytes};
	const size_t count = lane->closed.count;

	for (size_t i = count; i > 0 && count - i < RECENT_CLOSED_MAX; i--) {
		const struct walk_closed *closed = walk_ring_at(&lane->closed, i - 1);
		struct walk_activity *wait = closed->activity;
		struct walk_act act;

		if (wait->kind != WALK_WAIT || wait->wait_kind != GAPTRACE_WAIT_BUDGET) {
			continue;
		}
		room.begin_ns = wait->begin_ns;
		act = walk_objects_made_room(&walk->objects, event->pid, &room);
		/* Else what the wait knew at its end, the last release, stays. */
		if (act.lane.generation != 0 && act.time_ns <= wait->end_ns) {
			wait->has_ender = true;
			wait->ender = act.lane;
			wait->ender_ns = act.time_ns;
		}
		return;
	}
}

enum status walk_add_budget(struct walk *walk, const struct event *event)
{
	struct walk_lane *lane = walk_note_lane(walk, event);
	struct walk_budget_sample sample = {
		.used_bytes = event->budget.used,
		.limit_bytes = event->budget.limit,
		.is_release = event->kind == EVENT_BUDGET_RELEASE,
	};

	if (!lane) {
		return STATUS_NO_MEMORY;
	}
	if (!sample.is_release && event->budget.wait_ns > 0) {
		refine_budget_wait(walk, event, lane);
	}
	sample.act = (struct walk_act){.time_ns = event->time_ns, .lane = lane->self};
	return walk_objects_budget(&walk->objects, event->pid, event->budget.budget, &sample);
}
