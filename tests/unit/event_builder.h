/* SPDX-License-Identifier: MIT */
/* Events for tests, in one line each. Times are whatever unit the test thinks in. */
#pragma once

#include "analysis/core/event.h"

static inline struct event event_job(
	enum event_kind kind, uint64_t time_ns, int32_t pid, uint64_t job)
{
	return (struct event){.kind = kind,
		.time_ns = time_ns,
		.pid = pid,
		.tid = pid,
		.job = {.job = job, .kind = "test", .partitions = 2}};
}

static inline struct event event_device(
	uint64_t time_ns, int32_t pid, int32_t ordinal, const char *uuid)
{
	return (struct event){.kind = EVENT_GPU_DEVICE,
		.time_ns = time_ns,
		.pid = pid,
		.tid = pid,
		.device = {.device = ordinal,
			.backend = GAPTRACE_BACKEND_CPU,
			.uuid = uuid,
			.name = "test device",
			.link = ""}};
}

static inline struct event event_watermark(
	uint64_t time_ns, int32_t pid, int32_t ordinal, uint64_t complete_until_ns)
{
	return (struct event){.kind = EVENT_GPU_WATERMARK,
		.time_ns = time_ns,
		.pid = pid,
		.tid = pid,
		.watermark = {.device = ordinal, .complete_until_ns = complete_until_ns}};
}

/* An operation emitted when it ended. */
static inline struct event event_operation_at(
	enum event_kind kind, int32_t pid, int32_t ordinal, uint64_t start_ns, uint64_t end_ns)
{
	const struct event_operation operation = {
		.device = ordinal, .stream = 1, .start_ns = start_ns, .end_ns = end_ns};
	struct event event = {.kind = kind, .time_ns = end_ns, .pid = pid, .tid = pid};

	if (kind == EVENT_GPU_KERNEL) {
		event.kernel.operation = operation;
		event.kernel.name = "kernel";
	} else {
		event.copy.operation = operation;
	}
	return event;
}
