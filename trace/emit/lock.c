/* SPDX-License-Identifier: MIT */
/*
 * Locks. The order of events follows the order of acts: lock_wait before blocking, lock_acquire
 * once the lock is held, lock_release before it is given up, so that no waiter's acquisition ever
 * comes before the release that let it in.
 */
#include "gaptrace/gaptrace.h"
#include "trace/base/clock.h"
#include "trace/emit/condition.h"
#include "trace/emit/nvtx_range.h"
#include "trace/emit/thread.h"
#include "trace/emit/tracepoints.h"

/* Something records locks, or did when it was asked. */
static inline bool locks_wanted(void)
{
	return WANTED(lock_acquire) || WANTED(lock_release) || WANTED(lock_wait);
}

/* Before blocking. Gives the time, 0 when nothing records. */
static uint64_t wait_begin(
	const void *lock, const char *name, enum gaptrace_lock_mode mode, const int32_t *holder_tid)
{
	uint64_t begin_ns = locks_wanted() ? clock_now_ns() : 0;

	if (WANTED(lock_wait)) {
		int32_t tid = __atomic_load_n(holder_tid, __ATOMIC_RELAXED);

		EMIT(lock_wait, lock, name, mode, tid);
	}
	nvtx_range_push(NVTX_RANGE_WAIT, name);
	return begin_ns;
}

/* How long it was, not known when recording began meanwhile. */
static uint64_t wait_end(uint64_t begin_ns)
{
	nvtx_range_pop();
	return begin_ns ? clock_now_ns() - begin_ns : GAPTRACE_UNKNOWN;
}

/* The lock is held. Gives the time of the acquisition, 0 when nothing records. */
static inline uint64_t acquired(
	const void *lock, const char *name, enum gaptrace_lock_mode mode, uint64_t wait_ns)
{
	uint64_t now_ns = locks_wanted() ? clock_now_ns() : 0;

	if (WANTED(lock_acquire)) {
		EMIT(lock_acquire, lock, name, mode, wait_ns);
	}
	return now_ns;
}

static inline void releasing(
	const void *lock, const char *name, enum gaptrace_lock_mode mode, uint64_t acquired_ns)
{
	if (WANTED(lock_release)) {
		uint64_t hold_ns = acquired_ns ? clock_now_ns() - acquired_ns : GAPTRACE_UNKNOWN;

		EMIT(lock_release, lock, name, mode, hold_ns);
	}
}

int gaptrace_mutex_init(struct gaptrace_mutex *mutex, const char *name)
{
	*mutex = (struct gaptrace_mutex){.name = name};
	return pthread_mutex_init(&mutex->mutex, NULL);
}

void gaptrace_mutex_finish(struct gaptrace_mutex *mutex)
{
	(void)pthread_mutex_destroy(&mutex->mutex);
}

static inline void mutex_acquired(struct gaptrace_mutex *mutex, uint64_t wait_ns)
{
	/* Only the holder writes; the loads of others want no torn value. */
	__atomic_store_n(&mutex->acquire_count, mutex->acquire_count + 1, __ATOMIC_RELAXED);
	__atomic_store_n(&mutex->holder_tid, thread_tid(), __ATOMIC_RELAXED);
	mutex->acquired_ns = acquired(mutex, mutex->name, GAPTRACE_LOCK_EXCLUSIVE, wait_ns);
	mutex->nvtx_range = nvtx_range_start(NVTX_RANGE_LOCK, mutex->name);
}

void gaptrace_mutex_lock(struct gaptrace_mutex *mutex)
{
	uint64_t wait_ns = 0;

	if (pthread_mutex_trylock(&mutex->mutex) != 0) {
		uint64_t begin_ns =
			wait_begin(mutex, mutex->name, GAPTRACE_LOCK_EXCLUSIVE, &mutex->holder_tid);

		(void)pthread_mutex_lock(&mutex->mutex);
		wait_ns = wait_end(begin_ns);
	}
	mutex_acquired(mutex, wait_ns);
}

bool gaptrace_mutex_trylock(struct gaptrace_mutex *mutex)
{
	if (pthread_mutex_trylock(&mutex->mutex) != 0) {
		return false;
	}
	mutex_acquired(mutex, 0);
	return true;
}

/* What an unlock reports, before the act. */
static inline void mutex_releasing(struct gaptrace_mutex *mutex)
{
	nvtx_range_end(mutex->nvtx_range);
	releasing(mutex, mutex->name, GAPTRACE_LOCK_EXCLUSIVE, mutex->acquired_ns);
	__atomic_store_n(&mutex->holder_tid, 0, __ATOMIC_RELAXED);
}

void gaptrace_mutex_unlock(struct gaptrace_mutex *mutex)
{
	mutex_releasing(mutex);
	(void)pthread_mutex_unlock(&mutex->mutex);
}

int gaptrace_rwlock_init(struct gaptrace_rwlock *rwlock, const char *name)
{
	*rwlock = (struct gaptrace_rwlock){.name = name};
	return pthread_rwlock_init(&rwlock->rwlock, NULL);
}

void gaptrace_rwlock_finish(struct gaptrace_rwlock *rwlock)
{
	(void)pthread_rwlock_destroy(&rwlock->rwlock);
}

/* Keeps what the release of a shared lock needs, as long as there is room and a use for it. */
static void shared_lock_keep(const void *lock, uint64_t acquired_ns, uint64_t nvtx_range)
{
	if ((!acquired_ns && !nvtx_range) ||
		thread_self.shared_lock_count == THREAD_SHARED_LOCK_COUNT_MAX) {
		return;
	}
	thread_self.shared_locks[thread_self.shared_lock_count] = (struct thread_shared_lock){
		.lock = lock, .acquired_ns = acquired_ns, .nvtx_range = nvtx_range};
	thread_self.shared_lock_count++;
}

