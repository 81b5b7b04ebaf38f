/* SPDX-License-Identifier: MIT */
/*
 * A libcupti that needs no device: it has the calls that the collector uses, per-thread buffers,
 * and the faults of the real one. A buffer comes back when all of its operations have ended.
 */
#include "tests/integration/lookalike_cupti.h"

#include "tests/integration/lookalike_records.h"
#include "trace/base/clock.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KIND_COUNT       64
#define CALL_COUNT       1024
#define SMALL_BYTES      4096 /* with the fault "small" a buffer is full after this much */
#define DROP_COUNT       7
#define DEFAULT_CLOCK_NS 1700000000000000000ULL /* ahead of CLOCK_MONOTONIC by this */

struct buffer {
	uint8_t *data;
	size_t bytes;
	size_t used;
	uint64_t complete_ns;
	bool is_returned; /* to whom it came from: its thread has to fetch another */
	struct buffer *next;
	struct buffer *next_ever;
};

static struct {
	pthread_mutex_t mutex; /* guards all of it */
	bool is_subscribed;
	bool has_dropped;
	bool is_enabled[KIND_COUNT];
	bool is_silent[CALL_COUNT]; /* driver calls */
	CUpti_BuffersCallbackRequestFunc request;
	CUpti_BuffersCallbackCompleteFunc complete;
	struct buffer *buffers; /* all that are out */
	struct buffer *ever;    /* all there were: threads may still look at theirs */
	pthread_mutex_t flush_mutex;
	uint32_t flush_count; /* begun since somebody wants to hold one */
	bool is_holding;
	bool is_held;
	pthread_cond_t held; /* is_held became true */
} cupti = {.mutex = PTHREAD_MUTEX_INITIALIZER,
	.flush_mutex = PTHREAD_MUTEX_INITIALIZER,
	.held = PTHREAD_COND_INITIALIZER};

static _Atomic(CUpti_TimestampCallbackFunc) timestamp;

static __thread struct buffer *own_buffer;

bool lookalike_has_fault(const char *name)
{
	const char *faults = getenv("LOOKALIKE_FAULTS");
	const size_t length = strlen(name);

	while (faults && *faults) {
		const size_t word = strcspn(faults, ",");

		if (word == length && memcmp(faults, name, length) == 0) {
			return true;
		}
		faults += word + (faults[word] == ',');
	}
	return false;
}

uint64_t lookalike_now(void)
{
	const CUpti_TimestampCallbackFunc callback = timestamp;

	return callback ? callback() : clock_now_ns() + DEFAULT_CLOCK_NS;
}

uint64_t lookalike_stamp(uint64_t time_ns)
{
	return timestamp ? time_ns : time_ns + DEFAULT_CLOCK_NS;
}

bool lookalike_is_enabled(CUpti_ActivityKind kind)
{
	bool is_enabled;

	pthread_mutex_lock(&cupti.mutex);
	is_enabled = cupti.is_subscribed && cupti.is_enabled[kind];
	pthread_mutex_unlock(&cupti.mutex);
	return is_enabled;
}

bool lookalike_records_call(CUpti_CallbackId call)
{
	bool is_silent;

	pthread_mutex_lock(&cupti.mutex);
	is_silent = cupti.is_silent[call];
	pthread_mutex_unlock(&cupti.mutex);
	return !is_silent && lookalike_is_enabled(CUPTI_ACTIVITY_KIND_DRIVER);
}

static struct buffer *buffer_create(void)
{
	struct buffer *buffer = calloc(1, sizeof(*buffer));
	size_t max_count = 0;

	cupti.request(&buffer->data, &buffer->bytes, &max_count);
	if (!buffer->data || buffer->bytes == 0 || max_count != 0) {
		abort(); /* the real one crashes later */
	}
	for (size_t i = 0; i < buffer->bytes; i++) {
		if (buffer->data[i] != 0) {
			abort(); /* it was told that buffers are zero */
		}
	}
	return buffer;
}

static size_t limit_of(const struct buffer *buffer)
{
	return lookalike_has_fault("small") && buffer->bytes > SMALL_BYTES ? SMALL_BYTES
									   : buffer->bytes;
}

void *lookalike_record_begin(CUpti_ActivityKind kind)
{
	const size_t bytes = lookalike_record_bytes(kind);
	struct buffer *fresh = NULL;
	struct buffer *buffer;
	CUpti_Activity *record;

	if (!lookalike_is_enabled(kind)) {
		return NULL;
	}
	pthread_mutex_lock(&cupti.mutex);
	if (own_buffer &&
		(own_buffer->is_returned || own_buffer->used + bytes > limit_of(own_buffer))) {
		own_buffer = NULL;
	}
	if (!own_buffer) {
		pthread_mutex_unlock(&cupti.mutex);
		fresh = buffer_create();
		pthread_mutex_lock(&cupti.mutex);
		fresh->next = cupti.buffers;
		cupti.buffers = fresh;
		fresh->next_ever = cupti.ever;
		cupti.ever = fresh;
		own_buffer = fresh;
	}
	buffer = own_buffer;
	record = (CUpti_Activity *)(buffer->data + buffer->used);
	record->kind = kind;
	buffer->used += bytes;
	return record;
}

