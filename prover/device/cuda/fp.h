/* SPDX-License-Identifier: MIT */
/* The base field of BLS12-381 in 12 limbs: in memory the same bytes as a blst_fp. */
#pragma once

#include "prover/device/cuda/limbs.h"

#define FP_LIMBS 12

struct GPU_ALIGNED fp {
	uint32_t limbs[FP_LIMBS];
};

GPU_FUNCTION struct limbs_modulus fp_modulus(void)
{
	const struct limbs_modulus modulus = {
		{0xffffaaab, 0xb9feffff, 0xb153ffff, 0x1eabfffe, 0xf6b0f624, 0x6730d2a0, 0xf38512bf,
			0x64774b84, 0x434bacd7, 0x4b1ba7b6, 0x397fe69a, 0x1a0111ea},
		0xfffcfffd};

	return modulus;
}

GPU_FUNCTION struct fp fp_zero(void)
{
	const struct fp zero = {{0}};

	return zero;
}

/* 2^384 */
GPU_FUNCTION struct fp fp_one(void)
{
	const struct fp one = {
		{0x0002fffd, 0x76090000, 0xc40c0002, 0xebf4000b, 0x53c758ba, 0x5f489857, 0x70525745,
			0x77ce5853, 0xa256ec6d, 0x5c071a97, 0xfa80e493, 0x15f65ec3}};

	return one;
}

GPU_FUNCTION bool fp_is_zero(const struct fp *value)
{
	return limbs_are_zero(value->limbs, FP_LIMBS);
}

GPU_FUNCTION struct fp fp_add(const struct fp *a, const struct fp *b)
{
	const struct limbs_modulus modulus = fp_modulus();
	struct fp sum;

	limbs_add(sum.limbs, a->limbs, b->limbs, &modulus, FP_LIMBS);
	return sum;
}

GPU_FUNCTION struct fp fp_subtract(const struct fp *a, const struct fp *b)
{
	const struct limbs_modulus modulus = fp_modulus();
	struct fp difference;

	limbs_subtract(difference.limbs, a->limbs, b->limbs, &modulus, FP_LIMBS);
	return difference;
}

GPU_FUNCTION struct fp fp_negate(const struct fp *a)
{
	const struct fp zero = fp_zero();

	return fp_subtract(&zero, a);
}

GPU_FUNCTION struct fp fp_multiply(const struct fp *a, const struct fp *b)
{
	const struct limbs_modulus modulus = fp_modulus();
	struct fp product;

	limbs_multiply(product.limbs, a->limbs, b->limbs, &modulus, FP_LIMBS);
	return product;
}

GPU_FUNCTION struct fp fp_square(const struct fp *a)
{
	return fp_multiply(a, a);
}
