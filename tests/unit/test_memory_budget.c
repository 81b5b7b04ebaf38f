/* SPDX-License-Identifier: MIT */
/*
 * Proves that the budget never goes over its limit, serves who waits in order, partitions before
 * keys, refuses what can never fit, and loses no wake-up.
 */
#include "prover/memory_budget.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static const struct gaptrace_work no_work = GAPTRACE_NO_WORK;

static void what_fits_is_reserved_at_once(void **state)
{
	struct memory_budget budget;

	(void)state;
	assert_int_equal(memory_budget_init(&budget, 100), STATUS_OK);
	assert_int_equal(
		memory_budget_reserve(&budget, MEMORY_BUDGET_PARTITION, 60, no_work), STATUS_OK);
	assert_int_equal(memory_budget_reserve(&budget, MEMORY_BUDGET_KEY, 40, no_work), STATUS_OK);
	assert_int_equal(memory_budget_counts(&budget).used_bytes, 100);
	memory_budget_release(&budget, 60, no_work);
	memory_budget_release(&budget, 0, no_work);
	memory_budget_release(&budget, 40, no_work);
	assert_int_equal(memory_budget_counts(&budget).used_bytes, 0);
	assert_int_equal(memory_budget_counts(&budget).peak_bytes, 100);
	assert_int_equal(memory_budget_counts(&budget).reserve_count, 2);
	assert_int_equal(memory_budget_counts(&budget).release_count, 2);
	memory_budget_finish(&budget);
}

static void what_can_never_fit_is_refused_and_does_not_wait(void **state)
{
	struct memory_budget budget;

	(void)state;
	assert_int_equal(memory_budget_init(&budget, 100), STATUS_OK);
	assert_int_equal(memory_budget_reserve(&budget, MEMORY_BUDGET_PARTITION, 101, no_work),
		STATUS_TOO_LARGE);
	assert_int_equal(memory_budget_reserve(&budget, MEMORY_BUDGET_KEY, UINT64_MAX, no_work),
		STATUS_TOO_LARGE);
	assert_int_equal(memory_budget_counts(&budget).used_bytes, 0);
	memory_budget_finish(&budget);
}

/* Who waits for `bytes` and writes down when it was served. */
struct waiter {
	struct memory_budget *budget;
	_Atomic uint32_t *order;
	enum memory_budget_class class;
	uint64_t bytes;
	uint32_t place;
	enum status status;
	pthread_t thread;
};

static void *wait_for_bytes(void *argument)
{
	struct waiter *waiter = argument;

	waiter->status =
		memory_budget_reserve(waiter->budget, waiter->class, waiter->bytes, no_work);
	waiter->place = atomic_fetch_add(waiter->order, 1);
	if (waiter->status == STATUS_OK) {
		memory_budget_release(waiter->budget, waiter->bytes, no_work);
	}
	return NULL;
}

/* Starts it, and comes back when it stands in line. */
static void start_waiter(struct waiter *waiter, uint32_t waiting_count)
{
	assert_int_equal(pthread_create(&waiter->thread, NULL, wait_for_bytes, waiter), 0);
	while (memory_budget_counts(waiter->budget).waiting_count != waiting_count) {
		(void)sched_yield();
	}
}

/*
 * The budget is full. In line: a large one, then a small one that would fit sooner. Half is
 * released: the small one must not overtake. Each needs the whole budget or comes after it.
 */
static void who_came_first_is_served_first(void **state)
{
	struct memory_budget budget;
	_Atomic uint32_t order = 0;
	struct waiter large = {.budget = &budget, .order = &order, .bytes = 100};
	struct waiter small = {.budget = &budget, .order = &order, .bytes = 50};

	(void)state;
	assert_int_equal(memory_budget_init(&budget, 100), STATUS_OK);
	assert_int_equal(
		memory_budget_reserve(&budget, MEMORY_BUDGET_PARTITION, 100, no_work), STATUS_OK);
	start_waiter(&large, 1);
	start_waiter(&small, 2);
	memory_budget_release(&budget, 50, no_work);
	assert_int_equal(memory_budget_counts(&budget).waiting_count, 2);
	memory_budget_release(&budget, 50, no_work);
	(void)pthread_join(large.thread, NULL);
	(void)pthread_join(small.thread, NULL);
	assert_int_equal(large.place, 0);
	assert_int_equal(small.place, 1);
	memory_budget_finish(&budget);
}

