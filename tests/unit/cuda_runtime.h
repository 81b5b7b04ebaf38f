/* SPDX-License-Identifier: MIT */
/*
 * The CUDA runtime of tests: prover/device/cuda/runtime.h over the host's memory, each call done
 * when it returns or as late as may be, kernels run thread by thread. Counts what is open, and
 * fails when told to.
 */
#pragma once

#include "trace/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct runtime;
struct runtime_stream;

struct cuda_runtime {
	uint64_t memory_bytes; /* of the device */
	bool has_no_driver;
	bool marks_are_late; /* those recorded meanwhile are not passed */
	/* A bit for each stream in the order they are opened: its work is done when somebody waits
	 * for it, not at once. */
	uint32_t lazy_streams;
	void (*before_free)(void); /* of device memory; NULL: nobody wants to know */
	uint32_t fails_at;         /* the call of those that may fail, from 1; 0: none */

	uint32_t call_count;
	uint64_t used_bytes;
	uint32_t open_count; /* of runtimes, memories, streams and events */
	uint32_t synchronize_count;
	uint32_t device_synchronize_count;
	uint32_t alloc_count;
	uint32_t stream_count; /* that were ever opened */
};

/* The one there is; set it up before a device is opened. */
extern struct cuda_runtime cuda_runtime;

/* A call that may fail: whether it is the one that is to. */
MUST_CHECK enum status cuda_runtime_call(struct runtime *runtime, const char *name);
/* Puts work on a stream, with a copy of its argument. */
void cuda_runtime_put(struct runtime_stream *stream, void (*run)(void *argument),
	const void *argument, size_t bytes);
