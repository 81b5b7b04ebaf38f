/* SPDX-License-Identifier: MIT */
#include "analysis/core/walk_sched.h"

#define NOT_NOW UINT64_MAX

/* A thread with nothing to tell for so long has most likely ended. */
#define SCHED_KEEP_NS 600000000000ULL

/* Time of one sort, and since when it lasts. */
struct spell {
	uint64_t since_ns;
	struct walk_ring stretches; /* struct stretch */
};

struct stretch {
	uint64_t end_ns;
	uint64_t begin_ns;
};

struct walk_sched {
	uint64_t first_ns;
	uint64_t last_ns;
	struct walk_ring renewals; /* uint64_t: first events after a loss */
	struct spell starved;      /* could have run */
	struct spell blocked;      /* could not; kept of imported traces only, as the next one */
	struct spell away;         /* off its CPU, and nothing says why */
};

void walk_scheds_init(struct walk_scheds *scheds)
{
	*scheds = (struct walk_scheds){0};
	walk_slab_init(&scheds->slab, sizeof(struct walk_sched));
}

static void finish(struct walk_sched *sched)
{
	walk_ring_finish(&sched->renewals);
	walk_ring_finish(&sched->starved.stretches);
	walk_ring_finish(&sched->blocked.stretches);
	walk_ring_finish(&sched->away.stretches);
}

void walk_scheds_finish(struct walk_scheds *scheds)
{
	for (size_t i = 0; i < scheds->by_tid.capacity; i++) {
		struct walk_sched *sched = scheds->by_tid.entries[i].value;

		if (sched) {
			finish(sched);
		}
	}
	walk_map_finish(&scheds->by_tid);
	walk_slab_finish(&scheds->slab);
}

static void spell_init(struct spell *spell)
{
	spell->since_ns = NOT_NOW;
	walk_ring_init(&spell->stretches, sizeof(struct stretch));
}

static struct walk_sched *get_sched(struct walk_scheds *scheds, int32_t tid, uint64_t time_ns)
{
	struct walk_sched *sched = walk_map_find(&scheds->by_tid, (uint32_t)tid, 0);

	if (!sched) {
		sched = walk_slab_take(&scheds->slab);
		if (!sched) {
			return NULL;
		}
		*sched = (struct walk_sched){.first_ns = time_ns};
		walk_ring_init(&sched->renewals, sizeof(uint64_t));
		spell_init(&sched->starved);
		spell_init(&sched->blocked);
		spell_init(&sched->away);
		if (walk_map_put(&scheds->by_tid, (uint32_t)tid, 0, sched) != STATUS_OK) {
			walk_slab_give_back(&scheds->slab, sched);
			return NULL;
		}
	}
	if (sched->last_ns < scheds->doubt_until_ns &&
		walk_ring_push(&sched->renewals, &time_ns) != STATUS_OK) {
		return NULL;
	}
	sched->last_ns = time_ns;
	return sched;
}

/* A spell that lasts already goes on: a second wake changes nothing. */
static void begin(struct spell *spell, uint64_t time_ns)
{
	if (spell->since_ns == NOT_NOW) {
		spell->since_ns = time_ns;
	}
}

static enum status end(struct walk_scheds *scheds, struct spell *spell, uint64_t time_ns)
{
	const struct stretch stretch = {.end_ns = time_ns, .begin_ns = spell->since_ns};

	spell->since_ns = NOT_NOW;
	if (stretch.begin_ns >= time_ns) {
		return STATUS_OK; /* was not so, or not for a whole nanosecond */
	}
	scheds->stretch_count++;
	return walk_ring_push(&spell->stretches, &stretch);
}

enum status walk_scheds_leave(
	struct walk_scheds *scheds, int32_t tid, uint64_t time_ns, enum walk_sched_state state)
{
	struct walk_sched *sched = get_sched(scheds, tid, time_ns);

	if (!sched) {
		return STATUS_NO_MEMORY;
	}
	/* Preempted: it could run on at once. */
	sched->starved.since_ns = state == WALK_SCHED_RUNNABLE ? time_ns : NOT_NOW;
	if (state != WALK_SCHED_RUNNABLE && scheds->keeps_blocked) {
		begin(state == WALK_SCHED_BLOCKED ? &sched->blocked : &sched->away, time_ns);
	}
	return STATUS_OK;
}

enum status walk_scheds_wake(struct walk_scheds *scheds, int32_t tid, uint64_t time_ns)
{
	struct walk_sched *sched = get_sched(scheds, tid, time_ns);

	if (!sched) {
		return STATUS_NO_MEMORY;
	}
	/* Awake, and waiting for a CPU until it is switched to. */
	begin(&sched->starved, time_ns);
	return end(scheds, &sched->blocked, time_ns);
}

