/* SPDX-License-Identifier: MIT */
/* What an operation of a software device is, and the records it leaves. All with the lock held. */
#pragma once

#include "prover/device/device_engine.h"

#include <stdbool.h>
#include <stdint.h>

bool device_operation_is_kernel(const struct device_operation *operation);
bool device_operation_is_copy(const struct device_operation *operation);
enum device_fault device_operation_fault(const struct device_operation *operation);

/* Of a copy or kernel that ran: its record, and the device's counts. */
void device_operation_record(
	struct device_stream *stream, const struct device_operation *operation, enum status status);

/* A stream stood still for an event from begin to end, which may be the same. */
void device_operation_record_wait(struct device_stream *stream,
	const struct device_operation *operation, uint64_t begin_ns, uint64_t end_ns);

/* A call waited from `start_ns` until now for room on its stream. */
void device_operation_record_full(const struct device_call *call, uint64_t start_ns);

/* A caller waited for a stream (0: for all of them) from `start_ns` until now. */
void device_operation_record_synchronize(
	const struct device_call *call, uint32_t stream_id, uint64_t start_ns);
