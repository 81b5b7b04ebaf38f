/* SPDX-License-Identifier: MIT */
#include "prover/groth16/matrix.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#define CAPACITY_FIRST 256u

/* Grows *array to `count` words; false if there is no memory, and *array is as it was. */
static bool resize(uint32_t **array, uint32_t count)
{
	uint32_t *resized = realloc(*array, (size_t)count * sizeof(**array));

	if (resized) {
		*array = resized;
	}
	return resized != NULL;
}

/* Saturates: the push after that is refused. */
static uint32_t doubled(uint32_t capacity)
{
	if (capacity == 0) {
		return CAPACITY_FIRST;
	}
	return capacity > UINT32_MAX / 2 ? UINT32_MAX : 2 * capacity;
}

enum status matrix_builder_push(struct matrix_builder *builder, uint32_t wire, uint32_t coefficient)
{
	if (builder->entry_count == builder->entry_capacity) {
		uint32_t capacity = doubled(builder->entry_capacity);

		if (builder->entry_capacity == UINT32_MAX) {
			return STATUS_TOO_LARGE;
		}
		if (!resize(&builder->matrix.wires, capacity) ||
			!resize(&builder->matrix.coefficients, capacity)) {
			return STATUS_NO_MEMORY;
		}
		builder->entry_capacity = capacity;
	}
	builder->matrix.wires[builder->entry_count] = wire;
	builder->matrix.coefficients[builder->entry_count] = coefficient;
	builder->entry_count++;
	return STATUS_OK;
}

/* Room for one more element of row_begin, which holds row_count + 1. */
static enum status reserve_row(struct matrix_builder *builder)
{
	if (builder->matrix.row_count + 1 < builder->row_capacity) {
		return STATUS_OK;
	}
	if (builder->row_capacity == UINT32_MAX) {
		return STATUS_TOO_LARGE;
	}
	if (!resize(&builder->matrix.row_begin, doubled(builder->row_capacity))) {
		return STATUS_NO_MEMORY;
	}
	builder->row_capacity = doubled(builder->row_capacity);
	builder->matrix.row_begin[0] = 0;
	return STATUS_OK;
}

enum status matrix_builder_end_row(struct matrix_builder *builder)
{
	enum status status = reserve_row(builder);

	if (status != STATUS_OK) {
		return status;
	}
	builder->matrix.row_count++;
	/* Compressed sparse rows: entries of row r lie in [row_begin[r], row_begin[r + 1]). */
	builder->matrix.row_begin[builder->matrix.row_count] = builder->entry_count;
	return STATUS_OK;
}

enum status matrix_builder_take(struct matrix_builder *builder, struct zkey_matrix *out_matrix)
{
	/* A matrix without rows has row_begin[0] as well. */
	enum status status = reserve_row(builder);

	if (status != STATUS_OK) {
		return status;
	}
	/* Moved: the builder owns nothing after this. */
	*out_matrix = builder->matrix;
	*builder = (struct matrix_builder){0};
	return STATUS_OK;
}

void matrix_builder_finish(struct matrix_builder *builder)
{
	matrix_finish(&builder->matrix);
	*builder = (struct matrix_builder){0};
}

void matrix_finish(struct zkey_matrix *matrix)
{
	free(matrix->row_begin);
	free(matrix->wires);
	free(matrix->coefficients);
	*matrix = (struct zkey_matrix){0};
}
