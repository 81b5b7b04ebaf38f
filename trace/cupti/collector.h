/* SPDX-License-Identifier: MIT */
/*
 * A recording of this process's devices: it subscribes to CUPTI, and a thread of its own flushes,
 * decodes and emits. The host's threads only fetch and give back buffers. Whoever starts it stops
 * it once; the struct stays in place.
 */
#pragma once

#include "trace/base/diag.h"
#include "trace/base/status.h"
#include "trace/cupti/activity_buffer.h"
#include "trace/cupti/activity_decode.h"
#include "trace/cupti/clock_sync.h"
#include "trace/cupti/collector_options.h"
#include "trace/cupti/cupti_api.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* CUPTI's callbacks have no argument for whom they are, so the owner of the static data has them.
 */
struct collector_callbacks {
	CUpti_BuffersCallbackRequestFunc buffer_requested;
	CUpti_BuffersCallbackCompleteFunc buffer_completed;
	CUpti_TimestampCallbackFunc timestamp;
	void (*say)(const char *line); /* to the host's operator; rarely */
};

struct collector {
	const struct cupti_api *api;                 /* borrows */
	const struct collector_options *options;     /* borrows */
	struct activity_buffer_pool *pool;           /* borrows */
	const struct collector_callbacks *callbacks; /* borrows */
	CUpti_SubscriberHandle subscriber;
	struct clock_sync clock;
	struct activity_decoder decoder;
	uint64_t dropped_count;
	uint64_t flushed_ns;  /* the last flush began */
	uint64_t keyframe_ns; /* the last keyframe */
	bool has_told_of_clock;
	pthread_t thread;
	atomic_int tid;        /* of that thread, once it runs */
	pthread_mutex_t mutex; /* guards is_done */
	pthread_cond_t done;
	bool is_done;
};

/* What to record with what; all borrowed until the collector has stopped. */
struct collector_parts {
	const struct cupti_api *api;
	const struct collector_options *options;
	struct activity_buffer_pool *pool;
	const struct collector_callbacks *callbacks;
};

/* On failure nothing is left behind, and `diag` says what an operator can do about it. */
MUST_CHECK enum status collector_start(
	struct collector *collector, const struct collector_parts *parts, struct diag *diag);

/*
 * A buffer was completed. On our own thread, inside a flush, it is decoded at once: a flush may
 * return more buffers than the pool has, and the host goes on asking for some meanwhile.
 */
void collector_completed(struct collector *collector);

/* Everything recorded so far is emitted. False when CUPTI did not return within `limit_ns`, of
 * which a pause of the whole program takes little: then the thread is left alone. */
bool collector_stop(struct collector *collector, uint64_t limit_ns);
