/* SPDX-License-Identifier: MIT */
/*
 * Proves, of every backend alike: operations of a stream run in order, those of different streams
 * as soon as their dependencies allow and never two on one engine; each joins the one call that
 * issued it; a failure stops what depends on it and nothing else; watermarks never lie.
 */
#include "device_rig.h"
#include "recorded_trace.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define KB 1024u

/* At this rate the rig's largest copy takes some 200 ms: time for another thread to start. */
#define SLOW_BYTES_PER_S 45000000u

/* A machine may keep a thread from running for long: what may happen is tried so often. */
#define ATTEMPTS_MAX 50

static bool is_operation(const struct recorded *recorded)
{
	return recorded->kind == RECORDED_KERNEL || recorded->kind == RECORDED_MEMCPY;
}

static enum status synchronize(struct device_rig *rig, int stream)
{
	return rig->ops->stream_synchronize(rig->streams[stream]);
}

static enum status upload(struct device_rig *rig, int stream, uint64_t bytes)
{
	const struct device_copy copy = device_rig_copy(rig, NULL, bytes);

	return rig->ops->upload(rig->streams[stream], &copy);
}

/* The n-th operation in the order of recording; NULL if there are not so many. */
static const struct recorded *operation(uint32_t n)
{
	uint32_t count;
	const struct recorded *records = recorded_trace(&count);

	for (uint32_t i = 0; i < count; i++) {
		if (is_operation(&records[i]) && n-- == 0) {
			return &records[i];
		}
	}
	return NULL;
}

static void copies_move_the_bytes(void **state)
{
	struct device_rig rig;
	uint8_t *pageable = malloc(RIG_COPY_BYTES);
	uint8_t *back = malloc(RIG_COPY_BYTES);
	struct device_copy copy;

	(void)state;
	assert_non_null(pageable);
	assert_non_null(back);
	device_rig_open(&rig, "cpu", (struct device_config){0});
	for (uint32_t i = 0; i < RIG_COPY_BYTES; i++) {
		pageable[i] = (uint8_t)(i * 2654435761u >> 24);
	}
	copy = device_rig_copy(&rig, pageable, RIG_COPY_BYTES);
	assert_int_equal(rig.ops->upload(rig.streams[0], &copy), STATUS_OK);
	memset(rig.pinned, 0, RIG_COPY_BYTES);
	copy = device_rig_copy(&rig, NULL, RIG_COPY_BYTES);
	assert_int_equal(rig.ops->download(rig.streams[0], &copy), STATUS_OK);
	assert_int_equal(synchronize(&rig, 0), STATUS_OK);
	assert_memory_equal(rig.pinned, pageable, RIG_COPY_BYTES);

	copy = device_rig_copy(&rig, back, RIG_COPY_BYTES - KB);
	copy.offset_bytes = KB;
	assert_int_equal(rig.ops->download(rig.streams[1], &copy), STATUS_OK);
	assert_memory_equal(back, pageable + KB, RIG_COPY_BYTES - KB);
	device_rig_close(&rig);
	free(pageable);
	free(back);
}

static void operations_of_a_stream_run_in_order(void **state)
{
	struct device_rig rig;
	uint64_t last_end_ns = 0;
	uint64_t last_correlation = 0;

	device_rig_open(&rig, *state, (struct device_config){0});
	recorded_trace_clear();
	for (int i = 0; i < 10; i++) {
		assert_int_equal(upload(&rig, 0, 64 * KB), STATUS_OK);
		assert_int_equal(device_rig_launch(&rig, 0), STATUS_OK);
	}
	assert_int_equal(synchronize(&rig, 0), STATUS_OK);
	for (uint32_t i = 0; i < 20; i++) {
		const struct recorded *recorded = operation(i);

		assert_non_null(recorded);
		assert_int_equal(recorded->kind, i % 2 == 0 ? RECORDED_MEMCPY : RECORDED_KERNEL);
		assert_true(recorded->start_ns >= last_end_ns);
		assert_true(recorded->end_ns >= recorded->start_ns);
		assert_true(recorded->correlation > last_correlation);
		last_end_ns = recorded->end_ns;
		last_correlation = recorded->correlation;
	}
	assert_null(operation(20));
	device_rig_close(&rig);
}

