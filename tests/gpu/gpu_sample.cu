/* SPDX-License-Identifier: MIT */
/*
 * gpu_sample mixed ROUNDS | launches COUNT: a CUDA program that knows nothing of gaptrace, recorded
 * as it is. `mixed` copies, sets, launches on two streams and as a graph, and pauses now and then;
 * `launches` launches small kernels as fast as it can. What it did is one JSON object on standard
 * output, by the host's CLOCK_MONOTONIC. Exits with 77 where there is no CUDA device.
 */
#include <cuda_runtime.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define ELEMENT_COUNT (1 << 18)
#define BLOCK_THREADS 256
#define GRAPH_KERNELS 4
#define PAUSE_EVERY   20
#define PAUSE_US      20000
#define EXIT_SKIPPED  77

/* Kernels and copies of a round, outside its graph. */
#define ROUND_KERNELS 3
#define ROUND_COPIES  3

#define REQUIRE(call) require((call), #call)

static void require(cudaError_t error, const char *call)
{
	if (error != cudaSuccess) {
		fprintf(stderr, "gpu_sample: %s: %s\n", call, cudaGetErrorName(error));
		exit(1);
	}
}

static __global__ void sample_scale(float *values, int round_count)
{
	const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
	float value = values[i];

	for (int round = 0; round < round_count; round++) {
		value = value * 0.999f + 0.001f;
	}
	values[i] = value;
}

static __global__ void sample_nothing(void)
{
}

struct sample {
	cudaStream_t streams[2];
	cudaEvent_t event;
	cudaGraphExec_t graph;
	float *on_device;
	float *pinned;
	float *pageable;
};

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return static_cast<uint64_t>(now.tv_sec) * 1000000000u + static_cast<uint64_t>(now.tv_nsec);
}

static uint64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return static_cast<uint64_t>(now.tv_sec) * 1000000000u + static_cast<uint64_t>(now.tv_nsec);
}

static void scale(const struct sample *sample, int stream, int round_count)
{
	sample_scale<<<ELEMENT_COUNT / BLOCK_THREADS, BLOCK_THREADS, 0, sample->streams[stream]>>>(
		sample->on_device, round_count);
	REQUIRE(cudaGetLastError());
}

static void make_graph(struct sample *sample)
{
	cudaGraph_t graph;

	REQUIRE(cudaStreamBeginCapture(sample->streams[0], cudaStreamCaptureModeThreadLocal));
	for (int i = 0; i < GRAPH_KERNELS; i++) {
		scale(sample, 0, 50);
	}
	REQUIRE(cudaStreamEndCapture(sample->streams[0], &graph));
	REQUIRE(cudaGraphInstantiate(&sample->graph, graph, 0));
	REQUIRE(cudaGraphDestroy(graph));
}

static void sample_open(struct sample *sample)
{
	const size_t bytes = ELEMENT_COUNT * sizeof(float);

	memset(sample, 0, sizeof(*sample));
	for (int i = 0; i < 2; i++) {
		REQUIRE(cudaStreamCreateWithFlags(&sample->streams[i], cudaStreamNonBlocking));
	}
	REQUIRE(cudaEventCreateWithFlags(&sample->event, cudaEventDisableTiming));
	REQUIRE(cudaMalloc(&sample->on_device, bytes));
	REQUIRE(cudaMallocHost(&sample->pinned, bytes));
	sample->pageable = static_cast<float *>(calloc(1, bytes));
	if (!sample->pageable) {
		exit(1);
	}
	make_graph(sample);
}

static void sample_close(struct sample *sample)
{
	REQUIRE(cudaGraphExecDestroy(sample->graph));
	REQUIRE(cudaFree(sample->on_device));
	REQUIRE(cudaFreeHost(sample->pinned));
	REQUIRE(cudaEventDestroy(sample->event));
	for (int i = 0; i < 2; i++) {
		REQUIRE(cudaStreamDestroy(sample->streams[i]));
	}
	free(sample->pageable);
}

static void wait_all(const struct sample *sample)
{
	REQUIRE(cudaStreamSynchronize(sample->streams[0]));
	REQUIRE(cudaStreamSynchronize(sample->streams[1]));
}

