/* SPDX-License-Identifier: MIT */
/*
 * Stands for CUDA's runtime library beneath runtime.cu: one device, whose memory is the host's,
 * each call done when it returns. Kernels are found by the stubs that nvcc registers, and are what
 * it made of them (cuda_ptx.h). A call on a thread that has not chosen the device ends the program.
 */
#pragma once

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>

struct lookalike_cudart {
	uint32_t fails_at; /* the call of those that may fail, from 1; 0: none */
	cudaError_t error; /* what it fails with */
	bool is_sticky;    /* and all that come after it */
	int device_count;

	uint32_t call_count;
	const char *failed_call;
	int32_t open_count; /* memories, streams and events */
	uint32_t launch_count;
};

extern struct lookalike_cudart lookalike_cudart;