static bool overlaps(const struct recorded *first, const struct recorded *second)
{
	return first->start_ns < second->end_ns && second->start_ns < first->end_ns;
}

/* A rig whose largest copy is slow, on either backend. */
static void open_slow_rig(struct device_rig *rig, const char *backend)
{
	struct device_config config = {
		.pinned_bytes_per_s = SLOW_BYTES_PER_S, .model = device_model_rtx_5070_ti};

	config.model.time_scale = 0.001;
	config.model.pinned_bytes_per_s = SLOW_BYTES_PER_S / 1000;
	device_rig_open(rig, backend, config);
}

/* A kernel of one stream runs while a slow copy of another does. */
static void kernels_run_beside_copies(void **state)
{
	struct device_rig rig;
	bool has_overlapped = false;

	open_slow_rig(&rig, *state);
	for (int attempt = 0; attempt < ATTEMPTS_MAX && !has_overlapped; attempt++) {
		recorded_trace_clear();
		assert_int_equal(upload(&rig, 0, RIG_COPY_BYTES), STATUS_OK);
		assert_int_equal(device_rig_launch(&rig, 1), STATUS_OK);
		rig.ops->synchronize(rig.device);
		has_overlapped = overlaps(operation(0), operation(1));
	}
	assert_true(has_overlapped);
	device_rig_close(&rig);
}

/* One lane, one copy engine: kernels never overlap kernels, nor copies copies. */
static void an_engine_runs_one_operation_at_a_time(void **state)
{
	struct device_rig rig;
	uint32_t count;
	const struct recorded *records;

	device_rig_open(&rig, *state, (struct device_config){0});
	recorded_trace_clear();
	for (int i = 0; i < 8; i++) {
		assert_int_equal(device_rig_launch(&rig, i % 2), STATUS_OK);
		assert_int_equal(upload(&rig, (i + 1) % 2, 256 * KB), STATUS_OK);
	}
	rig.ops->synchronize(rig.device);
	records = recorded_trace(&count);
	for (uint32_t i = 0; i < count; i++) {
		for (uint32_t k = 0; k < i; k++) {
			if (is_operation(&records[i]) && records[i].kind == records[k].kind) {
				assert_false(overlaps(&records[i], &records[k]));
			}
		}
	}
	assert_int_equal(recorded_trace_count(RECORDED_KERNEL, NULL), 8);
	assert_int_equal(recorded_trace_count(RECORDED_MEMCPY, NULL), 8);
	device_rig_close(&rig);
}

/* The wait is on the device: its record ends when the event came, and the kernel starts then. */
static void a_stream_waits_for_an_event_of_another(void **state)
{
	struct device_rig rig;
	const struct recorded *copy;
	const struct recorded *kernel;
	const struct recorded *sync = NULL;
	const struct recorded *records;
	uint32_t count;

	device_rig_open(&rig, *state, (struct device_config){0});
	recorded_trace_clear();
	assert_int_equal(upload(&rig, 0, RIG_COPY_BYTES), STATUS_OK);
	assert_int_equal(rig.ops->event_record(rig.event, rig.streams[0]), STATUS_OK);
	assert_int_equal(rig.ops->stream_wait(rig.streams[1], rig.event), STATUS_OK);
	assert_int_equal(device_rig_launch(&rig, 1), STATUS_OK);
	assert_int_equal(synchronize(&rig, 1), STATUS_OK);
	copy = recorded_trace_find(RECORDED_MEMCPY, NULL);
	kernel = recorded_trace_find(RECORDED_KERNEL, NULL);
	records = recorded_trace(&count);
	for (uint32_t i = 0; i < count && !sync; i++) {
		if (records[i].kind == RECORDED_SYNC &&
			records[i].number == GAPTRACE_SYNC_STREAM_WAIT_EVENT) {
			sync = &records[i];
		}
	}
	assert_non_null(copy);
	assert_non_null(kernel);
	assert_non_null(sync);
	assert_int_equal(sync->stream, kernel->stream);
	assert_true(kernel->start_ns >= copy->end_ns);
	assert_true(sync->end_ns >= copy->end_ns);
	assert_true(sync->end_ns <= kernel->start_ns);
	device_rig_close(&rig);
}

