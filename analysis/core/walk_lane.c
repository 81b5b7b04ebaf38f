/* SPDX-License-Identifier: MIT */
#include "analysis/core/walk_lane.h"

#include "trace/base/array.h"

#include <assert.h>
#include <stdlib.h>

static uint64_t thread_key(int32_t pid, int32_t tid)
{
	return (uint64_t)(uint32_t)pid << 32 | (uint32_t)tid;
}

void walk_lanes_init(struct walk_lanes *lanes)
{
	*lanes = (struct walk_lanes){.depth_max = WALK_DEPTH_MAX};
	walk_slab_init(&lanes->activities, sizeof(struct walk_activity));
	walk_slab_init(&lanes->process_slab, sizeof(struct walk_lane_process));
}

void walk_lanes_finish(struct walk_lanes *lanes)
{
	for (uint32_t i = 0; i < lanes->count; i++) {
		walk_ring_finish(&lanes->lanes[i]->closed);
		walk_ring_finish(&lanes->lanes[i]->calls);
		walk_ring_finish(&lanes->lanes[i]->gpu_holds);
		walk_ring_finish(&lanes->lanes[i]->os_calls);
		free(lanes->lanes[i]);
	}
	free(lanes->lanes);
	walk_map_finish(&lanes->by_thread);
	walk_map_finish(&lanes->processes);
	walk_slab_finish(&lanes->process_slab);
	walk_slab_finish(&lanes->activities);
}

/* One that was given up; NULL when there is none. */
static struct walk_lane *reuse_lane(struct walk_lanes *lanes)
{
	struct walk_lane *lane = lanes->unused;

	if (lane) {
		lanes->unused = lane->next_unused;
		lane->is_unused = false;
	}
	return lane;
}

static struct walk_lane *add_lane(struct walk_lanes *lanes)
{
	struct walk_lane *lane;

	if (!ARRAY_MAKE_ROOM(lanes->lanes, lanes->count, lanes->capacity, 64)) {
		return NULL;
	}
	lane = calloc(1, sizeof(*lane));
	if (!lane) {
		return NULL;
	}
	walk_ring_init(&lane->closed, sizeof(struct walk_closed));
	walk_ring_init(&lane->calls, sizeof(struct walk_lane_call));
	walk_ring_init(&lane->gpu_holds, sizeof(struct walk_gpu_hold));
	walk_ring_init(&lane->os_calls, sizeof(struct walk_os_call));
	lane->self = (struct walk_lane_reference){.index = lanes->count, .generation = 1};
	lanes->lanes[lanes->count] = lane;
	lanes->count++;
	return lane;
}

/* NULL when there is no memory. */
static struct walk_lane_process *get_process(struct walk_lanes *lanes, int32_t pid)
{
	struct walk_lane_process *process = walk_map_find(&lanes->processes, (uint32_t)pid, 0);

	if (process) {
		return process;
	}
	process = walk_slab_take(&lanes->process_slab);
	if (!process || walk_map_put(&lanes->processes, (uint32_t)pid, 0, process) != STATUS_OK) {
		return NULL;
	}
	*process = (struct walk_lane_process){.first_ns = lanes->now_ns};
	return process;
}

uint64_t walk_lanes_process_ns(const struct walk_lanes *lanes, int32_t pid)
{
	const struct walk_lane_process *process =
		walk_map_find(&lanes->processes, (uint32_t)pid, 0);

	return process ? process->first_ns : UINT64_MAX;
}

struct walk_lane *walk_lanes_get(struct walk_lanes *lanes, int32_t pid, int32_t tid)
{
	/* Events of one thread mostly come in runs. */
	struct walk_lane *lane = lanes->latest;

	if (lane && lane->pid == pid && lane->tid == tid) {
		return lane;
	}
	lane = walk_map_find(&lanes->by_thread, thread_key(pid, tid), 0);
	if (!lane) {
		const struct walk_lane_process *process = get_process(lanes, pid);

		if (!process) {
			return NULL;
		}
		lane = reuse_lane(lanes);
		if (!lane) {
			lane = add_lane(lanes);
		}
		if (!lane || walk_map_put(&lanes->by_thread, thread_key(pid, tid), 0, lane) !=
				     STATUS_OK) {
			return NULL;
		}
		lane->pid = pid;
		lane->tid = tid;
		lane->last_ns = 0;
		lane->runs_tasks = false;
		lane->process_ns = process->first_ns;
		/* The thread may be one that had a lane before. */
		lane->forgotten_ns = process->forgotten_ns;
	}
	lanes->latest = lane;
	return lane;
}

