/* SPDX-License-Identifier: MIT */
/*
 * analysis_load EVENTS [THREADS]: emits about that many events in the mix of a proving run, as fast
 * as it can: workers that pop, lock, launch and wait. What bench/analysis.sh records and reads.
 */
#include "gaptrace/gaptrace.h"
#include "trace/base/clock.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define THREAD_COUNT_MAX     64
#define LAUNCHES             20
#define COPIES               4
#define EVENTS_PER_PARTITION 85
#define PARTITIONS_PER_PAUSE 10
#define PAUSE_NS             (2 * NS_PER_MS)

struct worker {
	pthread_t thread;
	int32_t device;
	uint64_t partition_count;
	struct gaptrace_mutex *tracker;
	struct gaptrace_mutex gpu_mutex;
	uint64_t correlation;
	int32_t tid;
};

static void call(struct worker *worker, const char *name, uint64_t start_ns, uint64_t end_ns)
{
	gaptrace_gpu_api(&(struct gaptrace_gpu_api){.name = name,
		.tid = worker->tid,
		.correlation = worker->correlation,
		.start_ns = start_ns,
		.end_ns = end_ns});
}

static void launch(struct worker *worker)
{
	const uint64_t now_ns = clock_now_ns();

	worker->correlation++;
	call(worker, "cudaLaunchKernel", now_ns - 400, now_ns - 300);
	gaptrace_gpu_kernel(&(struct gaptrace_gpu_kernel){.device = worker->device,
		.stream = 7,
		.correlation = worker->correlation,
		.start_ns = now_ns - 250,
		.end_ns = now_ns - 50,
		.name = "bucket_accumulate"});
}

static void copy(struct worker *worker)
{
	const uint64_t now_ns = clock_now_ns();

	worker->correlation++;
	call(worker, "cudaMemcpyAsync", now_ns - 400, now_ns - 300);
	gaptrace_gpu_memcpy(&(struct gaptrace_gpu_memcpy){.device = worker->device,
		.stream = 8,
		.correlation = worker->correlation,
		.start_ns = now_ns - 250,
		.end_ns = now_ns - 100,
		.bytes = 1 << 20,
		.kind = GAPTRACE_COPY_HTOD,
		.source_memory = GAPTRACE_MEMORY_PINNED,
		.target_memory = GAPTRACE_MEMORY_DEVICE,
		.is_async = true});
}

static void prove(struct worker *worker, struct gaptrace_work work)
{
	struct gaptrace_item item = {
		.id = work.job * 1000 + (uint64_t)work.partition + 1, .work = work};
	struct gaptrace_pop pop;
	struct gaptrace_span start;
	struct gaptrace_span span;

	gaptrace_queue_push(worker, "gpu_queue", &item, 1);
	pop = gaptrace_queue_pop_wait(worker, "gpu_queue");
	gaptrace_queue_pop(&pop, &item, 0);
	gaptrace_mutex_lock(worker->tracker);
	gaptrace_mutex_unlock(worker->tracker);

	start = gaptrace_prove_start_begin(work, worker->device);
	gaptrace_mutex_lock(&worker->gpu_mutex);
	for (int i = 0; i < LAUNCHES; i++) {
		if (i % 5 == 0) {
			span = gaptrace_span_begin("ntt_msm_h", work);
			copy(worker);
		}
		launch(worker);
		if (i % 5 == 4) {
			gaptrace_span_end(&span);
		}
	}
	gaptrace_mutex_unlock(&worker->gpu_mutex);
	gaptrace_prove_start_end(&start);
	span = gaptrace_prove_finish_begin(work, worker->device);
	gaptrace_mutex_lock(worker->tracker);
	gaptrace_mutex_unlock(worker->tracker);
	gaptrace_prove_finish_end(&span);
}

static void *run(void *context)
{
	struct worker *worker = context;
	const struct timespec pause = clock_timespec(PAUSE_NS);

	worker->tid = (int32_t)syscall(SYS_gettid);
	gaptrace_thread_name("gpu_worker");
	gaptrace_gpu_device(&(struct gaptrace_gpu_device){.device = worker->device,
		.backend = GAPTRACE_BACKEND_CPU,
		.uuid = worker->device % 2 ? "bench-b" : "bench-a",
		.name = "load",
		.link = ""});
	for (uint64_t i = 0; i < worker->partition_count; i++) {
		struct gaptrace_job job = {
			.id = i * THREAD_COUNT_MAX + (uint64_t)worker->device + 1,
			.kind = "load",
			.partition_count = 1};

		gaptrace_job_submit(&job);
		prove(worker, (struct gaptrace_work){
				      .job = job.id, .partition = 0, .device = worker->device});
		gaptrace_job_end(&job);
		if (i % PARTITIONS_PER_PAUSE == 0) {
			gaptrace_gpu_watermark(worker->device, clock_now_ns() - NS_PER_US);
			(void)nanosleep(&pause, NULL);
		}
	}
	gaptrace_thread_end();
	return NULL;
}

int main(int argc, char **argv)
{
	static struct worker workers[THREAD_COUNT_MAX];
	struct gaptrace_mutex tracker;
	const uint64_t events = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
	const int threads = argc > 2 ? atoi(argv[2]) : 2;

	if (events == 0 || threads < 1 || threads > THREAD_COUNT_MAX) {
		fprintf(stderr, "usage: analysis_load EVENTS [THREADS]\n");
		return 2;
	}
	if (gaptrace_mutex_init(&tracker, "tracker") != 0) {
		return 1;
	}
	for (int i = 0; i < threads; i++) {
		workers[i].device = i;
		workers[i].tracker = &tracker;
		workers[i].correlation = (uint64_t)i << 40; /* unique in the process, as CUPTI's */
		workers[i].partition_count = events / EVENTS_PER_PARTITION / (uint64_t)threads + 1;
		if (gaptrace_mutex_init(&workers[i].gpu_mutex, "gpu_mutex") != 0 ||
			pthread_create(&workers[i].thread, NULL, run, &workers[i]) != 0) {
			return 1;
		}
	}
	for (int i = 0; i < threads; i++) {
		(void)pthread_join(workers[i].thread, NULL);
	}
	return 0;
}
