/* SPDX-License-Identifier: MIT */
/* Builds a struct zkey_matrix row by row. */
#pragma once

#include "prover/groth16/zkey.h"
#include "trace/base/cleanup.h"
#include "trace/base/status.h"

#include <stdint.h>

struct matrix_builder {
	struct zkey_matrix matrix;
	uint32_t entry_count;
	uint32_t entry_capacity;
	uint32_t row_capacity;
};

/* Begin with a builder of zeros. One more entry in the row being made. */
MUST_CHECK enum status matrix_builder_push(
	struct matrix_builder *builder, uint32_t wire, uint32_t coefficient);

MUST_CHECK enum status matrix_builder_end_row(struct matrix_builder *builder);

/* Gives the matrix and leaves the builder empty. */
MUST_CHECK enum status matrix_builder_take(
	struct matrix_builder *builder, struct zkey_matrix *out_matrix);

/* Frees what the struct holds. */
void matrix_builder_finish(struct matrix_builder *builder);
void matrix_finish(struct zkey_matrix *matrix);
