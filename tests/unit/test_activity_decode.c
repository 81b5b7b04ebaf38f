/* SPDX-License-Identifier: MIT */
/*
 * Proves that every field of every kind of record arrives in its event, on hand-made buffers that
 * libcupti's own cuptiActivityGetNextRecord walks; that needs no device. Without a libcupti of the
 * release this was built for the test is skipped.
 */
#include "gaptrace/gaptrace.h"
#include "trace/base/clock.h"
#include "trace/cupti/activity_decode.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define BUFFER_BYTES 65536

static struct {
	uint32_t event_count;
	char name[512];
	char uuid[64];
	struct gaptrace_gpu_device device;
	struct gaptrace_gpu_kernel kernel;
	struct gaptrace_gpu_memcpy copy;
	struct gaptrace_gpu_memset set;
	struct gaptrace_gpu_api api;
	struct gaptrace_gpu_sync sync;
	struct gaptrace_gpu_overhead overhead;
} told;

static struct cupti_api cupti;
static struct clock_sync clock_state;
static struct activity_decoder decoder;
static uint8_t *buffer;
static size_t used;
static uint64_t base_ns;

static void keep_name(const char *name)
{
	told.event_count++;
	(void)snprintf(told.name, sizeof(told.name), "%s", name);
}

void gaptrace_gpu_device(const struct gaptrace_gpu_device *device)
{
	keep_name(device->name);
	(void)snprintf(told.uuid, sizeof(told.uuid), "%s", device->uuid);
	told.device = *device;
}

void gaptrace_gpu_kernel(const struct gaptrace_gpu_kernel *kernel)
{
	keep_name(kernel->name);
	told.kernel = *kernel;
}

void gaptrace_gpu_memcpy(const struct gaptrace_gpu_memcpy *copy)
{
	told.event_count++;
	told.copy = *copy;
}

void gaptrace_gpu_memset(const struct gaptrace_gpu_memset *set)
{
	told.event_count++;
	told.set = *set;
}

void gaptrace_gpu_api(const struct gaptrace_gpu_api *api)
{
	keep_name(api->name);
	told.api = *api;
}

void gaptrace_gpu_sync(const struct gaptrace_gpu_sync *sync)
{
	told.event_count++;
	told.sync = *sync;
}

void gaptrace_gpu_overhead(const struct gaptrace_gpu_overhead *overhead)
{
	told.event_count++;
	told.overhead = *overhead;
}

static int set_up(void **state)
{
	(void)state;
	memset(&told, 0, sizeof(told));
	memset(buffer, 0, BUFFER_BYTES);
	used = 0;
	base_ns = clock_now_ns();
	clock_sync_init(&clock_state, CLOCK_PATH_CALLBACK, base_ns);
	activity_decode_init(&decoder, &cupti, &clock_state);
	return 0;
}

/* Room for one record of that kind, all zero. */
static void *add(CUpti_ActivityKind kind, size_t bytes)
{
	CUpti_Activity *record = (CUpti_Activity *)(buffer + used);

	record->kind = kind;
	used += bytes;
	assert_true(used <= BUFFER_BYTES);
	return record;
}

static void decode(void)
{
	activity_decode(&decoder, buffer, used);
}

static CUpti_ActivityKernel10 *add_kernel(uint64_t start_ns, uint64_t end_ns)
{
	CUpti_ActivityKernel10 *kernel =
		add(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, sizeof(*kernel));

	kernel->start = start_ns;
	kernel->end = end_ns;
	kernel->name = "a_kernel";
	return kernel;
}