void lookalike_record_completes(uint64_t complete_ns)
{
	if (complete_ns > own_buffer->complete_ns) {
		own_buffer->complete_ns = complete_ns;
	}
}

void lookalike_record_end(void)
{
	pthread_mutex_unlock(&cupti.mutex);
}

/* A buffer that may go back now, off the list; the last one fetched first, so out of order. */
static struct buffer *buffer_pop(bool is_forced, uint64_t now_ns)
{
	const bool is_late = lookalike_has_fault("late");
	struct buffer **link = &cupti.buffers;
	struct buffer *buffer;

	while (*link && !is_forced &&
		((*link)->complete_ns > now_ns || (*link)->used == 0 ||
			(is_late && (*link)->complete_ns + 300 * NS_PER_MS > now_ns))) {
		link = &(*link)->next;
	}
	buffer = *link;
	if (buffer) {
		*link = buffer->next;
	}
	return buffer;
}

/* The second flush that begins after the wish to hold one does not come back. */
static void hold(void)
{
	pthread_mutex_lock(&cupti.mutex);
	while (cupti.is_holding && cupti.flush_count > 0) {
		cupti.is_held = true;
		(void)pthread_cond_broadcast(&cupti.held);
		(void)pthread_cond_wait(&cupti.held, &cupti.mutex);
	}
	cupti.flush_count += cupti.is_holding;
	pthread_mutex_unlock(&cupti.mutex);
}

void lookalike_hold_flush(void)
{
	pthread_mutex_lock(&cupti.mutex);
	cupti.is_holding = true;
	while (!cupti.is_held) {
		(void)pthread_cond_wait(&cupti.held, &cupti.mutex);
	}
	pthread_mutex_unlock(&cupti.mutex);
}