static void a_wait_for_an_event_never_recorded_is_nothing(void **state)
{
	struct device_rig rig;

	device_rig_open(&rig, *state, (struct device_config){0});
	assert_int_equal(rig.ops->stream_wait(rig.streams[1], rig.event), STATUS_OK);
	assert_int_equal(device_rig_launch(&rig, 1), STATUS_OK);
	assert_int_equal(synchronize(&rig, 1), STATUS_OK);
	device_rig_close(&rig);
}

/* What came after the record of an event is not waited for: else this would wait for itself. */
static void an_event_is_of_what_came_before_it(void **state)
{
	struct device_rig rig;
	struct device_event *second = NULL;

	device_rig_open(&rig, *state, (struct device_config){0});
	assert_int_equal(rig.ops->event_open(rig.device, &second), STATUS_OK);
	for (int i = 0; i < 20; i++) {
		assert_int_equal(upload(&rig, 0, KB), STATUS_OK);
		assert_int_equal(rig.ops->event_record(rig.event, rig.streams[0]), STATUS_OK);
		assert_int_equal(rig.ops->stream_wait(rig.streams[1], rig.event), STATUS_OK);
		assert_int_equal(device_rig_launch(&rig, 1), STATUS_OK);
		assert_int_equal(rig.ops->event_record(second, rig.streams[1]), STATUS_OK);
		assert_int_equal(rig.ops->stream_wait(rig.streams[0], second), STATUS_OK);
	}
	assert_int_equal(synchronize(&rig, 0), STATUS_OK);
	assert_int_equal(synchronize(&rig, 1), STATUS_OK);
	rig.ops->event_close(rig.device, second);
	device_rig_close(&rig);
}

static const struct recorded *call_of(uint64_t correlation, uint32_t *out_count)
{
	uint32_t count;
	const struct recorded *records = recorded_trace(&count);
	const struct recorded *call = NULL;

	*out_count = 0;
	for (uint32_t i = 0; i < count; i++) {
		if (records[i].kind == RECORDED_API && records[i].correlation == correlation) {
			call = &records[i];
			++*out_count;
		}
	}
	return call;
}

struct driver_thread {
	struct device_rig *rig;
	int stream;
	int32_t tid;
};

static void *drive(void *argument)
{
	struct driver_thread *thread = argument;
	uint8_t *pageable = calloc(1, 64 * KB);
	const struct device_copy copy = device_rig_copy(thread->rig, pageable, 64 * KB);

	thread->tid = gettid();
	for (int i = 0; i < 30; i++) {
		struct device_stream *stream = thread->rig->streams[thread->stream];

		if (upload(thread->rig, thread->stream, 64 * KB) != STATUS_OK ||
			(i % 4 == 0 && device_rig_launch(thread->rig, thread->stream)) ||
			(i % 4 == 1 && thread->rig->ops->upload(stream, &copy)) ||
			(i % 8 == 2 && synchronize(thread->rig, thread->stream)) ||
			(i % 8 == 3 && thread->rig->ops->event_record(
					       thread->rig->event, thread->rig->streams[0])) ||
			(i % 8 == 5 && thread->rig->ops->stream_wait(stream, thread->rig->event))) {
			abort();
		}
	}
	if (synchronize(thread->rig, thread->stream) != STATUS_OK) {
		abort();
	}
	free(pageable);
	return NULL;
}

/* Two devices of one driver, a thread for each. */
static void run_two_devices(
	const char *backend, struct device_rig rigs[2], struct driver_thread threads[2])
{
	pthread_t handles[2];

	device_rig_open(&rigs[0], backend, (struct device_config){.index = 0});
	device_rig_open(
		&rigs[1], backend, (struct device_config){.index = 1, .driver = rigs[0].driver});
	recorded_trace_clear();
	for (int i = 0; i < 2; i++) {
		threads[i] = (struct driver_thread){.rig = &rigs[i], .stream = 0};
		assert_int_equal(pthread_create(&handles[i], NULL, drive, &threads[i]), 0);
	}
	for (int i = 0; i < 2; i++) {
		assert_int_equal(pthread_join(handles[i], NULL), 0);
	}
}

