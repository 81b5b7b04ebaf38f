/* SPDX-License-Identifier: MIT */
/* Proves that the builder numbers wires as circom does and writes combinations in normal form. */
#include "prover/groth16/circuit.h"

#include "prover/groth16/field.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const blst_scalar three = {.b = {3}};
static const blst_scalar nine = {.b = {9}};

/* out = x * x, with 3 * x written as x + 2x and something that cancels out. */
static struct circuit *make_square(void)
{
	struct circuit *circuit = NULL;
	uint32_t x;

	assert_int_equal(circuit_create(1, &circuit), STATUS_OK);
	x = circuit_add_input(circuit, &three);
	assert_int_equal(x, 2);
	circuit_add_power(circuit, R1CS_A, x, 0, false);
	circuit_add_power(circuit, R1CS_A, x, 1, false);
	circuit_add_power(circuit, R1CS_B, x, 0, false);
	circuit_add_power(circuit, R1CS_B, 0, 5, false);
	circuit_add_power(circuit, R1CS_B, 0, 5, true);
	circuit_add_power(circuit, R1CS_C, 1, 1, false);
	circuit_add_power(circuit, R1CS_C, 1, 0, false);
	circuit_end_row(circuit);
	circuit_set_output(circuit, 0, &nine);
	return circuit;
}

static void terms_of_one_wire_are_summed_and_zeros_dropped(void **state)
{
	AUTO(circuit_destroy) struct circuit *circuit = make_square();
	AUTO(r1cs_destroy) struct r1cs *r1cs = NULL;
	AUTO(wtns_destroy) struct wtns *witness = NULL;
	blst_fr expected;

	(void)state;
	assert_int_equal(circuit_finish(circuit, &r1cs, &witness), STATUS_OK);
	assert_int_equal(r1cs->wire_count, 3);
	assert_int_equal(r1cs->constraint_count, 1);
	assert_int_equal(r1cs->public_output_count, 1);
	assert_int_equal(r1cs->private_input_count, 1);
	for (int side = 0; side < R1CS_SIDE_COUNT; side++) {
		assert_int_equal(r1cs->sides[side].row_begin[1], 1);
	}
	field_from_u64(&expected, 3);
	assert_memory_equal(
		&r1cs->coefficient_values[r1cs->sides[R1CS_A].coefficients[0]], &expected, 32);
	assert_int_equal(r1cs->sides[R1CS_B].wires[0], 2);
	assert_int_equal(r1cs_check(r1cs, witness, NULL), STATUS_OK);
	witness->values[1].b[0] = 8;
	assert_int_equal(r1cs_check(r1cs, witness, NULL), STATUS_BAD_INPUT);
}

static void a_witness_needs_no_rows(void **state)
{
	AUTO(circuit_destroy) struct circuit *circuit = NULL;
	AUTO(wtns_destroy) struct wtns *witness = NULL;

	(void)state;
	assert_int_equal(circuit_create(0, &circuit), STATUS_OK);
	circuit_drop_rows(circuit);
	/* More than the first block of values, so that it grows. */
	for (uint32_t i = 1; i <= 5000; i++) {
		assert_int_equal(circuit_add_small_wire(circuit, i), i);
		circuit_add_power(circuit, R1CS_A, i, 0, false);
		circuit_end_row(circuit);
	}
	assert_int_equal(circuit_finish(circuit, NULL, &witness), STATUS_OK);
	assert_int_equal(witness->count, 5001);
	for (uint32_t i = 0; i <= 5000; i++) {
		uint64_t limbs[4];

		blst_uint64_from_scalar(limbs, &witness->values[i]);
		assert_int_equal(limbs[0], i == 0 ? 1 : i);
		assert_int_equal(limbs[1] | limbs[2] | limbs[3], 0);
	}
}

static void powers_of_two_reach_127(void **state)
{
	AUTO(circuit_destroy) struct circuit *circuit = NULL;
	AUTO(r1cs_destroy) struct r1cs *r1cs = NULL;
	blst_fr expected;

	(void)state;
	assert_int_equal(circuit_create(0, &circuit), STATUS_OK);
	circuit_add_power(circuit, R1CS_C, 0, 127, true);
	circuit_end_row(circuit);
	assert_int_equal(circuit_finish(circuit, &r1cs, NULL), STATUS_OK);
	field_from_u64(&expected, 2);
	field_power(&expected, &expected, 127);
	blst_fr_cneg(&expected, &expected, true);
	assert_memory_equal(&r1cs->coefficient_values[0], &expected, sizeof(expected));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(terms_of_one_wire_are_summed_and_zeros_dropped),
		cmocka_unit_test(a_witness_needs_no_rows),
		cmocka_unit_test(powers_of_two_reach_127),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
