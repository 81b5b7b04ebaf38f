/* SPDX-License-Identifier: MIT */
/* Proves that every sum is what double-and-add gives, on the points and scalars that break tricks.
 */
#include "prover/groth16/field.h"
#include "prover/groth16/msm.h"
#include "prover/groth16/work_pool.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum {
	POINTS_MAX = 3000
};

/* Which points a case is made of. */
enum point_kind {
	SPREAD,
	REPEATED,
	OPPOSITE,
	PROGRESSION,
	WITH_INFINITIES,
	POINT_KIND_COUNT
};

struct problem {
	struct msm_query query;
	uint8_t *points;
	uint32_t *wires;
	blst_scalar *scalars; /* by wire, of which there are twice as many as points */
	uint8_t *classes;
};

static uint64_t random_word(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static void set_multiple(struct problem *problem, uint32_t i, uint64_t factor, bool is_negative)
{
	enum curve_group group = problem->query.group;
	void *affine = problem->points + i * curve_affine_bytes(group);
	uint64_t words[4] = {factor};
	blst_scalar scalar;

	blst_scalar_from_uint64(&scalar, words);
	if (group == CURVE_G1) {
		blst_p1 point;

		blst_p1_mult(&point, blst_p1_generator(), scalar.b, 64);
		blst_p1_cneg(&point, is_negative);
		blst_p1_to_affine(affine, &point);
	} else {
		blst_p2 point;

		blst_p2_mult(&point, blst_p2_generator(), scalar.b, 64);
		blst_p2_cneg(&point, is_negative);
		blst_p2_to_affine(affine, &point);
	}
}

static void set_point(struct problem *problem, uint32_t i, enum point_kind kind, uint64_t *random)
{
	size_t bytes = curve_affine_bytes(problem->query.group);

	switch (kind) {
	case REPEATED:
		set_multiple(problem, i, 1 + random_word(random) % 3, false);
		break;
	case OPPOSITE:
		set_multiple(problem, i, 7, i % 2 == 1);
		break;
	case PROGRESSION:
		set_multiple(problem, i, i + 1, false);
		break;
	case WITH_INFINITIES:
		if (i % 3 == 0) {
			memset(problem->points + i * bytes, 0, bytes);
			break;
		}
		set_multiple(problem, i, random_word(random), false);
		break;
	case SPREAD:
	case POINT_KIND_COUNT:
		set_multiple(problem, i, random_word(random), false);
		break;
	}
}

/* 0, 1, r - 1, 2^254, all ones in many widths, small, and wide ones. */
static void set_scalar(blst_scalar *scalar, uint64_t *random)
{
	uint64_t words[4] = {0};
	uint64_t choice = random_word(random) % 10;
	uint64_t width = random_word(random) % 254;

	for (size_t i = 0; i < 4; i++) {
		words[i] = random_word(random);
	}
	words[3] >>= 2;
	if (choice == 0) {
		memset(words, 0, sizeof(words));
	} else if (choice == 1) {
		memcpy(words, (uint64_t[]){1, 0, 0, 0}, sizeof(words));
	} else if (choice == 2) {
		memcpy(words, field_scalar_modulus, sizeof(words));
		words[0]--;
	} else if (choice == 3) {
		memcpy(words, (uint64_t[]){0, 0, 0, 1ULL << 62}, sizeof(words));
	} else if (choice == 4) {
		for (uint64_t i = 0; i < 256; i++) {
			words[i / 64] = (words[i / 64] & ~(1ULL << i % 64)) |
					(i <= width ? 1ULL << i % 64 : 0);
		}
	} else if (choice == 5) {
		words[1] = words[2] = words[3] = 0;
	} else if (choice == 6) {
		memcpy(words, field_scalar_modulus, sizeof(words));
		words[0] -= 2;
	}
	blst_scalar_from_uint64(scalar, words);
}

static void problem_init(
	struct problem *problem, enum curve_group group, uint32_t count, enum point_kind kind)
{
	uint64_t random = 88172645463325252u + count * 16 + kind;

	problem->points = calloc(count + 1, curve_affine_bytes(group));
	problem->wires = calloc(count + 1, sizeof(uint32_t));
	problem->scalars = calloc(2 * count + 1, sizeof(blst_scalar));
	problem->classes = calloc(2 * count + 1, 1);
	assert_true(problem->points && problem->wires && problem->scalars && problem->classes);
	problem->query = (struct msm_query){
		.group = group, .count = count, .wires = problem->wires, .points = problem->points};
	for (uint32_t i = 0; i < count; i++) {
		set_point(problem, i, kind, &random);
		problem->wires[i] = 2 * i + (uint32_t)(random_word(&random) % 2);
	}
	for (uint32_t i = 0; i < 2 * count; i++) {
		set_scalar(&problem->scalars[i], &random);
	}
	scalars_classify_all(problem->scalars, 2 * count, problem->classes);
}

static void problem_finish(struct problem *problem)
{
	free(problem->points);
	free(problem->wires);
	free(problem->scalars);
	free(problem->classes);
}

static void naive_sum(const struct problem *problem, struct curve_point *out_sum)
{
	enum curve_group group = problem->query.group;

	curve_set_infinity(out_sum, group);
	for (uint32_t i = 0; i < problem->query.count; i++) {
		struct curve_point product;
		const uint8_t *affine = problem->points + i * curve_affine_bytes(group);
		const blst_scalar *scalar = &problem->scalars[problem->wires[i]];

		curve_set_infinity(&product, group);
		for (uint32_t bit = 256; bit > 0; bit--) {
			curve_double(&product, 1);
			if ((scalar->b[(bit - 1) / 8] >> (bit - 1) % 8) & 1) {
				curve_add_affine(&product, affine, false);
			}
		}
		curve_add(out_sum, &product);
	}
}

static void assert_points_equal(const struct curve_point *left, const struct curve_point *right)
{
	assert_int_equal(left->group, right->group);
	assert_true(left->group == CURVE_G1 ? blst_p1_is_equal(&left->g1, &right->g1)
					    : blst_p2_is_equal(&left->g2, &right->g2));
}

static void check_sum(struct problem *problem, const struct curve_point *expected, uint32_t threads)
{
	struct work_pool *pool = NULL;
	struct msm msm;
	struct curve_point sum;

	assert_int_equal(work_pool_create(threads, "test", &pool), STATUS_OK);
	msm_init(&msm, threads);
	assert_int_equal(
		msm_prepare(&msm, &problem->query, problem->scalars, problem->classes), STATUS_OK);
	assert_int_equal(msm_run_ones(&msm, pool), STATUS_OK);
	assert_int_equal(msm_run_tails(&msm, pool), STATUS_OK);
	msm_result(&msm, problem->query.group, &sum);
	assert_points_equal(&sum, expected);
	msm_finish(&msm);
	work_pool_destroy(pool);
}

static void check(enum curve_group group, uint32_t count, enum point_kind kind)
{
	struct problem problem;
	struct curve_point expected;

	problem_init(&problem, group, count, kind);
	naive_sum(&problem, &expected);
	for (uint32_t threads = 1; threads <= 4; threads += count < 200 ? 3 : 1) {
		check_sum(&problem, &expected, threads);
	}
	problem_finish(&problem);
}

static void sums_of_few_points_are_right(void **state)
{
	(void)state;
	for (uint32_t count = 0; count <= 40; count++) {
		for (uint32_t kind = 0; kind < POINT_KIND_COUNT; kind++) {
			check(CURVE_G1, count, (enum point_kind)kind);
		}
		check(CURVE_G2, count, (enum point_kind)(count % POINT_KIND_COUNT));
	}
}

/* 127 to 129 tail points are where the method changes; four in ten scalars are no tail. */
static void sums_around_the_change_of_method_are_right(void **state)
{
	(void)state;
	for (uint32_t count = 120; count <= 300; count += count >= 125 && count < 132 ? 1 : 13) {
		check(CURVE_G1, count, (enum point_kind)(count % POINT_KIND_COUNT));
		check(CURVE_G2, count, (enum point_kind)((count + 2) % POINT_KIND_COUNT));
	}
}

static void sums_of_many_points_are_right(void **state)
{
	(void)state;
	for (uint32_t kind = 0; kind < POINT_KIND_COUNT; kind++) {
		check(CURVE_G1, 1000, (enum point_kind)kind);
		check(CURVE_G2, 700, (enum point_kind)kind);
	}
	check(CURVE_G1, POINTS_MAX, PROGRESSION);
	check(CURVE_G1, POINTS_MAX, OPPOSITE);
}

/* Nothing but wide scalars on points in a row: how H is summed. */
static void dense_sums_are_right(void **state)
{
	static const uint32_t counts[] = {1, 2, 127, 128, 129, 1000};

	(void)state;
	for (size_t k = 0; k < sizeof(counts) / sizeof(counts[0]); k++) {
		struct problem problem;
		struct curve_point expected;
		uint64_t random = 99 + k;

		problem_init(&problem, CURVE_G1, counts[k], SPREAD);
		for (uint32_t i = 0; i < 2 * counts[k]; i++) {
			uint64_t words[4] = {random_word(&random), random_word(&random),
				random_word(&random), random_word(&random) >> 2};

			blst_scalar_from_uint64(&problem.scalars[i], words);
		}
		scalars_classify_all(problem.scalars, 2 * counts[k], problem.classes);
		for (uint32_t i = 0; i < counts[k]; i++) {
			problem.wires[i] = i;
		}
		naive_sum(&problem, &expected);
		problem.query.wires = NULL;
		for (uint32_t threads = 1; threads <= 4; threads++) {
			check_sum(&problem, &expected, threads);
		}
		problem_finish(&problem);
	}
}

static void digits_give_back_their_scalar(void **state)
{
	uint64_t random = 4242;

	(void)state;
	for (uint32_t bits = MSM_WINDOW_BITS_MIN; bits <= MSM_WINDOW_BITS_MAX; bits++) {
		for (int round = 0; round < 200; round++) {
			blst_scalar scalar;
			blst_fr expected;
			blst_fr sum = {{0}};
			struct msm_window window = {.scalars = scalar.b,
				.scalar_bits = SCALARS_WIDE_BITS,
				.window_bits = bits};

			set_scalar(&scalar, &random);
			for (uint32_t w = SCALARS_WIDE_BITS / bits + 1; w > 0; w--) {
				int32_t digit;
				blst_fr element;

				window.first_bit = (w - 1) * bits;
				digit = msm_window_digit(&window, 0);
				assert_true(abs(digit) <= 1 << (bits - 1));
				field_from_u64(&element, 1ULL << bits);
				blst_fr_mul(&sum, &sum, &element);
				field_from_u64(&element, (uint64_t)abs(digit));
				blst_fr_cneg(&element, &element, digit < 0);
				blst_fr_add(&sum, &sum, &element);
			}
			blst_fr_from_scalar(&expected, &scalar);
			assert_memory_equal(&sum, &expected, sizeof(sum));
		}
	}
}

/* More parts of the points than threads can use would only cost buckets. */
static void plans_cut_points_only_for_many_threads(void **state)
{
	(void)state;
	assert_int_equal(msm_plan_make(1u << 15, 255, 1).part_count, 1);
	assert_int_equal(msm_plan_make(1u << 15, 255, 2).part_count, 1);
	assert_true(msm_plan_make(1u << 15, 255, 64).part_count > 1);
	assert_int_equal(msm_plan_make(200, 255, 64).part_count, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(digits_give_back_their_scalar),
		cmocka_unit_test(plans_cut_points_only_for_many_threads),
		cmocka_unit_test(sums_of_few_points_are_right),
		cmocka_unit_test(sums_around_the_change_of_method_are_right),
		cmocka_unit_test(sums_of_many_points_are_right),
		cmocka_unit_test(dense_sums_are_right),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
