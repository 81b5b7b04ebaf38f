/* SPDX-License-Identifier: MIT */
/*
 * The CUDA runtime as the backend uses it, one function for each thing asked of it, so that the
 * backend is C that is built and tested where there is neither toolkit nor GPU. Every function may
 * be called by any thread. A failure's status is that of the CUDA error, and the error's name and
 * the call that gave it are kept for runtime_failure().
 *
 * One of two files is linked: runtime.cu, or a test's.
 */
#pragma once

#include "prover/device/cuda/sparse.h"
#include "prover/device/cuda/sums.h"
#include "prover/device/cuda/transform_plan.h"
#include "trace/base/cleanup.h"
#include "trace/base/diag.h"
#include "trace/base/status.h"

#include <stdbool.h>
#include <stdint.h>

struct runtime;
struct runtime_stream;
struct runtime_event;
struct runtime_mark;

/* UNAVAILABLE with a line that says what is missing: a driver, a device, code for the device. */
MUST_CHECK enum status runtime_open(
	uint32_t device_index, struct diag *diag, struct runtime **out_runtime);
/* Accepts NULL. Nothing is left on the device. */
void runtime_close(struct runtime *runtime);

/* The line of the first failure since this was called last; "" when there was none. */
void runtime_failure(struct runtime *runtime, struct diag *out_words);

/* True once a call has failed in a way after which CUDA does nothing more on the device for this
 * process; `out_words`, unless NULL, gets the line of that call. */
bool runtime_is_lost(struct runtime *runtime, struct diag *out_words);

MUST_CHECK enum status runtime_free_bytes(struct runtime *runtime, uint64_t *out_bytes);

MUST_CHECK enum status runtime_pinned_alloc(
	struct runtime *runtime, uint64_t bytes, void **out_memory);
void runtime_pinned_free(struct runtime *runtime, void *memory);

/*
 * On a stream of its own, so that neither waits for the device: what is freed must not be in use.
 * Aligned to 256 bytes.
 */
MUST_CHECK enum status runtime_memory_alloc(
	struct runtime *runtime, uint64_t bytes, void **out_memory);
/* Wipes it first: it held a witness. */
void runtime_memory_free(struct runtime *runtime, void *memory, uint64_t bytes);

MUST_CHECK enum status runtime_stream_open(
	struct runtime *runtime, struct runtime_stream **out_stream);
void runtime_stream_close(struct runtime *runtime, struct runtime_stream *stream);
MUST_CHECK enum status runtime_event_open(
	struct runtime *runtime, struct runtime_event **out_event);
void runtime_event_close(struct runtime *runtime, struct runtime_event *event);
MUST_CHECK enum status runtime_event_record(
	struct runtime *runtime, struct runtime_event *event, struct runtime_stream *stream);
MUST_CHECK enum status runtime_stream_wait(
	struct runtime *runtime, struct runtime_stream *stream, struct runtime_event *event);
MUST_CHECK enum status runtime_stream_synchronize(
	struct runtime *runtime, struct runtime_stream *stream);
MUST_CHECK enum status runtime_synchronize(struct runtime *runtime);

/* A point of a stream's work of which the device notes the time. */
MUST_CHECK enum status runtime_mark_open(struct runtime *runtime, struct runtime_mark **out_mark);
/* Accepts NULL. */
void runtime_mark_close(struct runtime *runtime, struct runtime_mark *mark);
MUST_CHECK enum status runtime_mark_record(
	struct runtime *runtime, struct runtime_mark *mark, struct runtime_stream *stream);
MUST_CHECK enum status runtime_mark_passed(
	struct runtime *runtime, struct runtime_mark *mark, bool *out_has_passed);
/* Both passed, the first one first. */
MUST_CHECK enum status runtime_mark_elapsed(struct runtime *runtime, struct runtime_mark *first,
	struct runtime_mark *last, uint64_t *out_ns);

enum runtime_direction {
	RUNTIME_UPLOAD,
	RUNTIME_DOWNLOAD,
};

struct runtime_copy {
	void *target;
	const void *source;
	uint64_t bytes;
	enum runtime_direction direction;
};

MUST_CHECK enum status runtime_copy(
	struct runtime *runtime, struct runtime_stream *stream, const struct runtime_copy *copy);
/* Zeroes device memory. */
MUST_CHECK enum status runtime_clear(
	struct runtime *runtime, struct runtime_stream *stream, void *memory, uint64_t bytes);

/* Has the host call a function when the stream gets there; after a failure it is not called. The
 * function may not call the runtime. */
MUST_CHECK enum status runtime_host_call(struct runtime *runtime, struct runtime_stream *stream,
	void (*function)(void *argument), void *argument);

MUST_CHECK enum status runtime_launch_sums(struct runtime *runtime, struct runtime_stream *stream,
	enum sums_kernel kernel, uint32_t thread_count, const struct sums *sums);
MUST_CHECK enum status runtime_launch_roots(struct runtime *runtime, struct runtime_stream *stream,
	uint32_t log2, const struct transform_powers *powers, struct fr *roots);
MUST_CHECK enum status runtime_launch_step(struct runtime *runtime, struct runtime_stream *stream,
	const struct transform *transform, const struct transform_step *step, struct fr *vector);

enum sparse_kernel {
	SPARSE_KERNEL_ROW,
	SPARSE_KERNEL_PART,
	SPARSE_KERNEL_JOIN,
};

struct runtime_sparse {
	enum sparse_kernel kernel;
	uint32_t thread_count;
	struct sparse sparse;
	struct fr *parts;  /* of PART and JOIN */
	struct fr *values; /* of ROW and JOIN */
};

MUST_CHECK enum status runtime_launch_sparse(struct runtime *runtime, struct runtime_stream *stream,
	const struct runtime_sparse *sparse);

/* Of vectors: what the quotient is made of and left in, and the product of two. */
struct runtime_quotient {
	uint32_t count;
	const struct fr *a;
	const struct fr *b;
	struct fr *c;
};

MUST_CHECK enum status runtime_launch_quotient(struct runtime *runtime,
	struct runtime_stream *stream, const struct runtime_quotient *quotient);
MUST_CHECK enum status runtime_launch_product(struct runtime *runtime,
	struct runtime_stream *stream, const struct runtime_quotient *product);
