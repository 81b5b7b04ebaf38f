/* SPDX-License-Identifier: MIT */
#include "tests/unit/emit_calls.h"

#include "gaptrace/gaptrace.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How long a thread may take to fall asleep on a busy machine. */
#define SLEEPING_MS_MAX 30000

static struct gaptrace_mutex mutex;
static struct gaptrace_rwlock rwlock;
static struct gaptrace_condition condition;
static bool is_open;
static int second_tid; /* set just before it takes the mutex */

static struct gaptrace_work work_of(uint64_t job, int32_t partition, int32_t device)
{
	return (struct gaptrace_work){.job = job, .partition = partition, .device = device};
}

/* Waits for the lock its parent holds, so that there is one lock_wait, and wakes the parent. */
static void *second_thread(void *unused)
{
	(void)unused;
	gaptrace_thread_name("second");
	__atomic_store_n(&second_tid, gettid(), __ATOMIC_SEQ_CST);
	gaptrace_mutex_lock(&mutex);
	is_open = true;
	gaptrace_mutex_unlock(&mutex);
	/* Without the mutex, so that the parent need not wait for it. */
	gaptrace_condition_signal(&condition);
	gaptrace_thread_end();
	return NULL;
}

static bool is_sleeping(int tid)
{
	char path[64];
	char line[256] = "";
	FILE *file;
	const char *state;

	(void)snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid);
	file = fopen(path, "r");
	if (!file) {
		return false;
	}
	state = fgets(line, sizeof(line), file) ? strrchr(line, ')') : NULL;
	(void)fclose(file);
	return state && strncmp(state, ") S", 3) == 0;
}

static void wait_for_second(void)
{
	for (int i = 0; i < SLEEPING_MS_MAX; i++) {
		int tid = __atomic_load_n(&second_tid, __ATOMIC_SEQ_CST);

		if (tid && is_sleeping(tid)) {
			return;
		}
		(void)usleep(1000);
	}
}

static void call_locks(void)
{
	pthread_t thread;

	(void)gaptrace_mutex_init(&mutex, "mutex");
	(void)gaptrace_rwlock_init(&rwlock, "rwlock");
	gaptrace_condition_init(&condition, "condition");

	gaptrace_mutex_lock(&mutex);
	(void)pthread_create(&thread, NULL, second_thread, NULL);
	wait_for_second();
	while (!is_open) {
		gaptrace_condition_wait(&condition, &mutex);
	}
	(void)gaptrace_condition_wait_until(&condition, &mutex, 1);
	gaptrace_condition_broadcast(&condition);
	gaptrace_mutex_unlock(&mutex);
	(void)pthread_join(thread, NULL);
	if (gaptrace_mutex_trylock(&mutex)) {
		gaptrace_mutex_unlock(&mutex);
	}

	gaptrace_rwlock_read_lock(&rwlock);
	gaptrace_rwlock_unlock(&rwlock);
	gaptrace_rwlock_write_lock(&rwlock);
	gaptrace_rwlock_unlock(&rwlock);

	gaptrace_condition_finish(&condition);
	gaptrace_rwlock_finish(&rwlock);
	gaptrace_mutex_finish(&mutex);
}

static void call_queues(void)
{
	struct gaptrace_item item = {.id = 71, .work = work_of(7, 1, 2)};
	struct gaptrace_task task = {.pool = &item,
		.name = "blocking",
		.kind = "prove",
		.id = 81,
		.work = work_of(8, 1, 2)};
	struct gaptrace_wait wait;
	struct gaptrace_pop pop;

	gaptrace_queue_push(&item, "gpu_queue", &item, 3);
	pop = gaptrace_queue_pop_wait(&item, "gpu_queue");
	gaptrace_queue_pop(&pop, &item, 2);
	pop = gaptrace_queue_pop_wait(&item, "gpu_queue");
	gaptrace_queue_pop_cancel(&pop);

	gaptrace_task_submit(&task, 5);
	gaptrace_task_begin(&task);
	(void)usleep(1000);
	gaptrace_task_end(&task);

	wait = gaptrace_wait_begin(&wait, "prep", GAPTRACE_WAIT_BARRIER);
	gaptrace_wake(&wait, "prep");
	gaptrace_wait_end(&wait);
}

/* Ends a span that another thread began. */
static void *end_span(void *span)
{
	gaptrace_span_end(span);
	return NULL;
}

static void call_spans(void)
{
	struct gaptrace_span outer = gaptrace_span_begin("outer", work_of(9, 4, 1));
	struct gaptrace_span inner = gaptrace_span_begin("inner", work_of(9, 4, GAPTRACE_NONE));
	struct gaptrace_span prove;
	pthread_t thread;

	/* Longer than the shortest span whose CPU time is read. */
	(void)usleep(1000);
	/* The library's system calls are not the caller's. */
	errno = EXDEV;
	gaptrace_span_end(&inner);
	if (errno != EXDEV) {
		abort();
	}
	(void)pthread_create(&thread, NULL, end_span, &outer);
	(void)pthread_join(thread, NULL);

	prove = gaptrace_prove_start_begin(work_of(9, 4, 1), 6);
	gaptrace_prove_start_end(&prove);
	prove = gaptrace_prove_finish_begin(work_of(9, 4, 1), 6);
	gaptrace_prove_finish_end(&prove);
}

