/* SPDX-License-Identifier: MIT */
/* A sparse matrix of a key times a witness, by rows. */
#pragma once

#include "prover/groth16/zkey.h"

#include <blst.h>
#include <stdint.h>

/* A witness, and its classes (scalars.h), which make most products unnecessary. */
struct matrix_vector {
	const blst_scalar *values;
	const uint8_t *classes;
	const blst_fr *coefficient_values; /* of the key: v * R^2 */
	const blst_fr *coefficient_ones;   /* the same times a canonical 1: v * R */
};

/* values[row] = row of `matrix` * vector for row_begin <= row < row_end, in Montgomery form. */
void matrix_vector_multiply(const struct zkey_matrix *matrix, const struct matrix_vector *vector,
	uint32_t row_begin, uint32_t row_end, blst_fr *values);
