/* SPDX-License-Identifier: MIT */
#include "trace/cupti/activity_decode.h"

#include "gaptrace/gaptrace.h"
#include "trace/base/clock.h"
#include "trace/base/limits.h"
#include "trace/cupti/activity_operation.h"
#include "trace/cupti/api_calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "GPU-" or "MIG-" and 36 characters, as nvidia-smi prints them. */
#define UUID_BYTES 48

static uint32_t plain(uint32_t value)
{
	return value == CUPTI_SYNCHRONIZATION_INVALID_VALUE ? 0 : value;
}

static void decode_api(const struct decoding *decoding, const void *record)
{
	const CUpti_ActivityAPI *from = record;
	struct activity_decoder *decoder = decoding->decoder;
	const CUpti_CallbackDomain domain = from->kind == CUPTI_ACTIVITY_KIND_RUNTIME
						    ? CUPTI_CB_DOMAIN_RUNTIME_API
						    : CUPTI_CB_DOMAIN_DRIVER_API;
	struct clock_interval interval;
	uint64_t start_ns;
	char name[NAME_BYTES_MAX];

	if (api_calls_is_polling(domain, from->cbid)) {
		decoder->polling_count++;
		return;
	}
	if (clock_sync_convert(decoder->clock, (struct clock_interval){from->start, from->end},
		    decoding->now_ns, &interval) &&
		activity_facts_launch(
			&decoder->facts, from->correlationId, interval.start_ns, &start_ns)) {
		clock_sync_launch(decoder->clock, interval.start_ns, start_ns);
	}
	api_calls_name(decoder->api, domain, from->cbid, name, sizeof(name));
	gaptrace_gpu_api(&(struct gaptrace_gpu_api){
		.name = name,
		.tid = (int32_t)from->threadId,
		.correlation = from->correlationId,
		.start_ns = interval.start_ns,
		.end_ns = interval.end_ns,
		.result = (int32_t)from->returnValue,
	});
}

static void decode_sync(const struct decoding *decoding, const void *record)
{
	const CUpti_ActivitySynchronization2 *from = record;
	struct activity_decoder *decoder = decoding->decoder;
	const uint32_t event = plain(from->cudaEventId);
	struct clock_interval interval;

	(void)clock_sync_convert(decoder->clock, (struct clock_interval){from->start, from->end},
		decoding->now_ns, &interval);
	gaptrace_gpu_sync(&(struct gaptrace_gpu_sync){
		.device = activity_facts_device(&decoder->facts, from->contextId),
		.context = from->contextId,
		.stream = plain(from->streamId),
		.correlation = from->correlationId,
		/* The trace's values are CUPTI's. */
		.kind = (uint32_t)from->type <= GAPTRACE_SYNC_DEVICE
				? (enum gaptrace_sync_kind)from->type
				: GAPTRACE_SYNC_UNKNOWN,
		.event = event,
		.event_stream =
			event ? activity_facts_event_stream(&decoder->facts, from->contextId, event)
			      : 0,
		.start_ns = interval.start_ns,
		.end_ns = interval.end_ns,
	});
}

static enum gaptrace_overhead_kind overhead_kind(CUpti_ActivityOverheadKind kind)
{
	/* CUPTI counts its own from 1 in the upper half; the trace goes on counting. */
	const uint32_t own = (uint32_t)kind >> 16;

	if (kind == CUPTI_ACTIVITY_OVERHEAD_DRIVER_COMPILER) {
		return GAPTRACE_OVERHEAD_DRIVER_COMPILER;
	}
	return own >= 1 && own < GAPTRACE_OVERHEAD_UVM_INIT ? (enum gaptrace_overhead_kind)(own + 1)
							    : GAPTRACE_OVERHEAD_UNKNOWN;
}

static void decode_overhead(const struct decoding *decoding, const void *record)
{
	const CUpti_ActivityOverhead3 *from = record;
	struct clock_interval interval;

	(void)clock_sync_convert(decoding->decoder->clock,
		(struct clock_interval){from->start, from->end}, decoding->now_ns, &interval);
	gaptrace_gpu_overhead(&(struct gaptrace_gpu_overhead){
		.kind = overhead_kind(from->overheadKind),
		.tid = from->objectKind == CUPTI_ACTIVITY_OBJECT_THREAD
			       ? (int32_t)from->objectId.pt.threadId
			       : 0,
		.correlation = from->correlationId,
		.start_ns = interval.start_ns,
		.end_ns = interval.end_ns,
	});
	/* The client's to free, by CUPTI's header. */
	free(from->overheadData);
}

static void format_uuid(char *text, size_t bytes, const char *prefix, const CUuuid *uuid)
{
	char hex[33];

	for (size_t i = 0; i < 16; i++) {
		(void)snprintf(hex + 2 * i, sizeof(hex) - 2 * i, "%02x",
			(unsigned)(unsigned char)uuid->bytes[i]);
	}
	(void)snprintf(text, bytes, "%s-%.8s-%.4s-%.4s-%.4s-%.12s", prefix, hex, hex + 8, hex + 12,
		hex + 16, hex + 20);
}

