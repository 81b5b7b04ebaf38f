/* SPDX-License-Identifier: MIT */
/*
 * Threads that work off one work_queue at a time: the caller of work_pool_run() and
 * thread_count - 1 others, which sleep in between. One thread at a time may call it. There is no
 * lock: threads sleep on a futex, which the trace shows as a wait on the pool.
 */
#pragma once

#include "trace/base/cleanup.h"
#include "trace/base/status.h"

#include <stdint.h>

struct work_pool;
struct work_queue;

/* More than any host has CPUs. */
#define WORK_POOL_THREADS_MAX 1024

/*
 * Gives a pool of `thread_count` threads, the caller's included; 0 is one for each CPU this process
 * may use. `name` names the threads and their waits, and is kept by address.
 */
MUST_CHECK enum status work_pool_create(
	uint32_t thread_count, const char *name, struct work_pool **out_pool);

/* Accepts NULL. */
void work_pool_destroy(struct work_pool *pool);
DEFINE_AUTO(struct work_pool, work_pool_destroy)

uint32_t work_pool_thread_count(const struct work_pool *pool);

/* Returns when no tile runs any more: OK, or the status of the first tile that failed. */
MUST_CHECK enum status work_pool_run(struct work_pool *pool, struct work_queue *queue);
