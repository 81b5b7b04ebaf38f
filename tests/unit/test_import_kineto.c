/* SPDX-License-Identifier: MIT */
/* Proves what becomes of the rows of a Kineto trace, in the spellings of all its generations. */
#include "tests/unit/kineto_reading.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const struct event *only(const struct kineto_reading *reading, enum event_kind kind)
{
	assert_int_equal(kineto_reading_count(reading, kind), 1);
	return kineto_reading_get(reading, kind, 0);
}

/* As Kineto writes since 2024: decimals, the base at the end. */
static void a_present_trace_is_read(void **state)
{
	struct kineto_reading reading = kineto_reading_of_text(
		"{\"schemaVersion\": 1, \"deviceProperties\": ["
		"{\"id\": 0, \"name\": \"H100\", \"totalGlobalMem\": 85}, {\"id\": 1, \"name\": "
		"\"H100\"}],"
		"\"distributedInfo\": {\"backend\": \"nccl\", \"rank\": 3, \"world_size\": 8},"
		"\"traceEvents\": ["
		"{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"add\", \"pid\": 0, \"tid\": 7, "
		"\"ts\": 1414456661859.938, \"dur\": 10.464, \"args\": {\"External id\": 1541, "
		"\"queued\": 0, \"device\": 0, \"context\": 1, \"stream\": 7, \"correlation\": "
		"56581, "
		"\"grid\": [1568, 1, 4], \"graph id\": 0, \"graph node id\": 0}},"
		"{\"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"cudaLaunchKernel\", "
		"\"pid\": 5617, "
		"\"tid\": 5618, \"ts\": 1414456661850.001, \"dur\": 5.56, "
		"\"args\": {\"cbid\": 307, \"correlation\": 56581}},"
		"{\"ph\": \"s\", \"id\": 56581, \"pid\": 5617, \"tid\": 5618, "
		"\"ts\": 1414456661850.001, \"cat\": \"ac2g\", \"name\": \"ac2g\"},"
		"{\"ph\": \"X\", \"cat\": \"gpu_user_annotation\", \"name\": \"ProfilerStep#6\", "
		"\"pid\": 0, \"tid\": 7, \"ts\": 1414456661000, \"dur\": 7559.846},"
		"{\"name\": \"process_name\", \"ph\": \"M\", \"ts\": 1, \"pid\": 5617, \"tid\": 0, "
		"\"args\": {\"name\": \"python3\"}},"
		"{\"name\": \"thread_name\", \"ph\": \"M\", \"ts\": 1, \"pid\": 5617, \"tid\": "
		"5618, "
		"\"args\": {\"name\": \"thread 5618 (pt_main_thread)\"}},"
		"{\"name\": \"thread_name\", \"ph\": \"M\", \"ts\": 1, \"pid\": 0, \"tid\": 7, "
		"\"args\": {\"name\": \"stream 7 \"}},"
		"{\"ph\": \"X\", \"cat\": \"Trace\", \"ts\": 1414456661368.399, \"dur\": 8193.56, "
		"\"pid\": \"Spans\", \"tid\": \"PyTorch Profiler\", \"name\": \"PyTorch Profiler "
		"(0)\"},"
		"{\"name\": \"Iteration Start\", \"ph\": \"i\", \"s\": \"g\", \"pid\": \"Traces\", "
		"\"tid\": \"Trace\", \"ts\": 1414456661368.399}"
		"], \"traceName\": \"/tmp/x.json\", \"displayTimeUnit\": \"ms\", "
		"\"baseTimeNanoseconds\": 1751410836000000000}");
	const struct event *kernel;
	const struct event *call;
	const struct event *event;

	(void)state;
	assert_int_equal(reading.status, STATUS_OK);
	assert_true(reading.has_epoch);
	assert_true(reading.epoch_ns == 1751410836000000000ULL);
	kernel = only(&reading, EVENT_GPU_KERNEL);
	assert_true(kernel->time_ns == 1414456661859938ULL);
	assert_true(kernel->kernel.operation.start_ns == 1414456661859938ULL);
	assert_true(kernel->kernel.operation.end_ns == 1414456661870402ULL);
	assert_string_equal(kernel->kernel.name, "add");
	assert_int_equal(kernel->kernel.operation.device, 0);
	assert_int_equal(kernel->kernel.operation.context, 1);
	assert_int_equal(kernel->kernel.operation.stream, 7);
	assert_int_equal(kernel->kernel.operation.correlation, 56581);
	assert_int_equal(kernel->kernel.graph, 0);
	assert_int_equal(kernel->pid, 5617); /* so that it joins its call */
	call = only(&reading, EVENT_GPU_API);
	assert_true(call->time_ns == 1414456661850001ULL && call->api.start_ns == call->time_ns);
	assert_true(call->api.end_ns == 1414456661855561ULL);
	assert_string_equal(call->api.name, "cudaLaunchKernel");
	assert_int_equal(call->pid, 5617);
	assert_int_equal(call->api.tid, 5618);
	assert_int_equal(call->api.correlation, 56581);
	event = only(&reading, EVENT_GPU_DEVICE);
	assert_string_equal(event->device.name, "H100");
	assert_int_equal(event->pid, 5617);
	event = only(&reading, EVENT_STATE);
	assert_int_equal(event->state.subject, GAPTRACE_STATE_THREAD);
	assert_int_equal(event->state.tid, 5618);
	assert_string_equal(event->state.name, "pt_main_thread");
	assert_non_null(
		kineto_reading_note(&reading, EVENT_NOTE_SOURCE, "5617 (python3), rank 3 of 8"));
	assert_non_null(kineto_reading_note(&reading, EVENT_NOTE_FACT, "ran nothing in this file"));
	assert_int_equal(kineto_reading_count(&reading, EVENT_SPAN_BEGIN), 0);
	assert_int_equal(reading.count, 6);
	kineto_reading_finish(&reading);
}

