/* SPDX-License-Identifier: MIT */
/* Whatever a file holds, reading it ends: with a clear refusal, or with what there was to read. */
#include "tests/unit/nsys_fixture.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define KERNEL_ROW(values) "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (" values ");"

/* No types, so that a column holds whatever is put into it. */
#define LOOSE_KERNELS                                                                              \
	"CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start,end,deviceId,contextId,streamId,"          \
	" correlationId,globalPid,demangledName,shortName);"

#define CONTROLS_OF_8_BITS                                                                         \
	KERNEL_ROW("17,18,0,1,7,1,0,'\xc2\x9b\x32J',1")                                            \
	"CREATE TABLE TARGET_INFO_GPU (id, uuid); INSERT INTO TARGET_INFO_GPU VALUES"              \
	" (0,'G\xe2\x80\xae\x9b');"

#define MANY_KERNELS                                                                               \
	NSYS_STRINGS                                                                               \
	"INSERT INTO StringIds VALUES (1,'f');" NSYS_KERNELS                                       \
	"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL WITH RECURSIVE n(i) AS (SELECT 0 UNION"            \
	" ALL SELECT i+1 FROM n WHERE i<1999) SELECT "                                             \
	"i*10,i*10+5,0,1,NULL,7,i," NSYS_PROCESS ",1,1,NULL,1,NULL,NULL FROM n;"

static void values_that_are_none_are_left_out_and_counted(void **state)
{
	AUTO(nsys_fixture_destroy)
	struct nsys_fixture *fixture = nsys_fixture_read(NSYS_STRINGS LOOSE_KERNELS KERNEL_ROW(
		"NULL,20,0,1,7,1,0,1,1") KERNEL_ROW("'text',20,0,1,7,1,0,1,1")
			KERNEL_ROW("x'00ff',20,0,1,7,1,0,1,1") KERNEL_ROW("1.5,20,0,1,7,1,0,1,1")
				KERNEL_ROW("9223372036854775807,20,0,1,7,1,0,1,1") KERNEL_ROW(
					"10,20,NULL,1,7,1,0,1,1") KERNEL_ROW("10,20,-3,1,7,1,0,1,1")
					KERNEL_ROW("10,20,4294967296,1,7,1,0,1,1"));
	const struct event *lost = nsys_fixture_note(fixture, EVENT_NOTE_LOST, "KERNEL: 8 rows");

	(void)state;
	assert_non_null(lost);
	assert_int_equal(lost->note.count, 8);
	assert_int_equal(nsys_fixture_count(fixture, EVENT_GPU_KERNEL), 0);
}

static void bad_ends_go_to_the_engine_that_counts_them(void **state)
{
	AUTO(nsys_fixture_destroy)
	struct nsys_fixture *fixture = nsys_fixture_read(
		NSYS_STRINGS LOOSE_KERNELS KERNEL_ROW("10,9,0,1,7,1,0,1,1") KERNEL_ROW(
			"20,'x',0,1,7,1,0,1,1") KERNEL_ROW("30,9223372036854775807,0,1,7,1,0,1,1")
			KERNEL_ROW("40,-5,0,1,7,1,0,1,1") KERNEL_ROW("50,50,0,1,7,1,0,1,1"));

	(void)state;
	assert_int_equal(nsys_fixture_count(fixture, EVENT_GPU_KERNEL), 5);
	for (size_t i = 0; i < 4; i++) {
		const struct event *kernel = nsys_fixture_get(fixture, EVENT_GPU_KERNEL, i);

		assert_true(kernel->kernel.operation.end_ns < kernel->kernel.operation.start_ns);
	}
	assert_int_equal(
		nsys_fixture_get(fixture, EVENT_GPU_KERNEL, 4)->kernel.operation.end_ns, 50);
}