static void work(const struct sample *sample)
{
	const size_t bytes = ELEMENT_COUNT * sizeof(float);

	REQUIRE(cudaMemcpyAsync(sample->on_device, sample->pinned, bytes, cudaMemcpyHostToDevice,
		sample->streams[0]));
	scale(sample, 0, 100);
	REQUIRE(cudaEventRecord(sample->event, sample->streams[0]));
	REQUIRE(cudaStreamWaitEvent(sample->streams[1], sample->event, 0));
	scale(sample, 1, 200);
	REQUIRE(cudaMemsetAsync(sample->on_device, 0, bytes / 2, sample->streams[1]));
	REQUIRE(cudaMemcpyAsync(sample->on_device, sample->pageable, bytes, cudaMemcpyHostToDevice,
		sample->streams[0]));
	scale(sample, 0, 100);
	REQUIRE(cudaGraphLaunch(sample->graph, sample->streams[0]));
	REQUIRE(cudaMemcpyAsync(sample->pinned, sample->on_device, bytes, cudaMemcpyDeviceToHost,
		sample->streams[0]));
	wait_all(sample);
}

/* Between two pauses nothing is on the device: what is recorded there has a wrong stamp. */
static void mixed(int round_count)
{
	struct sample sample;
	int pause_count = 0;
	uint64_t begin_ns;

	sample_open(&sample);
	begin_ns = now_ns();
	printf("{\"pauses\": [");
	for (int round = 0; round < round_count; round++) {
		work(&sample);
		if (round % PAUSE_EVERY == PAUSE_EVERY - 1 && round + 1 < round_count) {
			const uint64_t pause_ns = now_ns();

			usleep(PAUSE_US);
			printf("%s[%llu, %llu]", pause_count++ > 0 ? ", " : "",
				static_cast<unsigned long long>(pause_ns),
				static_cast<unsigned long long>(now_ns()));
		}
	}
	printf("], \"begin_ns\": %llu, \"end_ns\": %llu, \"kernels\": %d, \"graph_kernels\": %d, "
	       "\"copies\": %d, \"memsets\": %d, \"graph_launches\": %d}\n",
		static_cast<unsigned long long>(begin_ns), static_cast<unsigned long long>(now_ns()),
		round_count * (ROUND_KERNELS + GRAPH_KERNELS), round_count * GRAPH_KERNELS,
		round_count * ROUND_COPIES, round_count, round_count);
	sample_close(&sample);
}

static void launches(int count)
{
	struct sample sample;
	uint64_t begin_ns;
	uint64_t begin_cpu_ns;

	sample_open(&sample);
	sample_nothing<<<1, 1, 0, sample.streams[0]>>>();
	wait_all(&sample);
	begin_ns = now_ns();
	begin_cpu_ns = cpu_ns();
	for (int i = 0; i < count; i++) {
		sample_nothing<<<1, 1, 0, sample.streams[i % 2]>>>();
		if (i % 1000 == 999) {
			wait_all(&sample);
		}
	}
	REQUIRE(cudaGetLastError());
	wait_all(&sample);
	printf("{\"launches\": %d, \"wall_ns\": %llu, \"cpu_ns\": %llu}\n", count,
		static_cast<unsigned long long>(now_ns() - begin_ns),
		static_cast<unsigned long long>(cpu_ns() - begin_cpu_ns));
	sample_close(&sample);
}

int main(int argc, char **argv)
{
	const int count = argc == 3 ? atoi(argv[2]) : 0;
	int device_count = 0;

	if (count <= 0 || (strcmp(argv[1], "mixed") != 0 && strcmp(argv[1], "launches") != 0)) {
		fprintf(stderr, "usage: gpu_sample mixed ROUNDS | launches COUNT\n");
		return 2;
	}
	if (cudaGetDeviceCount(&device_count) != cudaSuccess || device_count == 0) {
		printf("skipped: no CUDA device\n");
		return EXIT_SKIPPED;
	}
	if (strcmp(argv[1], "mixed") == 0) {
		mixed(count);
	} else {
		launches(count);
	}
	return 0;
}
