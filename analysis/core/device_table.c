/* SPDX-License-Identifier: MIT */
#include "analysis/core/device_table.h"

#include "trace/base/array.h"
#include "trace/base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* (pid, ordinal) pairs: every process of a host may use every device. */
#define SOURCE_COUNT_MAX 4096

/*
 * A collector may only know what ended: then something that began long before a watermark may still
 * come. So what is called final stays behind the watermark by twice the longest operation seen, and
 * at least by this. Where operations come in the order of their starts only the call of one may be
 * late, when the clocks of device and host disagree.
 */
#define HOLD_MIN_NS (20 * NS_PER_MS)

/* A process that said nothing of its device for this long is gone and no longer waited for. */
#define SOURCE_SILENT_NS (30 * NS_PER_S)

static enum status add_device(struct device_table *table, uint32_t *out_device)
{
	struct timeline_device *device;

	/* Nothing was told of a device that was merged away: its place is free. */
	for (uint32_t i = 0; i < table->device_count; i++) {
		if (table->devices[i]->is_merged) {
			*table->devices[i] = (struct timeline_device){0};
			sweep_init(&table->devices[i]->sweep);
			*out_device = i;
			return STATUS_OK;
		}
	}
	if (table->device_count == DEVICE_COUNT_MAX) {
		return STATUS_OVER_LIMIT;
	}
	device = calloc(1, sizeof(*device));
	if (!device) {
		return STATUS_NO_MEMORY;
	}
	sweep_init(&device->sweep);
	table->devices[table->device_count] = device;
	*out_device = table->device_count++;
	return STATUS_OK;
}

static enum status add_source(struct device_table *table, const struct event *event,
	int32_t ordinal, struct device_source **out_source)
{
	struct device_source *source;
	enum status status;
	uint32_t device;

	if (table->source_count == SOURCE_COUNT_MAX) {
		return STATUS_OVER_LIMIT;
	}
	if (!ARRAY_MAKE_ROOM(table->sources, table->source_count, table->source_capacity, 16)) {
		return STATUS_NO_MEMORY;
	}
	status = add_device(table, &device);
	if (status != STATUS_OK) {
		return status;
	}
	table->devices[device]->ordinal = ordinal;
	/* A name until the device tells its UUID, unique in the recording. */
	(void)snprintf(table->devices[device]->uuid, NAME_BYTES_MAX, "%d:%d", event->pid, ordinal);

	source = &table->sources[table->source_count++];
	*source = (struct device_source){.pid = event->pid, .ordinal = ordinal, .device = device};
	*out_source = source;
	return STATUS_OK;
}

struct device_source *device_table_find(
	const struct device_table *table, const struct event *event, int32_t ordinal)
{
	for (uint32_t i = 0; i < table->source_count; i++) {
		if (table->sources[i].pid == event->pid && table->sources[i].ordinal == ordinal) {
			return &table->sources[i];
		}
	}
	return NULL;
}

enum status device_table_source(struct device_table *table, const struct event *event,
	int32_t ordinal, bool *out_is_new, struct device_source **out_source)
{
	struct device_source *source = device_table_find(table, event, ordinal);
	enum status status = STATUS_OK;

	*out_is_new = source == NULL;
	if (!source) {
		status = add_source(table, event, ordinal, &source);
	}
	if (status == STATUS_OK) {
		source->last_event_ns = event->time_ns;
		*out_source = source;
	}
	return status;
}

static uint32_t find_uuid(const struct device_table *table, const char *uuid)
{
	for (uint32_t i = 0; i < table->device_count; i++) {
		const struct timeline_device *device = table->devices[i];

		if (device->has_facts && strcmp(device->uuid, uuid) == 0) {
			return i;
		}
	}
	return DEVICE_COUNT_MAX;
}

static void copy_name(char target[NAME_BYTES_MAX], const char *name)
{
	(void)snprintf(target, NAME_BYTES_MAX, "%s", name);
}

enum status device_table_describe(struct device_table *table, struct device_source *source,
	const struct event *event, bool *out_is_merged)
{
	struct timeline_device *device = table->devices[source->device];
	const bool has_uuid = event->device.uuid[0] != '\0';
	uint32_t known;

	*out_is_merged = false;
	if (device->has_facts) {
		return STATUS_OK;
	}
	known = has_uuid ? find_uuid(table, event->device.uuid) : DEVICE_COUNT_MAX;
	/* Two processes on one device. Once gaps were told of it, it stays a device of its own. */
	if (known != DEVICE_COUNT_MAX && !device->sweep.tracks[SWEEP_ANYTHING].has_begun) {
		device->is_merged = true;
		source->device = known;
		*out_is_merged = true;
		return sweep_merge(&table->devices[known]->sweep, &device->sweep);
	}

	device->has_facts = true;
	device->backend = event->device.backend;
	copy_name(device->name, event->device.name);
	copy_name(device->link, event->device.link);
	if (has_uuid) {
		copy_name(device->uuid, event->device.uuid);
	}
	return STATUS_OK;
}

uint64_t device_table_complete_until(
	const struct device_table *table, uint32_t device, uint64_t now_ns)
{
	const struct sweep *sweep = &table->devices[device]->sweep;
	const bool has_longer = !table->is_in_order && sweep->longest_ns > HOLD_MIN_NS / 2;
	const uint64_t hold_ns = has_longer ? sweep->longest_ns * 2 : HOLD_MIN_NS;
	uint64_t until_ns = UINT64_MAX;

	for (uint32_t i = 0; i < table->source_count; i++) {
		const struct device_source *source = &table->sources[i];

		/* Final is what every process that uses the device has promised. */
		if (source->device != device || now_ns - source->last_event_ns > SOURCE_SILENT_NS) {
			continue;
		}
		if (source->complete_until_ns < until_ns) {
			until_ns = source->complete_until_ns;
		}
	}
	if (until_ns > now_ns) {
		until_ns = now_ns;
	}
	return until_ns > hold_ns ? until_ns - hold_ns : 0;
}

uint64_t device_table_without_watermark(const struct device_table *table)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < table->source_count; i++) {
		const struct device_source *source = &table->sources[i];

		count += !source->has_watermark &&
			 table->devices[source->device]->sweep.operation_count > 0;
	}
	return count;
}

void device_table_finish(struct device_table *table)
{
	for (uint32_t i = 0; i < table->device_count; i++) {
		sweep_finish(&table->devices[i]->sweep);
		free(table->devices[i]);
	}
	free(table->sources);
	*table = (struct device_table){0};
}
