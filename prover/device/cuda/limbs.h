/* SPDX-License-Identifier: MIT */
/*
 * Arithmetic modulo a prime on 32-bit limbs, least significant first; products are Montgomery's
 * with R = 2^(32 count). Values in and out are below the modulus, whose topmost bit is 0: that is
 * what keeps sums of two, and the rows of a product, from running over.
 *
 * A product is kept as two sums, one of the products that begin at even columns and one of those at
 * odd columns. So the low and the high half of a product go to neighbours of the same sum, and each
 * row of products is one unbroken carry chain.
 */
#pragma once

#include "prover/device/cuda/carry.h"

/* The base field's 381 bits in words of 32. */
#define LIMBS_MAX 12

/* Made by a function of constants, so that unrolled code has its limbs as literals. */
struct limbs_modulus {
	uint32_t limbs[LIMBS_MAX];
	uint32_t inverse; /* -1 / modulus modulo 2^32 */
};

/* value -= modulus, unless it is below. */
GPU_FUNCTION void limbs_reduce(uint32_t *value, const struct limbs_modulus *modulus, int count)
{
	struct carry carry = {0};
	uint32_t difference[LIMBS_MAX];
	uint32_t is_below;

	difference[0] = carry_subtract_first(&carry, value[0], modulus->limbs[0]);
	GPU_UNROLL
	for (int i = 1; i < count; i++) {
		difference[i] = carry_subtract(&carry, value[i], modulus->limbs[i]);
	}
	is_below = carry_subtract_last(&carry, 0, 0);
	GPU_UNROLL
	for (int i = 0; i < count; i++) {
		value[i] = is_below ? value[i] : difference[i];
	}
}

GPU_FUNCTION void limbs_add(uint32_t *sum, const uint32_t *a, const uint32_t *b,
	const struct limbs_modulus *modulus, int count)
{
	struct carry carry = {0};

	sum[0] = carry_add_first(&carry, a[0], b[0]);
	GPU_UNROLL
	for (int i = 1; i < count; i++) {
		sum[i] = carry_add(&carry, a[i], b[i]);
	}
	limbs_reduce(sum, modulus, count);
}

GPU_FUNCTION void limbs_subtract(uint32_t *difference, const uint32_t *a, const uint32_t *b,
	const struct limbs_modulus *modulus, int count)
{
	struct carry carry = {0};
	uint32_t mask;

	difference[0] = carry_subtract_first(&carry, a[0], b[0]);
	GPU_UNROLL
	for (int i = 1; i < count; i++) {
		difference[i] = carry_subtract(&carry, a[i], b[i]);
	}
	mask = carry_subtract_last(&carry, 0, 0);
	difference[0] = carry_add_first(&carry, difference[0], modulus->limbs[0] & mask);
	GPU_UNROLL
	for (int i = 1; i < count; i++) {
		difference[i] = carry_add(&carry, difference[i], modulus->limbs[i] & mask);
	}
}

GPU_FUNCTION bool limbs_are_zero(const uint32_t *value, int count)
{
	uint32_t any = 0;

	GPU_UNROLL
	for (int i = 0; i < count; i++) {
		any |= value[i];
	}
	return any == 0;
}

/* sum = every other limb of `a`, from the first, times b. */
GPU_FUNCTION void limbs_set_row(uint32_t *sum, const uint32_t *a, uint32_t b, int count)
{
	GPU_UNROLL
	for (int i = 0; i < count; i += 2) {
		const uint64_t product = (uint64_t)a[i] * b;

		sum[i] = (uint32_t)product;
		sum[i + 1] = (uint32_t)(product >> 32);
	}
}

/* sum += every other limb of `a`, from the first, times b; leaves a carry. */
GPU_FUNCTION void limbs_add_row(
	struct carry *carry, uint32_t *sum, const uint32_t *a, uint32_t b, int count)
{
	sum[0] = carry_low_first(carry, a[0], b, sum[0]);
	sum[1] = carry_high(carry, a[0], b, sum[1]);
	GPU_UNROLL
	for (int i = 2; i < count; i += 2) {
		sum[i] = carry_low(carry, a[i], b, sum[i]);
		sum[i + 1] = carry_high(carry, a[i], b, sum[i + 1]);
	}
}

/* The same with the sum moved down by two limbs first, and a carry taken in. */
GPU_FUNCTION void limbs_shift_add_row(
	struct carry *carry, uint32_t *sum, const uint32_t *a, uint32_t b, int count)
{
	GPU_UNROLL
	for (int i = 0; i < count - 2; i += 2) {
		sum[i] = carry_low(carry, a[i], b, sum[i + 2]);
		sum[i + 1] = carry_high(carry, a[i], b, sum[i + 3]);
	}
	sum[count - 2] = carry_low(carry, a[count - 2], b, 0);
	sum[count - 1] = carry_high_last(carry, a[count - 2], b, 0);
}

/* Adds the multiple of the modulus that makes the lowest column 0. */
GPU_FUNCTION void limbs_cancel(
	uint32_t *even, uint32_t *odd, const struct limbs_modulus *modulus, int count)
{
	const uint32_t factor = even[0] * modulus->inverse;
	struct carry carry = {0};

	limbs_add_row(&carry, odd, modulus->limbs + 1, factor, count);
	limbs_add_row(&carry, even, modulus->limbs, factor, count);
	odd[count - 1] = carry_add_last(&carry, odd[count - 1], 0);
}

/*
 * One more limb of b: both sums move down a column, so the odd one becomes `even` here, and the
 * even one, whose lowest limb is 0, two limbs down, `odd`.
 */
GPU_FUNCTION void limbs_next_row(
	uint32_t *even, uint32_t *odd, const uint32_t *a, uint32_t b, int count)
{
	struct carry carry = {0};

	even[0] = carry_add_first(&carry, even[0], odd[1]);
	limbs_shift_add_row(&carry, odd, a + 1, b, count);
	limbs_add_row(&carry, even, a, b, count);
	odd[count - 1] = carry_add_last(&carry, odd[count - 1], 0);
}

/* product = a * b / R; may be one of them. */
GPU_FUNCTION void limbs_multiply(uint32_t *product, const uint32_t *a, const uint32_t *b,
	const struct limbs_modulus *modulus, int count)
{
	uint32_t even[LIMBS_MAX];
	uint32_t odd[LIMBS_MAX];
	struct carry carry = {0};

	limbs_set_row(odd, a + 1, b[0], count);
	limbs_set_row(even, a, b[0], count);
	limbs_cancel(even, odd, modulus, count);
	limbs_next_row(odd, even, a, b[1], count);
	limbs_cancel(odd, even, modulus, count);
	GPU_UNROLL
	for (int i = 2; i < count; i += 2) {
		limbs_next_row(even, odd, a, b[i], count);
		limbs_cancel(even, odd, modulus, count);
		limbs_next_row(odd, even, a, b[i + 1], count);
		limbs_cancel(odd, even, modulus, count);
	}

	/* The even sum stands one column above the odd one, whose lowest limb is 0. */
	product[0] = carry_add_first(&carry, even[0], odd[1]);
	GPU_UNROLL
	for (int i = 1; i < count - 1; i++) {
		product[i] = carry_add(&carry, even[i], odd[i + 1]);
	}
	product[count - 1] = carry_add_last(&carry, even[count - 1], 0);
	limbs_reduce(product, modulus, count);
}