/* As the first Kineto wrote: whole microseconds since 1970, words for numbers, other spellings. */
static void an_old_trace_is_read(void **state)
{
	struct kineto_reading reading = kineto_reading_of_text(
		"{\"schemaVersion\": 1, \"computeProperties\": [{\"id\": 0, \"name\": \"V100\"}],"
		"\"traceEvents\": ["
		"{\"ph\": \"X\", \"cat\": \"Operator\", \"name\": \"aten::empty\", \"pid\": 24572, "
		"\"tid\": \"24572\", \"ts\": 1621401187223182, \"dur\": 21, "
		"\"args\": {\"Device\": 24572, \"External id\": 2}},"
		"{\"ph\": \"X\", \"cat\": \"Memcpy\", \"name\": \"Memcpy HtoD (Pageable -> "
		"Device)\", "
		"\"pid\": 0, \"tid\": \"stream 7\", \"ts\": 1621401187224556, \"dur\": 1, "
		"\"args\": {\"correlation\": 311, \"external id\": 31, \"bytes\": 640}},"
		"{\"ph\": \"X\", \"cat\": \"Memset\", \"name\": \"Memset (Device)\", "
		"\"pid\": 0, \"tid\": \"stream 7\", \"ts\": 1621401187224558, \"dur\": 0, "
		"\"args\": {\"device\": 0, \"context\": 1, \"stream\": 7, \"correlation\": 312}},"
		"{\"ph\": \"X\", \"cat\": \"Kernel\", \"name\": \"gemm\", \"pid\": 0, "
		"\"tid\": \"stream 7\", \"ts\": 1621401187225275, \"dur\": 3, "
		"\"args\": {\"device\": 0, \"stream\": 7, \"correlation\": 333}},"
		"{\"ph\": \"X\", \"cat\": \"Runtime\", \"name\": \"cudaMemcpyAsync\", \"pid\": "
		"24572, "
		"\"tid\": \"24572\", \"ts\": 1621401187224533, \"dur\": 20, "
		"\"args\": {\"correlation\": 311}}]}");
	const struct event *event;

	(void)state;
	assert_int_equal(reading.status, STATUS_OK);
	assert_true(reading.has_epoch); /* its times are since 1970 */
	assert_int_equal(reading.epoch_ns, 0);
	event = only(&reading, EVENT_GPU_MEMCPY);
	assert_true(event->copy.operation.start_ns == 1621401187224556000ULL);
	assert_int_equal(event->copy.operation.device, 0);
	assert_int_equal(event->copy.operation.stream, 7);
	assert_int_equal(event->copy.bytes, 640);
	assert_int_equal(event->copy.kind, GAPTRACE_COPY_HTOD);
	assert_int_equal(event->copy.source_memory, GAPTRACE_MEMORY_PAGEABLE);
	assert_int_equal(event->copy.target_memory, GAPTRACE_MEMORY_DEVICE);
	event = only(&reading, EVENT_GPU_MEMSET);
	assert_int_equal(event->copy.target_memory, GAPTRACE_MEMORY_DEVICE);
	assert_true(event->copy.operation.end_ns == event->copy.operation.start_ns);
	assert_string_equal(only(&reading, EVENT_GPU_KERNEL)->kernel.name, "gemm");
	assert_int_equal(only(&reading, EVENT_GPU_API)->api.tid, 24572);
	assert_string_equal(only(&reading, EVENT_GPU_DEVICE)->device.name, "V100");
	event = only(&reading, EVENT_SPAN_BEGIN);
	assert_string_equal(event->span.name, "aten::empty");
	assert_int_equal(event->tid, 24572);
	assert_true(only(&reading, EVENT_SPAN_END)->time_ns == event->time_ns + 21000);
	kineto_reading_finish(&reading);
}

