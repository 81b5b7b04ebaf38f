/* SPDX-License-Identifier: MIT */
/*
 * What ran on the devices: by stream, so that a copy in front of a kernel is found; by device, so
 * that others are known to work. Stream waits say on whom a stream depends.
 */
#pragma once

#include "analysis/core/walk_call.h"
#include "trace/base/limits.h"

struct walk_operation {
	uint64_t end_ns;
	uint64_t start_ns;
	uint64_t correlation;
	uint64_t bytes;
	const char *label; /* of a copy: htod, memset and so on; NULL: a kernel */
	uint32_t graph;    /* of a kernel */
	bool is_pageable;
};

struct walk_stream_name {
	int32_t pid;
	uint32_t device; /* of the timeline */
	uint32_t context;
	uint32_t stream;
};

struct walk_stream {
	struct walk_stream_name name;
	struct walk_ring operations; /* struct walk_operation, in order of end */
	uint64_t passed_correlation; /* the last to be issued of those that ended long ago */
};

/*
 * Waits that were told before all that may still be asked for, and that nothing of their stream has
 * passed: a program that runs ahead has a few for each stream, of others the oldest go.
 */
#define WALK_OLD_WAITS_MAX 1024

/* Of a stream whose device the timeline never told. */
#define WALK_DEVICE_UNKNOWN UINT32_MAX

struct walk_stream_wait {
	uint64_t end_ns;
	uint64_t start_ns;
	int32_t pid;
	uint32_t device; /* of the timeline, where the stream waits; WALK_DEVICE_UNKNOWN */
	uint32_t context;
	uint32_t stream;
	uint32_t event_stream;
	uint64_t correlation; /* of the call that told the stream to wait; 0: not known */
};

struct walk_busy {
	uint64_t end_ns;
	uint64_t begin_ns;
};

struct walk_devices {
	struct walk_map by_ordinal; /* process and ordinal to an index + 1 */
	struct walk_map by_stream;
	struct walk_slab streams;
	size_t operation_count;                  /* kept, of all streams */
	struct walk_ring busy[DEVICE_COUNT_MAX]; /* struct walk_busy: a kernel or a copy ran */
	struct walk_ring waits;                  /* struct walk_stream_wait, in order of end */
};

void walk_devices_init(struct walk_devices *devices);
void walk_devices_finish(struct walk_devices *devices);

MUST_CHECK enum status walk_devices_map(
	struct walk_devices *devices, int32_t pid, int32_t ordinal, uint32_t device);

/* False when the timeline never told. */
bool walk_devices_index(
	const struct walk_devices *devices, int32_t pid, int32_t ordinal, uint32_t *out_device);

MUST_CHECK enum status walk_devices_add(struct walk_devices *devices, int32_t pid,
	const struct event_operation *where, const struct walk_operation *operation);
MUST_CHECK enum status walk_devices_add_wait(
	struct walk_devices *devices, const struct walk_stream_wait *wait);

/* The operation of a stream at y, NULL for none; raises *from_ns to where that answer begins. */
const struct walk_operation *walk_devices_at(const struct walk_devices *devices,
	const struct walk_stream_name *name, uint64_t y_ns, uint64_t *from_ns);

/* What the stream ran last of all that ended before y; NULL: nothing that is remembered. */
const struct walk_operation *walk_devices_before(
	const struct walk_devices *devices, const struct walk_stream_name *name, uint64_t y_ns);

/* As walk_devices_at(); without such a stream on that device, for one of that name on any other. */
const struct walk_operation *walk_devices_anywhere_at(const struct walk_devices *devices,
	const struct walk_stream_name *name, uint64_t y_ns, uint64_t *from_ns);

/* The same for any stream that the process has on the device; of several operations the copy that
 * began last, without a copy any. */
const struct walk_operation *walk_devices_any_at(const struct walk_devices *devices,
	const struct walk_stream_name *whose, uint64_t y_ns, uint64_t *from_ns);

/* True when another device than `device` ran something at y. */
bool walk_devices_others_busy(
	const struct walk_devices *devices, uint32_t device, uint64_t y_ns, uint64_t *from_ns);

struct walk_between {
	uint64_t begin_ns;
	uint64_t end_ns;
};

/* The kernel that starts first in [begin, end) on another device than `device`; NULL for none. */
const struct walk_operation *walk_devices_next_kernel(const struct walk_devices *devices,
	uint32_t device, struct walk_between between, struct walk_stream_name *out_name);

void walk_devices_sweep(struct walk_devices *devices, uint64_t forget_ns);