static void huge_times_do_not_wrap(void **state)
{
	AUTO(nsys_fixture_destroy)
	struct nsys_fixture *fixture = nsys_fixture_read(
		NSYS_STRINGS LOOSE_KERNELS KERNEL_ROW("-2305843009213693951,0,0,1,7,1,0,1,1")
			KERNEL_ROW("2305843009213693950,2305843009213693951,0,1,7,1,0,1,1")
				KERNEL_ROW("-9223372036854775808,20,0,1,7,1,0,1,1"));

	(void)state;
	assert_int_equal(nsys_fixture_get(fixture, EVENT_GPU_KERNEL, 0)->time_ns, 0);
	assert_true(nsys_fixture_get(fixture, EVENT_GPU_KERNEL, 1)->kernel.operation.end_ns ==
		    UINT64_C(4611686018427387902));
	assert_int_equal(nsys_fixture_count(fixture, EVENT_GPU_KERNEL), 2);
}

static void names_are_clean_lines_and_not_without_end(void **state)
{
	AUTO(nsys_fixture_destroy)
	struct nsys_fixture *fixture = nsys_fixture_read(
		"CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value);"
		"INSERT INTO StringIds VALUES (1,'\x1b[31m\"<b>\xff\n'),(2,NULL),(3,x'41420043'),"
		"(4,replace(hex(zeroblob(3000)),'00','ab')),"
		/* A character of two bytes lies across the limit. */
		"(5,'x'||replace(hex(zeroblob(3000)),'00','\xc3\xa4'));" LOOSE_KERNELS KERNEL_ROW(
			"1,2,0,1,7,1,0,1,1") KERNEL_ROW("3,4,0,1,7,1,0,2,1")
			KERNEL_ROW("5,6,0,1,7,1,0,3,1") KERNEL_ROW("7,8,0,1,7,1,0,4,1")
				KERNEL_ROW("9,10,0,1,7,1,0,5,1") KERNEL_ROW("11,12,0,1,7,1,0,999,1")
					KERNEL_ROW("13,14,0,1,7,1,0,'inline',1") KERNEL_ROW(
						"15,16,0,1,7,1,0,2.5,1") CONTROLS_OF_8_BITS);

	(void)state;
	assert_string_equal(
		nsys_fixture_get(fixture, EVENT_GPU_KERNEL, 0)->kernel.name, "?[31m\"<b>??");
	assert_string_equal(nsys_fixture_get(fixture, EVENT_GPU_KERNEL, 1)->kernel.name, "");
	assert_string_equal(nsys_fixture_get(fixture, EVENT_GPU_KERNEL, 2)->kernel.name, "AB");
	assert_int_equal(strlen(nsys_fixture_get(fixture, EVENT_GPU_KERNEL, 3)->kernel.name), 4096);
	assert_int_equal(strlen(nsys_fixture_get(fixture, EVENT_GPU_KERNEL, 4)->kernel.name), 4095);
	assert_string_equal(nsys_fixture_get(fixture, EVENT_GPU_KERNEL, 5)->kernel.name, "");
	assert_string_equal(nsys_fixture_get(fixture, EVENT_GPU_KERNEL, 6)->kernel.name, "inline");
	assert_string_equal(nsys_fixture_get(fixture, EVENT_GPU_KERNEL, 7)->kernel.name, "");
	assert_string_equal(nsys_fixture_get(fixture, EVENT_GPU_KERNEL, 8)->kernel.name, "??2J");
	assert_string_equal(nsys_fixture_get(fixture, EVENT_GPU_DEVICE, 0)->device.uuid, "G????");
	assert_non_null(nsys_fixture_note(fixture, EVENT_NOTE_FACT, "2 names are longer"));
	assert_non_null(
		nsys_fixture_note(fixture, EVENT_NOTE_FACT, "2 names are not in StringIds"));
}