/* Waits lie on the devices' tracks, and are told as waits: a device does nothing in them. */
static void waits_are_not_work(void **state)
{
	struct kineto_reading reading = kineto_reading_of_text(
		"{\"traceEvents\": ["
		"{\"ph\":\"X\",\"cat\":\"cuda_sync\",\"name\":\"Stream Wait "
		"Event\",\"pid\":0,\"tid\":20,"
		"\"ts\":10,\"dur\":3,\"args\":{\"cuda_sync_kind\":\"Stream Wait Event\","
		"\"wait_on_stream\":7,\"wait_on_cuda_event_record_corr_id\":5169,"
		"\"wait_on_cuda_event_id\":9,\"stream\":20,\"correlation\":5170,\"device\":0,"
		"\"context\":1}},"
		"{\"ph\":\"X\",\"cat\":\"cuda_sync\",\"name\":\"Context "
		"Sync\",\"pid\":0,\"tid\":-1,"
		"\"ts\":20,\"dur\":9,\"args\":{\"cuda_sync_kind\":\"Context Sync\",\"stream\":-1,"
		"\"correlation\":225,\"device\":0,\"context\":1}},"
		"{\"ph\":\"X\",\"cat\":\"cuda_sync\",\"name\":\"Stream Sync\",\"pid\":0,\"tid\":7,"
		"\"ts\":30,\"dur\":9,\"args\":{\"stream\":4294967295,\"correlation\":226}},"
		"{\"ph\":\"X\",\"cat\":\"cuda_sync\",\"name\":\"Event Sync\",\"pid\":0,\"tid\":7,"
		"\"ts\":40,\"dur\":9,\"args\":{\"stream\":7,\"correlation\":227}}"
		"]}");
	const struct event *event = kineto_reading_get(&reading, EVENT_GPU_SYNC, 0);

	(void)state;
	assert_int_equal(kineto_reading_count(&reading, EVENT_GPU_SYNC), 4);
	assert_int_equal(event->sync.kind, GAPTRACE_SYNC_STREAM_WAIT_EVENT);
	assert_int_equal(event->sync.event, 9);
	assert_int_equal(event->sync.event_stream, 7);
	assert_int_equal(event->sync.operation.stream, 20);
	assert_int_equal(event->sync.operation.correlation, 5170);
	assert_int_equal(event->sync.operation.end_ns, 13000);
	event = kineto_reading_get(&reading, EVENT_GPU_SYNC, 1);
	assert_int_equal(event->sync.kind, GAPTRACE_SYNC_DEVICE);
	assert_true(event->sync.operation.stream == UINT32_MAX);
	event = kineto_reading_get(&reading, EVENT_GPU_SYNC, 2);
	assert_int_equal(event->sync.kind, GAPTRACE_SYNC_STREAM);
	assert_true(event->sync.operation.stream == UINT32_MAX);
	assert_int_equal(
		kineto_reading_get(&reading, EVENT_GPU_SYNC, 3)->sync.kind, GAPTRACE_SYNC_EVENT);
	assert_int_equal(kineto_reading_count(&reading, EVENT_GPU_DEVICE), 0);
	assert_non_null(kineto_reading_note(&reading, EVENT_NOTE_FACT, "did not record a GPU"));
	kineto_reading_finish(&reading);
}

