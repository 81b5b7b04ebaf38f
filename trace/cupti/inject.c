/* SPDX-License-Identifier: MIT */
/*
 * libgaptrace-cupti.so: CUDA's driver loads it into a program whose environment has
 * CUDA_INJECTION64_PATH, and calls InitializeInjection() while it initialises. The program is not
 * ours: it never fails, hangs or says more than a line because of us, whatever is missing here.
 */
#include "gaptrace/gaptrace.h"
#include "trace/base/clock.h"
#include "trace/cupti/collector.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* At the exit a device that hangs must not keep its program from ending. */
#define STOP_LIMIT_NS (5 * NS_PER_S)

/* The name is the driver's. NOLINTNEXTLINE(readability-identifier-naming) */
GAPTRACE_PUBLIC int InitializeInjection(void);

static struct {
	atomic_bool is_begun;   /* InitializeInjection was called; once is enough */
	atomic_bool is_running; /* cleared by whoever stops it, and in the child of a fork */
	struct cupti_api api;
	struct collector_options options;
	struct activity_buffer_pool pool;
	struct collector collector;
} injection;

static void say(const char *line)
{
	(void)dprintf(STDERR_FILENO, "gaptrace-cupti: %s\n", line);
}

static void refuse_variable(const char *name, const char *value)
{
	char line[DIAG_LINE_BYTES_MAX];

	(void)snprintf(line, sizeof(line),
		"%s=%.100s is ignored: see docs/recording.md for its values", name, value);
	say(line);
}

static void CUPTIAPI buffer_requested(uint8_t **buffer, size_t *size, size_t *max_record_count)
{
	*max_record_count = 0;
	*buffer = activity_buffer_pool_request(&injection.pool, size);
}

static void CUPTIAPI buffer_completed(
	CUcontext context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid_bytes)
{
	(void)context;
	(void)stream;
	(void)size;
	activity_buffer_pool_complete(&injection.pool, buffer, valid_bytes);
	collector_completed(&injection.collector);
}

static uint64_t CUPTIAPI timestamp(void)
{
	return clock_now_ns();
}

static const struct collector_callbacks callbacks = {
	.buffer_requested = buffer_requested,
	.buffer_completed = buffer_completed,
	.timestamp = timestamp,
	.say = say,
};

static uint64_t drop_records(void *context, uint8_t *data, size_t valid_bytes)
{
	return activity_decode_drop(context, data, valid_bytes);
}

/* exit() and quick_exit(), before any library is taken down. After _exit() or a fatal signal the
 * recording ends with the last flush. */
static void injection_stop(void)
{
	if (atomic_exchange(&injection.is_running, false) &&
		!collector_stop(&injection.collector, STOP_LIMIT_NS)) {
		say("CUPTI does not answer: the last device records are lost");
	}
}

static void fork_prepare(void)
{
	activity_buffer_pool_hold(&injection.pool);
}

static void fork_parent(void)
{
	activity_buffer_pool_let_go(&injection.pool);
}

/* The child has no collector's thread, and no CUDA either until it calls exec. */
static void fork_child(void)
{
	activity_buffer_pool_let_go(&injection.pool);
	activity_buffer_pool_close(&injection.pool);
	atomic_store(&injection.is_running, false);
}

static enum status injection_start(struct diag *diag)
{
	enum status status = cupti_api_open(injection.options.library, diag, &injection.api);

	if (status != STATUS_OK) {
		return status;
	}
	status = activity_buffer_pool_init(&injection.pool, injection.options.buffer_count_max);
	if (status != STATUS_OK) {
		return diag_set(diag, status, "no memory for %u MiB of buffers",
			injection.options.buffer_count_max);
	}
	injection.pool.drop_records = drop_records;
	injection.pool.drop_context = &injection.api;
	status = collector_start(&injection.collector,
		&(struct collector_parts){
			.api = &injection.api,
			.options = &injection.options,
			.pool = &injection.pool,
			.callbacks = &callbacks,
		},
		diag);
	if (status != STATUS_OK) {
		/* The pool stays: CUPTI may have our callbacks, and may call them once more. */
		activity_buffer_pool_close(&injection.pool);
	}
	return status;
}

static void tell_off(const char *line)
{
	char text[DIAG_LINE_BYTES_MAX + 64];

	(void)snprintf(text, sizeof(text), "device records are off: %s", line);
	say(text);
	gaptrace_state(&(struct gaptrace_state){
		.subject = GAPTRACE_STATE_PROCESS,
		.object = &injection,
		.name = GAPTRACE_STATE_CUPTI_OFF,
		.work = GAPTRACE_NO_WORK,
		.tid = (int32_t)getpid(),
	});
}

int InitializeInjection(void)
{
	struct diag diag = {.line = ""};

	if (atomic_exchange(&injection.is_begun, true)) {
		return 1;
	}
	collector_options_read(refuse_variable, &injection.options);
	if (injection_start(&diag) != STATUS_OK) {
		tell_off(diag.line);
		return 1;
	}
	atomic_store(&injection.is_running, true);
	(void)pthread_atfork(fork_prepare, fork_parent, fork_child);
	if (atexit(injection_stop) != 0 || at_quick_exit(injection_stop) != 0) {
		say("no exit handler: the last device records may be lost");
	}
	return 1;
}
