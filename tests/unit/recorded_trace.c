/* SPDX-License-Identifier: MIT */
#include "recorded_trace.h"

#include "trace/base/clock.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Each time the records are too many their array is replaced by one of twice the size. */
#define GROWTH_COUNT_MAX 22

static struct {
	pthread_mutex_t mutex;
	struct recorded *records;
	uint32_t count;
	uint32_t capacity;
	struct recorded *outgrown[GROWTH_COUNT_MAX]; /* who reads may have them still */
	uint32_t outgrown_count;
} trace = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static void grow(void)
{
	const uint32_t capacity = trace.capacity ? 2 * trace.capacity : 1024;
	struct recorded *records = malloc(capacity * sizeof(*records));

	if (!records || trace.outgrown_count == GROWTH_COUNT_MAX) {
		abort();
	}
	if (trace.records) {
		memcpy(records, trace.records, trace.count * sizeof(*records));
		trace.outgrown[trace.outgrown_count++] = trace.records;
	}
	trace.records = records;
	trace.capacity = capacity;
}

static void record(struct recorded recorded)
{
	if (recorded.tid == 0) {
		recorded.tid = gettid();
	}
	(void)pthread_mutex_lock(&trace.mutex);
	if (trace.count == trace.capacity) {
		grow();
	}
	trace.records[trace.count++] = recorded;
	(void)pthread_mutex_unlock(&trace.mutex);
}

const struct recorded *recorded_trace(uint32_t *out_count)
{
	const struct recorded *records;

	(void)pthread_mutex_lock(&trace.mutex);
	*out_count = trace.count;
	records = trace.records;
	(void)pthread_mutex_unlock(&trace.mutex);
	return records;
}

void recorded_trace_clear(void)
{
	(void)pthread_mutex_lock(&trace.mutex);
	while (trace.outgrown_count > 0) {
		free(trace.outgrown[--trace.outgrown_count]);
	}
	free(trace.records);
	trace.records = NULL;
	trace.count = 0;
	trace.capacity = 0;
	(void)pthread_mutex_unlock(&trace.mutex);
}

static bool is_match(const struct recorded *recorded, enum recorded_kind kind, const char *name)
{
	return recorded->kind == kind &&
	       (!name || (recorded->name && strcmp(recorded->name, name) == 0));
}

uint32_t recorded_trace_count(enum recorded_kind kind, const char *name)
{
	uint32_t record_count;
	const struct recorded *records = recorded_trace(&record_count);
	uint32_t count = 0;

	for (uint32_t i = 0; i < record_count; i++) {
		count += is_match(&records[i], kind, name);
	}
	return count;
}

const struct recorded *recorded_trace_find(enum recorded_kind kind, const char *name)
{
	uint32_t record_count;
	const struct recorded *records = recorded_trace(&record_count);

	for (uint32_t i = 0; i < record_count; i++) {
		if (is_match(&records[i], kind, name)) {
			return &records[i];
		}
	}
	return NULL;
}

bool gaptrace_is_recording(void)
{
	return true;
}

void gaptrace_gpu_device(const struct gaptrace_gpu_device *device)
{
	record((struct recorded){
		.kind = RECORDED_DEVICE,
		.device = device->device,
		.name = device->backend == GAPTRACE_BACKEND_SIM ? "sim" : "cpu",
	});
}

void gaptrace_gpu_kernel(const struct gaptrace_gpu_kernel *kernel)
{
	record((struct recorded){
		.kind = RECORDED_KERNEL,
		.device = kernel->device,
		.stream = kernel->stream,
		.correlation = kernel->correlation,
		.start_ns = kernel->start_ns,
		.end_ns = kernel->end_ns,
		.name = kernel->name,
	});
}

void gaptrace_gpu_memcpy(const struct gaptrace_gpu_memcpy *copy)
{
	const bool is_upload = copy->kind == GAPTRACE_COPY_HTOD;

	record((struct recorded){
		.kind = RECORDED_MEMCPY,
		.device = copy->device,
		.stream = copy->stream,
		.correlation = copy->correlation,
		.start_ns = copy->start_ns,
		.end_ns = copy->end_ns,
		.bytes = copy->bytes,
		.number = (uint64_t)copy->kind,
		.is_pinned = (is_upload ? copy->source_memory : copy->target_memory) ==
			     GAPTRACE_MEMORY_PINNED,
	});
}

void gaptrace_gpu_memset(const struct gaptrace_gpu_memset *set)
{
	(void)set;
}

void gaptrace_gpu_api(const struct gaptrace_gpu_api *api)
{
	record((struct recorded){
		.kind = RECORDED_API,
		.tid = api->tid,
		.correlation = api->correlation,
		.start_ns = api->start_ns,
		.end_ns = api->end_ns,
		.name = api->name,
		.result = api->result,
	});
}

