/* SPDX-License-Identifier: MIT */
/* Proves that every tile runs once, after what it waits for, whatever the number of threads. */
#include "prover/groth16/work_pool.h"
#include "prover/groth16/work_queue.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum {
	TILES = 257,
	THREADS_MAX = 4
};

struct ledger {
	struct work_queue *queue;
	uint32_t later_task;
	uint32_t resize_to;
	atomic_uint runs[TILES];
	atomic_uint first_done;
	atomic_uint seen_early; /* tiles of the later task that ran before the first was done */
	atomic_uint worker_busy[THREADS_MAX];
	atomic_uint worker_clashes;
};

static enum status run_first(void *context, uint32_t tile, uint32_t worker)
{
	struct ledger *ledger = context;

	if (atomic_fetch_add(&ledger->worker_busy[worker], 1) != 0) {
		(void)atomic_fetch_add(&ledger->worker_clashes, 1);
	}
	(void)atomic_fetch_add(&ledger->runs[tile], 1);
	if (tile == 0 && ledger->resize_to > 0) {
		work_queue_resize(ledger->queue, ledger->later_task, ledger->resize_to);
	}
	(void)atomic_fetch_add(&ledger->first_done, 1);
	(void)atomic_fetch_sub(&ledger->worker_busy[worker], 1);
	return STATUS_OK;
}

static enum status run_later(void *context, uint32_t tile, uint32_t worker)
{
	struct ledger *ledger = context;

	(void)tile;
	(void)worker;
	if (atomic_load(&ledger->first_done) != TILES) {
		(void)atomic_fetch_add(&ledger->seen_early, 1);
	}
	(void)atomic_fetch_add(&ledger->runs[0], 1);
	return STATUS_OK;
}

static enum status run_failing(void *context, uint32_t tile, uint32_t worker)
{
	(void)context;
	(void)worker;
	return tile == 3 ? STATUS_NO_MEMORY : STATUS_OK;
}

static void run_chain(uint32_t thread_count, uint32_t later_tiles, uint32_t resize_to)
{
	struct ledger ledger;
	struct work_queue queue;
	struct work_pool *pool = NULL;
	uint32_t expected = resize_to > 0 ? resize_to : later_tiles;

	assert_int_equal(work_pool_create(thread_count, "test", &pool), STATUS_OK);
	assert_int_equal(work_pool_thread_count(pool), thread_count);
	for (int round = 0; round < 50; round++) {
		struct work_task first = {run_first, &ledger, TILES};
		struct work_task later = {run_later, &ledger, later_tiles};
		uint32_t first_task;
		uint32_t empty_task;

		memset(&ledger, 0, sizeof(ledger));
		work_queue_init(&queue);
		first_task = work_queue_add(&queue, &first);
		/* A task of no tiles in the middle of a chain must not break it. */
		empty_task = work_queue_add(&queue, &(struct work_task){run_failing, NULL, 0});
		ledger.later_task = work_queue_add(&queue, &later);
		ledger.queue = &queue;
		ledger.resize_to = resize_to;
		work_queue_order(&queue, first_task, empty_task);
		work_queue_order(&queue, empty_task, ledger.later_task);
		work_queue_order(&queue, WORK_TASK_NONE, ledger.later_task);
		assert_int_equal(work_pool_run(pool, &queue), STATUS_OK);
		assert_int_equal(ledger.runs[0], 1 + expected);
		for (uint32_t i = 1; i < TILES; i++) {
			assert_int_equal(ledger.runs[i], 1);
		}
		assert_int_equal(ledger.seen_early, 0);
		assert_int_equal(ledger.worker_clashes, 0);
	}
	work_pool_destroy(pool);
}

static void tiles_run_once_and_in_order(void **state)
{
	(void)state;
	for (uint32_t threads = 1; threads <= THREADS_MAX; threads++) {
		run_chain(threads, 9, 0);
	}
}

static void a_waiting_task_can_be_sized(void **state)
{
	(void)state;
	for (uint32_t threads = 1; threads <= THREADS_MAX; threads++) {
		run_chain(threads, 0, 5);
	}
}

static void a_failure_ends_the_run(void **state)
{
	(void)state;
	for (uint32_t threads = 1; threads <= THREADS_MAX; threads++) {
		struct ledger ledger;
		struct work_queue queue;
		struct work_pool *pool = NULL;
		uint32_t failing;
		uint32_t later;

		memset(&ledger, 0, sizeof(ledger));
		assert_int_equal(work_pool_create(threads, "test", &pool), STATUS_OK);
		work_queue_init(&queue);
		failing = work_queue_add(&queue, &(struct work_task){run_failing, NULL, 8});
		later = work_queue_add(&queue, &(struct work_task){run_later, &ledger, 8});
		work_queue_order(&queue, failing, later);
		assert_int_equal(work_pool_run(pool, &queue), STATUS_NO_MEMORY);
		assert_int_equal(ledger.runs[0], 0);
		work_pool_destroy(pool);
	}
}

static void an_empty_queue_is_done(void **state)
{
	struct work_queue queue;
	struct work_pool *pool = NULL;

	(void)state;
	assert_int_equal(work_pool_create(2, "test", &pool), STATUS_OK);
	work_queue_init(&queue);
	assert_int_equal(work_pool_run(pool, &queue), STATUS_OK);
	work_pool_destroy(pool);
}

static void thread_counts_are_bounded(void **state)
{
	struct work_pool *pool = NULL;

	(void)state;
	assert_int_equal(
		work_pool_create(WORK_POOL_THREADS_MAX + 1, "test", &pool), STATUS_OVER_LIMIT);
	assert_null(pool);
	assert_int_equal(work_pool_create(0, "test", &pool), STATUS_OK);
	assert_true(work_pool_thread_count(pool) >= 1);
	work_pool_destroy(pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tiles_run_once_and_in_order),
		cmocka_unit_test(a_waiting_task_can_be_sized),
		cmocka_unit_test(a_failure_ends_the_run),
		cmocka_unit_test(an_empty_queue_is_done),
		cmocka_unit_test(thread_counts_are_bounded),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
