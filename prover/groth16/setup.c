/* SPDX-License-Identifier: MIT */
#include "prover/groth16/setup.h"

#include "prover/groth16/field.h"
#include "prover/groth16/setup_points.h"
#include "prover/groth16/setup_scalars.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* H lives in the domain of twice the size, and only 2^32 roots of unity exist. */
#define DOMAIN_LOG2_MAX (FIELD_DOMAIN_LOG2_MAX - 1)

/* The smallest domain for all rows and the input rows of the constant and the public wires. */
static uint32_t choose_domain_log2(const struct r1cs *r1cs)
{
	uint64_t row_count = (uint64_t)r1cs->constraint_count + r1cs_public_count(r1cs) + 1;
	uint32_t log2 = 1;

	while (UINT64_C(1) << log2 < row_count) {
		log2++;
	}
	return log2;
}

/* Copies the coefficients as a key holds them, and makes sure that 1 is among them. */
static bool copy_coefficients(const struct r1cs *r1cs, struct zkey *key, uint32_t *out_one)
{
	uint32_t count = r1cs->coefficient_value_count;
	uint32_t one_at = count;
	blst_fr one;

	key->coefficient_values = malloc((count + UINT64_C(1)) * sizeof(blst_fr));
	if (!key->coefficient_values) {
		return false;
	}
	field_one(&one);
	for (uint32_t i = 0; i < count; i++) {
		if (memcmp(&r1cs->coefficient_values[i], &one, sizeof(one)) == 0) {
			one_at = i;
		}
		blst_fr_to(&key->coefficient_values[i], &r1cs->coefficient_values[i]);
	}
	if (one_at == count) {
		blst_fr_to(&key->coefficient_values[count++], &one);
	}
	key->coefficient_value_count = count;
	*out_one = one_at;
	return true;
}

/*
 * Copies one side and stretches it to matrix->row_count, the domain; `input_count` rows of one
 * entry are added.
 */
static bool copy_matrix(const struct zkey_matrix *from, uint32_t input_count, uint32_t one,
	struct zkey_matrix *matrix)
{
	uint32_t domain_size = matrix->row_count;
	uint32_t count = from->row_begin[from->row_count];
	uint32_t row = from->row_count;

	matrix->row_begin = malloc((domain_size + UINT64_C(1)) * sizeof(uint32_t));
	matrix->wires = malloc((count + UINT64_C(1) + input_count) * sizeof(uint32_t));
	matrix->coefficients = malloc((count + UINT64_C(1) + input_count) * sizeof(uint32_t));
	if (!matrix->row_begin || !matrix->wires || !matrix->coefficients) {
		return false;
	}
	memcpy(matrix->row_begin, from->row_begin, (row + UINT64_C(1)) * sizeof(uint32_t));
	if (count > 0) {
		memcpy(matrix->wires, from->wires, count * sizeof(uint32_t));
		memcpy(matrix->coefficients, from->coefficients, count * sizeof(uint32_t));
	}
	for (uint32_t wire = 0; wire < input_count; wire++) {
		matrix->wires[count] = wire;
		matrix->coefficients[count++] = one;
		matrix->row_begin[++row] = count;
	}
	/* Rows to the end of the domain are empty. */
	while (row < domain_size) {
		matrix->row_begin[++row] = count;
	}
	return true;
}

static bool copy_rows(const struct r1cs *r1cs, struct zkey *key)
{
	uint32_t one;

	key->a_matrix.row_count = key->domain_size;
	key->b_matrix.row_count = key->domain_size;
	return copy_coefficients(r1cs, key, &one) &&
	       copy_matrix(&r1cs->sides[R1CS_A], key->public_count + 1, one, &key->a_matrix) &&
	       /* Input rows have no B, and C is not stored in a key. */
	       copy_matrix(&r1cs->sides[R1CS_B], 0, one, &key->b_matrix);
}

static void multiply_g1(blst_p1_affine *out_point, const blst_fr *element)
{
	blst_scalar scalar;
	blst_p1 point;

	blst_scalar_from_fr(&scalar, element);
	blst_p1_mult(&point, blst_p1_generator(), scalar.b, 255);
	blst_p1_to_affine(out_point, &point);
	explicit_bzero(&scalar, sizeof(scalar));
}

static void multiply_g2(blst_p2_affine *out_point, const blst_fr *element)
{
	blst_scalar scalar;
	blst_p2 point;

	blst_scalar_from_fr(&scalar, element);
	blst_p2_mult(&point, blst_p2_generator(), scalar.b, 255);
	blst_p2_to_affine(out_point, &point);
	explicit_bzero(&scalar, sizeof(scalar));
}

