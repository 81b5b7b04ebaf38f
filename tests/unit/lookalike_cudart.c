/* SPDX-License-Identifier: MIT */
#include "tests/unit/lookalike_cudart.h"

#include "trace/base/clock.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/cuda_ptx.h"

#define MEMORY_BYTES     (1u << 30)
#define KERNEL_COUNT_MAX 64

/* CUDA's calls are as they are. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* Their prototypes are the compiler's own. NOLINTBEGIN */
void **__cudaRegisterFatBinary(void *binary);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const char *stub, char *device_stub, const char *name,
	int limit, uint3 *thread, uint3 *block, dim3 *blocks, dim3 *grid, int *warp);
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream);
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *stub);
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments,
	size_t shared, cudaStream_t stream);
/* NOLINTEND */

struct lookalike_cudart lookalike_cudart = {.device_count = 1};

struct CUevent_st {
	uint64_t time_ns;
	bool has_time;
};

static struct {
	const void *stub;
	ptx_kernel *kernel;
} registered[KERNEL_COUNT_MAX];

static uint32_t registered_count;
static __thread bool has_device;
static __thread cudaError_t last_error;

static cudaError_t answer(const char *call)
{
	lookalike_cudart.call_count++;
	if (lookalike_cudart.call_count != lookalike_cudart.fails_at &&
		!(lookalike_cudart.is_sticky && lookalike_cudart.failed_call)) {
		return cudaSuccess;
	}
	if (!lookalike_cudart.failed_call) {
		lookalike_cudart.failed_call = call;
	}
	last_error = lookalike_cudart.error;
	return last_error;
}

/* Of a call that is about the current device. */
static cudaError_t use(const char *call)
{
	if (!has_device) {
		(void)fprintf(stderr, "%s: no device was chosen\n", call);
		abort();
	}
	return answer(call);
}

static cudaError_t open_object(const char *call, size_t bytes, void *out_object)
{
	const cudaError_t error = use(call);
	void *object;

	if (error == cudaSuccess) {
		object = calloc(1, bytes);
		memcpy(out_object, &object, sizeof(object));
		lookalike_cudart.open_count++;
	}
	return error;
}

/* What takes away is done even where it is said to have failed: it may be for an older reason. */
static cudaError_t close_object(const char *call, void *object)
{
	free(object);
	lookalike_cudart.open_count--;
	return use(call);
}

/* NOLINTBEGIN */
void **__cudaRegisterFatBinary(void *binary)
{
	static void *handle;

	(void)binary;
	return &handle;
}

void __cudaRegisterFatBinaryEnd(void **handle)
{
	(void)handle;
}

void __cudaUnregisterFatBinary(void **handle)
{
	(void)handle;
}

void __cudaRegisterFunction(void **handle, const char *stub, char *device_stub, const char *name,
	int limit, uint3 *thread, uint3 *block, dim3 *blocks, dim3 *grid, int *warp)
{
	static const struct {
		const char *name;
		ptx_kernel *kernel;
	} kernels[] = {
#define KERNEL_ROW(name) {"kernel_" #name, ptx_kernel_##name},
		PTX_SUMS(KERNEL_ROW) PTX_VECTORS(KERNEL_ROW)
#undef KERNEL_ROW
	};

	for (size_t i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++) {
		if (strcmp(kernels[i].name, name) == 0 && registered_count < KERNEL_COUNT_MAX) {
			registered[registered_count].stub = stub;
			registered[registered_count++].kernel = kernels[i].kernel;
		}
	}
}

/* Of <<< >>>, which nothing here uses. */
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream)
{
	abort();
}

cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *stub)
{
	abort();
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments,
	size_t shared, cudaStream_t stream)
{
	abort();
}
/* NOLINTEND */

static ptx_kernel *find_kernel(const void *stub)
{
	for (uint32_t i = 0; i < registered_count; i++) {
		if (registered[i].stub == stub) {
			return registered[i].kernel;
		}
	}
	return NULL;
}

cudaError_t cudaLaunchKernel(const void *stub, dim3 grid, dim3 block, void **arguments,
	size_t shared_bytes, cudaStream_t stream)
{
	ptx_kernel *kernel = find_kernel(stub);
	const cudaError_t error = use(__func__);

	if (!kernel || !stream || shared_bytes != 0 || block.x != KERNEL_THREADS || grid.x == 0 ||
		block.y * block.z * grid.y * grid.z != 1) {
		return cudaErrorInvalidConfiguration;
	}
	lookalike_cudart.launch_count++;
	for (uint32_t i = 0; error == cudaSuccess && i < grid.x * block.x; i++) {
		ptx_run(kernel, i, arguments);
	}
	return error;
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *stub)
{
	memset(attributes, 0, sizeof(*attributes));
	return find_kernel(stub) ? use(__func__) : cudaErrorInvalidDeviceFunction;
}

cudaError_t cudaGetDeviceCount(int *count)
{
	*count = lookalike_cudart.device_count;
	return answer(__func__);
}