static void close_two_devices(struct device_rig rigs[2])
{
	device_rig_close(&rigs[1]);
	device_rig_close(&rigs[0]);
}

static void every_operation_joins_the_one_call_that_issued_it(void **state)
{
	struct device_rig rigs[2];
	struct driver_thread threads[2];
	uint32_t count;
	const struct recorded *records;

	run_two_devices(*state, rigs, threads);
	records = recorded_trace(&count);
	for (uint32_t i = 0; i < count; i++) {
		const struct recorded *call;
		uint32_t call_count;

		if (!is_operation(&records[i])) {
			continue;
		}
		call = call_of(records[i].correlation, &call_count);
		assert_int_equal(call_count, 1);
		assert_true(call->start_ns <= records[i].start_ns);
		assert_true(call->end_ns >= call->start_ns);
		assert_int_equal(call->tid, threads[records[i].device].tid);
		if (records[i].kind == RECORDED_MEMCPY && !records[i].is_pinned) {
			assert_true(call->end_ns >= records[i].end_ns);
		}
	}
	close_two_devices(rigs);
}

static void correlations_are_unique_among_devices(void **state)
{
	struct device_rig rigs[2];
	struct driver_thread threads[2];
	uint32_t count;
	const struct recorded *records;

	run_two_devices(*state, rigs, threads);
	records = recorded_trace(&count);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t call_count;

		if (records[i].kind == RECORDED_API) {
			assert_true(records[i].correlation > 0);
			(void)call_of(records[i].correlation, &call_count);
			assert_int_equal(call_count, 1);
		}
	}
	close_two_devices(rigs);
}

/* Two threads on two streams of one device, with events between them. */
static void watermarks_grow_and_no_operation_is_older(void **state)
{
	struct device_rig rig;
	struct driver_thread threads[2];
	pthread_t handles[2];
	uint64_t complete_until_ns = 0;
	uint32_t watermark_count = 0;
	uint32_t count;
	const struct recorded *records;

	recorded_trace_clear();
	device_rig_open(&rig, *state, (struct device_config){0});
	for (int i = 0; i < 2; i++) {
		threads[i] = (struct driver_thread){.rig = &rig, .stream = i};
		assert_int_equal(pthread_create(&handles[i], NULL, drive, &threads[i]), 0);
	}
	for (int i = 0; i < 2; i++) {
		assert_int_equal(pthread_join(handles[i], NULL), 0);
	}
	device_rig_close(&rig);
	records = recorded_trace(&count);
	for (uint32_t i = 0; i < count; i++) {
		if (records[i].kind == RECORDED_WATERMARK) {
			assert_true(records[i].end_ns >= complete_until_ns);
			complete_until_ns = records[i].end_ns;
			watermark_count++;
		} else if (is_operation(&records[i])) {
			assert_true(records[i].start_ns >= complete_until_ns);
		}
	}
	/* One after each operation at least, and the last one when all is over. */
	assert_true(watermark_count > recorded_trace_count(RECORDED_KERNEL, NULL) +
					      recorded_trace_count(RECORDED_MEMCPY, NULL));
	for (uint32_t i = 0; i < count; i++) {
		assert_true(!is_operation(&records[i]) || records[i].end_ns <= complete_until_ns);
	}
}

static void a_device_says_what_it_is_and_pairs_its_clock(void **state)
{
	struct device_rig rig;
	const struct recorded *device;
	const struct recorded *pair;

	recorded_trace_clear();
	device_rig_open(&rig, *state, (struct device_config){.index = 5});
	device_rig_close(&rig);
	device = recorded_trace_find(RECORDED_DEVICE, NULL);
	pair = recorded_trace_find(RECORDED_CLOCK_PAIR, NULL);
	assert_int_equal(recorded_trace_count(RECORDED_DEVICE, NULL), 1);
	assert_int_equal(device->device, 5);
	assert_string_equal(device->name, *state);
	assert_non_null(pair);
	assert_int_equal(pair->device, 5);
	assert_true(pair->start_ns <= pair->number && pair->number <= pair->end_ns);
}

