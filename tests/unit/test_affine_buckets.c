/* SPDX-License-Identifier: MIT */
/*
 * Proves that sums of affine pairs and of windows are right with and without vectors, on points
 * that repeat, cancel, double and vanish.
 */
#include "prover/groth16/affine_batch.h"
#include "prover/groth16/affine_buckets.h"
#include "prover/groth16/secret.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum {
	POINTS = 600,
	SCALAR_BYTES = 32
};

static uint64_t random_word(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* `factor` times the generator, infinity for 0. */
static void set_affine(enum curve_group group, void *affine, uint64_t factor, bool is_negated)
{
	uint64_t words[4] = {factor};
	blst_scalar scalar;

	memset(affine, 0, curve_affine_bytes(group));
	if (factor == 0) {
		return;
	}
	blst_scalar_from_uint64(&scalar, words);
	if (group == CURVE_G1) {
		blst_p1 point;

		blst_p1_mult(&point, blst_p1_generator(), scalar.b, 64);
		blst_p1_cneg(&point, is_negated);
		blst_p1_to_affine(affine, &point);
	} else {
		blst_p2 point;

		blst_p2_mult(&point, blst_p2_generator(), scalar.b, 64);
		blst_p2_cneg(&point, is_negated);
		blst_p2_to_affine(affine, &point);
	}
}

static void to_affine(const struct curve_point *point, void *affine)
{
	memset(affine, 0, curve_affine_bytes(point->group));
	if (curve_is_infinity(point)) {
		return;
	}
	if (point->group == CURVE_G1) {
		blst_p1_to_affine(affine, &point->g1);
	} else {
		blst_p2_to_affine(affine, &point->g2);
	}
}

/* Every kind of pair among ordinary ones; `count` of them, so that vectors have a remainder. */
static void check_pairs(enum curve_group group, bool may_use_vectors, uint32_t count)
{
	size_t bytes = curve_affine_bytes(group);
	uint8_t *left = malloc(count * bytes);
	uint8_t *right = malloc(count * bytes);
	uint8_t *sums = malloc(count * bytes);
	struct affine_batch *batch = secret_create(1, sizeof(*batch));
	uint64_t random = 1234567 + count;

	assert_true(left && right && sums && batch);
	affine_batch_init(batch, group, may_use_vectors);
	for (uint32_t i = 0; i < count; i++) {
		uint64_t kind = random_word(&random) % 8;
		uint64_t factor = random_word(&random);
		struct affine_pair pair = {.left = left + i * bytes,
			.right = right + i * bytes,
			.sum = sums + i * bytes,
			.is_left_negated = random_word(&random) % 2,
			.is_right_negated = random_word(&random) % 2};

		set_affine(group, left + i * bytes, kind == 0 ? 0 : factor, false);
		set_affine(group, right + i * bytes,
			kind == 1 || kind == 0   ? random_word(&random) % 2
			: kind == 2 || kind == 3 ? factor
						 : random_word(&random),
			kind == 3);
		affine_batch_push(batch, &pair);
	}
	affine_batch_flush(batch);

	random = 1234567 + count;
	for (uint32_t i = 0; i < count; i++) {
		struct curve_point expected;
		uint8_t affine[sizeof(blst_p2_affine)];
		uint64_t kind = random_word(&random) % 8;
		bool is_left_negated;
		bool is_right_negated;

		(void)random_word(&random);
		is_left_negated = random_word(&random) % 2;
		is_right_negated = random_word(&random) % 2;
		if (kind < 2 || kind > 3) {
			(void)random_word(&random);
		}
		curve_set_infinity(&expected, group);
		if (!curve_affine_is_infinity(group, left + i * bytes)) {
			curve_add_affine(&expected, left + i * bytes, is_left_negated);
		}
		if (!curve_affine_is_infinity(group, right + i * bytes)) {
			curve_add_affine(&expected, right + i * bytes, is_right_negated);
		}
		to_affine(&expected, affine);
		assert_memory_equal(sums + i * bytes, affine, bytes);
	}
	free(left);
	free(right);
	free(sums);
	secret_destroy(batch);
}

static void pairs_of_every_kind_are_added(void **state)
{
	static const uint32_t counts[] = {1, 7, 8, 9, 63, 300, AFFINE_BATCH_PAIRS_MAX + 200};

	(void)state;
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		check_pairs(CURVE_G1, true, counts[i]);
		check_pairs(CURVE_G1, false, counts[i]);
	}
	check_pairs(CURVE_G2, true, 300);
}