static void texts_in_the_place_of_numbers_are_cut_too(void **state)
{
	AUTO(nsys_fixture_destroy)
	struct nsys_fixture *fixture = nsys_fixture_read(NSYS_NVTX
		"CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME "
		"(start,end,globalTid,correlationId,nameId);"
		"INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1,2," NSYS_THREAD
		",1,replace(hex(zeroblob(50000)),'00','ab')||'_v7000'),(3,4," NSYS_THREAD
		",1,'x_v7000'),(5,6," NSYS_THREAD ",1,'_v7000');"
		"INSERT INTO NVTX_EVENTS VALUES (5,NULL,75,NULL,NULL,NULL,'D'," NSYS_THREAD
		",NULL,NULL,3,NULL),(7,9,59,NULL,NULL,NULL,replace(hex(zeroblob(50000)),'00','ab')"
		"," NSYS_THREAD ",NULL,NULL,3,NULL);");

	(void)state;
	assert_int_equal(strlen(nsys_fixture_get(fixture, EVENT_GPU_API, 0)->api.name), 4096);
	assert_string_equal(nsys_fixture_get(fixture, EVENT_GPU_API, 1)->api.name, "x");
	/* Nothing would be left of it. */
	assert_string_equal(nsys_fixture_get(fixture, EVENT_GPU_API, 2)->api.name, "_v7000");
	assert_int_equal(
		strlen(nsys_fixture_get(fixture, EVENT_SPAN_BEGIN, 0)->span.name), 4096 + 2);
	assert_non_null(nsys_fixture_note(fixture, EVENT_NOTE_FACT, "2 names are longer"));
}

static void more_names_than_are_kept_are_all_told(void **state)
{
	/* The kept ones are dropped on the way, while ranges of their own still hold theirs. */
	AUTO(nsys_fixture_destroy)
	struct nsys_fixture *fixture = nsys_fixture_read(NSYS_STRINGS LOOSE_KERNELS NSYS_NVTX
		"INSERT INTO StringIds WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i+1 FROM n"
		" WHERE i<34000) SELECT i,'name '||i FROM n;"
		"INSERT INTO NVTX_EVENTS VALUES (0,99999,59,NULL,NULL,NULL,NULL," NSYS_THREAD
		",NULL,7,0,NULL);"
		"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT 34000-id,34000-id,0,1,7,1,0,id,1 "
		"FROM"
		" StringIds WHERE id<34000;");

	(void)state;
	assert_string_equal(nsys_fixture_get(fixture, EVENT_SPAN_BEGIN, 0)->span.name, "name 7");
	assert_string_equal(
		nsys_fixture_get(fixture, EVENT_GPU_KERNEL, 0)->kernel.name, "name 33999");
	assert_string_equal(
		nsys_fixture_get(fixture, EVENT_GPU_KERNEL, 999)->kernel.name, "name 33000");
	/* Three notes, the device, the range's two ends, and the kernels. */
	assert_int_equal(fixture->count, 3 + 1 + 2 + 34000);
}

static void notes_are_one_line_whatever_the_file_says(void **state)
{
	AUTO(nsys_fixture_destroy)
	struct nsys_fixture *fixture = nsys_fixture_read(NSYS_META("3.25.0\n\x1b[2Jx") NSYS_KERNELS
		"CREATE TABLE DIAGNOSTIC_EVENT (timestamp,severity,text);"
		"INSERT INTO DIAGNOSTIC_EVENT WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1"
		" FROM n WHERE i<500) SELECT i,2,'two'||char(10)||'lines'||hex(zeroblob(900)) FROM "
		"n;");
	size_t count = nsys_fixture_count(fixture, EVENT_IMPORT_NOTE);

	(void)state;
	for (size_t i = 0; i < count; i++) {
		const char *text = nsys_fixture_get(fixture, EVENT_IMPORT_NOTE, i)->note.text;

		assert_true(strlen(text) < 400);
		for (; *text; text++) {
			assert_true((unsigned char)*text >= ' ');
		}
	}
	assert_true(count < 120);
	/* Warnings are no losses, unless one of those left out says so. */
	assert_non_null(nsys_fixture_note(fixture, EVENT_NOTE_FACT, "400 more warnings"));
}

