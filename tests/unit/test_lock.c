/* SPDX-License-Identifier: MIT */
/*
 * The locks exclude, count every acquisition exactly, and their conditions lose no wake-up, in
 * both libraries and under many threads.
 */
#include "gaptrace/gaptrace.h"
#include "trace/base/clock.h"

#include <dlfcn.h>
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define THREAD_COUNT 8
#define ROUND_COUNT  20000

/* Far more than a child takes on a busy machine. */
#define CHILD_S_MAX 300

static struct {
	struct gaptrace_mutex mutex;
	struct gaptrace_rwlock rwlock;
	struct gaptrace_condition not_empty;
	struct gaptrace_condition not_full;
	uint64_t value;
	uint64_t other_value;
	uint64_t waits;
	int item_count;
} shared;

static void run_threads(void *(*body)(void *), int count)
{
	pthread_t threads[THREAD_COUNT * 2];

	for (int i = 0; i < count; i++) {
		assert_int_equal(pthread_create(&threads[i], NULL, body, (void *)(intptr_t)i), 0);
	}
	for (int i = 0; i < count; i++) {
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	}
}

static int set_up(void **state)
{
	(void)state;
	shared.value = 0;
	shared.other_value = 0;
	shared.waits = 0;
	shared.item_count = 0;
	gaptrace_condition_init(&shared.not_empty, NULL);
	gaptrace_condition_init(&shared.not_full, "not_full");
	return gaptrace_mutex_init(&shared.mutex, "mutex") +
	       gaptrace_rwlock_init(&shared.rwlock, "rwlock");
}

static int tear_down(void **state)
{
	(void)state;
	gaptrace_condition_finish(&shared.not_full);
	gaptrace_condition_finish(&shared.not_empty);
	gaptrace_rwlock_finish(&shared.rwlock);
	gaptrace_mutex_finish(&shared.mutex);
	return 0;
}

static void *increment(void *unused)
{
	(void)unused;
	for (int i = 0; i < ROUND_COUNT; i++) {
		if (i % 4 != 0 || !gaptrace_mutex_trylock(&shared.mutex)) {
			gaptrace_mutex_lock(&shared.mutex);
		}
		shared.value++;
		gaptrace_mutex_unlock(&shared.mutex);
	}
	return NULL;
}

static void a_mutex_excludes_and_counts(void **state)
{
	(void)state;
	run_threads(increment, THREAD_COUNT);
	assert_int_equal(shared.value, THREAD_COUNT * ROUND_COUNT);
	assert_int_equal(shared.mutex.acquire_count, THREAD_COUNT * ROUND_COUNT);
	assert_int_equal(shared.mutex.holder_tid, 0);
}

static void *read_and_write(void *unused)
{
	(void)unused;
	for (int i = 0; i < ROUND_COUNT; i++) {
		if (i % 8 == 0) {
			gaptrace_rwlock_write_lock(&shared.rwlock);
			shared.value++;
			shared.other_value++;
		} else {
			gaptrace_rwlock_read_lock(&shared.rwlock);
			if (shared.value != shared.other_value) {
				abort();
			}
		}
		gaptrace_rwlock_unlock(&shared.rwlock);
	}
	return NULL;
}

static void a_read_write_lock_excludes_and_counts(void **state)
{
	(void)state;
	run_threads(read_and_write, THREAD_COUNT);
	assert_int_equal(shared.value, THREAD_COUNT * ROUND_COUNT / 8);
	assert_int_equal(shared.rwlock.acquire_count, THREAD_COUNT * ROUND_COUNT);
}

static void readers_share_and_may_nest(void **state)
{
	struct gaptrace_rwlock locks[12];

	(void)state;
	for (int i = 0; i < 12; i++) {
		assert_int_equal(gaptrace_rwlock_init(&locks[i], "rwlock"), 0);
		gaptrace_rwlock_read_lock(&locks[i]);
	}
	gaptrace_rwlock_read_lock(&locks[0]);
	gaptrace_rwlock_unlock(&locks[0]);
	for (int i = 0; i < 12; i++) {
		gaptrace_rwlock_unlock(&locks[i]);
	}
	for (int i = 0; i < 12; i++) {
		gaptrace_rwlock_write_lock(&locks[i]);
		gaptrace_rwlock_unlock(&locks[i]);
		assert_int_equal(locks[i].acquire_count, i == 0 ? 3 : 2);
		gaptrace_rwlock_finish(&locks[i]);
	}
}

