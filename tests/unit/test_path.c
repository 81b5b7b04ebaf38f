/* SPDX-License-Identifier: MIT */
/* Proves that the part of a path that is at fault is named, and no other. */
#include "trace/base/path.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/gaptrace-path.XXXXXX";

static int make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) && chdir(folder) == 0 && mkdir("a", 0777) == 0 &&
			       symlink("/dev/null", "a/file") == 0
		       ? 0
		       : -1;
}

static int remove_folder(void **state)
{
	(void)state;
	return unlink("a/file") == 0 && rmdir("a") == 0 && chdir("/") == 0 && rmdir(folder) == 0
		       ? 0
		       : -1;
}

static void the_first_part_that_is_no_folder_is_named(void **state)
{
	static const struct {
		const char *path;
		const char *reason;
	} cases[] = {
		{"a/file/x", "a/file is no folder"},
		{"a/file/x/y", "a/file is no folder"},
		{"a//file//x", "a//file is no folder"},
		{"/dev/null/x", "/dev/null is no folder"},
		{"a/b/x", "there is no folder a/b"},
		{"b/c/d", "there is no folder b"},
		{"b/", "there is no folder b"},
		{"/nosuch/x", "there is no folder /nosuch"},
	};
	char text[PATH_REASON_BYTES];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct stat facts;

		assert_int_not_equal(stat(cases[i].path, &facts), 0);
		assert_string_equal(path_reason(cases[i].path, errno, text), cases[i].reason);
	}
}

static void other_faults_are_the_systems_to_tell(void **state)
{
	char text[PATH_REASON_BYTES];
	char *longer = calloc(1, 3 * PATH_MAX);

	(void)state;
	assert_string_equal(path_reason("a/x", ENOENT, text), strerror(ENOENT));
	assert_string_equal(path_reason("x", ENOENT, text), strerror(ENOENT));
	assert_string_equal(path_reason("", ENOENT, text), strerror(ENOENT));
	assert_string_equal(path_reason("/", ENOENT, text), strerror(ENOENT));
	assert_string_equal(path_reason("b/x", EACCES, text), strerror(EACCES));
	assert_non_null(longer);
	memset(longer, 'x', 2 * PATH_MAX);
	(void)strcat(longer, "/x");
	assert_string_equal(path_reason(longer, ENOENT, text), strerror(ENOENT));
	free(longer);
	errno = EPERM;
	(void)path_reason("b/x", ENOENT, text);
	assert_int_equal(errno, EPERM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_part_that_is_no_folder_is_named),
		cmocka_unit_test(other_faults_are_the_systems_to_tell),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
