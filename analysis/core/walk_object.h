/* SPDX-License-Identifier: MIT */
/*
 * Who acted last on what others wait for: wakes of an object, and what went in and out of a
 * budget; and who submitted the tasks that have not begun.
 */
#pragma once

#include "analysis/core/walk_lane.h"

/* What went in and out of one budget lately: enough to find the release that made room. */
#define WALK_BUDGET_SAMPLES_MAX 1024

/* Tasks submitted and not begun. More means that begins were lost; the older go first. */
#define WALK_TASK_COUNT_MAX 262144

struct walk_act {
	uint64_t time_ns;
	struct walk_lane_reference lane; /* generation 0: nobody known */
};

struct walk_task {
	struct walk_act submit;
	struct event_work work;
};

struct walk_objects {
	struct walk_map wakes; /* struct walk_act by process and object */
	struct walk_slab wake_slab;
	struct walk_map tasks; /* struct walk_task by process and number */
	struct walk_slab task_slab;
	struct walk_map budgets; /* struct walk_budget by process and budget */
	struct walk_slab budget_slab;
};

struct walk_budget_sample {
	struct walk_act act;
	uint64_t used_bytes; /* after the act */
	uint64_t limit_bytes;
	bool is_release;
};

void walk_objects_init(struct walk_objects *objects);
void walk_objects_finish(struct walk_objects *objects);

MUST_CHECK enum status walk_objects_wake(
	struct walk_objects *objects, int32_t pid, uint64_t object, struct walk_act act);

/* The last wake; time 0 and no lane when there was none. */
struct walk_act walk_objects_last_wake(
	const struct walk_objects *objects, int32_t pid, uint64_t object);

MUST_CHECK enum status walk_objects_submit(struct walk_objects *objects, int32_t pid, uint64_t task,
	const struct walk_task *submitted);

/* Takes it away; false when its submission was not seen. */
bool walk_objects_take_task(
	struct walk_objects *objects, int32_t pid, uint64_t task, struct walk_task *out_task);

MUST_CHECK enum status walk_objects_budget(struct walk_objects *objects, int32_t pid,
	uint64_t budget, const struct walk_budget_sample *sample);

struct walk_room {
	uint64_t budget;
	uint64_t bytes;    /* that were needed; 0: not known */
	uint64_t begin_ns; /* of the wait for them */
};

/*
 * The release that made room: the first after the last moment when the bytes did not fit, or the
 * last one when they are not known. No lane when there was none since the wait began.
 */
struct walk_act walk_objects_made_room(
	const struct walk_objects *objects, int32_t pid, const struct walk_room *room);

void walk_objects_sweep(struct walk_objects *objects, uint64_t forget_ns);
