/* SPDX-License-Identifier: MIT */
/*
 * Additions, subtractions and multiplications of 32-bit words that are links of a carry chain. On
 * the device each is one PTX instruction and the carry is the machine's flag; on the host the carry
 * is kept in struct carry. A chain begins with a _first; the instructions of one chain must follow
 * each other without another chain in between, which `volatile` keeps so.
 */
#pragma once

#include "prover/device/cuda/portable.h"

struct carry {
	uint32_t bit; /* the carry or the borrow; not used on the device */
};

#ifdef __CUDA_ARCH__

#define CARRY_SUM(name, ptx, portable)                                                             \
	GPU_LINK uint32_t name(struct carry *carry, uint32_t a, uint32_t b)                        \
	{                                                                                          \
		uint32_t out;                                                                      \
                                                                                                   \
		(void)carry;                                                                       \
		asm volatile(ptx " %0, %1, %2;" : "=r"(out) : "r"(a), "r"(b));                     \
		return out;                                                                        \
	}

#define CARRY_PRODUCT(name, ptx, portable)                                                         \
	GPU_LINK uint32_t name(struct carry *carry, uint32_t a, uint32_t b, uint32_t c)            \
	{                                                                                          \
		uint32_t out;                                                                      \
                                                                                                   \
		(void)carry;                                                                       \
		asm volatile(ptx " %0, %1, %2, %3;" : "=r"(out) : "r"(a), "r"(b), "r"(c));         \
		return out;                                                                        \
	}

#else

/* In all of these bit 32 of the result is the carry; of a difference it is the borrow. */
#define CARRY_SUM(name, ptx, portable)                                                             \
	GPU_LINK uint32_t name(struct carry *carry, uint32_t a, uint32_t b)                        \
	{                                                                                          \
		const uint64_t result = (portable);                                                \
                                                                                                   \
		carry->bit = (uint32_t)(result >> 32) & 1;                                         \
		return (uint32_t)result;                                                           \
	}

#define CARRY_PRODUCT(name, ptx, portable)                                                         \
	GPU_LINK uint32_t name(struct carry *carry, uint32_t a, uint32_t b, uint32_t c)            \
	{                                                                                          \
		const uint64_t product = (uint64_t)a * b;                                          \
		const uint64_t result = (portable);                                                \
                                                                                                   \
		carry->bit = (uint32_t)(result >> 32) & 1;                                         \
		return (uint32_t)result;                                                           \
	}

#endif

CARRY_SUM(carry_add_first, "add.cc.u32", (uint64_t)a + b)
CARRY_SUM(carry_add, "addc.cc.u32", (uint64_t)a + b + carry->bit)
CARRY_SUM(carry_add_last, "addc.u32", (uint64_t)a + b + carry->bit)
CARRY_SUM(carry_subtract_first, "sub.cc.u32", (uint64_t)a - b)
CARRY_SUM(carry_subtract, "subc.cc.u32", (uint64_t)a - b - carry->bit)
CARRY_SUM(carry_subtract_last, "subc.u32", (uint64_t)a - b - carry->bit)

/* The lower or the upper half of a * b, plus c. */
CARRY_PRODUCT(carry_low_first, "mad.lo.cc.u32", (product & UINT32_MAX) + c)
CARRY_PRODUCT(carry_low, "madc.lo.cc.u32", (product & UINT32_MAX) + c + carry->bit)
CARRY_PRODUCT(carry_high, "madc.hi.cc.u32", (product >> 32) + c + carry->bit)
CARRY_PRODUCT(carry_high_last, "madc.hi.u32", (product >> 32) + c + carry->bit)

#undef CARRY_SUM
#undef CARRY_PRODUCT
