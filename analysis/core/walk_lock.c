/* SPDX-License-Identifier: MIT */
#include "analysis/core/walk_lock.h"

/* A release that comes after the next acquisition in the trace is looked for so far back. */
#define LATE_RELEASES_MAX 8

void walk_locks_init(struct walk_locks *locks)
{
	*locks = (struct walk_locks){0};
	walk_slab_init(&locks->slab, sizeof(struct walk_lock));
}

void walk_locks_finish(struct walk_locks *locks)
{
	for (size_t i = 0; i < locks->by_id.capacity; i++) {
		struct walk_lock *lock = locks->by_id.entries[i].value;

		if (lock) {
			walk_ring_finish(&lock->holds);
			walk_ring_finish(&lock->open);
		}
	}
	walk_map_finish(&locks->by_id);
	walk_slab_finish(&locks->slab);
}

static struct walk_lock *get_lock(struct walk_locks *locks, int32_t pid, uint64_t id)
{
	struct walk_lock *lock = walk_map_find(&locks->by_id, (uint32_t)pid, id);

	if (lock) {
		return lock;
	}
	lock = walk_slab_take(&locks->slab);
	if (!lock) {
		return NULL;
	}
	*lock = (struct walk_lock){.pid = pid, .id = id};
	walk_ring_init(&lock->holds, sizeof(struct walk_hold));
	walk_ring_init(&lock->open, sizeof(struct walk_hold));
	if (walk_map_put(&locks->by_id, (uint32_t)pid, id, lock) != STATUS_OK) {
		walk_slab_give_back(&locks->slab, lock);
		return NULL;
	}
	return lock;
}

static bool is_same(struct walk_lane_reference a, struct walk_lane_reference b)
{
	return a.index == b.index && a.generation == b.generation;
}

/* Those who can no longer hold the lock, since `act` got it. */
static enum status close_lost(
	struct walk_locks *locks, struct walk_lock *lock, const struct walk_lock_act *act)
{
	enum status status = STATUS_OK;
	size_t kept = 0;

	for (size_t i = 0; i < lock->open.count && status == STATUS_OK; i++) {
		struct walk_hold hold = *(struct walk_hold *)walk_ring_at(&lock->open, i);

		if (act->is_shared && hold.is_shared && !is_same(hold.lane, act->lane)) {
			*(struct walk_hold *)walk_ring_at(&lock->open, kept) = hold;
			kept++;
			continue;
		}
		hold.release_ns = act->time_ns;
		hold.is_released = false;
		status = walk_ring_push(&lock->holds, &hold);
		locks->hold_count++;
	}
	lock->open.count = kept;
	return status;
}

enum status walk_locks_acquire(struct walk_locks *locks, const struct walk_lock_act *act)
{
	struct walk_lock *lock = get_lock(locks, act->pid, act->lock);
	const struct walk_hold hold = {
		.release_ns = WALK_OPEN,
		.acquire_ns = act->time_ns,
		.lane = act->lane,
		.is_shared = act->is_shared,
	};
	enum status status = STATUS_OK;

	if (!lock) {
		return STATUS_NO_MEMORY;
	}
	/* Whoever held it alone has let it go: that release was lost, or comes late. */
	if (lock->open.count > 0) {
		status = close_lost(locks, lock, act);
	}
	return status == STATUS_OK ? walk_ring_push(&lock->open, &hold) : status;
}

/* One that was taken for lost, because the trace had it after the next acquisition. */
static struct walk_hold *find_late(struct walk_lock *lock, const struct walk_lock_act *act)
{
	const size_t count = lock->holds.count;

	for (size_t i = count; i > 0 && count - i < LATE_RELEASES_MAX; i--) {
		struct walk_hold *hold = walk_ring_at(&lock->holds, i - 1);

		if (!hold->is_released && is_same(hold->lane, act->lane)) {
			return hold;
		}
	}
	return NULL;
}

static enum status close_hold(struct walk_lock *lock, size_t i, uint64_t release_ns)
{
	struct walk_hold hold = *(struct walk_hold *)walk_ring_at(&lock->open, i);

	for (size_t j = i; j + 1 < lock->open.count; j++) {
		*(struct walk_hold *)walk_ring_at(&lock->open, j) =
			*(struct walk_hold *)walk_ring_at(&lock->open, j + 1);
	}
	lock->open.count--;
	hold.release_ns = release_ns;
	hold.is_released = true;
	return walk_ring_push(&lock->holds, &hold);
}

enum status walk_locks_release(
	struct walk_locks *locks, const struct walk_lock_act *act, uint64_t *out_acquire_ns)
{
	struct walk_lock *lock = get_lock(locks, act->pid, act->lock);
	struct walk_hold hold = {
		.release_ns = act->time_ns,
		.lane = act->lane,
		.is_shared = act->is_shared,
		.is_released = true,
	};
	struct walk_hold *late;

	if (!lock) {
		return STATUS_NO_MEMORY;
	}
	for (size_t i = lock->open.count; i > 0; i--) {
		const struct walk_hold *open = walk_ring_at(&lock->open, i - 1);

		if (is_same(open->lane, act->lane)) {
			*out_acquire_ns = open->acquire_ns;
			locks->hold_count++;
			return close_hold(lock, i - 1, act->time_ns);
		}
	}
	late = find_late(lock, act);
	if (late) {
		late->is_released = true;
		*out_acquire_ns = late->acquire_ns;
		return STATUS_OK;
	}
	/* Taken before the recording began. */
	if (act->hold_ns != GAPTRACE_UNKNOWN && act->hold_ns < act->time_ns) {
		hold.acquire_ns = act->time_ns - act->hold_ns;
	}
	*out_acquire_ns = hold.acquire_ns;
	locks->hold_count++;
	return walk_ring_push(&lock->holds, &hold);
}

const struct walk_lock *walk_locks_find(const struct walk_locks *locks, int32_t pid, uint64_t id)
{
	return walk_map_find(&locks->by_id, (uint32_t)pid, id);
}

struct sweep {
	struct walk_locks *locks;
	uint64_t forget_ns;
};

/* The last hold stays while the lock is in use: it says that the lock was free after it. */
static bool keeps_lock(void *context, void *value)
{
	const struct sweep *sweep = context;
	struct walk_lock *lock = value;
	const size_t old_count = walk_ring_below(&lock->holds, sweep->forget_ns);

	if (old_count == lock->holds.count && lock->open.count == 0) {
		sweep->locks->hold_count -= old_count;
		walk_ring_finish(&lock->holds);
		walk_ring_finish(&lock->open);
		walk_slab_give_back(&sweep->locks->slab, lock);
		return false;
	}
	if (old_count > 1) {
		sweep->locks->hold_count -= old_count - 1;
		walk_ring_drop_front(&lock->holds, old_count - 1);
	}
	return true;
}

void walk_locks_sweep(struct walk_locks *locks, uint64_t forget_ns)
{
	struct sweep sweep = {.locks = locks, .forget_ns = forget_ns};

	walk_map_sweep(&locks->by_id, keeps_lock, &sweep);
}