static void a_kernel_arrives_whole(void **state)
{
	CUpti_ActivityKernel10 *kernel = add_kernel(base_ns + 10, base_ns + 20);

	(void)state;
	kernel->deviceId = 3;
	kernel->contextId = 4;
	kernel->streamId = 5;
	kernel->correlationId = 0xfffffff6;
	kernel->graphId = 7;
	decode();
	assert_int_equal(told.event_count, 1);
	assert_int_equal(told.kernel.device, 3);
	assert_int_equal(told.kernel.context, 4);
	assert_int_equal(told.kernel.stream, 5);
	assert_int_equal(told.kernel.correlation, 0xfffffff6);
	assert_int_equal(told.kernel.start_ns, base_ns + 10);
	assert_int_equal(told.kernel.end_ns, base_ns + 20);
	assert_int_equal(told.kernel.graph, 7);
	assert_string_equal(told.name, "a_kernel");
	assert_true(decoder.facts.has_device[3]);
}

static void a_kernel_name_is_bounded_and_may_be_missing(void **state)
{
	char name[2000];

	(void)state;
	memset(name, 'x', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	add_kernel(base_ns, base_ns + 1)->name = name;
	decode();
	assert_int_equal(strlen(told.name), NAME_BYTES_MAX - 1);
	(void)set_up(state);
	add_kernel(base_ns, base_ns + 1)->name = NULL;
	decode();
	assert_string_equal(told.name, "");
}

static void a_copy_arrives_whole(void **state)
{
	CUpti_ActivityMemcpy6 *copy = add(CUPTI_ACTIVITY_KIND_MEMCPY, sizeof(*copy));

	(void)state;
	copy->copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_DTOH;
	copy->srcKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
	copy->dstKind = CUPTI_ACTIVITY_MEMORY_KIND_PINNED;
	copy->flags = CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC;
	copy->bytes = 1ULL << 40;
	copy->start = base_ns + 1;
	copy->end = base_ns + 2;
	copy->deviceId = 1;
	copy->contextId = 2;
	copy->streamId = 3;
	copy->correlationId = 4;
	decode();
	assert_int_equal(told.copy.kind, GAPTRACE_COPY_DTOH);
	assert_int_equal(told.copy.source_memory, GAPTRACE_MEMORY_DEVICE);
	assert_int_equal(told.copy.target_memory, GAPTRACE_MEMORY_PINNED);
	assert_true(told.copy.is_async);
	assert_true(told.copy.bytes == 1ULL << 40);
	assert_int_equal(told.copy.start_ns, base_ns + 1);
	assert_int_equal(told.copy.end_ns, base_ns + 2);
	assert_int_equal(told.copy.device, 1);
	assert_int_equal(told.copy.context, 2);
	assert_int_equal(told.copy.stream, 3);
	assert_int_equal(told.copy.correlation, 4);
}

static void a_peer_copy_arrives_whole(void **state)
{
	CUpti_ActivityMemcpyPtoP4 *copy = add(CUPTI_ACTIVITY_KIND_MEMCPY2, sizeof(*copy));

	(void)state;
	copy->copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_PTOP;
	copy->srcKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
	copy->dstKind = CUPTI_ACTIVITY_MEMORY_KIND_MANAGED;
	copy->bytes = 99;
	copy->start = base_ns + 1;
	copy->end = base_ns + 2;
	copy->deviceId = 1;
	copy->contextId = 2;
	copy->streamId = 3;
	copy->srcDeviceId = 8;
	copy->dstDeviceId = 9;
	copy->correlationId = 4;
	decode();
	assert_int_equal(told.copy.kind, GAPTRACE_COPY_PTOP);
	assert_int_equal(told.copy.source_memory, GAPTRACE_MEMORY_DEVICE);
	assert_int_equal(told.copy.target_memory, GAPTRACE_MEMORY_MANAGED);
	assert_false(told.copy.is_async);
	assert_int_equal(told.copy.bytes, 99);
	assert_int_equal(told.copy.start_ns, base_ns + 1);
	assert_int_equal(told.copy.end_ns, base_ns + 2);
	assert_int_equal(told.copy.device, 1);
	assert_int_equal(told.copy.context, 2);
	assert_int_equal(told.copy.stream, 3);
	assert_int_equal(told.copy.correlation, 4);
}

static void copy_directions_of_arrays_become_those_of_memory(void **state)
{
	static const uint8_t directions[][2] = {
		{CUPTI_ACTIVITY_MEMCPY_KIND_UNKNOWN, GAPTRACE_COPY_UNKNOWN},
		{CUPTI_ACTIVITY_MEMCPY_KIND_HTOD, GAPTRACE_COPY_HTOD},
		{CUPTI_ACTIVITY_MEMCPY_KIND_DTOH, GAPTRACE_COPY_DTOH},
		{CUPTI_ACTIVITY_MEMCPY_KIND_HTOA, GAPTRACE_COPY_HTOD},
		{CUPTI_ACTIVITY_MEMCPY_KIND_ATOH, GAPTRACE_COPY_DTOH},
		{CUPTI_ACTIVITY_MEMCPY_KIND_ATOA, GAPTRACE_COPY_DTOD},
		{CUPTI_ACTIVITY_MEMCPY_KIND_ATOD, GAPTRACE_COPY_DTOD},
		{CUPTI_ACTIVITY_MEMCPY_KIND_DTOA, GAPTRACE_COPY_DTOD},
		{CUPTI_ACTIVITY_MEMCPY_KIND_DTOD, GAPTRACE_COPY_DTOD},
		{CUPTI_ACTIVITY_MEMCPY_KIND_HTOH, GAPTRACE_COPY_HTOH},
		{CUPTI_ACTIVITY_MEMCPY_KIND_PTOP, GAPTRACE_COPY_PTOP},
		{200, GAPTRACE_COPY_UNKNOWN},
	};

	for (size_t i = 0; i < sizeof(directions) / sizeof(directions[0]); i++) {
		CUpti_ActivityMemcpy6 *copy;

		(void)set_up(state);
		copy = add(CUPTI_ACTIVITY_KIND_MEMCPY, sizeof(*copy));
		copy->copyKind = directions[i][0];
		copy->srcKind = 77;
		decode();
		assert_int_equal(told.copy.kind, directions[i][1]);
		assert_int_equal(told.copy.source_memory, GAPTRACE_MEMORY_UNKNOWN);
	}
}

static void a_set_arrives_whole(void **state)
{
	CUpti_ActivityMemset4 *set = add(CUPTI_ACTIVITY_KIND_MEMSET, sizeof(*set));

	(void)state;
	set->value = 0xff;
	set->bytes = 12345;
	set->start = base_ns + 1;
	set->end = base_ns + 2;
	set->deviceId = 1;
	set->contextId = 2;
	set->streamId = 3;
	set->correlationId = 4;
	set->flags = CUPTI_ACTIVITY_FLAG_MEMSET_ASYNC;
	set->memoryKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE_STATIC;
	decode();
	assert_int_equal(told.set.bytes, 12345);
	assert_int_equal(told.set.start_ns, base_ns + 1);
	assert_int_equal(told.set.end_ns, base_ns + 2);
	assert_int_equal(told.set.device, 1);
	assert_int_equal(told.set.context, 2);
	assert_int_equal(told.set.stream, 3);
	assert_int_equal(told.set.correlation, 4);
	assert_int_equal(told.set.target_memory, GAPTRACE_MEMORY_DEVICE_STATIC);
	assert_true(told.set.is_async);
}

static void a_call_arrives_whole_and_under_its_plain_name(void **state)
{
	static const struct {
		CUpti_ActivityKind kind;
		CUpti_CallbackId call;
		const char *name;
	} calls[] = {
		{CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000,
			"cudaLaunchKernel"},
		{CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyAsync_ptsz_v7000,
			"cudaMemcpyAsync"},
		{CUPTI_ACTIVITY_KIND_DRIVER, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel,
			"cuLaunchKernel"},
		{CUPTI_ACTIVITY_KIND_DRIVER, CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoDAsync_v2,
			"cuMemcpyHtoDAsync"},
		{CUPTI_ACTIVITY_KIND_DRIVER, CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoDAsync_v2_ptsz,
			"cuMemcpyHtoDAsync"},
	};

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		CUpti_ActivityAPI *call;

		(void)set_up(state);
		call = add(calls[i].kind, sizeof(*call));
		call->cbid = calls[i].call;
		call->start = base_ns + 5;
		call->end = base_ns + 9;
		call->processId = 1;
		call->threadId = 4321;
		call->correlationId = 17;
		call->returnValue = 2;
		decode();
		assert_int_equal(told.event_count, 1);
		assert_string_equal(told.name, calls[i].name);
		assert_int_equal(told.api.tid, 4321);
		assert_int_equal(told.api.correlation, 17);
		assert_int_equal(told.api.start_ns, base_ns + 5);
		assert_int_equal(told.api.end_ns, base_ns + 9);
		assert_int_equal(told.api.result, 2);
	}
}