void gaptrace_gpu_sync(const struct gaptrace_gpu_sync *sync)
{
	record((struct recorded){
		.kind = RECORDED_SYNC,
		.device = sync->device,
		.stream = sync->stream,
		.correlation = sync->correlation,
		.start_ns = sync->start_ns,
		.end_ns = sync->end_ns,
		.number = (uint64_t)sync->kind,
	});
}

void gaptrace_gpu_overhead(const struct gaptrace_gpu_overhead *overhead)
{
	record((struct recorded){
		.kind = RECORDED_OVERHEAD,
		.correlation = overhead->correlation,
		.start_ns = overhead->start_ns,
		.end_ns = overhead->end_ns,
		.number = (uint64_t)overhead->kind,
	});
}

void gaptrace_gpu_clock_pair(const struct gaptrace_gpu_clock_pair *pair)
{
	record((struct recorded){
		.kind = RECORDED_CLOCK_PAIR,
		.device = pair->device,
		.start_ns = pair->host_before_ns,
		.number = pair->device_ns,
		.end_ns = pair->host_after_ns,
	});
}

void gaptrace_gpu_watermark(int32_t device, uint64_t complete_until_ns)
{
	record((struct recorded){
		.kind = RECORDED_WATERMARK, .device = device, .end_ns = complete_until_ns});
}

static void record_buffer(enum recorded_kind kind, const struct gaptrace_buffer *buffer)
{
	record((struct recorded){
		.kind = kind,
		.bytes = buffer->bytes,
		.number = (uint64_t)buffer->kind,
		.live_bytes = buffer->live_bytes,
	});
}

void gaptrace_buffer_alloc(const struct gaptrace_buffer *buffer)
{
	record_buffer(RECORDED_BUFFER_ALLOC, buffer);
}

void gaptrace_buffer_free(const struct gaptrace_buffer *buffer)
{
	record_buffer(RECORDED_BUFFER_FREE, buffer);
}

static void record_task(enum recorded_kind kind, const struct gaptrace_task *task)
{
	record((struct recorded){
		.kind = kind,
		.object = task->pool,
		.name = task->name,
		.what = task->kind,
		.number = task->id,
		.work = task->work,
	});
}

void gaptrace_task_submit(struct gaptrace_task *task, uint32_t backlog)
{
	(void)backlog;
	task->submitted_ns = clock_now_ns();
	record_task(RECORDED_TASK_SUBMIT, task);
}

void gaptrace_task_begin(struct gaptrace_task *task)
{
	task->begin_ns = clock_now_ns();
	record_task(RECORDED_TASK_BEGIN, task);
}

void gaptrace_task_end(const struct gaptrace_task *task)
{
	record_task(RECORDED_TASK_END, task);
}

static void record_wait(
	enum recorded_kind kind, const void *object, const char *name, uint64_t number)
{
	record((struct recorded){.kind = kind, .object = object, .name = name, .number = number});
}

struct gaptrace_wait gaptrace_wait_begin(
	const void *object, const char *name, enum gaptrace_wait_kind kind)
{
	record_wait(RECORDED_WAIT_BEGIN, object, name, (uint64_t)kind);
	return (struct gaptrace_wait){object, name, kind, clock_now_ns()};
}

void gaptrace_wait_end(const struct gaptrace_wait *wait)
{
	record_wait(RECORDED_WAIT_END, wait->object, wait->name, (uint64_t)wait->kind);
}

void gaptrace_wake(const void *object, const char *name)
{
	record_wait(RECORDED_WAKE, object, name, 0);
}

static void record_span(enum recorded_kind kind, const struct gaptrace_span *span)
{
	record((struct recorded){
		.kind = kind,
		.name = span->name,
		.device = span->work.device,
		.work = span->work,
		.start_ns = span->begin_ns,
		.end_ns = clock_now_ns(),
	});
}

static struct gaptrace_span begin_span(const char *name, struct gaptrace_work work)
{
	const struct gaptrace_span span = {
		.name = name, .work = work, .begin_ns = clock_now_ns(), .tid = gettid()};

	record_span(RECORDED_SPAN_BEGIN, &span);
	return span;
}

struct gaptrace_span gaptrace_span_begin(const char *name, struct gaptrace_work work)
{
	return begin_span(name, work);
}

void gaptrace_span_end(const struct gaptrace_span *span)
{
	record_span(RECORDED_SPAN_END, span);
}

struct gaptrace_span gaptrace_prove_start_begin(struct gaptrace_work work, int32_t worker)
{
	(void)worker;
	return begin_span("prove_start", work);
}

void gaptrace_prove_start_end(const struct gaptrace_span *span)
{
	record_span(RECORDED_SPAN_END, span);
}

struct gaptrace_span gaptrace_prove_finish_begin(struct gaptrace_work work, int32_t worker)
{
	(void)worker;
	return begin_span("prove_finish", work);
}

void gaptrace_prove_finish_end(const struct gaptrace_span *span)
{
	record_span(RECORDED_SPAN_END, span);
}
