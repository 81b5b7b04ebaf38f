/* SPDX-License-Identifier: MIT */
#include "tests/unit/cuda_runtime.h"

#include "prover/device/cuda/kernels.h"
#include "prover/device/cuda/runtime.h"
#include "tests/unit/cuda_emulation.h"
#include "trace/base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As large as a small GPU, unless a test says otherwise. */
struct cuda_runtime cuda_runtime = {.memory_bytes = 1ULL << 32};

struct runtime_mark {
	uint64_t time_ns;
	bool is_late;
};

struct runtime {
	char failure[64];
};

/* Memory has its size in front of it. */
#define HEADER_BYTES 256u

static enum status call(struct runtime *runtime, const char *name)
{
	cuda_runtime.call_count++;
	if (cuda_runtime.call_count != cuda_runtime.fails_at) {
		return STATUS_OK;
	}
	(void)snprintf(runtime->failure, sizeof(runtime->failure), "%s: failed", name);
	return STATUS_UNAVAILABLE;
}

static enum status open_any(struct runtime *runtime, const char *name, void **out_object)
{
	const enum status status = call(runtime, name);

	if (status == STATUS_OK) {
		*out_object = malloc(1);
		cuda_runtime.open_count++;
	}
	return status;
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

enum status runtime_free_bytes(struct runtime *runtime, uint64_t *out_bytes)
{
	(void)runtime;
	*out_bytes = cuda_runtime.memory_bytes - cuda_runtime.used_bytes;
	return STATUS_OK;
}

enum status runtime_pinned_alloc(struct runtime *runtime, uint64_t bytes, void **out_memory)
{
	const enum status status = call(runtime, "pinned_alloc");

	if (status == STATUS_OK) {
		*out_memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
		cuda_runtime.open_count++;
	}
	return status;
}

void runtime_pinned_free(struct runtime *runtime, void *memory)
{
	(void)runtime;
	close_any(memory);
}

enum status runtime_memory_alloc(struct runtime *runtime, uint64_t bytes, void **out_memory)
{
	uint8_t *memory;
	enum status status = call(runtime, "memory_alloc");

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
	cuda_runtime.used_bytes -= bytes;
	close_any((uint8_t *)memory - HEADER_BYTES);
}

enum status runtime_stream_open(struct runtime *runtime, struct runtime_stream **out_stream)
{
	return open_any(runtime, "stream_open", (void **)out_stream);
}

void runtime_stream_close(struct runtime *runtime, struct runtime_stream *stream)
{
	(void)runtime;
	close_any(stream);
}

enum status runtime_event_open(struct runtime *runtime, struct runtime_event **out_event)
{
	return open_any(runtime, "event_open", (void **)out_event);
}

void runtime_event_close(struct runtime *runtime, struct runtime_event *event)
{
	(void)runtime;
	close_any(event);
}

enum status runtime_mark_open(struct runtime *runtime, struct runtime_mark **out_mark)
{
	const enum status status = call(runtime, "mark_open");

	if (status == STATUS_OK) {
		*out_mark = calloc(1, sizeof(**out_mark));
		cuda_runtime.open_count++;
	}
	return status;
}

void runtime_mark_close(struct runtime *runtime, struct runtime_mark *mark)
{
	(void)runtime;
	if (mark) {
		close_any(mark);
	}
}

/* The device's clock is an hour off the host's, and stands still where a test says so. */
enum status runtime_mark_record(
	struct runtime *runtime, struct runtime_mark *mark, struct runtime_stream *stream)
{
	(void)stream;
	mark->time_ns = clock_now_ns() + 3600 * NS_PER_S;
	mark->is_late = cuda_runtime.marks_are_late;
	return call(runtime, "mark_record");
}

enum status runtime_mark_passed(
	struct runtime *runtime, struct runtime_mark *mark, bool *out_has_passed)
{
	*out_has_passed = !mark->is_late || !cuda_runtime.marks_are_late;
	return call(runtime, "mark_passed");
}

enum status runtime_mark_elapsed(struct runtime *runtime, struct runtime_mark *first,
	struct runtime_mark *last, uint64_t *out_ns)
{
	*out_ns = last->time_ns - first->time_ns;
	return call(runtime, "mark_elapsed");
}

enum status runtime_event_record(
	struct runtime *runtime, struct runtime_event *event, struct runtime_stream *stream)
{
	(void)event;
	(void)stream;
	return call(runtime, "event_record");
}

enum status runtime_stream_wait(
	struct runtime *runtime, struct runtime_stream *stream, struct runtime_event *event)
{
	(void)event;
	(void)stream;
	return call(runtime, "stream_wait");
}

enum status runtime_stream_synchronize(struct runtime *runtime, struct runtime_stream *stream)
{
	(void)stream;
	cuda_runtime.synchronize_count++;
	return call(runtime, "stream_synchronize");
}

enum status runtime_synchronize(struct runtime *runtime)
{
	cuda_runtime.device_synchronize_count++;
	return call(runtime, "synchronize");
}

enum status runtime_copy(
	struct runtime *runtime, struct runtime_stream *stream, const struct runtime_copy *copy)
{
	const enum status status = call(runtime, "copy");