/* Devices that CUDA_VISIBLE_DEVICES hides have no ordinal in this process. */
static void decode_device(const struct decoding *decoding, const void *record)
{
	const CUpti_ActivityDevice5 *from = record;
	char uuid[UUID_BYTES];

	if (!from->isCudaVisible || from->id >= DEVICE_COUNT_MAX) {
		return;
	}
	if (from->isMigEnabled) {
		format_uuid(uuid, sizeof(uuid), "MIG", &from->migUuid);
	} else {
		format_uuid(uuid, sizeof(uuid), "GPU", &from->uuid);
	}
	decoding->decoder->facts.has_device[from->id] = true;
	gaptrace_gpu_device(&(struct gaptrace_gpu_device){
		.device = (int32_t)from->id,
		.backend = GAPTRACE_BACKEND_CUDA,
		.uuid = uuid,
		.name = from->name ? from->name : "",
		.link = "",
	});
}

static void decode_context(const struct decoding *decoding, const void *record)
{
	const CUpti_ActivityContext3 *from = record;

	activity_facts_context(&decoding->decoder->facts, from->contextId, from->deviceId);
}

static void decode_event(const struct decoding *decoding, const void *record)
{
	const CUpti_ActivityCudaEvent2 *from = record;

	activity_facts_event(
		&decoding->decoder->facts, from->contextId, from->eventId, from->streamId);
}

struct record_kind {
	CUpti_ActivityKind kind;
	size_t bytes;
	void (*decode)(const struct decoding *decoding, const void *record);
};

static const struct record_kind record_kinds[] = {
	{CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, sizeof(CUpti_ActivityKernel10),
		activity_operation_kernel},
	{CUPTI_ACTIVITY_KIND_RUNTIME, sizeof(CUpti_ActivityAPI), decode_api},
	{CUPTI_ACTIVITY_KIND_DRIVER, sizeof(CUpti_ActivityAPI), decode_api},
	{CUPTI_ACTIVITY_KIND_MEMCPY, sizeof(CUpti_ActivityMemcpy6), activity_operation_memcpy},
	{CUPTI_ACTIVITY_KIND_MEMSET, sizeof(CUpti_ActivityMemset4), activity_operation_memset},
	{CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, sizeof(CUpti_ActivitySynchronization2), decode_sync},
	{CUPTI_ACTIVITY_KIND_CUDA_EVENT, sizeof(CUpti_ActivityCudaEvent2), decode_event},
	{CUPTI_ACTIVITY_KIND_MEMCPY2, sizeof(CUpti_ActivityMemcpyPtoP4),
		activity_operation_memcpy_peer},
	{CUPTI_ACTIVITY_KIND_GRAPH_TRACE, sizeof(CUpti_ActivityGraphTrace2),
		activity_operation_graph},
	{CUPTI_ACTIVITY_KIND_OVERHEAD, sizeof(CUpti_ActivityOverhead3), decode_overhead},
	{CUPTI_ACTIVITY_KIND_DEVICE, sizeof(CUpti_ActivityDevice5), decode_device},
	{CUPTI_ACTIVITY_KIND_CONTEXT, sizeof(CUpti_ActivityContext3), decode_context},
};

static const struct record_kind *find_kind(CUpti_ActivityKind kind)
{
	for (size_t i = 0; i < sizeof(record_kinds) / sizeof(record_kinds[0]); i++) {
		if (record_kinds[i].kind == kind) {
			return &record_kinds[i];
		}
	}
	return NULL;
}

void activity_decode_init(
	struct activity_decoder *decoder, const struct cupti_api *api, struct clock_sync *clock)
{
	memset(decoder, 0, sizeof(*decoder));
	decoder->api = api;
	decoder->clock = clock;
	activity_facts_init(&decoder->facts);
}

void activity_decode(struct activity_decoder *decoder, uint8_t *data, size_t valid_bytes)
{
	const struct decoding decoding = {decoder, clock_now_ns()};
	const struct record_kind *kind;
	CUpti_Activity *record = NULL;
	CUptiResult result;

	while ((result = decoder->api->next_record(data, valid_bytes, &record)) == CUPTI_SUCCESS) {
		decoder->record_count++;
		kind = find_kind(record->kind);
		if (!kind) {
			decoder->unknown_count++;
		} else if ((size_t)((uint8_t *)record - data) + kind->bytes <= valid_bytes) {
			kind->decode(&decoding, record);
		} else {
			decoder->damaged_count++;
			return;
		}
	}
	decoder->damaged_count += result != CUPTI_ERROR_MAX_LIMIT_REACHED;
}

uint64_t activity_decode_drop(const struct cupti_api *api, uint8_t *data, size_t valid_bytes)
{
	CUpti_Activity *record = NULL;
	uint64_t count = 0;

	while (api->next_record(data, valid_bytes, &record) == CUPTI_SUCCESS) {
		const CUpti_ActivityOverhead3 *overhead = (const void *)record;

		count++;
		if (record->kind == CUPTI_ACTIVITY_KIND_OVERHEAD &&
			(size_t)((uint8_t *)record - data) + sizeof(*overhead) <= valid_bytes) {
			free(overhead->overheadData);
		}
	}
	return count;
}
