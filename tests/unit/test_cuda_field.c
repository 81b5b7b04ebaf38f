/* SPDX-License-Identifier: MIT */
/* Proves that the GPU's field arithmetic gives blst's values, limb for limb. */
#include "prover/device/cuda/fp.h"
#include "prover/device/cuda/fr.h"

#include <blst.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum {
	RANDOM_PAIRS = 120000,
	EDGE_COUNT = 8
};

static uint64_t random_word(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static blst_fp blst_of_fp(const struct fp *value)
{
	blst_fp out;

	memcpy(&out, value, sizeof(out));
	return out;
}

static blst_fr blst_of_fr(const struct fr *value)
{
	blst_fr out;

	memcpy(&out, value, sizeof(out));
	return out;
}

static void check_fp(const struct fp *a, const struct fp *b)
{
	const blst_fp blst_a = blst_of_fp(a);
	const blst_fp blst_b = blst_of_fp(b);
	struct fp result;
	blst_fp expected;

	result = fp_multiply(a, b);
	blst_fp_mul(&expected, &blst_a, &blst_b);
	assert_memory_equal(&result, &expected, sizeof(expected));
	result = fp_add(a, b);
	blst_fp_add(&expected, &blst_a, &blst_b);
	assert_memory_equal(&result, &expected, sizeof(expected));
	result = fp_subtract(a, b);
	blst_fp_sub(&expected, &blst_a, &blst_b);
	assert_memory_equal(&result, &expected, sizeof(expected));
}

static void check_fp_alone(const struct fp *a)
{
	const blst_fp blst_a = blst_of_fp(a);
	const blst_fp zero = {{0}};
	struct fp result;
	blst_fp expected;

	result = fp_square(a);
	blst_fp_sqr(&expected, &blst_a);
	assert_memory_equal(&result, &expected, sizeof(expected));
	result = fp_negate(a);
	blst_fp_cneg(&expected, &blst_a, true);
	assert_memory_equal(&result, &expected, sizeof(expected));
	assert_int_equal(fp_is_zero(a), memcmp(&blst_a, &zero, sizeof(zero)) == 0);
}

static void check_fr(const struct fr *a, const struct fr *b)
{
	const blst_fr blst_a = blst_of_fr(a);
	const blst_fr blst_b = blst_of_fr(b);
	blst_scalar canonical;
	struct fr result;
	blst_fr expected;

	result = fr_multiply(a, b);
	blst_fr_mul(&expected, &blst_a, &blst_b);
	assert_memory_equal(&result, &expected, sizeof(expected));
	result = fr_add(a, b);
	blst_fr_add(&expected, &blst_a, &blst_b);
	assert_memory_equal(&result, &expected, sizeof(expected));
	result = fr_subtract(a, b);
	blst_fr_sub(&expected, &blst_a, &blst_b);
	assert_memory_equal(&result, &expected, sizeof(expected));
	result = fr_canonical(a);
	blst_scalar_from_fr(&canonical, &blst_a);
	assert_memory_equal(&result, &canonical, sizeof(canonical));
}

/* 0, 1, the modulus less 1 and 2, 2^32 - 1, 2^32, half the modulus, all limbs full but the top. */
static void set_edge(uint32_t *limbs, const struct limbs_modulus *modulus, int count, int edge)
{
	memset(limbs, 0, (size_t)count * sizeof(*limbs));
	switch (edge) {
	case 0:
		break;
	case 1:
		limbs[0] = 1;
		break;
	case 2:
	case 3:
		/* p - 1, p - 2; r ends in a 1, so its r - 2 borrows through the lowest limb */
		memcpy(limbs, modulus->limbs, (size_t)count * sizeof(*limbs));
		for (int i = 0; i < count; i++) {
			const uint32_t before = limbs[i];

			limbs[i] -= i == 0 ? (uint32_t)edge - 1 : 1;
			if (limbs[i] < before) {
				break;
			}
		}
		break;
	case 4:
		limbs[0] = UINT32_MAX;
		break;
	case 5:
		limbs[1] = 1;
		break;
	case 6:
		for (int i = 0; i < count; i++) {
			const uint32_t above = i + 1 < count ? modulus->limbs[i + 1] : 0;

			limbs[i] = modulus->limbs[i] >> 1 | above << 31;
		}
		break;
	default:
		memset(limbs, 0xff, (size_t)(count - 1) * sizeof(*limbs));
	}
}

static bool is_below(const uint32_t *value, const struct limbs_modulus *modulus, int count)
{
	for (int i = count; i-- > 0;) {
		if (value[i] != modulus->limbs[i]) {
			return value[i] < modulus->limbs[i];
		}
	}
	return false;
}

static void set_random(
	uint32_t *limbs, const struct limbs_modulus *modulus, int count, uint64_t *state)
{
	do {
		for (int i = 0; i < count; i++) {
			limbs[i] = (uint32_t)random_word(state);
		}
		limbs[count - 1] &= 0x7fffffffU >> (count == FP_LIMBS ? 2U : 0U);
	} while (!is_below(limbs, modulus, count));
}

static void test_edge_values_agree_with_blst(void **state)
{
	const struct limbs_modulus p = fp_modulus();
	const struct limbs_modulus r = fr_modulus();

	(void)state;
	for (int i = 0; i < EDGE_COUNT; i++) {
		for (int k = 0; k < EDGE_COUNT; k++) {
			struct fp a;
			struct fp b;
			struct fr c;
			struct fr d;

			set_edge(a.limbs, &p, FP_LIMBS, i);
			set_edge(b.limbs, &p, FP_LIMBS, k);
			set_edge(c.limbs, &r, FR_LIMBS, i);
			set_edge(d.limbs, &r, FR_LIMBS, k);
			assert_true(is_below(a.limbs, &p, FP_LIMBS));
			assert_true(is_below(c.limbs, &r, FR_LIMBS));
			check_fp(&a, &b);
			check_fp_alone(&a);
			check_fr(&c, &d);
		}
	}
}

static void test_random_base_field_values_agree_with_blst(void **state)
{
	const struct limbs_modulus p = fp_modulus();
	uint64_t random = 0x9e3779b97f4a7c15;

	(void)state;
	for (int i = 0; i < RANDOM_PAIRS; i++) {
		struct fp a;
		struct fp b;

		set_random(a.limbs, &p, FP_LIMBS, &random);
		set_random(b.limbs, &p, FP_LIMBS, &random);
		check_fp(&a, &b);
		check_fp_alone(&a);
	}
}

static void test_random_scalar_field_values_agree_with_blst(void **state)
{
	const struct limbs_modulus r = fr_modulus();
	uint64_t random = 0xd1b54a32d192ed03;

	(void)state;
	for (int i = 0; i < RANDOM_PAIRS; i++) {
		struct fr a;
		struct fr b;

		set_random(a.limbs, &r, FR_LIMBS, &random);
		set_random(b.limbs, &r, FR_LIMBS, &random);
		check_fr(&a, &b);
	}
}

static void test_one_is_the_montgomery_form_of_one(void **state)
{
	const uint64_t words[6] = {1};
	const struct fp one = fp_one();
	blst_fp expected;

	(void)state;
	blst_fp_from_uint64(&expected, words);
	assert_memory_equal(&one, &expected, sizeof(expected));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_edge_values_agree_with_blst),
		cmocka_unit_test(test_random_base_field_values_agree_with_blst),
		cmocka_unit_test(test_random_scalar_field_values_agree_with_blst),
		cmocka_unit_test(test_one_is_the_montgomery_form_of_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