/* 2^k P + 2^k P and on: every sum is a doubling, more of them than wait in one batch. */
static void a_batch_of_doublings_is_right(void **state)
{
	struct affine_batch *batch = secret_create(1, sizeof(*batch));
	blst_p1_affine points[200];
	blst_p1_affine sums[200];

	(void)state;
	assert_non_null(batch);
	affine_batch_init(batch, CURVE_G1, true);
	for (uint32_t i = 0; i < 200; i++) {
		set_affine(CURVE_G1, &points[i], i + 1, false);
		affine_batch_push(
			batch, &(struct affine_pair){
				       .left = &points[i], .right = &points[i], .sum = &sums[i]});
	}
	affine_batch_flush(batch);
	for (uint32_t i = 0; i < 200; i++) {
		blst_p1_affine expected;

		set_affine(CURVE_G1, &expected, 2 * (i + 1), false);
		assert_memory_equal(&sums[i], &expected, sizeof(expected));
	}
	secret_destroy(batch);
}

/* Where the sum replaces one of its own inputs, as running sums do. */
static void sums_may_replace_their_inputs(void **state)
{
	struct affine_batch *batch = secret_create(1, sizeof(*batch));
	blst_p1_affine points[40];
	blst_p1_affine step;

	(void)state;
	assert_non_null(batch);
	affine_batch_init(batch, CURVE_G1, true);
	set_affine(CURVE_G1, &step, 1000, false);
	for (uint32_t i = 0; i < 40; i++) {
		set_affine(CURVE_G1, &points[i], i + 1, false);
		affine_batch_push(
			batch, &(struct affine_pair){
				       .left = &points[i], .right = &step, .sum = &points[i]});
	}
	affine_batch_flush(batch);
	for (uint32_t i = 0; i < 40; i++) {
		blst_p1_affine expected;

		set_affine(CURVE_G1, &expected, i + 1001, false);
		assert_memory_equal(&points[i], &expected, sizeof(expected));
	}
	secret_destroy(batch);
}

/* Sum of digit * point by double-and-add. */
static void naive_window(const struct msm_window *window, struct curve_point *out_sum)
{
	size_t bytes = curve_affine_bytes(window->group);

	curve_set_infinity(out_sum, window->group);
	for (uint32_t i = 0; i < window->count; i++) {
		int32_t digit = msm_window_digit(window, i);
		struct curve_point product;

		curve_set_infinity(&product, window->group);
		for (uint32_t bit = 17; bit > 0; bit--) {
			curve_double(&product, 1);
			if ((abs(digit) >> (bit - 1)) & 1) {
				curve_add_affine(&product,
					(const uint8_t *)window->points +
						window->indices[i] * bytes,
					digit < 0);
			}
		}
		curve_add(out_sum, &product);
	}
}

static void check_window(const struct msm_window *window)
{
	uint64_t bytes = affine_buckets_bytes(window->group, window->count, window->window_bits);
	void *memory = secret_create(1, bytes);
	struct curve_point expected;
	struct curve_point sum;

	assert_non_null(memory);
	naive_window(window, &expected);
	for (int may_use_vectors = 0; may_use_vectors < 2; may_use_vectors++) {
		memset(memory, 0xaa, bytes);
		affine_buckets_sum(window, may_use_vectors != 0, memory, &sum);
		assert_true(window->group == CURVE_G1 ? blst_p1_is_equal(&sum.g1, &expected.g1)
						      : blst_p2_is_equal(&sum.g2, &expected.g2));
	}
	secret_destroy(memory);
}

/* `spread`: how many different points there are, so that few mean many equal and opposite ones. */
static void check_windows(enum curve_group group, uint32_t spread, uint8_t scalar_mask)
{
	size_t bytes = curve_affine_bytes(group);
	uint8_t *points = malloc(POINTS * bytes);
	uint8_t *scalars = malloc(POINTS * SCALAR_BYTES);
	uint32_t indices[POINTS];
	uint64_t random = 7 + spread;
	struct msm_window window = {.group = group,
		.points = points,
		.indices = indices,
		.scalars = scalars,
		.count = POINTS,
		.scalar_bits = 255};

	assert_true(points && scalars);
	for (uint32_t i = 0; i < POINTS; i++) {
		set_affine(group, points + i * bytes, 1 + random_word(&random) % spread,
			random_word(&random) % 2);
		indices[i] = POINTS - 1 - i;
	}
	for (size_t i = 0; i < POINTS * SCALAR_BYTES; i++) {
		scalars[i] = (uint8_t)(random_word(&random) & scalar_mask);
		scalars[i] &= i % SCALAR_BYTES == SCALAR_BYTES - 1 ? 0x7f : 0xff;
	}
	for (uint32_t bits = 2; bits <= 13; bits += group == CURVE_G1 ? 1 : 5) {
		window.window_bits = bits;
		window.first_bit = 0;
		check_window(&window);
		window.first_bit = 3 * bits;
		check_window(&window);
		window.first_bit = 255 / bits * bits; /* the topmost */
		check_window(&window);
	}
	free(points);
	free(scalars);
}

