/* SPDX-License-Identifier: MIT */
/*
 * Signed digits of scalars, d with -half <= d <= half for half = 2^(window_bits - 1), so that there
 * are half as many buckets as digits. A bias of `half` at every place but the topmost is added to
 * the scalar once; its plain digits less `half` are then the signed ones, each on its own, with no
 * carry to hand on. The topmost window has room for the last carry: it is the one that holds bit
 * `bit_count`.
 */
#pragma once

#include "prover/device/cuda/portable.h"

/* A window's digit has a sign and must fit 16 bits, as on the CPU. */
#define DIGITS_LIMBS           8
#define DIGITS_WINDOW_BITS_MAX 16u

struct digits {
	uint32_t bias[DIGITS_LIMBS];
	uint32_t word_count;  /* of a scalar in memory, little endian, densely packed */
	uint32_t window_bits; /* 2 or more */
	uint32_t window_count;
};

/* On the host, to be handed to kernels: of scalars of at most `bit_count` bits, 64 or 255. */
static inline struct digits digits_make(uint32_t bit_count, uint32_t window_bits)
{
	struct digits digits = {{0}, 0, 0, 0};

	digits.word_count = (bit_count + 31) / 32;
	digits.window_bits = window_bits;
	digits.window_count = bit_count / window_bits + 1;
	for (uint32_t i = 0; i + 1 < digits.window_count; i++) {
		const uint32_t bit = i * window_bits + window_bits - 1;

		digits.bias[bit / 32] |= 1u << bit % 32;
	}
	return digits;
}

/* The biased scalar number `index`. */
GPU_FUNCTION void digits_load(
	const struct digits *digits, const uint32_t *scalars, uint32_t index, uint32_t *out_limbs)
{
	const uint32_t *words = scalars + (uint64_t)index * digits->word_count;
	uint64_t sum = 0;

	GPU_UNROLL
	for (uint32_t i = 0; i < DIGITS_LIMBS; i++) {
		sum += (uint64_t)digits->bias[i] + (i < digits->word_count ? words[i] : 0);
		out_limbs[i] = (uint32_t)sum;
		sum >>= 32;
	}
}

/* The signed digit of a biased scalar in that window. */
GPU_FUNCTION int32_t digits_get(const struct digits *digits, const uint32_t *limbs, uint32_t window)
{
	const uint32_t first_bit = window * digits->window_bits;
	const uint32_t first_limb = first_bit / 32;
	uint64_t pair = 0;
	int32_t digit;

	/* Not limbs[first_limb]: what is indexed by a variable cannot be in registers. */
	GPU_UNROLL
	for (uint32_t i = 0; i < DIGITS_LIMBS; i++) {
		pair |= i == first_limb ? limbs[i] : 0;
		pair |= i == first_limb + 1 ? (uint64_t)limbs[i] << 32 : 0;
	}
	digit = (int32_t)(uint32_t)((pair >> first_bit % 32) & ((1u << digits->window_bits) - 1));
	return window + 1 == digits->window_count ? digit
						  : digit - (1 << (digits->window_bits - 1));
}