static void call_memory(void)
{
	struct gaptrace_budget budget = {.budget = &mutex,
		.work = work_of(10, 2, GAPTRACE_NONE),
		.bytes = 1000,
		.used_bytes = 5000,
		.limit_bytes = 9000,
		.wait_ns = 123};
	struct gaptrace_buffer buffer = {.kind = GAPTRACE_BUFFER_PINNED,
		.bytes = 4096,
		.live_count = 2,
		.live_bytes = 8192,
		.duration_ns = 456};

	gaptrace_budget_reserve(&budget);
	budget.used_bytes = 4000;
	gaptrace_budget_release(&budget);
	gaptrace_buffer_alloc(&buffer);
	buffer.live_count = 1;
	gaptrace_buffer_free(&buffer);
	(void)gaptrace_malloc_trim(0);
}

static void call_jobs(void)
{
	struct gaptrace_job job = {.id = 11, .kind = "merkle", .partition_count = 4};
	struct gaptrace_state state = {.subject = GAPTRACE_STATE_QUEUE,
		.object = &job,
		.name = "gpu_queue",
		.work = work_of(11, 3, 0),
		.tid = 99,
		.value = 5,
		.limit = 10,
		.since_ns = 777};

	gaptrace_job_submit(&job);
	gaptrace_job_begin(&job);
	job.status = GAPTRACE_JOB_FAILED;
	gaptrace_job_end(&job);
	gaptrace_state(&state);
}

static void call_devices(void)
{
	const struct gaptrace_gpu_device device = {.device = 1,
		.backend = GAPTRACE_BACKEND_SIM,
		.uuid = "SIM-1",
		.name = "sim",
		.link = "pcie"};
	const struct gaptrace_gpu_kernel kernel = {.device = 1,
		.context = 2,
		.stream = 3,
		.correlation = 4,
		.start_ns = 1000,
		.end_ns = 2000,
		.name = "ntt",
		.graph = 5};
	const struct gaptrace_gpu_memcpy copy = {.device = 1,
		.context = 2,
		.stream = 3,
		.correlation = 6,
		.start_ns = 3000,
		.end_ns = 4000,
		.bytes = 65536,
		.kind = GAPTRACE_COPY_PTOP,
		.source_memory = GAPTRACE_MEMORY_PAGEABLE,
		.target_memory = GAPTRACE_MEMORY_DEVICE,
		.is_async = true};
	const struct gaptrace_gpu_memset set = {.device = 1,
		.context = 2,
		.stream = 3,
		.correlation = 7,
		.start_ns = 5000,
		.end_ns = 6000,
		.bytes = 128,
		.target_memory = GAPTRACE_MEMORY_MANAGED_STATIC,
		.is_async = false};
	const struct gaptrace_gpu_api api = {.name = "cudaLaunchKernel",
		.tid = 12,
		.correlation = 4,
		.start_ns = 900,
		.end_ns = 950,
		.result = -3};
	const struct gaptrace_gpu_sync sync = {.device = 1,
		.context = 2,
		.stream = 3,
		.correlation = 8,
		.kind = GAPTRACE_SYNC_STREAM_WAIT_EVENT,
		.event = 9,
		.event_stream = 10,
		.start_ns = 7000,
		.end_ns = 8000};
	const struct gaptrace_gpu_overhead overhead = {
		.kind = GAPTRACE_OVERHEAD_COMMAND_BUFFER_FULL,
		.tid = 12,
		.correlation = 4,
		.start_ns = 8100,
		.end_ns = 8200};
	const struct gaptrace_gpu_clock_pair pair = {
		.device = 1, .host_before_ns = 100, .device_ns = 150, .host_after_ns = 200};

	gaptrace_gpu_device(&device);
	gaptrace_gpu_kernel(&kernel);
	gaptrace_gpu_memcpy(&copy);
	gaptrace_gpu_memset(&set);
	gaptrace_gpu_api(&api);
	gaptrace_gpu_sync(&sync);
	gaptrace_gpu_overhead(&overhead);
	gaptrace_gpu_clock_pair(&pair);
	gaptrace_gpu_watermark(1, 9000);
	gaptrace_gpu_dropped(1, 13);
}

void emit_calls(void)
{
	gaptrace_thread_name("first thread of many");
	call_locks();
	call_queues();
	call_spans();
	call_memory();
	call_jobs();
	call_devices();
	gaptrace_keyframe();
}
