/* SPDX-License-Identifier: MIT */
/*
 * A vector from its values on a domain of n = 2^log2 to those on the odd coset, as groth16/ntt.h
 * has it: the inverse transform from natural to bit-reversed order, the coset factors, the forward
 * transform back. A pass does one to three levels: a thread takes eight elements that are mixed
 * with each other only, and mixes them in its registers.
 */
#pragma once

#include "prover/device/cuda/fr.h"

/* 2^3 elements of 8 words are what a thread has registers for. */
#define TRANSFORM_LEVELS_MAX   3
#define TRANSFORM_ELEMENTS_MAX 8

/* Powers come as products of one from a lower table of 2^10 and one from an upper table. */
#define TRANSFORM_LOW_LOG2  10u
#define TRANSFORM_LOW_COUNT (1u << TRANSFORM_LOW_LOG2)

/* base^j is low[j % 2^10] * high[j / 2^10]. */
struct transform_powers {
	const struct fr *low;
	const struct fr *high;
};

struct transform {
	uint32_t log2;
	/* w^j, j <= n / 2, w the n-th root: the twiddles of every level are among them. */
	const struct fr *roots;
	struct transform_powers coset; /* g^j / n; g the primitive root of the double domain */
};

/* Levels of a pass: butterflies of half-size 2^top and `level_count` - 1 narrower kinds. */
struct transform_pass {
	uint32_t top;
	int level_count;
};

GPU_FUNCTION uint32_t transform_threads(const struct transform *transform, int level_count)
{
	return 1u << (transform->log2 - (uint32_t)level_count);
}

GPU_FUNCTION struct fr transform_power(const struct transform_powers *powers, uint32_t exponent)
{
	return fr_multiply(&powers->low[exponent % TRANSFORM_LOW_COUNT],
		&powers->high[exponent / TRANSFORM_LOW_COUNT]);
}

/* A thread for each j <= n / 2: makes the table of roots. */
GPU_FUNCTION void transform_fill_roots(
	uint32_t thread, uint32_t log2, const struct transform_powers *powers, struct fr *roots)
{
	if (thread <= (1u << log2) / 2) {
		roots[thread] = transform_power(powers, thread);
	}
}

/*
 * A butterfly. The root's inverse is not in the table: w^-j = -w^(n/2 - j), and the sign goes into
 * the difference.
 */
GPU_FUNCTION void transform_mix(struct fr *low, struct fr *high, const struct transform *transform,
	uint32_t exponent, bool is_inverse)
{
	struct fr product;

	if (is_inverse) {
		const struct fr difference = fr_subtract(high, low);

		*low = fr_add(low, high);
		*high = fr_multiply(
			&difference, &transform->roots[(1u << transform->log2) / 2 - exponent]);
		return;
	}
	product = fr_multiply(high, &transform->roots[exponent]);
	*high = fr_subtract(low, &product);
	*low = fr_add(low, &product);
}

/* Level `top` - `step` on a thread's elements, which lie 2^stride_log2 apart from `offset` on. */
GPU_FUNCTION void transform_level(struct fr *values, const struct transform *transform,
	struct transform_pass pass, int step, uint32_t offset, bool is_inverse)
{
	const int half = 1 << (pass.level_count - 1 - step);
	const uint32_t stride_log2 = pass.top + 1 - (uint32_t)pass.level_count;
	const uint32_t shift = transform->log2 - 1 - (pass.top - (uint32_t)step);

	GPU_UNROLL
	for (int k = 0; k < half; k++) {
		const uint32_t exponent = (offset + ((uint32_t)k << stride_log2)) << shift;

		GPU_UNROLL
		for (int i = k; i < 1 << pass.level_count; i += 2 * half) {
			transform_mix(
				&values[i], &values[i + half], transform, exponent, is_inverse);
		}
	}
}

/* transform_threads() threads; level_count and is_inverse are literals where this is called. */
GPU_FUNCTION void transform_run_pass(uint32_t thread, const struct transform *transform,
	struct transform_pass pass, bool is_inverse, struct fr *vector)
{
	const uint32_t stride_log2 = pass.top + 1 - (uint32_t)pass.level_count;
	const uint32_t offset = thread & ((1u << stride_log2) - 1);
	const uint32_t first = (thread >> stride_log2 << (pass.top + 1)) + offset;
	struct fr values[TRANSFORM_ELEMENTS_MAX];

	if (thread >= transform_threads(transform, pass.level_count)) {
		return;
	}
	GPU_UNROLL
	for (int i = 0; i < 1 << pass.level_count; i++) {
		values[i] = vector[first + ((uint32_t)i << stride_log2)];
	}
	GPU_UNROLL
	for (int i = 0; i < pass.level_count; i++) {
		/* Inverse from the widest butterflies, forward from the narrowest. */
		transform_level(values, transform, pass, is_inverse ? i : pass.level_count - 1 - i,
			offset, is_inverse);
	}
	GPU_UNROLL
	for (int i = 0; i < 1 << pass.level_count; i++) {
		vector[first + ((uint32_t)i << stride_log2)] = values[i];
	}
}

GPU_FUNCTION uint32_t transform_reverse_bits(uint32_t value, uint32_t bit_count)
{
#ifdef __CUDA_ARCH__
	return bit_count ? __brev(value) >> (32 - bit_count) : 0;
#else
	uint32_t reversed = 0;

	for (uint32_t i = 0; i < bit_count; i++) {
		reversed = reversed << 1 | (value >> i & 1);
	}
	return reversed;
#endif
}

/* A thread for each element, between the two transforms. */
GPU_FUNCTION void transform_scale(
	uint32_t thread, const struct transform *transform, struct fr *vector)
{
	const uint32_t exponent = transform_reverse_bits(thread, transform->log2);
	struct fr factor;

	if (thread < 1u << transform->log2) {
		factor = transform_power(&transform->coset, exponent);
		vector[thread] = fr_multiply(&vector[thread], &factor);
	}
}

/* A thread for each element: c = a * b - c, as canonical limbs. */
GPU_FUNCTION void transform_quotient(
	uint32_t thread, uint32_t count, const struct fr *a, const struct fr *b, struct fr *c)
{
	struct fr value;

	if (thread < count) {
		value = fr_multiply(&a[thread], &b[thread]);
		value = fr_subtract(&value, &c[thread]);
		c[thread] = fr_canonical(&value);
	}
}

/* A thread for each element: c = a * b. */
GPU_FUNCTION void transform_product(
	uint32_t thread, uint32_t count, const struct fr *a, const struct fr *b, struct fr *c)
{
	if (thread < count) {
		c[thread] = fr_multiply(&a[thread], &b[thread]);
	}
}