static void calls_that_poll_are_left_out_and_counted(void **state)
{
	CUpti_ActivityAPI *call = add(CUPTI_ACTIVITY_KIND_RUNTIME, sizeof(*call));

	(void)state;
	call->cbid = CUPTI_RUNTIME_TRACE_CBID_cudaEventQuery_v3020;
	call = add(CUPTI_ACTIVITY_KIND_DRIVER, sizeof(*call));
	call->cbid = CUPTI_DRIVER_TRACE_CBID_cuStreamQuery;
	decode();
	assert_int_equal(told.event_count, 0);
	assert_int_equal(decoder.polling_count, 2);
}

static void a_synchronization_knows_its_device_and_the_stream_of_its_event(void **state)
{
	CUpti_ActivityContext3 *context = add(CUPTI_ACTIVITY_KIND_CONTEXT, sizeof(*context));
	CUpti_ActivityCudaEvent2 *event = add(CUPTI_ACTIVITY_KIND_CUDA_EVENT, sizeof(*event));
	CUpti_ActivitySynchronization2 *sync =
		add(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, sizeof(*sync));

	(void)state;
	context->contextId = 6;
	context->deviceId = 2;
	event->contextId = 6;
	event->eventId = 40;
	event->streamId = 13;
	sync->type = CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_WAIT_EVENT;
	sync->start = base_ns + 1;
	sync->end = base_ns + 2;
	sync->correlationId = 3;
	sync->contextId = 6;
	sync->streamId = 14;
	sync->cudaEventId = 40;
	decode();
	assert_int_equal(told.event_count, 1);
	assert_int_equal(told.sync.device, 2);
	assert_int_equal(told.sync.context, 6);
	assert_int_equal(told.sync.stream, 14);
	assert_int_equal(told.sync.correlation, 3);
	assert_int_equal(told.sync.kind, GAPTRACE_SYNC_STREAM_WAIT_EVENT);
	assert_int_equal(told.sync.event, 40);
	assert_int_equal(told.sync.event_stream, 13);
	assert_int_equal(told.sync.start_ns, base_ns + 1);
	assert_int_equal(told.sync.end_ns, base_ns + 2);
}

