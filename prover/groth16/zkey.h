/* SPDX-License-Identifier: MIT */
/*
 * A Groth16 proving key over BLS12-381 in memory, read from or written to snarkjs's .zkey layout
 * (docs/file-formats.md). Queries hold only the points that are not infinity, each with the wire it
 * belongs to. A key is immutable once made and may be shared by threads.
 */
#pragma once

#include "trace/base/cleanup.h"
#include "trace/base/diag.h"
#include "trace/base/status.h"

#include <blst.h>
#include <stdbool.h>
#include <stdint.h>

/* `wires[i]` is the wire (for H: the domain index) of `points[i]`; wires ascend. */
struct zkey_query_g1 {
	uint32_t count;
	uint32_t *wires;
	blst_p1_affine *points;
};

struct zkey_query_g2 {
	uint32_t count;
	uint32_t *wires;
	blst_p2_affine *points;
};

/*
 * A sparse matrix by rows: entry e of row r, for row_begin[r] <= e < row_begin[r + 1], multiplies
 * wire wires[e] by coefficient_values[coefficients[e]].
 */
struct zkey_matrix {
	uint32_t row_count; /* the domain size */
	uint32_t *row_begin;
	uint32_t *wires;
	uint32_t *coefficients;
};

struct zkey {
	uint32_t wire_count;   /* wire 0 is the constant 1 */
	uint32_t public_count; /* wires 1 .. public_count */
	uint32_t domain_size;  /* a power of two */
	uint32_t domain_log2;

	blst_p1_affine alpha_g1;
	blst_p1_affine beta_g1;
	blst_p1_affine delta_g1;
	blst_p2_affine beta_g2;
	blst_p2_affine gamma_g2;
	blst_p2_affine delta_g2;

	blst_p1_affine *ic; /* public_count + 1, infinity is legal */

	struct zkey_matrix a_matrix;
	struct zkey_matrix b_matrix;
	/*
	 * The distinct coefficients, as the file has them: v * R^2 mod r, so that one Montgomery
	 * product with a canonical witness word gives v * w in Montgomery form.
	 */
	blst_fr *coefficient_values;
	uint32_t coefficient_value_count;

	struct zkey_query_g1 a;
	struct zkey_query_g1 b1;
	struct zkey_query_g1 l; /* wires public_count + 1 and up */
	struct zkey_query_g1 h; /* Lagrange basis of the double domain, odd points */
	struct zkey_query_g2 b2;

	bool is_insecure; /* made by our own test set-up: whoever made it can forge proofs */
	uint64_t file_bytes;
};

/* How much checking of points a read does. Both check ranges, sizes and the curve equation. */
enum zkey_check {
	ZKEY_CHECK_CURVE,    /* on the curve */
	ZKEY_CHECK_SUBGROUP, /* and in the prime-order subgroup: slow, ~50 us a point */
};

/* Reads `path` and gives the key. BAD_INPUT with a line in `diag` for whatever is wrong with it. */
MUST_CHECK enum status zkey_read(
	const char *path, enum zkey_check check, struct diag *diag, struct zkey **out_key);

/* The same from memory, which is borrowed for the call only; `name` stands for the path. */
MUST_CHECK enum status zkey_parse(const char *name, const uint8_t *bytes, uint64_t byte_count,
	enum zkey_check check, struct diag *diag, struct zkey **out_key);

/* Writes `key` to `path` through a temporary file beside it, so that a failure leaves no half file.
 */
MUST_CHECK enum status zkey_write(const struct zkey *key, const char *path, struct diag *diag);

/* Accepts NULL. */
void zkey_destroy(struct zkey *key);
DEFINE_AUTO(struct zkey, zkey_destroy)
