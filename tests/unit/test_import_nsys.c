/* SPDX-License-Identifier: MIT */
/* Every kind of row of an nsys export becomes the event that it is, field by field. */
#include "tests/unit/nsys_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define NAMES                                                                                      \
	NSYS_STRINGS                                                                               \
	"INSERT INTO StringIds VALUES (1,'void "                                                   \
	"f<int>(int)'),(2,'f'),(3,'cudaLaunchKernel_v7000'),"                                      \
	"(4,'cuMemcpyHtoDAsync_v2'),(5,'poll'),(6,'IO 7'),(7,'feeder'),(8,'CUPTI Buffer flush'),"  \
	"(9,'NCCL');"

static void kernels_have_names_graphs_and_places(void **state)
{
	AUTO(nsys_fixture_destroy)
	struct nsys_fixture *fixture = nsys_fixture_read(NAMES NSYS_KERNELS
		"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES"
		"(200,300,1,2,NULL,7,99," NSYS_PROCESS ",1,2,NULL,1,NULL,5),"
		"(100,150,1,2,NULL,13,98," NSYS_PROCESS ",1,2,NULL,1,12884901889,NULL),"
		"(0,100,1,2,NULL,13,97," NSYS_PROCESS ",1,2,NULL,1,NULL,NULL);");
	const struct event *kernel = nsys_fixture_get(fixture, EVENT_GPU_KERNEL, 2);

	(void)state;
	assert_int_equal(kernel->pid, 42);
	assert_int_equal(kernel->time_ns, 200);
	assert_string_equal(kernel->kernel.name, "void f<int>(int)");
	assert_int_equal(kernel->kernel.graph, 5);
	assert_int_equal(kernel->kernel.operation.device, 1);
	assert_int_equal(kernel->kernel.operation.context, 2);
	assert_int_equal(kernel->kernel.operation.stream, 7);
	assert_int_equal(kernel->kernel.operation.correlation, 99);
	assert_int_equal(kernel->kernel.operation.start_ns, 200);
	assert_int_equal(kernel->kernel.operation.end_ns, 300);
	/* A node without its graph's number: 3 << 32 | 1. */
	assert_int_equal(nsys_fixture_get(fixture, EVENT_GPU_KERNEL, 1)->kernel.graph, 3);
	/* Time 0 is a time. */
	kernel = nsys_fixture_get(fixture, EVENT_GPU_KERNEL, 0);
	assert_int_equal(kernel->time_ns, 0);
	assert_int_equal(kernel->kernel.graph, 0);
	assert_int_equal(nsys_fixture_count(fixture, EVENT_GPU_DEVICE), 1);
	assert_string_equal(nsys_fixture_get(fixture, EVENT_GPU_DEVICE, 0)->device.uuid, "");
}

static void copies_have_kinds_of_nsys_not_of_cupti(void **state)
{
	static const struct {
		enum gaptrace_copy_kind kind;
		enum gaptrace_memory_kind source;
		enum gaptrace_memory_kind target;
	} expected[] = {
		{GAPTRACE_COPY_HTOD, GAPTRACE_MEMORY_PAGEABLE, GAPTRACE_MEMORY_DEVICE},
		{GAPTRACE_COPY_DTOH, GAPTRACE_MEMORY_DEVICE, GAPTRACE_MEMORY_PINNED},
		{GAPTRACE_COPY_DTOD, GAPTRACE_MEMORY_ARRAY, GAPTRACE_MEMORY_MANAGED},
		{GAPTRACE_COPY_PTOP, GAPTRACE_MEMORY_DEVICE_STATIC, GAPTRACE_MEMORY_MANAGED_STATIC},
		{GAPTRACE_COPY_HTOD, GAPTRACE_MEMORY_UNKNOWN, GAPTRACE_MEMORY_UNKNOWN},
		{GAPTRACE_COPY_UNKNOWN, GAPTRACE_MEMORY_UNKNOWN, GAPTRACE_MEMORY_UNKNOWN},
	};
	AUTO(nsys_fixture_destroy)
	struct nsys_fixture *fixture = nsys_fixture_read(
		"CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start,end,deviceId,contextId,streamId,"
		" correlationId,globalPid,bytes,copyKind,srcKind,dstKind,migrationCause);"
		"INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES"
		"(10,12,0,1,7,5," NSYS_PROCESS ",4096,1,0,2,NULL),"
		"(20,22,0,1,7,6," NSYS_PROCESS ",1,2,2,1,NULL),"
		"(30,32,0,1,7,7," NSYS_PROCESS ",1,8,3,4,NULL),"
		"(40,42,0,1,7,8," NSYS_PROCESS ",1,10,5,6,NULL),"
		"(50,52,0,1,7,9," NSYS_PROCESS ",1,11,7,8,NULL),"
		"(60,62,0,1,7,9," NSYS_PROCESS ",1,99,-1,NULL,NULL);");

	(void)state;
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		const struct event *copy = nsys_fixture_get(fixture, EVENT_GPU_MEMCPY, i);

		assert_int_equal(copy->copy.kind, expected[i].kind);
		assert_int_equal(copy->copy.source_memory, expected[i].source);
		assert_int_equal(copy->copy.target_memory, expected[i].target);
	}
	assert_int_equal(nsys_fixture_get(fixture, EVENT_GPU_MEMCPY, 0)->copy.bytes, 4096);
}