static void a_synchronization_says_what_it_does_not_know(void **state)
{
	CUpti_ActivitySynchronization2 *sync =
		add(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, sizeof(*sync));

	(void)state;
	sync->type = CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE;
	sync->contextId = 99;
	sync->streamId = CUPTI_SYNCHRONIZATION_INVALID_VALUE;
	sync->cudaEventId = CUPTI_SYNCHRONIZATION_INVALID_VALUE;
	decode();
	assert_int_equal(told.sync.kind, GAPTRACE_SYNC_DEVICE);
	assert_int_equal(told.sync.device, -1);
	assert_int_equal(told.sync.stream, 0);
	assert_int_equal(told.sync.event, 0);
	assert_int_equal(told.sync.event_stream, 0);
	assert_int_equal(told.sync.start_ns, 0);
}

static void every_overhead_has_its_kind_and_its_data_is_freed(void **state)
{
	static const int kinds[][2] = {
		{CUPTI_ACTIVITY_OVERHEAD_UNKNOWN, GAPTRACE_OVERHEAD_UNKNOWN},
		{CUPTI_ACTIVITY_OVERHEAD_DRIVER_COMPILER, GAPTRACE_OVERHEAD_DRIVER_COMPILER},
		{CUPTI_ACTIVITY_OVERHEAD_CUPTI_BUFFER_FLUSH, GAPTRACE_OVERHEAD_BUFFER_FLUSH},
		{CUPTI_ACTIVITY_OVERHEAD_CUPTI_INSTRUMENTATION, GAPTRACE_OVERHEAD_INSTRUMENTATION},
		{CUPTI_ACTIVITY_OVERHEAD_CUPTI_RESOURCE, GAPTRACE_OVERHEAD_RESOURCE},
		{CUPTI_ACTIVITY_OVERHEAD_RUNTIME_TRIGGERED_MODULE_LOADING,
			GAPTRACE_OVERHEAD_MODULE_LOADING},
		{CUPTI_ACTIVITY_OVERHEAD_LAZY_FUNCTION_LOADING, GAPTRACE_OVERHEAD_LAZY_LOADING},
		{CUPTI_ACTIVITY_OVERHEAD_COMMAND_BUFFER_FULL,
			GAPTRACE_OVERHEAD_COMMAND_BUFFER_FULL},
		{CUPTI_ACTIVITY_OVERHEAD_ACTIVITY_BUFFER_REQUEST, GAPTRACE_OVERHEAD_BUFFER_REQUEST},
		{CUPTI_ACTIVITY_OVERHEAD_UVM_ACTIVITY_INIT, GAPTRACE_OVERHEAD_UVM_INIT},
		{9 << 16, GAPTRACE_OVERHEAD_UNKNOWN},
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		CUpti_ActivityOverhead3 *overhead;

		(void)set_up(state);
		overhead = add(CUPTI_ACTIVITY_KIND_OVERHEAD, sizeof(*overhead));
		overhead->overheadKind = (CUpti_ActivityOverheadKind)kinds[i][0];
		overhead->objectKind = CUPTI_ACTIVITY_OBJECT_THREAD;
		overhead->objectId.pt.threadId = 55;
		overhead->correlationId = 66;
		overhead->start = base_ns + 1;
		overhead->end = base_ns + 2;
		overhead->overheadData = malloc(16); /* a leak under ASan if it stays */
		decode();
		assert_int_equal(told.overhead.kind, kinds[i][1]);
		assert_int_equal(told.overhead.tid, 55);
		assert_int_equal(told.overhead.correlation, 66);
		assert_int_equal(told.overhead.start_ns, base_ns + 1);
		assert_int_equal(told.overhead.end_ns, base_ns + 2);
	}
}

