/* SPDX-License-Identifier: MIT */
/* Proves that a file is replaced as a whole, and nothing else about it. */
#include "analysis/report/output.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* The user `nobody` of every Debian. */
#define NOBODY 65534

static char folder[] = "/tmp/gaptrace-report-output.XXXXXX";

static int make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) && chmod(folder, 0777) == 0 && chdir(folder) == 0 ? 0 : -1;
}

static int remove_folder(void **state)
{
	(void)state;
	return chdir("/") == 0 && rmdir(folder) == 0 ? 0 : -1;
}

static void write_text(const void *content, FILE *stream)
{
	(void)fputs(content, stream);
}

static void make_file(const char *path, mode_t mode)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	(void)fputs("old", file);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(chmod(path, mode), 0);
}

static void assert_content(const char *path, const char *text)
{
	char content[16] = "";
	FILE *file = fopen(path, "r");

	assert_non_null(file);
	assert_true(fread(content, 1, sizeof(content) - 1, file) > 0);
	(void)fclose(file);
	assert_string_equal(content, text);
}

static void a_link_stays_and_so_do_permissions(void **state)
{
	struct diag diag = {.line = ""};
	struct stat facts;

	(void)state;
	make_file("private", 0600);
	assert_int_equal(symlink("private", "latest"), 0);
	assert_int_equal(output_write(write_text, "new", "latest", &diag), STATUS_OK);
	assert_int_equal(lstat("latest", &facts), 0);
	assert_true(S_ISLNK(facts.st_mode));
	assert_content("private", "new");
	assert_int_equal(stat("private", &facts), 0);
	assert_int_equal(facts.st_mode & 0777, 0600);
	assert_int_equal(unlink("latest"), 0);
	assert_int_equal(unlink("private"), 0);
}

static void what_may_not_be_written_is_not_replaced(void **state)
{
	struct diag diag = {.line = ""};

	(void)state;
	make_file("closed", 0444);
	/* Root may write to anything. */
	if (geteuid() == 0) {
		assert_int_equal(seteuid(NOBODY), 0);
	}
	assert_int_equal(output_write(write_text, "new", "closed", &diag), STATUS_IO);
	assert_non_null(strstr(diag.line, "closed: Permission denied"));
	(void)seteuid(getuid());
	assert_content("closed", "old");
	assert_int_equal(unlink("closed"), 0);
}

static void a_place_that_cannot_be_is_named(void **state)
{
	struct diag diag = {""};

	(void)state;
	make_file("plain", 0666);
	assert_int_equal(output_write(write_text, "new", "plain/x", &diag), STATUS_IO);
	assert_non_null(strstr(diag.line, "plain/x: plain is no folder; the report was not"));
	assert_int_equal(output_write(write_text, "new", "nosuch/a/x", &diag), STATUS_IO);
	assert_non_null(strstr(diag.line, "there is no folder nosuch; the report was not"));
	assert_int_equal(unlink("plain"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_link_stays_and_so_do_permissions),
		cmocka_unit_test(a_place_that_cannot_be_is_named),
		cmocka_unit_test(what_may_not_be_written_is_not_replaced),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
