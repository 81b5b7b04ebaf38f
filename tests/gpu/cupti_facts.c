/* SPDX-License-Identifier: MIT */
/*
 * libcupti-facts.so asks CUPTI itself what only a GPU can tell, without LTTng and without our
 * collector: CUDA's driver loads it into a program by CUDA_INJECTION64_PATH, as the collector, and
 * at the exit it writes a JSON object to CUPTI_FACTS_OUT. CUPTI_FACTS_CLOCK is `callback` or
 * `default`. It does what the collector does, in the same order, inside cuInit.
 */
#include "trace/cupti/cupti_api.h"

#include "trace/base/clock.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KIND_COUNT    64
#define RECORD_MAX    (1u << 17) /* kernels, and calls, of the longest run it is asked about */
#define BUFFER_BYTES  (1u << 20)
#define FLUSH_US      100000
#define SETTLE_US     500000
#define FACT_EXPORTED __attribute__((visibility("default")))

struct kernel {
	uint64_t start_ns;
	uint64_t end_ns;
	uint32_t correlation;
	bool is_of_graph;
};

struct call {
	uint64_t start_ns;
	uint32_t correlation;
};

static struct facts {
	struct cupti_api api;
	CUpti_SubscriberHandle subscriber;
	pthread_t thread;
	pthread_mutex_t mutex; /* guards what records fill */
	atomic_bool is_stopping;
	atomic_uint buffer_count;
	atomic_uint timestamp_count;
	bool has_callback;
	uint64_t begin_ns; /* by the clock that stamps are expected on */
	CUptiResult enabled[KIND_COUNT];
	uint64_t kind_counts[KIND_COUNT];
	uint64_t other_count;
	uint64_t dropped_count;
	uint64_t other_thread_count;  /* calls that are not the main thread's, which makes all */
	uint64_t foreign_clock_count; /* stamps on the clock that they should not be on */
	char uuid[48];
	uint32_t kernel_count;
	uint32_t call_count;
	struct kernel kernels[RECORD_MAX];
	struct call calls[RECORD_MAX];
} facts = {.mutex = PTHREAD_MUTEX_INITIALIZER};

/* The name is the driver's. NOLINTNEXTLINE(readability-identifier-naming) */
FACT_EXPORTED int InitializeInjection(void);

static uint64_t realtime_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

static uint64_t CUPTIAPI timestamp(void)
{
	atomic_fetch_add(&facts.timestamp_count, 1);
	return clock_now_ns();
}

static void CUPTIAPI ignore(
	void *context, CUpti_CallbackDomain domain, CUpti_CallbackId call, const void *data)
{
	(void)context;
	(void)domain;
	(void)call;
	(void)data;
}

static void add_kernel(const CUpti_ActivityKernel10 *record)
{
	const uint64_t expected_ns = facts.has_callback ? clock_now_ns() : realtime_ns();

	if (record->start != 0 && (record->start < facts.begin_ns || record->start > expected_ns)) {
		facts.foreign_clock_count++;
	}
	if (facts.kernel_count < RECORD_MAX) {
		facts.kernels[facts.kernel_count++] = (struct kernel){.start_ns = record->start,
			.end_ns = record->end,
			.correlation = record->correlationId,
			.is_of_graph = record->graphNodeId != 0};
	}
}

static void add_call(const CUpti_ActivityAPI *record)
{
	facts.other_thread_count += record->threadId != (uint32_t)getpid();
	if (facts.call_count < RECORD_MAX) {
		facts.calls[facts.call_count++] =
			(struct call){record->start, record->correlationId};
	}
}

static void add_device(const CUpti_ActivityDevice5 *record)
{
	const uint8_t *bytes = (const uint8_t *)record->uuid.bytes;
	size_t length = 0;

	for (size_t i = 0; i < sizeof(record->uuid.bytes); i++) {
		length += (size_t)snprintf(
			facts.uuid + length, sizeof(facts.uuid) - length, "%02x", bytes[i]);
	}
}