static void a_loss_among_the_warnings_left_out_is_a_loss(void **state)
{
	AUTO(nsys_fixture_destroy)
	struct nsys_fixture *fixture = nsys_fixture_read(NSYS_META("3.25.0") NSYS_KERNELS
		"CREATE TABLE DIAGNOSTIC_EVENT (timestamp,severity,text);"
		"INSERT INTO DIAGNOSTIC_EVENT WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1"
		" FROM n WHERE i<150) SELECT i,2,iif(i=150,'events were lost','a warning') FROM "
		"n;");

	(void)state;
	assert_non_null(nsys_fixture_note(fixture, EVENT_NOTE_LOST, "50 more warnings"));
}

static void what_is_no_ordinary_table_is_not_run(void **state)
{
	AUTO(nsys_fixture_destroy)
	struct nsys_fixture *fixture = nsys_fixture_read(NSYS_STRINGS
		"CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS WITH RECURSIVE n(start) AS (SELECT 1 "
		"UNION"
		" ALL SELECT start+1 FROM n) SELECT start, start AS end, 0 AS deviceId FROM n;"
		/* A generated column that would cost much: it is not there. */
		"CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start,end,deviceId,contextId,streamId,"
		" correlationId,globalPid,bytes AS (length(hex(zeroblob(100000000)))));"
		"INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET (start,end,deviceId) VALUES (1,2,0);"
		"CREATE VIRTUAL TABLE NVTX_EVENTS USING fts5(start,end,eventType,globalTid);");

	(void)state;
	assert_int_equal(fixture->status, STATUS_OK);
	assert_int_equal(nsys_fixture_count(fixture, EVENT_GPU_KERNEL), 0);
	assert_int_equal(nsys_fixture_count(fixture, EVENT_GPU_MEMSET), 1);
	assert_non_null(nsys_fixture_note(fixture, EVENT_NOTE_FACT, "no column 'bytes'"));
	assert_non_null(nsys_fixture_note(fixture, EVENT_NOTE_FACT, "no kernels in the file"));
	/* What is there and not read is not told as what is not there. */
	assert_non_null(nsys_fixture_note(
		fixture, EVENT_NOTE_UNREADABLE, "CUPTI_ACTIVITY_KIND_KERNEL: a view"));
	assert_non_null(nsys_fixture_note(fixture, EVENT_NOTE_UNREADABLE, "NVTX_EVENTS: a view"));
	assert_null(nsys_fixture_note(fixture, EVENT_NOTE_FACT, "NVTX ranges"));
}

static void views_of_what_the_file_says_of_itself_are_named_too(void **state)
{
	AUTO(nsys_fixture_destroy)
	struct nsys_fixture *fixture = nsys_fixture_read(NSYS_STRINGS NSYS_KERNELS
		"CREATE VIEW TARGET_INFO_GPU AS SELECT 0 AS id, 'GPU-1' AS uuid;"
		"CREATE VIEW ThreadNames AS SELECT 1 AS globalTid, 1 AS nameId;");

	(void)state;
	assert_non_null(
		nsys_fixture_note(fixture, EVENT_NOTE_UNREADABLE, "TARGET_INFO_GPU: a view"));
	assert_non_null(nsys_fixture_note(fixture, EVENT_NOTE_UNREADABLE, "ThreadNames: a view"));
}

static void devices_beyond_the_limit_are_counted(void **state)
{
	AUTO(nsys_fixture_destroy)
	struct nsys_fixture *fixture = nsys_fixture_read(NSYS_STRINGS LOOSE_KERNELS
		"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL"
		" SELECT i+1 FROM n WHERE i<1030) SELECT i,i+1,i,1,7,1,0,1,1 FROM n;");

	(void)state;
	assert_int_equal(nsys_fixture_count(fixture, EVENT_GPU_DEVICE), 1024);
	assert_int_equal(nsys_fixture_count(fixture, EVENT_GPU_KERNEL), 1024);
	assert_non_null(nsys_fixture_note(fixture, EVENT_NOTE_LOST, "KERNEL: 6 rows"));
}

