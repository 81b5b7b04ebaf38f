/* SPDX-License-Identifier: MIT */
/*
 * Every function of gaptrace.h can be called in either library, recorded or not, and leaves its
 * caller's values as the header says. Linked to libgaptrace and to libgaptrace-off.
 */
#include "gaptrace/gaptrace.h"
#include "tests/unit/emit_calls.h"

#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static void every_function_can_be_called(void **state)
{
	(void)state;
	emit_calls();
}

static void a_span_keeps_what_it_is_about(void **state)
{
	struct gaptrace_work work = {.job = 3, .partition = 2, .device = 1};
	struct gaptrace_span span = gaptrace_span_begin("name", work);
	struct gaptrace_span prove = gaptrace_prove_start_begin(work, 4);

	(void)state;
	assert_string_equal(span.name, "name");
	assert_int_equal(span.work.job, 3);
	assert_int_equal(span.work.partition, 2);
	assert_int_equal(span.work.device, 1);
	assert_int_equal(prove.worker, 4);
	assert_string_equal(prove.name, "prove_start");
	gaptrace_prove_start_end(&prove);
	gaptrace_span_end(&span);
}

static void nothing_is_timed_while_nothing_records(void **state)
{
	struct gaptrace_work work = GAPTRACE_NO_WORK;
	struct gaptrace_span span = gaptrace_span_begin("name", work);
	struct gaptrace_item item = {.id = 1, .pushed_ns = 5};
	struct gaptrace_wait wait = gaptrace_wait_begin(&item, "wait", GAPTRACE_WAIT_JOIN);

	(void)state;
	gaptrace_queue_push(&item, "queue", &item, 1);
	assert_int_equal(span.begin_ns, 0);
	assert_int_equal(wait.begin_ns, 0);
	assert_int_equal(item.pushed_ns, 0);
	gaptrace_wait_end(&wait);
	gaptrace_span_end(&span);
	assert_false(gaptrace_is_recording());
}

static void the_thread_gets_its_name(void **state)
{
	char name[16] = "";

	(void)state;
	gaptrace_thread_name("a name longer than fifteen bytes");
	assert_int_equal(pthread_getname_np(pthread_self(), name, sizeof(name)), 0);
	assert_string_equal(name, "a name longer t");
	gaptrace_thread_name(NULL);
	gaptrace_thread_end();
	gaptrace_thread_end();
}

static void malloc_trim_gives_what_the_libc_gives(void **state)
{
	int result = gaptrace_malloc_trim(0);

	(void)state;
	assert_in_range(result, 0, 1);
}

/* A forked child is another thread: it must not tell the parent's id. */
static void a_forked_child_tells_its_own_thread(void **state)
{
	struct gaptrace_work work = GAPTRACE_NO_WORK;
	struct gaptrace_span before = gaptrace_span_begin("parent", work);
	int status = -1;
	pid_t child;

	(void)state;
	gaptrace_thread_name("parent");
	child = fork();
	if (child == 0) {
		struct gaptrace_span span = gaptrace_span_begin("child", work);
		bool is_right = !gaptrace_is_on() || span.tid == gettid();

		emit_calls();
		gaptrace_span_end(&span);
		_exit(is_right ? 0 : 1);
	}
	assert_true(child > 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	gaptrace_span_end(&before);
}

static void *name_and_leave(void *unused)
{
	(void)unused;
	gaptrace_thread_name("short-lived");
	return NULL;
}

/* More threads than the table of names holds, one after another: the dead make room. */
static void dead_threads_leave_the_table(void **state)
{
	(void)state;
	for (int i = 0; i < 1100; i++) {
		pthread_t thread;

		assert_int_equal(pthread_create(&thread, NULL, name_and_leave, NULL), 0);
		assert_int_equal(pthread_join(thread, NULL), 0);
	}
	gaptrace_keyframe();
}

/* A daemon that closes every descriptor must not lose one of its own to the library. */
static void closed_descriptors_are_not_closed_again(void **state)
{
	struct gaptrace_work work = GAPTRACE_NO_WORK;
	struct gaptrace_span span = gaptrace_span_begin("span", work);
	int pipe_fds[2];

	(void)state;
	gaptrace_span_end(&span);
	for (int fd = 3; fd < 64; fd++) {
		(void)close(fd);
	}
	assert_int_equal(pipe(pipe_fds), 0);
	span = gaptrace_span_begin("span", work);
	gaptrace_span_end(&span);
	gaptrace_thread_end();
	assert_int_equal(fcntl(pipe_fds[0], F_GETFD), 0);
	assert_int_equal(fcntl(pipe_fds[1], F_GETFD), 0);
	(void)close(pipe_fds[0]);
	(void)close(pipe_fds[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_function_can_be_called),
		cmocka_unit_test(a_span_keeps_what_it_is_about),
		cmocka_unit_test(nothing_is_timed_while_nothing_records),
		cmocka_unit_test(the_thread_gets_its_name),
		cmocka_unit_test(malloc_trim_gives_what_the_libc_gives),
		cmocka_unit_test(a_forked_child_tells_its_own_thread),
		cmocka_unit_test(dead_threads_leave_the_table),
		cmocka_unit_test(closed_descriptors_are_not_closed_again),
	};

	/* The test speaks of nothing recording; a session on this machine must not change it. */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
