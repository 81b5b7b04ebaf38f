/* SPDX-License-Identifier: MIT */
/* How kernels are declared and launched, the same for all: blocks of KERNEL_THREADS threads. */
#pragma once

#define KERNEL_THREADS 128

#ifdef __CUDACC__

/* By their plain names, so that the reports of compilers and profilers can be read. */
#define KERNEL(name) extern "C" __global__ void __launch_bounds__(KERNEL_THREADS) name

/* Blocks for so many threads; a launch of none is refused by the runtime. */
#define KERNEL_BLOCKS(thread_count) (((thread_count) + KERNEL_THREADS - 1) / KERNEL_THREADS)

static __device__ __forceinline__ unsigned int kernel_thread()
{
	return blockIdx.x * blockDim.x + threadIdx.x;
}

#endif
