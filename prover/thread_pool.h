/* SPDX-License-Identifier: MIT */
/*
 * A named pool of threads that run tasks first in, first out. Submit, begin and end of each task,
 * and joins of it, are trace points. A growing pool starts a thread when a task finds none idle, up
 * to its cap, and threads leave after being idle for keep_alive_ns; a fixed one starts all at once.
 *
 * A task that somebody joins lies in that caller's memory; a posted one is the pool's own. A task
 * may submit to its own pool but must not join there: with every thread joining, none would run.
 */
#pragma once

#include "gaptrace/gaptrace.h"
#include "trace/base/cleanup.h"
#include "trace/base/status.h"

#include <stdbool.h>
#include <stdint.h>

struct thread_pool;

struct thread_pool_config {
	const char *name;        /* in events; a literal */
	const char *thread_name; /* of each thread, with its number; at most 11 bytes are seen */
	uint32_t thread_count;   /* how many; of a growing pool: at most */
	uint32_t backlog_max;    /* tasks that may wait; 0: THREAD_POOL_BACKLOG_MAX */
	bool is_growing;
	uint64_t keep_alive_ns; /* of a growing pool; 0: THREAD_POOL_KEEP_ALIVE_NS */
};

/* A thread waits this long for another task before it leaves: tokio's default. */
#define THREAD_POOL_KEEP_ALIVE_NS 10000000000ULL

/* More than every partition of every job a daemon accepts could have waiting. */
#define THREAD_POOL_BACKLOG_MAX 65536

typedef void (*thread_pool_function)(void *argument);

/* Fill in the first four, hand it in, leave it in place until thread_pool_join() returned. */
struct thread_pool_task {
	thread_pool_function run;
	void *argument;
	const char *kind; /* what it does; a literal */
	struct gaptrace_work work;

	/* The pool's own. */
	struct gaptrace_task trace;
	struct thread_pool_task *next;
	bool is_done;
	bool is_awaited;
	bool is_posted;
};

/* Gives the pool to the caller, who destroys it. */
MUST_CHECK enum status thread_pool_create(
	const struct thread_pool_config *config, struct thread_pool **out_pool);

/*
 * Queues `task`. OVER_LIMIT when the backlog is full, UNAVAILABLE when no thread could be started
 * and there is none.
 */
MUST_CHECK enum status thread_pool_submit(struct thread_pool *pool, struct thread_pool_task *task);

/* Blocks until a submitted task has run. */
void thread_pool_join(struct thread_pool *pool, struct thread_pool_task *task);

/* Queues a task that nobody joins. The pool runs it before it goes. */
MUST_CHECK enum status thread_pool_post(struct thread_pool *pool, thread_pool_function run,
	void *argument, const char *kind, struct gaptrace_work work);

typedef void (*thread_pool_index_function)(void *context, uint32_t index);

struct thread_pool_loop {
	thread_pool_index_function run;
	void *context;
	uint32_t count; /* run(context, 0) .. run(context, count - 1), in no order */
	const char *kind;
	struct gaptrace_work work;
};

/*
 * Runs a loop on the pool: as many tasks as there are threads, or indices if fewer, which draw
 * indices until all are taken, as the prover's b_g2 has it. Blocks; the caller runs none of it.
 */
MUST_CHECK enum status thread_pool_for_each(
	struct thread_pool *pool, const struct thread_pool_loop *loop);

struct thread_pool_counts {
	uint32_t thread_count;
	uint32_t busy_count;
	uint32_t backlog;
	uint64_t submitted_count;
	uint64_t finished_count;
	uint64_t join_count; /* joins that had to wait: the wait events of the recording */
};

/* How many tasks can run at once. */
uint32_t thread_pool_thread_max(const struct thread_pool *pool);

struct thread_pool_counts thread_pool_counts(struct thread_pool *pool);

/* Runs what is queued, ends the threads. Accepts NULL. No task may be submitted from outside. */
void thread_pool_destroy(struct thread_pool *pool);
DEFINE_AUTO(struct thread_pool, thread_pool_destroy)
