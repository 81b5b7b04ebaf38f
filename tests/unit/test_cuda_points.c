/* SPDX-License-Identifier: MIT */
/* Proves that the GPU's point formulas are right for any two points, and its digits for any scalar.
 */
#include "prover/device/cuda/digits.h"
#include "prover/device/cuda/xyzz.h"

#include <blst.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* Multiples of the generator: 0, small ones and their opposites, to meet and to cancel. */
enum {
	FACTOR_MIN = -4,
	FACTOR_MAX = 4
};

static void blst_multiple(blst_p1 *out_point, int factor)
{
	const byte scalar = (byte)(factor < 0 ? -factor : factor);

	blst_p1_mult(out_point, blst_p1_generator(), &scalar, 8);
	blst_p1_cneg(out_point, factor < 0);
}

static struct affine affine_multiple(int factor)
{
	blst_p1_affine affine = {{{0}}, {{0}}};
	struct affine out;
	blst_p1 point;

	if (factor != 0) {
		blst_multiple(&point, factor);
		blst_p1_to_affine(&affine, &point);
	}
	memcpy(&out, &affine, sizeof(out));
	return out;
}

/* With a ZZ that is not 1: scaled by ZZ = s^2 and ZZZ = s^3. */
static struct xyzz xyzz_multiple(int factor, uint32_t seed)
{
	const struct affine affine = affine_multiple(factor);
	struct fp s = fp_one();
	struct xyzz out;

	xyzz_set_infinity(&out);
	if (factor == 0) {
		return out;
	}
	s.limbs[2] ^= seed;
	out.zz = fp_square(&s);
	out.zzz = fp_multiply(&out.zz, &s);
	out.x = fp_multiply(&affine.x, &out.zz);
	out.y = fp_multiply(&affine.y, &out.zzz);
	return out;
}

static void check(const struct xyzz *sum, int factor)
{
	struct jacobian jacobian;
	struct fp cube;
	struct fp square;
	blst_p1 point;
	blst_p1 expected;

	cube = fp_square(&sum->zz);
	cube = fp_multiply(&cube, &sum->zz);
	square = fp_square(&sum->zzz);
	assert_memory_equal(&cube, &square, sizeof(cube));
	xyzz_to_jacobian(sum, &jacobian);
	memcpy(&point, &jacobian, sizeof(point));
	blst_multiple(&expected, factor);
	assert_true(blst_p1_is_equal(&point, &expected));
	assert_int_equal(blst_p1_is_inf(&point), factor == 0);
}

static void test_adding_affine_points_equal_opposite_and_infinite_ones_too(void **state)
{
	(void)state;
	for (int i = FACTOR_MIN; i <= FACTOR_MAX; i++) {
		for (int k = FACTOR_MIN; k <= FACTOR_MAX; k++) {
			const struct affine point = affine_multiple(k);
			struct xyzz sum = xyzz_multiple(i, 77);
			struct xyzz difference = sum;

			xyzz_add_affine(&sum, &point, false);
			check(&sum, i + k);
			xyzz_add_affine(&difference, &point, true);
			check(&difference, i - k);
		}
	}
}

static void test_adding_sums_equal_opposite_and_infinite_ones_too(void **state)
{
	(void)state;
	for (int i = FACTOR_MIN; i <= FACTOR_MAX; i++) {
		for (int k = FACTOR_MIN; k <= FACTOR_MAX; k++) {
			const struct xyzz point = xyzz_multiple(k, 12345);
			struct xyzz sum = xyzz_multiple(i, 77);

			xyzz_add(&sum, &point);
			check(&sum, i + k);
		}
	}
}

static void test_doubling_any_point_and_infinity(void **state)
{
	(void)state;
	for (int i = FACTOR_MIN; i <= FACTOR_MAX; i++) {
		struct xyzz sum = xyzz_multiple(i, 77);

		xyzz_double(&sum);
		check(&sum, 2 * i);
		xyzz_double(&sum);
		check(&sum, 4 * i);
	}
}

static void test_a_long_chain_of_additions_stays_right(void **state)
{
	struct xyzz sum = xyzz_multiple(0, 0);
	blst_p1 expected;
	blst_p1 point;
	struct jacobian jacobian;

	(void)state;
	memset(&expected, 0, sizeof(expected));
	for (int i = 1; i < 120; i++) {
		const struct affine affine = affine_multiple(i);
		blst_p1_affine blst_affine;

		memcpy(&blst_affine, &affine, sizeof(blst_affine));
		xyzz_add_affine(&sum, &affine, i % 3 == 0);
		if (i % 3 == 0) {
			blst_fp_cneg(&blst_affine.y, &blst_affine.y, true);
		}
		blst_p1_add_or_double_affine(&expected, &expected, &blst_affine);
	}
	xyzz_to_jacobian(&sum, &jacobian);
	memcpy(&point, &jacobian, sizeof(point));
	assert_true(blst_p1_is_equal(&point, &expected));
}

