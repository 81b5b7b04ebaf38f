/* SPDX-License-Identifier: MIT */
/*
 * device_emitter SEED PROCESS: two seconds of random device activity through libgaptrace. Streams
 * overlap, records come late and out of order, watermarks keep their promise, some stamps are bad.
 * Processes 0 and 1 share two devices, which they number the other way round; process 0 has a
 * device that stays silent, process 1 one that it never describes.
 */
#include "gaptrace/gaptrace.h"
#include "trace/base/clock.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define OPERATION_COUNT 600
#define SPAN_NS         (2 * NS_PER_S)
#define WATERMARK_NS    (50 * NS_PER_MS)
#define SHARED_DEVICES  2
#define SILENT_ORDINAL  4
#define UNTOLD_ORDINAL  5

struct planned {
	uint64_t emit_ns;
	uint64_t start_ns;
	uint64_t end_ns;
	int32_t ordinal;
	uint32_t stream;
	int kind; /* 0 kernel, 1 memcpy, 2 memset */
};

static struct planned plan[OPERATION_COUNT];

static uint64_t random_below(unsigned int *seed, uint64_t limit)
{
	const uint64_t high = (uint64_t)rand_r(seed);

	return (high << 31 | (uint64_t)rand_r(seed)) % limit;
}

static int compare_emission(const void *left, const void *right)
{
	const struct planned *a = left;
	const struct planned *b = right;

	return a->emit_ns < b->emit_ns ? -1 : a->emit_ns > b->emit_ns;
}

static void make_plan(unsigned int *seed, int process, uint64_t base_ns)
{
	for (int i = 0; i < OPERATION_COUNT; i++) {
		struct planned *operation = &plan[i];
		const int32_t device = (int32_t)random_below(seed, SHARED_DEVICES);

		operation->kind = (int)random_below(seed, 4) % 3;
		operation->stream = (uint32_t)random_below(seed, 3) + 1;
		operation->ordinal = process == 0 ? device : 1 - device;
		if (process == 1 && i % 50 == 0) {
			operation->ordinal = UNTOLD_ORDINAL;
		}
		/* Bursts with pauses of up to a fifth of a second between them. */
		operation->start_ns =
			base_ns +
			200 * NS_PER_MS * random_below(seed, SPAN_NS / (200 * NS_PER_MS)) +
			random_below(seed, 120 * NS_PER_MS);
		operation->end_ns = operation->start_ns +
				    random_below(seed, i % 5 ? 400 * NS_PER_US : 9 * NS_PER_MS);
		operation->emit_ns = operation->end_ns + random_below(seed, 60 * NS_PER_MS);
		if (i % 97 == 0) {
			operation->end_ns = operation->start_ns;
		}
	}
	qsort(plan, OPERATION_COUNT, sizeof(plan[0]), compare_emission);
}

static void sleep_until(uint64_t time_ns)
{
	const struct timespec deadline = clock_timespec(time_ns);

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &deadline, NULL) == EINTR) {
	}
}

static void emit_kernel(const struct planned *operation, uint64_t correlation)
{
	const struct gaptrace_gpu_api call = {
		.name = "cudaLaunchKernel",
		.tid = (int32_t)syscall(SYS_gettid),
		.correlation = correlation,
		.start_ns = operation->start_ns - 20 * NS_PER_US,
		.end_ns = operation->start_ns - 5 * NS_PER_US,
	};
	const struct gaptrace_gpu_kernel kernel = {
		.device = operation->ordinal,
		.stream = operation->stream,
		.correlation = correlation,
		.start_ns = operation->start_ns,
		.end_ns = operation->end_ns,
		.name = "a_kernel",
	};

	gaptrace_gpu_api(&call);
	gaptrace_gpu_kernel(&kernel);
}

