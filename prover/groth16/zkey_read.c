/* SPDX-License-Identifier: MIT */
#include "prover/groth16/file_bytes.h"
#include "prover/groth16/matrix.h"
#include "prover/groth16/zkey.h"
#include "prover/groth16/zkey_coefficients.h"
#include "prover/groth16/zkey_layout.h"
#include "prover/groth16/zkey_points.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(blst_p1_affine) == 96 && sizeof(blst_p2_affine) == 192,
	"blst's points are the file's points");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "and their words little-endian");

/* Accepts a key that was filled in part: every reader below leaves it so when it fails. */
void zkey_destroy(struct zkey *key)
{
	if (!key) {
		return;
	}
	matrix_finish(&key->a_matrix);
	matrix_finish(&key->b_matrix);
	zkey_points_finish_g1(&key->a);
	zkey_points_finish_g1(&key->b1);
	zkey_points_finish_g1(&key->l);
	zkey_points_finish_g1(&key->h);
	zkey_points_finish_g2(&key->b2);
	free(key->coefficient_values);
	free(key->ic);
	free(key);
}

static enum status check_protocol(const struct binary_file *file, struct diag *diag)
{
	struct binary_cursor cursor;
	uint32_t protocol;
	enum status status =
		binary_cursor_open(file, ZKEY_SECTION_PROTOCOL, "protocol", diag, &cursor);

	if (status != STATUS_OK) {
		return status;
	}
	if (!binary_cursor_take_u32(&cursor, &protocol)) {
		return binary_cursor_cut(&cursor, diag);
	}
	if (protocol == ZKEY_PROTOCOL_GROTH16) {
		return binary_cursor_end(&cursor, diag);
	}
	return diag_set(diag, STATUS_BAD_INPUT,
		"%s: a key for %s; only Groth16 keys are supported: make one with `snarkjs groth16 "
		"setup`",
		file->name,
		protocol == ZKEY_PROTOCOL_PLONK    ? "PLONK"
		: protocol == ZKEY_PROTOCOL_FFLONK ? "FFLONK"
						   : "an unknown proof system");
}

static enum status take_header_g1(struct binary_cursor *cursor, const char *name,
	enum zkey_check check, struct diag *diag, blst_p1_affine *out_point)
{
	const uint8_t *bytes = binary_cursor_take(cursor, ZKEY_G1_BYTES);
	const char *wrong;

	if (!bytes) {
		return binary_cursor_cut(cursor, diag);
	}
	/* The file's Montgomery words are blst's own (R = 2^384): a copy, no conversion. */
	memcpy(out_point, bytes, sizeof(*out_point));
	wrong = zkey_points_wrong_g1(out_point, ZKEY_INFINITY_REFUSED, check);
	if (!wrong) {
		return STATUS_OK;
	}
	return diag_set(diag, STATUS_BAD_INPUT,
		"%s: section 2 (header): %s: %s; is the file damaged?", cursor->file_name, name,
		wrong);
}

static enum status take_header_g2(struct binary_cursor *cursor, const char *name,
	enum zkey_check check, struct diag *diag, blst_p2_affine *out_point)
{
	const uint8_t *bytes = binary_cursor_take(cursor, ZKEY_G2_BYTES);
	const char *wrong;

	if (!bytes) {
		return binary_cursor_cut(cursor, diag);
	}
	memcpy(out_point, bytes, sizeof(*out_point));
	wrong = zkey_points_wrong_g2(out_point, ZKEY_INFINITY_REFUSED, check);
	if (!wrong) {
		return STATUS_OK;
	}
	return diag_set(diag, STATUS_BAD_INPUT,
		"%s: section 2 (header): %s: %s; is the file damaged?", cursor->file_name, name,
		wrong);
}

/* The file's order: beta2 and gamma2 stand before delta1. */
static enum status take_header_points(
	struct binary_cursor *cursor, enum zkey_check check, struct diag *diag, struct zkey *key)
{
	enum status status = take_header_g1(cursor, "alpha1", check, diag, &key->alpha_g1);