/* The failed operation may have run; what comes after it on its stream has not. */
static void a_failure_stops_its_stream_and_who_waits_for_it(void **state)
{
	struct device_rig rig;
	uint32_t kernel_count;

	device_rig_open(&rig, *state,
		(struct device_config){.fault = DEVICE_FAULT_MSM_H, .fault_after_count = 1});
	assert_int_equal(device_rig_launch(&rig, 0), STATUS_OK);
	assert_int_equal(synchronize(&rig, 0), STATUS_OK);
	recorded_trace_clear();
	assert_int_equal(device_rig_launch(&rig, 0), STATUS_OK);
	assert_int_equal(upload(&rig, 0, KB), STATUS_OK);
	assert_int_equal(rig.ops->event_record(rig.event, rig.streams[0]), STATUS_OK);
	assert_int_equal(rig.ops->stream_wait(rig.streams[1], rig.event), STATUS_OK);
	assert_int_equal(device_rig_launch(&rig, 1), STATUS_OK);
	assert_int_not_equal(synchronize(&rig, 0), STATUS_OK);
	assert_int_not_equal(synchronize(&rig, 1), STATUS_OK);
	assert_int_equal(recorded_trace_count(RECORDED_KERNEL, NULL), 1);
	assert_int_equal(recorded_trace_count(RECORDED_MEMCPY, NULL), 0);
	assert_int_equal(rig.ops->counts(rig.device).failed_count, 1);

	/* Told once, then fit again. */
	kernel_count = recorded_trace_count(RECORDED_KERNEL, NULL);
	assert_int_equal(synchronize(&rig, 0), STATUS_OK);
	assert_int_equal(synchronize(&rig, 1), STATUS_OK);
	assert_int_equal(device_rig_launch(&rig, 0), STATUS_OK);
	assert_int_equal(device_rig_launch(&rig, 1), STATUS_OK);
	assert_int_equal(synchronize(&rig, 0), STATUS_OK);
	assert_int_equal(synchronize(&rig, 1), STATUS_OK);
	assert_int_equal(recorded_trace_count(RECORDED_KERNEL, NULL), kernel_count + 2);
	device_rig_close(&rig);
}

static void a_staged_upload_that_fails_says_so_itself(void **state)
{
	/* The cpu rig itself uploads once. */
	const uint32_t before = strcmp(*state, "cpu") == 0 ? 1 : 0;
	struct device_rig rig;
	uint8_t pageable[KB] = {0};
	struct device_copy copy;

	device_rig_open(&rig, *state,
		(struct device_config){.fault = DEVICE_FAULT_UPLOAD, .fault_after_count = before});
	copy = device_rig_copy(&rig, pageable, sizeof(pageable));
	assert_int_not_equal(rig.ops->upload(rig.streams[0], &copy), STATUS_OK);
	assert_int_not_equal(synchronize(&rig, 0), STATUS_OK);
	assert_int_equal(rig.ops->upload(rig.streams[0], &copy), STATUS_OK);
	assert_int_equal(synchronize(&rig, 0), STATUS_OK);
	device_rig_close(&rig);
}

static void what_lies_outside_a_memory_is_refused(void **state)
{
	struct device_rig rig;
	struct device_copy copy;
	struct device_place outside;
	struct device_scalars scalars = {0};

	device_rig_open(&rig, *state, (struct device_config){0});
	copy = device_rig_copy(&rig, NULL, RIG_COPY_BYTES);
	copy.offset_bytes = 1;
	assert_int_equal(rig.ops->upload(rig.streams[0], &copy), STATUS_BAD_USE);
	copy.offset_bytes = UINT64_MAX;
	assert_int_equal(rig.ops->download(rig.streams[0], &copy), STATUS_BAD_USE);
	outside = device_rig_result(&rig, 0);
	outside.offset_bytes++;
	assert_int_equal(
		rig.ops->msm_h(rig.streams[0], rig.key, device_rig_vector(&rig, 0), outside),
		STATUS_BAD_USE);
	scalars.memory = rig.kernel_memory;
	scalars.wide = (struct device_tail){.count = UINT32_MAX, .bit_count = 255};
	assert_int_equal(rig.ops->msm(rig.streams[0], rig.key, DEVICE_QUERY_A, &scalars,
				 device_rig_result(&rig, 0)),
		STATUS_BAD_USE);
	assert_int_equal(synchronize(&rig, 0), STATUS_OK);
	device_rig_close(&rig);
}

