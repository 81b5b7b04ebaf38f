/* SPDX-License-Identifier: MIT */
#include "prover/groth16/work_pool.h"

#include "gaptrace/gaptrace.h"
#include "prover/groth16/work_queue.h"

#include <assert.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

struct worker {
	struct work_pool *pool;
	pthread_t thread;
	uint32_t index;
};

struct work_pool {
	const char *name;
	uint32_t thread_count;
	uint32_t started_count; /* threads to join: all but the caller's */
	_Atomic(struct work_queue *) queue;
	atomic_uint sequence;     /* futex: counts whatever a sleeper may wait for */
	atomic_uint active_count; /* futex: workers that may be looking at the queue */
	atomic_bool is_stopping;
	struct worker workers[];
};

static_assert(sizeof(atomic_uint) == 4, "a futex is a 32-bit word");

static void futex_wait(atomic_uint *word, unsigned int seen)
{
	/* Whatever ends it, the caller looks at the word again. */
	(void)syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
}

static void futex_wake(atomic_uint *word, int count)
{
	(void)syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, count, NULL, NULL, 0);
}

/* Ends every sleep of the pool. */
static void wake_all(struct work_pool *pool)
{
	gaptrace_wake(pool, pool->name);
	(void)atomic_fetch_add(&pool->sequence, 1);
	futex_wake(&pool->sequence, INT_MAX);
}

/* Sleeps while nothing happened since `seen` was read. */
static void sleep_since(struct work_pool *pool, unsigned int seen)
{
	struct gaptrace_wait wait;

	if (atomic_load(&pool->sequence) != seen) {
		return;
	}
	wait = gaptrace_wait_begin(pool, pool->name, GAPTRACE_WAIT_CONDITION);
	while (atomic_load(&pool->sequence) == seen) {
		futex_wait(&pool->sequence, seen);
	}
	gaptrace_wait_end(&wait);
}

/* The sequence is read before the queue is looked at: what changes in between ends the sleep at
 * once. */
static void work_off(struct work_pool *pool, struct work_queue *queue, uint32_t worker)
{
	unsigned int seen;
	bool has_changed;

	for (;;) {
		seen = atomic_load(&pool->sequence);
		if (work_queue_is_over(queue)) {
			return;
		}
		if (!work_queue_step(queue, worker, &has_changed)) {
			sleep_since(pool, seen);
		} else if (has_changed && pool->thread_count > 1) {
			wake_all(pool);
		}
	}
}

static void *worker_main(void *argument)
{
	struct worker *worker = argument;
	struct work_pool *pool = worker->pool;
	struct work_queue *queue;
	unsigned int seen;

	gaptrace_thread_name(pool->name);
	for (;;) {
		seen = atomic_load(&pool->sequence);
		if (atomic_load(&pool->is_stopping)) {
			break;
		}
		/* Counted before it looks, so that a run does not end under it. */
		(void)atomic_fetch_add(&pool->active_count, 1);
		queue = atomic_load(&pool->queue);
		if (queue) {
			work_off(pool, queue, worker->index);
		}
		/* The last one out: the caller of work_pool_run() may be waiting for that. */
		if (atomic_fetch_sub(&pool->active_count, 1) == 1) {
			futex_wake(&pool->active_count, 1);
		}
		sleep_since(pool, seen);
	}
	gaptrace_thread_end();
	return NULL;
}

static uint32_t available_cpus(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set) != 0) {
		return 1; /* more CPUs than a cpu_set_t holds: the caller had better say */
	}
	return (uint32_t)CPU_COUNT(&set);
}

/* Signals are for the threads of whoever owns the process. */
static int start_worker(struct worker *worker)
{
	sigset_t all;
	sigset_t old;
	int error;

	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &old);
	error = pthread_create(&worker->thread, NULL, worker_main, worker);
	(void)pthread_sigmask(SIG_SETMASK, &old, NULL);
	return error;
}

enum status work_pool_create(uint32_t thread_count, const char *name, struct work_pool **out_pool)
{
	AUTO(work_pool_destroy) struct work_pool *pool = NULL;
	int error;

	assert(name && out_pool);

	if (thread_count == 0) {
		thread_count = available_cpus();
	}
	if (thread_count > WORK_POOL_THREADS_MAX) {
		return STATUS_OVER_LIMIT;
	}
	/* The caller of work_pool_run() is worker 0, so one thread less is started. */
	pool = calloc(1, sizeof(*pool) + (thread_count - 1) * sizeof(pool->workers[0]));
	if (!pool) {
		return STATUS_NO_MEMORY;
	}
	pool->name = name;
	pool->thread_count = thread_count;
	for (uint32_t i = 0; i + 1 < thread_count; i++) {
		pool->workers[i].pool = pool;
		pool->workers[i].index = i + 1;
		error = start_worker(&pool->workers[i]);
		if (error != 0) {
			return status_from_errno(error);
		}
		pool->started_count++;
	}
	*out_pool = MOVE(pool);
	return STATUS_OK;
}

void work_pool_destroy(struct work_pool *pool)
{
	if (!pool) {
		return;
	}
	atomic_store(&pool->is_stopping, true);
	wake_all(pool);
	for (uint32_t i = 0; i < pool->started_count; i++) {
		(void)pthread_join(pool->workers[i].thread, NULL);
	}
	free(pool);
}

uint32_t work_pool_thread_count(const struct work_pool *pool)
{
	return pool->thread_count;
}

/* The queue goes out of scope after this: no worker may look at it any more. */
static void wait_until_inactive(struct work_pool *pool)
{
	unsigned int active;

	atomic_store(&pool->queue, NULL);
	while ((active = atomic_load(&pool->active_count)) != 0) {
		futex_wait(&pool->active_count, active);
	}
}

enum status work_pool_run(struct work_pool *pool, struct work_queue *queue)
{
	assert(!atomic_load(&pool->queue));

	work_queue_start(queue);
	if (pool->thread_count > 1) {
		atomic_store(&pool->queue, queue);
		wake_all(pool);
	}
	work_off(pool, queue, 0);
	/* Alone, the caller does it all, and nobody else needs to see the queue. */
	if (pool->thread_count > 1) {
		wait_until_inactive(pool);
	}
	return (enum status)atomic_load(&queue->status);
}
