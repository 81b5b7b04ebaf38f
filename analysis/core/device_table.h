/* SPDX-License-Identifier: MIT */
/*
 * The devices of a recording, kept apart by UUID, and the (process, ordinal) pairs that name them.
 * A pair whose UUID is not known yet is a device of its own until a process tells it.
 */
#pragma once

#include "analysis/core/event.h"
#include "analysis/core/sweep.h"
#include "trace/base/cleanup.h"
#include "trace/base/limits.h"
#include "trace/base/status.h"

struct timeline_device {
	char uuid[NAME_BYTES_MAX]; /* "pid:ordinal" until a process tells the real one */
	char name[NAME_BYTES_MAX];
	char link[NAME_BYTES_MAX];
	enum gaptrace_backend backend;
	int32_t ordinal;
	bool has_facts;
	bool is_merged; /* it turned out to be another one; not to be reported */
	struct sweep sweep;
};

/* One device as one process numbers it. */
struct device_source {
	int32_t pid;
	int32_t ordinal;
	uint32_t device;
	bool has_watermark;
	uint64_t complete_until_ns;
	uint64_t last_event_ns;
};

/* All zero is an empty table. */
struct device_table {
	bool is_in_order; /* operations come in the order of their starts */
	struct timeline_device *devices[DEVICE_COUNT_MAX];
	uint32_t device_count;
	struct device_source *sources;
	uint32_t source_count;
	uint32_t source_capacity;
};

/* The source of an event about device `ordinal`, borrowed until the next one is added, or NULL. */
struct device_source *device_table_find(
	const struct device_table *table, const struct event *event, int32_t ordinal);

/*
 * Finds the source of an event about device `ordinal`, or adds one on a device of its own.
 * Borrowed until the next call.
 */
MUST_CHECK enum status device_table_source(struct device_table *table, const struct event *event,
	int32_t ordinal, bool *out_is_new, struct device_source **out_source);

/* Takes note of a device event. `out_is_merged`: the source now stands for another device. */
MUST_CHECK enum status device_table_describe(struct device_table *table,
	struct device_source *source, const struct event *event, bool *out_is_merged);

/* Up to where every process has told all there is to tell about a device. */
uint64_t device_table_complete_until(
	const struct device_table *table, uint32_t device, uint64_t now_ns);

/* How many sources that ran something never told a watermark. */
uint64_t device_table_without_watermark(const struct device_table *table);

void device_table_finish(struct device_table *table);
