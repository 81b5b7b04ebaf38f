/* SPDX-License-Identifier: MIT */
/*
 * The calls of a CUDA program by name, and the records of them. A call is recorded when it ends, by
 * the thread that made it, under the device's lock, so that no record is older than a watermark.
 */
#pragma once

#include "gaptrace/gaptrace.h"
#include "trace/base/status.h"

#include <stdint.h>

struct device;

enum device_api {
	DEVICE_API_MALLOC_HOST,
	DEVICE_API_FREE_HOST,
	DEVICE_API_MALLOC,
	DEVICE_API_FREE,
	DEVICE_API_HOST_REGISTER,
	DEVICE_API_HOST_UNREGISTER,
	DEVICE_API_STREAM_CREATE,
	DEVICE_API_STREAM_DESTROY,
	DEVICE_API_EVENT_CREATE,
	DEVICE_API_EVENT_DESTROY,
	DEVICE_API_EVENT_RECORD,
	DEVICE_API_STREAM_WAIT_EVENT,
	DEVICE_API_STREAM_SYNCHRONIZE,
	DEVICE_API_DEVICE_SYNCHRONIZE,
	DEVICE_API_MEMCPY_ASYNC,
	DEVICE_API_LAUNCH_EVALUATE,
	DEVICE_API_LAUNCH_NTT,
	DEVICE_API_LAUNCH_QUOTIENT,
	DEVICE_API_LAUNCH_MSM_H,
	DEVICE_API_LAUNCH_BATCH_ADD,
	DEVICE_API_LAUNCH_TAIL_MSM,
	DEVICE_API_COUNT
};

/* A backend's names: "cpuMemcpyAsync" and so on, by what it puts before them. */
/* clang-format off */
#define DEVICE_API_NAMES(prefix)                                                                   \
	{                                                                                          \
		[DEVICE_API_MALLOC_HOST] = prefix "MallocHost",                                    \
		[DEVICE_API_FREE_HOST] = prefix "FreeHost",                                        \
		[DEVICE_API_MALLOC] = prefix "Malloc",                                             \
		[DEVICE_API_FREE] = prefix "Free",                                                 \
		[DEVICE_API_HOST_REGISTER] = prefix "HostRegister",                                \
		[DEVICE_API_HOST_UNREGISTER] = prefix "HostUnregister",                            \
		[DEVICE_API_STREAM_CREATE] = prefix "StreamCreate",                                \
		[DEVICE_API_STREAM_DESTROY] = prefix "StreamDestroy",                              \
		[DEVICE_API_EVENT_CREATE] = prefix "EventCreate",                                  \
		[DEVICE_API_EVENT_DESTROY] = prefix "EventDestroy",                                \
		[DEVICE_API_EVENT_RECORD] = prefix "EventRecord",                                  \
		[DEVICE_API_STREAM_WAIT_EVENT] = prefix "StreamWaitEvent",                         \
		[DEVICE_API_STREAM_SYNCHRONIZE] = prefix "StreamSynchronize",                      \
		[DEVICE_API_DEVICE_SYNCHRONIZE] = prefix "DeviceSynchronize",                      \
		[DEVICE_API_MEMCPY_ASYNC] = prefix "MemcpyAsync",                                  \
		[DEVICE_API_LAUNCH_EVALUATE] = prefix "Launch:evaluate",                           \
		[DEVICE_API_LAUNCH_NTT] = prefix "Launch:ntt",                                     \
		[DEVICE_API_LAUNCH_QUOTIENT] = prefix "Launch:quotient",                           \
		[DEVICE_API_LAUNCH_MSM_H] = prefix "Launch:msm_h",                                 \
		[DEVICE_API_LAUNCH_BATCH_ADD] = prefix "Launch:batch_add",                         \
		[DEVICE_API_LAUNCH_TAIL_MSM] = prefix "Launch:tail_msm",                           \
	}
/* clang-format on */

/* A call under way. */
struct device_call {
	struct device *device;
	enum device_api api;
	uint64_t correlation;
	uint64_t start_ns;
};

struct device_call device_call_begin(struct device *device, enum device_api api);

/* Records it; the nanoseconds it took. */
uint64_t device_call_end(const struct device_call *call, enum status status);

/* The same with the device's lock held. */
uint64_t device_call_end_locked(const struct device_call *call, enum status status);