static void memsets_and_whole_graphs_are_operations(void **state)
{
	AUTO(nsys_fixture_destroy)
	struct nsys_fixture *fixture = nsys_fixture_read(
		"CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start,end,deviceId,contextId,streamId,"
		" correlationId,globalPid,value,bytes,memKind);"
		"INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (10,12,0,1,7,5," NSYS_PROCESS
		",0,64,2);"
		"CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE "
		"(start,end,deviceId,contextId,streamId,"
		" correlationId,globalPid,graphId,graphExecId);"
		"INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (20,90,0,1,7,6," NSYS_PROCESS
		",11,12);");
	const struct event *memset_event = nsys_fixture_get(fixture, EVENT_GPU_MEMSET, 0);
	const struct event *graph = nsys_fixture_get(fixture, EVENT_GPU_KERNEL, 0);

	(void)state;
	assert_int_equal(memset_event->copy.bytes, 64);
	assert_int_equal(memset_event->copy.kind, GAPTRACE_COPY_UNKNOWN);
	assert_int_equal(memset_event->copy.target_memory, GAPTRACE_MEMORY_DEVICE);
	assert_string_equal(graph->kernel.name, "graph 11");
	assert_int_equal(graph->kernel.graph, 11);
	assert_int_equal(graph->kernel.operation.end_ns, 90);
}

static void calls_join_their_operations_by_process_and_correlation(void **state)
{
	AUTO(nsys_fixture_destroy)
	struct nsys_fixture *fixture = nsys_fixture_read(NAMES NSYS_KERNELS NSYS_RUNTIME
		"INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES"
		"(10,30,1," NSYS_THREAD ",99,3,0,NULL),"
		"(40,45,0," NSYS_THREAD ",100,4,2,NULL);"
		"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES"
		"(20,300,1,2,NULL,7,99," NSYS_PROCESS ",1,2,NULL,1,NULL,NULL);");
	const struct event *call = nsys_fixture_get(fixture, EVENT_GPU_API, 0);
	const struct event *kernel = nsys_fixture_get(fixture, EVENT_GPU_KERNEL, 0);

	(void)state;
	assert_int_equal(call->pid, kernel->pid);
	assert_int_equal(call->api.correlation, kernel->kernel.operation.correlation);
	assert_int_equal(call->tid, 77);
	assert_int_equal(call->api.tid, 77);
	assert_int_equal(call->api.start_ns, 10);
	assert_int_equal(call->api.end_ns, 30);
	assert_int_equal(call->api.result, 0);
	/* Without CUDA's version, which no other recording has; "_v2" is a part of the name. */
	assert_string_equal(call->api.name, "cudaLaunchKernel");
	call = nsys_fixture_get(fixture, EVENT_GPU_API, 1);
	assert_string_equal(call->api.name, "cuMemcpyHtoDAsync_v2");
	assert_int_equal(call->api.result, 2);
}

static void waits_know_where_their_event_was_recorded(void **state)
{
	AUTO(nsys_fixture_destroy)
	struct nsys_fixture *fixture = nsys_fixture_read(
		"CREATE TABLE CUPTI_ACTIVITY_KIND_CUDA_EVENT "
		"(timestamp,deviceId,contextId,streamId,"
		" correlationId,globalPid,eventId,eventSyncId);"
		"INSERT INTO CUPTI_ACTIVITY_KIND_CUDA_EVENT VALUES"
		"(0,0,1,21,5," NSYS_PROCESS ",3,900),(0,0,1,22,6," NSYS_PROCESS ",3,901);"
		"CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start,end,deviceId,contextId,"
		" streamId,correlationId,globalPid,syncType,eventId,eventSyncId);"
		"INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES"
		"(10,12,0,1,7,55," NSYS_PROCESS ",2,3,901),"
		"(20,22,0,1,4294967295,56," NSYS_PROCESS ",4,4294967295,4294967295),"
		"(30,32,0,1,7,57," NSYS_PROCESS ",3,0,NULL),"
		"(40,42,0,1,7,57," NSYS_PROCESS ",1,3,900);");
	const struct event *wait = nsys_fixture_get(fixture, EVENT_GPU_SYNC, 0);

	(void)state;
	assert_int_equal(wait->pid, 42);
	assert_int_equal(wait->sync.kind, GAPTRACE_SYNC_STREAM_WAIT_EVENT);
	assert_int_equal(wait->sync.event, 3);
	/* Event 3 was recorded twice: which time is told by eventSyncId. */
	assert_int_equal(wait->sync.event_stream, 22);
	assert_int_equal(wait->sync.operation.stream, 7);
	assert_int_equal(wait->sync.operation.correlation, 55);
	wait = nsys_fixture_get(fixture, EVENT_GPU_SYNC, 1);
	assert_int_equal(wait->sync.kind, GAPTRACE_SYNC_DEVICE);
	assert_int_equal(wait->sync.operation.stream, UINT32_MAX);
	assert_int_equal(wait->sync.event_stream, 0);
	assert_int_equal(
		nsys_fixture_get(fixture, EVENT_GPU_SYNC, 2)->sync.kind, GAPTRACE_SYNC_STREAM);
	assert_int_equal(nsys_fixture_get(fixture, EVENT_GPU_SYNC, 3)->sync.event_stream, 21);
}