static void add_record(const CUpti_Activity *record)
{
	if ((uint32_t)record->kind < KIND_COUNT) {
		facts.kind_counts[record->kind]++;
	} else {
		facts.other_count++;
	}
	switch ((int)record->kind) {
	case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
		add_kernel((const void *)record);
		break;
	case CUPTI_ACTIVITY_KIND_RUNTIME:
	case CUPTI_ACTIVITY_KIND_DRIVER:
		add_call((const void *)record);
		break;
	case CUPTI_ACTIVITY_KIND_DEVICE:
		add_device((const void *)record);
		break;
	default:
		break;
	}
}

static void CUPTIAPI buffer_requested(uint8_t **buffer, size_t *size, size_t *max_record_count)
{
	atomic_fetch_add(&facts.buffer_count, 1);
	*buffer = aligned_alloc(64, BUFFER_BYTES);
	*size = *buffer ? BUFFER_BYTES : 0;
	if (*buffer) {
		memset(*buffer, 0, *size);
	}
	*max_record_count = 0;
}

static void CUPTIAPI buffer_completed(
	CUcontext context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid_bytes)
{
	CUpti_Activity *record = NULL;
	size_t dropped_count = 0;

	(void)size;
	(void)pthread_mutex_lock(&facts.mutex);
	while (facts.api.next_record(buffer, valid_bytes, &record) == CUPTI_SUCCESS) {
		add_record(record);
	}
	if (facts.api.dropped_count(context, stream, &dropped_count) == CUPTI_SUCCESS) {
		facts.dropped_count += dropped_count;
	}
	(void)pthread_mutex_unlock(&facts.mutex);
	free(buffer);
}

static uint32_t kernel_count(void)
{
	uint32_t count;

	(void)pthread_mutex_lock(&facts.mutex);
	count = facts.kernel_count;
	(void)pthread_mutex_unlock(&facts.mutex);
	return count;
}

static void *flush_main(void *unused)
{
	(void)unused;
	while (!atomic_load(&facts.is_stopping)) {
		(void)usleep(FLUSH_US);
		(void)facts.api.flush_all(0);
	}
	return NULL;
}

/* What is wrong with the stamps of kernels. */
struct stamps {
	uint64_t zero_count;
	uint64_t inverted_count;
	uint64_t before_launch_count;
	uint64_t worst_before_ns;
	uint64_t unjoined_count;
};

static int compare_calls(const void *left, const void *right)
{
	const struct call *a = left;
	const struct call *b = right;

	return (a->correlation > b->correlation) - (a->correlation < b->correlation);
}

static const struct call *find_call(uint32_t correlation)
{
	const struct call key = {0, correlation};

	return bsearch(&key, facts.calls, facts.call_count, sizeof(key), compare_calls);
}

static struct stamps judge_stamps(void)
{
	struct stamps stamps = {0};

	for (uint32_t i = 0; i < facts.kernel_count; i++) {
		const struct kernel *kernel = &facts.kernels[i];
		const struct call *call = find_call(kernel->correlation);

		stamps.zero_count += kernel->start_ns == 0 || kernel->end_ns == 0;
		stamps.inverted_count += kernel->end_ns < kernel->start_ns;
		stamps.unjoined_count += !call;
		if (call && kernel->start_ns != 0 && kernel->start_ns < call->start_ns) {
			const uint64_t before_ns = call->start_ns - kernel->start_ns;

			stamps.before_launch_count++;
			stamps.worst_before_ns = before_ns > stamps.worst_before_ns
							 ? before_ns
							 : stamps.worst_before_ns;
		}
	}
	return stamps;
}

static int compare_kernels(const void *left, const void *right)
{
	const struct kernel *a = left;
	const struct kernel *b = right;

	return (a->correlation > b->correlation) - (a->correlation < b->correlation);
}