static void fill_header(const struct setup_trapdoors *trapdoors, struct zkey *key)
{
	multiply_g1(&key->alpha_g1, &trapdoors->alpha);
	multiply_g1(&key->beta_g1, &trapdoors->beta);
	multiply_g1(&key->delta_g1, &trapdoors->delta);
	multiply_g2(&key->beta_g2, &trapdoors->beta);
	/* As in snarkjs, gamma is 1: its point is the generator. */
	key->gamma_g2 = *blst_p2_affine_generator();
	multiply_g2(&key->delta_g2, &trapdoors->delta);
}

static enum status fill_ic(const struct setup_scalars *scalars, struct zkey *key)
{
	key->ic = calloc(key->public_count + UINT64_C(1), sizeof(*key->ic));
	if (!key->ic) {
		return STATUS_NO_MEMORY;
	}
	for (uint32_t wire = 0; wire <= key->public_count; wire++) {
		/* A scalar of zero gives the zeros that stand for infinity. */
		multiply_g1(&key->ic[wire], &scalars->terms[wire]);
	}
	return STATUS_OK;
}

static enum status fill_queries(
	const struct setup_scalars *scalars, uint32_t thread_count, struct zkey *key)
{
	AUTO(setup_points_destroy) struct setup_points *points = NULL;
	uint32_t first_private = key->public_count + 1;
	enum status status = setup_points_create(&points);

	if (status == STATUS_OK) {
		status = setup_points_query_g2(
			points, thread_count, scalars->b, key->wire_count, 0, &key->b2);
	}
	if (status == STATUS_OK) {
		status = setup_points_query_g1(
			points, thread_count, scalars->a, key->wire_count, 0, &key->a);
	}
	if (status == STATUS_OK) {
		status = setup_points_query_g1(
			points, thread_count, scalars->b, key->wire_count, 0, &key->b1);
	}
	if (status == STATUS_OK) {
		status = setup_points_query_g1(points, thread_count, scalars->terms + first_private,
			key->wire_count - first_private, first_private, &key->l);
	}
	if (status == STATUS_OK) {
		status = setup_points_query_g1(
			points, thread_count, scalars->h, key->domain_size, 0, &key->h);
	}
	return status;
}

static enum status fill_key(const struct r1cs *r1cs, const struct setup_options *options,
	const struct setup_trapdoors *trapdoors, struct zkey *key)
{
	AUTO(setup_scalars_destroy) struct setup_scalars *scalars = NULL;
	enum status status;

	if (!copy_rows(r1cs, key)) {
		return STATUS_NO_MEMORY;
	}
	status = setup_scalars_create(r1cs, trapdoors, key->domain_log2, &scalars);
	if (status != STATUS_OK) {
		return status;
	}
	fill_header(trapdoors, key);
	status = fill_ic(scalars, key);
	if (status != STATUS_OK) {
		return status;
	}
	return fill_queries(scalars, options->thread_count, key);
}

enum status setup_create_key(const struct r1cs *r1cs, const struct setup_options *options,
	struct diag *diag, struct zkey **out_key)
{
	AUTO(zkey_destroy) struct zkey *key = NULL;
	struct setup_trapdoors trapdoors;
	enum status status;

	assert(r1cs && options && out_key);

	key = calloc(1, sizeof(*key));
	if (!key) {
		return diag_set(diag, STATUS_NO_MEMORY, "set-up: out of memory");
	}
	key->wire_count = r1cs->wire_count;
	key->public_count = r1cs_public_count(r1cs);
	key->domain_log2 = choose_domain_log2(r1cs);
	if (key->domain_log2 > DOMAIN_LOG2_MAX) {
		return diag_set(diag, STATUS_TOO_LARGE,
			"set-up: %u constraints are more than the scalar field has roots of unity "
			"for",
			r1cs->constraint_count);
	}
	key->domain_size = UINT32_C(1) << key->domain_log2;
	key->is_insecure = true;
	status = setup_trapdoors_draw(options->seed, key->domain_log2, &trapdoors);
	if (status == STATUS_OK) {
		status = fill_key(r1cs, options, &trapdoors, key);
	}
	/* Whoever knows these forges proofs; the key is marked as insecure all the same. */
	explicit_bzero(&trapdoors, sizeof(trapdoors));
	if (status != STATUS_OK) {
		return diag_set(diag, status, "set-up: %s", status_text(status));
	}
	*out_key = MOVE(key);
	return STATUS_OK;
}