static void emit(const struct planned *operation, uint64_t correlation)
{
	if (operation->kind == 0) {
		emit_kernel(operation, correlation);
	} else if (operation->kind == 1) {
		gaptrace_gpu_memcpy(&(struct gaptrace_gpu_memcpy){
			.device = operation->ordinal,
			.stream = operation->stream,
			.correlation = correlation,
			.start_ns = operation->start_ns,
			.end_ns = operation->end_ns,
			.bytes = 4096,
			.kind = GAPTRACE_COPY_HTOD,
			.source_memory = GAPTRACE_MEMORY_PINNED,
			.target_memory = GAPTRACE_MEMORY_DEVICE,
			.is_async = true,
		});
	} else {
		gaptrace_gpu_memset(&(struct gaptrace_gpu_memset){
			.device = operation->ordinal,
			.stream = operation->stream,
			.correlation = correlation,
			.start_ns = operation->start_ns,
			.end_ns = operation->end_ns,
			.bytes = 4096,
			.target_memory = GAPTRACE_MEMORY_DEVICE,
		});
	}
}

/* Nothing that started before this is still to come: the earliest start of what is not emitted yet.
 */
static uint64_t promise(int next, int32_t ordinal, uint64_t now_ns)
{
	uint64_t until_ns = now_ns;

	for (int i = next; i < OPERATION_COUNT; i++) {
		if (plan[i].ordinal == ordinal && plan[i].start_ns < until_ns) {
			until_ns = plan[i].start_ns;
		}
	}
	return until_ns;
}

static void emit_bad_stamps(uint64_t now_ns)
{
	struct planned bad = {.start_ns = now_ns, .end_ns = now_ns - 1000, .kind = 1};

	emit(&bad, 0);
	bad.start_ns = 0;
	bad.end_ns = 0;
	emit(&bad, 0);
	bad.start_ns = now_ns;
	bad.end_ns = 1ULL << 63;
	emit(&bad, 0);
}

static void describe(int process)
{
	for (int32_t device = 0; device < SHARED_DEVICES; device++) {
		gaptrace_gpu_device(&(struct gaptrace_gpu_device){
			.device = process == 0 ? device : 1 - device,
			.backend = GAPTRACE_BACKEND_CPU,
			.uuid = device == 0 ? "test-device-a" : "test-device-b",
			.name = "emitter",
			.link = "",
		});
	}
	if (process == 0) {
		gaptrace_gpu_device(&(struct gaptrace_gpu_device){
			.device = SILENT_ORDINAL,
			.backend = GAPTRACE_BACKEND_CPU,
			.uuid = "test-device-silent",
			.name = "never used",
			.link = "",
		});
	}
}

static void play(int process, uint64_t base_ns)
{
	struct gaptrace_job job = {.id = 1, .kind = "test", .partition_count = 1};
	uint64_t watermark_ns = base_ns;
	const bool has_job = process == 0;

	describe(process);
	for (int next = 0; next < OPERATION_COUNT; next++) {
		if (has_job && next == OPERATION_COUNT / 20) {
			gaptrace_job_submit(&job);
		}
		sleep_until(plan[next].emit_ns);
		emit(&plan[next], (uint64_t)next + 1);
		if (plan[next].emit_ns > watermark_ns + WATERMARK_NS) {
			watermark_ns = plan[next].emit_ns;
			for (int32_t ordinal = 0; ordinal < SHARED_DEVICES; ordinal++) {
				gaptrace_gpu_watermark(
					ordinal, promise(next + 1, ordinal, watermark_ns));
			}
		}
		if (has_job && next == OPERATION_COUNT - OPERATION_COUNT / 20) {
			const struct gaptrace_span span = gaptrace_prove_finish_begin(
				(struct gaptrace_work){.job = 1, .partition = 0, .device = 0}, 0);

			gaptrace_prove_finish_end(&span);
			gaptrace_job_end(&job);
		}
	}
	emit_bad_stamps(clock_now_ns());
}

int main(int argc, char **argv)
{
	const uint64_t base_ns = clock_now_ns() + 20 * NS_PER_MS;
	unsigned int seed;
	int process;

	if (argc != 3) {
		fprintf(stderr, "usage: device_emitter SEED PROCESS\n");
		return 2;
	}
	process = atoi(argv[2]);
	seed = (unsigned int)atoi(argv[1]) * 2 + (unsigned int)process;
	make_plan(&seed, process, base_ns);
	play(process, base_ns);
	return 0;
}