/* A key waits that does not fit; a partition that does goes before it. */
static void partitions_go_before_keys(void **state)
{
	struct memory_budget budget;
	_Atomic uint32_t order = 0;
	struct waiter key = {
		.budget = &budget, .order = &order, .bytes = 100, .class = MEMORY_BUDGET_KEY};

	(void)state;
	assert_int_equal(memory_budget_init(&budget, 100), STATUS_OK);
	assert_int_equal(
		memory_budget_reserve(&budget, MEMORY_BUDGET_PARTITION, 50, no_work), STATUS_OK);
	start_waiter(&key, 1);
	assert_int_equal(
		memory_budget_reserve(&budget, MEMORY_BUDGET_PARTITION, 50, no_work), STATUS_OK);
	memory_budget_release(&budget, 100, no_work);
	(void)pthread_join(key.thread, NULL);
	assert_int_equal(key.status, STATUS_OK);
	memory_budget_finish(&budget);
}

static void a_stopped_budget_sends_those_who_wait_away(void **state)
{
	struct memory_budget budget;
	_Atomic uint32_t order = 0;
	struct waiter waiters[3];

	(void)state;
	assert_int_equal(memory_budget_init(&budget, 10), STATUS_OK);
	assert_int_equal(
		memory_budget_reserve(&budget, MEMORY_BUDGET_PARTITION, 10, no_work), STATUS_OK);
	for (uint32_t i = 0; i < 3; i++) {
		waiters[i] = (struct waiter){.budget = &budget,
			.order = &order,
			.bytes = 5,
			.class = i == 1 ? MEMORY_BUDGET_KEY : MEMORY_BUDGET_PARTITION};
		start_waiter(&waiters[i], i + 1);
	}
	memory_budget_stop(&budget);
	for (uint32_t i = 0; i < 3; i++) {
		(void)pthread_join(waiters[i].thread, NULL);
		assert_int_equal(waiters[i].status, STATUS_STOPPED);
	}
	memory_budget_release(&budget, 10, no_work);
	assert_int_equal(memory_budget_reserve(&budget, MEMORY_BUDGET_PARTITION, 1, no_work),
		STATUS_STOPPED);
	memory_budget_finish(&budget);
}

struct crowd {
	struct memory_budget budget;
	_Atomic uint64_t held;
	_Atomic bool is_over;
};

static void *reserve_and_release(void *argument)
{
	struct crowd *crowd = argument;
	uint32_t random = (uint32_t)(uintptr_t)&random;

	for (int i = 0; i < 3000; i++) {
		uint64_t bytes = 0;

		random = random * 1664525 + 1013904223;
		bytes = 1 + (random >> 16) % 1000;
		if (memory_budget_reserve(&crowd->budget,
			    random & 64 ? MEMORY_BUDGET_PARTITION : MEMORY_BUDGET_KEY, bytes,
			    no_work) != STATUS_OK) {
			break;
		}
		if (atomic_fetch_add(&crowd->held, bytes) + bytes > 1000) {
			atomic_store(&crowd->is_over, true);
		}
		(void)atomic_fetch_sub(&crowd->held, bytes);
		/* In two parts, as a partition gives its memory back. */
		memory_budget_release(&crowd->budget, bytes / 2, no_work);
		memory_budget_release(&crowd->budget, bytes - bytes / 2, no_work);
	}
	return NULL;
}

/* Six threads, 3000 reservations each: it would hang on a lost wake-up. */
static void a_crowd_is_served_within_the_limit(void **state)
{
	struct crowd crowd = {.held = 0};
	pthread_t threads[6];

	(void)state;
	assert_int_equal(memory_budget_init(&crowd.budget, 1000), STATUS_OK);
	for (int i = 0; i < 6; i++) {
		assert_int_equal(pthread_create(&threads[i], NULL, reserve_and_release, &crowd), 0);
	}
	for (int i = 0; i < 6; i++) {
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	}
	assert_false(crowd.is_over);
	assert_int_equal(memory_budget_counts(&crowd.budget).used_bytes, 0);
	assert_int_equal(memory_budget_counts(&crowd.budget).reserve_count, 6 * 3000);
	assert_true(memory_budget_counts(&crowd.budget).peak_bytes <= 1000);
	memory_budget_finish(&crowd.budget);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_fits_is_reserved_at_once),
		cmocka_unit_test(what_can_never_fit_is_refused_and_does_not_wait),
		cmocka_unit_test(who_came_first_is_served_first),
		cmocka_unit_test(partitions_go_before_keys),
		cmocka_unit_test(a_stopped_budget_sends_those_who_wait_away),
		cmocka_unit_test(a_crowd_is_served_within_the_limit),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