	(void)stream;
	if (status == STATUS_OK) {
		memcpy(copy->target, copy->source, copy->bytes);
	}
	return status;
}

enum status runtime_clear(
	struct runtime *runtime, struct runtime_stream *stream, void *memory, uint64_t bytes)
{
	const enum status status = call(runtime, "clear");

	(void)stream;
	if (status == STATUS_OK) {
		memset(memory, 0, bytes);
	}
	return status;
}

enum status runtime_launch_sums(struct runtime *runtime, struct runtime_stream *stream,
	enum sums_kernel kernel, uint32_t thread_count, const struct sums *sums)
{
	struct cuda_emulation emulation = {0};
	const struct sums_launcher launcher = cuda_emulation_launcher(&emulation);
	const enum status status = call(runtime, "launch");

	(void)stream;
	return status == STATUS_OK ? launcher.launch(launcher.context, kernel, thread_count, sums)
				   : status;
}

enum status runtime_launch_roots(struct runtime *runtime, struct runtime_stream *stream,
	uint32_t log2, const struct transform_powers *powers, struct fr *roots)
{
	const enum status status = call(runtime, "launch");

	(void)stream;
	for (uint32_t i = 0; status == STATUS_OK && i < transform_root_count(log2); i++) {
		transform_fill_roots(i, log2, powers, roots);
	}
	return status;
}

enum status runtime_launch_step(struct runtime *runtime, struct runtime_stream *stream,
	const struct transform *transform, const struct transform_step *step, struct fr *vector)
{
	const enum status status = call(runtime, "launch");

	(void)stream;
	for (uint32_t i = 0; status == STATUS_OK && i < step->thread_count; i++) {
		if (step->kind == TRANSFORM_STEP_SCALE) {
			transform_scale(i, transform, vector);
		} else {
			transform_run_pass(i, transform, step->pass,
				step->kind == TRANSFORM_STEP_INVERSE, vector);
		}
	}
	return status;
}

enum status runtime_launch_quotient(struct runtime *runtime, struct runtime_stream *stream,
	const struct runtime_quotient *quotient)
{
	const enum status status = call(runtime, "launch");

	(void)stream;
	for (uint32_t i = 0; status == STATUS_OK && i < quotient->count; i++) {
		transform_quotient(i, quotient->count, quotient->a, quotient->b, quotient->c);
	}
	return status;
}

enum status runtime_launch_product(struct runtime *runtime, struct runtime_stream *stream,
	const struct runtime_quotient *product)
{
	const enum status status = call(runtime, "launch");

	(void)stream;
	for (uint32_t i = 0; status == STATUS_OK && i < product->count; i++) {
		transform_product(i, product->count, product->a, product->b, product->c);
	}
	return status;
}

enum status runtime_launch_sparse(
	struct runtime *runtime, struct runtime_stream *stream, const struct runtime_sparse *sparse)
{
	const enum status status = call(runtime, "launch");

	(void)stream;
	for (uint32_t i = 0; status == STATUS_OK && i < sparse->thread_count; i++) {
		switch (sparse->kernel) {
		case SPARSE_KERNEL_ROW:
			sparse_row(i, &sparse->sparse, sparse->values);
			break;
		case SPARSE_KERNEL_PART:
			sparse_part(i, &sparse->sparse, sparse->parts);
			break;
		case SPARSE_KERNEL_JOIN:
			sparse_join(i, &sparse->sparse, sparse->parts, sparse->values);
			break;
		}
	}
	return status;
}
