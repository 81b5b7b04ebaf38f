/* SPDX-License-Identifier: MIT */
/*
 * The contract between whoever records and whoever analyses: event and field names of the two
 * LTTng providers, and the values of their enumerations. docs/events.md describes each one; a lint
 * test holds this file, gaptrace.h, the provider and that page against one another.
 */
#pragma once

#define GAPTRACE_SCHEMA_VERSION 1

/* A duration or count that is not known: the span began before anything recorded. */
#define GAPTRACE_UNKNOWN 0xffffffffffffffffULL

/* No partition, no device, no worker. Jobs are numbered from 1, so no job is 0. */
#define GAPTRACE_NONE (-1)

#define GAPTRACE_PROVIDER     "gaptrace"
#define GAPTRACE_GPU_PROVIDER "gaptrace_gpu"

/* clang-format off */
/* Every host event: X(constant, name). The LTTng event is gaptrace:<name>. */
#define GAPTRACE_HOST_EVENTS(X)                       \
	X(LOCK_WAIT,          lock_wait)              \
	X(LOCK_ACQUIRE,       lock_acquire)           \
	X(LOCK_RELEASE,       lock_release)           \
	X(QUEUE_PUSH,         queue_push)             \
	X(QUEUE_POP_WAIT,     queue_pop_wait)         \
	X(QUEUE_POP,          queue_pop)              \
	X(TASK_SUBMIT,        task_submit)            \
	X(TASK_BEGIN,         task_begin)             \
	X(TASK_END,           task_end)               \
	X(WAIT_BEGIN,         wait_begin)             \
	X(WAIT_END,           wait_end)               \
	X(WAKE,               wake)                   \
	X(SPAN_BEGIN,         span_begin)             \
	X(SPAN_END,           span_end)               \
	X(PROVE_START_BEGIN,  prove_start_begin)      \
	X(PROVE_START_END,    prove_start_end)        \
	X(PROVE_FINISH_BEGIN, prove_finish_begin)     \
	X(PROVE_FINISH_END,   prove_finish_end)       \
	X(MALLOC_TRIM_BEGIN,  malloc_trim_begin)      \
	X(MALLOC_TRIM_END,    malloc_trim_end)        \
	X(BUDGET_RESERVE,     budget_reserve)         \
	X(BUDGET_RELEASE,     budget_release)         \
	X(BUFFER_ALLOC,       buffer_alloc)           \
	X(BUFFER_FREE,        buffer_free)            \
	X(JOB_SUBMIT,         job_submit)             \
	X(JOB_BEGIN,          job_begin)              \
	X(JOB_END,            job_end)                \
	X(STATE,              state)

/* Every device event: X(constant, name). The LTTng event is gaptrace_gpu:<name>. */
#define GAPTRACE_GPU_EVENTS(X)                        \
	X(DEVICE,             device)                 \
	X(KERNEL,             kernel)                 \
	X(MEMCPY,             memcpy)                 \
	X(MEMSET,             memset)                 \
	X(API,                api)                    \
	X(SYNC,               sync)                   \
	X(OVERHEAD,           overhead)               \
	X(CLOCK_PAIR,         clock_pair)             \
	X(WATERMARK,          watermark)              \
	X(DROPPED,            dropped)

/* Enumerations: X(constant, value, label in the trace). */
#define GAPTRACE_LOCK_MODES(X)                        \
	X(EXCLUSIVE,  0, "exclusive")                 \
	X(SHARED,     1, "shared")

#define GAPTRACE_WAIT_KINDS(X)                        \
	X(BARRIER,      0, "barrier")                 \
	X(JOIN,         1, "join")                    \
	X(CONDITION,    2, "condition")               \
	X(BUDGET,       3, "budget")                  \
	X(PACER,        4, "pacer")                   \
	X(SLEEP,        5, "sleep")                   \
	X(BACKPRESSURE, 6, "backpressure")

#define GAPTRACE_BUFFER_KINDS(X)                      \
	X(ABC,        0, "abc")                       \
	X(AUX,        1, "aux")                       \
	X(SHELL,      2, "shell")                     \
	X(PINNED,     3, "pinned")                    \
	X(DEVICE,     4, "device")

#define GAPTRACE_JOB_STATUSES(X)                      \
	X(DONE,       0, "done")                      \
	X(FAILED,     1, "failed")                    \
	X(CANCELLED,  2, "cancelled")

#define GAPTRACE_STATE_SUBJECTS(X)                    \
	X(PROCESS,    0, "process")                   \
	X(QUEUE,      1, "queue")                     \
	X(POOL,       2, "pool")                      \
	X(BUDGET,     3, "budget")                    \
	X(BUFFER,     4, "buffer")                    \
	X(WORKER,     5, "worker")                    \
	X(LOCK,       6, "lock")                      \
	X(JOB,        7, "job")                       \
	X(THREAD,     8, "thread")

#define GAPTRACE_BACKENDS(X)                          \
	X(CUDA,       0, "cuda")                      \
	X(CPU,        1, "cpu")                       \
	X(SIM,        2, "sim")                       \
	X(LOG,        3, "log")

