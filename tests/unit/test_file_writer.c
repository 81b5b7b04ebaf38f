/* SPDX-License-Identifier: MIT */
/* Proves that a file appears whole or not at all, and that what cannot be written is said. */
#include "prover/groth16/file_writer.h"

#include "prover/groth16/file_bytes.h"
#include "tests/unit/groth16_fixture.h"

#include <dirent.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static int count_files(void)
{
	DIR *folder = opendir(fixture_folder());
	struct dirent *entry;
	int count = 0;

	while ((entry = readdir(folder))) {
		count += entry->d_name[0] != '.';
	}
	closedir(folder);
	return count;
}

static int remove_folder(void **state)
{
	(void)state;
	fixture_remove_folder();
	return 0;
}

static void a_large_file_comes_back_as_it_was_put(void **state)
{
	AUTO(file_writer_destroy) struct file_writer *writer = NULL;
	const char *path = fixture_path("large");
	struct fixture_bytes file;

	(void)state;
	assert_int_equal(file_writer_create(path, false, NULL, &writer), STATUS_OK);
	for (uint32_t i = 0; i < 100000; i++) {
		file_writer_put_u32(writer, i);
	}
	file_writer_put_u64(writer, 0x1122334455667788);
	assert_int_equal(file_writer_commit(writer, NULL), STATUS_OK);
	file = fixture_read(path);
	assert_int_equal(file.count, 400008);
	for (uint32_t i = 0; i < 100000; i++) {
		assert_int_equal(fixture_u32(&file, 4 * i), i);
	}
	assert_int_equal(file.bytes[400000], 0x88);
	assert_int_equal(file.bytes[400007], 0x11);
	fixture_free(&file);
}

static void nothing_appears_before_the_commit_or_without_it(void **state)
{
	struct file_writer *writer = NULL;
	const char *path = fixture_path("never");

	(void)state;
	assert_int_equal(file_writer_create(path, false, NULL, &writer), STATUS_OK);
	file_writer_put_u32(writer, 1);
	assert_int_equal(access(path, F_OK), -1);
	file_writer_destroy(writer);
	assert_int_equal(count_files(), 0);
}

static void a_private_file_is_for_its_owner_only(void **state)
{
	AUTO(file_writer_destroy) struct file_writer *writer = NULL;
	const char *path = fixture_path("private");
	struct stat facts;

	(void)state;
	assert_int_equal(file_writer_create(path, true, NULL, &writer), STATUS_OK);
	assert_int_equal(file_writer_commit(writer, NULL), STATUS_OK);
	assert_int_equal(stat(path, &facts), 0);
	assert_int_equal(facts.st_mode & 0777, 0600);
}

/* RLIMIT_FSIZE stands in for a full disk: write() fails in the middle of the file. */
static void a_file_that_does_not_fit_leaves_the_old_one(void **state)
{
	const char *path = fixture_path("old");
	const struct rlimit small = {.rlim_cur = 100000, .rlim_max = RLIM_INFINITY};
	struct file_writer *writer = NULL;
	struct rlimit before;
	struct diag diag = {.line = ""};
	struct fixture_bytes file;

	(void)state;
	assert_int_equal(file_writer_write_text(path, "old", NULL), STATUS_OK);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	assert_int_equal(file_writer_create(path, false, NULL, &writer), STATUS_OK);
	for (uint32_t i = 0; i < 100000; i++) {
		file_writer_put_u32(writer, i);
	}
	assert_int_not_equal(file_writer_commit(writer, &diag), STATUS_OK);
	file_writer_destroy(writer);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_non_null(strstr(diag.line, "nothing was changed"));
	assert_int_equal(count_files(), 1);
	file = fixture_read(path);
	assert_int_equal(file.count, 3);
	fixture_free(&file);
}

static void a_folder_that_is_not_there_is_named(void **state)
{
	struct file_writer *writer = NULL;
	struct diag diag = {.line = ""};

	(void)state;
	assert_int_equal(file_writer_create(fixture_path("no/such"), false, &diag, &writer),
		STATUS_NOT_FOUND);
	assert_non_null(strstr(diag.line, "no/such: cannot be written: No such file"));
}

static void a_link_stays_and_a_device_is_refused(void **state)
{
	const char *link_path = fixture_path("link");
	const char *target = fixture_path("target");
	struct diag diag = {.line = ""};
	struct fixture_bytes file;
	struct stat facts;

	(void)state;
	assert_int_equal(file_writer_write_text(target, "old", NULL), STATUS_OK);
	assert_int_equal(symlink(target, link_path), 0);
	assert_int_equal(file_writer_write_text(link_path, "newer", NULL), STATUS_OK);
	assert_int_equal(lstat(link_path, &facts), 0);
	assert_true(S_ISLNK(facts.st_mode));
	file = fixture_read(target);
	assert_int_equal(file.count, 5);
	fixture_free(&file);
	assert_int_equal(file_writer_write_text("/dev/null", "x", &diag), STATUS_BAD_USE);
	assert_string_equal(
		diag.line, "/dev/null: cannot be written: not a regular file; name a new file");
	assert_int_equal(file_writer_write_text(fixture_folder(), "x", NULL), STATUS_BAD_USE);
}

static void only_regular_files_within_the_limit_are_read(void **state)
{
	const char *path = fixture_path("file");
	const char *fifo = fixture_path("fifo");
	uint8_t *bytes = NULL;
	uint64_t count = 0;

	(void)state;
	assert_int_equal(file_writer_write_text(path, "12345", NULL), STATUS_OK);
	assert_int_equal(file_bytes_read(path, 4, NULL, &bytes, &count), STATUS_TOO_LARGE);
	assert_int_equal(file_bytes_read(path, 5, NULL, &bytes, &count), STATUS_OK);
	assert_int_equal(count, 5);
	assert_memory_equal(bytes, "12345", 5);
	free(bytes);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_int_equal(file_bytes_read(fifo, 5, NULL, &bytes, &count), STATUS_BAD_INPUT);
	assert_int_equal(
		file_bytes_read(fixture_folder(), 5, NULL, &bytes, &count), STATUS_BAD_INPUT);
	assert_int_equal(
		file_bytes_read(fixture_path("absent"), 5, NULL, &bytes, &count), STATUS_NOT_FOUND);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(a_large_file_comes_back_as_it_was_put, remove_folder),
		cmocka_unit_test_teardown(
			nothing_appears_before_the_commit_or_without_it, remove_folder),
		cmocka_unit_test_teardown(a_private_file_is_for_its_owner_only, remove_folder),
		cmocka_unit_test_teardown(
			a_file_that_does_not_fit_leaves_the_old_one, remove_folder),
		cmocka_unit_test_teardown(a_folder_that_is_not_there_is_named, remove_folder),
		cmocka_unit_test_teardown(a_link_stays_and_a_device_is_refused, remove_folder),
		cmocka_unit_test_teardown(
			only_regular_files_within_the_limit_are_read, remove_folder),
	};

	/* Writing past RLIMIT_FSIZE must be an error and not the end of the test. */
	signal(SIGXFSZ, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