static void other_files_are_refused_with_what_to_do(void **state)
{
	AUTO(nsys_fixture_destroy)
	struct nsys_fixture *other = nsys_fixture_read("CREATE TABLE contacts (name, phone);");
	AUTO(nsys_fixture_destroy)
	struct nsys_fixture *older = nsys_fixture_read(
		LOOSE_KERNELS "CREATE TABLE StringTable (_id_ INTEGER PRIMARY KEY, value);");
	AUTO(nsys_fixture_destroy) struct nsys_fixture *text = nsys_fixture_make("SELECT 1");
	AUTO(nsys_fixture_destroy) struct nsys_fixture *absent = nsys_fixture_make("SELECT 1");
	FILE *file;

	(void)state;
	assert_int_equal(other->status, STATUS_BAD_INPUT);
	assert_non_null(strstr(other->diag.line, other->path));
	assert_non_null(strstr(other->diag.line, "nsys export"));
	assert_int_equal(older->status, STATUS_BAD_INPUT);
	assert_non_null(strstr(older->diag.line, "nvprof"));
	file = fopen(text->path, "we");
	assert_non_null(file);
	assert_true(fputs("NSYS-REP\n", file) >= 0);
	assert_int_equal(fclose(file), 0);
	nsys_fixture_run(text);
	assert_int_equal(text->status, STATUS_BAD_INPUT);
	assert_non_null(strstr(text->diag.line, "nsys export --type sqlite"));
	assert_int_equal(unlink(absent->path), 0);
	nsys_fixture_run(absent);
	assert_int_equal(absent->status, STATUS_NOT_FOUND);
	assert_false(import_nsys.recognise((const unsigned char *)"{\"traceEvents\"", 14));
	assert_false(import_nsys.recognise((const unsigned char *)"SQLite", 6));
	assert_true(import_nsys.recognise((const unsigned char *)"SQLite format 3\0", 16));
}

static void paths_are_paths_and_no_uris(void **state)
{
	AUTO(nsys_fixture_destroy) struct nsys_fixture *fixture = nsys_fixture_make(MANY_KERNELS);
	char directory[] = "/tmp/gaptrace-nsys-path.XXXXXX";
	char path[64];

	(void)state;
	assert_non_null(mkdtemp(directory));
	(void)snprintf(path, sizeof(path), "%s/a?mode=rwc#%%41:b", directory);
	assert_int_equal(rename(fixture->path, path), 0);
	(void)snprintf(fixture->path, sizeof(fixture->path), "%s", path);
	nsys_fixture_run(fixture);
	assert_int_equal(fixture->status, STATUS_OK);
	assert_int_equal(nsys_fixture_count(fixture, EVENT_GPU_KERNEL), 2000);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(directory), 0);
}

/* Overwrites a file's bytes from `offset` on. */
static void overwrite(const char *path, long offset, const unsigned char *bytes, size_t size)
{
	const int fd = open(path, O_WRONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, bytes, size, offset), size);
	assert_int_equal(close(fd), 0);
}

static void a_damaged_page_costs_its_rows_only(void **state)
{
	static const unsigned char zeros[4096];
	AUTO(nsys_fixture_destroy) struct nsys_fixture *fixture = nsys_fixture_make(MANY_KERNELS);
	struct stat facts;
	size_t count;

	(void)state;
	assert_int_equal(stat(fixture->path, &facts), 0);
	overwrite(fixture->path, facts.st_size / 4096 / 2 * 4096, zeros, sizeof(zeros));
	nsys_fixture_run(fixture);
	assert_int_equal(fixture->status, STATUS_OK);
	count = nsys_fixture_count(fixture, EVENT_GPU_KERNEL);
	assert_in_range(count, 1800, 1999);
	assert_non_null(nsys_fixture_note(
		fixture, EVENT_NOTE_UNREADABLE, "CUPTI_ACTIVITY_KIND_KERNEL: database disk image"));
	/* Before the damage and after it. */
	assert_int_equal(nsys_fixture_get(fixture, EVENT_GPU_KERNEL, 0)->time_ns, 0);
	assert_int_equal(nsys_fixture_get(fixture, EVENT_GPU_KERNEL, count - 1)->time_ns, 19990);
}

