/* SPDX-License-Identifier: MIT */
/*
 * Takes the place of the trace calls of devices, pools and spans at link time and keeps what they
 * said, in the order in which it was said. Locks stay the library's own. Any thread may add, while
 * others read what was said so far.
 */
#pragma once

#include "gaptrace/gaptrace.h"

#include <stdbool.h>
#include <stdint.h>

enum recorded_kind {
	RECORDED_KERNEL,
	RECORDED_MEMCPY,
	RECORDED_API,
	RECORDED_SYNC,
	RECORDED_WATERMARK,
	RECORDED_CLOCK_PAIR,
	RECORDED_DEVICE,
	RECORDED_OVERHEAD,
	RECORDED_BUFFER_ALLOC,
	RECORDED_BUFFER_FREE,
	RECORDED_TASK_SUBMIT,
	RECORDED_TASK_BEGIN,
	RECORDED_TASK_END,
	RECORDED_WAIT_BEGIN,
	RECORDED_WAIT_END,
	RECORDED_WAKE,
	RECORDED_SPAN_BEGIN, /* prove_start and prove_finish too, under those names */
	RECORDED_SPAN_END,
};

struct recorded {
	enum recorded_kind kind;
	int32_t tid; /* of the caller of the trace; of an api record: in the record */
	int32_t device;
	uint32_t stream;
	uint64_t correlation;
	uint64_t start_ns;
	uint64_t end_ns; /* of a watermark: complete_until */
	uint64_t bytes;
	uint64_t number; /* copy kind, sync kind, wait kind, buffer kind, task id, by kind */
	uint64_t live_bytes;
	const void *object;
	const char *name;
	const char *what; /* a task's kind */
	int32_t result;
	bool is_pinned;
	struct gaptrace_work work;
};

/* What was said so far: borrowed until the next clear. */
const struct recorded *recorded_trace(uint32_t *out_count);

void recorded_trace_clear(void);

/* How many records of that kind there are, with that name unless it is NULL. */
uint32_t recorded_trace_count(enum recorded_kind kind, const char *name);

/* The first of that kind and, unless NULL, name; NULL if there is none. */
const struct recorded *recorded_trace_find(enum recorded_kind kind, const char *name);
