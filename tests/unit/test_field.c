/* SPDX-License-Identifier: MIT */
/* Proves the field helpers: decimal strings, ranges, roots of unity, batch inversion. */
#include "prover/groth16/field.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define SCALAR_PRIME "52435875175126190479447740508185965837690552500527637822603658699938581184513"
/* 160 digits: more than 64 * 6 bits. */
#define PAST_ALL_FIELDS                                                                            \
	"99999999999999999999999999999999999999999999999999999999999999999999999999999999"         \
	"99999999999999999999999999999999999999999999999999999999999999999999999999999999"
#define SCALAR_LAST "52435875175126190479447740508185965837690552500527637822603658699938581184512"

static void decimal_strings_are_read_and_written_alike(void **state)
{
	static const char *const numbers[] = {"0", "1", "9", "10", "18446744073709551615",
		"18446744073709551616", "10000000000000000000", "99999999999999999999999999",
		"340282366920938463463374607431768211456", SCALAR_LAST};

	(void)state;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		char text[FIELD_DECIMAL_BYTES_MAX];
		blst_scalar scalar;
		blst_fp element;

		assert_true(field_scalar_from_decimal(&scalar, numbers[i]));
		field_scalar_to_decimal(text, &scalar);
		assert_string_equal(text, numbers[i]);
		assert_true(field_base_from_decimal(&element, numbers[i]));
		field_base_to_decimal(text, &element);
		assert_string_equal(text, numbers[i]);
	}
}

static void what_is_not_a_canonical_number_is_refused(void **state)
{
	static const char *const texts[] = {"", "-1", "+1", " 1", "1 ", "01", "00", "0x10", "1e3",
		"1.0", SCALAR_PRIME, SCALAR_LAST "0", PAST_ALL_FIELDS};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		blst_scalar scalar;

		assert_false(field_scalar_from_decimal(&scalar, texts[i]));
	}
}

/* The largest element is -1, and the number after it is the prime. */
static void the_base_prime_is_the_first_number_out_of_range(void **state)
{
	char text[FIELD_DECIMAL_BYTES_MAX];
	uint8_t bytes[FIELD_BASE_BYTES];
	const uint64_t limbs[6] = {1};
	blst_fp element;

	(void)state;
	blst_fp_from_uint64(&element, limbs);
	blst_fp_cneg(&element, &element, true);
	field_base_to_decimal(text, &element);
	assert_true(field_base_from_decimal(&element, text));
	/* The prime is odd and does not end in 9, so -1 + 1 changes the last digit only. */
	text[strlen(text) - 1]++;
	assert_false(field_base_from_decimal(&element, text));
	memcpy(bytes, field_base_modulus, sizeof(bytes));
	assert_false(field_base_in_range(bytes));
	bytes[0]--;
	assert_true(field_base_in_range(bytes));
	bytes[FIELD_BASE_BYTES - 1]++;
	assert_false(field_base_in_range(bytes));
}

static void the_scalar_prime_is_the_first_number_out_of_range(void **state)
{
	uint8_t bytes[FIELD_SCALAR_BYTES];
	blst_scalar scalar;

	(void)state;
	memcpy(bytes, field_scalar_modulus, sizeof(bytes));
	assert_false(field_scalar_in_range(bytes));
	bytes[0]--;
	assert_true(field_scalar_in_range(bytes));
	blst_scalar_from_lendian(&scalar, bytes);
	assert_true(blst_scalar_fr_check(&scalar));
	memset(bytes, 0xff, sizeof(bytes));
	assert_false(field_scalar_in_range(bytes));
	memset(bytes, 0, sizeof(bytes));
	assert_true(field_scalar_in_range(bytes));
}

static void curves_are_told_by_their_primes(void **state)
{
	(void)state;
	assert_string_equal(field_curve_name(field_scalar_modulus, FIELD_SCALAR_BYTES), "bls12381");
	assert_string_equal(field_curve_name(field_base_modulus, FIELD_BASE_BYTES), "bls12381");
	assert_string_equal(
		field_curve_name(field_base_modulus, FIELD_SCALAR_BYTES), "an unknown curve");
	assert_string_equal(field_curve_name(field_scalar_modulus, 0), "an unknown curve");
}

