/* SPDX-License-Identifier: MIT */
/* Proves that a folder is one recording's: found empty, or made, and nobody else's meanwhile. */
#include "trace/record/output.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* Time for a recorder that does not wait to go wrong; one that does is right after any time. */
#define HEAD_START_US 200000

static char folder[] = "/tmp/gaptrace-output.XXXXXX";

static int make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int remove_folder(void **state)
{
	(void)state;
	return chdir("/") == 0 && rmdir(folder) == 0 ? 0 : -1;
}

static void of_two_recorders_at_once_one_is_refused(void **state)
{
	struct output output;
	struct diag diag = {.line = ""};
	int result = 0;
	pid_t other;

	(void)state;
	assert_int_equal(output_prepare("run", &output, &diag), STATUS_OK);
	other = fork();
	if (other == 0) {
		/* Its own copy of the lock, which would keep the folder locked. */
		output_unlock(&output);
		_exit((int)output_prepare("run", &output, &diag));
	}
	(void)usleep(HEAD_START_US);
	assert_int_equal(mkdir("run/ust", 0777), 0);
	output_unlock(&output);
	assert_int_equal(waitpid(other, &result, 0), other);
	assert_true(WIFEXITED(result));
	assert_int_equal(WEXITSTATUS(result), STATUS_EXISTS);
	/* The one that was refused did not remove what it had not made. */
	assert_int_equal(access("run/ust", F_OK), 0);
	output_abandon(&output);
}

static void an_abandoned_folder_is_gone_unless_it_was_there_or_has_something(void **state)
{
	struct output output;
	struct diag diag = {.line = ""};

	(void)state;
	assert_int_equal(output_prepare("run", &output, &diag), STATUS_OK);
	output_abandon(&output);
	assert_int_not_equal(access("run", F_OK), 0);

	assert_int_equal(output_prepare("run", &output, &diag), STATUS_OK);
	assert_int_equal(mkdir("run/ust", 0777), 0);
	assert_int_equal(mkdir("run/ust/uid", 0777), 0);
	output_abandon(&output);
	assert_int_equal(rmdir("run/ust/uid"), 0);
	assert_int_equal(rmdir("run/ust"), 0);

	assert_int_equal(output_prepare("run", &output, &diag), STATUS_OK);
	output_abandon(&output);
	assert_int_equal(rmdir("run"), 0);
}

static void from_a_folder_that_is_gone_nothing_is_left(void **state)
{
	struct output output;
	struct diag diag = {.line = ""};

	(void)state;
	assert_int_equal(mkdir("gone", 0777), 0);
	assert_int_equal(chdir("gone"), 0);
	assert_int_equal(rmdir("../gone"), 0);
	assert_int_equal(output_prepare("../run", &output, &diag), STATUS_NOT_FOUND);
	assert_int_equal(chdir(folder), 0);
	assert_int_not_equal(access("run", F_OK), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_two_recorders_at_once_one_is_refused),
		cmocka_unit_test(from_a_folder_that_is_gone_nothing_is_left),
		cmocka_unit_test(an_abandoned_folder_is_gone_unless_it_was_there_or_has_something),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