/* Takes back what was kept of the latest hold; all zero when nothing was. */
static struct thread_shared_lock shared_lock_take(const void *lock)
{
	for (uint32_t i = thread_self.shared_lock_count; i > 0; i--) {
		struct thread_shared_lock found = thread_self.shared_locks[i - 1];

		if (found.lock != lock) {
			continue;
		}
		thread_self.shared_lock_count--;
		for (uint32_t j = i - 1; j < thread_self.shared_lock_count; j++) {
			thread_self.shared_locks[j] = thread_self.shared_locks[j + 1];
		}
		return found;
	}
	return (struct thread_shared_lock){0};
}

void gaptrace_rwlock_read_lock(struct gaptrace_rwlock *rwlock)
{
	uint64_t wait_ns = 0;
	uint64_t acquired_ns;

	if (pthread_rwlock_tryrdlock(&rwlock->rwlock) != 0) {
		uint64_t begin_ns =
			wait_begin(rwlock, rwlock->name, GAPTRACE_LOCK_SHARED, &rwlock->holder_tid);

		(void)pthread_rwlock_rdlock(&rwlock->rwlock);
		wait_ns = wait_end(begin_ns);
	}
	(void)__atomic_fetch_add(&rwlock->acquire_count, 1, __ATOMIC_RELAXED);
	__atomic_store_n(&rwlock->holder_tid, thread_tid(), __ATOMIC_RELAXED);
	acquired_ns = acquired(rwlock, rwlock->name, GAPTRACE_LOCK_SHARED, wait_ns);
	shared_lock_keep(rwlock, acquired_ns, nvtx_range_start(NVTX_RANGE_LOCK, rwlock->name));
}

void gaptrace_rwlock_write_lock(struct gaptrace_rwlock *rwlock)
{
	uint64_t wait_ns = 0;

	if (pthread_rwlock_trywrlock(&rwlock->rwlock) != 0) {
		uint64_t begin_ns = wait_begin(
			rwlock, rwlock->name, GAPTRACE_LOCK_EXCLUSIVE, &rwlock->holder_tid);

		(void)pthread_rwlock_wrlock(&rwlock->rwlock);
		wait_ns = wait_end(begin_ns);
	}
	(void)__atomic_fetch_add(&rwlock->acquire_count, 1, __ATOMIC_RELAXED);
	__atomic_store_n(&rwlock->holder_tid, thread_tid(), __ATOMIC_RELAXED);
	rwlock->is_written = true;
	rwlock->acquired_ns = acquired(rwlock, rwlock->name, GAPTRACE_LOCK_EXCLUSIVE, wait_ns);
	rwlock->nvtx_range = nvtx_range_start(NVTX_RANGE_LOCK, rwlock->name);
}

void gaptrace_rwlock_unlock(struct gaptrace_rwlock *rwlock)
{
	/* A holder reads it safely: it changes only while nobody else holds the lock. */
	if (rwlock->is_written) {
		nvtx_range_end(rwlock->nvtx_range);
		releasing(rwlock, rwlock->name, GAPTRACE_LOCK_EXCLUSIVE, rwlock->acquired_ns);
		rwlock->is_written = false;
		__atomic_store_n(&rwlock->holder_tid, 0, __ATOMIC_RELAXED);
	} else {
		struct thread_shared_lock held = shared_lock_take(rwlock);
		int32_t tid = thread_tid();

		nvtx_range_end(held.nvtx_range);
		releasing(rwlock, rwlock->name, GAPTRACE_LOCK_SHARED, held.acquired_ns);
		/* Other readers may hold it still; only our own name is taken off. */
		(void)__atomic_compare_exchange_n(
			&rwlock->holder_tid, &tid, 0, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	}
	(void)pthread_rwlock_unlock(&rwlock->rwlock);
}

/* ---- Conditions ---- */

void gaptrace_condition_init(struct gaptrace_condition *condition, const char *name)
{
	*condition = (struct gaptrace_condition){.name = name};
}

void gaptrace_condition_finish(struct gaptrace_condition *condition)
{
	condition_leave(condition);
}

bool gaptrace_condition_wait_until(
	struct gaptrace_condition *condition, struct gaptrace_mutex *mutex, uint64_t deadline_ns)
{
	struct gaptrace_wait wait = {0};
	uint32_t sequence = condition_wait_prepare(condition);
	bool is_awake;

	/* After the release, so that the waits do not overlap; before the unlock, so that no wake
	 * for this wait can come before its begin. */
	mutex_releasing(mutex);
	if (condition->name) {
		wait = gaptrace_wait_begin(condition, condition->name, GAPTRACE_WAIT_CONDITION);
	}
	(void)pthread_mutex_unlock(&mutex->mutex);
	is_awake = condition_wait_sleep(condition, sequence, deadline_ns);
	if (wait.name) {
		gaptrace_wait_end(&wait);
	}
	gaptrace_mutex_lock(mutex);
	return is_awake;
}

void gaptrace_condition_wait(struct gaptrace_condition *condition, struct gaptrace_mutex *mutex)
{
	(void)gaptrace_condition_wait_until(condition, mutex, CONDITION_NO_DEADLINE);
}

void gaptrace_condition_signal(struct gaptrace_condition *condition)
{
	if (condition_has_waiter(condition)) {
		if (condition->name) {
			gaptrace_wake(condition, condition->name);
		}
		condition_wake(condition, 1);
	}
}

void gaptrace_condition_broadcast(struct gaptrace_condition *condition)
{
	if (condition_has_waiter(condition)) {
		if (condition->name) {
			gaptrace_wake(condition, condition->name);
		}
		condition_wake(condition, CONDITION_ALL);
	}
}
