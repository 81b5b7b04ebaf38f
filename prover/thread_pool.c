/* SPDX-License-Identifier: MIT */
#include "prover/thread_pool.h"

#include "prover/lock_registry.h"
#include "trace/base/clock.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As much of a thread's name as the operating system keeps, with its end. */
#define THREAD_NAME_BYTES 16

/* More threads than any configured pool has: a mistyped number must not take the host down. */
#define THREAD_POOL_THREADS_MAX 1024

struct pool_thread {
	struct pool_thread *next;
	struct thread_pool *pool;
	pthread_t handle;
	char name[THREAD_NAME_BYTES];
};

struct thread_pool {
	struct thread_pool_config config;
	struct gaptrace_mutex mutex; /* guards all that follows */
	struct gaptrace_condition has_work;
	struct gaptrace_condition has_finished;
	struct thread_pool_task *first;
	struct thread_pool_task *last;
	struct pool_thread *gone; /* threads that have left and are to be joined */
	struct pool_thread *running;
	struct thread_pool_counts counts;
	uint32_t idle_count;
	uint32_t thread_number; /* of the next thread */
	uint32_t task_number;   /* of the next task */
	bool is_stopping;
};

static struct thread_pool_task *pop_task(struct thread_pool *pool)
{
	struct thread_pool_task *task = pool->first;

	if (!task) {
		return NULL;
	}

	pool->first = task->next;
	if (!pool->first) {
		pool->last = NULL;
	}
	task->next = NULL;
	pool->counts.backlog--;
	return task;
}

/*
 * The wake and what lets the joiner go on come before the end of the task, so that a thread that is
 * followed back from the wake is found inside the task that was waited for.
 */
static void run_task(struct thread_pool *pool, struct thread_pool_task *task)
{
	struct gaptrace_task trace;
	const bool is_posted = task->is_posted;

	gaptrace_task_begin(&task->trace);
	task->run(task->argument);

	gaptrace_mutex_lock(&pool->mutex);
	/* A copy: the joiner may free the task as soon as the mutex is let go. */
	trace = task->trace;
	pool->counts.finished_count++;
	if (task->is_awaited) {
		gaptrace_wake(task, pool->config.name);
	}
	task->is_done = true;
	gaptrace_condition_broadcast(&pool->has_finished);
	gaptrace_mutex_unlock(&pool->mutex);

	gaptrace_task_end(&trace);
	if (is_posted) {
		free(task);
	}
}

/* True when there may be work, false when the thread is to leave. */
static bool wait_for_work(struct thread_pool *pool, uint64_t leave_ns)
{
	bool is_in_time = true;

	if (pool->is_stopping) {
		return false;
	}

	pool->idle_count++;
	if (pool->config.is_growing) {
		is_in_time = gaptrace_condition_wait_until(&pool->has_work, &pool->mutex, leave_ns);
	} else {
		gaptrace_condition_wait(&pool->has_work, &pool->mutex);
	}
	pool->idle_count--;
	/* A task that came with the time-out is not left behind. */
	return is_in_time || pool->first || pool->is_stopping;
}

/* With the mutex held: NULL when the thread is to leave. */
static struct thread_pool_task *next_task(struct thread_pool *pool, uint64_t leave_ns)
{
	struct thread_pool_task *task = pop_task(pool);

	while (!task && wait_for_work(pool, leave_ns)) {
		task = pop_task(pool);
	}
	return task;
}

static void leave_pool(struct thread_pool *pool, struct pool_thread *thread)
{
	struct pool_thread **link = &pool->running;

	while (*link != thread) {
		link = &(*link)->next;
	}
	/* Whoever submits next joins it, or thread_pool_destroy(): a thread cannot join itself. */
	*link = thread->next;

	thread->next = pool->gone;
	pool->gone = thread;
	pool->counts.thread_count--;
	gaptrace_condition_broadcast(&pool->has_finished);
}

static void *thread_main(void *argument)
{
	struct pool_thread *thread = argument;
	struct thread_pool *pool = thread->pool;
	struct thread_pool_task *task;
	uint64_t leave_ns;

	gaptrace_thread_name(thread->name);
	gaptrace_mutex_lock(&pool->mutex);
	leave_ns = clock_now_ns() + pool->config.keep_alive_ns;
	while ((task = next_task(pool, leave_ns))) {
		pool->counts.busy_count++;
		gaptrace_mutex_unlock(&pool->mutex);
		run_task(pool, task);
		gaptrace_mutex_lock(&pool->mutex);
		pool->counts.busy_count--;
		leave_ns = clock_now_ns() + pool->config.keep_alive_ns;
	}
	leave_pool(pool, thread);
	gaptrace_mutex_unlock(&pool->mutex);
	gaptrace_thread_end();
	return NULL;
}

