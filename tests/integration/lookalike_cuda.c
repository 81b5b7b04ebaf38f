/* SPDX-License-Identifier: MIT */
/*
 * Stands for CUDA's driver and two devices: what a program needs to launch, copy and wait, with
 * times that a model gives, and the same way in for an injected library. Each stream runs its work
 * in order; copies and kernels of different streams overlap.
 */
#include "tests/integration/lookalike_cupti.h"
#include "trace/base/clock.h"

#include <cuda.h>
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define STREAM_COUNT_MAX 64
#define LAUNCH_NS        (30 * NS_PER_US)
#define FOREIGN_COUNT    5
#define NODE_COUNT_MAX   8

struct CUstream_st {
	uint32_t id;
	uint32_t device;
	uint64_t tail_ns; /* when its last operation ends */
};

/* Kernels one after the other. */
struct CUgraph_st {
	uint32_t id;
	uint32_t node_count;
	const char *names[NODE_COUNT_MAX];
	uint64_t durations_ns[NODE_COUNT_MAX];
};

static struct {
	pthread_mutex_t mutex; /* guards all of it */
	uint32_t graph_count;
	uint32_t stream_count;
	struct CUstream_st streams[STREAM_COUNT_MAX];
	uint32_t correlation;
	uint32_t operation_count;
	FILE *truth;
} cuda = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static __thread uint32_t current_device;

struct operation {
	CUpti_ActivityKind kind;
	CUstream stream;
	uint32_t correlation;
	uint32_t number;
	uint64_t start_ns;
	uint64_t end_ns;
	uint64_t bytes;
	const char *name;
	uint32_t graph;
	void *record; /* open from schedule() to record_operation(); NULL when it is not wanted */
};

/* The real one does it while it initialises, and goes on whatever comes of it. */
CUresult CUDAAPI cuInit(unsigned int flags)
{
	const char *path = getenv("CUDA_INJECTION64_PATH");
	const char *truth = getenv("LOOKALIKE_TRUTH");
	void *library = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
	int (*initialize)(void) = NULL;

	(void)flags;
	if (truth) {
		cuda.truth = fopen(truth, "we");
	}
	if (path && !library) {
		fprintf(stderr, "lookalike: %s\n", dlerror());
	}
	if (library) {
		void *address = dlsym(library, "InitializeInjection");

		memcpy(&initialize, &address, sizeof(address));
	}
	if (initialize && initialize() != 1) {
		return CUDA_ERROR_NOT_INITIALIZED;
	}
	return CUDA_SUCCESS;
}

CUresult CUDAAPI cuDeviceGetCount(int *count)
{
	*count = LOOKALIKE_DEVICE_COUNT;
	return CUDA_SUCCESS;
}

CUresult CUDAAPI cuDeviceGet(CUdevice *device, int ordinal)
{
	*device = ordinal;
	return ordinal < LOOKALIKE_DEVICE_COUNT ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

CUresult CUDAAPI cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
	*context = (CUcontext)(uintptr_t)(device + 1);
	return CUDA_SUCCESS;
}

CUresult CUDAAPI cuCtxSetCurrent(CUcontext context)
{
	current_device = (uint32_t)(uintptr_t)context - 1;
	return CUDA_SUCCESS;
}

CUresult CUDAAPI cuStreamCreate(CUstream *stream, unsigned int flags)
{
	uint32_t index;

	(void)flags;
	pthread_mutex_lock(&cuda.mutex);
	index = cuda.stream_count++;
	cuda.streams[index].id = index + 7;
	cuda.streams[index].device = current_device;
	pthread_mutex_unlock(&cuda.mutex);
	*stream = &cuda.streams[index];
	return CUDA_SUCCESS;
}

