/* SPDX-License-Identifier: MIT */
/*
 * How long the end of a program waits for the collector's thread. The wait itself is the test's, so
 * a pause of the machine takes no time, and the device that hangs neither.
 */
#include "trace/base/clock.h"
#include "trace/cupti/collector.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define LIMIT_NS (5 * NS_PER_S)

/* Waits that run out before the thread is done; more than it takes: never. */
static uint32_t late_waits;
static uint32_t wait_count;
static uint64_t waited_ns;

static struct collector collector;
static struct activity_buffer_pool pool;

/* The names are the linker's.
 * NOLINTBEGIN(readability-identifier-naming,bugprone-reserved-identifier) */
int __wrap_pthread_cond_timedwait(
	pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *deadline);

/* What a wait says that the machine slept through, whatever happened meanwhile. */
int __wrap_pthread_cond_timedwait(
	pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *deadline)
{
	const uint64_t end_ns = (uint64_t)deadline->tv_sec * NS_PER_S + (uint64_t)deadline->tv_nsec;
	const uint64_t now_ns = clock_now_ns();

	(void)condition;
	(void)mutex;
	waited_ns += end_ns > now_ns ? end_ns - now_ns : 0;
	if (wait_count++ < late_waits) {
		return ETIMEDOUT;
	}
	collector.is_done = true;
	return 0;
}
/* NOLINTEND(readability-identifier-naming,bugprone-reserved-identifier) */

static void *run_nothing(void *unused)
{
	return unused;
}

static bool stop_after(uint32_t count)
{
	bool is_done;

	collector = (struct collector){.pool = &pool};
	late_waits = count;
	wait_count = 0;
	waited_ns = 0;
	assert_int_equal(activity_buffer_pool_init(&pool, 1), STATUS_OK);
	assert_int_equal(pthread_mutex_init(&collector.mutex, NULL), 0);
	assert_int_equal(pthread_cond_init(&collector.done, NULL), 0);
	assert_int_equal(pthread_create(&collector.thread, NULL, run_nothing, NULL), 0);
	is_done = collector_stop(&collector, LIMIT_NS);
	if (!is_done) {
		assert_int_equal(pthread_join(collector.thread, NULL), 0);
	}
	(void)pthread_cond_destroy(&collector.done);
	(void)pthread_mutex_destroy(&collector.mutex);
	activity_buffer_pool_finish(&pool);
	return is_done;
}

static void a_pause_of_the_machine_does_not_lose_the_last_records(void **state)
{
	(void)state;
	assert_true(stop_after(0));
	/* The wait that the pause fell into has run out; the thread has not been run yet. */
	assert_true(stop_after(1));
	assert_int_equal(wait_count, 2);
	assert_true(stop_after(9));
}

static void a_device_that_hangs_is_waited_for_as_long_as_was_said(void **state)
{
	(void)state;
	assert_false(stop_after(UINT32_MAX));
	assert_true(waited_ns <= LIMIT_NS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pause_of_the_machine_does_not_lose_the_last_records),
		cmocka_unit_test(a_device_that_hangs_is_waited_for_as_long_as_was_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