/* snarkjs takes 5, the smallest non-residue: root = 5^((r - 1) / 2^32), (r - 1) / 2^32 odd. */
static void the_root_of_unity_is_the_one_of_snarkjs(void **state)
{
	blst_fr root;
	blst_fr expected;
	blst_fr five;

	(void)state;
	field_from_u64(&five, 5);
	field_one(&expected);
	/* r >> 32 from the top; bit 0 of r is the 1 that is subtracted. */
	for (int bit = 255; bit >= 32; bit--) {
		blst_fr_sqr(&expected, &expected);
		if ((field_scalar_modulus[bit / 8] >> (bit % 8)) & 1) {
			blst_fr_mul(&expected, &expected, &five);
		}
	}
	field_root_of_unity(&root, FIELD_DOMAIN_LOG2_MAX);
	assert_memory_equal(&root, &expected, sizeof(root));
}

static void a_root_of_unity_has_its_full_order(void **state)
{
	blst_fr one;

	(void)state;
	field_one(&one);
	for (uint32_t log2 = 0; log2 <= FIELD_DOMAIN_LOG2_MAX; log2++) {
		blst_fr root;
		blst_fr power;

		field_root_of_unity(&root, log2);
		field_power(&power, &root, UINT64_C(1) << log2);
		assert_memory_equal(&power, &one, sizeof(one));
		if (log2 > 0) {
			field_power(&power, &root, UINT64_C(1) << (log2 - 1));
			blst_fr_cneg(&power, &power, true);
			assert_memory_equal(&power, &one, sizeof(one));
		}
	}
}

static void many_inverses_are_each_an_inverse(void **state)
{
	blst_fr elements[100];
	blst_fr inverses[100];
	blst_fr one;

	(void)state;
	field_one(&one);
	for (size_t count = 0; count <= 100; count += 33) {
		for (size_t i = 0; i < count; i++) {
			assert_int_equal(field_random(&elements[i]), STATUS_OK);
		}
		memcpy(inverses, elements, sizeof(inverses));
		assert_int_equal(field_invert_all(inverses, count), STATUS_OK);
		for (size_t i = 0; i < count; i++) {
			blst_fr product;

			blst_fr_mul(&product, &elements[i], &inverses[i]);
			assert_memory_equal(&product, &one, sizeof(one));
		}
	}
}

static void wide_bytes_are_reduced_modulo_the_prime(void **state)
{
	uint8_t wide[64] = {0};
	blst_fr zero = {.l = {0}};
	blst_fr element;
	blst_fr expected;

	(void)state;
	memcpy(wide, field_scalar_modulus, FIELD_SCALAR_BYTES);
	field_from_wide_bytes(&element, wide, sizeof(wide));
	assert_memory_equal(&element, &zero, sizeof(zero));
	/* 2^320 + 7 */
	memset(wide, 0, sizeof(wide));
	wide[0] = 7;
	wide[40] = 1;
	field_from_wide_bytes(&element, wide, sizeof(wide));
	field_from_u64(&expected, 2);
	field_power(&expected, &expected, 320);
	field_from_u64(&zero, 7);
	blst_fr_add(&expected, &expected, &zero);
	assert_memory_equal(&element, &expected, sizeof(expected));
}

static void random_elements_differ(void **state)
{
	blst_fr first;
	blst_fr second;

	(void)state;
	assert_int_equal(field_random(&first), STATUS_OK);
	assert_int_equal(field_random(&second), STATUS_OK);
	assert_memory_not_equal(&first, &second, sizeof(first));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(decimal_strings_are_read_and_written_alike),
		cmocka_unit_test(what_is_not_a_canonical_number_is_refused),
		cmocka_unit_test(the_base_prime_is_the_first_number_out_of_range),
		cmocka_unit_test(the_scalar_prime_is_the_first_number_out_of_range),
		cmocka_unit_test(curves_are_told_by_their_primes),
		cmocka_unit_test(the_root_of_unity_is_the_one_of_snarkjs),
		cmocka_unit_test(a_root_of_unity_has_its_full_order),
		cmocka_unit_test(many_inverses_are_each_an_inverse),
		cmocka_unit_test(wide_bytes_are_reduced_modulo_the_prime),
		cmocka_unit_test(random_elements_differ),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
