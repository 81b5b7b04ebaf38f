/* SPDX-License-Identifier: MIT */
#include "prover/groth16/file_writer.h"
#include "prover/groth16/zkey.h"
#include "prover/groth16/zkey_layout.h"

#include <assert.h>

static void put_header(struct file_writer *writer, const struct zkey *key)
{
	binary_file_put_section(writer, ZKEY_SECTION_PROTOCOL, 4);
	file_writer_put_u32(writer, ZKEY_PROTOCOL_GROTH16);

	binary_file_put_section(writer, ZKEY_SECTION_HEADER,
		2 * 4 + FIELD_BASE_BYTES + FIELD_SCALAR_BYTES + 3 * 4 + 3 * ZKEY_G1_BYTES +
			3 * ZKEY_G2_BYTES);
	file_writer_put_u32(writer, FIELD_BASE_BYTES);
	file_writer_put(writer, field_base_modulus, FIELD_BASE_BYTES);
	file_writer_put_u32(writer, FIELD_SCALAR_BYTES);
	file_writer_put(writer, field_scalar_modulus, FIELD_SCALAR_BYTES);
	file_writer_put_u32(writer, key->wire_count);
	file_writer_put_u32(writer, key->public_count);
	file_writer_put_u32(writer, key->domain_size);
	/* The format's order: gamma of G2 stands before delta of G1. There is no gamma of G1. */
	file_writer_put(writer, &key->alpha_g1, ZKEY_G1_BYTES);
	file_writer_put(writer, &key->beta_g1, ZKEY_G1_BYTES);
	file_writer_put(writer, &key->beta_g2, ZKEY_G2_BYTES);
	file_writer_put(writer, &key->gamma_g2, ZKEY_G2_BYTES);
	file_writer_put(writer, &key->delta_g1, ZKEY_G1_BYTES);
	file_writer_put(writer, &key->delta_g2, ZKEY_G2_BYTES);

	binary_file_put_section(
		writer, ZKEY_SECTION_IC, (key->public_count + UINT64_C(1)) * ZKEY_G1_BYTES);
	file_writer_put(writer, key->ic, (key->public_count + UINT64_C(1)) * ZKEY_G1_BYTES);
}

static void put_row(struct file_writer *writer, const struct zkey *key, uint32_t matrix_index,
	const struct zkey_matrix *matrix, uint32_t row)
{
	for (uint32_t i = matrix->row_begin[row]; i < matrix->row_begin[row + 1]; i++) {
		file_writer_put_u32(writer, matrix_index);
		file_writer_put_u32(writer, row);
		file_writer_put_u32(writer, matrix->wires[i]);
		file_writer_put(writer, &key->coefficient_values[matrix->coefficients[i]],
			FIELD_SCALAR_BYTES);
	}
}

/* Row by row, A before B, as snarkjs writes them. */
static void put_coefficients(struct file_writer *writer, const struct zkey *key)
{
	const struct zkey_matrix *a = &key->a_matrix;
	const struct zkey_matrix *b = &key->b_matrix;
	uint32_t count = a->row_begin[a->row_count] + b->row_begin[b->row_count];

	assert(a->row_count == b->row_count);

	binary_file_put_section(
		writer, ZKEY_SECTION_COEFFICIENTS, 4 + (uint64_t)count * ZKEY_COEFFICIENT_BYTES);
	file_writer_put_u32(writer, count);
	for (uint32_t row = 0; row < a->row_count; row++) {
		put_row(writer, key, 0, a, row);
		put_row(writer, key, 1, b, row);
	}
}

/* All places from `first` up to `end`, infinity where the query has no point. */
static void put_query_g1(struct file_writer *writer, enum zkey_section section,
	const struct zkey_query_g1 *query, uint32_t first, uint32_t end)
{
	/* A query keeps the finite points only, by ascending wire; the file has a place for each
	 * wire. */
	const blst_p1_affine infinity = {0};
	uint32_t next = 0;

	binary_file_put_section(writer, section, (end - first) * ZKEY_G1_BYTES);
	for (uint32_t wire = first; wire < end; wire++) {
		bool is_finite = next < query->count && query->wires[next] == wire;

		file_writer_put(
			writer, is_finite ? &query->points[next] : &infinity, ZKEY_G1_BYTES);
		next += is_finite;
	}
}

static void put_query_g2(struct file_writer *writer, enum zkey_section section,
	const struct zkey_query_g2 *query, uint32_t first, uint32_t end)
{
	const blst_p2_affine infinity = {0};
	uint32_t next = 0;

	binary_file_put_section(writer, section, (end - first) * ZKEY_G2_BYTES);
	for (uint32_t wire = first; wire < end; wire++) {
		bool is_finite = next < query->count && query->wires[next] == wire;

		file_writer_put(
			writer, is_finite ? &query->points[next] : &infinity, ZKEY_G2_BYTES);
		next += is_finite;
	}
}

static void put_contributions(struct file_writer *writer, const struct zkey *key)
{
	static const char mark[ZKEY_CIRCUIT_HASH_BYTES] = ZKEY_INSECURE_MARK;
	static const char no_mark[ZKEY_CIRCUIT_HASH_BYTES];

	binary_file_put_section(writer, ZKEY_SECTION_CONTRIBUTIONS, sizeof(mark) + 4);
	file_writer_put(writer, key->is_insecure ? mark : no_mark, sizeof(mark));
	/* No contributions: snarkjs counts the ones that come later from here. */
	file_writer_put_u32(writer, 0);
}

enum status zkey_write(const struct zkey *key, const char *path, struct diag *diag)
{
	AUTO(file_writer_destroy) struct file_writer *writer = NULL;
	enum status status = file_writer_create(path, false, diag, &writer);

	if (status != STATUS_OK) {
		return status;
	}
	binary_file_put_header(writer, &zkey_format, 10);
	put_header(writer, key);
	put_coefficients(writer, key);
	put_query_g1(writer, ZKEY_SECTION_A, &key->a, 0, key->wire_count);
	put_query_g1(writer, ZKEY_SECTION_B1, &key->b1, 0, key->wire_count);
	put_query_g2(writer, ZKEY_SECTION_B2, &key->b2, 0, key->wire_count);
	put_query_g1(writer, ZKEY_SECTION_L, &key->l, key->public_count + 1, key->wire_count);
	put_query_g1(writer, ZKEY_SECTION_H, &key->h, 0, key->domain_size);
	put_contributions(writer, key);
	return file_writer_commit(writer, diag);
}
