/* SPDX-License-Identifier: MIT */
/*
 * A whole Kineto file, read once: its events in a sorter, what it says about itself, and what was
 * wrong with it. The file is read in full before the first event can be given, since its events are
 * in no order and what their times are relative to may stand at its end.
 */
#pragma once

#include "analysis/import/event_sorter.h"
#include "trace/base/cleanup.h"
#include "trace/base/diag.h"
#include "trace/base/limits.h"
#include "trace/base/status.h"

#include <stdbool.h>
#include <stdint.h>

/* Names of threads that are told: more than a process that feeds GPUs has. */
#define KINETO_THREAD_COUNT_MAX 4096

struct kineto_device {
	bool is_used; /* something ran on it */
	int32_t ordinal;
	char name[NAME_BYTES_MAX];
};

struct kineto_thread {
	int32_t pid;
	int32_t tid;
	char *name;
};

struct kineto_counts {
	uint64_t rows;
	uint64_t operations;
	uint64_t without_correlation; /* operations and calls */
	uint64_t broken;              /* rows that are no JSON */
	uint64_t malformed;           /* rows that lack what they must have */
	uint64_t bad_ranges;          /* without a length, or with a negative one */
	uint64_t at_zero;             /* rows at time 0 or before it */
	uint64_t other_processes;     /* calls of another process than the first */
};

struct kineto_trace {
	struct event_sorter *sorter;
	bool has_base;
	uint64_t base_ns; /* since 1970, of time 0 */
	bool has_rank;
	int64_t rank;
	int64_t world_size;
	bool has_pid;
	bool has_call_pid;
	int32_t pid; /* of the process that called, or did anything */
	char process_name[NAME_BYTES_MAX];
	uint64_t first_ns; /* of the events, those at time 0 not counted; UINT64_MAX: there is none
			    */
	uint32_t device_count;
	struct kineto_device devices[DEVICE_COUNT_MAX];
	uint32_t thread_count;
	uint32_t thread_capacity;
	struct kineto_thread *threads;
	struct kineto_counts counts;
	char problem[DIAG_LINE_BYTES_MAX]; /* why the file could not be read to its end, or "" */
};

/* Reads the file; BAD_INPUT when it is no such trace. `trace` is to be finished in any case. */
MUST_CHECK enum status kineto_trace_read(
	struct kineto_trace *trace, const char *path, struct diag *diag);

void kineto_trace_finish(struct kineto_trace *trace);