static void memory_that_is_not_there_is_refused(void **state)
{
	struct device_rig rig;
	struct device_memory *memory = NULL;
	void *pinned = NULL;
	uint64_t free_bytes;

	device_rig_open(&rig, *state,
		(struct device_config){.memory_bytes = RIG_COPY_BYTES + RIG_KERNEL_BYTES + 1000,
			.fault = DEVICE_FAULT_PINNED_ALLOC,
			.fault_after_count = 1});
	free_bytes = rig.ops->free_bytes(rig.device);
	assert_int_equal(free_bytes, 1000);
	assert_int_equal(rig.ops->memory_alloc(rig.device, 1001, &memory), STATUS_NO_MEMORY);
	assert_null(memory);
	assert_int_equal(rig.ops->memory_alloc(rig.device, 1000, &memory), STATUS_OK);
	assert_int_equal(rig.ops->free_bytes(rig.device), 0);
	rig.ops->memory_free(rig.device, memory);
	assert_int_equal(rig.ops->free_bytes(rig.device), free_bytes);
	assert_int_equal(rig.ops->pinned_alloc(rig.device, 4096, &pinned), STATUS_NO_MEMORY);
	assert_null(pinned);
	device_rig_close(&rig);
}

/* Buffers are told with what is alive after each act, and all are gone at the end. */
static void allocations_are_told_and_balance(void **state)
{
	struct device_rig rig;
	uint32_t count;
	const struct recorded *records;
	uint64_t live_bytes[GAPTRACE_BUFFER_DEVICE + 1] = {0};

	recorded_trace_clear();
	device_rig_open(&rig, *state, (struct device_config){0});
	device_rig_close(&rig);
	records = recorded_trace(&count);
	for (uint32_t i = 0; i < count; i++) {
		const struct recorded *recorded = &records[i];

		if (recorded->kind == RECORDED_BUFFER_ALLOC) {
			live_bytes[recorded->number] += recorded->bytes;
		} else if (recorded->kind == RECORDED_BUFFER_FREE) {
			live_bytes[recorded->number] -= recorded->bytes;
		} else {
			continue;
		}
		assert_int_equal(recorded->live_bytes, live_bytes[recorded->number]);
	}
	assert_int_equal(recorded_trace_count(RECORDED_BUFFER_ALLOC, NULL), 3);
	assert_int_equal(live_bytes[GAPTRACE_BUFFER_PINNED], 0);
	assert_int_equal(live_bytes[GAPTRACE_BUFFER_DEVICE], 0);
}

/* A stream holds 1024 operations; the call that puts one more on it waits, and says why. */
static void a_full_stream_keeps_the_caller_and_says_so(void **state)
{
	struct device_rig rig;
	const struct recorded *full = NULL;
	uint32_t call_count;

	open_slow_rig(&rig, *state);
	for (int attempt = 0; attempt < ATTEMPTS_MAX && !full; attempt++) {
		recorded_trace_clear();
		for (int i = 0; i < 1200; i++) {
			assert_int_equal(upload(&rig, 0, i == 0 ? RIG_COPY_BYTES : 16), STATUS_OK);
		}
		assert_int_equal(synchronize(&rig, 0), STATUS_OK);
		full = recorded_trace_find(RECORDED_OVERHEAD, NULL);
	}
	assert_non_null(full);
	assert_int_equal(full->number, GAPTRACE_OVERHEAD_COMMAND_BUFFER_FULL);
	assert_true(full->end_ns >= full->start_ns);
	assert_non_null(call_of(full->correlation, &call_count));
	assert_int_equal(recorded_trace_count(RECORDED_MEMCPY, NULL), 1200);
	device_rig_close(&rig);
}

