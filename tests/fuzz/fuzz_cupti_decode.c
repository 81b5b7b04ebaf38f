/* SPDX-License-Identifier: MIT */
/*
 * Whatever stands in a buffer of records, events have stamps that can be used or zeros, and names
 * of bounded length. The first byte chooses the clock. Pointers in records are CUPTI's own, so
 * they are replaced by good ones.
 */
#include "gaptrace/gaptrace.h"
#include "tests/integration/lookalike_records.h"
#include "trace/base/clock.h"
#include "trace/cupti/activity_decode.h"

#include <stdlib.h>
#include <string.h>

#define NOW_NS (100000 * NS_PER_S)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool is_true)
{
	if (!is_true) {
		abort();
	}
}

static void require_stamps(uint64_t start_ns, uint64_t end_ns)
{
	require(start_ns <= end_ns && end_ns < 1ULL << 63);
	require(start_ns != 0 || end_ns == 0);
}

void gaptrace_gpu_device(const struct gaptrace_gpu_device *device)
{
	require(device->device >= 0 && strlen(device->uuid) == 40);
}

void gaptrace_gpu_kernel(const struct gaptrace_gpu_kernel *kernel)
{
	require_stamps(kernel->start_ns, kernel->end_ns);
	require(strlen(kernel->name) < NAME_BYTES_MAX);
}

void gaptrace_gpu_memcpy(const struct gaptrace_gpu_memcpy *copy)
{
	require_stamps(copy->start_ns, copy->end_ns);
	require(copy->source_memory <= GAPTRACE_MEMORY_MANAGED_STATIC);
	require(copy->target_memory <= GAPTRACE_MEMORY_MANAGED_STATIC);
}

void gaptrace_gpu_memset(const struct gaptrace_gpu_memset *set)
{
	require_stamps(set->start_ns, set->end_ns);
	require(set->target_memory <= GAPTRACE_MEMORY_MANAGED_STATIC);
}

void gaptrace_gpu_api(const struct gaptrace_gpu_api *api)
{
	require_stamps(api->start_ns, api->end_ns);
	require(strlen(api->name) < NAME_BYTES_MAX);
}

void gaptrace_gpu_sync(const struct gaptrace_gpu_sync *sync)
{
	require_stamps(sync->start_ns, sync->end_ns);
	require(sync->kind <= GAPTRACE_SYNC_DEVICE);
}

void gaptrace_gpu_overhead(const struct gaptrace_gpu_overhead *overhead)
{
	require_stamps(overhead->start_ns, overhead->end_ns);
	require(overhead->kind <= GAPTRACE_OVERHEAD_UVM_INIT);
}

static CUptiResult get_callback_name(
	CUpti_CallbackDomain domain, uint32_t call, const char **out_name)
{
	static const char *const names[] = {
		"cuLaunchKernel", "cuMemcpyHtoDAsync_v2_ptsz", "_v2", "v7", "", "_ptsz", NULL};

	(void)domain;
	*out_name = names[call % (sizeof(names) / sizeof(names[0]))];
	return call % 11 == 0 ? CUPTI_ERROR_INVALID_PARAMETER : CUPTI_SUCCESS;
}

static void replace_pointers(CUpti_Activity *record)
{
	static char long_name[4000];

	memset(long_name, 'n', sizeof(long_name) - 1);
	if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) {
		CUpti_ActivityKernel10 *kernel = (CUpti_ActivityKernel10 *)record;

		kernel->name = (uintptr_t)kernel->name % 2 ? long_name : NULL;
	} else if (record->kind == CUPTI_ACTIVITY_KIND_OVERHEAD) {
		CUpti_ActivityOverhead3 *overhead = (CUpti_ActivityOverhead3 *)record;

		overhead->overheadData = (uintptr_t)overhead->overheadData % 2 ? malloc(12) : NULL;
	} else if (record->kind == CUPTI_ACTIVITY_KIND_DEVICE) {
		CUpti_ActivityDevice5 *device = (CUpti_ActivityDevice5 *)record;

		device->name = (uintptr_t)device->name % 2 ? "device" : NULL;
	}
}

static uint64_t prepare(uint8_t *records, size_t bytes)
{
	CUpti_Activity *record = NULL;
	uint64_t count = 0;

	while (cuptiActivityGetNextRecord(records, bytes, &record) == CUPTI_SUCCESS) {
		const size_t offset = (size_t)((uint8_t *)record - records);

		if (offset + lookalike_record_bytes(record->kind) > bytes) {
			break;
		}
		replace_pointers(record);
		count++;
	}
	return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct cupti_api api = {
		.next_record = cuptiActivityGetNextRecord, .get_callback_name = get_callback_name};
	static struct clock_sync clock;
	static struct activity_decoder decoder;
	const struct clock_reading pairs[] = {
		{NOW_NS - NS_PER_S, 1700000000 * NS_PER_S, NOW_NS - NS_PER_S + 40},
		{NOW_NS, 1700000001 * NS_PER_S, NOW_NS + 40}};
	uint8_t *records;
	uint64_t count;

	if (size < 1) {
		return 0;
	}
	records = malloc(size);
	require(records != NULL);
	memcpy(records, data + 1, size - 1);
	clock_sync_init(&clock, data[0] % 2 ? CLOCK_PATH_CALLBACK : CLOCK_PATH_DEFAULT, NOW_NS);
	for (int i = 0; i < data[0] % 3; i++) {
		clock_sync_add(&clock, &pairs[i]);
	}
	activity_decode_init(&decoder, &api, &clock);
	count = prepare(records, size - 1);
	activity_decode(&decoder, records, size - 1);
	/* One more when the last is cut short: it is seen, not read. */
	require(decoder.record_count >= count && decoder.record_count <= count + 1);
	free(records);
	return 0;
}