/* Copy directions and memory kinds: the values of CUPTI's cupti_activity.h, so that they carry over. */
#define GAPTRACE_COPY_KINDS(X)                        \
	X(UNKNOWN,    0, "unknown")                   \
	X(HTOD,       1, "htod")                      \
	X(DTOH,       2, "dtoh")                      \
	X(DTOD,       8, "dtod")                      \
	X(HTOH,       9, "htoh")                      \
	X(PTOP,      10, "ptop")

#define GAPTRACE_MEMORY_KINDS(X)                      \
	X(UNKNOWN,        0, "unknown")               \
	X(PAGEABLE,       1, "pageable")              \
	X(PINNED,         2, "pinned")                \
	X(DEVICE,         3, "device")                \
	X(ARRAY,          4, "array")                 \
	X(MANAGED,        5, "managed")               \
	X(DEVICE_STATIC,  6, "device_static")         \
	X(MANAGED_STATIC, 7, "managed_static")

#define GAPTRACE_SYNC_KINDS(X)                        \
	X(UNKNOWN,    0, "unknown")                   \
	X(EVENT,      1, "event")                     \
	X(STREAM_WAIT_EVENT, 2, "stream_wait_event")  \
	X(STREAM,     3, "stream")                    \
	X(DEVICE,     4, "device")

#define GAPTRACE_OVERHEAD_KINDS(X)                    \
	X(UNKNOWN,             0, "unknown")          \
	X(DRIVER_COMPILER,     1, "driver_compiler")  \
	X(BUFFER_FLUSH,        2, "buffer_flush")     \
	X(INSTRUMENTATION,     3, "instrumentation")  \
	X(RESOURCE,            4, "resource")         \
	X(MODULE_LOADING,      5, "module_loading")   \
	X(LAZY_LOADING,        6, "lazy_loading")     \
	X(COMMAND_BUFFER_FULL, 7, "command_buffer_full") \
	X(BUFFER_REQUEST,      8, "buffer_request")   \
	X(UVM_INIT,            9, "uvm_init")
/* clang-format on */

/* Names of a process's states: which clock its device records are on, or that it has none. */
#define GAPTRACE_STATE_CUPTI_CALLBACK "cupti clock callback"
#define GAPTRACE_STATE_CUPTI_DEFAULT  "cupti clock default"
#define GAPTRACE_STATE_CUPTI_OFF      "cupti off"

/* And that its jobs are traced: `value` of them are under way. */
#define GAPTRACE_STATE_OPEN_JOBS "open jobs"

#define GAPTRACE_ENUM_LOCK_MODE(name, value, label)     GAPTRACE_LOCK_##name = (value),
#define GAPTRACE_ENUM_WAIT_KIND(name, value, label)     GAPTRACE_WAIT_##name = (value),
#define GAPTRACE_ENUM_BUFFER_KIND(name, value, label)   GAPTRACE_BUFFER_##name = (value),
#define GAPTRACE_ENUM_JOB_STATUS(name, value, label)    GAPTRACE_JOB_##name = (value),
#define GAPTRACE_ENUM_STATE_SUBJECT(name, value, label) GAPTRACE_STATE_##name = (value),
#define GAPTRACE_ENUM_BACKEND(name, value, label)       GAPTRACE_BACKEND_##name = (value),
#define GAPTRACE_ENUM_COPY_KIND(name, value, label)     GAPTRACE_COPY_##name = (value),
#define GAPTRACE_ENUM_MEMORY_KIND(name, value, label)   GAPTRACE_MEMORY_##name = (value),
#define GAPTRACE_ENUM_SYNC_KIND(name, value, label)     GAPTRACE_SYNC_##name = (value),
#define GAPTRACE_ENUM_OVERHEAD_KIND(name, value, label) GAPTRACE_OVERHEAD_##name = (value),

enum gaptrace_lock_mode {
	GAPTRACE_LOCK_MODES(GAPTRACE_ENUM_LOCK_MODE)
};
enum gaptrace_wait_kind {
	GAPTRACE_WAIT_KINDS(GAPTRACE_ENUM_WAIT_KIND)
};
enum gaptrace_buffer_kind {
	GAPTRACE_BUFFER_KINDS(GAPTRACE_ENUM_BUFFER_KIND)
};
enum gaptrace_job_status {
	GAPTRACE_JOB_STATUSES(GAPTRACE_ENUM_JOB_STATUS)
};
enum gaptrace_state_subject {
	GAPTRACE_STATE_SUBJECTS(GAPTRACE_ENUM_STATE_SUBJECT)
};
enum gaptrace_backend {
	GAPTRACE_BACKENDS(GAPTRACE_ENUM_BACKEND)
};
enum gaptrace_copy_kind {
	GAPTRACE_COPY_KINDS(GAPTRACE_ENUM_COPY_KIND)
};
enum gaptrace_memory_kind {
	GAPTRACE_MEMORY_KINDS(GAPTRACE_ENUM_MEMORY_KIND)
};
enum gaptrace_sync_kind {
	GAPTRACE_SYNC_KINDS(GAPTRACE_ENUM_SYNC_KIND)
};
enum gaptrace_overhead_kind {
	GAPTRACE_OVERHEAD_KINDS(GAPTRACE_ENUM_OVERHEAD_KIND)
};
