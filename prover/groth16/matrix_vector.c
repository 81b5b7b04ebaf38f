/* SPDX-License-Identifier: MIT */
#include "prover/groth16/matrix_vector.h"

#include "prover/groth16/scalars.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static_assert(sizeof(blst_fr) == sizeof(blst_scalar), "a canonical word is used as an element");

static void add_product(
	const struct matrix_vector *vector, uint32_t coefficient, uint32_t wire, blst_fr *sum)
{
	blst_fr word;

	switch ((enum scalar_class)vector->classes[wire]) {
	case SCALAR_ZERO:
		break;
	case SCALAR_ONE:
		blst_fr_add(sum, sum, &vector->coefficient_ones[coefficient]);
		break;
	case SCALAR_MINUS_ONE:
		blst_fr_sub(sum, sum, &vector->coefficient_ones[coefficient]);
		break;
	case SCALAR_SMALL:
	case SCALAR_WIDE:
	case SCALAR_CLASS_COUNT:
		/* A canonical word used as if it were in Montgomery form: the coefficient brings
		 * the R^2 that mends it. */
		memcpy(&word, vector->values[wire].b, sizeof(word));
		blst_fr_mul(&word, &word, &vector->coefficient_values[coefficient]);
		blst_fr_add(sum, sum, &word);
		break;
	}
}

void matrix_vector_multiply(const struct zkey_matrix *matrix, const struct matrix_vector *vector,
	uint32_t row_begin, uint32_t row_end, blst_fr *values)
{
	for (uint32_t row = row_begin; row < row_end; row++) {
		blst_fr sum = {{0}};

		for (uint32_t i = matrix->row_begin[row]; i < matrix->row_begin[row + 1]; i++) {
			add_product(vector, matrix->coefficients[i], matrix->wires[i], &sum);
		}
		values[row] = sum;
	}
}

blst_fr *matrix_vector_make_ones(const struct zkey *key)
{
	static const blst_fr canonical_one = {.l = {1}};
	/* One more, for malloc(0) may be NULL. */
	blst_fr *ones = malloc(((size_t)key->coefficient_value_count + 1) * sizeof(*ones));

	for (uint32_t i = 0; ones && i < key->coefficient_value_count; i++) {
		blst_fr_mul(&ones[i], &key->coefficient_values[i], &canonical_one);
	}
	return ones;
}

void matrix_vector_evaluate(const struct zkey *key, const struct matrix_vector *vector,
	uint32_t row_begin, uint32_t row_end, blst_fr *const abc[3])
{
	matrix_vector_multiply(&key->a_matrix, vector, row_begin, row_end, abc[0]);
	matrix_vector_multiply(&key->b_matrix, vector, row_begin, row_end, abc[1]);
	for (uint32_t row = row_begin; row < row_end; row++) {
		blst_fr_mul(&abc[2][row], &abc[0][row], &abc[1][row]);
	}
}
