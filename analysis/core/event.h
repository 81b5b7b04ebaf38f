/* SPDX-License-Identifier: MIT */
/*
 * One recorded event as the engine sees it, whatever format it came from. The engine gets events in
 * the order of `time_ns`. Strings are borrowed for the call that hands the event over: who keeps
 * one copies or interns it. Field meanings are those of docs/events.md.
 */
#pragma once

#include "gaptrace/schema.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EVENT_ENUM(constant, name)     EVENT_##constant,
#define EVENT_GPU_ENUM(constant, name) EVENT_GPU_##constant,
enum event_kind {
	GAPTRACE_HOST_EVENTS(EVENT_ENUM)
	GAPTRACE_GPU_EVENTS(EVENT_GPU_ENUM)
		/* From a kernel trace, when one is in the input. */
		EVENT_SCHED_SWITCH,
	EVENT_SCHED_WAKING,
	/* From a trace that another tool recorded (analysis/import). */
	EVENT_IMPORT_NOTE,
	EVENT_IMPORT_OS_CALL,
	EVENT_KIND_COUNT
};
#undef EVENT_ENUM
#undef EVENT_GPU_ENUM

/* What a note of an imported trace means for the report. */
enum event_note_kind {
	EVENT_NOTE_SOURCE,     /* the first event of an imported trace: what it was read from */
	EVENT_NOTE_FACT,       /* worth knowing; changes nothing: a table is missing */
	EVENT_NOTE_LOST,       /* `count` records are missing in [begin_ns, end_ns) */
	EVENT_NOTE_UNREADABLE, /* a part of the file could not be read: not to be trusted */
};

struct event_work {
	uint64_t job;
	int32_t partition;
	int32_t device;
};

/* Where an operation ran and which call issued it. */
struct event_operation {
	int32_t device;
	uint32_t context;
	uint32_t stream;
	uint64_t correlation;
	uint64_t start_ns;
	uint64_t end_ns;
};

struct event {
	enum event_kind kind;
	uint64_t time_ns;
	int32_t pid;
	int32_t tid;
	union {
		struct {
			uint64_t lock;
			const char *name;
			enum gaptrace_lock_mode mode;
			int32_t holder_tid; /* lock_wait */
			uint64_t wait_ns;   /* lock_acquire */
			uint64_t hold_ns;   /* lock_release */
		} lock;
		struct {
			uint64_t queue;
			const char *name;
			uint64_t item;
			struct event_work work;
			uint32_t depth;
			uint64_t wait_ns;
			uint64_t resident_ns;
		} queue;
		struct {
			uint64_t pool;
			const char *name;
			uint64_t task;
			const char *kind;
			struct event_work work;
			uint32_t backlog;   /* task_submit */
			uint64_t queued_ns; /* task_begin, task_end */
			uint64_t run_ns;    /* task_end, as the next two */
			uint64_t cpu_ns;
			uint64_t run_delay_ns;
		} task;
		struct {
			uint64_t object;
			const char *name;
			enum gaptrace_wait_kind kind; /* not of wake */
			uint64_t wait_ns;             /* wait_end */
		} wait;
		struct {
			const char *name; /* of prove_start and prove_finish: that word */
			struct event_work work;
			int32_t worker;
			int32_t begin_tid;    /* the ends: where the span began */
			uint64_t duration_ns; /* the ends, as the next two */
			uint64_t cpu_ns;
			uint64_t run_delay_ns;
		} span; /* span_*, prove_start_*, prove_finish_* */
		struct {
			uint64_t duration_ns;
			uint64_t rss_before;
			uint64_t rss_after;
			int32_t returned;
		} malloc_trim;
		struct {
			uint64_t budget;
			struct event_work work;
			uint64_t bytes;
			uint64_t used;
			uint64_t limit;
			uint64_t wait_ns;
		} budget;
		struct {
			enum gaptrace_buffer_kind kind;
			uint64_t bytes;
			uint64_t live_count;
			uint64_t live_bytes;
			uint64_t duration_ns;
		} buffer;
		struct {
			uint64_t job;
			const char *kind;
			uint32_t partitions;
			enum gaptrace_job_status status;
			uint64_t duration_ns;
		} job;
		struct {
			enum gaptrace_state_subject subject;
			uint64_t object;
			const char *name;
			struct event_work work;
			int32_t tid;
			uint64_t value;
			uint64_t limit;
			uint64_t since_ns;
		} state;
		struct {
			int32_t device;
			enum gaptrace_backend backend;
			const char *uuid;
			const char *name;
			const char *link;
		} device;
		struct {
			struct event_operation operation;
			const char *name;
			uint32_t graph;
		} kernel;
		struct {
			struct event_operation operation;
			uint64_t bytes;
			enum gaptrace_copy_kind kind;
			enum gaptrace_memory_kind source_memory;
			enum gaptrace_memory_kind target_memory;
			bool is_async;
		} copy; /* memcpy, and memset with kind unknown */
		struct {
			const char *name;
			int32_t tid;
			uint64_t correlation;
			uint64_t start_ns;
			uint64_t end_ns;
			int32_t result;
		} api;
		struct {
			struct event_operation operation;
			enum gaptrace_sync_kind kind;
			uint64_t event;
			uint32_t event_stream;
		} sync;
		struct {
			enum gaptrace_overhead_kind kind;
			int32_t tid;
			uint64_t correlation;
			uint64_t start_ns;
			uint64_t end_ns;
		} overhead;
		struct {
			int32_t device;
			uint64_t host_before_ns;
			uint64_t device_ns;
			uint64_t host_after_ns;
		} clock_pair;
		struct {
			int32_t device;
			uint64_t complete_until_ns;
		} watermark;
		struct {
			int32_t device;
			uint64_t count;
		} dropped;
		struct {
			int32_t previous_tid;
			int32_t next_tid;
			/* 0: was runnable, so it was preempted; GAPTRACE_UNKNOWN: nobody says. A
			 * tid of 0 is none: an imported row tells one side only. */
			uint64_t previous_state;
		} sched_switch;
		struct {
			int32_t woken_tid;
		} sched_waking;
		struct {
			enum event_note_kind kind;
			const char *text; /* one line */
			uint64_t count;   /* 0: some, but nobody knows how many */
			uint64_t begin_ns;
			uint64_t end_ns; /* not after begin_ns: no range is known */
		} note;
		struct {
			const char *name; /* poll, pthread_mutex_lock */
			int32_t tid;
			uint64_t start_ns;
			uint64_t end_ns;
		} os_call;
	};
};

/* Of a kernel, copy or memset; NULL of any other event. */
static inline const struct event_operation *event_operation(const struct event *event)
{
	switch ((int)event->kind) {
	case EVENT_GPU_KERNEL:
		return &event->kernel.operation;
	case EVENT_GPU_MEMCPY:
	case EVENT_GPU_MEMSET:
		return &event->copy.operation;
	default:
		return NULL;
	}
}
