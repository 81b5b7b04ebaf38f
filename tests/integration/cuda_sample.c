/* SPDX-License-Identifier: MIT */
/*
 * cuda_sample ROUNDS END: an ordinary CUDA program that knows nothing of gaptrace: a thread for
 * each device uploads, launches on two streams and waits. It ends by `return`, `quick`, `_exit`,
 * `abort`, or after a `fork` whose child goes on without CUDA and exits. With `graph` each round
 * also launches a graph of three kernels, and it returns. `_exit` and `abort` come once a flush has
 * all of it and no event is written: one that is cut off in the middle spoils the recording's end.
 * ROUNDS 0 goes on until SIGUSR1.
 */
#include "tests/integration/lookalike_cupti.h"

#include <cuda.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define STREAM_COUNT 2
#define NODE_COUNT   3

static int round_count;
static bool has_graph;
static atomic_bool is_told_to_end;

static void on_signal(int number)
{
	(void)number;
	atomic_store(&is_told_to_end, true);
}

static void require(CUresult result, const char *what)
{
	if (result != CUDA_SUCCESS) {
		fprintf(stderr, "cuda_sample: %s: %d\n", what, (int)result);
		exit(3);
	}
}

static void work(CUfunction function, CUstream *streams, int ordinal, int turn)
{
	static unsigned char host[65536];
	const unsigned int size = 1000 + (unsigned int)(turn * 37 + ordinal * 13) % 900;

	require(cuMemcpyHtoDAsync(0, host, 20001 + (size_t)turn % 7777, streams[0]), "copy");
	require(cuMemsetD8Async(0, 0, 3001, streams[1]), "set");
	for (int i = 0; i < 3; i++) {
		require(cuLaunchKernel(function, size, 61, 1, 1, 1, 1, 0, streams[i % STREAM_COUNT],
				NULL, NULL),
			"launch");
	}
	while (cuStreamQuery(streams[1]) == CUDA_ERROR_NOT_READY) {
		usleep(100);
	}
	require(cuStreamSynchronize(streams[0]), "synchronize");
}

static CUgraphExec make_graph(CUfunction function)
{
	const CUDA_KERNEL_NODE_PARAMS parameters = {.func = function,
		.gridDimX = 500,
		.gridDimY = 20,
		.gridDimZ = 1,
		.blockDimX = 1,
		.blockDimY = 1,
		.blockDimZ = 1};
	CUgraphExec instance;
	CUgraphNode node = NULL;
	CUgraph graph;

	require(cuGraphCreate(&graph, 0), "graph");
	for (int i = 0; i < NODE_COUNT; i++) {
		const CUgraphNode before = node;

		require(cuGraphAddKernelNode(&node, graph, &before, i > 0, &parameters), "node");
	}
	require(cuGraphInstantiate(&instance, graph, 0), "instance");
	require(cuGraphDestroy(graph), "graph");
	return instance;
}

static void *device_main(void *argument)
{
	const int ordinal = *(const int *)argument;
	CUstream streams[STREAM_COUNT];
	CUgraphExec graph = NULL;
	CUfunction function;
	CUcontext context;
	CUmodule module;
	CUdevice device;

	require(cuDeviceGet(&device, ordinal), "device");
	require(cuDevicePrimaryCtxRetain(&context, device), "context");
	require(cuCtxSetCurrent(context), "context");
	require(cuModuleLoadData(&module, "image"), "module");
	require(cuModuleGetFunction(&function, module, "saxpy"), "function");
	for (int i = 0; i < STREAM_COUNT; i++) {
		require(cuStreamCreate(&streams[i], 0), "stream");
	}
	if (has_graph) {
		graph = make_graph(function);
	}
	for (int turn = 0; round_count > 0 ? turn < round_count : !atomic_load(&is_told_to_end);
		turn++) {
		if (has_graph) {
			require(cuGraphLaunch(graph, streams[0]), "graph launch");
		}
		work(function, streams, ordinal, turn);
		if (turn % 10 == 9) {
			usleep(5000);
		}
	}
	if (has_graph) {
		require(cuGraphExecDestroy(graph), "instance");
	}
	return NULL;
}

/* What the child of a process with CUDA may do: anything but CUDA. */
static int fork_and_wait(void)
{
	int status = 0;
	const pid_t child = fork();

	if (child == 0) {
		exit(5);
	}
	return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
			       WEXITSTATUS(status) == 5
		       ? 0
		       : 6;
}

int main(int argc, char **argv)
{
	static int ordinals[] = {0, 1};
	pthread_t threads[2];
	int status = 0;

	if (argc != 3) {
		fprintf(stderr, "usage: cuda_sample ROUNDS END\n");
		return 2;
	}
	round_count = atoi(argv[1]);
	has_graph = strcmp(argv[2], "graph") == 0;
	(void)signal(SIGUSR1, on_signal);
	require(cuInit(0), "cuInit");
	for (int i = 0; i < 2; i++) {
		if (pthread_create(&threads[i], NULL, device_main, &ordinals[i]) != 0) {
			return 4;
		}
	}
	if (strcmp(argv[2], "fork") == 0) {
		status = fork_and_wait();
	}
	for (int i = 0; i < 2; i++) {
		pthread_join(threads[i], NULL);
	}
	if (strcmp(argv[2], "abort") == 0 || strcmp(argv[2], "_exit") == 0) {
		lookalike_hold_flush();
	}
	if (strcmp(argv[2], "abort") == 0) {
		abort();
	}
	if (strcmp(argv[2], "_exit") == 0) {
		_exit(7);
	}
	if (strcmp(argv[2], "quick") == 0) {
		quick_exit(8);
	}
	return status;
}
