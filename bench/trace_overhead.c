/* SPDX-License-Identifier: MIT */
/*
 * What trace points cost: CPU nanoseconds for each operation, the least of many short batches.
 * trace_overhead.sh runs it linked to libgaptrace-off, to libgaptrace with nothing recording, and
 * while a session records. Batches are short and spaced, so that the session's buffers never
 * overflow: a discarded event would look cheap.
 *
 * trace_overhead [idle | recording [OPERATION]]
 */
#include "gaptrace/gaptrace.h"
#include "trace/base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BATCH_SIZE      10000
#define BATCH_COUNT     40
#define BATCH_PAUSE_US  5000
#define WARM_UP_BATCHES 2

static struct gaptrace_mutex mutex;
static struct gaptrace_rwlock rwlock;

/* Some work between begin and end that is not the library's: a store. */
static volatile uint64_t value;

static void run_mutex(void)
{
	gaptrace_mutex_lock(&mutex);
	value++;
	gaptrace_mutex_unlock(&mutex);
}

static void run_rwlock(void)
{
	gaptrace_rwlock_read_lock(&rwlock);
	value++;
	gaptrace_rwlock_unlock(&rwlock);
}

static void run_span(void)
{
	const struct gaptrace_work work = {.job = 7, .partition = 3, .device = 1};
	struct gaptrace_span span = gaptrace_span_begin("ntt_msm_h", work);

	value++;
	gaptrace_span_end(&span);
}

static void run_queue(void)
{
	struct gaptrace_item item = {.id = 9, .work = {.job = 7, .partition = 3, .device = 1}};
	struct gaptrace_pop pop;

	gaptrace_queue_push(&mutex, "gpu_queue", &item, 1);
	value++;
	pop = gaptrace_queue_pop_wait(&mutex, "gpu_queue");
	gaptrace_queue_pop(&pop, &item, 0);
}

static void run_kernel(void)
{
	const struct gaptrace_gpu_kernel kernel = {.device = 1,
		.context = 1,
		.stream = 7,
		.correlation = value,
		.start_ns = 1000,
		.end_ns = 2000,
		.name = "msm_accumulate_buckets"};

	value++;
	gaptrace_gpu_kernel(&kernel);
}

static void run_wake(void)
{
	value++;
	gaptrace_wake(&mutex, "prep");
}

/* What every operation above does besides its trace points. */
static void run_nothing(void)
{
	value++;
}

static const struct {
	const char *name;
	int point_count;
	void (*run)(void);
} operations[] = {
	{"nothing", 0, run_nothing},
	{"mutex", 2, run_mutex},
	{"rwlock", 2, run_rwlock},
	{"span", 2, run_span},
	{"queue", 3, run_queue},
	{"kernel", 1, run_kernel},
	{"wake", 1, run_wake},
};

static double batch_ns(void (*run)(void))
{
	uint64_t begin_ns = clock_thread_cpu_ns();

	for (int i = 0; i < BATCH_SIZE; i++) {
		run();
	}
	return (double)(clock_thread_cpu_ns() - begin_ns) / BATCH_SIZE;
}

static double least_ns(void (*run)(void), bool is_spaced)
{
	double least = 1e9;

	for (int i = 0; i < WARM_UP_BATCHES + BATCH_COUNT; i++) {
		double ns = batch_ns(run);

		if (i >= WARM_UP_BATCHES && ns < least) {
			least = ns;
		}
		if (is_spaced) {
			(void)usleep(BATCH_PAUSE_US);
		}
	}
	return least;
}

int main(int argc, char **argv)
{
	bool must_record = argc > 1 && strcmp(argv[1], "recording") == 0;
	const char *only = argc > 2 ? argv[2] : NULL;

	if (gaptrace_mutex_init(&mutex, "tracker") != 0 ||
		gaptrace_rwlock_init(&rwlock, "srs") != 0) {
		return EXIT_FAILURE;
	}
	if (gaptrace_is_recording() != must_record) {
		(void)fprintf(
			stderr, "something %s\n", must_record ? "does not record" : "records");
		return EXIT_FAILURE;
	}
	gaptrace_thread_name("bench");
	for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++) {
		if (only && strcmp(only, operations[i].name) != 0) {
			continue;
		}
		printf("%s %d %.2f\n", operations[i].name, operations[i].point_count,
			least_ns(operations[i].run, must_record));
	}
	return EXIT_SUCCESS;
}
