/* SPDX-License-Identifier: MIT */
#include "analysis/core/walk_sched.h"

#define NOT_RUNNABLE UINT64_MAX

/* A thread with nothing to tell for so long has most likely ended. */
#define SCHED_KEEP_NS 600000000000ULL

struct walk_sched {
	uint64_t first_ns;
	uint64_t last_ns;
	uint64_t runnable_ns;     /* since when it waits for a CPU */
	struct walk_ring starved; /* struct stretch */
};

struct stretch {
	uint64_t end_ns;
	uint64_t begin_ns;
};

void walk_scheds_init(struct walk_scheds *scheds)
{
	*scheds = (struct walk_scheds){0};
	walk_slab_init(&scheds->slab, sizeof(struct walk_sched));
}

void walk_scheds_finish(struct walk_scheds *scheds)
{
	for (size_t i = 0; i < scheds->by_tid.capacity; i++) {
		struct walk_sched *sched = scheds->by_tid.entries[i].value;

		if (sched) {
			walk_ring_finish(&sched->starved);
		}
	}
	walk_map_finish(&scheds->by_tid);
	walk_slab_finish(&scheds->slab);
}

static struct walk_sched *get_sched(struct walk_scheds *scheds, int32_t tid, uint64_t time_ns)
{
	struct walk_sched *sched = walk_map_find(&scheds->by_tid, (uint32_t)tid, 0);

	if (!sched) {
		sched = walk_slab_take(&scheds->slab);
		if (!sched) {
			return NULL;
		}
		*sched = (struct walk_sched){.first_ns = time_ns, .runnable_ns = NOT_RUNNABLE};
		walk_ring_init(&sched->starved, sizeof(struct stretch));
		if (walk_map_put(&scheds->by_tid, (uint32_t)tid, 0, sched) != STATUS_OK) {
			walk_slab_give_back(&scheds->slab, sched);
			return NULL;
		}
	}
	sched->last_ns = time_ns;
	return sched;
}

enum status walk_scheds_leave(
	struct walk_scheds *scheds, int32_t tid, uint64_t time_ns, bool is_runnable)
{
	struct walk_sched *sched = get_sched(scheds, tid, time_ns);

	if (!sched) {
		return STATUS_NO_MEMORY;
	}
	sched->runnable_ns = is_runnable ? time_ns : NOT_RUNNABLE;
	return STATUS_OK;
}

enum status walk_scheds_wake(struct walk_scheds *scheds, int32_t tid, uint64_t time_ns)
{
	struct walk_sched *sched = get_sched(scheds, tid, time_ns);

	if (!sched) {
		return STATUS_NO_MEMORY;
	}
	if (sched->runnable_ns == NOT_RUNNABLE) {
		sched->runnable_ns = time_ns;
	}
	return STATUS_OK;
}

enum status walk_scheds_run(struct walk_scheds *scheds, int32_t tid, uint64_t time_ns)
{
	struct walk_sched *sched = get_sched(scheds, tid, time_ns);
	struct stretch stretch = {.end_ns = time_ns};

	if (!sched) {
		return STATUS_NO_MEMORY;
	}
	stretch.begin_ns = sched->runnable_ns;
	sched->runnable_ns = NOT_RUNNABLE;
	if (stretch.begin_ns >= time_ns) {
		return STATUS_OK; /* was not waiting, or not for a whole nanosecond */
	}
	return walk_ring_push(&sched->starved, &stretch);
}

bool walk_scheds_knows(const struct walk_scheds *scheds, int32_t tid, uint64_t from_ns)
{
	const struct walk_sched *sched = walk_map_find(&scheds->by_tid, (uint32_t)tid, 0);

	return sched && sched->first_ns <= from_ns;
}

bool walk_scheds_starved_at(
	const struct walk_scheds *scheds, int32_t tid, uint64_t y_ns, uint64_t *from_ns)
{
	const struct walk_sched *sched = walk_map_find(&scheds->by_tid, (uint32_t)tid, 0);
	const struct stretch *stretch;
	uint64_t boundary_ns = 0;
	bool is_starved = false;
	size_t i;

	if (!sched) {
		return false;
	}
	i = walk_ring_below(&sched->starved, y_ns);
	if (i < sched->starved.count) {
		stretch = walk_ring_at(&sched->starved, i);
		is_starved = stretch->begin_ns < y_ns;
		boundary_ns = is_starved ? stretch->begin_ns : 0;
	} else if (sched->runnable_ns < y_ns) {
		is_starved = true;
		boundary_ns = sched->runnable_ns;
	}
	if (!is_starved && i > 0) {
		stretch = walk_ring_at(&sched->starved, i - 1);
		boundary_ns = stretch->end_ns;
	}
	if (boundary_ns > *from_ns) {
		*from_ns = boundary_ns;
	}
	return is_starved;
}

struct sweep {
	struct walk_scheds *scheds;
	uint64_t forget_ns;
};

static bool keeps_sched(void *context, void *value)
{
	const struct sweep *sweep = context;
	struct walk_sched *sched = value;

	walk_ring_drop_front(&sched->starved, walk_ring_below(&sched->starved, sweep->forget_ns));
	if (sched->last_ns + SCHED_KEEP_NS < sweep->forget_ns) {
		walk_ring_finish(&sched->starved);
		walk_slab_give_back(&sweep->scheds->slab, sched);
		return false;
	}
	return true;
}

void walk_scheds_sweep(struct walk_scheds *scheds, uint64_t forget_ns)
{
	struct sweep sweep = {.scheds = scheds, .forget_ns = forget_ns};

	walk_map_sweep(&scheds->by_tid, keeps_sched, &sweep);
}
