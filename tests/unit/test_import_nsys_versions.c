/* SPDX-License-Identifier: MIT */
/* Schemas differ: what a version lacks is missing evidence, said once, and never an error. */
#include "tests/unit/nsys_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void the_version_is_the_first_thing_told(void **state)
{
	AUTO(nsys_fixture_destroy)
	struct nsys_fixture *known =
		nsys_fixture_read(NSYS_META("3.25.0") NSYS_STRINGS NSYS_KERNELS);
	AUTO(nsys_fixture_destroy)
	struct nsys_fixture *newer =
		nsys_fixture_read(NSYS_META("3.26.1") NSYS_STRINGS NSYS_KERNELS);
	AUTO(nsys_fixture_destroy)
	struct nsys_fixture *silent = nsys_fixture_read(NSYS_STRINGS NSYS_KERNELS);

	(void)state;
	assert_string_equal(known->events[0].note.text,
		"Nsight Systems 2026.2.1.210, exported to SQLite with schema 3.25.0");
	assert_null(nsys_fixture_note(known, EVENT_NOTE_FACT, "this schema"));
	assert_non_null(nsys_fixture_note(newer, EVENT_NOTE_FACT, "this schema"));
	assert_string_equal(silent->events[0].note.text,
		"Nsight Systems, exported to SQLite with schema unknown");
}

/* 3.20: overheads with a result instead of a kind. */
static void schema_3_20_tells_overheads_by_name(void **state)
{
	AUTO(nsys_fixture_destroy)
	struct nsys_fixture *fixture = nsys_fixture_read(NSYS_META("3.20.2") NSYS_STRINGS
		"INSERT INTO StringIds VALUES"
		"(1,'CUDA profiling data flush on cudaProfilerStop'),(2,'TLS "
		"allocation'),(3,'Unknown');"
		"CREATE TABLE PROFILER_OVERHEAD (start INTEGER NOT NULL, end INTEGER NOT NULL,"
		" globalTid INTEGER, nameId INTEGER NOT NULL, returnValue INTEGER NOT NULL);"
		"INSERT INTO PROFILER_OVERHEAD VALUES (10,20," NSYS_THREAD
		",1,0),(30,40," NSYS_THREAD ",2,8),(50,60," NSYS_THREAD ",3,7);"
		"CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER, utcTime TEXT,"
		" localTime TEXT);"
		"INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (5000,'','');");

	(void)state;
	assert_int_equal(nsys_fixture_get(fixture, EVENT_GPU_OVERHEAD, 0)->overhead.kind,
		GAPTRACE_OVERHEAD_BUFFER_FLUSH);
	/* 8 and 7 are results here. */
	assert_int_equal(nsys_fixture_get(fixture, EVENT_GPU_OVERHEAD, 1)->overhead.kind,
		GAPTRACE_OVERHEAD_RESOURCE);
	assert_int_equal(nsys_fixture_get(fixture, EVENT_GPU_OVERHEAD, 2)->overhead.kind,
		GAPTRACE_OVERHEAD_UNKNOWN);
	assert_null(nsys_fixture_note(fixture, EVENT_NOTE_FACT, "PROFILER_OVERHEAD"));
	assert_true(fixture->has_epoch);
	assert_int_equal(fixture->epoch_ns, 5000);
}

static void the_old_name_of_the_sync_type_is_read_where_the_new_one_is_empty(void **state)
{
	AUTO(nsys_fixture_destroy)
	struct nsys_fixture *fixture = nsys_fixture_read(
		"CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start,end,deviceId,contextId,"
		" streamId,correlationId,globalPid,deprecatedSyncType,syncType,eventId);"
		"INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES"
		"(10,12,0,1,7,55," NSYS_PROCESS ",3,NULL,0),(20,22,0,1,7,55," NSYS_PROCESS
		",3,1,0);");
	AUTO(nsys_fixture_destroy)
	struct nsys_fixture *old = nsys_fixture_read(
		"CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start,end,deviceId,contextId,"
		" streamId,correlationId,globalPid,deprecatedSyncType,eventId);"
		"INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES"
		"(10,12,0,1,7,55," NSYS_PROCESS ",4,0);");

	(void)state;
	assert_int_equal(
		nsys_fixture_get(fixture, EVENT_GPU_SYNC, 0)->sync.kind, GAPTRACE_SYNC_STREAM);
	assert_int_equal(
		nsys_fixture_get(fixture, EVENT_GPU_SYNC, 1)->sync.kind, GAPTRACE_SYNC_EVENT);
	assert_int_equal(nsys_fixture_get(old, EVENT_GPU_SYNC, 0)->sync.kind, GAPTRACE_SYNC_DEVICE);
}

