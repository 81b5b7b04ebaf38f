/* SPDX-License-Identifier: MIT */
/*
 * What lets one text be a kernel's body and a host function. Bodies are functions of a thread's
 * number and of arrays, never of threadIdx, so that a test runs them over made-up threads. Valid as
 * C17 and as CUDA C++.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#ifdef __CUDACC__
#define GPU_FUNCTION static __device__ __forceinline__
#define GPU_LINK     GPU_FUNCTION
#define GPU_ALIGNED  __align__(16)
#define GPU_UNROLL   _Pragma("unroll")
#define GPU_ROLLED   _Pragma("unroll 1")
#else
#define GPU_FUNCTION static inline __attribute__((unused))
/* One instruction, of which a product has 600: no call without optimisation either. */
#define GPU_LINK     static inline __attribute__((always_inline, unused))
#define GPU_ALIGNED  __attribute__((aligned(16))) /* loads of 16 bytes */
#define GPU_UNROLL
#define GPU_ROLLED
#endif

/* The value before. On the host one thread runs after the other. */
GPU_FUNCTION uint32_t portable_fetch_add(uint32_t *value, uint32_t addend)
{
#ifdef __CUDA_ARCH__
	return atomicAdd(value, addend);
#else
	const uint32_t before = *value;

	*value += addend;
	return before;
#endif
}
