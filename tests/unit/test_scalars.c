/* SPDX-License-Identifier: MIT */
/* Proves that sorting scalars loses none, and takes none for a cheaper kind. */
#include "prover/groth16/field.h"
#include "prover/groth16/scalars.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static blst_scalar scalar_of(uint64_t low, uint64_t high)
{
	uint64_t words[4] = {low, 0, 0, high};
	blst_scalar scalar;

	blst_scalar_from_uint64(&scalar, words);
	return scalar;
}

static blst_scalar minus(uint8_t value)
{
	blst_scalar scalar;

	memcpy(scalar.b, field_scalar_modulus, sizeof(scalar.b));
	scalar.b[0] = (uint8_t)(scalar.b[0] - value); /* r ends in ...01 */
	if (value > 1) {
		/* r = ...00000001 in bytes: borrow through the zeros. */
		scalar.b[0] = (uint8_t)(257 - value);
		scalar.b[1] = scalar.b[2] = scalar.b[3] = 0xff;
		scalar.b[4]--;
	}
	return scalar;
}

static void classes_are_exact(void **state)
{
	blst_scalar scalar = scalar_of(0, 0);

	(void)state;
	assert_int_equal(scalars_classify(&scalar), SCALAR_ZERO);
	scalar = scalar_of(1, 0);
	assert_int_equal(scalars_classify(&scalar), SCALAR_ONE);
	scalar = scalar_of(2, 0);
	assert_int_equal(scalars_classify(&scalar), SCALAR_SMALL);
	scalar = scalar_of(UINT64_MAX, 0);
	assert_int_equal(scalars_classify(&scalar), SCALAR_SMALL);
	scalar = scalar_of(0, 1);
	assert_int_equal(scalars_classify(&scalar), SCALAR_WIDE);
	scalar = scalar_of(1, 1);
	assert_int_equal(scalars_classify(&scalar), SCALAR_WIDE);
	scalar = minus(1);
	assert_int_equal(scalars_classify(&scalar), SCALAR_MINUS_ONE);
	scalar = minus(2);
	assert_true(field_scalar_in_range(scalar.b));
	assert_int_equal(scalars_classify(&scalar), SCALAR_WIDE);
}

static void the_input_holds_each_scalar_where_it_belongs(void **state)
{
	blst_scalar scalars[] = {scalar_of(1, 0), scalar_of(0, 0), scalar_of(77, 0),
		scalar_of(5, 9), minus(1), scalar_of(1, 0), scalar_of(3, 0), scalar_of(9, 0)};
	const uint32_t wires[] = {0, 2, 3, 4, 5, 7};
	blst_p1_affine points[6];
	uint8_t classes[8];
	struct msm_input input;
	struct msm_query query = {.group = CURVE_G1, .count = 6, .wires = wires, .points = points};

	(void)state;
	for (size_t i = 0; i < 6; i++) {
		points[i] = *blst_p1_affine_generator();
	}
	memset(&points[5], 0, sizeof(points[5])); /* infinity: wire 7 counts for nothing */
	scalars_classify_all(scalars, 8, classes);
	assert_int_equal(msm_input_init(&query, scalars, classes, &input), STATUS_OK);
	assert_int_equal(input.one_count, 2);
	assert_int_equal(input.minus_one_count, 1);
	assert_int_equal(input.ones[0], 0);
	assert_int_equal(input.ones[1], 4);
	assert_int_equal(input.ones[2], 3);
	assert_int_equal(input.small.count, 1);
	assert_int_equal(input.small.indices[0], 1);
	assert_int_equal(input.small.scalars[0], 77);
	assert_int_equal(input.wide.count, 1);
	assert_int_equal(input.wide.indices[0], 2);
	assert_memory_equal(input.wide.scalars, scalars[3].b, 32);
	msm_input_finish(&input);
	msm_input_finish(&input); /* harmless */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(classes_are_exact),
		cmocka_unit_test(the_input_holds_each_scalar_where_it_belongs),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
