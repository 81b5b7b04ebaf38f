/* SPDX-License-Identifier: MIT */
#include "prover/groth16/msm_window.h"

#include "prover/groth16/affine_buckets.h"
#include "prover/groth16/secret.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void msm_buckets_finish(struct msm_buckets *buckets)
{
	secret_destroy(buckets->memory);
	*buckets = (struct msm_buckets){0};
}

static enum status buckets_reserve(struct msm_buckets *buckets, size_t bytes)
{
	/* Kept from tile to tile and grown to the largest: tiles of one thread follow one
	 * another. */
	if (buckets->bytes >= bytes) {
		return STATUS_OK;
	}
	msm_buckets_finish(buckets);
	buckets->memory = secret_create(1, bytes);
	if (!buckets->memory) {
		return STATUS_NO_MEMORY;
	}
	buckets->bytes = bytes;
	return STATUS_OK;
}

uint32_t msm_window_scalar_bytes(uint32_t scalar_bits)
{
	return (scalar_bits + 7) / 8;
}

int32_t msm_window_digit(const struct msm_window *window, uint32_t i)
{
	uint32_t scalar_bytes = msm_window_scalar_bytes(window->scalar_bits);
	uint32_t bits = window->scalar_bits - window->first_bit;
	uint32_t low_bit = window->first_bit == 0 ? 0 : window->first_bit - 1;
	uint32_t first_byte = low_bit / 8;
	uint32_t byte_count = scalar_bytes - first_byte < 4 ? scalar_bytes - first_byte : 4;
	uint32_t word = 0;
	bool is_top = bits < window->window_bits;

	if (!is_top) {
		bits = window->window_bits;
	}
	/* Bits first_bit - 1 .. first_bit + bits - 1; below bit 0 there is a zero. */
	memcpy(&word, window->scalars + (size_t)i * scalar_bytes + first_byte, byte_count);
	word >>= low_bit % 8;
	if (window->first_bit == 0) {
		word <<= 1;
	}
	word &= (2u << bits) - 1;
	/* The lowest bit is the carry from the window below, which made that one's digit negative;
	 * the highest makes this one negative. The topmost window is wide enough to need no carry.
	 */
	return (int32_t)((word + 1) >> 1) - (is_top ? 0 : (int32_t)(word >> bits << bits));
}

static const void *point_at(const struct msm_window *window, uint32_t i)
{
	return (const uint8_t *)window->points +
	       window->indices[i] * curve_affine_bytes(window->group);
}

static void sum_few(const struct msm_window *window, struct curve_point *out_sum)
{
	struct curve_point buckets[1u << (MSM_WINDOW_FEW_BITS_MAX - 1)];
	struct curve_point running;
	uint32_t bucket_count = 1u << (window->window_bits - 1);

	assert(window->window_bits <= MSM_WINDOW_FEW_BITS_MAX);

	for (uint32_t i = 0; i < bucket_count; i++) {
		curve_set_infinity(&buckets[i], window->group);
	}
	for (uint32_t i = 0; i < window->count; i++) {
		int32_t digit = msm_window_digit(window, i);

		if (digit != 0) {
			curve_add_affine(&buckets[abs(digit) - 1], point_at(window, i), digit < 0);
		}
	}
	curve_set_infinity(out_sum, window->group);
	curve_set_infinity(&running, window->group);
	/* Sums from the top: bucket i is in the running sum i times, once for each step down. */
	for (uint32_t i = bucket_count; i > 0; i--) {
		curve_add(&running, &buckets[i - 1]);
		curve_add(out_sum, &running);
	}
	explicit_bzero(buckets, sizeof(buckets));
	explicit_bzero(&running, sizeof(running));
}

enum status msm_window_sum(
	const struct msm_window *window, struct msm_buckets *buckets, struct curve_point *out_sum)
{
	enum status status;

	assert(window->window_bits >= MSM_WINDOW_BITS_MIN);
	assert(window->window_bits <= MSM_WINDOW_BITS_MAX);
	assert(window->first_bit <= window->scalar_bits);

	/* Of few points a shared inversion costs more than it saves. */
	if (window->count < MSM_WINDOW_FEW_POINTS) {
		sum_few(window, out_sum);
		return STATUS_OK;
	}
	status = buckets_reserve(
		buckets, affine_buckets_bytes(window->group, window->count, window->window_bits));
	if (status == STATUS_OK) {
		affine_buckets_sum(window, true, buckets->memory, out_sum);
	}
	return status;
}

enum status msm_window_add(const struct msm_window *window, uint32_t negated_from,
	struct msm_buckets *buckets, struct curve_point *out_sum)
{
	enum status status =
		buckets_reserve(buckets, affine_buckets_bytes(window->group, window->count, 1));

	if (status == STATUS_OK) {
		affine_buckets_add(window, negated_from, true, buckets->memory, out_sum);
	}
	return status;
}
