/* SPDX-License-Identifier: MIT */
/*
 * libgaptrace: trace points for a GPU proving service. All that a traced program includes.
 *
 * Link libgaptrace to have them, libgaptrace-off to have none; the calls are the same. No call
 * fails, blocks or aborts because of tracing: what cannot be recorded is dropped. With nothing
 * recording a call costs a load and a branch for LTTng and the same for NVTX.
 *
 * Names are string literals or strings that live as long as the process: they are kept by address,
 * but for those of threads and devices, which are copied.
 * Identities (lock, queue, pool, object) are addresses in the traced process. Times are
 * CLOCK_MONOTONIC nanoseconds. Every function may be called from any thread; an object belongs to
 * its caller, who keeps it in place until it is finished. docs/events.md describes the events.
 */
#pragma once

#include "gaptrace/schema.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
/* A function may share its name with the struct it takes, as in C. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#endif

#define GAPTRACE_PUBLIC __attribute__((visibility("default")))

/* ---- The library ---- */

/* True while a recording session wants any event of this process: a load for each event. */
GAPTRACE_PUBLIC bool gaptrace_is_recording(void);

/* True in libgaptrace, false in libgaptrace-off. */
GAPTRACE_PUBLIC bool gaptrace_is_on(void);

/* Names the calling thread: for the operating system (15 bytes), NVTX and the trace. */
GAPTRACE_PUBLIC void gaptrace_thread_name(const char *name);

/* The calling thread leaves: its name is no longer repeated in keyframes. */
GAPTRACE_PUBLIC void gaptrace_thread_end(void);

/*
 * Repeats what a recording that starts now must know: thread names and devices. Call it once a
 * second, with one gaptrace_state() for each queue, pool, budget, buffer kind, worker, held lock
 * and open job.
 */
GAPTRACE_PUBLIC void gaptrace_keyframe(void);

/* What something is for: job 0 is none, partition and device GAPTRACE_NONE are none. */
struct gaptrace_work {
	uint64_t job;
	int32_t partition;
	int32_t device;
};

#define GAPTRACE_NO_WORK                                                                           \
	{                                                                                          \
		0, GAPTRACE_NONE, GAPTRACE_NONE                                                    \
	}

/* ---- Locks ---- */

struct gaptrace_mutex {
	pthread_mutex_t mutex;
	const char *name;
	uint64_t acquired_ns;   /* of the current holder, 0 when nothing recorded then */
	uint64_t acquire_count; /* written by the holder: every acquisition since init */
	uint64_t nvtx_range;    /* of the current holder */
	int32_t holder_tid;     /* 0 when free; written by the holder, read by those who wait */
};

struct gaptrace_rwlock {
	pthread_rwlock_t rwlock;
	const char *name;
	uint64_t acquired_ns;   /* of the writer */
	uint64_t acquire_count; /* readers and writers, atomic */
	uint64_t nvtx_range;    /* of the writer */
	int32_t holder_tid;     /* the writer, or the reader that came last */
	bool is_written;        /* a writer holds it; written by the writer */
};

/*
 * A condition on a gaptrace_mutex: a wait is a release, a wait_begin and wait_end of kind
 * condition, and a lock acquisition like any other. `name` NULL makes it the inner part of a
 * queue, pool or barrier that reports its own waits: then only the lock events are emitted.
 */
struct gaptrace_condition {
	const char *name;
	uint32_t sequence; /* futex word: how many wakes there were */
	uint32_t waiter_count;
};

/* 0 or an errno value, as pthread_mutex_init. */
GAPTRACE_PUBLIC int gaptrace_mutex_init(struct gaptrace_mutex *mutex, const char *name);
GAPTRACE_PUBLIC void gaptrace_mutex_finish(struct gaptrace_mutex *mutex);
GAPTRACE_PUBLIC void gaptrace_mutex_lock(struct gaptrace_mutex *mutex);
/* True when the caller now holds it. A refusal emits nothing. */
GAPTRACE_PUBLIC bool gaptrace_mutex_trylock(struct gaptrace_mutex *mutex);
GAPTRACE_PUBLIC void gaptrace_mutex_unlock(struct gaptrace_mutex *mutex);