static void an_overhead_of_a_stream_holds_up_no_thread(void **state)
{
	CUpti_ActivityOverhead3 *overhead = add(CUPTI_ACTIVITY_KIND_OVERHEAD, sizeof(*overhead));

	(void)state;
	overhead->objectKind = CUPTI_ACTIVITY_OBJECT_STREAM;
	overhead->objectId.dcs.deviceId = 1;
	overhead->objectId.dcs.contextId = 2;
	decode();
	assert_int_equal(told.overhead.tid, 0);
}

static void a_graph_launch_is_a_kernel_of_the_device(void **state)
{
	CUpti_ActivityGraphTrace2 *graph = add(CUPTI_ACTIVITY_KIND_GRAPH_TRACE, sizeof(*graph));

	(void)state;
	graph->correlationId = 1;
	graph->start = base_ns + 2;
	graph->end = base_ns + 3;
	graph->deviceId = 4;
	graph->graphId = 5;
	graph->contextId = 6;
	graph->streamId = 7;
	decode();
	assert_string_equal(told.name, "graph");
	assert_int_equal(told.kernel.correlation, 1);
	assert_int_equal(told.kernel.start_ns, base_ns + 2);
	assert_int_equal(told.kernel.end_ns, base_ns + 3);
	assert_int_equal(told.kernel.device, 4);
	assert_int_equal(told.kernel.graph, 5);
	assert_int_equal(told.kernel.context, 6);
	assert_int_equal(told.kernel.stream, 7);
}

