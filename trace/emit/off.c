/* SPDX-License-Identifier: MIT */
/*
 * libgaptrace-off: the same calls without trace points. The locks lock and count, malloc_trim
 * trims, a thread gets its name; nothing else happens.
 */
#include "gaptrace/gaptrace.h"
#include "trace/emit/condition.h"

#include <malloc.h>
#include <stdio.h>

/* What prctl(PR_SET_NAME) keeps, the final zero included. */
#define OS_NAME_BYTES 16

bool gaptrace_is_on(void)
{
	return false;
}

bool gaptrace_is_recording(void)
{
	return false;
}

void gaptrace_thread_name(const char *name)
{
	char os_name[OS_NAME_BYTES];

	if (name) {
		(void)snprintf(os_name, sizeof(os_name), "%s", name);
		(void)pthread_setname_np(pthread_self(), os_name);
	}
}

void gaptrace_thread_end(void)
{
}

void gaptrace_keyframe(void)
{
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

static inline void mutex_count(struct gaptrace_mutex *mutex)
{
	/* Under the mutex, so no read-modify-write; atomic for whoever reads it meanwhile. */
	__atomic_store_n(&mutex->acquire_count, mutex->acquire_count + 1, __ATOMIC_RELAXED);
}

void gaptrace_mutex_lock(struct gaptrace_mutex *mutex)
{
	(void)pthread_mutex_lock(&mutex->mutex);
	mutex_count(mutex);
}

bool gaptrace_mutex_trylock(struct gaptrace_mutex *mutex)
{
	if (pthread_mutex_trylock(&mutex->mutex) != 0) {
		return false;
	}
	mutex_count(mutex);
	return true;
}

void gaptrace_mutex_unlock(struct gaptrace_mutex *mutex)
{
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

void gaptrace_rwlock_read_lock(struct gaptrace_rwlock *rwlock)
{
	(void)pthread_rwlock_rdlock(&rwlock->rwlock);
	/* Readers count at once. */
	(void)__atomic_fetch_add(&rwlock->acquire_count, 1, __ATOMIC_RELAXED);
}

void gaptrace_rwlock_write_lock(struct gaptrace_rwlock *rwlock)
{
	(void)pthread_rwlock_wrlock(&rwlock->rwlock);
	(void)__atomic_fetch_add(&rwlock->acquire_count, 1, __ATOMIC_RELAXED);
}

void gaptrace_rwlock_unlock(struct gaptrace_rwlock *rwlock)
{
	(void)pthread_rwlock_unlock(&rwlock->rwlock);
}

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
	/* Before the mutex is let go: a wake from then on is seen. */
	uint32_t sequence = condition_wait_prepare(condition);
	bool is_awake;

	(void)pthread_mutex_unlock(&mutex->mutex);
	is_awake = condition_wait_sleep(condition, sequence, deadline_ns);
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
		condition_wake(condition, 1);
	}
}

void gaptrace_condition_broadcast(struct gaptrace_condition *condition)
{
	if (condition_has_waiter(condition)) {
		condition_wake(condition, CONDITION_ALL);
	}
}

struct gaptrace_wait gaptrace_wait_begin(
	const void *object, const char *name, enum gaptrace_wait_kind kind)
{
	return (struct gaptrace_wait){.object = object, .name = name, .kind = kind};
}

void gaptrace_wait_end(const struct gaptrace_wait *wait)
{
	(void)wait;
}

void gaptrace_wake(const void *object, const char *name)
{
	(void)object;
	(void)name;
}

void gaptrace_queue_push(
	const void *queue, const char *name, struct gaptrace_item *item, uint32_t depth)
{
	(void)queue;
	(void)name;
	(void)depth;
	/* What libgaptrace would fill in is set here too, so that a program cannot come to
	 * depend on either. */
	item->pushed_ns = 0;
}

struct gaptrace_pop gaptrace_queue_pop_wait(const void *queue, const char *name)
{
	return (struct gaptrace_pop){.queue = queue, .name = name};
}

void gaptrace_queue_pop(
	const struct gaptrace_pop *pop, const struct gaptrace_item *item, uint32_t depth)
{
	(void)pop;
	(void)item;
	(void)depth;
}

void gaptrace_queue_pop_cancel(const struct gaptrace_pop *pop)
{
	(void)pop;
}

void gaptrace_task_submit(struct gaptrace_task *task, uint32_t backlog)
{
	(void)backlog;
	task->submitted_ns = 0;
}

void gaptrace_task_begin(struct gaptrace_task *task)
{
	task->begin_ns = 0;
}

void gaptrace_task_end(const struct gaptrace_task *task)
{
	(void)task;
}

static inline struct gaptrace_span span_of(
	const char *name, struct gaptrace_work work, int32_t worker)
{
	return (struct gaptrace_span){.name = name, .work = work, .worker = worker};
}

struct gaptrace_span gaptrace_span_begin(const char *name, struct gaptrace_work work)
{
	return span_of(name, work, GAPTRACE_NONE);
}

void gaptrace_span_end(const struct gaptrace_span *span)
{
	(void)span;
}

struct gaptrace_span gaptrace_prove_start_begin(struct gaptrace_work work, int32_t worker)
{
	return span_of("prove_start", work, worker);
}

void gaptrace_prove_start_end(const struct gaptrace_span *span)
{
	(void)span;
}

struct gaptrace_span gaptrace_prove_finish_begin(struct gaptrace_work work, int32_t worker)
{
	return span_of("prove_finish", work, worker);
}

void gaptrace_prove_finish_end(const struct gaptrace_span *span)
{
	(void)span;
}

int gaptrace_malloc_trim(size_t pad_bytes)
{
	return malloc_trim(pad_bytes);
}

void gaptrace_job_submit(struct gaptrace_job *job)
{
	job->submitted_ns = 0;
}

/* The rest only tells. */
#define TELLS_NOTHING(function, type)                                                              \
	void function(const struct type *sample)                                                   \
	{                                                                                          \
		(void)sample;                                                                      \
	}

TELLS_NOTHING(gaptrace_budget_reserve, gaptrace_budget)
TELLS_NOTHING(gaptrace_budget_release, gaptrace_budget)
TELLS_NOTHING(gaptrace_buffer_alloc, gaptrace_buffer)
TELLS_NOTHING(gaptrace_buffer_free, gaptrace_buffer)
TELLS_NOTHING(gaptrace_job_begin, gaptrace_job)
TELLS_NOTHING(gaptrace_job_end, gaptrace_job)
TELLS_NOTHING(gaptrace_state, gaptrace_state)
TELLS_NOTHING(gaptrace_gpu_device, gaptrace_gpu_device)
TELLS_NOTHING(gaptrace_gpu_kernel, gaptrace_gpu_kernel)
TELLS_NOTHING(gaptrace_gpu_memcpy, gaptrace_gpu_memcpy)
TELLS_NOTHING(gaptrace_gpu_memset, gaptrace_gpu_memset)
TELLS_NOTHING(gaptrace_gpu_api, gaptrace_gpu_api)
TELLS_NOTHING(gaptrace_gpu_sync, gaptrace_gpu_sync)
TELLS_NOTHING(gaptrace_gpu_overhead, gaptrace_gpu_overhead)
TELLS_NOTHING(gaptrace_gpu_clock_pair, gaptrace_gpu_clock_pair)

void gaptrace_gpu_watermark(int32_t device, uint64_t complete_until_ns)
{
	(void)device;
	(void)complete_until_ns;
}

void gaptrace_gpu_dropped(int32_t device, uint64_t count)
{
	(void)device;
	(void)count;
}