struct walk_lane *walk_lanes_of(
	const struct walk_lanes *lanes, struct walk_lane_reference reference)
{
	struct walk_lane *lane;

	/* Generation 0 is a reference to nobody. */
	if (reference.generation == 0 || reference.index >= lanes->count) {
		return NULL;
	}
	lane = lanes->lanes[reference.index];
	/* Another generation: the lane is another thread's by now. */
	return lane->self.generation == reference.generation ? lane : NULL;
}

/* Frees it and those outside it that only waited for this. */
static void free_activity(struct walk_lanes *lanes, struct walk_activity *activity)
{
	while (activity) {
		struct walk_activity *parent = activity->parent;

		walk_slab_give_back(&lanes->activities, activity);
		if (!parent) {
			return;
		}
		parent->child_count--;
		activity = parent->is_pruned && parent->child_count == 0 ? parent : NULL;
	}
}

/* Children point to it for as long as they are kept, so it may outlive its place in the ring. */
static void drop_closed(struct walk_lanes *lanes, struct walk_lane *lane)
{
	struct walk_closed *closed = walk_ring_at(&lane->closed, 0);
	struct walk_activity *activity = closed->activity;

	walk_lane_forget(lane, closed->end_ns);
	walk_ring_drop_front(&lane->closed, 1);
	activity->is_pruned = true;
	if (activity->child_count == 0) {
		free_activity(lanes, activity);
	}
}

static bool has_old_front(const struct walk_lanes *lanes, const struct walk_lane *lane)
{
	const struct walk_closed *closed;

	if (lane->closed.count == 0) {
		return false;
	}
	closed = walk_ring_at(&lane->closed, 0);
	return closed->end_ns < lanes->forget_ns;
}

static void give_up(struct walk_lanes *lanes, struct walk_lane *lane)
{
	struct walk_lane_process *process =
		walk_map_find(&lanes->processes, (uint32_t)lane->pid, 0);

	if (process && lane->forgotten_ns > process->forgotten_ns) {
		process->forgotten_ns = lane->forgotten_ns;
	}
	(void)walk_map_remove(&lanes->by_thread, thread_key(lane->pid, lane->tid), 0);
	lane->self.generation++; /* references to it no longer find it */
	lane->is_unused = true;
	lane->next_unused = lanes->unused;
	lanes->unused = lane;
	walk_ring_finish(&lane->closed);
	walk_ring_finish(&lane->calls);
	walk_ring_finish(&lane->gpu_holds);
	walk_ring_finish(&lane->os_calls);
}

void walk_lanes_sweep(struct walk_lanes *lanes, uint64_t idle_ns)
{
	for (uint32_t i = 0; i < lanes->count; i++) {
		struct walk_lane *lane = lanes->lanes[i];

		while (has_old_front(lanes, lane)) {
			drop_closed(lanes, lane);
		}
		walk_ring_drop_front(
			&lane->gpu_holds, walk_ring_below(&lane->gpu_holds, lanes->forget_ns));
		if (lane->is_unused || lane->gpu_holds.count > 0 || lane->top ||
			lane->closed.count > 0 || lane->calls.count > 0 ||
			lane->os_calls.count > 0 || lane->last_ns + idle_ns >= lanes->forget_ns) {
			continue;
		}
		give_up(lanes, lane);
	}
	lanes->latest = NULL;
}

bool walk_activity_is_wait(const struct walk_activity *activity)
{
	return activity->kind <= WALK_WAIT;
}

