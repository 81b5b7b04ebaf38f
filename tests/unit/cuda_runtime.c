/* SPDX-License-Identifier: MIT */
#include "tests/unit/cuda_runtime.h"

#include "prover/device/cuda/kernels.h"
#include "prover/device/cuda/runtime.h"
#include "tests/unit/cuda_emulation.h"
#include "tests/unit/cuda_streams.h"
#include "trace/base/clock.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As large as a small GPU, unless a test says otherwise. */
struct cuda_runtime cuda_runtime = {.memory_bytes = 1ULL << 32};

struct runtime_mark {
	struct cuda_place place;
	uint64_t time_ns;
	bool is_late;
};

struct runtime_event {
	struct cuda_place place;
};

struct runtime {
	char failure[64];
};

/* In front of memory of either kind; pinned memory is told from other by it. */
#define HEADER_BYTES 256u

/* Blocks of pinned memory at a time. */
#define PINNED_COUNT_MAX 64

static struct {
	pthread_mutex_t mutex;
	struct {
		uint8_t *bytes;
		uint64_t count;
	} blocks[PINNED_COUNT_MAX];
} pinned = {.mutex = PTHREAD_MUTEX_INITIALIZER};

enum status cuda_runtime_call(struct runtime *runtime, const char *name)
{
	cuda_runtime.call_count++;
	if (cuda_runtime.call_count != cuda_runtime.fails_at) {
		return STATUS_OK;
	}
	(void)snprintf(runtime->failure, sizeof(runtime->failure), "%s: failed", name);
	return STATUS_UNAVAILABLE;
}

static void close_any(void *object)
{
	cuda_runtime.open_count--;
	free(object);
}

enum status runtime_open(uint32_t device_index, struct diag *diag, struct runtime **out_runtime)
{
	if (cuda_runtime.has_no_driver) {
		return diag_set(diag, STATUS_UNAVAILABLE, "device %u: no driver", device_index);
	}
	*out_runtime = calloc(1, sizeof(**out_runtime));
	cuda_runtime.open_count++;
	return STATUS_OK;
}

void runtime_close(struct runtime *runtime)
{
	if (runtime) {
		close_any(runtime);
	}
}

void runtime_failure(struct runtime *runtime, struct diag *out_words)
{
	(void)snprintf(out_words->line, sizeof(out_words->line), "%s", runtime->failure);
	runtime->failure[0] = '\0';
}

bool runtime_is_lost(struct runtime *runtime, struct diag *out_words)
{
	(void)runtime;
	(void)out_words;
	return false;
}

enum status runtime_free_bytes(struct runtime *runtime, uint64_t *out_bytes)
{
	(void)runtime;
	*out_bytes = cuda_runtime.memory_bytes - cuda_runtime.used_bytes;
	return STATUS_OK;
}

/* Has the pinned memory that began at `from` begin at `to`. */
static void replace_pinned(const uint8_t *from, uint8_t *to, uint64_t bytes)
{
	int i = 0;

	pthread_mutex_lock(&pinned.mutex);
	while (pinned.blocks[i].bytes != from && ++i < PINNED_COUNT_MAX) {
	}
	if (i == PINNED_COUNT_MAX) {
		abort();
	}
	pinned.blocks[i].bytes = to;
	pinned.blocks[i].count = bytes;
	pthread_mutex_unlock(&pinned.mutex);
}

static bool is_pinned(const uint8_t *bytes)
{
	bool is_found = false;

	pthread_mutex_lock(&pinned.mutex);
	for (int i = 0; i < PINNED_COUNT_MAX; i++) {
		is_found |= pinned.blocks[i].bytes && bytes >= pinned.blocks[i].bytes &&
			    bytes < pinned.blocks[i].bytes + pinned.blocks[i].count;
	}
	pthread_mutex_unlock(&pinned.mutex);
	return is_found;
}

enum status runtime_pinned_alloc(struct runtime *runtime, uint64_t bytes, void **out_memory)
{
	const enum status status = cuda_runtime_call(runtime, "pinned_alloc");

	if (status == STATUS_OK) {
		*out_memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
		replace_pinned(NULL, *out_memory, bytes);
		cuda_runtime.open_count++;
	}
	return status;
}

void runtime_pinned_free(struct runtime *runtime, void *memory)
{
	(void)runtime;
	replace_pinned(memory, NULL, 0);
	close_any(memory);
}

