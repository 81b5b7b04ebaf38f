/* SPDX-License-Identifier: MIT */
#include "trace/cupti/collector.h"

#include "gaptrace/gaptrace.h"
#include "trace/base/clock.h"
#include "trace/cupti/subscription.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define THREAD_NAME          "gaptrace-cupti"
#define KEYFRAME_INTERVAL_NS NS_PER_S

/* An operation that was launched when its buffer was fetched may seem to start this much earlier:
 * device and host clocks agree to some microseconds. */
#define WATERMARK_SLACK_NS NS_PER_MS

/* What a pause costs of the limit at the end. */
#define STOP_SLICE_NS (100 * NS_PER_MS)

static uint64_t read_cupti(const void *context)
{
	const struct cupti_api *api = context;
	uint64_t time_ns = 0;

	return api->get_timestamp(&time_ns) == CUPTI_SUCCESS ? time_ns : 0;
}

static uint64_t read_realtime(const void *unused)
{
	struct timespec now;

	(void)unused;
	(void)clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

/*
 * What a device stamp of this moment would be after conversion. It is told before the pair is
 * used, so it shows what the conversion gets wrong between pairs.
 */
static void tell_clock_pair(struct collector *collector)
{
	struct clock_sync *clock = &collector->clock;
	const struct clock_reading reading = clock_sync_read(read_cupti, collector->api);
	struct clock_interval device;

	if (clock->path == CLOCK_PATH_CALLBACK) {
		/* For stamps that come on CUPTI's clock all the same. */
		const struct clock_reading realtime = clock_sync_read(read_realtime, NULL);

		clock_sync_add(clock, &realtime);
	} else if (clock->pair_count == 0) {
		clock_sync_add(clock, &reading);
	}
	if (!clock_sync_convert(clock, (struct clock_interval){reading.other_ns, reading.other_ns},
		    reading.after_ns, &device)) {
		device.start_ns = 0;
	}
	if (clock->path == CLOCK_PATH_DEFAULT) {
		clock_sync_add(clock, &reading);
	}
	if (reading.other_ns != 0 && device.start_ns != 0) {
		gaptrace_gpu_clock_pair(&(struct gaptrace_gpu_clock_pair){
			.device = GAPTRACE_NONE,
			.host_before_ns = reading.before_ns,
			.device_ns = device.start_ns,
			.host_after_ns = reading.after_ns,
		});
	}
}

static void tell_path(const struct collector *collector)
{
	gaptrace_state(&(struct gaptrace_state){
		.subject = GAPTRACE_STATE_PROCESS,
		.object = collector,
		.name = collector->clock.path == CLOCK_PATH_CALLBACK ? GAPTRACE_STATE_CUPTI_CALLBACK
								     : GAPTRACE_STATE_CUPTI_DEFAULT,
		.work = GAPTRACE_NO_WORK,
		.tid = (int32_t)getpid(),
		.value = clock_sync_bad_count(&collector->clock) +
			 collector->clock.counts.before_launch_count,
		.limit = collector->clock.counts.operation_count,
	});
}

static void drain(struct collector *collector)
{
	struct activity_buffer *buffer;

	while ((buffer = activity_buffer_pool_take(collector->pool)) != NULL) {
		activity_decode(&collector->decoder, buffer->data, buffer->valid_bytes);
		activity_buffer_pool_put(collector->pool, buffer);
	}
	activity_buffer_pool_prepare(collector->pool);
}

static void tell_dropped(struct collector *collector)
{
	uint64_t lost_count = activity_buffer_pool_lost(collector->pool);
	size_t dropped_count = 0;

	if (collector->api->dropped_count(NULL, 0, &dropped_count) == CUPTI_SUCCESS) {
		lost_count += dropped_count;
	}
	if (lost_count > 0) {
		collector->dropped_count += lost_count;
		gaptrace_gpu_dropped(GAPTRACE_NONE, lost_count);
	}
}

/*
 * Records of work that was launched before a buffer was fetched are in older ones. So what is still
 * to come started after the oldest fetch whose buffer is not back, or after the flush began.
 */
static void tell_watermarks(const struct collector *collector)
{
	const uint64_t oldest_ns =
		activity_buffer_pool_oldest_ns(collector->pool, collector->flushed_ns);

	for (int32_t device = 0; device < DEVICE_COUNT_MAX; device++) {
		if (collector->decoder.facts.has_device[device]) {
			gaptrace_gpu_watermark(device, oldest_ns - WATERMARK_SLACK_NS);
		}
	}
}

static void flush(struct collector *collector, uint32_t flag, bool is_keyframe)
{
	collector->flushed_ns = clock_now_ns();
	/* Before the flush, which decodes: so that most stamps lie between two pairs. */
	if (is_keyframe) {
		tell_clock_pair(collector);
	}
	(void)collector->api->flush_all(flag);
	drain(collector);
	tell_dropped(collector);
	tell_watermarks(collector);
	if (is_keyframe) {
		collector->keyframe_ns = collector->flushed_ns;
		tell_path(collector);
		gaptrace_keyframe();
	}
}

/* CUPTI cannot take its callback back, short of being taken down and started anew. */
static void restart(struct collector *collector)
{
	const struct clock_counts counts = collector->clock.counts;
	struct diag diag = {.line = ""};
	enum clock_path path;

	flush(collector, CUPTI_ACTIVITY_FLAG_FLUSH_FORCED, true);
	subscription_close(collector);
	(void)collector->api->finalize();
	if (subscription_open(collector, false, &diag, &path) != STATUS_OK) {
		collector->callbacks->say(diag.line);
		return;
	}
	clock_sync_init(&collector->clock, path, collector->clock.begin_ns);
	collector->clock.counts = counts;
	tell_clock_pair(collector);
	tell_path(collector);
}

static void judge_clock(struct collector *collector, bool is_ending)
{
	const struct clock_counts *counts = &collector->clock.counts;
	const bool may_restart =
		!is_ending && collector->options->finalizes && collector->api->finalize;
	char line[DIAG_LINE_BYTES_MAX];

	if (collector->has_told_of_clock || collector->clock.path != CLOCK_PATH_CALLBACK ||
		!clock_sync_is_spoilt(&collector->clock)) {
		return;
	}
	collector->has_told_of_clock = true;
	(void)snprintf(line, sizeof(line),
		"of %" PRIu64 " device operations %" PRIu64 " have bad stamps and %" PRIu64
		" began before their launch: %s",
		counts->operation_count, clock_sync_bad_count(&collector->clock),
		counts->before_launch_count,
		may_restart ? "going on with CUPTI's own clock"
			    : "record with GAPTRACE_CUPTI_CLOCK=default");
	collector->callbacks->say(line);
	if (may_restart) {
		restart(collector);
	}
}

static void tell_end(const struct collector *collector)
{
	const struct activity_decoder *decoder = &collector->decoder;
	const uint64_t bad_count = clock_sync_bad_count(&collector->clock);
	char line[DIAG_LINE_BYTES_MAX];

	if (collector->dropped_count == 0 && bad_count == 0 && decoder->damaged_count == 0) {
		return;
	}
	(void)snprintf(line, sizeof(line),
		"%" PRIu64 " device records were lost, %" PRIu64 " had bad stamps, %" PRIu64
		" buffers were damaged",
		collector->dropped_count, bad_count, decoder->damaged_count);
	collector->callbacks->say(line);
}

static void *collector_run(void *argument)
{
	struct collector *collector = argument;
	const uint64_t interval_ns = collector->options->flush_interval_ns;

	atomic_store(&collector->tid, gettid());
	gaptrace_thread_name(THREAD_NAME);
	tell_path(collector);
	while (activity_buffer_pool_wait(collector->pool, collector->flushed_ns + interval_ns)) {
		const uint64_t now_ns = clock_now_ns();

		if (now_ns >= collector->flushed_ns + interval_ns) {
			flush(collector, 0,
				now_ns >= collector->keyframe_ns + KEYFRAME_INTERVAL_NS);
			judge_clock(collector, false);
		} else {
			drain(collector);
		}
	}
	flush(collector, CUPTI_ACTIVITY_FLAG_FLUSH_FORCED, true);
	activity_buffer_pool_close(collector->pool);
	judge_clock(collector, true);
	tell_end(collector);
	subscription_close(collector);
	if (collector->options->finalizes && collector->api->finalize) {
		(void)collector->api->finalize();
	}
	pthread_mutex_lock(&collector->mutex);
	collector->is_done = true;
	(void)pthread_cond_broadcast(&collector->done);
	pthread_mutex_unlock(&collector->mutex);
	return NULL;
}

/* The host's signals are for the host's threads. */
static int thread_start(struct collector *collector)
{
	sigset_t all;
	sigset_t before;
	int error;

	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	error = pthread_create(&collector->thread, NULL, collector_run, collector);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	return error;
}

static void done_init(struct collector *collector)
{
	pthread_condattr_t attributes;

	(void)pthread_mutex_init(&collector->mutex, NULL);
	(void)pthread_condattr_init(&attributes);
	(void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	(void)pthread_cond_init(&collector->done, &attributes);
	(void)pthread_condattr_destroy(&attributes);
}

enum status collector_start(
	struct collector *collector, const struct collector_parts *parts, struct diag *diag)
{
	enum clock_path path;
	enum status status;
	int error;

	memset(collector, 0, sizeof(*collector));
	collector->api = parts->api;
	collector->options = parts->options;
	collector->pool = parts->pool;
	collector->callbacks = parts->callbacks;
	status = subscription_open(
		collector, subscription_wants_callback(parts->options), diag, &path);
	if (status != STATUS_OK) {
		return status;
	}
	clock_sync_init(&collector->clock, path, clock_now_ns());
	activity_decode_init(&collector->decoder, parts->api, &collector->clock);
	tell_clock_pair(collector);
	collector->flushed_ns = collector->clock.begin_ns;
	collector->keyframe_ns = collector->clock.begin_ns;
	done_init(collector);
	error = thread_start(collector);
	if (error != 0) {
		subscription_close(collector);
		return diag_set(diag, status_from_errno(error), "no thread to collect with: %s",
			strerror(error));
	}
	return STATUS_OK;
}

void collector_completed(struct collector *collector)
{
	if (atomic_load(&collector->tid) == gettid()) {
		drain(collector);
	}
}

/* True once the thread is done; false after a slice of waiting in vain. */
static bool wait_slice(struct collector *collector)
{
	const struct timespec deadline = clock_timespec(clock_now_ns() + STOP_SLICE_NS);

	while (!collector->is_done &&
		pthread_cond_timedwait(&collector->done, &collector->mutex, &deadline) == 0) {
	}
	return collector->is_done;
}

bool collector_stop(struct collector *collector, uint64_t limit_ns)
{
	bool is_done = false;

	activity_buffer_pool_stop(collector->pool);
	pthread_mutex_lock(&collector->mutex);
	/* Slices are counted, not the time: a pause of the program or the whole machine is one
	 * slice, and the others are left for the collector's thread. */
	for (uint64_t i = 0; i < limit_ns / STOP_SLICE_NS && !is_done; i++) {
		is_done = wait_slice(collector);
	}
	pthread_mutex_unlock(&collector->mutex);
	if (is_done) {
		(void)pthread_join(collector->thread, NULL);
	}
	return is_done;
}