/* What a closed child says about its parent's time, or takes that back. */
static void cover(struct walk_activity *parent, const struct walk_activity *child, bool is_added)
{
	uint64_t covered_ns = child->covered_ns;
	uint64_t delay_ns = child->covered_delay_ns;

	/* docs/causes.md, rule 5: a wait is no running time, and has no delay of its own. */
	if (walk_activity_is_wait(child)) {
		covered_ns = child->end_ns - child->begin_ns;
		delay_ns = 0;
	} else if (child->run_delay_ns != GAPTRACE_UNKNOWN) {
		covered_ns = child->end_ns - child->begin_ns;
		delay_ns = child->run_delay_ns;
	}
	parent->covered_ns += is_added ? covered_ns : -covered_ns;
	parent->covered_delay_ns += is_added ? delay_ns : -delay_ns;
}

static void pop_closed_tops(struct walk_lane *lane)
{
	while (lane->top && lane->top->end_ns != WALK_OPEN) {
		lane->top = lane->top->parent;
	}
}

enum status walk_lane_end(struct walk_lanes *lanes, struct walk_lane *lane,
	struct walk_activity *activity, uint64_t end_ns)
{
	struct walk_closed closed = {.activity = activity};
	enum status status;

	assert(activity->end_ns == WALK_OPEN);

	/* Clocks of two streams may be a few nanoseconds apart. */
	activity->end_ns = end_ns > activity->begin_ns ? end_ns : activity->begin_ns;
	closed.end_ns = activity->end_ns;
	if (activity->parent) {
		cover(activity->parent, activity, true);
	}
	if (lane->top == activity) {
		lane->top = activity->parent;
	}
	pop_closed_tops(lane);
	if (activity->end_ns == activity->begin_ns && activity->child_count == 0) {
		free_activity(lanes, activity); /* covers nothing */
		return STATUS_OK;
	}
	status = walk_ring_push(&lane->closed, &closed);
	/* Two go for each that comes, so forgetting never comes in bursts. */
	for (int i = 0; i < 2 && has_old_front(lanes, lane); i++) {
		drop_closed(lanes, lane);
	}
	return status;
}

/* Gives up all that is open: too many ends were lost. */
static enum status reset_lane(struct walk_lanes *lanes, struct walk_lane *lane, uint64_t now_ns)
{
	enum status status = STATUS_OK;

	while (lane->top && status == STATUS_OK) {
		lanes->stale_count++;
		status = walk_lane_end(lanes, lane, lane->top, now_ns);
	}
	return status;
}

struct walk_activity *walk_lane_begin(
	struct walk_lanes *lanes, struct walk_lane *lane, const struct walk_activity *activity)
{
	struct walk_activity *opened;

	if (lane->top && lane->top->depth + 1 >= lanes->depth_max &&
		reset_lane(lanes, lane, activity->begin_ns) != STATUS_OK) {
		return NULL;
	}
	opened = walk_slab_take(&lanes->activities);
	if (!opened) {
		return NULL;
	}
	*opened = *activity;
	opened->end_ns = WALK_OPEN;
	if (activity->begin_ns < lanes->doubt_until_ns) {
		opened->doubt = lanes->doubt;
		opened->doubt_ns = activity->begin_ns;
	}
	opened->parent = lane->top;
	opened->depth = lane->top ? lane->top->depth + 1 : 0;
	if (lane->top) {
		lane->top->child_count++;
	}
	lane->top = opened;
	return opened;
}

static void doubt(struct walk_activity *open, uint64_t begin_ns, const char *reason)
{
	/* The first loss counts: what it may have ended is doubtful from then on. */
	if (open->end_ns == WALK_OPEN && !open->doubt) {
		open->doubt = reason;
		open->doubt_ns = begin_ns > open->begin_ns ? begin_ns : open->begin_ns;
	}
}

void walk_lanes_doubt(
	struct walk_lanes *lanes, uint64_t begin_ns, uint64_t end_ns, const char *reason)
{
	for (uint32_t i = 0; i < lanes->count; i++) {
		struct walk_activity *open = lanes->lanes[i]->top;

		for (; open; open = open->parent) {
			doubt(open, begin_ns, reason);
		}
	}
	if (end_ns > lanes->doubt_until_ns) {
		lanes->doubt_until_ns = end_ns;
		lanes->doubt = reason;
	}
}

