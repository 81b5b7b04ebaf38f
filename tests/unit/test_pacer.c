/* SPDX-License-Identifier: MIT */
/*
 * Proves that the pacer lets go what must not wait, steers its interval the right way, counts what
 * is in flight whatever its end, and lets everybody go when it stops.
 */
#include "prover/pacer.h"
#include "trace/base/clock.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct pacer_config config(enum pacer_mode mode)
{
	return (struct pacer_config){.mode = mode,
		.interval_ns = 100 * NS_PER_S,
		.interval_min_ns = NS_PER_MS,
		.interval_max_ns = 200 * NS_PER_S,
		.target_depth = 8,
		.lane_count = 4};
}

static void off_only_counts(void **state)
{
	struct pacer_config off = config(PACER_OFF);
	struct pacer pacer;

	(void)state;
	assert_int_equal(pacer_init(&pacer, &off), STATUS_OK);
	for (int i = 0; i < 100; i++) {
		pacer_wait(&pacer, 0);
	}
	assert_int_equal(pacer_counts(&pacer).in_flight, 100);
	for (int i = 0; i < 100; i++) {
		pacer_end(&pacer);
	}
	assert_int_equal(pacer_counts(&pacer).in_flight, 0);
	assert_int_equal(pacer_counts(&pacer).wait_ns, 0);
	pacer_finish(&pacer);
}

/* The interval is a hundred seconds; with nothing in flight nobody waits for it. */
static void a_drained_pipeline_is_fed_at_once(void **state)
{
	struct pacer_config fixed = config(PACER_FIXED);
	struct pacer pacer;

	(void)state;
	assert_int_equal(pacer_init(&pacer, &fixed), STATUS_OK);
	for (int i = 0; i < 10; i++) {
		pacer_wait(&pacer, 0);
		pacer_end(&pacer);
	}
	assert_int_equal(pacer_counts(&pacer).wait_ns, 0);
	pacer_finish(&pacer);
}

struct waiter {
	struct pacer *pacer;
	pthread_t thread;
};

static void *wait_once(void *argument)
{
	struct waiter *waiter = argument;

	pacer_wait(waiter->pacer, 0);
	return NULL;
}

/* One is in flight, the next waits a hundred seconds, unless the first ends. */
static void the_end_of_the_last_in_flight_ends_the_wait(void **state)
{
	struct pacer_config fixed = config(PACER_FIXED);
	struct pacer pacer;
	struct waiter waiter = {.pacer = &pacer};

	(void)state;
	assert_int_equal(pacer_init(&pacer, &fixed), STATUS_OK);
	pacer_wait(&pacer, 0);
	assert_int_equal(pthread_create(&waiter.thread, NULL, wait_once, &waiter), 0);
	pacer_end(&pacer);
	assert_int_equal(pthread_join(waiter.thread, NULL), 0);
	assert_int_equal(pacer_counts(&pacer).in_flight, 1);
	pacer_end(&pacer);
	pacer_finish(&pacer);
}

static void a_stop_ends_the_wait(void **state)
{
	struct pacer_config fixed = config(PACER_FIXED);
	struct pacer pacer;
	struct waiter waiter = {.pacer = &pacer};

	(void)state;
	assert_int_equal(pacer_init(&pacer, &fixed), STATUS_OK);
	pacer_wait(&pacer, 0);
	assert_int_equal(pthread_create(&waiter.thread, NULL, wait_once, &waiter), 0);
	pacer_stop(&pacer);
	assert_int_equal(pthread_join(waiter.thread, NULL), 0);
	assert_int_equal(pacer_counts(&pacer).in_flight, 2);
	pacer_finish(&pacer);
}

/* A fixed interval runs out: the wait is at least that long. */
static void a_fixed_interval_is_waited_for(void **state)
{
	struct pacer_config fixed = config(PACER_FIXED);
	struct pacer pacer;
	uint64_t begin_ns = clock_now_ns();

	(void)state;
	fixed.interval_ns = 5 * NS_PER_MS;
	assert_int_equal(pacer_init(&pacer, &fixed), STATUS_OK);
	for (int i = 0; i < 5; i++) {
		pacer_wait(&pacer, 0);
	}
	assert_true(clock_now_ns() - begin_ns >= 4 * fixed.interval_ns);
	pacer_finish(&pacer);
}

/*
 * A prove call takes 8 s on each of 4 lanes, so a partition leaves every 2 s. At the target depth
 * that is the interval; below it dispatches come faster, above it slower.
 */
static void the_adaptive_interval_follows_gpu_and_queue(void **state)
{
	struct pacer_config adaptive = config(PACER_ADAPTIVE);
	struct pacer pacer;

	(void)state;
	assert_int_equal(pacer_init(&pacer, &adaptive), STATUS_OK);
	assert_int_equal(pacer_interval_ns(&pacer), adaptive.interval_ns);
	pacer_measure(&pacer, 8 * NS_PER_S);
	pacer.waiting = 8;
	assert_int_equal(pacer_interval_ns(&pacer), 2 * NS_PER_S);
	pacer.waiting = 0;
	assert_true(pacer_interval_ns(&pacer) < 2 * NS_PER_S);
	pacer.waiting = 16;
	assert_true(pacer_interval_ns(&pacer) > 2 * NS_PER_S);
	/* However far off, it stays within its limits. */
	pacer.waiting = 1e9;
	assert_true(pacer_interval_ns(&pacer) <= adaptive.interval_max_ns);
	pacer.gpu_ns = 1;
	assert_int_equal(pacer_interval_ns(&pacer), adaptive.interval_min_ns);
	pacer_finish(&pacer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(off_only_counts),
		cmocka_unit_test(a_drained_pipeline_is_fed_at_once),
		cmocka_unit_test(the_end_of_the_last_in_flight_ends_the_wait),
		cmocka_unit_test(a_stop_ends_the_wait),
		cmocka_unit_test(a_fixed_interval_is_waited_for),
		cmocka_unit_test(the_adaptive_interval_follows_gpu_and_queue),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