static void record_call(CUpti_CallbackId call, uint32_t correlation, uint64_t start)
{
	CUpti_ActivityAPI *record;

	if (!lookalike_records_call(call)) {
		return;
	}
	record = lookalike_record_begin(CUPTI_ACTIVITY_KIND_DRIVER);
	if (record) {
		record->cbid = call;
		record->start = start;
		record->end = lookalike_now();
		record->processId = (uint32_t)getpid();
		record->threadId = (uint32_t)syscall(SYS_gettid);
		record->correlationId = correlation;
		lookalike_record_end();
	}
}

/*
 * The model: work starts some time after its launch, and not before the stream is done. Its record
 * has its place in a buffer before it can start, however long the thread stands still between: that
 * is what the collector's watermarks rest on.
 */
static struct operation schedule(CUpti_ActivityKind kind, CUstream stream, uint64_t duration_ns)
{
	struct operation operation = {.kind = kind, .stream = stream};
	uint64_t earliest_ns;

	operation.record = lookalike_record_begin(kind);
	pthread_mutex_lock(&cuda.mutex);
	earliest_ns = clock_now_ns() + LAUNCH_NS;
	operation.correlation = ++cuda.correlation;
	operation.number = cuda.operation_count++;
	operation.start_ns = earliest_ns > stream->tail_ns ? earliest_ns : stream->tail_ns;
	operation.end_ns = operation.start_ns + duration_ns;
	stream->tail_ns = operation.end_ns;
	if (cuda.truth) {
		fprintf(cuda.truth, "%u %d %u %llu %llu\n", stream->device, (int)kind, stream->id,
			(unsigned long long)operation.start_ns,
			(unsigned long long)operation.end_ns);
		fflush(cuda.truth);
	}
	pthread_mutex_unlock(&cuda.mutex);
	if (operation.record) {
		lookalike_record_completes(operation.end_ns);
	}
	return operation;
}

static bool is_damaged(const struct operation *operation, const char *fault)
{
	return lookalike_has_fault(fault) && operation->number % 5 == 4;
}

/* The stamps as they come out of CUPTI, with what may be wrong with them. */
static void stamp(const struct operation *operation, uint64_t *start, uint64_t *end)
{
	*start = lookalike_stamp(operation->start_ns);
	*end = lookalike_stamp(operation->end_ns);
	/* The bug of the callback; without one there is none. */
	if (is_damaged(operation, "zero") && *start == operation->start_ns) {
		*start = 0;
		*end = 0;
	}
	if (is_damaged(operation, "inverted")) {
		*start = *end + 1;
	}
	if (is_damaged(operation, "early")) {
		*start -= 10 * NS_PER_MS;
		*end -= 10 * NS_PER_MS;
	}
	if (is_damaged(operation, "garbage")) {
		*start = 1ULL << 63;
		*end = (1ULL << 63) + 5;
	}
	if (lookalike_has_fault("foreign") && operation->number < FOREIGN_COUNT) {
		struct timespec realtime;
		uint64_t offset_ns;

		(void)clock_gettime(CLOCK_REALTIME, &realtime);
		offset_ns = (uint64_t)realtime.tv_sec * NS_PER_S + (uint64_t)realtime.tv_nsec -
			    clock_now_ns();
		*start = operation->start_ns + offset_ns;
		*end = operation->end_ns + offset_ns;
	}
}