/* A queue of one place: a lost wake-up leaves everybody asleep, and the test times out. */
static void *produce_or_consume(void *number)
{
	bool is_producer = (intptr_t)number % 2 == 0;

	for (int i = 0; i < ROUND_COUNT; i++) {
		gaptrace_mutex_lock(&shared.mutex);
		while (shared.item_count == (is_producer ? 1 : 0)) {
			shared.waits++;
			gaptrace_condition_wait(
				is_producer ? &shared.not_full : &shared.not_empty, &shared.mutex);
		}
		shared.item_count += is_producer ? 1 : -1;
		if (i % 2 == 0) {
			gaptrace_condition_signal(
				is_producer ? &shared.not_empty : &shared.not_full);
			gaptrace_mutex_unlock(&shared.mutex);
		} else {
			gaptrace_mutex_unlock(&shared.mutex);
			gaptrace_condition_signal(
				is_producer ? &shared.not_empty : &shared.not_full);
		}
	}
	return NULL;
}

static void a_condition_loses_no_wake_up(void **state)
{
	(void)state;
	run_threads(produce_or_consume, THREAD_COUNT);
	assert_int_equal(shared.item_count, 0);
	/* One for each turn, and one for each return from a wait: nothing else takes the lock. */
	assert_int_equal(
		shared.mutex.acquire_count, (uint64_t)THREAD_COUNT * ROUND_COUNT + shared.waits);
	assert_int_equal(shared.not_empty.waiter_count, 0);
	assert_int_equal(shared.not_full.waiter_count, 0);
}

static void *wait_for_value(void *unused)
{
	(void)unused;
	gaptrace_mutex_lock(&shared.mutex);
	shared.other_value++;
	gaptrace_condition_broadcast(&shared.not_full);
	while (shared.value == 0) {
		gaptrace_condition_wait(&shared.not_empty, &shared.mutex);
	}
	gaptrace_mutex_unlock(&shared.mutex);
	return NULL;
}

static void a_broadcast_wakes_everybody(void **state)
{
	pthread_t threads[THREAD_COUNT];

	(void)state;
	for (int i = 0; i < THREAD_COUNT; i++) {
		assert_int_equal(pthread_create(&threads[i], NULL, wait_for_value, NULL), 0);
	}
	gaptrace_mutex_lock(&shared.mutex);
	while (shared.other_value < THREAD_COUNT) {
		gaptrace_condition_wait(&shared.not_full, &shared.mutex);
	}
	shared.value = 1;
	gaptrace_condition_broadcast(&shared.not_empty);
	gaptrace_mutex_unlock(&shared.mutex);
	for (int i = 0; i < THREAD_COUNT; i++) {
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	}
}

static void *wait_on_given(void *argument)
{
	struct gaptrace_condition *condition = (struct gaptrace_condition *)argument;

	gaptrace_mutex_lock(&shared.mutex);
	shared.other_value++;
	gaptrace_condition_signal(&shared.not_full);
	while (shared.value == 0) {
		gaptrace_condition_wait(condition, &shared.mutex);
	}
	gaptrace_mutex_unlock(&shared.mutex);
	return NULL;
}

/* As POSIX has it: woken is enough, the waiters need not have returned. */
static void a_condition_can_go_once_its_waiters_are_woken(void **state)
{
	(void)state;
	for (int round = 0; round < 500; round++) {
		struct gaptrace_condition *condition =
			(struct gaptrace_condition *)malloc(sizeof(*condition));
		pthread_t threads[THREAD_COUNT];

		assert_non_null(condition);
		gaptrace_condition_init(condition, "short-lived");
		shared.value = 0;
		shared.other_value = 0;
		for (int i = 0; i < THREAD_COUNT; i++) {
			assert_int_equal(
				pthread_create(&threads[i], NULL, wait_on_given, condition), 0);
		}
		gaptrace_mutex_lock(&shared.mutex);
		while (shared.other_value < THREAD_COUNT) {
			gaptrace_condition_wait(&shared.not_full, &shared.mutex);
		}
		shared.value = 1;
		gaptrace_condition_broadcast(condition);
		gaptrace_mutex_unlock(&shared.mutex);
		gaptrace_condition_finish(condition);
		memset(condition, 0x55, sizeof(*condition));
		for (int i = 0; i < THREAD_COUNT; i++) {
			assert_int_equal(pthread_join(threads[i], NULL), 0);
		}
		assert_int_equal(condition->waiter_count, 0x55555555);
		free(condition);
	}
}

