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

/*
 * Gives the key's coefficients times a canonical 1, from v * R^2 to v * R, for `coefficient_ones`:
 * most witness values are 0 or 1, whose products are then additions. free() them. NULL: no memory.
 */
blst_fr *matrix_vector_make_ones(const struct zkey *key);

/*
 * Rows row_begin <= row < row_end of A * vector, B * vector and C * vector, in this order in `abc`.
 * C is not stored in a key: for a witness that satisfies the circuit it is A times B, row by row.
 */
void matrix_vector_evaluate(const struct zkey *key, const struct matrix_vector *vector,
	uint32_t row_begin, uint32_t row_end, blst_fr *const abc[3]);