enum status runtime_memory_alloc(struct runtime *runtime, uint64_t bytes, void **out_memory)
{
	uint8_t *memory;
	enum status status = cuda_runtime_call(runtime, "memory_alloc");

	if (status == STATUS_OK && bytes > cuda_runtime.memory_bytes - cuda_runtime.used_bytes) {
		status = STATUS_NO_MEMORY;
	}
	if (status != STATUS_OK) {
		return status;
	}
	memory = aligned_alloc(HEADER_BYTES, HEADER_BYTES * (bytes / HEADER_BYTES + 2));
	memset(memory, 0x5a, HEADER_BYTES + bytes);
	cuda_runtime.used_bytes += bytes;
	cuda_runtime.open_count++;
	cuda_runtime.alloc_count++;
	*out_memory = memory + HEADER_BYTES;
	return STATUS_OK;
}

void runtime_memory_free(struct runtime *runtime, void *memory, uint64_t bytes)
{
	(void)runtime;
	if (cuda_runtime.before_free) {
		cuda_runtime.before_free();
	}
	cuda_runtime.used_bytes -= bytes;
	memset(memory, 0xdd, bytes); /* whoever goes on using it finds no key and no scalars */
	close_any((uint8_t *)memory - HEADER_BYTES);
}

/* The stream's work is done at once, or when somebody waits for it. */
static struct cuda_stream *queue_of(struct runtime_stream *stream)
{
	return (struct cuda_stream *)(void *)stream;
}

void cuda_runtime_put(struct runtime_stream *stream, void (*run)(void *argument),
	const void *argument, size_t bytes)
{
	cuda_stream_put(queue_of(stream), run, argument, bytes);
}

enum status runtime_stream_open(struct runtime *runtime, struct runtime_stream **out_stream)
{
	const enum status status = cuda_runtime_call(runtime, "stream_open");

	if (status == STATUS_OK) {
		*out_stream = (struct runtime_stream *)(void *)cuda_stream_create(
			cuda_runtime.lazy_streams >> cuda_runtime.stream_count++ % 32 & 1);
		cuda_runtime.open_count++;
	}
	return status;
}

void runtime_stream_close(struct runtime *runtime, struct runtime_stream *stream)
{
	(void)runtime;
	cuda_runtime.open_count--;
	cuda_stream_destroy(queue_of(stream));
}

static enum status open_any(struct runtime *runtime, const char *name, size_t bytes, void *out)
{
	const enum status status = cuda_runtime_call(runtime, name);

	if (status == STATUS_OK) {
		void *object = calloc(1, bytes);

		memcpy(out, &object, sizeof(object));
		cuda_runtime.open_count++;
	}
	return status;
}

enum status runtime_event_open(struct runtime *runtime, struct runtime_event **out_event)
{
	return open_any(runtime, "event_open", sizeof(**out_event), out_event);
}

void runtime_event_close(struct runtime *runtime, struct runtime_event *event)
{
	(void)runtime;
	close_any(event);
}

enum status runtime_mark_open(struct runtime *runtime, struct runtime_mark **out_mark)
{
	return open_any(runtime, "mark_open", sizeof(**out_mark), out_mark);
}

void runtime_mark_close(struct runtime *runtime, struct runtime_mark *mark)
{
	(void)runtime;
	if (mark) {
		close_any(mark);
	}
}

/* The device's clock is an hour off the host's. */
static void pass_mark(void *argument)
{
	struct runtime_mark *mark = *(struct runtime_mark **)argument;

	mark->time_ns = clock_now_ns() + 3600 * NS_PER_S;
}

/* Marks stand still where a test says so. */
enum status runtime_mark_record(
	struct runtime *runtime, struct runtime_mark *mark, struct runtime_stream *stream)
{
	cuda_runtime_put(stream, pass_mark, &mark, sizeof(mark));
	mark->place = cuda_stream_place(queue_of(stream));
	mark->is_late = cuda_runtime.marks_are_late;
	return cuda_runtime_call(runtime, "mark_record");
}

enum status runtime_mark_passed(
	struct runtime *runtime, struct runtime_mark *mark, bool *out_has_passed)
{
	*out_has_passed = cuda_place_is_passed(&mark->place) &&
			  (!mark->is_late || !cuda_runtime.marks_are_late);
	return cuda_runtime_call(runtime, "mark_passed");
}

