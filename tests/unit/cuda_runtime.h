/* SPDX-License-Identifier: MIT */
/*
 * The CUDA runtime of tests: prover/device/cuda/runtime.h over the host's memory, each call done
 * when it returns, kernels run thread by thread. Counts what is open, and fails when told to.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct cuda_runtime {
	uint64_t memory_bytes; /* of the device */
	bool has_no_driver;
	bool marks_are_late; /* those recorded meanwhile are not passed */
	uint32_t fails_at;   /* the call of those that may fail, from 1; 0: none */

	uint32_t call_count;
	uint64_t used_bytes;
	uint32_t open_count; /* of runtimes, memories, streams and events */
	uint32_t synchronize_count;
	uint32_t device_synchronize_count;
	uint32_t alloc_count;
};

/* The one there is; set it up before a device is opened. */
extern struct cuda_runtime cuda_runtime;