	if (status == STATUS_OK) {
		status = take_header_g1(cursor, "beta1", check, diag, &key->beta_g1);
	}
	if (status == STATUS_OK) {
		status = take_header_g2(cursor, "beta2", check, diag, &key->beta_g2);
	}
	if (status == STATUS_OK) {
		status = take_header_g2(cursor, "gamma2", check, diag, &key->gamma_g2);
	}
	if (status == STATUS_OK) {
		status = take_header_g1(cursor, "delta1", check, diag, &key->delta_g1);
	}
	if (status == STATUS_OK) {
		status = take_header_g2(cursor, "delta2", check, diag, &key->delta_g2);
	}
	return status;
}

/* What is allocated later follows from these three, so they are held against one another first. */
static enum status check_counts(const struct binary_file *file, struct diag *diag, struct zkey *key)
{
	if (key->public_count >= key->wire_count) {
		return diag_set(diag, STATUS_BAD_INPUT,
			"%s: section 2 (header): %u public wires of %u in all; is the file "
			"damaged?",
			file->name, key->public_count, key->wire_count);
	}
	if (key->domain_size == 0 || (key->domain_size & (key->domain_size - 1)) != 0) {
		return diag_set(diag, STATUS_BAD_INPUT,
			"%s: section 2 (header): domain size %u is not a power of two; is the file "
			"damaged?",
			file->name, key->domain_size);
	}
	/* Each public wire and the constant have an input row of their own in the domain. */
	if (key->domain_size <= key->public_count) {
		return diag_set(diag, STATUS_BAD_INPUT,
			"%s: section 2 (header): domain size %u is too small for %u public wires; "
			"is the file damaged?",
			file->name, key->domain_size, key->public_count);
	}
	key->domain_log2 = (uint32_t)__builtin_ctz(key->domain_size);
	return STATUS_OK;
}

static enum status parse_header(
	const struct binary_file *file, enum zkey_check check, struct diag *diag, struct zkey *key)
{
	struct binary_cursor cursor;
	enum status status = binary_cursor_open(file, ZKEY_SECTION_HEADER, "header", diag, &cursor);

	if (status == STATUS_OK) {
		status = binary_cursor_take_modulus(&cursor, "base", diag);
	}
	if (status == STATUS_OK) {
		status = binary_cursor_take_modulus(&cursor, "scalar", diag);
	}
	if (status != STATUS_OK) {
		return status;
	}
	if (!binary_cursor_take_u32(&cursor, &key->wire_count) ||
		!binary_cursor_take_u32(&cursor, &key->public_count) ||
		!binary_cursor_take_u32(&cursor, &key->domain_size)) {
		return binary_cursor_cut(&cursor, diag);
	}
	status = check_counts(file, diag, key);
	if (status == STATUS_OK) {
		status = take_header_points(&cursor, check, diag, key);
	}
	return status == STATUS_OK ? binary_cursor_end(&cursor, diag) : status;
}

/* IC keeps its infinities: its points are found by place. */
static enum status spread_ic(const struct zkey_query_g1 *query, struct zkey *key)
{
	key->ic = calloc(key->public_count + UINT64_C(1), sizeof(*key->ic));
	if (!key->ic) {
		return STATUS_NO_MEMORY;
	}
	for (uint32_t i = 0; i < query->count; i++) {
		key->ic[query->wires[i]] = query->points[i];
	}
	return STATUS_OK;
}

static enum status parse_ic(
	const struct binary_file *file, enum zkey_check check, struct diag *diag, struct zkey *key)
{
	const struct zkey_points_section section = {
		.id = ZKEY_SECTION_IC,
		.name = "IC",
		.count = key->public_count + 1,
		.infinity = ZKEY_INFINITY_ALLOWED,
		.check = check,
	};
	struct zkey_query_g1 query = {0};
	enum status status = zkey_points_parse_g1(file, &section, diag, &query);

	if (status == STATUS_OK && spread_ic(&query, key) != STATUS_OK) {
		status = diag_set(diag, STATUS_NO_MEMORY, "%s: out of memory", file->name);
	}
	zkey_points_finish_g1(&query);
	return status;
}

