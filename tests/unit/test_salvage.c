/* SPDX-License-Identifier: MIT */
/* Proves that shortened copies of streams do not outlive the process that made them. */
#include "analysis/plugin/salvage.h"

#include <dirent.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* A guard needs milliseconds; a busy machine may give it none for a while. */
#define LOOK_COUNT_MAX 6000
#define LOOK_MS        10

#define NOBODY 65534

static char folder[] = "/tmp/gaptrace-salvage.XXXXXX";

/* A trace with a stream that is no whole packet. */
static int make_trace(void **state)
{
	FILE *stream;

	(void)state;
	if (!mkdtemp(folder) || chdir(folder) != 0 || mkdir("trace", 0777) != 0 ||
		mkdir("copies", 0777) != 0 || setenv("TMPDIR", "copies", 1) != 0) {
		return -1;
	}
	stream = fopen("trace/hot_0", "w");
	return stream && fputs("cut", stream) >= 0 && fclose(stream) == 0 ? 0 : -1;
}

static int remove_trace(void **state)
{
	(void)state;
	return unlink("trace/hot_0") == 0 && rmdir("trace") == 0 && rmdir("copies") == 0 &&
			       chdir("/") == 0 && rmdir(folder) == 0
		       ? 0
		       : -1;
}

static enum status ignore(void *context, const struct salvage_cut *cut)
{
	(void)context;
	(void)cut;
	return STATUS_OK;
}

static const struct salvage_listener listener = {NULL, ignore};

static int count_copies(void)
{
	DIR *entries = opendir("copies");
	int count = 0;

	assert_non_null(entries);
	while (readdir(entries)) {
		count++;
	}
	(void)closedir(entries);
	return count - 2; /* "." and ".." */
}

static void what_was_made_is_removed(void **state)
{
	struct salvage salvage = {.directory = NULL};
	struct diag diag = {""};

	(void)state;
	assert_int_equal(salvage_make("trace", &listener, &salvage, &diag), STATUS_OK);
	assert_int_equal(count_copies(), 1);
	salvage_remove(&salvage);
	assert_int_equal(count_copies(), 0);
	salvage_remove(&salvage);
}

static void a_copy_that_has_no_place_is_told(void **state)
{
	struct salvage salvage = {.directory = NULL};
	struct diag diag = {""};

	(void)state;
	assert_int_equal(setenv("TMPDIR", "nosuch", 1), 0);
	assert_int_equal(salvage_make("trace", &listener, &salvage, &diag), STATUS_NOT_FOUND);
	assert_int_equal(setenv("TMPDIR", "copies", 1), 0);
	/* As it is not when there is nothing to mend. */
	assert_non_null(strstr(diag.line, "nosuch/gaptrace-report."));
	salvage_remove(&salvage);
}

/* Not the copy's place is at fault, and no TMPDIR would mend it. */
static void a_stream_that_may_not_be_read_is_told_as_such(void **state)
{
	const bool is_root = geteuid() == 0;
	struct salvage salvage = {.directory = NULL};
	struct diag diag = {""};
	enum status status;

	(void)state;
	assert_int_equal(chmod(folder, 0755) | chmod("copies", 0777) | chmod("trace/hot_0", 0), 0);
	/* Root may read anything; where there is no other user, nothing can be shown. */
	if (is_root && seteuid(NOBODY) != 0) {
		skip();
	}
	status = salvage_make("trace", &listener, &salvage, &diag);
	assert_int_equal(is_root ? seteuid(0) : 0, 0);
	assert_int_equal(status, STATUS_PERMISSION);
	assert_non_null(strstr(diag.line, "trace/hot_0 cannot be read: Permission denied"));
	assert_null(strstr(diag.line, "TMPDIR"));
	assert_int_equal(chmod("trace/hot_0", 0644), 0);
	assert_int_equal(count_copies(), 0);
}

/* `made` is closed by the child's death, and by nothing else: a guard keeps no descriptor. */
static void die_in_between(void)
{
	struct salvage salvage = {.directory = NULL};
	int made[2];
	char byte = 0;
	pid_t child;

	assert_int_equal(pipe(made), 0);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		if (salvage_make("trace", &listener, &salvage, NULL) == STATUS_OK &&
			count_copies() == 1 && write(made[1], "x", 1) == 1) {
			(void)raise(SIGKILL);
		}
		_exit(1);
	}
	(void)close(made[1]);
	assert_int_equal(read(made[0], &byte, 1), 1);
	assert_int_equal(read(made[0], &byte, 1), 0);
	(void)close(made[0]);
	assert_int_equal(waitpid(child, NULL, 0), child);
}

static void what_a_killed_process_made_is_removed(void **state)
{
	(void)state;
	die_in_between();
	for (int i = 0; i < LOOK_COUNT_MAX && count_copies() > 0; i++) {
		(void)poll(NULL, 0, LOOK_MS);
	}
	assert_int_equal(count_copies(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_made_is_removed),
		cmocka_unit_test(a_copy_that_has_no_place_is_told),
		cmocka_unit_test(a_stream_that_may_not_be_read_is_told_as_such),
		cmocka_unit_test(what_a_killed_process_made_is_removed),
	};

	return cmocka_run_group_tests(tests, make_trace, remove_trace);
}
