/* SPDX-License-Identifier: MIT */
/* Proves that only regular files are opened, and that nothing else is waited for. */
#include "trace/base/regular_file.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/gaptrace-regular.XXXXXX";

static int make_folder(void **state)
{
	FILE *file;

	(void)state;
	if (!mkdtemp(folder) || chdir(folder) != 0 || mkfifo("fifo", 0600) != 0 ||
		symlink("fifo", "to-fifo") != 0 || symlink("file", "to-file") != 0 ||
		symlink("loop", "loop") != 0) {
		return -1;
	}
	file = fopen("file", "w");
	return file && fputs("abc", file) >= 0 && fclose(file) == 0 ? 0 : -1;
}

static int remove_folder(void **state)
{
	static const char *const names[] = {"fifo", "to-fifo", "file", "to-file", "loop"};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (unlink(names[i]) != 0) {
			return -1;
		}
	}
	return chdir("/") == 0 && rmdir(folder) == 0 ? 0 : -1;
}

static void a_file_is_opened_also_behind_a_link(void **state)
{
	static const char *const names[] = {"file", "to-file"};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct stat facts = {0};
		const int descriptor = regular_file_open(names[i], &facts);
		char bytes[4];

		assert_true(descriptor >= 0);
		assert_int_equal(facts.st_size, 3);
		assert_int_equal(read(descriptor, bytes, sizeof(bytes)), 3);
		assert_int_equal(close(descriptor), 0);
	}
}

static void what_is_no_file_is_neither_opened_nor_waited_for(void **state)
{
	static const struct {
		const char *path;
		int error;
	} cases[] = {
		{"fifo", EINVAL},
		{"to-fifo", EINVAL},
		{".", EINVAL},
		{"/dev/zero", EINVAL},
		{"nosuch", ENOENT},
		{"file/x", ENOTDIR},
		{"loop", ELOOP},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(regular_file_open(cases[i].path, NULL), -1);
		assert_int_equal(errno, cases[i].error);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_is_opened_also_behind_a_link),
		cmocka_unit_test(what_is_no_file_is_neither_opened_nor_waited_for),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