static void record_operation(const struct operation *operation)
{
	void *record = operation->record;
	CUpti_ActivityKernel10 *kernel = record;
	CUpti_ActivityMemcpy6 *copy = record;
	CUpti_ActivityMemset4 *set = record;
	CUpti_ActivityGraphTrace2 *graph = record;

	if (!record) {
		return;
	}
	if (operation->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) {
		stamp(operation, &kernel->start, &kernel->end);
		kernel->deviceId = operation->stream->device;
		kernel->contextId = operation->stream->device + 1;
		kernel->streamId = operation->stream->id;
		kernel->correlationId = operation->correlation;
		kernel->name = operation->name;
		kernel->graphId = operation->graph;
	} else if (operation->kind == CUPTI_ACTIVITY_KIND_GRAPH_TRACE) {
		stamp(operation, &graph->start, &graph->end);
		graph->deviceId = operation->stream->device;
		graph->contextId = operation->stream->device + 1;
		graph->streamId = operation->stream->id;
		graph->correlationId = operation->correlation;
		graph->graphId = operation->graph;
	} else if (operation->kind == CUPTI_ACTIVITY_KIND_MEMCPY) {
		stamp(operation, &copy->start, &copy->end);
		copy->copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_HTOD;
		copy->srcKind = CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE;
		copy->dstKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
		copy->flags = CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC;
		copy->bytes = operation->bytes;
		copy->deviceId = operation->stream->device;
		copy->contextId = operation->stream->device + 1;
		copy->streamId = operation->stream->id;
		copy->correlationId = operation->correlation;
	} else {
		stamp(operation, &set->start, &set->end);
		set->memoryKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
		set->flags = CUPTI_ACTIVITY_FLAG_MEMSET_ASYNC;
		set->bytes = operation->bytes;
		set->deviceId = operation->stream->device;
		set->contextId = operation->stream->device + 1;
		set->streamId = operation->stream->id;
		set->correlationId = operation->correlation;
	}
	lookalike_record_end();
}

CUresult CUDAAPI cuModuleLoadData(CUmodule *module, const void *image)
{
	(void)image;
	*module = (CUmodule)(uintptr_t)1;
	return CUDA_SUCCESS;
}

CUresult CUDAAPI cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name)
{
	(void)module;
	*function = (CUfunction)(uintptr_t)name;
	return CUDA_SUCCESS;
}

/* The model's duration is the number of threads, in nanoseconds. */
CUresult CUDAAPI cuLaunchKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y,
	unsigned int grid_z, unsigned int block_x, unsigned int block_y, unsigned int block_z,
	unsigned int shared_bytes, CUstream stream, void **parameters, void **extra)
{
	const uint64_t begin = lookalike_now();
	struct operation operation = schedule(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, stream,
		(uint64_t)grid_x * grid_y * grid_z * block_x * block_y * block_z);

	(void)shared_bytes;
	(void)parameters;
	(void)extra;
	operation.name = (const char *)function;
	record_operation(&operation);
	record_call(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, operation.correlation, begin);
	return CUDA_SUCCESS;
}

CUresult CUDAAPI cuGraphCreate(CUgraph *graph, unsigned int flags)
{
	(void)flags;
	*graph = calloc(1, sizeof(**graph));
	if (!*graph) {
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	pthread_mutex_lock(&cuda.mutex);
	(*graph)->id = ++cuda.graph_count;
	pthread_mutex_unlock(&cuda.mutex);
	return CUDA_SUCCESS;
}

CUresult CUDAAPI cuGraphAddKernelNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *before,
	size_t before_count, const CUDA_KERNEL_NODE_PARAMS *parameters)
{
	const uint32_t index = graph->node_count++;

	(void)before;
	(void)before_count;
	if (index == NODE_COUNT_MAX) {
		return CUDA_ERROR_INVALID_VALUE;
	}
	graph->names[index] = (const char *)parameters->func;
	graph->durations_ns[index] = (uint64_t)parameters->gridDimX * parameters->gridDimY *
				     parameters->gridDimZ * parameters->blockDimX *
				     parameters->blockDimY * parameters->blockDimZ;
	*node = (CUgraphNode)(uintptr_t)(index + 1);
	return CUDA_SUCCESS;
}