enum status walk_scheds_run(struct walk_scheds *scheds, int32_t tid, uint64_t time_ns)
{
	struct walk_sched *sched = get_sched(scheds, tid, time_ns);
	enum status status;

	if (!sched) {
		return STATUS_NO_MEMORY;
	}
	status = end(scheds, &sched->starved, time_ns);
	if (status == STATUS_OK) {
		status = end(scheds, &sched->blocked, time_ns);
	}
	return status == STATUS_OK ? end(scheds, &sched->away, time_ns) : status;
}

bool walk_scheds_knows(
	const struct walk_scheds *scheds, int32_t tid, uint64_t y_ns, uint64_t *from_ns)
{
	const struct walk_sched *sched = walk_map_find(&scheds->by_tid, (uint32_t)tid, 0);

	/* Before its first event nothing is known, which is not the same as "it ran". */
	if (!sched || sched->first_ns >= y_ns) {
		return false;
	}
	if (sched->first_ns > *from_ns) {
		*from_ns = sched->first_ns;
	}
	return true;
}

/* True when it was so at y; raises *from_ns to where that answer begins. */
static bool is_at(const struct spell *spell, uint64_t y_ns, uint64_t *from_ns)
{
	const size_t i = walk_ring_below(&spell->stretches, y_ns);
	const struct stretch *stretch;
	uint64_t boundary_ns = 0;
	bool is_so = false;

	if (i < spell->stretches.count) {
		stretch = walk_ring_at(&spell->stretches, i);
		is_so = stretch->begin_ns < y_ns;
		boundary_ns = is_so ? stretch->begin_ns : 0;
	} else if (spell->since_ns < y_ns) {
		is_so = true;
		boundary_ns = spell->since_ns;
	}
	if (!is_so && i > 0) {
		stretch = walk_ring_at(&spell->stretches, i - 1);
		boundary_ns = stretch->end_ns;
	}
	if (boundary_ns > *from_ns) {
		*from_ns = boundary_ns;
	}
	return is_so;
}

bool walk_scheds_starved_at(
	const struct walk_scheds *scheds, int32_t tid, uint64_t y_ns, uint64_t *from_ns)
{
	const struct walk_sched *sched = walk_map_find(&scheds->by_tid, (uint32_t)tid, 0);

	return sched && is_at(&sched->starved, y_ns, from_ns);
}

void walk_scheds_doubt(struct walk_scheds *scheds, uint64_t end_ns)
{
	if (end_ns > scheds->doubt_until_ns) {
		scheds->doubt_until_ns = end_ns;
	}
}

uint64_t walk_scheds_known_at(const struct walk_scheds *scheds, int32_t tid, uint64_t y_ns)
{
	const struct walk_sched *sched = walk_map_find(&scheds->by_tid, (uint32_t)tid, 0);
	uint64_t known_ns;
	size_t i;

	if (!sched) {
		return y_ns;
	}
	known_ns = sched->first_ns;
	i = walk_ring_below(&sched->renewals, y_ns);
	if (i > 0) {
		const uint64_t *renewed_ns = walk_ring_at(&sched->renewals, i - 1);

		known_ns = *renewed_ns > known_ns ? *renewed_ns : known_ns;
	}
	/* Where the answer begins an event told it. */
	(void)is_at(&sched->starved, y_ns, &known_ns);
	return known_ns;
}

const char *walk_scheds_off_at(
	const struct walk_scheds *scheds, int32_t tid, uint64_t y_ns, uint64_t *from_ns)
{
	const struct walk_sched *sched = walk_map_find(&scheds->by_tid, (uint32_t)tid, 0);

	if (!sched) {
		return NULL;
	}
	if (is_at(&sched->blocked, y_ns, from_ns)) {
		return "blocked off CPU";
	}
	return is_at(&sched->away, y_ns, from_ns) ? "off CPU" : NULL;
}

struct sweep {
	struct walk_scheds *scheds;
	uint64_t forget_ns;
};

static void drop(struct walk_scheds *scheds, struct spell *spell, uint64_t forget_ns)
{
	const size_t old_count = walk_ring_below(&spell->stretches, forget_ns);

	walk_ring_drop_front(&spell->stretches, old_count);
	scheds->stretch_count -= old_count;
}

static bool keeps_sched(void *context, void *value)
{
	const struct sweep *sweep = context;
	struct walk_sched *sched = value;
	const size_t old_count = walk_ring_below(&sched->renewals, sweep->forget_ns);

	if (old_count > 1) {
		walk_ring_drop_front(&sched->renewals, old_count - 1);
	}
	drop(sweep->scheds, &sched->starved, sweep->forget_ns);
	drop(sweep->scheds, &sched->blocked, sweep->forget_ns);
	drop(sweep->scheds, &sched->away, sweep->forget_ns);
	if (sched->last_ns + SCHED_KEEP_NS < sweep->forget_ns) {
		finish(sched);
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