static void overheads_have_kinds_by_number_or_by_name(void **state)
{
	AUTO(nsys_fixture_destroy)
	struct nsys_fixture *fixture = nsys_fixture_read(NAMES
		"CREATE TABLE PROFILER_OVERHEAD (start,end,globalTid,nameId,overheadType);"
		"INSERT INTO PROFILER_OVERHEAD VALUES (10,20," NSYS_THREAD
		",8,3),(30,40," NSYS_THREAD ",8,0),(50,60," NSYS_THREAD ",5,1);"
		"CREATE TABLE CUPTI_ACTIVITY_KIND_OVERHEAD (start,end,eventClass,globalTid,"
		" correlationId,nameId,overheadType);"
		"INSERT INTO CUPTI_ACTIVITY_KIND_OVERHEAD VALUES (70,80,103," NSYS_THREAD
		",9,5,8),(90,95,103," NSYS_THREAD ",9,5,6),(96,97,103," NSYS_THREAD ",9,5,7);");
	static const enum gaptrace_overhead_kind kinds[] = {
		GAPTRACE_OVERHEAD_BUFFER_FLUSH,
		GAPTRACE_OVERHEAD_BUFFER_FLUSH,
		GAPTRACE_OVERHEAD_UNKNOWN,
		GAPTRACE_OVERHEAD_COMMAND_BUFFER_FULL,
		GAPTRACE_OVERHEAD_MODULE_LOADING,
		GAPTRACE_OVERHEAD_LAZY_LOADING,
	};

	(void)state;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		assert_int_equal(
			nsys_fixture_get(fixture, EVENT_GPU_OVERHEAD, i)->overhead.kind, kinds[i]);
	}
	assert_int_equal(nsys_fixture_get(fixture, EVENT_GPU_OVERHEAD, 3)->overhead.tid, 77);
	assert_int_equal(nsys_fixture_get(fixture, EVENT_GPU_OVERHEAD, 3)->overhead.correlation, 9);
	assert_int_equal(nsys_fixture_get(fixture, EVENT_GPU_OVERHEAD, 3)->overhead.end_ns, 80);
}

static void os_calls_and_scheduling_are_of_threads(void **state)
{
	AUTO(nsys_fixture_destroy)
	struct nsys_fixture *fixture = nsys_fixture_read(NAMES
		"CREATE TABLE OSRT_API (start,end,eventClass,globalTid,nameId,returnValue);"
		"INSERT INTO OSRT_API VALUES (10,20,27," NSYS_THREAD ",5,0);"
		"CREATE TABLE SCHED_EVENTS (start,cpu,isSchedIn,globalTid,threadState,threadBlock);"
		"INSERT INTO SCHED_EVENTS VALUES (5,0,1," NSYS_THREAD ",0,NULL),(6,0,0," NSYS_THREAD
		",0,NULL),(7,0,1," NSYS_THREAD ",0,NULL),(8,0,0," NSYS_THREAD ",1,NULL),"
		"(9,0,0," NSYS_THREAD ",2,NULL),(10,0,0," NSYS_THREAD ",0,44);");
	const struct event *call = nsys_fixture_get(fixture, EVENT_IMPORT_OS_CALL, 0);
	const struct event *in = nsys_fixture_get(fixture, EVENT_SCHED_SWITCH, 0);
	static const uint64_t states[] = {0, GAPTRACE_UNKNOWN, 0, 0, 2, 0};

	(void)state;
	assert_string_equal(call->os_call.name, "poll");
	assert_int_equal(call->pid, 42);
	assert_int_equal(call->os_call.tid, 77);
	assert_int_equal(call->os_call.start_ns, 10);
	assert_int_equal(call->os_call.end_ns, 20);
	assert_int_equal(in->sched_switch.next_tid, 77);
	assert_int_equal(in->sched_switch.previous_tid, 0);
	for (size_t i = 1; i < sizeof(states) / sizeof(states[0]); i++) {
		const struct event *out = nsys_fixture_get(fixture, EVENT_SCHED_SWITCH, i);

		if (i != 2) {
			assert_int_equal(out->sched_switch.previous_tid, 77);
			assert_int_equal(out->sched_switch.next_tid, 0);
			assert_true(out->sched_switch.previous_state == states[i]);
		}
	}
}

