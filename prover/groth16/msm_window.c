/* SPDX-License-Identifier: MIT */
#include "prover/groth16/msm_window.h"

#include "prover/groth16/secret.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void msm_buckets_finish(struct msm_buckets *buckets)
{
	free(buckets->memory);
	*buckets = (struct msm_buckets){0};
}

/* Makes room for `bytes` of zeros. They hold points only within a call, so nothing is wiped. */
static enum status buckets_reserve(struct msm_buckets *buckets, size_t bytes)
{
	if (buckets->bytes >= bytes) {
		return STATUS_OK;
	}
	msm_buckets_finish(buckets);
	buckets->memory = calloc(1, bytes);
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
	for (uint32_t i = bucket_count; i > 0; i--) {
		curve_add(&running, &buckets[i - 1]);
		curve_add(out_sum, &running);
	}
	explicit_bzero(buckets, sizeof(buckets));
	explicit_bzero(&running, sizeof(running));
}

/* A bucket is X, Y, ZZ and ZZZ. */
static size_t buckets_bytes(enum curve_group group, uint32_t window_bits)
{
	return 2 * curve_affine_bytes(group) << (window_bits - 1);
}

/* blst takes addresses of points, or one address of points in a row. */
static enum status sum_by_blst(
	const struct msm_window *window, struct msm_buckets *buckets, struct curve_point *out_sum)
{
	const uint8_t *scalars[] = {window->scalars, NULL};
	const void *in_a_row[] = {point_at(window, 0), NULL};
	AUTO(secret_destroy) const void **points = NULL;
	enum status status =
		buckets_reserve(buckets, buckets_bytes(window->group, window->window_bits));
	uint32_t span = window->indices[window->count - 1] - window->indices[0];

	if (status != STATUS_OK) {
		return status;
	}
	if (span + 1 != window->count) {
		points = secret_create(window->count, sizeof(points[0]));
		if (!points) {
			return STATUS_NO_MEMORY;
		}
		for (uint32_t i = 0; i < window->count; i++) {
			points[i] = point_at(window, i);
		}
	}
	if (window->group == CURVE_G1) {
		blst_p1s_tile_pippenger(&out_sum->g1,
			(const blst_p1_affine *const *)(points ? points : in_a_row), window->count,
			scalars, window->scalar_bits, buckets->memory, window->first_bit,
			window->window_bits);
	} else {
		blst_p2s_tile_pippenger(&out_sum->g2,
			(const blst_p2_affine *const *)(points ? points : in_a_row), window->count,
			scalars, window->scalar_bits, buckets->memory, window->first_bit,
			window->window_bits);
	}
	return STATUS_OK;
}

enum status msm_window_sum(
	const struct msm_window *window, struct msm_buckets *buckets, struct curve_point *out_sum)
{
	assert(window->window_bits >= MSM_WINDOW_BITS_MIN);
	assert(window->window_bits <= MSM_WINDOW_BITS_MAX);
	assert(window->first_bit <= window->scalar_bits);

	curve_set_infinity(out_sum, window->group);
	if (window->count < MSM_WINDOW_FEW_POINTS) {
		sum_few(window, out_sum);
		return STATUS_OK;
	}
	return sum_by_blst(window, buckets, out_sum);
}

uint64_t msm_window_bytes(enum curve_group group, uint32_t point_count, uint32_t window_bits)
{
	return buckets_bytes(group, window_bits) + point_count * sizeof(void *);
}
