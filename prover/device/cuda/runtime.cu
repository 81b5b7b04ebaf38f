/* SPDX-License-Identifier: MIT */
#include "prover/device/cuda/kernels.h"
#include "prover/device/cuda/kernel_list.h"

#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

extern "C" {
#include "prover/device/cuda/runtime.h"
#include "prover/device/cuda/runtime_error.h"
}

/* Blocks of a launch, of the one dimension used. */
#define GRID_BLOCKS_MAX 0x7fffffffu

struct runtime {
	int device_index;
	cudaMemPool_t pool;
	cudaStream_t memory_stream; /* allocations only */
	struct runtime_line failure; /* the first since it was asked for */
	struct runtime_line loss;    /* what cost the device */
};

static cudaStream_t stream_of(struct runtime_stream *stream)
{
	return reinterpret_cast<cudaStream_t>(stream);
}

static cudaEvent_t event_of(struct runtime_event *event)
{
	return reinterpret_cast<cudaEvent_t>(event);
}

static cudaEvent_t event_of_mark(struct runtime_mark *mark)
{
	return reinterpret_cast<cudaEvent_t>(mark);
}

/* Keeps the first failure's name; later ones mostly follow from it. */
static enum status check(struct runtime *runtime, cudaError_t error, const char *call)
{
	if (error == cudaSuccess) {
		return STATUS_OK;
	}
	runtime_line_keep(&runtime->failure, error, call);
	if (runtime_error_is_sticky(error)) {
		runtime_line_keep(&runtime->loss, error, call);
	}
	(void)cudaGetLastError(); /* that of a launch would be told again by the next */
	return runtime_error_status(error);
}

/* The device is chosen anew by each thread. */
static enum status use(struct runtime *runtime)
{
	return check(runtime, cudaSetDevice(runtime->device_index), "cudaSetDevice");
}