static void every_kind_of_call_and_overhead_is_known(void **state)
{
	static const char *const categories[] = {"cuda_runtime", "Runtime", "cuda_driver",
		"hip_runtime", "xpu_driver", "CUDA_RUNTIME"};
	struct kineto_reading reading;
	char text[2048] = "[";
	const struct event *event;

	(void)state;
	for (size_t i = 0; i < sizeof(categories) / sizeof(categories[0]); i++) {
		const size_t size = strlen(text);

		(void)snprintf(text + size, sizeof(text) - size,
			"{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"f\",\"pid\":1,\"tid\":2,\"ts\":%"
			"zu,"
			"\"dur\":1,\"args\":{\"correlation\":3}},",
			categories[i], i);
	}
	(void)strncat(text,
		"{\"ph\":\"X\",\"cat\":\"overhead\",\"name\":\"Command Buffer Full\",\"pid\":-1,"
		"\"tid\":2,\"ts\":50,\"dur\":7,\"args\":{}},"
		"{\"ph\":\"X\",\"cat\":\"overhead\",\"name\":\"Lazy Function Loading\",\"pid\":-1,"
		"\"tid\":-1,\"ts\":60,\"dur\":7}]",
		sizeof(text) - strlen(text) - 1);
	reading = kineto_reading_of_text(text);
	assert_int_equal(kineto_reading_count(&reading, EVENT_GPU_API),
		sizeof(categories) / sizeof(categories[0]));
	event = kineto_reading_get(&reading, EVENT_GPU_OVERHEAD, 0);
	assert_int_equal(event->overhead.kind, GAPTRACE_OVERHEAD_COMMAND_BUFFER_FULL);
	assert_int_equal(event->overhead.tid, 2);
	assert_int_equal(event->pid, 1);
	assert_int_equal(event->overhead.end_ns, 57000);
	event = kineto_reading_get(&reading, EVENT_GPU_OVERHEAD, 1);
	assert_int_equal(event->overhead.kind, GAPTRACE_OVERHEAD_LAZY_LOADING);
	assert_int_equal(event->overhead.tid, 0);
	kineto_reading_finish(&reading);
}