static void devices_and_threads_are_told_before_all(void **state)
{
	AUTO(nsys_fixture_destroy)
	struct nsys_fixture *fixture = nsys_fixture_read(NAMES NSYS_KERNELS
		"CREATE TABLE TARGET_INFO_GPU (id,name,busLocation,uuid);"
		"INSERT INTO TARGET_INFO_GPU VALUES (0,'T4','0000:00:04.0','aaaa'),"
		"(1,'H100','0000:01:00.0','bbbb');"
		/* Process 42 sees the second GPU only, and calls it 0. */
		"CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId,cudaId,pid);"
		"INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (1,0,42);"
		"CREATE TABLE ThreadNames (nameId,priority,globalTid);"
		"INSERT INTO ThreadNames VALUES (7,20," NSYS_THREAD ");"
		"CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs,utcTime,localTime);"
		"INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (1754324972242076786,'','');"
		"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES"
		"(-20,300,0,2,NULL,7,99," NSYS_PROCESS ",1,2,NULL,1,NULL,NULL);");
	const struct event *thread = nsys_fixture_get(fixture, EVENT_STATE, 0);

	(void)state;
	assert_string_equal(
		nsys_fixture_get(fixture, EVENT_GPU_DEVICE, 0)->device.uuid, "GPU-bbbb");
	assert_int_equal(thread->state.subject, GAPTRACE_STATE_THREAD);
	assert_string_equal(thread->state.name, "feeder");
	assert_int_equal(thread->state.tid, 77);
	assert_int_equal(thread->pid, 42);
	/* Rows from before the capture's time 0 move it, and the epoch with it. */
	assert_true(fixture->has_epoch);
	assert_int_equal(fixture->epoch_ns, 1754324972242076766);
	assert_int_equal(
		nsys_fixture_get(fixture, EVENT_GPU_KERNEL, 0)->kernel.operation.end_ns, 320);
	assert_non_null(nsys_fixture_note(fixture, EVENT_NOTE_FACT, "20 ns before"));
}

static void diagnostics_are_notes(void **state)
{
	AUTO(nsys_fixture_destroy)
	struct nsys_fixture *fixture = nsys_fixture_read(NSYS_KERNELS
		"CREATE TABLE DIAGNOSTIC_EVENT (timestamp,timestampType,source,severity,text);"
		"INSERT INTO DIAGNOSTIC_EVENT VALUES (0,1,3,1,'Profiling has started.'),"
		"(5,1,1,2,'37 CUDA events were dropped.'),"
		"(6,1,1,3,'Buffers of device 0 lost 12 events.'),"
		"(7,2,3,2,'Not all CUDA events might have been collected.');");
	const struct event *lost = nsys_fixture_note(fixture, EVENT_NOTE_LOST, "37 CUDA events");

	(void)state;
	assert_non_null(lost);
	assert_int_equal(lost->note.count, 37);
	/* Two numbers: nobody knows which one counts. */
	lost = nsys_fixture_note(fixture, EVENT_NOTE_LOST, "lost 12");
	assert_non_null(lost);
	assert_int_equal(lost->note.count, 0);
	assert_non_null(nsys_fixture_note(fixture, EVENT_NOTE_FACT, "might have been"));
	assert_null(nsys_fixture_note(fixture, EVENT_NOTE_FACT, "has started"));
	assert_non_null(nsys_fixture_note(fixture, EVENT_NOTE_FACT, "no operation of a GPU"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernels_have_names_graphs_and_places),
		cmocka_unit_test(copies_have_kinds_of_nsys_not_of_cupti),
		cmocka_unit_test(memsets_and_whole_graphs_are_operations),
		cmocka_unit_test(calls_join_their_operations_by_process_and_correlation),
		cmocka_unit_test(waits_know_where_their_event_was_recorded),
		cmocka_unit_test(overheads_have_kinds_by_number_or_by_name),
		cmocka_unit_test(os_calls_and_scheduling_are_of_threads),
		cmocka_unit_test(devices_and_threads_are_told_before_all),
		cmocka_unit_test(diagnostics_are_notes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