/* Durations are the model's to the nanosecond, whatever this host's scheduler does. */
static void simulated_operations_take_what_the_model_says(void **state)
{
	struct device_rig rig;
	struct device_model model = device_model_rtx_5070_ti;
	uint8_t pageable[16] = {0};
	struct device_copy copy;

	(void)state;
	model.time_scale = 0.5;
	model.pinned_bytes_per_s = 1000u * 1000 * 1000;
	model.pageable_bytes_per_s = 100u * 1000 * 1000;
	device_rig_open(&rig, "sim", (struct device_config){.model = model});
	recorded_trace_clear();
	assert_int_equal(upload(&rig, 0, 1000 * 1000), STATUS_OK);
	copy = device_rig_copy(&rig, pageable, 1000 * 1000);
	assert_int_equal(rig.ops->upload(rig.streams[0], &copy), STATUS_OK);
	assert_int_equal(rig.ops->transform(rig.streams[0], rig.key, DEVICE_VECTOR_A,
				 device_rig_vector(&rig, 0)),
		STATUS_OK);
	assert_int_equal(synchronize(&rig, 0), STATUS_OK);
	assert_int_equal(operation(0)->end_ns - operation(0)->start_ns, 500 * 1000);
	assert_int_equal(operation(1)->end_ns - operation(1)->start_ns, 5000 * 1000);
	assert_int_equal(operation(2)->end_ns - operation(2)->start_ns,
		(1u << 16) * model.transform_ps_per_element / 2 / 1000);
	assert_string_equal(operation(2)->name, "ntt_a");
	device_rig_close(&rig);
}

/* Queued together, they follow one another without a nanosecond between. */
static void simulated_kernels_that_are_queued_leave_no_gap(void **state)
{
	struct device_rig rig;
	struct device_config config = {.model = device_model_rtx_5070_ti};
	bool has_no_gap = false;

	(void)state;
	config.model.time_scale = 0.1; /* 27 ms each */
	device_rig_open(&rig, "sim", config);
	for (int attempt = 0; attempt < ATTEMPTS_MAX && !has_no_gap; attempt++) {
		recorded_trace_clear();
		assert_int_equal(upload(&rig, 0, RIG_COPY_BYTES), STATUS_OK);
		for (int i = 0; i < 3; i++) {
			assert_int_equal(device_rig_launch(&rig, 0), STATUS_OK);
		}
		assert_int_equal(synchronize(&rig, 0), STATUS_OK);
		has_no_gap = operation(1)->end_ns == operation(2)->start_ns &&
			     operation(2)->end_ns == operation(3)->start_ns;
	}
	assert_true(has_no_gap);
	device_rig_close(&rig);
}

static void backends_are_found_by_name(void **state)
{
	(void)state;
	assert_ptr_equal(device_find("cpu"), &device_cpu);
	assert_ptr_equal(device_find("sim"), &device_sim);
	assert_null(device_find("gpu"));
	assert_true(device_cpu.makes_proofs);
	assert_false(device_sim.makes_proofs);
}

static int finish(void **state)
{
	(void)state;
	recorded_trace_clear();
	device_rig_free_key();
	return 0;
}

/* clang-format off */
#define BOTH(test)                                                                                 \
	{#test " (cpu)", test, NULL, NULL, "cpu"}, {#test " (sim)", test, NULL, NULL, "sim"}
/* clang-format on */

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(copies_move_the_bytes),
		BOTH(operations_of_a_stream_run_in_order),
		BOTH(kernels_run_beside_copies),
		BOTH(an_engine_runs_one_operation_at_a_time),
		BOTH(a_stream_waits_for_an_event_of_another),
		BOTH(a_wait_for_an_event_never_recorded_is_nothing),
		BOTH(an_event_is_of_what_came_before_it),
		BOTH(every_operation_joins_the_one_call_that_issued_it),
		BOTH(correlations_are_unique_among_devices),
		BOTH(watermarks_grow_and_no_operation_is_older),
		BOTH(a_device_says_what_it_is_and_pairs_its_clock),
		BOTH(a_failure_stops_its_stream_and_who_waits_for_it),
		BOTH(a_staged_upload_that_fails_says_so_itself),
		BOTH(what_lies_outside_a_memory_is_refused),
		BOTH(memory_that_is_not_there_is_refused),
		BOTH(allocations_are_told_and_balance),
		BOTH(a_full_stream_keeps_the_caller_and_says_so),
		cmocka_unit_test(simulated_operations_take_what_the_model_says),
		cmocka_unit_test(simulated_kernels_that_are_queued_leave_no_gap),
		cmocka_unit_test(backends_are_found_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, finish);
}