GAPTRACE_PUBLIC int gaptrace_rwlock_init(struct gaptrace_rwlock *rwlock, const char *name);
GAPTRACE_PUBLIC void gaptrace_rwlock_finish(struct gaptrace_rwlock *rwlock);
GAPTRACE_PUBLIC void gaptrace_rwlock_read_lock(struct gaptrace_rwlock *rwlock);
GAPTRACE_PUBLIC void gaptrace_rwlock_write_lock(struct gaptrace_rwlock *rwlock);
GAPTRACE_PUBLIC void gaptrace_rwlock_unlock(struct gaptrace_rwlock *rwlock);

GAPTRACE_PUBLIC void gaptrace_condition_init(
	struct gaptrace_condition *condition, const char *name);
GAPTRACE_PUBLIC void gaptrace_condition_finish(struct gaptrace_condition *condition);
/* May return without a wake: check what is waited for in a loop. */
GAPTRACE_PUBLIC void gaptrace_condition_wait(
	struct gaptrace_condition *condition, struct gaptrace_mutex *mutex);
/* False when `deadline_ns` passed first. */
GAPTRACE_PUBLIC bool gaptrace_condition_wait_until(
	struct gaptrace_condition *condition, struct gaptrace_mutex *mutex, uint64_t deadline_ns);
GAPTRACE_PUBLIC void gaptrace_condition_signal(struct gaptrace_condition *condition);
GAPTRACE_PUBLIC void gaptrace_condition_broadcast(struct gaptrace_condition *condition);

/* ---- Waits that are no lock: barriers, joins, budgets, sleeps ---- */

struct gaptrace_wait {
	const void *object;
	const char *name;
	enum gaptrace_wait_kind kind;
	uint64_t begin_ns; /* 0 when nothing recorded at the begin */
};

/* Around the wait, both on the thread that waits: begin before it can be woken. */
GAPTRACE_PUBLIC struct gaptrace_wait gaptrace_wait_begin(
	const void *object, const char *name, enum gaptrace_wait_kind kind);
GAPTRACE_PUBLIC void gaptrace_wait_end(const struct gaptrace_wait *wait);
/* The calling thread is about to end the waits on `object`. Call it before the act itself. */
GAPTRACE_PUBLIC void gaptrace_wake(const void *object, const char *name);

/* ---- Queues ---- */

/* An item of a queue; `id` is not 0, and unique among the items of one queue that are alive. */
struct gaptrace_item {
	uint64_t id;
	struct gaptrace_work work;
	uint64_t pushed_ns; /* filled in by gaptrace_queue_push */
};

struct gaptrace_pop {
	const void *queue;
	const char *name;
	uint64_t begin_ns;
};

/* `depth` is the number of items after the push or pop. Call it while the queue is still locked. */
GAPTRACE_PUBLIC void gaptrace_queue_push(
	const void *queue, const char *name, struct gaptrace_item *item, uint32_t depth);
/* Before every pop; each is followed by one gaptrace_queue_pop or _pop_cancel on this thread. */
GAPTRACE_PUBLIC struct gaptrace_pop gaptrace_queue_pop_wait(const void *queue, const char *name);
GAPTRACE_PUBLIC void gaptrace_queue_pop(
	const struct gaptrace_pop *pop, const struct gaptrace_item *item, uint32_t depth);
/* The wait ended without an item: a time-out, or the queue was closed. A queue_pop of item 0. */
GAPTRACE_PUBLIC void gaptrace_queue_pop_cancel(const struct gaptrace_pop *pop);

/* ---- Task pools ---- */

struct gaptrace_task {
	const void *pool;
	const char *name; /* of the pool */
	const char *kind; /* what the task does */
	uint64_t id;      /* unique among the tasks alive in the process */
	struct gaptrace_work work;
	uint64_t submitted_ns;
	uint64_t begin_ns;
	uint64_t begin_cpu_ns;
	uint64_t begin_run_delay_ns;
};