/* Those nested in it so far hung on its parent. */
static void adopt(struct walk_lane *lane, struct walk_activity *activity)
{
	struct walk_activity *parent = activity->parent;

	for (size_t i = lane->closed.count; i > 0; i--) {
		const struct walk_closed *closed = walk_ring_at(&lane->closed, i - 1);
		struct walk_activity *child = closed->activity;

		if (closed->end_ns <= activity->begin_ns) {
			break;
		}
		if (child->begin_ns < activity->begin_ns || child->parent != parent) {
			continue;
		}
		if (parent) {
			cover(parent, child, false);
			parent->child_count--;
		}
		cover(activity, child, true);
		child->parent = activity;
		activity->child_count++;
	}
}

enum status walk_lane_insert(
	struct walk_lanes *lanes, struct walk_lane *lane, const struct walk_activity *activity)
{
	struct walk_closed closed = {.end_ns = activity->end_ns};
	struct walk_activity *inserted;
	struct walk_activity *parent = lane->top;

	if (activity->begin_ns >= activity->end_ns) {
		return STATUS_OK;
	}
	inserted = walk_slab_take(&lanes->activities);
	if (!inserted) {
		return STATUS_NO_MEMORY;
	}
	/* It began before these, so it is not inside them, whatever the order of the records. */
	while (parent && parent->begin_ns > activity->begin_ns) {
		parent = parent->parent;
	}
	*inserted = *activity;
	inserted->parent = parent;
	inserted->depth = parent ? parent->depth + 1 : 0;
	if (parent) {
		parent->child_count++;
	}
	adopt(lane, inserted);
	if (parent) {
		cover(parent, inserted, true);
	}
	closed.activity = inserted;
	return walk_ring_push(&lane->closed, &closed);
}

struct walk_activity *walk_lane_open(
	const struct walk_lane *lane, const struct walk_activity *activity)
{
	struct walk_activity *open = activity ? activity->parent : lane->top;

	while (open && open->end_ns != WALK_OPEN) {
		open = open->parent;
	}
	return open;
}

struct walk_activity *walk_activity_outer(const struct walk_activity *activity, uint64_t y_ns)
{
	struct walk_activity *outer = activity->parent;

	while (outer && !walk_activity_covers(outer, y_ns)) {
		outer = outer->parent;
	}
	return outer;
}

struct walk_activity *walk_lane_at(const struct walk_lane *lane, uint64_t y_ns)
{
	/* [a, b) covers y when a < y <= b: the walk asks for the moment before y. */
	const size_t i = walk_ring_below(&lane->closed, y_ns);
	struct walk_activity *activity = lane->top;

	/* The first that ended at y or later, or something around it: nesting is proper. */
	if (i < lane->closed.count) {
		const struct walk_closed *closed = walk_ring_at(&lane->closed, i);

		activity = closed->activity;
	}
	if (activity && !walk_activity_covers(activity, y_ns)) {
		activity = walk_activity_outer(activity, y_ns);
	}
	return activity;
}

const struct walk_gpu_hold *walk_lane_gpu_hold(const struct walk_lane *lane, uint64_t y_ns)
{
	const size_t i = walk_ring_below(&lane->gpu_holds, y_ns);
	const struct walk_gpu_hold *hold;

	if (i == lane->gpu_holds.count) {
		return NULL;
	}
	hold = walk_ring_at(&lane->gpu_holds, i);
	return hold->acquire_ns < y_ns ? hold : NULL;
}

uint64_t walk_lane_gpu_change_before(const struct walk_lane *lane, uint64_t y_ns)
{
	const struct walk_gpu_hold *hold = walk_lane_gpu_hold(lane, y_ns);
	const size_t i = walk_ring_below(&lane->gpu_holds, y_ns);

	if (hold) {
		return hold->acquire_ns;
	}
	if (i == 0) {
		return 0;
	}
	hold = walk_ring_at(&lane->gpu_holds, i - 1);
	return hold->release_ns;
}

uint64_t walk_lane_end_before(const struct walk_lane *lane, uint64_t y_ns)
{
	const size_t i = walk_ring_below(&lane->closed, y_ns);
	const struct walk_closed *closed;

	if (i == 0) {
		return 0;
	}
	closed = walk_ring_at(&lane->closed, i - 1);
	return closed->end_ns;
}