enum status runtime_mark_elapsed(struct runtime *runtime, struct runtime_mark *first,
	struct runtime_mark *last, uint64_t *out_ns)
{
	*out_ns = last->time_ns > first->time_ns ? last->time_ns - first->time_ns : 0;
	return cuda_runtime_call(runtime, "mark_elapsed");
}

enum status runtime_event_record(
	struct runtime *runtime, struct runtime_event *event, struct runtime_stream *stream)
{
	event->place = cuda_stream_place(queue_of(stream));
	return cuda_runtime_call(runtime, "event_record");
}

static void wait_for_place(void *argument)
{
	cuda_place_run(argument);
}

enum status runtime_stream_wait(
	struct runtime *runtime, struct runtime_stream *stream, struct runtime_event *event)
{
	cuda_runtime_put(stream, wait_for_place, &event->place, sizeof(event->place));
	return cuda_runtime_call(runtime, "stream_wait");
}

enum status runtime_stream_synchronize(struct runtime *runtime, struct runtime_stream *stream)
{
	const struct cuda_place end = cuda_stream_place(queue_of(stream));

	cuda_place_run(&end);
	cuda_runtime.synchronize_count++;
	return cuda_runtime_call(runtime, "stream_synchronize");
}

enum status runtime_synchronize(struct runtime *runtime)
{
	cuda_streams_run_all();
	cuda_runtime.device_synchronize_count++;
	return cuda_runtime_call(runtime, "synchronize");
}

static void run_copy(void *argument)
{
	const struct runtime_copy *copy = argument;

	memcpy(copy->target, copy->source, copy->bytes);
}

struct staged_copy {
	void *target;
	uint64_t bytes;
	uint8_t staged[];
};

static void run_staged_copy(void *argument)
{
	const struct staged_copy *copy = argument;

	memcpy(copy->target, copy->staged, copy->bytes);
}

static void put_staged(struct runtime_stream *stream, const struct runtime_copy *copy)
{
	struct staged_copy *staged = malloc(sizeof(*staged) + copy->bytes);

	staged->target = copy->target;
	staged->bytes = copy->bytes;
	memcpy(staged->staged, copy->source, copy->bytes);
	cuda_runtime_put(stream, run_staged_copy, staged, sizeof(*staged) + copy->bytes);
	free(staged);
}

/* From pageable memory the caller's bytes are taken now, and to it the caller waits, as in CUDA. */
enum status runtime_copy(
	struct runtime *runtime, struct runtime_stream *stream, const struct runtime_copy *copy)
{
	const enum status status = cuda_runtime_call(runtime, "copy");
	const bool is_upload = copy->direction == RUNTIME_UPLOAD;

	if (status != STATUS_OK) {
		return status;
	}
	if (is_pinned(is_upload ? copy->source : copy->target)) {
		cuda_runtime_put(stream, run_copy, copy, sizeof(*copy));
	} else if (is_upload) {
		put_staged(stream, copy);
	} else {
		struct cuda_place end;

		cuda_stream_put(queue_of(stream), run_copy, copy, sizeof(*copy));
		end = cuda_stream_place(queue_of(stream));
		cuda_place_run(&end);
	}
	return STATUS_OK;
}

struct clearing {
	void *memory;
	uint64_t bytes;
};

static void run_clear(void *argument)
{
	const struct clearing *clearing = argument;

	memset(clearing->memory, 0, clearing->bytes);
}

enum status runtime_clear(
	struct runtime *runtime, struct runtime_stream *stream, void *memory, uint64_t bytes)
{
	const enum status status = cuda_runtime_call(runtime, "clear");

	if (status == STATUS_OK) {
		cuda_runtime_put(stream, run_clear, &(struct clearing){memory, bytes},
			sizeof(struct clearing));
	}
	return status;
}

struct host_call {
	void (*function)(void *argument);
	void *argument;
};

static void run_host_call(void *argument)
{
	const struct host_call *host_call = argument;

	host_call->function(host_call->argument);
}

enum status runtime_host_call(struct runtime *runtime, struct runtime_stream *stream,
	void (*function)(void *argument), void *argument)
{
	const enum status status = cuda_runtime_call(runtime, "host_call");

	if (status == STATUS_OK) {
		cuda_runtime_put(stream, run_host_call, &(struct host_call){function, argument},
			sizeof(struct host_call));
	}
	return status;
}