static void a_device_has_the_uuid_that_nvidia_smi_prints(void **state)
{
	CUpti_ActivityDevice5 *device = add(CUPTI_ACTIVITY_KIND_DEVICE, sizeof(*device));

	(void)state;
	device->id = 2;
	device->name = "NVIDIA H200";
	device->isCudaVisible = 1;
	for (int i = 0; i < 16; i++) {
		device->uuid.bytes[i] = (char)(i * 17);
		device->migUuid.bytes[i] = (char)(255 - i);
	}
	decode();
	assert_int_equal(told.device.device, 2);
	assert_int_equal(told.device.backend, GAPTRACE_BACKEND_CUDA);
	assert_string_equal(told.name, "NVIDIA H200");
	assert_string_equal(told.uuid, "GPU-00112233-4455-6677-8899-aabbccddeeff");
	device->isMigEnabled = 1;
	decode();
	assert_string_equal(told.uuid, "MIG-fffefdfc-fbfa-f9f8-f7f6-f5f4f3f2f1f0");
}

static void a_hidden_device_is_none_of_ours(void **state)
{
	CUpti_ActivityDevice5 *device = add(CUPTI_ACTIVITY_KIND_DEVICE, sizeof(*device));

	(void)state;
	device->id = 0;
	decode();
	assert_int_equal(told.event_count, 0);
	assert_false(decoder.facts.has_device[0]);
}

static void kinds_that_are_not_read_are_skipped_and_counted(void **state)
{
	(void)state;
	(void)add(CUPTI_ACTIVITY_KIND_MARKER, sizeof(CUpti_ActivityMarker2));
	(void)add(CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION,
		sizeof(CUpti_ActivityExternalCorrelation));
	(void)add(CUPTI_ACTIVITY_KIND_STREAM, sizeof(CUpti_ActivityStream));
	(void)add_kernel(base_ns, base_ns + 1);
	decode();
	assert_int_equal(told.event_count, 1);
	assert_int_equal(decoder.record_count, 4);
	assert_int_equal(decoder.unknown_count, 3);
	assert_int_equal(decoder.damaged_count, 0);
}

static void the_records_of_a_dropped_buffer_are_counted_and_leave_nothing_behind(void **state)
{
	CUpti_ActivityOverhead3 *overhead = add(CUPTI_ACTIVITY_KIND_OVERHEAD, sizeof(*overhead));

	(void)state;
	overhead->overheadData = malloc(16); /* a leak under ASan if it stays */
	(void)add_kernel(base_ns, base_ns + 1);
	overhead = add(CUPTI_ACTIVITY_KIND_OVERHEAD, sizeof(*overhead));
	overhead->overheadData = malloc(16);
	assert_int_equal(activity_decode_drop(&cupti, buffer, used), 3);
	assert_int_equal(told.event_count, 0);
}

static void a_buffer_cut_short_anywhere_gives_its_whole_records_and_no_more(void **state)
{
	uint8_t *cut;

	(void)state;
	(void)add_kernel(base_ns, base_ns + 1);
	(void)add_kernel(base_ns, base_ns + 1);
	for (size_t bytes = 1; bytes < used; bytes++) {
		/* Exactly as large, so that ASan sees a byte too far. Records need 8-byte
		 * alignment. */
		cut = malloc(bytes);
		assert_non_null(cut);
		memcpy(cut, buffer, bytes);
		told.event_count = 0;
		activity_decode(&decoder, cut, bytes);
		assert_int_equal(told.event_count, bytes / sizeof(CUpti_ActivityKernel10));
		free(cut);
	}
}