/* AMD names devices by their number alone, and writes other things as texts. */
static void rows_of_amd_devices_are_known(void **state)
{
	struct kineto_reading reading = kineto_reading_of_text(
		"{\"traceEvents\": ["
		"{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"hipGraphLaunch\",\"pid\":85,"
		"\"tid\":86,\"ts\":5.5,\"dur\":1,\"args\":{\"stream\":\"0x0\",\"cid\":153,"
		"\"correlation\":117,\"size\":\"2560\"}},"
		"{\"ph\":\"X\",\"cat\":\"gpu_memcpy\",\"name\":\"Memcpy DtoH (Device -> Host)\","
		"\"pid\":2,\"tid\":0,\"ts\":10.001,\"dur\":3.519,\"args\":{\"device\":2,\"stream\":"
		"0,"
		"\"correlation\":117,\"kind\":\"DtoH\",\"bytes\":9216}},"
		"{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"Cijk_Ailk\",\"pid\":2,\"tid\":0,"
		"\"ts\":20,\"dur\":1,\"args\":{\"device\":2,\"stream\":0,\"correlation\":117,"
		"\"kind\":\"Dispatch Kernel\",\"graph id\":12}},"
		"{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"node\",\"pid\":2,\"tid\":0,"
		"\"ts\":30,\"dur\":1,\"args\":{\"device\":2,\"graph node id\":8589934597}}]}");
	const struct event *event = only(&reading, EVENT_GPU_MEMCPY);

	(void)state;
	assert_int_equal(event->copy.kind, GAPTRACE_COPY_DTOH);
	assert_int_equal(event->copy.source_memory, GAPTRACE_MEMORY_DEVICE);
	assert_int_equal(event->copy.target_memory, GAPTRACE_MEMORY_UNKNOWN);
	assert_int_equal(event->copy.operation.start_ns, 10001);
	assert_int_equal(event->copy.operation.end_ns, 13520);
	assert_int_equal(event->copy.operation.device, 2);
	assert_int_equal(event->pid, 85);
	assert_int_equal(kineto_reading_get(&reading, EVENT_GPU_KERNEL, 0)->kernel.graph, 12);
	assert_int_not_equal(kineto_reading_get(&reading, EVENT_GPU_KERNEL, 1)->kernel.graph, 0);
	assert_int_equal(only(&reading, EVENT_GPU_DEVICE)->device.device, 2);
	assert_false(reading.has_epoch);
	kineto_reading_finish(&reading);
}

/* What lacks a correlation is joined by the arrow from its call. */
static void arrows_stand_in_for_correlations(void **state)
{
	struct kineto_reading reading = kineto_reading_of_text(
		"{\"traceEvents\": ["
		"{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":7,\"ts\":20,"
		"\"dur\":1},"
		"{\"ph\":\"f\",\"id\":44,\"pid\":0,\"tid\":7,\"ts\":20,\"cat\":\"ac2g\",\"bp\":"
		"\"e\"},"
		"{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":85,"
		"\"tid\":86,\"ts\":5.5,\"dur\":1},"
		"{\"ph\":\"s\",\"id\":44,\"pid\":85,\"tid\":86,\"ts\":5.5,\"cat\":\"ac2g\"},"
		"{\"ph\":\"s\",\"id\":45,\"pid\":85,\"tid\":87,\"ts\":5.5,\"cat\":\"ac2g\"}]}");

	(void)state;
	assert_int_equal(only(&reading, EVENT_GPU_KERNEL)->kernel.operation.correlation, 44);
	assert_int_equal(only(&reading, EVENT_GPU_API)->api.correlation, 44);
	assert_non_null(kineto_reading_note(&reading, EVENT_NOTE_FACT, "correlation"));
	kineto_reading_finish(&reading);
}

/* Ranks that were put into one file count their calls alike: none is taken for another's. */
static void calls_of_several_processes_issued_nothing_that_is_known(void **state)
{
	struct kineto_reading reading = kineto_reading_of_text(
		"{\"traceEvents\": ["
		"{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":85,"
		"\"tid\":85,\"ts\":5,\"dur\":1,\"args\":{\"correlation\":9}},"
		"{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":1,\"tid\":7,\"ts\":20,"
		"\"dur\":1,\"args\":{\"device\":1,\"stream\":7,\"correlation\":9}},"
		"{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":86,"
		"\"tid\":86,\"ts\":8,\"dur\":1,\"args\":{\"correlation\":9}}]}");

	(void)state;
	assert_int_equal(only(&reading, EVENT_GPU_KERNEL)->kernel.operation.correlation, 0);
	assert_int_equal(kineto_reading_count(&reading, EVENT_GPU_API), 2);
	assert_non_null(kineto_reading_note(&reading, EVENT_NOTE_FACT, "none is joined"));
	kineto_reading_finish(&reading);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_present_trace_is_read),
		cmocka_unit_test(an_old_trace_is_read),
		cmocka_unit_test(waits_are_not_work),
		cmocka_unit_test(every_kind_of_call_and_overhead_is_known),
		cmocka_unit_test(rows_of_amd_devices_are_known),
		cmocka_unit_test(arrows_stand_in_for_correlations),
		cmocka_unit_test(calls_of_several_processes_issued_nothing_that_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