/* Longer than the library once waited for a woken thread that the machine did not run. */
#define LATE_US 1200000

static __thread bool is_late;

/* Stands before libc's: a thread that a futex woke, and that is not run for a while. */
__attribute__((visibility("default"))) long syscall(long number, ...)
{
	static void *address;
	void *found = __atomic_load_n(&address, __ATOMIC_RELAXED);
	long (*libc_syscall)(long number, ...);
	long arguments[6];
	va_list list;
	long result;
	int error;

	va_start(list, number);
	for (int i = 0; i < 6; i++) {
		arguments[i] = va_arg(list, long);
	}
	va_end(list);
	if (!found) {
		found = dlsym(RTLD_NEXT, "syscall");
		__atomic_store_n(&address, found, __ATOMIC_RELAXED);
	}
	memcpy(&libc_syscall, &found, sizeof(found));
	result = libc_syscall(number, arguments[0], arguments[1], arguments[2], arguments[3],
		arguments[4], arguments[5]);
	error = errno;
	if (number == SYS_futex && arguments[1] == FUTEX_WAIT_BITSET_PRIVATE && is_late) {
		(void)usleep(LATE_US);
	}
	errno = error;
	return result;
}

static void *wait_and_be_late(void *condition)
{
	is_late = true;
	return wait_on_given(condition);
}

static void a_condition_is_not_gone_before_its_late_waiter(void **state)
{
	struct gaptrace_condition condition;
	pthread_t thread;

	(void)state;
	gaptrace_condition_init(&condition, "late");
	assert_int_equal(pthread_create(&thread, NULL, wait_and_be_late, &condition), 0);
	gaptrace_mutex_lock(&shared.mutex);
	while (shared.other_value == 0) {
		gaptrace_condition_wait(&shared.not_full, &shared.mutex);
	}
	shared.value = 1;
	gaptrace_condition_broadcast(&condition);
	gaptrace_mutex_unlock(&shared.mutex);
	gaptrace_condition_finish(&condition);
	memset(&condition, 0x55, sizeof(condition));
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(condition.waiter_count, 0x55555555);
}

/* A child of a fork has the count of its parent's waiters, and none of them. */
static void a_child_uses_and_finishes_what_its_parents_threads_wait_for(void **state)
{
	int status = -1;
	pthread_t thread;
	pid_t child;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, wait_for_value, NULL), 0);
	gaptrace_mutex_lock(&shared.mutex);
	while (shared.other_value == 0) {
		gaptrace_condition_wait(&shared.not_full, &shared.mutex);
	}
	child = fork();
	if (child == 0) {
		/* For one that waits for ever. */
		(void)alarm(CHILD_S_MAX);
		(void)gaptrace_condition_wait_until(&shared.not_empty, &shared.mutex, 1);
		gaptrace_condition_broadcast(&shared.not_empty);
		errno = EXDEV;
		gaptrace_condition_finish(&shared.not_empty);
		_exit(errno == EXDEV ? 0 : 1);
	}
	shared.value = 1;
	gaptrace_condition_broadcast(&shared.not_empty);
	gaptrace_mutex_unlock(&shared.mutex);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_true(child > 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

static void a_wait_ends_at_its_deadline(void **state)
{
	uint64_t deadline_ns = clock_now_ns() + 2 * NS_PER_MS;

	(void)state;
	gaptrace_mutex_lock(&shared.mutex);
	while (gaptrace_condition_wait_until(&shared.not_full, &shared.mutex, deadline_ns)) {
		continue;
	}
	assert_true(clock_now_ns() >= deadline_ns);
	errno = EXDEV;
	assert_false(gaptrace_condition_wait_until(&shared.not_full, &shared.mutex, 0));
	assert_int_equal(errno, EXDEV);
	gaptrace_mutex_unlock(&shared.mutex);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_mutex_excludes_and_counts, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_read_write_lock_excludes_and_counts, set_up, tear_down),
		cmocka_unit_test_setup_teardown(readers_share_and_may_nest, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_condition_loses_no_wake_up, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_broadcast_wakes_everybody, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_condition_can_go_once_its_waiters_are_woken, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_condition_is_not_gone_before_its_late_waiter, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_child_uses_and_finishes_what_its_parents_threads_wait_for, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(a_wait_ends_at_its_deadline, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