/* With the mutex held. */
static enum status start_thread(struct thread_pool *pool)
{
	struct pool_thread *thread = calloc(1, sizeof(*thread));
	int error;

	if (!thread) {
		return STATUS_NO_MEMORY;
	}

	thread->pool = pool;
	(void)snprintf(thread->name, sizeof(thread->name), "%.11s %u", pool->config.thread_name,
		pool->thread_number % 1000);
	error = pthread_create(&thread->handle, NULL, thread_main, thread);
	if (error) {
		free(thread);
		return STATUS_UNAVAILABLE;
	}

	thread->next = pool->running;
	pool->running = thread;
	pool->thread_number++;
	pool->counts.thread_count++;
	return STATUS_OK;
}

static void join_gone(struct pool_thread *gone)
{
	while (gone) {
		struct pool_thread *thread = gone;

		gone = thread->next;
		(void)pthread_join(thread->handle, NULL);
		free(thread);
	}
}

enum status thread_pool_create(
	const struct thread_pool_config *config, struct thread_pool **out_pool)
{
	AUTO(thread_pool_destroy) struct thread_pool *pool = NULL;
	enum status status;

	assert(config && config->name && config->thread_name && out_pool);

	if (config->thread_count == 0 || config->thread_count > THREAD_POOL_THREADS_MAX) {
		return STATUS_BAD_USE;
	}
	pool = calloc(1, sizeof(*pool));
	if (!pool) {
		return STATUS_NO_MEMORY;
	}
	status = lock_registry_mutex_init(&pool->mutex, config->name);
	if (status != STATUS_OK) {
		free(MOVE(pool));
		return status;
	}

	pool->config = *config;
	if (pool->config.backlog_max == 0) {
		pool->config.backlog_max = THREAD_POOL_BACKLOG_MAX;
	}
	if (pool->config.keep_alive_ns == 0) {
		pool->config.keep_alive_ns = THREAD_POOL_KEEP_ALIVE_NS;
	}
	gaptrace_condition_init(&pool->has_work, NULL);
	gaptrace_condition_init(&pool->has_finished, NULL);

	gaptrace_mutex_lock(&pool->mutex);
	/* Growing pools start threads when tasks come. */
	while (!config->is_growing && status == STATUS_OK &&
		pool->counts.thread_count < config->thread_count) {
		status = start_thread(pool);
	}
	gaptrace_mutex_unlock(&pool->mutex);
	if (status != STATUS_OK) {
		return status;
	}

	*out_pool = MOVE(pool);
	return STATUS_OK;
}

/*
 * Unique among the tasks alive in the process: where the pool lies (16-byte aligned, below 2^47),
 * then a number that comes round again after far more tasks than a backlog holds.
 */
static uint64_t task_id(struct thread_pool *pool)
{
	const uint64_t pool_bits = (uint64_t)(uintptr_t)pool >> 4;

	return pool_bits << 20 | (pool->task_number++ & 0xfffff);
}

static enum status submit(struct thread_pool *pool, struct thread_pool_task *task)
{
	struct pool_thread *gone;
	enum status status = STATUS_OK;

	task->next = NULL;
	task->is_done = false;
	task->is_awaited = false;
	task->trace = (struct gaptrace_task){
		.pool = pool,
		.name = pool->config.name,
		.kind = task->kind,
		.work = task->work,
	};

	gaptrace_mutex_lock(&pool->mutex);
	gone = MOVE(pool->gone);
	task->trace.id = task_id(pool);
	if (pool->counts.backlog >= pool->config.backlog_max) {
		status = STATUS_OVER_LIMIT;
	} else if (pool->idle_count <= pool->counts.backlog && pool->config.is_growing &&
		   pool->counts.thread_count < pool->config.thread_count) {
		/* Each idle thread is spoken for by a task that waits already. */
		status = start_thread(pool);
		if (pool->counts.thread_count > 0) {
			status = STATUS_OK; /* the threads there are will come to it */
		}
	}
	if (status == STATUS_OK) {
		pool->counts.backlog++;
		pool->counts.submitted_count++;
		gaptrace_task_submit(&task->trace, pool->counts.backlog);
		if (pool->last) {
			pool->last->next = task;
		} else {
			pool->first = task;
		}
		pool->last = task;
		gaptrace_condition_signal(&pool->has_work);
	}
	gaptrace_mutex_unlock(&pool->mutex);

	join_gone(gone);
	return status;
}