static void a_file_cut_anywhere_ends(void **state)
{
	AUTO(nsys_fixture_destroy) struct nsys_fixture *whole = nsys_fixture_make(MANY_KERNELS);
	struct stat facts;
	size_t least = 0;

	(void)state;
	assert_int_equal(stat(whole->path, &facts), 0);
	for (long size = facts.st_size - 1; size > 0; size -= size > 8192 ? 4093 : 301) {
		AUTO(nsys_fixture_destroy) struct nsys_fixture *cut = nsys_fixture_make("SELECT 1");
		char command[256];

		(void)snprintf(command, sizeof(command), "head -c %ld %s > %s", size, whole->path,
			cut->path);
		assert_int_equal(system(command), 0);
		nsys_fixture_run(cut);
		assert_true(cut->status == STATUS_OK || cut->status == STATUS_BAD_INPUT);
		if (cut->status == STATUS_OK) {
			assert_non_null(
				nsys_fixture_note(cut, EVENT_NOTE_UNREADABLE, "bytes are missing"));
			least += nsys_fixture_count(cut, EVENT_GPU_KERNEL) > 500;
		}
	}
	/* Most cuts leave much to read. */
	assert_true(least > 10);
}

/* Every child of the table's root is one and the same page, again and again. */
static void pages_that_form_a_cycle_end(void **state)
{
	AUTO(nsys_fixture_destroy) struct nsys_fixture *fixture = nsys_fixture_make(MANY_KERNELS);
	unsigned char page[4096];
	unsigned char root[4];
	struct stat facts;
	int fd;
	bool is_done = false;

	(void)state;
	assert_int_equal(stat(fixture->path, &facts), 0);
	fd = open(fixture->path, O_RDWR | O_CLOEXEC);
	assert_true(fd >= 0);
	for (long at = 4096; at < facts.st_size && !is_done; at += 4096) {
		assert_int_equal(pread(fd, page, sizeof(page), at), sizeof(page));
		is_done = page[0] == 5; /* an interior page of a table */
		for (int i = 0; is_done && i < (page[3] << 8 | page[4]); i++) {
			const int cell = page[12 + 2 * i] << 8 | page[13 + 2 * i];
			const long number = at / 4096 + 1;

			root[0] = 0;
			root[1] = 0;
			root[2] = (unsigned char)(number >> 8);
			root[3] = (unsigned char)number;
			assert_int_equal(pwrite(fd, root, sizeof(root), at + cell), sizeof(root));
		}
	}
	assert_true(is_done);
	assert_int_equal(close(fd), 0);
	nsys_fixture_run(fixture);
	assert_int_equal(fixture->status, STATUS_OK);
	assert_non_null(
		nsys_fixture_note(fixture, EVENT_NOTE_UNREADABLE, "CUPTI_ACTIVITY_KIND_KERNEL"));
}

/* Reads the fixture with a file of SQLite beside it. */
static void run_beside(struct nsys_fixture *fixture, const char *suffix, char first)
{
	char path[80];
	FILE *file;

	(void)snprintf(path, sizeof(path), "%s%s", fixture->path, suffix);
	file = fopen(path, "we");
	assert_non_null(file);
	assert_true(fputc(first, file) == first && fputs("rows", file) >= 0);
	assert_int_equal(fclose(file), 0);
	nsys_fixture_run(fixture);
	assert_int_equal(unlink(path), 0);
}