/* What other tools make of an export, and what old exports are: the barest of columns. */
static void columns_that_are_missing_are_said_and_read_as_nothing(void **state)
{
	AUTO(nsys_fixture_destroy)
	struct nsys_fixture *fixture = nsys_fixture_read(
		"CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"
		"INSERT INTO StringIds VALUES (1,'f');"
		"CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start,end,deviceId,shortName);"
		"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (10,20,0,1);");
	const struct event *kernel = nsys_fixture_get(fixture, EVENT_GPU_KERNEL, 0);

	(void)state;
	assert_string_equal(kernel->kernel.name, "f");
	assert_int_equal(kernel->pid, 0);
	assert_int_equal(kernel->kernel.operation.correlation, 0);
	assert_non_null(nsys_fixture_note(fixture, EVENT_NOTE_FACT, "no column 'globalPid'"));
	assert_non_null(nsys_fixture_note(fixture, EVENT_NOTE_FACT, "no column 'correlationId'"));
	assert_non_null(nsys_fixture_note(
		fixture, EVENT_NOTE_FACT, "not in the file: NVTX ranges, scheduling, OS calls"));
	/* Of no version's necessity. */
	assert_null(nsys_fixture_note(fixture, EVENT_NOTE_FACT, "graphId"));
}

static void a_table_without_times_is_not_read(void **state)
{
	AUTO(nsys_fixture_destroy)
	struct nsys_fixture *fixture = nsys_fixture_read(NSYS_STRINGS
		"CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start,deviceId,shortName);"
		"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (10,0,1);"
		"CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start,end,deviceId,contextId,streamId,"
		" correlationId,globalPid,bytes);"
		"INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (10,20,0,0,0,0,0,0);");

	(void)state;
	assert_non_null(nsys_fixture_note(
		fixture, EVENT_NOTE_UNREADABLE, "CUPTI_ACTIVITY_KIND_KERNEL: no column 'end'"));
	assert_int_equal(nsys_fixture_count(fixture, EVENT_GPU_KERNEL), 0);
	assert_int_equal(nsys_fixture_count(fixture, EVENT_GPU_MEMSET), 1);
}

static void a_numbered_version_of_a_table_stands_for_it(void **state)
{
	AUTO(nsys_fixture_destroy)
	struct nsys_fixture *fixture = nsys_fixture_read(
		"CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET_V2 (start,end,deviceId,contextId,streamId,"
		" correlationId,globalPid,bytes);"
		"INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET_V2 VALUES (10,20,0,0,0,0,0,64);");

	(void)state;
	assert_int_equal(nsys_fixture_get(fixture, EVENT_GPU_MEMSET, 0)->copy.bytes, 64);
}

static void devices_without_a_map_are_taken_by_number_and_that_is_said(void **state)
{
	AUTO(nsys_fixture_destroy)
	struct nsys_fixture *fixture = nsys_fixture_read(NSYS_STRINGS NSYS_KERNELS
		"CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT, uuid TEXT);"
		"INSERT INTO TARGET_INFO_GPU VALUES (0,'a','GPU-a'),(1,'b','GPU-b');"
		"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES"
		"(20,300,1,2,NULL,7,99," NSYS_PROCESS ",1,2,NULL,1,NULL,NULL);");
	AUTO(nsys_fixture_destroy)
	struct nsys_fixture *single = nsys_fixture_read(NSYS_STRINGS NSYS_KERNELS
		"CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT);"
		"INSERT INTO TARGET_INFO_GPU VALUES (0,'a');"
		"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES"
		"(20,300,0,2,NULL,7,99," NSYS_PROCESS ",1,2,NULL,1,NULL,NULL);");

	(void)state;
	assert_string_equal(nsys_fixture_get(fixture, EVENT_GPU_DEVICE, 0)->device.uuid, "GPU-b");
	assert_non_null(nsys_fixture_note(fixture, EVENT_NOTE_FACT, "taken for the machine's"));
	assert_string_equal(nsys_fixture_get(single, EVENT_GPU_DEVICE, 0)->device.uuid, "");
	assert_null(nsys_fixture_note(single, EVENT_NOTE_FACT, "taken for the machine's"));
}