enum status thread_pool_submit(struct thread_pool *pool, struct thread_pool_task *task)
{
	assert(pool && task && task->run && task->kind);

	task->is_posted = false;
	return submit(pool, task);
}

void thread_pool_join(struct thread_pool *pool, struct thread_pool_task *task)
{
	assert(pool && task && !task->is_posted);

	gaptrace_mutex_lock(&pool->mutex);
	if (!task->is_done) {
		const struct gaptrace_wait wait =
			/* The wake names the task, too, so that a report follows this wait into
			 * it. */
			gaptrace_wait_begin(task, pool->config.name, GAPTRACE_WAIT_JOIN);

		task->is_awaited = true;
		pool->counts.join_count++;
		while (!task->is_done) {
			gaptrace_condition_wait(&pool->has_finished, &pool->mutex);
		}
		gaptrace_wait_end(&wait);
	}
	gaptrace_mutex_unlock(&pool->mutex);
}

enum status thread_pool_post(struct thread_pool *pool, thread_pool_function run, void *argument,
	const char *kind, struct gaptrace_work work)
{
	struct thread_pool_task *task;
	enum status status;

	assert(pool && run && kind);

	task = calloc(1, sizeof(*task));
	if (!task) {
		return STATUS_NO_MEMORY;
	}
	task->run = run;
	task->argument = argument;
	task->kind = kind;
	task->work = work;
	task->is_posted = true;

	status = submit(pool, task);
	if (status != STATUS_OK) {
		free(task);
	}
	return status;
}

struct loop {
	const struct thread_pool_loop *loop;
	atomic_uint next_index;
};

static void run_loop(void *argument)
{
	struct loop *loop = argument;

	for (;;) {
		const uint32_t index = atomic_fetch_add(&loop->next_index, 1);

		if (index >= loop->loop->count) {
			return;
		}
		loop->loop->run(loop->loop->context, index);
	}
}

enum status thread_pool_for_each(struct thread_pool *pool, const struct thread_pool_loop *loop)
{
	struct loop state = {.loop = loop};
	struct thread_pool_task *tasks;
	uint32_t task_count;
	uint32_t submitted_count = 0;
	enum status status = STATUS_OK;

	assert(pool && loop && loop->run && loop->kind);

	task_count =
		pool->config.thread_count < loop->count ? pool->config.thread_count : loop->count;
	if (task_count == 0) {
		return STATUS_OK;
	}
	tasks = calloc(task_count, sizeof(*tasks));
	if (!tasks) {
		return STATUS_NO_MEMORY;
	}

	/* As many tasks as threads, each taking indices until there are none: no task is longer
	 * than another. */
	while (submitted_count < task_count && status == STATUS_OK) {
		tasks[submitted_count] = (struct thread_pool_task){.run = run_loop,
			.argument = &state,
			.kind = loop->kind,
			.work = loop->work};
		status = thread_pool_submit(pool, &tasks[submitted_count]);
		submitted_count += status == STATUS_OK;
	}
	for (uint32_t i = 0; i < submitted_count; i++) {
		thread_pool_join(pool, &tasks[i]);
	}
	free(tasks);
	/* One task that got through is enough to run every index. */
	return submitted_count > 0 ? STATUS_OK : status;
}

uint32_t thread_pool_thread_max(const struct thread_pool *pool)
{
	assert(pool);
	return pool->config.thread_count;
}

struct thread_pool_counts thread_pool_counts(struct thread_pool *pool)
{
	struct thread_pool_counts counts;

	assert(pool);

	gaptrace_mutex_lock(&pool->mutex);
	counts = pool->counts;
	gaptrace_mutex_unlock(&pool->mutex);
	return counts;
}

void thread_pool_destroy(struct thread_pool *pool)
{
	if (!pool) {
		return;
	}

	gaptrace_mutex_lock(&pool->mutex);
	/* Threads leave when the list is empty, so what was posted still runs. */
	pool->is_stopping = true;
	gaptrace_condition_broadcast(&pool->has_work);
	for (;;) {
		struct pool_thread *gone = MOVE(pool->gone);

		if (gone) {
			gaptrace_mutex_unlock(&pool->mutex);
			join_gone(gone);
			gaptrace_mutex_lock(&pool->mutex);
		} else if (pool->running) {
			gaptrace_condition_wait(&pool->has_finished, &pool->mutex);
		} else {
			break;
		}
	}
	gaptrace_mutex_unlock(&pool->mutex);

	assert(!pool->first);
	gaptrace_condition_finish(&pool->has_work);
	gaptrace_condition_finish(&pool->has_finished);
	lock_registry_mutex_finish(&pool->mutex);
	free(pool);
}
