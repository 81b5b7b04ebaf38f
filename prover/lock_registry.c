/* SPDX-License-Identifier: MIT */
#include "prover/lock_registry.h"

#include <assert.h>
#include <stdlib.h>

/* `count` is the lock's own counter; the lock address is the key. */
struct entry {
	const void *lock;
	const uint64_t *count;
};

/* Its mutex is a leaf: nothing is locked under it. */
static struct {
	struct gaptrace_mutex mutex; /* guards the fields below */
	struct entry *entries;
	uint32_t count;
	uint32_t capacity;
	uint64_t finished_acquires;
} registry = {
	.mutex = {.mutex = PTHREAD_MUTEX_INITIALIZER, .name = "lock_registry"},
};

static enum status registry_add(const void *lock, const uint64_t *count)
{
	enum status status = STATUS_OK;

	gaptrace_mutex_lock(&registry.mutex);
	if (registry.count == registry.capacity) {
		uint32_t capacity = registry.capacity ? 2 * registry.capacity : 64;
		struct entry *grown =
			realloc(registry.entries, capacity * sizeof(*registry.entries));

		if (grown) {
			registry.entries = grown;
			registry.capacity = capacity;
		} else {
			status = STATUS_NO_MEMORY;
		}
	}
	if (status == STATUS_OK) {
		registry.entries[registry.count] = (struct entry){.lock = lock, .count = count};
		registry.count++;
	}
	gaptrace_mutex_unlock(&registry.mutex);
	return status;
}

static void registry_remove(const void *lock)
{
	gaptrace_mutex_lock(&registry.mutex);
	for (uint32_t i = registry.count; i > 0; i--) {
		struct entry *entry = &registry.entries[i - 1];

		/* Short-lived locks come last, so the search from the end is short. */
		if (entry->lock == lock) {
			registry.finished_acquires +=
				__atomic_load_n(entry->count, __ATOMIC_RELAXED);
			*entry = registry.entries[registry.count - 1];
			registry.count--;
			break;
		}
	}
	/* The last lock is gone: so that leak checkers see a clean end. */
	if (registry.count == 0) {
		free(registry.entries);
		registry.entries = NULL;
		registry.capacity = 0;
	}
	gaptrace_mutex_unlock(&registry.mutex);
}

enum status lock_registry_mutex_init(struct gaptrace_mutex *mutex, const char *name)
{
	int error = 0;
	enum status status = STATUS_OK;

	assert(mutex && name);
	error = gaptrace_mutex_init(mutex, name);
	if (error != 0) {
		return status_from_errno(error);
	}
	status = registry_add(mutex, &mutex->acquire_count);
	if (status != STATUS_OK) {
		gaptrace_mutex_finish(mutex);
	}
	return status;
}

void lock_registry_mutex_finish(struct gaptrace_mutex *mutex)
{
	registry_remove(mutex);
	gaptrace_mutex_finish(mutex);
}

enum status lock_registry_rwlock_init(struct gaptrace_rwlock *rwlock, const char *name)
{
	int error = 0;
	enum status status = STATUS_OK;

	assert(rwlock && name);
	error = gaptrace_rwlock_init(rwlock, name);
	if (error != 0) {
		return status_from_errno(error);
	}
	status = registry_add(rwlock, &rwlock->acquire_count);
	if (status != STATUS_OK) {
		gaptrace_rwlock_finish(rwlock);
	}
	return status;
}

void lock_registry_rwlock_finish(struct gaptrace_rwlock *rwlock)
{
	registry_remove(rwlock);
	gaptrace_rwlock_finish(rwlock);
}

uint64_t lock_registry_acquire_count(void)
{
	uint64_t count = 0;

	gaptrace_mutex_lock(&registry.mutex);
	/* Its own lock counts too: the trace has those acquisitions. */
	count = registry.finished_acquires + registry.mutex.acquire_count;
	for (uint32_t i = 0; i < registry.count; i++) {
		/* Holders count without looking at us; a figure of the end is exact, one of the
		 * middle is of nearly now. */
		count += __atomic_load_n(registry.entries[i].count, __ATOMIC_RELAXED);
	}
	gaptrace_mutex_unlock(&registry.mutex);
	return count;
}