/* `backlog`: tasks waiting in the pool, this one included. Fills in `submitted_ns`. */
GAPTRACE_PUBLIC void gaptrace_task_submit(struct gaptrace_task *task, uint32_t backlog);
/* On the thread that runs the task, as are the end and whatever it does between. */
GAPTRACE_PUBLIC void gaptrace_task_begin(struct gaptrace_task *task);
GAPTRACE_PUBLIC void gaptrace_task_end(const struct gaptrace_task *task);

/* ---- Spans ---- */

/* An open span. Copy it freely, end it once, on any thread. */
struct gaptrace_span {
	const char *name;
	struct gaptrace_work work;
	uint64_t begin_ns; /* 0 when nothing recorded at the begin */
	uint64_t begin_cpu_ns;
	uint64_t begin_run_delay_ns;
	uint64_t nvtx_range; /* 0: none */
	int32_t worker;      /* of prove_start and prove_finish */
	int32_t tid;         /* where it began */
};

/* `name` is the phase; what is in it on this thread, until the end, belongs to it. */
GAPTRACE_PUBLIC struct gaptrace_span gaptrace_span_begin(
	const char *name, struct gaptrace_work work);
GAPTRACE_PUBLIC void gaptrace_span_end(const struct gaptrace_span *span);

/* The two halves of a partition's proof; `worker` is the GPU worker that called. */
GAPTRACE_PUBLIC struct gaptrace_span gaptrace_prove_start_begin(
	struct gaptrace_work work, int32_t worker);
GAPTRACE_PUBLIC void gaptrace_prove_start_end(const struct gaptrace_span *span);
GAPTRACE_PUBLIC struct gaptrace_span gaptrace_prove_finish_begin(
	struct gaptrace_work work, int32_t worker);
GAPTRACE_PUBLIC void gaptrace_prove_finish_end(const struct gaptrace_span *span);

/* ---- Memory ---- */

/* Calls malloc_trim(pad_bytes), traced, and gives its result: 1 when memory was returned. */
GAPTRACE_PUBLIC int gaptrace_malloc_trim(size_t pad_bytes);

struct gaptrace_budget {
	const void *budget;
	struct gaptrace_work work;
	uint64_t bytes;
	uint64_t used_bytes; /* after the reservation or release */
	uint64_t limit_bytes;
	uint64_t wait_ns; /* of a reservation: how long it waited for room */
};

/* After the reservation was made; before a release, which ends the waits of others. */
GAPTRACE_PUBLIC void gaptrace_budget_reserve(const struct gaptrace_budget *sample);
GAPTRACE_PUBLIC void gaptrace_budget_release(const struct gaptrace_budget *sample);

struct gaptrace_buffer {
	enum gaptrace_buffer_kind kind;
	uint64_t bytes;
	uint64_t live_count; /* of this kind, after the act */
	uint64_t live_bytes;
	uint64_t duration_ns; /* what the allocation or the free itself took */
};

/* After the act, for buffers whose allocation can be felt: some MiB and more. */
GAPTRACE_PUBLIC void gaptrace_buffer_alloc(const struct gaptrace_buffer *buffer);
GAPTRACE_PUBLIC void gaptrace_buffer_free(const struct gaptrace_buffer *buffer);

/* ---- Jobs and keyframes ---- */

struct gaptrace_job {
	uint64_t id;
	const char *kind;
	uint32_t partition_count;
	enum gaptrace_job_status status; /* of the end */
	uint64_t submitted_ns;           /* filled in by gaptrace_job_submit */
};

/* Once for each accepted job, before anything else that names it. */
GAPTRACE_PUBLIC void gaptrace_job_submit(struct gaptrace_job *job);
GAPTRACE_PUBLIC void gaptrace_job_begin(const struct gaptrace_job *job);
/* Also of a job that failed or was cancelled. The duration in the event runs from the submit. */
GAPTRACE_PUBLIC void gaptrace_job_end(const struct gaptrace_job *job);

/* One line of a keyframe. What a field means depends on the subject: see docs/events.md. */
struct gaptrace_state {
	enum gaptrace_state_subject subject;
	const void *object;
	const char *name;
	struct gaptrace_work work;
	int32_t tid;
	uint64_t value;
	uint64_t limit;
	uint64_t since_ns;
};

GAPTRACE_PUBLIC void gaptrace_state(const struct gaptrace_state *state);

/* ---- Devices: what a backend reports of its own work ---- */