static void windows_over_many_points_are_right(void **state)
{
	(void)state;
	check_windows(CURVE_G1, UINT32_MAX, 0xff);
	check_windows(CURVE_G2, UINT32_MAX, 0xff);
}

static void windows_over_few_different_points_are_right(void **state)
{
	(void)state;
	check_windows(CURVE_G1, 1, 0xff);
	check_windows(CURVE_G1, 3, 0xff);
	check_windows(CURVE_G2, 2, 0xff);
}

/* All in a few buckets, as with small or equal scalars. */
static void crowded_buckets_are_right(void **state)
{
	(void)state;
	check_windows(CURVE_G1, UINT32_MAX, 0x11);
	check_windows(CURVE_G1, 5, 0x80);
	check_windows(CURVE_G1, UINT32_MAX, 0x00);
}

/* More points than a group holds, in one bucket and in many: buckets are cut between groups. */
static void buckets_cut_between_groups_are_right(void **state)
{
	enum {
		COUNT = 20000
	};
	blst_p1_affine *points = malloc(COUNT * sizeof(*points));
	uint8_t *scalars = calloc(COUNT, SCALAR_BYTES);
	uint32_t *indices = malloc(COUNT * sizeof(*indices));
	uint64_t random = 5;
	struct msm_window window = {.group = CURVE_G1,
		.points = points,
		.indices = indices,
		.scalars = scalars,
		.count = COUNT,
		.scalar_bits = 255,
		.window_bits = 4};

	(void)state;
	assert_true(points && scalars && indices);
	for (uint32_t i = 0; i < COUNT; i++) {
		if (i < 64) {
			set_affine(CURVE_G1, &points[i], random_word(&random), false);
		}
		indices[i] = i % 64;
		scalars[(size_t)i * SCALAR_BYTES] = 3;
	}
	check_window(&window);
	for (uint32_t i = 0; i < COUNT; i++) {
		scalars[(size_t)i * SCALAR_BYTES] = (uint8_t)random_word(&random);
	}
	check_window(&window);
	free(points);
	free(scalars);
	free(indices);
}

/* A sum without scalars, the last points negative: with and without vectors, of any number. */
static void plain_sums_are_right(void **state)
{
	static const uint32_t counts[] = {1, 2, 3, 40, 999};
	blst_p1_affine points[POINTS];
	uint32_t indices[1000];
	uint64_t random = 31;

	(void)state;
	for (uint32_t i = 0; i < POINTS; i++) {
		set_affine(CURVE_G1, &points[i], random_word(&random) % 400 + 1, false);
	}
	for (uint32_t i = 0; i < 1000; i++) {
		indices[i] = i % POINTS;
	}
	for (size_t k = 0; k < 2 * sizeof(counts) / sizeof(counts[0]); k++) {
		struct msm_window window = {.group = CURVE_G1,
			.points = points,
			.indices = indices,
			.count = counts[k / 2]};
		uint32_t negated_from = window.count / 3;
		uint64_t bytes = affine_buckets_bytes(CURVE_G1, window.count, 1);
		void *memory = secret_create(1, bytes);
		struct curve_point expected;
		struct curve_point sum;

		assert_non_null(memory);
		memset(memory, 0xaa, bytes);
		curve_set_infinity(&expected, CURVE_G1);
		for (uint32_t i = 0; i < window.count; i++) {
			curve_add_affine(&expected, &points[indices[i]], i >= negated_from);
		}
		affine_buckets_add(&window, negated_from, k % 2 == 1, memory, &sum);
		assert_true(blst_p1_is_equal(&sum.g1, &expected.g1));
		secret_destroy(memory);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pairs_of_every_kind_are_added),
		cmocka_unit_test(a_batch_of_doublings_is_right),
		cmocka_unit_test(sums_may_replace_their_inputs),
		cmocka_unit_test(windows_over_many_points_are_right),
		cmocka_unit_test(windows_over_few_different_points_are_right),
		cmocka_unit_test(crowded_buckets_are_right),
		cmocka_unit_test(buckets_cut_between_groups_are_right),
		cmocka_unit_test(plain_sums_are_right),
	};
	if (!affine_vector_is_supported()) {
		print_message("no vectors on this processor: they are not tested here\n");
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