/* The most kernels of graphs that share one correlation, and how many correlations they have. */
static void judge_graphs(uint32_t *out_most, uint32_t *out_correlations, uint32_t *out_kernels)
{
	uint32_t run = 0;
	uint32_t last = 0;

	*out_most = 0;
	*out_correlations = 0;
	*out_kernels = 0;
	qsort(facts.kernels, facts.kernel_count, sizeof(*facts.kernels), compare_kernels);
	for (uint32_t i = 0; i < facts.kernel_count; i++) {
		const struct kernel *kernel = &facts.kernels[i];

		if (!kernel->is_of_graph) {
			continue;
		}
		run = *out_kernels > 0 && kernel->correlation == last ? run + 1 : 1;
		*out_correlations += run == 1;
		*out_most = run > *out_most ? run : *out_most;
		last = kernel->correlation;
		(*out_kernels)++;
	}
}

/* The widest of some brackets of one clock around CUPTI's own, and how many do not hold it. */
static void judge_clock(uint64_t (*now_ns)(void), uint64_t *out_width_ns, uint32_t *out_outside)
{
	*out_width_ns = 0;
	*out_outside = 0;
	for (int i = 0; i < 1000; i++) {
		const uint64_t before_ns = now_ns();
		uint64_t stamp_ns = 0;
		uint64_t after_ns;

		(void)facts.api.get_timestamp(&stamp_ns);
		after_ns = now_ns();
		*out_outside += stamp_ns < before_ns || stamp_ns > after_ns;
		*out_width_ns =
			after_ns - before_ns > *out_width_ns ? after_ns - before_ns : *out_width_ns;
	}
}

static void write_counts(FILE *file)
{
	(void)fprintf(file, "\"enabled\": {");
	for (int kind = 0, count = 0; kind < KIND_COUNT; kind++) {
		if (facts.enabled[kind] != CUPTI_ERROR_NOT_INITIALIZED) {
			(void)fprintf(file, "%s\"%d\": %d", count++ > 0 ? ", " : "", kind,
				(int)facts.enabled[kind]);
		}
	}
	(void)fprintf(file, "}, \"records\": {");
	for (int kind = 0, count = 0; kind < KIND_COUNT; kind++) {
		if (facts.kind_counts[kind] > 0) {
			(void)fprintf(file, "%s\"%d\": %" PRIu64, count++ > 0 ? ", " : "", kind,
				facts.kind_counts[kind]);
		}
	}
	(void)fprintf(file, "}");
}

static void write_facts(FILE *file, uint32_t by_flush, uint32_t by_force)
{
	const struct stamps stamps = judge_stamps();
	uint64_t monotonic_ns;
	uint64_t wall_ns;
	uint32_t monotonic_outside;
	uint32_t wall_outside;
	uint32_t most;
	uint32_t correlations;
	uint32_t kernels;
	uint32_t version = 0;

	judge_clock(clock_now_ns, &monotonic_ns, &monotonic_outside);
	judge_clock(realtime_ns, &wall_ns, &wall_outside);
	judge_graphs(&most, &correlations, &kernels);
	(void)facts.api.get_version(&version);
	(void)fprintf(file, "{\"cupti_version\": %u, \"clock\": \"%s\", \"timestamp_calls\": %u, ",
		version, facts.has_callback ? "callback" : "default",
		atomic_load(&facts.timestamp_count));
	write_counts(file);
	(void)fprintf(file,
		", \"device_uuid\": \"%s\", \"kernels_by_flush_0\": %u, "
		"\"kernels_only_forced\": %u, \"buffers\": %u, \"dropped\": %" PRIu64
		", \"other_threads\": %" PRIu64 ", ",
		facts.uuid, by_flush, by_force - by_flush, atomic_load(&facts.buffer_count),
		facts.dropped_count, facts.other_thread_count);
	(void)fprintf(file,
		"\"zero_stamps\": %" PRIu64 ", \"inverted_stamps\": %" PRIu64
		", \"foreign_clock\": %" PRIu64 ", \"before_launch\": %" PRIu64
		", \"worst_before_launch_ns\": %" PRIu64 ", \"unjoined\": %" PRIu64 ", ",
		stamps.zero_count, stamps.inverted_count, facts.foreign_clock_count,
		stamps.before_launch_count, stamps.worst_before_ns, stamps.unjoined_count);
	(void)fprintf(file,
		"\"graph_kernels\": %u, \"graph_correlations\": %u, "
		"\"most_kernels_of_one_correlation\": %u, ",
		kernels, correlations, most);
	(void)fprintf(file,
		"\"cupti_outside_monotonic\": %u, \"cupti_outside_realtime\": %u, "
		"\"widest_bracket_ns\": %" PRIu64 "}\n",
		monotonic_outside, wall_outside, monotonic_ns > wall_ns ? monotonic_ns : wall_ns);
}

