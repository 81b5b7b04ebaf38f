/* SPDX-License-Identifier: MIT */
/* Proves that the three passes are an inverse transform, a shift to the odd coset, a forward one.
 */
#include "prover/groth16/field.h"
#include "prover/groth16/ntt.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void random_elements(blst_fr *elements, uint32_t count, uint64_t seed)
{
	for (uint32_t i = 0; i < count; i++) {
		uint8_t wide[64];

		for (size_t k = 0; k < sizeof(wide); k++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			wide[k] = (uint8_t)(seed >> 56);
		}
		field_from_wide_bytes(&elements[i], wide, sizeof(wide));
	}
}

/* The value of the polynomial with these coefficients at `point`, by Horner's rule. */
static void evaluate(
	const blst_fr *coefficients, uint32_t count, const blst_fr *point, blst_fr *out)
{
	memset(out, 0, sizeof(*out));
	for (uint32_t i = count; i > 0; i--) {
		blst_fr_mul(out, out, point);
		blst_fr_add(out, out, &coefficients[i - 1]);
	}
}

/* out[i] = value at shift * w^i, the slow way. */
static void evaluate_all(
	const blst_fr *coefficients, uint32_t log2, const blst_fr *shift, blst_fr *out)
{
	blst_fr root;
	blst_fr point = *shift;

	field_root_of_unity(&root, log2);
	for (uint32_t i = 0; i < 1u << log2; i++) {
		evaluate(coefficients, 1u << log2, &point, &out[i]);
		blst_fr_mul(&point, &point, &root);
	}
}

static void run_passes(const struct ntt_plan *plan, blst_fr *values)
{
	blst_fr *scratch = malloc((ntt_scratch_elements(plan) + 1) * sizeof(*scratch));

	assert_non_null(scratch);
	for (uint32_t pass = 0; pass < NTT_PASS_COUNT; pass++) {
		/* Backwards, since the order of tiles must not matter. */
		for (uint32_t i = ntt_tile_count(plan, (enum ntt_pass)pass); i > 0; i--) {
			ntt_run_tile(plan, (enum ntt_pass)pass, i - 1, values, scratch);
		}
	}
	free(scratch);
}

/* From the values on the domain to those on the odd coset, both evaluated naively. */
static void passes_agree_with_naive_evaluation(void **state)
{
	(void)state;
	for (uint32_t log2 = 0; log2 <= 10; log2++) {
		size_t bytes = sizeof(blst_fr) << log2;
		blst_fr *coefficients = malloc(bytes);
		blst_fr *values = malloc(bytes);
		blst_fr *expected = malloc(bytes);
		struct ntt_plan *plan = NULL;
		blst_fr one;
		blst_fr coset;

		assert_true(coefficients && values && expected);
		assert_int_equal(ntt_plan_create(log2, &plan), STATUS_OK);
		random_elements(coefficients, 1u << log2, log2);
		field_one(&one);
		field_root_of_unity(&coset, log2 + 1);
		evaluate_all(coefficients, log2, &one, values);
		evaluate_all(coefficients, log2, &coset, expected);
		run_passes(plan, values);
		assert_memory_equal(values, expected, bytes);
		ntt_plan_destroy(plan);
		free(coefficients);
		free(values);
		free(expected);
	}
}

/* Large enough for upper passes: checked at single points of the coset. */
static void upper_passes_agree_with_evaluation_at_points(uint32_t log2)
{
	uint32_t size = 1u << log2;
	blst_fr *coefficients = calloc(size, sizeof(*coefficients));
	blst_fr *values = calloc(size, sizeof(*values));
	const uint32_t places[] = {0, 1, size / 2 - 1, size / 2, size - 1, size / 3};
	struct ntt_plan *plan = NULL;
	blst_fr root;
	blst_fr coset;

	assert_true(coefficients && values);
	assert_int_equal(ntt_plan_create(log2, &plan), STATUS_OK);
	assert_true(plan->rows > 1);
	/* A sparse polynomial, whose values on the domain are cheap to get. */
	random_elements(&coefficients[0], 1, 1);
	random_elements(&coefficients[size / 2 + 5], 1, 2);
	random_elements(&coefficients[size - 1], 1, 3);
	field_root_of_unity(&root, log2);
	for (uint32_t i = 0; i < size; i++) {
		const uint32_t exponents[] = {0, size / 2 + 5, size - 1};

		for (size_t k = 0; k < 3; k++) {
			blst_fr power;

			field_power(&power, &root, (uint64_t)i * exponents[k] % size);
			blst_fr_mul(&power, &power, &coefficients[exponents[k]]);
			blst_fr_add(&values[i], &values[i], &power);
		}
	}
	run_passes(plan, values);
	field_root_of_unity(&coset, log2 + 1);
	for (size_t k = 0; k < sizeof(places) / sizeof(places[0]); k++) {
		blst_fr point;
		blst_fr expected;

		field_power(&point, &coset, 2 * (uint64_t)places[k] + 1);
		evaluate(coefficients, size, &point, &expected);
		assert_memory_equal(&values[places[k]], &expected, sizeof(expected));
	}
	ntt_plan_destroy(plan);
	free(coefficients);
	free(values);
}

static void upper_passes_are_right_at_2_11(void **state)
{
	(void)state;
	upper_passes_agree_with_evaluation_at_points(11);
}

static void upper_passes_are_right_at_2_14(void **state)
{
	(void)state;
	upper_passes_agree_with_evaluation_at_points(14);
}

/* The odd coset of the odd coset is the domain again, with coefficient k multiplied by w^k. */
static void two_shifts_rotate_the_domain(void **state)
{
	enum {
		LOG2 = 12
	};
	blst_fr *values = malloc(sizeof(*values) << LOG2);
	blst_fr *before = malloc(sizeof(*before) << LOG2);
	struct ntt_plan *plan = NULL;

	(void)state;
	assert_true(values && before);
	assert_int_equal(ntt_plan_create(LOG2, &plan), STATUS_OK);
	random_elements(values, 1u << LOG2, 77);
	memcpy(before, values, sizeof(*values) << LOG2);
	run_passes(plan, values);
	run_passes(plan, values);
	/* Value i is now the one at w^(i + 1). */
	assert_memory_equal(values, before + 1, ((1u << LOG2) - 1) * sizeof(*values));
	assert_memory_equal(&values[(1u << LOG2) - 1], before, sizeof(*values));
	ntt_plan_destroy(plan);
	free(values);
	free(before);
}

static void a_domain_beyond_memory_is_refused(void **state)
{
	struct ntt_plan *plan = NULL;

	(void)state;
	assert_int_equal(ntt_plan_create(31, &plan), STATUS_TOO_LARGE);
	assert_null(plan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(passes_agree_with_naive_evaluation),
		cmocka_unit_test(upper_passes_are_right_at_2_11),
		cmocka_unit_test(upper_passes_are_right_at_2_14),
		cmocka_unit_test(two_shifts_rotate_the_domain),
		cmocka_unit_test(a_domain_beyond_memory_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