#define CHECKED(runtime, call, ...)                                                                \
	(use(runtime) == STATUS_OK ? check(runtime, call(__VA_ARGS__), #call) : STATUS_UNAVAILABLE)

static enum status count_devices(uint32_t device_index, struct diag *diag)
{
	int count = 0;
	const cudaError_t error = cudaGetDeviceCount(&count);

	if (error == cudaErrorInsufficientDriver) {
		return diag_set(diag, STATUS_UNAVAILABLE,
			"device %u: no CUDA driver, or one older than this build's CUDA %d.%d: install one, or set [gpu] kind = cpu",
			device_index, CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
	}
	if (error != cudaSuccess) {
		return diag_set(diag, runtime_error_status(error), "device %u: CUDA does not start: %s: %s",
			device_index, cudaGetErrorName(error), cudaGetErrorString(error));
	}
	if (device_index >= static_cast<uint32_t>(count)) {
		return diag_set(diag, STATUS_UNAVAILABLE,
			"device %u: there are %d CUDA devices: lower [gpu] count, or mind CUDA_VISIBLE_DEVICES",
			device_index, count);
	}
	return STATUS_OK;
}

/* Memory that is freed stays with the pool: the next proof wants it again. */
static cudaError_t keep_pool(struct runtime *runtime)
{
	uint64_t threshold = UINT64_MAX;
	cudaError_t error = cudaDeviceGetDefaultMemPool(&runtime->pool, runtime->device_index);

	return error == cudaSuccess ? cudaMemPoolSetAttribute(runtime->pool,
					      cudaMemPoolAttrReleaseThreshold, &threshold)
				    : error;
}

static cudaError_t start(struct runtime *runtime)
{
	cudaFuncAttributes attributes;
	cudaError_t error = cudaSetDevice(runtime->device_index);

	if (error == cudaSuccess) {
		/* Whether there is code for this device is told now, not in the first proof. */
		error = cudaFuncGetAttributes(&attributes, kernel_sum_runs);
	}
	if (error == cudaSuccess) {
		error = keep_pool(runtime);
	}
	if (error == cudaSuccess) {
		error = cudaStreamCreateWithFlags(&runtime->memory_stream, cudaStreamNonBlocking);
	}
	return error;
}

extern "C" enum status runtime_open(
	uint32_t device_index, struct diag *diag, struct runtime **out_runtime)
{
	struct runtime *runtime;
	cudaError_t error;
	enum status status = count_devices(device_index, diag);

	if (status != STATUS_OK) {
		return status;
	}
	runtime = static_cast<struct runtime *>(calloc(1, sizeof(*runtime)));
	if (!runtime) {
		return diag_set(diag, STATUS_NO_MEMORY, "device %u: out of memory", device_index);
	}
	runtime->device_index = static_cast<int>(device_index);
	error = start(runtime);
	if (error != cudaSuccess) {
		runtime_close(runtime);
		return diag_set(diag, runtime_error_status(error), "device %u: cannot be used: %s: %s",
			device_index, cudaGetErrorName(error), cudaGetErrorString(error));
	}
	*out_runtime = runtime;
	return STATUS_OK;
}

extern "C" void runtime_close(struct runtime *runtime)
{
	if (!runtime) {
		return;
	}
	if (runtime->memory_stream) {
		(void)CHECKED(runtime, cudaStreamSynchronize, runtime->memory_stream);
		(void)CHECKED(runtime, cudaStreamDestroy, runtime->memory_stream);
	}
	free(runtime);
}

extern "C" void runtime_failure(struct runtime *runtime, struct diag *out_words)
{
	(void)runtime_line_take(&runtime->failure, out_words);
}

extern "C" bool runtime_is_lost(struct runtime *runtime, struct diag *out_words)
{
	struct diag unwanted;

	return runtime_line_read(&runtime->loss, out_words ? out_words : &unwanted);
}

extern "C" enum status runtime_free_bytes(struct runtime *runtime, uint64_t *out_bytes)
{
	size_t free_bytes = 0;
	size_t total_bytes = 0;
	uint64_t reserved_bytes = 0;
	uint64_t used_bytes = 0;
	enum status status = CHECKED(runtime, cudaMemGetInfo, &free_bytes, &total_bytes);

	/* What the pool keeps and nobody uses is free to us. */
	if (status == STATUS_OK) {
		status = CHECKED(runtime, cudaMemPoolGetAttribute, runtime->pool,
			cudaMemPoolAttrReservedMemCurrent, &reserved_bytes);
	}
	if (status == STATUS_OK) {
		status = CHECKED(runtime, cudaMemPoolGetAttribute, runtime->pool,
			cudaMemPoolAttrUsedMemCurrent, &used_bytes);
	}
	if (status == STATUS_OK) {
		*out_bytes = free_bytes + (reserved_bytes - used_bytes);
	}
	return status;
}

extern "C" enum status runtime_pinned_alloc(
	struct runtime *runtime, uint64_t bytes, void **out_memory)
{
	return CHECKED(runtime, cudaHostAlloc, out_memory, bytes, cudaHostAllocPortable);
}

extern "C" void runtime_pinned_free(struct runtime *runtime, void *memory)
{
	(void)CHECKED(runtime, cudaFreeHost, memory);
}

extern "C" enum status runtime_memory_alloc(
	struct runtime *runtime, uint64_t bytes, void **out_memory)
{
	void *memory = NULL;
	enum status status =
		CHECKED(runtime, cudaMallocAsync, &memory, bytes, runtime->memory_stream);

	if (status != STATUS_OK) {
		return status;
	}
	/* Other streams may use it once the allocation's own is through. */
	status = CHECKED(runtime, cudaStreamSynchronize, runtime->memory_stream);
	if (status == STATUS_OK) {
		*out_memory = memory;
	} else {
		(void)CHECKED(runtime, cudaFreeAsync, memory, runtime->memory_stream);
	}
	return status;
}

extern "C" void runtime_memory_free(struct runtime *runtime, void *memory, uint64_t bytes)
{
	(void)CHECKED(runtime, cudaMemsetAsync, memory, 0, bytes, runtime->memory_stream);
	(void)CHECKED(runtime, cudaFreeAsync, memory, runtime->memory_stream);
}

extern "C" enum status runtime_stream_open(
	struct runtime *runtime, struct runtime_stream **out_stream)
{
	cudaStream_t stream = NULL;
	const enum status status =
		CHECKED(runtime, cudaStreamCreateWithFlags, &stream, cudaStreamNonBlocking);

	if (status == STATUS_OK) {
		*out_stream = reinterpret_cast<struct runtime_stream *>(stream);
	}
	return status;
}

extern "C" void runtime_stream_close(struct runtime *runtime, struct runtime_stream *stream)
{
	(void)CHECKED(runtime, cudaStreamDestroy, stream_of(stream));
}

extern "C" enum status runtime_event_open(struct runtime *runtime, struct runtime_event **out_event)
{
	cudaEvent_t event = NULL;
	const enum status status =
		CHECKED(runtime, cudaEventCreateWithFlags, &event, cudaEventDisableTiming);

	if (status == STATUS_OK) {
		*out_event = reinterpret_cast<struct runtime_event *>(event);
	}
	return status;
}

extern "C" void runtime_event_close(struct runtime *runtime, struct runtime_event *event)
{
	(void)CHECKED(runtime, cudaEventDestroy, event_of(event));
}

extern "C" enum status runtime_event_record(
	struct runtime *runtime, struct runtime_event *event, struct runtime_stream *stream)
{
	return CHECKED(runtime, cudaEventRecord, event_of(event), stream_of(stream));
}

extern "C" enum status runtime_stream_wait(
	struct runtime *runtime, struct runtime_stream *stream, struct runtime_event *event)
{
	return CHECKED(runtime, cudaStreamWaitEvent, stream_of(stream), event_of(event), 0);
}

extern "C" enum status runtime_stream_synchronize(
	struct runtime *runtime, struct runtime_stream *stream)
{
	return CHECKED(runtime, cudaStreamSynchronize, stream_of(stream));
}

extern "C" enum status runtime_synchronize(struct runtime *runtime)
{
	return CHECKED(runtime, cudaDeviceSynchronize);
}

extern "C" enum status runtime_mark_open(struct runtime *runtime, struct runtime_mark **out_mark)
{
	cudaEvent_t event = NULL;
	const enum status status = CHECKED(runtime, cudaEventCreate, &event);

	if (status == STATUS_OK) {
		*out_mark = reinterpret_cast<struct runtime_mark *>(event);
	}
	return status;
}

extern "C" void runtime_mark_close(struct runtime *runtime, struct runtime_mark *mark)
{
	if (mark) {
		(void)CHECKED(runtime, cudaEventDestroy, event_of_mark(mark));
	}
}

extern "C" enum status runtime_mark_record(
	struct runtime *runtime, struct runtime_mark *mark, struct runtime_stream *stream)
{
	return CHECKED(runtime, cudaEventRecord, event_of_mark(mark), stream_of(stream));
}

extern "C" enum status runtime_mark_passed(
	struct runtime *runtime, struct runtime_mark *mark, bool *out_has_passed)
{
	const cudaError_t error = cudaEventQuery(event_of_mark(mark));

	*out_has_passed = error == cudaSuccess;
	if (error == cudaErrorNotReady) {
		(void)cudaGetLastError(); /* it is an answer, and kept as an error all the same */
		return STATUS_OK;
	}
	return check(runtime, error, "cudaEventQuery");
}

extern "C" enum status runtime_mark_elapsed(struct runtime *runtime, struct runtime_mark *first,
	struct runtime_mark *last, uint64_t *out_ns)
{
	float took_ms = 0;
	const enum status status = CHECKED(runtime, cudaEventElapsedTime, &took_ms,
		event_of_mark(first), event_of_mark(last));

	*out_ns = took_ms > 0 ? static_cast<uint64_t>(static_cast<double>(took_ms) * 1e6) : 0;
	return status;
}

extern "C" enum status runtime_copy(
	struct runtime *runtime, struct runtime_stream *stream, const struct runtime_copy *copy)
{
	return CHECKED(runtime, cudaMemcpyAsync, copy->target, copy->source, copy->bytes,
		copy->direction == RUNTIME_UPLOAD ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost,
		stream_of(stream));
}

extern "C" enum status runtime_clear(
	struct runtime *runtime, struct runtime_stream *stream, void *memory, uint64_t bytes)
{
	return CHECKED(runtime, cudaMemsetAsync, memory, 0, bytes, stream_of(stream));
}

extern "C" enum status runtime_host_call(struct runtime *runtime, struct runtime_stream *stream,
	void (*function)(void *argument), void *argument)
{
	return CHECKED(runtime, cudaLaunchHostFunc, stream_of(stream), function, argument);
}

/* Nothing is launched for no threads; a launch of none is an error. */
static enum status launch(struct runtime *runtime, struct runtime_stream *stream,
	const void *kernel, uint64_t thread_count, void **arguments)
{
	const uint64_t blocks = (thread_count + KERNEL_THREADS - 1) / KERNEL_THREADS;

	if (blocks == 0) {
		return STATUS_OK;
	}
	if (blocks > GRID_BLOCKS_MAX) {
		return STATUS_TOO_LARGE;
	}
	return CHECKED(runtime, cudaLaunchKernel, kernel, dim3(static_cast<unsigned>(blocks)),
		dim3(KERNEL_THREADS), arguments, 0, stream_of(stream));
}

extern "C" enum status runtime_launch_sums(struct runtime *runtime, struct runtime_stream *stream,
	enum sums_kernel kernel, uint32_t thread_count, const struct sums *sums)
{
	/* In the order of enum sums_kernel. */
	static void (*const kernels[SUMS_KERNEL_END])(struct sums) = {kernel_buckets_count,
		kernel_buckets_scan_up, kernel_buckets_scan_across, kernel_buckets_scan_down,
		kernel_buckets_fill, kernel_buckets_list, kernel_sum_runs, kernel_sum_gather_runs,
		kernel_sum_weigh, kernel_sum_lift, kernel_sum_gather_chunks, kernel_sum_collect,
		kernel_sum_keep, kernel_sum_store};
	struct sums copy = *sums;
	void *arguments[] = {&copy};

	return launch(runtime, stream, reinterpret_cast<const void *>(kernels[kernel]),
		thread_count, arguments);
}

extern "C" enum status runtime_launch_roots(struct runtime *runtime, struct runtime_stream *stream,
	uint32_t log2, const struct transform_powers *powers, struct fr *roots)
{
	struct transform_powers copy = *powers;
	void *arguments[] = {&log2, &copy, &roots};

	return launch(runtime, stream,
		reinterpret_cast<const void *>(kernel_transform_fill_roots),
		transform_root_count(log2), arguments);
}

extern "C" enum status runtime_launch_step(struct runtime *runtime, struct runtime_stream *stream,
	const struct transform *transform, const struct transform_step *step, struct fr *vector)
{
	static void (*const passes[2][TRANSFORM_LEVELS_MAX])(
		struct transform, uint32_t, struct fr *) = {
		{kernel_transform_inverse_1, kernel_transform_inverse_2, kernel_transform_inverse_3},
		{kernel_transform_forward_1, kernel_transform_forward_2, kernel_transform_forward_3}};
	struct transform copy = *transform;
	uint32_t top = step->pass.top;
	void *arguments[] = {&copy, &top, &vector};
	void *scale_arguments[] = {&copy, &vector};

	if (step->kind == TRANSFORM_STEP_SCALE) {
		return launch(runtime, stream,
			reinterpret_cast<const void *>(kernel_transform_scale),
			step->thread_count, scale_arguments);
	}
	return launch(runtime, stream,
		reinterpret_cast<const void *>(passes[step->kind == TRANSFORM_STEP_FORWARD]
						     [step->pass.level_count - 1]),
		step->thread_count, arguments);
}

extern "C" enum status runtime_launch_quotient(struct runtime *runtime,
	struct runtime_stream *stream, const struct runtime_quotient *quotient)
{
	struct runtime_quotient copy = *quotient;
	void *arguments[] = {&copy.count, &copy.a, &copy.b, &copy.c};

	return launch(runtime, stream,
		reinterpret_cast<const void *>(kernel_transform_quotient), copy.count, arguments);
}

extern "C" enum status runtime_launch_product(struct runtime *runtime,
	struct runtime_stream *stream, const struct runtime_quotient *product)
{
	struct runtime_quotient copy = *product;
	void *arguments[] = {&copy.count, &copy.a, &copy.b, &copy.c};

	return launch(runtime, stream, reinterpret_cast<const void *>(kernel_transform_product),
		copy.count, arguments);
}

extern "C" enum status runtime_launch_sparse(struct runtime *runtime,
	struct runtime_stream *stream, const struct runtime_sparse *sparse)
{
	struct runtime_sparse copy = *sparse;
	void *row_arguments[] = {&copy.sparse, &copy.values};
	void *part_arguments[] = {&copy.sparse, &copy.parts};
	void *join_arguments[] = {&copy.sparse, &copy.parts, &copy.values};

	switch (copy.kernel) {
	case SPARSE_KERNEL_ROW:
		return launch(runtime, stream, reinterpret_cast<const void *>(kernel_sparse_row),
			copy.thread_count, row_arguments);
	case SPARSE_KERNEL_PART:
		return launch(runtime, stream, reinterpret_cast<const void *>(kernel_sparse_part),
			copy.thread_count, part_arguments);
	default:
		return launch(runtime, stream, reinterpret_cast<const void *>(kernel_sparse_join),
			copy.thread_count, join_arguments);
	}
}