static enum status parse_queries(
	const struct binary_file *file, enum zkey_check check, struct diag *diag, struct zkey *key)
{
	struct zkey_points_section section = {
		.count = key->wire_count, .infinity = ZKEY_INFINITY_ALLOWED, .check = check};
	enum status status;

	/* A, B1 and B2 have a place for each wire; wires that a query does not use are infinity
	 * there. */
	section.id = ZKEY_SECTION_A;
	section.name = "A";
	status = zkey_points_parse_g1(file, &section, diag, &key->a);
	if (status == STATUS_OK) {
		section.id = ZKEY_SECTION_B1;
		section.name = "B1";
		status = zkey_points_parse_g1(file, &section, diag, &key->b1);
	}
	if (status == STATUS_OK) {
		section.id = ZKEY_SECTION_B2;
		section.name = "B2";
		status = zkey_points_parse_g2(file, &section, diag, &key->b2);
	}
	if (status == STATUS_OK) {
		section.id = ZKEY_SECTION_L;
		section.name = "L";
		/* Public wires are the verifier's: it sums their IC. */
		section.first_wire = key->public_count + 1;
		section.count = key->wire_count - key->public_count - 1;
		status = zkey_points_parse_g1(file, &section, diag, &key->l);
	}
	if (status == STATUS_OK) {
		/* Infinity here would mean that tau lies in the domain: a broken set-up. */
		section = (struct zkey_points_section){.id = ZKEY_SECTION_H,
			.name = "H",
			.count = key->domain_size,
			.infinity = ZKEY_INFINITY_REFUSED,
			.check = check};
		status = zkey_points_parse_g1(file, &section, diag, &key->h);
	}
	return status;
}

static enum status parse_contributions(
	const struct binary_file *file, struct diag *diag, struct zkey *key)
{
	static const char mark[ZKEY_CIRCUIT_HASH_BYTES] = ZKEY_INSECURE_MARK;
	struct binary_cursor cursor;
	const uint8_t *circuit_hash;
	uint32_t contribution_count;
	enum status status = binary_cursor_open(
		file, ZKEY_SECTION_CONTRIBUTIONS, "contributions", diag, &cursor);

	if (status != STATUS_OK) {
		return status;
	}
	/* The records themselves are not read: whether a ceremony was honest is not ours to say. */
	circuit_hash = binary_cursor_take(&cursor, ZKEY_CIRCUIT_HASH_BYTES);
	if (!circuit_hash || !binary_cursor_take_u32(&cursor, &contribution_count)) {
		return binary_cursor_cut(&cursor, diag);
	}
	key->is_insecure = memcmp(circuit_hash, mark, sizeof(mark)) == 0;
	return STATUS_OK;
}

enum status zkey_parse(const char *name, const uint8_t *bytes, uint64_t byte_count,
	enum zkey_check check, struct diag *diag, struct zkey **out_key)
{
	AUTO(zkey_destroy) struct zkey *key = NULL;
	struct binary_file file;
	enum status status;

	assert(name && bytes && out_key);

	status = binary_file_parse(&zkey_format, name, bytes, byte_count, diag, &file);
	if (status == STATUS_OK) {
		status = check_protocol(&file, diag);
	}
	if (status != STATUS_OK) {
		return status;
	}
	key = calloc(1, sizeof(*key));
	if (!key) {
		return diag_set(diag, STATUS_NO_MEMORY, "%s: out of memory", name);
	}
	key->file_bytes = byte_count;
	status = parse_header(&file, check, diag, key);
	if (status == STATUS_OK) {
		status = parse_contributions(&file, diag, key);
	}
	if (status == STATUS_OK) {
		status = parse_ic(&file, check, diag, key);
	}
	/* H holds domain_size points: after this the domain is no larger than the file. */
	if (status == STATUS_OK) {
		status = parse_queries(&file, check, diag, key);
	}
	if (status == STATUS_OK) {
		status = zkey_coefficients_parse(&file, diag, key);
	}
	if (status == STATUS_OK) {
		*out_key = MOVE(key);
	}
	return status;
}

enum status zkey_read(
	const char *path, enum zkey_check check, struct diag *diag, struct zkey **out_key)
{
	uint8_t *bytes;
	uint64_t byte_count;
	enum status status = file_bytes_read(path, UINT64_MAX, diag, &bytes, &byte_count);

	if (status != STATUS_OK) {
		return status;
	}
	status = zkey_parse(path, bytes, byte_count, check, diag, out_key);
	free(bytes);
	return status;
}