/* What is launched is a copy of the graph. */
CUresult CUDAAPI cuGraphInstantiate(CUgraphExec *instance, CUgraph graph, unsigned long long flags)
{
	CUgraph copy = malloc(sizeof(*copy));

	(void)flags;
	if (!copy) {
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	*copy = *graph;
	*instance = (CUgraphExec)(void *)copy;
	return CUDA_SUCCESS;
}

CUresult CUDAAPI cuGraphDestroy(CUgraph graph)
{
	free(graph);
	return CUDA_SUCCESS;
}

CUresult CUDAAPI cuGraphExecDestroy(CUgraphExec instance)
{
	free(instance);
	return CUDA_SUCCESS;
}

/* A record for each node, all with the correlation of the launch; or one for the launch. */
CUresult CUDAAPI cuGraphLaunch(CUgraphExec instance, CUstream stream)
{
	const CUgraph graph = (CUgraph)(void *)instance;
	const bool is_whole = lookalike_is_enabled(CUPTI_ACTIVITY_KIND_GRAPH_TRACE);
	const uint64_t begin = lookalike_now();
	uint64_t duration_ns = 0;
	uint32_t correlation = 0;

	for (uint32_t i = 0; i < graph->node_count; i++) {
		struct operation operation;

		duration_ns += graph->durations_ns[i];
		if (is_whole && i + 1 < graph->node_count) {
			continue;
		}
		operation = schedule(is_whole ? CUPTI_ACTIVITY_KIND_GRAPH_TRACE
					      : CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
			stream, is_whole ? duration_ns : graph->durations_ns[i]);
		correlation = correlation ? correlation : operation.correlation;
		operation.correlation = correlation;
		operation.name = graph->names[i];
		operation.graph = graph->id;
		record_operation(&operation);
	}
	record_call(CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch, correlation, begin);
	return CUDA_SUCCESS;
}

/* A gigabyte a second. */
CUresult CUDAAPI cuMemcpyHtoDAsync(
	CUdeviceptr target, const void *source, size_t bytes, CUstream stream)
{
	const uint64_t begin = lookalike_now();
	struct operation operation = schedule(CUPTI_ACTIVITY_KIND_MEMCPY, stream, bytes);

	(void)target;
	(void)source;
	operation.bytes = bytes;
	record_operation(&operation);
	record_call(CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoDAsync_v2, operation.correlation, begin);
	return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemsetD8Async(
	CUdeviceptr target, unsigned char value, size_t bytes, CUstream stream)
{
	const uint64_t begin = lookalike_now();
	struct operation operation = schedule(CUPTI_ACTIVITY_KIND_MEMSET, stream, bytes);

	(void)target;
	(void)value;
	operation.bytes = bytes;
	record_operation(&operation);
	record_call(CUPTI_DRIVER_TRACE_CBID_cuMemsetD8Async, operation.correlation, begin);
	return CUDA_SUCCESS;
}

CUresult CUDAAPI cuStreamQuery(CUstream stream)
{
	const uint64_t begin = lookalike_now();
	uint64_t tail_ns;
	uint32_t correlation;

	pthread_mutex_lock(&cuda.mutex);
	tail_ns = stream->tail_ns;
	correlation = ++cuda.correlation;
	pthread_mutex_unlock(&cuda.mutex);
	record_call(CUPTI_DRIVER_TRACE_CBID_cuStreamQuery, correlation, begin);
	return clock_now_ns() < tail_ns ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS;
}

CUresult CUDAAPI cuStreamSynchronize(CUstream stream)
{
	const uint64_t begin = lookalike_now();
	CUpti_ActivitySynchronization2 *record;
	struct timespec tail;
	uint32_t correlation;

	pthread_mutex_lock(&cuda.mutex);
	tail = clock_timespec(stream->tail_ns);
	correlation = ++cuda.correlation;
	pthread_mutex_unlock(&cuda.mutex);
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &tail, NULL) == EINTR) {
	}
	record = lookalike_record_begin(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION);
	if (record) {
		record->type = CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE;
		record->start = begin;
		record->end = lookalike_now();
		record->correlationId = correlation;
		record->contextId = stream->device + 1;
		record->streamId = stream->id;
		record->cudaEventId = CUPTI_SYNCHRONIZATION_INVALID_VALUE;
		lookalike_record_end();
	}
	record_call(CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize, correlation, begin);
	return CUDA_SUCCESS;
}
