/* SPDX-License-Identifier: MIT */
#include "analysis/core/walk_object.h"

/* A wake may be asked for by a wait that ends much later than the gaps of its time. */
#define WAKE_KEEP_NS 10000000000ULL

struct walk_budget {
	uint64_t last_ns;
	struct walk_ring samples; /* struct walk_budget_sample */
};

void walk_objects_init(struct walk_objects *objects)
{
	*objects = (struct walk_objects){0};
	walk_slab_init(&objects->wake_slab, sizeof(struct walk_act));
	walk_slab_init(&objects->task_slab, sizeof(struct walk_task));
	walk_slab_init(&objects->budget_slab, sizeof(struct walk_budget));
}

void walk_objects_finish(struct walk_objects *objects)
{
	for (size_t i = 0; i < objects->budgets.capacity; i++) {
		struct walk_budget *budget = objects->budgets.entries[i].value;

		if (budget) {
			walk_ring_finish(&budget->samples);
		}
	}
	walk_map_finish(&objects->wakes);
	walk_map_finish(&objects->tasks);
	walk_map_finish(&objects->budgets);
	walk_slab_finish(&objects->wake_slab);
	walk_slab_finish(&objects->task_slab);
	walk_slab_finish(&objects->budget_slab);
}

enum status walk_objects_wake(
	struct walk_objects *objects, int32_t pid, uint64_t object, struct walk_act act)
{
	struct walk_act *last = walk_map_find(&objects->wakes, (uint32_t)pid, object);
	enum status status = STATUS_OK;

	if (!last) {
		last = walk_slab_take(&objects->wake_slab);
		if (!last) {
			return STATUS_NO_MEMORY;
		}
		status = walk_map_put(&objects->wakes, (uint32_t)pid, object, last);
	}
	/* docs/causes.md, rule 6: the last wake before a wait's end is what ended it, so one for
	 * each object will do. */
	*last = act;
	return status;
}

struct walk_act walk_objects_last_wake(
	const struct walk_objects *objects, int32_t pid, uint64_t object)
{
	const struct walk_act *last = walk_map_find(&objects->wakes, (uint32_t)pid, object);

	return last ? *last : (struct walk_act){0};
}

struct sweep {
	struct walk_objects *objects;
	uint64_t before_ns;
};

static bool keeps_task(void *context, void *value)
{
	const struct sweep *sweep = context;
	struct walk_task *task = value;

	if (task->submit.time_ns < sweep->before_ns) {
		walk_slab_give_back(&sweep->objects->task_slab, task);
		return false;
	}
	return true;
}

/* Begins were lost: forgets what was submitted before half the time since the oldest. */
static void drop_old_tasks(struct walk_objects *objects, uint64_t now_ns)
{
	struct sweep sweep = {.objects = objects};
	uint64_t oldest_ns = now_ns;

	for (size_t i = 0; i < objects->tasks.capacity; i++) {
		const struct walk_task *task = objects->tasks.entries[i].value;

		if (task && task->submit.time_ns < oldest_ns) {
			oldest_ns = task->submit.time_ns;
		}
	}
	sweep.before_ns = oldest_ns + (now_ns - oldest_ns) / 2 + 1;
	walk_map_sweep(&objects->tasks, keeps_task, &sweep);
}

enum status walk_objects_submit(
	struct walk_objects *objects, int32_t pid, uint64_t task, const struct walk_task *submitted)
{
	struct walk_task *kept = walk_map_find(&objects->tasks, (uint32_t)pid, task);
	enum status status = STATUS_OK;

	if (!kept) {
		/* Whose begins were lost would stay for ever. */
		if (objects->tasks.count >= WALK_TASK_COUNT_MAX) {
			drop_old_tasks(objects, submitted->submit.time_ns);
		}
		kept = walk_slab_take(&objects->task_slab);
		if (!kept) {
			return STATUS_NO_MEMORY;
		}
		status = walk_map_put(&objects->tasks, (uint32_t)pid, task, kept);
	}
	/* A task's number may come round again: the newer submission counts. */
	*kept = *submitted;
	return status;
}

bool walk_objects_take_task(
	struct walk_objects *objects, int32_t pid, uint64_t task, struct walk_task *out_task)
{
	struct walk_task *kept = walk_map_remove(&objects->tasks, (uint32_t)pid, task);

	if (!kept) {
		return false;
	}
	*out_task = *kept;
	walk_slab_give_back(&objects->task_slab, kept);
	return true;
}

enum status walk_objects_budget(struct walk_objects *objects, int32_t pid, uint64_t budget,
	const struct walk_budget_sample *sample)
{
	struct walk_budget *kept = walk_map_find(&objects->budgets, (uint32_t)pid, budget);
	enum status status = STATUS_OK;

	if (!kept) {
		kept = walk_slab_take(&objects->budget_slab);
		if (!kept) {
			return STATUS_NO_MEMORY;
		}
		*kept = (struct walk_budget){0};
		walk_ring_init(&kept->samples, sizeof(struct walk_budget_sample));
		status = walk_map_put(&objects->budgets, (uint32_t)pid, budget, kept);
	}
	if (status != STATUS_OK) {
		return status;
	}
	/* A few hundred samples suffice: a wait asks for those since its begin. */
	kept->last_ns = sample->act.time_ns;
	if (kept->samples.count == WALK_BUDGET_SAMPLES_MAX) {
		walk_ring_drop_front(&kept->samples, 1);
	}
	return walk_ring_push(&kept->samples, sample);
}

static bool fits(const struct walk_budget_sample *sample, uint64_t bytes)
{
	return bytes <= sample->limit_bytes && sample->used_bytes <= sample->limit_bytes - bytes;
}

struct walk_act walk_objects_made_room(
	const struct walk_objects *objects, int32_t pid, const struct walk_room *room)
{
	const struct walk_budget *kept =
		walk_map_find(&objects->budgets, (uint32_t)pid, room->budget);
	const struct walk_budget_sample *found = NULL;

	for (size_t i = kept ? kept->samples.count : 0; i > 0; i--) {
		const struct walk_budget_sample *sample = walk_ring_at(&kept->samples, i - 1);

		if (sample->act.time_ns < room->begin_ns) {
			break;
		}
		/* Backwards to the last moment without room: the release after it made the room.
		 * Without a size, the last release. */
		if (found && (room->bytes == 0 || !fits(sample, room->bytes))) {
			break;
		}
		if (sample->is_release) {
			found = sample;
		}
	}
	return found ? found->act : (struct walk_act){0};
}

static bool keeps_wake(void *context, void *value)
{
	const struct sweep *sweep = context;
	struct walk_act *wake = value;

	if (wake->time_ns + WAKE_KEEP_NS < sweep->before_ns) {
		walk_slab_give_back(&sweep->objects->wake_slab, wake);
		return false;
	}
	return true;
}

static bool keeps_budget(void *context, void *value)
{
	const struct sweep *sweep = context;
	struct walk_budget *budget = value;

	if (budget->last_ns + WAKE_KEEP_NS < sweep->before_ns) {
		walk_ring_finish(&budget->samples);
		walk_slab_give_back(&sweep->objects->budget_slab, budget);
		return false;
	}
	return true;
}

void walk_objects_sweep(struct walk_objects *objects, uint64_t forget_ns)
{
	struct sweep sweep = {.objects = objects, .before_ns = forget_ns};

	walk_map_sweep(&objects->wakes, keeps_wake, &sweep);
	walk_map_sweep(&objects->budgets, keeps_budget, &sweep);
}
