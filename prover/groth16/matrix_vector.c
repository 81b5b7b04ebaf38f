/* SPDX-License-Identifier: MIT */
#include "prover/groth16/matrix_vector.h"

#include "prover/groth16/scalars.h"

#include <assert.h>
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