/* The program has waited for its device by now: all its records should come without force. */
static void finish(void)
{
	const char *path = getenv("CUPTI_FACTS_OUT");
	FILE *file = path ? fopen(path, "w") : NULL;
	uint32_t by_flush;

	atomic_store(&facts.is_stopping, true);
	(void)pthread_join(facts.thread, NULL);
	(void)usleep(SETTLE_US);
	(void)facts.api.flush_all(0);
	by_flush = kernel_count();
	(void)facts.api.flush_all(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
	(void)pthread_mutex_lock(&facts.mutex);
	qsort(facts.calls, facts.call_count, sizeof(*facts.calls), compare_calls);
	if (file) {
		write_facts(file, by_flush, facts.kernel_count);
		(void)fclose(file);
	}
	(void)pthread_mutex_unlock(&facts.mutex);
}

static void enable_kinds(void)
{
	static const CUpti_ActivityKind kinds[] = {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
		CUPTI_ACTIVITY_KIND_DEVICE, CUPTI_ACTIVITY_KIND_CONTEXT, CUPTI_ACTIVITY_KIND_MEMCPY,
		CUPTI_ACTIVITY_KIND_MEMCPY2, CUPTI_ACTIVITY_KIND_MEMSET,
		CUPTI_ACTIVITY_KIND_OVERHEAD, CUPTI_ACTIVITY_KIND_CUDA_EVENT,
		CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, CUPTI_ACTIVITY_KIND_RUNTIME,
		CUPTI_ACTIVITY_KIND_DRIVER};

	for (int kind = 0; kind < KIND_COUNT; kind++) {
		facts.enabled[kind] = CUPTI_ERROR_NOT_INITIALIZED;
	}
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		facts.enabled[kinds[i]] = facts.api.enable(kinds[i]);
	}
}

int InitializeInjection(void)
{
	const char *clock = getenv("CUPTI_FACTS_CLOCK");
	CUpti_SubscriberParams params = {
		.structSize = CUpti_SubscriberParams_STRUCT_SIZE, .subscriberName = "cupti-facts"};
	struct diag diag = {""};
	uint8_t is_zeroed = 1;
	size_t bytes = sizeof(is_zeroed);

	if (cupti_api_open(getenv("GAPTRACE_CUPTI_LIBRARY"), &diag, &facts.api) != STATUS_OK) {
		(void)fprintf(stderr, "cupti-facts: %s\n", diag.line);
		return 1;
	}
	if (facts.api.subscribe(&facts.subscriber, ignore, NULL, &params) != CUPTI_SUCCESS) {
		(void)fprintf(stderr, "cupti-facts: cannot subscribe\n");
		return 1;
	}
	(void)facts.api.set_thread_id_type(CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM);
	(void)facts.api.set_attribute(
		CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER, &bytes, &is_zeroed);
	facts.has_callback = clock && strcmp(clock, "callback") == 0 &&
			     facts.api.register_timestamp(timestamp) == CUPTI_SUCCESS;
	facts.begin_ns = facts.has_callback ? clock_now_ns() : realtime_ns();
	(void)facts.api.register_callbacks(buffer_requested, buffer_completed);
	enable_kinds();
	if (pthread_create(&facts.thread, NULL, flush_main, NULL) != 0 || atexit(finish) != 0) {
		(void)fprintf(stderr, "cupti-facts: no thread to flush with\n");
	}
	return 1;
}
