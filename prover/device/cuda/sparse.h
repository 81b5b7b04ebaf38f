/* SPDX-License-Identifier: MIT */
/*
 * A sparse matrix of a key (groth16/zkey.h) times a witness. A row is a thread's work; the few that
 * are much longer than others are cut into parts, since their warps would wait for them.
 */
#pragma once

#include "prover/device/cuda/fr.h"

/* A row of more entries is long. */
#define SPARSE_ROW_ENTRIES 256u

/* Threads for each long row. */
#define SPARSE_PARTS 32u

struct sparse {
	uint32_t row_count;
	const uint32_t *row_begin;
	const uint32_t *wires;
	const uint32_t *coefficients;
	const struct fr *coefficient_values; /* v * R^2, so that a product is in Montgomery form */
	const struct fr *witness;            /* canonical */
	uint32_t long_count;
	const uint32_t *long_rows;
};

/* The sum of every `step`-th entry from `begin` on. */
GPU_FUNCTION struct fr sparse_sum(
	const struct sparse *sparse, uint32_t begin, uint32_t end, uint32_t step)
{
	struct fr sum = fr_zero();

	GPU_ROLLED
	for (uint32_t i = begin; i < end; i += step) {
		const struct fr product = fr_multiply(&sparse->witness[sparse->wires[i]],
			&sparse->coefficient_values[sparse->coefficients[i]]);

		sum = fr_add(&sum, &product);
	}
	return sum;
}

/* A thread for each row: those that are not long. */
GPU_FUNCTION void sparse_row(uint32_t thread, const struct sparse *sparse, struct fr *values)
{
	uint32_t begin;
	uint32_t end;

	if (thread >= sparse->row_count) {
		return;
	}
	begin = sparse->row_begin[thread];
	end = sparse->row_begin[thread + 1];
	if (end - begin <= SPARSE_ROW_ENTRIES) {
		values[thread] = sparse_sum(sparse, begin, end, 1);
	}
}

/* SPARSE_PARTS threads for each long row, a part each. */
GPU_FUNCTION void sparse_part(uint32_t thread, const struct sparse *sparse, struct fr *parts)
{
	uint32_t row;

	if (thread / SPARSE_PARTS >= sparse->long_count) {
		return;
	}
	row = sparse->long_rows[thread / SPARSE_PARTS];
	parts[thread] = sparse_sum(sparse, sparse->row_begin[row] + thread % SPARSE_PARTS,
		sparse->row_begin[row + 1], SPARSE_PARTS);
}

/* A thread for each long row: its parts together. */
GPU_FUNCTION void sparse_join(
	uint32_t thread, const struct sparse *sparse, const struct fr *parts, struct fr *values)
{
	struct fr sum = fr_zero();

	if (thread >= sparse->long_count) {
		return;
	}
	GPU_ROLLED
	for (uint32_t i = 0; i < SPARSE_PARTS; i++) {
		sum = fr_add(&sum, &parts[thread * SPARSE_PARTS + i]);
	}
	values[sparse->long_rows[thread]] = sum;
}