static uint64_t random_word(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* total = 2^bits * total + digit, modulo 2^288: more than any sum of digits takes. */
static void append_digit(uint32_t total[9], uint32_t bits, int32_t digit)
{
	int64_t carry = digit;

	for (uint32_t i = 0; i < bits; i++) {
		for (int k = 8; k > 0; k--) {
			total[k] = total[k] << 1 | total[k - 1] >> 31;
		}
		total[0] <<= 1;
	}
	for (int k = 0; k < 9; k++) {
		carry += total[k];
		total[k] = (uint32_t)carry;
		carry >>= 32;
	}
}

static void check_digits(const uint32_t *scalar, uint32_t bit_count)
{
	for (uint32_t bits = 2; bits <= DIGITS_WINDOW_BITS_MAX; bits++) {
		const struct digits digits = digits_make(bit_count, bits);
		const int32_t half = 1 << (bits - 1);
		uint32_t limbs[DIGITS_LIMBS];
		uint32_t total[9] = {0};

		digits_load(&digits, scalar, 0, limbs);
		for (uint32_t i = digits.window_count; i-- > 0;) {
			const int32_t digit = digits_get(&digits, limbs, i);

			assert_in_range(digit + half, 0, 2 * half);
			append_digit(total, bits, digit);
		}
		assert_memory_equal(total, scalar, bit_count / 32 * 4 + (bit_count % 32 ? 4 : 0));
		for (uint32_t i = (bit_count + 31) / 32; i < 9; i++) {
			assert_int_equal(total[i], 0);
		}
	}
}

static void test_digits_of_0_1_r_less_1_powers_of_two_and_all_ones_add_up(void **state)
{
	uint32_t minus_one[8] = {0x00000000, 0xffffffff, 0xfffe5bfe, 0x53bda402, 0x09a1d805,
		0x3339d808, 0x299d7d48, 0x73eda753};

	(void)state;
	check_digits(minus_one, 255);
	for (uint32_t bit_count = 0; bit_count <= 255; bit_count++) {
		uint32_t power[8] = {0};
		uint32_t ones[8] = {0};

		for (uint32_t i = 0; i < bit_count; i++) {
			ones[i / 32] |= 1u << i % 32;
		}
		if (bit_count < 255) {
			power[bit_count / 32] = 1u << bit_count % 32;
		}
		check_digits(ones, 255);
		check_digits(power, 255);
		if (bit_count <= 64) {
			check_digits(ones, 64);
		}
		if (bit_count < 64) {
			check_digits(power, 64);
		}
	}
}

static void test_digits_of_random_scalars_add_up(void **state)
{
	uint64_t random = 0x2545f4914f6cdd1d;

	(void)state;
	for (int i = 0; i < 2000; i++) {
		uint32_t scalar[8];

		for (int k = 0; k < 8; k++) {
			scalar[k] = (uint32_t)random_word(&random);
		}
		check_digits(scalar, 64);
		scalar[7] &= 0x7fffffff;
		check_digits(scalar, 255);
	}
}

static void test_each_scalar_is_read_from_its_place(void **state)
{
	const uint32_t small[6] = {1, 0, 2, 0, 3, 0};
	const struct digits digits = digits_make(64, 4);
	uint32_t limbs[DIGITS_LIMBS];

	(void)state;
	for (uint32_t i = 0; i < 3; i++) {
		digits_load(&digits, small, i, limbs);
		assert_int_equal(digits_get(&digits, limbs, 0), i + 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_adding_affine_points_equal_opposite_and_infinite_ones_too),
		cmocka_unit_test(test_adding_sums_equal_opposite_and_infinite_ones_too),
		cmocka_unit_test(test_doubling_any_point_and_infinity),
		cmocka_unit_test(test_a_long_chain_of_additions_stays_right),
		cmocka_unit_test(test_digits_of_0_1_r_less_1_powers_of_two_and_all_ones_add_up),
		cmocka_unit_test(test_digits_of_random_scalars_add_up),
		cmocka_unit_test(test_each_scalar_is_read_from_its_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
