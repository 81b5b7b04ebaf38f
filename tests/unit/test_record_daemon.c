/* SPDX-License-Identifier: MIT */
/* Proves that programs look for a session daemon where it was started, whatever is unset. */
#include "trace/record/daemon.h"

#include <pwd.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

/* The user `nobody` of every Debian. */
#define NOBODY 65534

static void root_has_one_place_whatever_its_home(void **state)
{
	struct diag diag = {.line = ""};

	(void)state;
	if (geteuid() != 0) {
		skip();
	}
	(void)unsetenv("HOME");
	(void)unsetenv("LTTNG_HOME");
	assert_int_equal(daemon_export_home(&diag), STATUS_OK);
	assert_null(getenv("LTTNG_HOME"));
}

static void without_a_home_the_users_entry_counts(void **state)
{
	struct diag diag = {.line = ""};
	const struct passwd *user = NULL;
	enum status status;

	(void)state;
	if (geteuid() == 0) {
		assert_int_equal(seteuid(NOBODY), 0);
	}
	user = getpwuid(geteuid());
	(void)unsetenv("HOME");
	(void)unsetenv("LTTNG_HOME");
	status = daemon_export_home(&diag);
	/* A leak checker cannot look at a process that has become another user's. */
	(void)seteuid(getuid());
	if (!user) {
		skip();
	}
	assert_int_equal(status, STATUS_OK);
	assert_string_equal(getenv("LTTNG_HOME"), user->pw_dir);
}

static void a_home_that_is_set_is_left_alone(void **state)
{
	struct diag diag = {.line = ""};

	(void)state;
	(void)setenv("HOME", "/one", 1);
	(void)unsetenv("LTTNG_HOME");
	assert_int_equal(daemon_export_home(&diag), STATUS_OK);
	assert_null(getenv("LTTNG_HOME"));
	(void)setenv("LTTNG_HOME", "/two", 1);
	assert_int_equal(daemon_export_home(&diag), STATUS_OK);
	assert_string_equal(getenv("LTTNG_HOME"), "/two");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(root_has_one_place_whatever_its_home),
		cmocka_unit_test(without_a_home_the_users_entry_counts),
		cmocka_unit_test(a_home_that_is_set_is_left_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