static void a_log_beside_the_file_is_said_to_be_unread(void **state)
{
	AUTO(nsys_fixture_destroy) struct nsys_fixture *fixture = nsys_fixture_make(MANY_KERNELS);
	AUTO(nsys_fixture_destroy)
	struct nsys_fixture *empty = nsys_fixture_make("CREATE TABLE other (a);");

	(void)state;
	run_beside(fixture, "-wal", '7');
	assert_int_equal(nsys_fixture_count(fixture, EVENT_GPU_KERNEL), 2000);
	assert_non_null(nsys_fixture_note(fixture, EVENT_NOTE_UNREADABLE, "-wal"));
	/* All that the export wrote may be there. */
	run_beside(empty, "-wal", '7');
	assert_int_equal(empty->status, STATUS_BAD_INPUT);
	assert_non_null(strstr(empty->diag.line, "-wal"));
}

static void a_file_that_is_being_written_is_not_to_be_trusted(void **state)
{
	AUTO(nsys_fixture_destroy) struct nsys_fixture *fixture = nsys_fixture_make(MANY_KERNELS);
	AUTO(nsys_fixture_destroy) struct nsys_fixture *done = nsys_fixture_make(MANY_KERNELS);

	(void)state;
	run_beside(fixture, "-journal", '7');
	assert_int_equal(nsys_fixture_count(fixture, EVENT_GPU_KERNEL), 2000);
	assert_non_null(nsys_fixture_note(fixture, EVENT_NOTE_UNREADABLE, "-journal"));
	run_beside(done, "-journal", '\0');
	assert_null(nsys_fixture_note(done, EVENT_NOTE_UNREADABLE, "-journal"));
}

static void a_file_that_changes_while_it_is_read_is_not_to_be_trusted(void **state)
{
	AUTO(nsys_fixture_destroy) struct nsys_fixture *fixture = nsys_fixture_make(MANY_KERNELS);
	AUTO(import_reader_destroy) struct import_reader *reader = NULL;
	struct event event = {0};
	bool has_event = true;
	bool is_told = false;
	FILE *file;

	(void)state;
	assert_int_equal(import_nsys.open(fixture->path, NULL, &reader), STATUS_OK);
	file = fopen(fixture->path, "ae");
	assert_non_null(file);
	assert_true(fputs("more", file) >= 0);
	assert_int_equal(fclose(file), 0);
	while (has_event) {
		assert_int_equal(
			reader->operations->next(reader, &event, &has_event, NULL), STATUS_OK);
		is_told |= has_event && event.kind == EVENT_IMPORT_NOTE &&
			   event.note.kind == EVENT_NOTE_UNREADABLE &&
			   strstr(event.note.text, "while it was read");
	}
	assert_true(is_told);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_that_are_none_are_left_out_and_counted),
		cmocka_unit_test(bad_ends_go_to_the_engine_that_counts_them),
		cmocka_unit_test(huge_times_do_not_wrap),
		cmocka_unit_test(names_are_clean_lines_and_not_without_end),
		cmocka_unit_test(texts_in_the_place_of_numbers_are_cut_too),
		cmocka_unit_test(more_names_than_are_kept_are_all_told),
		cmocka_unit_test(notes_are_one_line_whatever_the_file_says),
		cmocka_unit_test(a_loss_among_the_warnings_left_out_is_a_loss),
		cmocka_unit_test(what_is_no_ordinary_table_is_not_run),
		cmocka_unit_test(views_of_what_the_file_says_of_itself_are_named_too),
		cmocka_unit_test(devices_beyond_the_limit_are_counted),
		cmocka_unit_test(other_files_are_refused_with_what_to_do),
		cmocka_unit_test(paths_are_paths_and_no_uris),
		cmocka_unit_test(a_damaged_page_costs_its_rows_only),
		cmocka_unit_test(a_file_cut_anywhere_ends),
		cmocka_unit_test(pages_that_form_a_cycle_end),
		cmocka_unit_test(a_log_beside_the_file_is_said_to_be_unread),
		cmocka_unit_test(a_file_that_is_being_written_is_not_to_be_trusted),
		cmocka_unit_test(a_file_that_changes_while_it_is_read_is_not_to_be_trusted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
