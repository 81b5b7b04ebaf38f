/* SPDX-License-Identifier: MIT */
/* Proves that the shortcuts for 0, 1 and -1 change no row, and that v * R^2 comes out as v * w. */
#include "prover/groth16/field.h"
#include "prover/groth16/matrix_vector.h"
#include "prover/groth16/scalars.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
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

static void rows_are_sums_of_products(void **state)
{
	uint32_t row_begin[ROWS + 1] = {0, 3, 3, 7, 8};
	uint32_t wires[ENTRIES] = {0, 1, 2, 3, 4, 5, 2, 5};
	uint32_t coefficients[ENTRIES] = {0, 1, 2, 2, 1, 0, 0, 2};
	struct zkey_matrix matrix = {.row_count = ROWS,
		.row_begin = row_begin,
		.wires = wires,
		.coefficients = coefficients};
	blst_fr plain[COEFFICIENTS];
	blst_fr in_file[COEFFICIENTS];
	blst_fr elements[WIRES];
	blst_scalar values[WIRES];
	uint8_t classes[WIRES];
	blst_fr rows[ROWS + 2];
	struct matrix_vector vector = {.values = values,
		.classes = classes,
		.coefficient_values = in_file,
		.coefficient_ones = plain};

	(void)state;
	field_one(&plain[0]);
	field_from_u64(&plain[1], 0x123456789abcdef);
	blst_fr_sqr(&plain[1], &plain[1]);
	blst_fr_cneg(&plain[2], &plain[0], true);
	for (size_t i = 0; i < COEFFICIENTS; i++) {
		file_form(&in_file[i], &plain[i]);
	}
	field_one(&elements[0]);
	field_from_u64(&elements[1], 0);
	field_from_u64(&elements[2], 1);
	blst_fr_cneg(&elements[3], &elements[0], true);
	field_from_u64(&elements[4], 123456);
	blst_fr_cneg(&elements[5], &elements[4], true);
	for (size_t i = 0; i < WIRES; i++) {
		blst_scalar_from_fr(&values[i], &elements[i]);
	}
	scalars_classify_all(values, WIRES, classes);
	memset(rows, 0x33, sizeof(rows));
	matrix_vector_multiply(&matrix, &vector, 0, 2, rows + 1);
	matrix_vector_multiply(&matrix, &vector, 2, ROWS, rows + 1);
	for (uint32_t row = 0; row < ROWS; row++) {
		blst_fr expected = {{0}};

		for (uint32_t i = row_begin[row]; i < row_begin[row + 1]; i++) {
			blst_fr product;

			blst_fr_mul(&product, &plain[coefficients[i]], &elements[wires[i]]);
			blst_fr_add(&expected, &expected, &product);
		}
		assert_memory_equal(&rows[row + 1], &expected, sizeof(expected));
	}
	/* Nothing beside the rows asked for was written. */
	for (size_t i = 0; i < sizeof(rows[0]); i++) {
		assert_int_equal(((const uint8_t *)&rows[0])[i], 0x33);
		assert_int_equal(((const uint8_t *)&rows[ROWS + 1])[i], 0x33);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_sums_of_products),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