static void bad_stamps_are_zeros_and_counted(void **state)
{
	static const uint64_t garbage_ns = 0x8000000000000000ULL;

	(void)state;
	(void)add_kernel(0, 0);
	(void)add_kernel(0, base_ns);
	(void)add_kernel(base_ns, 0);
	(void)add_kernel(base_ns + 2, base_ns + 1);
	(void)add_kernel(garbage_ns, garbage_ns + 1);
	(void)add_kernel(UINT64_MAX - 1, UINT64_MAX);
	decode();
	assert_int_equal(told.event_count, 6);
	assert_int_equal(told.kernel.start_ns, 0);
	assert_int_equal(told.kernel.end_ns, 0);
	assert_int_equal(clock_state.counts.zero_count, 3);
	assert_int_equal(clock_state.counts.inverted_count, 1);
	assert_int_equal(clock_state.counts.implausible_count, 2);
	assert_int_equal(clock_sync_bad_count(&clock_state), 6);
}

/* CUPTI gives the call's record before or after the operation's. */
static void an_operation_before_its_launch_is_counted_in_either_order(void **state)
{
	for (int order = 0; order < 2; order++) {
		CUpti_ActivityKernel10 *kernel = NULL;
		CUpti_ActivityAPI *call;

		(void)set_up(state);
		if (order == 0) {
			kernel = add_kernel(base_ns + 1, base_ns + 50);
		}
		call = add(CUPTI_ACTIVITY_KIND_RUNTIME, sizeof(*call));
		call->cbid = CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000;
		call->correlationId = 77;
		call->start = base_ns + NS_PER_MS;
		call->end = base_ns + NS_PER_MS + 1;
		if (order == 1) {
			kernel = add_kernel(base_ns + 1, base_ns + 50);
		}
		kernel->correlationId = 77;
		decode();
		assert_int_equal(clock_state.counts.before_launch_count, 1);
		assert_int_equal(told.kernel.start_ns, base_ns + 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_kernel_arrives_whole, set_up),
		cmocka_unit_test_setup(a_kernel_name_is_bounded_and_may_be_missing, set_up),
		cmocka_unit_test_setup(a_copy_arrives_whole, set_up),
		cmocka_unit_test_setup(a_peer_copy_arrives_whole, set_up),
		cmocka_unit_test_setup(copy_directions_of_arrays_become_those_of_memory, set_up),
		cmocka_unit_test_setup(a_set_arrives_whole, set_up),
		cmocka_unit_test_setup(a_call_arrives_whole_and_under_its_plain_name, set_up),
		cmocka_unit_test_setup(calls_that_poll_are_left_out_and_counted, set_up),
		cmocka_unit_test_setup(
			a_synchronization_knows_its_device_and_the_stream_of_its_event, set_up),
		cmocka_unit_test_setup(a_synchronization_says_what_it_does_not_know, set_up),
		cmocka_unit_test_setup(every_overhead_has_its_kind_and_its_data_is_freed, set_up),
		cmocka_unit_test_setup(an_overhead_of_a_stream_holds_up_no_thread, set_up),
		cmocka_unit_test_setup(
			the_records_of_a_dropped_buffer_are_counted_and_leave_nothing_behind,
			set_up),
		cmocka_unit_test_setup(a_graph_launch_is_a_kernel_of_the_device, set_up),
		cmocka_unit_test_setup(a_device_has_the_uuid_that_nvidia_smi_prints, set_up),
		cmocka_unit_test_setup(a_hidden_device_is_none_of_ours, set_up),
		cmocka_unit_test_setup(kinds_that_are_not_read_are_skipped_and_counted, set_up),
		cmocka_unit_test_setup(
			a_buffer_cut_short_anywhere_gives_its_whole_records_and_no_more, set_up),
		cmocka_unit_test_setup(bad_stamps_are_zeros_and_counted, set_up),
		cmocka_unit_test_setup(
			an_operation_before_its_launch_is_counted_in_either_order, set_up),
	};
	struct diag diag = {.line = ""};
	int failed;

	if (cupti_api_open(NULL, &diag, &cupti) != STATUS_OK) {
		fprintf(stderr, "skipped: %s\n", diag.line);
		return 77;
	}
	buffer = aligned_alloc(8, BUFFER_BYTES);
	if (!buffer) {
		return 1;
	}
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	free(buffer);
	return failed;
}
