/* SPDX-License-Identifier: MIT */
/* Proves that the shortcuts for 0, 1 and -1 change no row, and that v * R^2 comes out as v * w. */
#include "prover/groth16/field.h"
#include "prover/groth16/matrix_vector.h"
#include "prover/groth16/scalars.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum {
	WIRES = 6,
	ENTRIES = 8,
	ROWS = 4,
	COEFFICIENTS = 3
};

/* v * R^2: Montgomery form (v * R), taken to Montgomery form once more. */
static void file_form(blst_fr *out_value, const blst_fr *value)
{
	blst_scalar words;

	memcpy(words.b, value, sizeof(words.b));
	blst_fr_from_scalar(out_value, &words);
}

struct product {
	uint32_t row_begin[ROWS + 1];
	uint32_t wires[ENTRIES];
	uint32_t coefficients[ENTRIES];
	struct zkey_matrix matrix;
	blst_fr plain[COEFFICIENTS];
	blst_fr in_file[COEFFICIENTS];
	blst_fr elements[WIRES];
	blst_scalar values[WIRES];
	uint8_t classes[WIRES];
	struct matrix_vector vector;
};

static void make_product(struct product *product)
{
	static const uint32_t row_begin[ROWS + 1] = {0, 3, 3, 7, 8};
	static const uint32_t wires[ENTRIES] = {0, 1, 2, 3, 4, 5, 2, 5};
	static const uint32_t coefficients[ENTRIES] = {0, 1, 2, 2, 1, 0, 0, 2};
	blst_fr *plain = product->plain;
	blst_fr *elements = product->elements;

	memcpy(product->row_begin, row_begin, sizeof(row_begin));
	memcpy(product->wires, wires, sizeof(wires));
	memcpy(product->coefficients, coefficients, sizeof(coefficients));
	field_one(&plain[0]);
	field_from_u64(&plain[1], 0x123456789abcdef);
	blst_fr_sqr(&plain[1], &plain[1]);
	blst_fr_cneg(&plain[2], &plain[0], true);
	for (size_t i = 0; i < COEFFICIENTS; i++) {
		file_form(&product->in_file[i], &plain[i]);
	}
	field_one(&elements[0]);
	field_from_u64(&elements[1], 0);
	field_from_u64(&elements[2], 1);
	blst_fr_cneg(&elements[3], &elements[0], true);
	field_from_u64(&elements[4], 123456);
	blst_fr_cneg(&elements[5], &elements[4], true);
	for (size_t i = 0; i < WIRES; i++) {
		blst_scalar_from_fr(&product->values[i], &elements[i]);
	}
	scalars_classify_all(product->values, WIRES, product->classes);
	product->matrix = (struct zkey_matrix){.row_count = ROWS,
		.row_begin = product->row_begin,
		.wires = product->wires,
		.coefficients = product->coefficients};
	product->vector = (struct matrix_vector){.values = product->values,
		.classes = product->classes,
		.coefficient_values = product->in_file,
		.coefficient_ones = product->plain};
}

static void rows_are_sums_of_products(void **state)
{
	struct product product;
	blst_fr rows[ROWS + 2];

	(void)state;
	make_product(&product);
	memset(rows, 0x33, sizeof(rows));
	matrix_vector_multiply(&product.matrix, &product.vector, 0, 2, rows + 1);
	matrix_vector_multiply(&product.matrix, &product.vector, 2, ROWS, rows + 1);
	for (uint32_t row = 0; row < ROWS; row++) {
		blst_fr expected = {{0}};

		for (uint32_t i = product.row_begin[row]; i < product.row_begin[row + 1]; i++) {
			blst_fr term;

			blst_fr_mul(&term, &product.plain[product.coefficients[i]],
				&product.elements[product.wires[i]]);
			blst_fr_add(&expected, &expected, &term);
		}
		assert_memory_equal(&rows[row + 1], &expected, sizeof(expected));
	}
	/* Nothing beside the rows asked for was written. */
	for (size_t i = 0; i < sizeof(rows[0]); i++) {
		assert_int_equal(((const uint8_t *)&rows[0])[i], 0x33);
		assert_int_equal(((const uint8_t *)&rows[ROWS + 1])[i], 0x33);
	}
}

static void ones_are_the_coefficients_in_montgomery_form(void **state)
{
	struct product product;
	struct zkey key = {.coefficient_value_count = COEFFICIENTS};
	blst_fr *ones;

	(void)state;
	make_product(&product);
	key.coefficient_values = product.in_file;
	ones = matrix_vector_make_ones(&key);
	assert_non_null(ones);
	assert_memory_equal(ones, product.plain, sizeof(product.plain));
	free(ones);

	/* A key without any is no failure. */
	key.coefficient_value_count = 0;
	ones = matrix_vector_make_ones(&key);
	assert_non_null(ones);
	free(ones);
}

static void c_is_a_times_b(void **state)
{
	uint32_t b_row_begin[ROWS + 1] = {0, 1, 2, 3, 4};
	uint32_t b_wires[ROWS] = {4, 4, 5, 2};
	uint32_t b_coefficients[ROWS] = {1, 0, 1, 2};
	struct product product;
	struct zkey key = {.b_matrix = {.row_count = ROWS,
				   .row_begin = b_row_begin,
				   .wires = b_wires,
				   .coefficients = b_coefficients}};
	blst_fr values[3][ROWS];
	blst_fr expected[2][ROWS];
	blst_fr *const abc[3] = {values[0], values[1], values[2]};

	(void)state;
	make_product(&product);
	key.a_matrix = product.matrix;
	matrix_vector_multiply(&key.a_matrix, &product.vector, 0, ROWS, expected[0]);
	matrix_vector_multiply(&key.b_matrix, &product.vector, 0, ROWS, expected[1]);
	matrix_vector_evaluate(&key, &product.vector, 0, 1, abc);
	matrix_vector_evaluate(&key, &product.vector, 1, ROWS, abc);
	for (uint32_t row = 0; row < ROWS; row++) {
		blst_fr c;

		assert_memory_equal(&values[0][row], &expected[0][row], sizeof(blst_fr));
		assert_memory_equal(&values[1][row], &expected[1][row], sizeof(blst_fr));
		blst_fr_mul(&c, &expected[0][row], &expected[1][row]);
		assert_memory_equal(&values[2][row], &c, sizeof(c));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_sums_of_products),
		cmocka_unit_test(ones_are_the_coefficients_in_montgomery_form),
		cmocka_unit_test(c_is_a_times_b),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