CUptiResult CUPTIAPI cuptiActivityFlushAll(uint32_t flag)
{
	struct buffer *buffer;
	uint64_t now_ns;

	hold();
	/* A device that hangs. */
	while (flag && lookalike_has_fault("hang")) {
		sleep(1);
	}
	pthread_mutex_lock(&cupti.flush_mutex);
	now_ns = clock_now_ns();
	for (;;) {
		pthread_mutex_lock(&cupti.mutex);
		buffer = buffer_pop(flag != 0, now_ns);
		if (buffer) {
			buffer->is_returned = true;
		}
		pthread_mutex_unlock(&cupti.mutex);
		if (!buffer) {
			break;
		}
		cupti.complete(NULL, 0, buffer->data, buffer->bytes, buffer->used);
	}
	pthread_mutex_unlock(&cupti.flush_mutex);
	return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiGetVersion(uint32_t *version)
{
	*version = lookalike_has_fault("version") ? CUPTI_API_VERSION + 100 : CUPTI_API_VERSION;
	return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiGetResultString(CUptiResult result, const char **text)
{
	switch ((int)result) {
	case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
		*text = "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES";
		return CUPTI_SUCCESS;
	case CUPTI_ERROR_NOT_COMPATIBLE:
		*text = "CUPTI_ERROR_NOT_COMPATIBLE";
		return CUPTI_SUCCESS;
	case CUPTI_ERROR_UNKNOWN:
		*text = "CUPTI_ERROR_UNKNOWN";
		return CUPTI_SUCCESS;
	default:
		return CUPTI_ERROR_INVALID_PARAMETER;
	}
}

CUptiResult CUPTIAPI cuptiGetCallbackName(
	CUpti_CallbackDomain domain, uint32_t call, const char **name)
{
	if (domain != CUPTI_CB_DOMAIN_DRIVER_API) {
		return CUPTI_ERROR_INVALID_PARAMETER;
	}
	switch (call) {
	case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel:
		*name = "cuLaunchKernel";
		return CUPTI_SUCCESS;
	case CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoDAsync_v2:
		*name = "cuMemcpyHtoDAsync_v2";
		return CUPTI_SUCCESS;
	case CUPTI_DRIVER_TRACE_CBID_cuMemsetD8Async:
		*name = "cuMemsetD8Async";
		return CUPTI_SUCCESS;
	case CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize:
		*name = "cuStreamSynchronize";
		return CUPTI_SUCCESS;
	default:
		return CUPTI_ERROR_INVALID_PARAMETER;
	}
}

CUptiResult CUPTIAPI cuptiGetTimestamp(uint64_t *time_ns)
{
	*time_ns = lookalike_now();
	return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiSubscribe_v2(CUpti_SubscriberHandle *subscriber,
	CUpti_CallbackFunc callback, void *userdata, CUpti_SubscriberParams *params)
{
	(void)callback;
	(void)userdata;
	if (lookalike_has_fault("no_driver")) {
		return CUPTI_ERROR_UNKNOWN;
	}
	if (lookalike_has_fault("busy")) {
		strncpy(params->oldSubscriberName, "Nsight Systems", params->oldSubscriberSize);
		return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
	}
	pthread_mutex_lock(&cupti.mutex);
	cupti.is_subscribed = true;
	pthread_mutex_unlock(&cupti.mutex);
	*subscriber = (CUpti_SubscriberHandle)&cupti;
	return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiUnsubscribe(CUpti_SubscriberHandle subscriber)
{
	if (subscriber != (CUpti_SubscriberHandle)&cupti) {
		return CUPTI_ERROR_INVALID_PARAMETER;
	}
	pthread_mutex_lock(&cupti.mutex);
	cupti.is_subscribed = false;
	pthread_mutex_unlock(&cupti.mutex);
	return CUPTI_SUCCESS;
}

/* Without it records hold pthread_self(), which joins with nothing. */
CUptiResult CUPTIAPI cuptiSetThreadIdType(CUpti_ActivityThreadIdType type)
{
	if (type != CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM) {
		abort();
	}
	return lookalike_has_fault("no_thread_ids") ? CUPTI_ERROR_NOT_COMPATIBLE : CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiActivitySetAttribute(
	CUpti_ActivityAttribute attribute, size_t *bytes, void *value)
{
	(void)attribute;
	return *bytes == 1 && value ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
}

/* Only before a kind is enabled: a later one would mix two clocks. */
CUptiResult CUPTIAPI cuptiActivityRegisterTimestampCallback(CUpti_TimestampCallbackFunc callback)
{
	for (int kind = 0; kind < KIND_COUNT; kind++) {
		if (cupti.is_enabled[kind]) {
			abort();
		}
	}
	if (lookalike_has_fault("refuse_callback")) {
		return CUPTI_ERROR_NOT_INITIALIZED;
	}
	timestamp = callback;
	return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiActivityRegisterCallbacks(
	CUpti_BuffersCallbackRequestFunc request, CUpti_BuffersCallbackCompleteFunc complete)
{
	cupti.request = request;
	cupti.complete = complete;
	return CUPTI_SUCCESS;
}

/* A device's and a context's record come with the kind, as for a late start. */
static void describe(CUpti_ActivityKind kind)
{
	for (uint32_t i = 0; i < LOOKALIKE_DEVICE_COUNT; i++) {
		if (kind == CUPTI_ACTIVITY_KIND_DEVICE) {
			CUpti_ActivityDevice5 *device = lookalike_record_begin(kind);

			device->id = i;
			device->isCudaVisible = 1;
			device->name = "Look-alike";
			memset(device->uuid.bytes, 0x10 + (int)i, sizeof(device->uuid.bytes));
			lookalike_record_end();
		} else if (kind == CUPTI_ACTIVITY_KIND_CONTEXT) {
			CUpti_ActivityContext3 *context = lookalike_record_begin(kind);

			context->contextId = i + 1;
			context->deviceId = i;
			lookalike_record_end();
		}
	}
}

CUptiResult CUPTIAPI cuptiActivityEnable(CUpti_ActivityKind kind)
{
	if (lookalike_has_fault("denied") && kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) {
		return CUPTI_ERROR_INSUFFICIENT_PRIVILEGES;
	}
	if (lookalike_has_fault("few_kinds") && kind != CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) {
		return CUPTI_ERROR_NOT_SUPPORTED;
	}
	pthread_mutex_lock(&cupti.mutex);
	cupti.is_enabled[kind] = true;
	pthread_mutex_unlock(&cupti.mutex);
	describe(kind);
	return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiActivityEnableDriverApi(CUpti_CallbackId call, uint8_t enable)
{
	pthread_mutex_lock(&cupti.mutex);
	cupti.is_silent[call] = !enable;
	pthread_mutex_unlock(&cupti.mutex);
	return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiActivityGetNumDroppedRecords(
	CUcontext context, uint32_t stream, size_t *dropped)
{
	(void)context;
	(void)stream;
	pthread_mutex_lock(&cupti.mutex);
	*dropped = lookalike_has_fault("drop") && !cupti.has_dropped ? DROP_COUNT : 0;
	cupti.has_dropped = true;
	pthread_mutex_unlock(&cupti.mutex);
	return CUPTI_SUCCESS;
}

/* Taken down: the callback and the kinds are forgotten. */
CUptiResult CUPTIAPI cuptiFinalize(void)
{
	pthread_mutex_lock(&cupti.mutex);
	memset(cupti.is_enabled, 0, sizeof(cupti.is_enabled));
	pthread_mutex_unlock(&cupti.mutex);
	timestamp = (CUpti_TimestampCallbackFunc)0;
	return CUPTI_SUCCESS;
}