struct gaptrace_gpu_device {
	int32_t device; /* ordinal in this process */
	enum gaptrace_backend backend;
	const char *uuid; /* the same for one device in every process and run */
	const char *name;
	const char *link; /* how it is attached, "" when not known */
};

struct gaptrace_gpu_kernel {
	int32_t device;
	uint32_t context;
	uint32_t stream;
	uint64_t correlation; /* joins the operation to the api call that issued it */
	uint64_t start_ns;
	uint64_t end_ns;
	const char *name;
	uint32_t graph; /* 0: not part of a graph launch */
};

struct gaptrace_gpu_memcpy {
	int32_t device;
	uint32_t context;
	uint32_t stream;
	uint64_t correlation;
	uint64_t start_ns;
	uint64_t end_ns;
	uint64_t bytes;
	enum gaptrace_copy_kind kind;
	enum gaptrace_memory_kind source_memory;
	enum gaptrace_memory_kind target_memory;
	bool is_async;
};

struct gaptrace_gpu_memset {
	int32_t device;
	uint32_t context;
	uint32_t stream;
	uint64_t correlation;
	uint64_t start_ns;
	uint64_t end_ns;
	uint64_t bytes;
	enum gaptrace_memory_kind target_memory;
	bool is_async;
};

struct gaptrace_gpu_api {
	const char *name;
	int32_t tid; /* of the caller */
	uint64_t correlation;
	uint64_t start_ns;
	uint64_t end_ns;
	int32_t result; /* 0 when it succeeded */
};

struct gaptrace_gpu_sync {
	int32_t device;
	uint32_t context;
	uint32_t stream;
	uint64_t correlation;
	enum gaptrace_sync_kind kind;
	uint64_t event;        /* what was waited for, 0 when it is no event */
	uint32_t event_stream; /* where that event was recorded; 0: not known */
	uint64_t start_ns;
	uint64_t end_ns;
};

struct gaptrace_gpu_overhead {
	enum gaptrace_overhead_kind kind;
	int32_t tid;          /* the thread it held up, 0 when not known */
	uint64_t correlation; /* the call it happened in, 0 when not known */
	uint64_t start_ns;
	uint64_t end_ns;
};

/* The device's clock, as its records have it, read between two readings of the host's. */
struct gaptrace_gpu_clock_pair {
	int32_t device; /* -1: of all devices of the process */
	uint64_t host_before_ns;
	uint64_t device_ns;
	uint64_t host_after_ns;
};

/* When the process opens it; gaptrace_keyframe() repeats it. Its strings are copied. */
GAPTRACE_PUBLIC void gaptrace_gpu_device(const struct gaptrace_gpu_device *device);
/*
 * When the operation is over, in any order, by any thread. Stamps are on CLOCK_MONOTONIC: both 0
 * when they are not known.
 */
GAPTRACE_PUBLIC void gaptrace_gpu_kernel(const struct gaptrace_gpu_kernel *kernel);
GAPTRACE_PUBLIC void gaptrace_gpu_memcpy(const struct gaptrace_gpu_memcpy *copy);
GAPTRACE_PUBLIC void gaptrace_gpu_memset(const struct gaptrace_gpu_memset *set);
GAPTRACE_PUBLIC void gaptrace_gpu_api(const struct gaptrace_gpu_api *api);
GAPTRACE_PUBLIC void gaptrace_gpu_sync(const struct gaptrace_gpu_sync *sync);
GAPTRACE_PUBLIC void gaptrace_gpu_overhead(const struct gaptrace_gpu_overhead *overhead);
GAPTRACE_PUBLIC void gaptrace_gpu_clock_pair(const struct gaptrace_gpu_clock_pair *pair);
/* No kernel, copy or set of `device` that started before `complete_until_ns` is still to come. */
GAPTRACE_PUBLIC void gaptrace_gpu_watermark(int32_t device, uint64_t complete_until_ns);
/* So many records of `device` (-1: not known which) were lost since the last call. */
GAPTRACE_PUBLIC void gaptrace_gpu_dropped(int32_t device, uint64_t count);

#ifdef __cplusplus
#pragma GCC diagnostic pop
}
#endif
