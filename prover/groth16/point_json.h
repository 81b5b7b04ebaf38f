/* SPDX-License-Identifier: MIT */
/*
 * Points and field elements as snarkjs's JSON has them: decimal strings, projective triples whose
 * last coordinate is 1, or infinity as (0, 1, 0).
 */
#pragma once

#include "prover/groth16/zkey_points.h"
#include "trace/base/cleanup.h"
#include "trace/base/diag.h"
#include "trace/base/status.h"

#include <blst.h>
#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

/* A verification key with a million public values; nothing that is meant to be read is longer. */
#define POINT_JSON_TEXT_BYTES_MAX (UINT64_C(512) << 20)

/* Give a new reference, or NULL if there is no memory. */
json_t *point_json_g1(const blst_p1_affine *point);
json_t *point_json_g2(const blst_p2_affine *point);
json_t *point_json_fp2(const blst_fp2 *element);
json_t *point_json_scalar(const blst_scalar *scalar);

/*
 * Read `value`, which may be NULL for a member that is missing. Range, curve and subgroup are
 * checked. `file` and `place` are for the line in `diag`.
 */
MUST_CHECK enum status point_json_take_g1(const json_t *value, enum zkey_infinity infinity,
	const char *file, const char *place, struct diag *diag, blst_p1_affine *out_point);
MUST_CHECK enum status point_json_take_g2(const json_t *value, const char *file, const char *place,
	struct diag *diag, blst_p2_affine *out_point);

/* Gives the parsed text; duplicate members and text after the value are refused. */
MUST_CHECK enum status point_json_load(
	const char *file, const char *text, size_t size, struct diag *diag, json_t **out_value);

/* BAD_INPUT unless the object says "groth16" and, if it names a curve, "bls12381". */
MUST_CHECK enum status point_json_check_protocol(
	const json_t *object, const char *file, const char *what, struct diag *diag);

/* Gives the text of `value`, a line for each number, as snarkjs writes it; takes `value`. */
MUST_CHECK enum status point_json_dump(json_t *value, char **out_text);