static void a_uuid_in_the_map_alone_names_the_gpu(void **state)
{
	AUTO(nsys_fixture_destroy)
	struct nsys_fixture *fixture = nsys_fixture_read(NSYS_STRINGS NSYS_KERNELS
		"CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INTEGER, cudaId INTEGER, pid INTEGER,"
		" uuid TEXT);"
		"INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (NULL,0,42,'554a6988');"
		"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES"
		"(20,300,0,2,NULL,7,99," NSYS_PROCESS ",1,2,NULL,1,NULL,NULL);");

	(void)state;
	assert_string_equal(
		nsys_fixture_get(fixture, EVENT_GPU_DEVICE, 0)->device.uuid, "GPU-554a6988");
}

static void one_number_of_two_processes_is_one_gpu_and_that_is_said(void **state)
{
	AUTO(nsys_fixture_destroy)
	struct nsys_fixture *fixture = nsys_fixture_read(
		NSYS_STRINGS NSYS_KERNELS "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES"
					  "(20,300,0,2,NULL,7,99,(42<<24),1,2,NULL,1,NULL,NULL),"
					  "(30,300,0,2,NULL,7,99,(43<<24),1,2,NULL,1,NULL,NULL);");
	AUTO(nsys_fixture_destroy)
	struct nsys_fixture *apart = nsys_fixture_read(
		NSYS_STRINGS NSYS_KERNELS "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES"
					  "(20,300,0,2,NULL,7,99,(42<<24),1,2,NULL,1,NULL,NULL),"
					  "(30,300,1,2,NULL,7,99,(43<<24),1,2,NULL,1,NULL,NULL);");

	(void)state;
	assert_non_null(nsys_fixture_note(fixture, EVENT_NOTE_FACT, "taken for the machine's"));
	assert_null(nsys_fixture_note(apart, EVENT_NOTE_FACT, "taken for the machine's"));
}

static void operations_without_an_end_last_until_the_capture_ends(void **state)
{
	static const char rows[] =
		"CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start,end,deviceId,contextId,streamId,"
		" correlationId,globalPid,bytes);"
		"INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (10,NULL,0,0,0,0,0,64);"
		"CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME "
		"(start,end,globalTid,correlationId,nameId);"
		"INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (5,NULL," NSYS_THREAD ",1,1);"
		"CREATE TABLE ANALYSIS_DETAILS (globalVid,duration,startTime,stopTime);";
	AUTO(nsys_fixture_destroy) struct nsys_fixture *unknown = nsys_fixture_read(rows);
	AUTO(nsys_fixture_destroy) struct nsys_fixture *known = NULL;
	char sql[1024];

	(void)state;
	/* Without an end of the capture the engine gets a stamp that it counts as bad. */
	assert_int_equal(nsys_fixture_get(unknown, EVENT_GPU_MEMSET, 0)->copy.operation.end_ns, 0);
	assert_int_equal(nsys_fixture_count(unknown, EVENT_GPU_API), 0);
	assert_non_null(nsys_fixture_note(unknown, EVENT_NOTE_FACT, "MEMSET: 1 rows have no end"));

	(void)snprintf(sql, sizeof(sql), "%s%s", rows,
		"INSERT INTO ANALYSIS_DETAILS VALUES (1,1000,0,0);");
	known = nsys_fixture_read(sql);
	assert_int_equal(nsys_fixture_get(known, EVENT_GPU_MEMSET, 0)->copy.operation.end_ns, 1000);
	assert_int_equal(nsys_fixture_get(known, EVENT_GPU_API, 0)->api.end_ns, 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_version_is_the_first_thing_told),
		cmocka_unit_test(schema_3_20_tells_overheads_by_name),
		cmocka_unit_test(the_old_name_of_the_sync_type_is_read_where_the_new_one_is_empty),
		cmocka_unit_test(columns_that_are_missing_are_said_and_read_as_nothing),
		cmocka_unit_test(a_table_without_times_is_not_read),
		cmocka_unit_test(a_numbered_version_of_a_table_stands_for_it),
		cmocka_unit_test(devices_without_a_map_are_taken_by_number_and_that_is_said),
		cmocka_unit_test(a_uuid_in_the_map_alone_names_the_gpu),
		cmocka_unit_test(one_number_of_two_processes_is_one_gpu_and_that_is_said),
		cmocka_unit_test(operations_without_an_end_last_until_the_capture_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
