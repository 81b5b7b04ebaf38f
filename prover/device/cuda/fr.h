/* SPDX-License-Identifier: MIT */
/* The scalar field of BLS12-381 in 8 limbs: in memory the same bytes as a blst_fr. */
#pragma once

#include "prover/device/cuda/limbs.h"

#define FR_LIMBS 8

struct GPU_ALIGNED fr {
	uint32_t limbs[FR_LIMBS];
};

GPU_FUNCTION struct limbs_modulus fr_modulus(void)
{
	const struct limbs_modulus modulus = {
		{0x00000001, 0xffffffff, 0xfffe5bfe, 0x53bda402, 0x09a1d805, 0x3339d808, 0x299d7d48,
			0x73eda753, 0, 0, 0, 0},
		0xffffffff};

	return modulus;
}

GPU_FUNCTION struct fr fr_zero(void)
{
	const struct fr zero = {{0}};

	return zero;
}

GPU_FUNCTION struct fr fr_add(const struct fr *a, const struct fr *b)
{
	const struct limbs_modulus modulus = fr_modulus();
	struct fr sum;

	limbs_add(sum.limbs, a->limbs, b->limbs, &modulus, FR_LIMBS);
	return sum;
}

GPU_FUNCTION struct fr fr_subtract(const struct fr *a, const struct fr *b)
{
	const struct limbs_modulus modulus = fr_modulus();
	struct fr difference;

	limbs_subtract(difference.limbs, a->limbs, b->limbs, &modulus, FR_LIMBS);
	return difference;
}

GPU_FUNCTION struct fr fr_multiply(const struct fr *a, const struct fr *b)
{
	const struct limbs_modulus modulus = fr_modulus();
	struct fr product;

	limbs_multiply(product.limbs, a->limbs, b->limbs, &modulus, FR_LIMBS);
	return product;
}

/* The canonical limbs of a value in Montgomery form. */
GPU_FUNCTION struct fr fr_canonical(const struct fr *a)
{
	const struct fr canonical_one = {{1, 0, 0, 0, 0, 0, 0, 0}};

	return fr_multiply(a, &canonical_one);
}