cudaError_t cudaSetDevice(int device)
{
	has_device = device < lookalike_cudart.device_count;
	return has_device ? answer(__func__) : cudaErrorInvalidDevice;
}

cudaError_t cudaGetLastError(void)
{
	const cudaError_t error = last_error;

	last_error = cudaSuccess;
	return error;
}

const char *cudaGetErrorName(cudaError_t error)
{
	if (error == cudaErrorIllegalAddress) {
		return "cudaErrorIllegalAddress";
	}
	return error == cudaErrorMemoryAllocation ? "cudaErrorMemoryAllocation" : "cudaErrorOther";
}

const char *cudaGetErrorString(cudaError_t error)
{
	if (error == cudaErrorIllegalAddress) {
		return "an illegal memory access was encountered";
	}
	return error == cudaErrorMemoryAllocation ? "out of memory" : "some other error";
}

cudaError_t cudaDeviceSynchronize(void)
{
	return use(__func__);
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device)
{
	(void)device;
	*pool = (cudaMemPool_t)(uintptr_t)1;
	return answer(__func__);
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value)
{
	if (!pool || attribute != cudaMemPoolAttrReleaseThreshold || *(uint64_t *)value == 0) {
		return cudaErrorInvalidValue;
	}
	return answer(__func__);
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value)
{
	(void)pool;
	/* It keeps a quarter more than is used. */
	*(uint64_t *)value = attribute == cudaMemPoolAttrReservedMemCurrent ? MEMORY_BYTES / 4 : 0;
	return answer(__func__);
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes)
{
	*free_bytes = MEMORY_BYTES / 4 * 3;
	*total_bytes = MEMORY_BYTES;
	return use(__func__);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags)
{
	return flags == cudaStreamNonBlocking ? open_object(__func__, 1, stream)
					      : cudaErrorInvalidValue;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
	return close_object(__func__, stream);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
	return stream ? use(__func__) : cudaErrorInvalidResourceHandle;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags)
{
	return stream && event && flags == 0 ? use(__func__) : cudaErrorInvalidResourceHandle;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags)
{
	return flags == cudaEventDisableTiming ? open_object(__func__, sizeof(**event), event)
					       : cudaErrorInvalidValue;
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
	const cudaError_t error = open_object(__func__, sizeof(**event), event);

	if (error == cudaSuccess) {
		(*event)->has_time = true;
	}
	return error;
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
	return close_object(__func__, event);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
	event->time_ns = clock_now_ns();
	return stream ? use(__func__) : cudaErrorInvalidResourceHandle;
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
	return event->time_ns ? answer(__func__) : cudaErrorInvalidResourceHandle;
}

cudaError_t cudaEventElapsedTime(float *took_ms, cudaEvent_t first, cudaEvent_t last)
{
	if (!first->has_time || !last->has_time || !first->time_ns || !last->time_ns) {
		return cudaErrorInvalidResourceHandle;
	}
	*took_ms = (float)((double)(last->time_ns - first->time_ns) / (double)NS_PER_MS);
	return use(__func__);
}

cudaError_t cudaMallocAsync(void **memory, size_t bytes, cudaStream_t stream)
{
	void *bytes_of = stream ? aligned_alloc(256, (bytes / 256 + 1) * 256) : NULL;
	const cudaError_t error = use(__func__);

	if (error != cudaSuccess || !bytes_of) {
		free(bytes_of);
		return error != cudaSuccess ? error : cudaErrorMemoryAllocation;
	}
	memset(bytes_of, 0x5a, bytes);
	*memory = bytes_of;
	lookalike_cudart.open_count++;
	return cudaSuccess;
}

cudaError_t cudaFreeAsync(void *memory, cudaStream_t stream)
{
	return stream ? close_object(__func__, memory) : cudaErrorInvalidResourceHandle;
}

cudaError_t cudaHostAlloc(void **memory, size_t bytes, unsigned int flags)
{
	return flags == cudaHostAllocPortable ? open_object(__func__, bytes, memory)
					      : cudaErrorInvalidValue;
}

cudaError_t cudaFreeHost(void *memory)
{
	return close_object(__func__, memory);
}

cudaError_t cudaMemcpyAsync(void *target, const void *source, size_t bytes,
	enum cudaMemcpyKind kind, cudaStream_t stream)
{
	const cudaError_t error = use(__func__);

	if (!stream || (kind != cudaMemcpyHostToDevice && kind != cudaMemcpyDeviceToHost)) {
		return cudaErrorInvalidValue;
	}
	if (error == cudaSuccess) {
		memcpy(target, source, bytes);
	}
	return error;
}

cudaError_t cudaMemsetAsync(void *memory, int value, size_t bytes, cudaStream_t stream)
{
	const cudaError_t error = use(__func__);

	if (error == cudaSuccess && stream) {
		memset(memory, value, bytes);
	}
	return error;
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *argument)
{
	const cudaError_t error = use(__func__);

	if (error == cudaSuccess && stream) {
		function(argument);
	}
	return error;
}
