/* SPDX-License-Identifier: MIT */
/* Points as .zkey files hold them: affine, Montgomery, little-endian, infinity as zeros. */
#pragma once

#include "prover/groth16/binary_file.h"
#include "prover/groth16/zkey.h"
#include "trace/base/cleanup.h"
#include "trace/base/diag.h"
#include "trace/base/status.h"

#include <blst.h>
#include <stdbool.h>
#include <stdint.h>

enum zkey_infinity {
	ZKEY_INFINITY_REFUSED,
	ZKEY_INFINITY_ALLOWED
};

/* What is wrong with a point, ready for a message, or NULL if nothing is. */
const char *zkey_points_wrong_g1(
	const blst_p1_affine *point, enum zkey_infinity infinity, enum zkey_check check);
const char *zkey_points_wrong_g2(
	const blst_p2_affine *point, enum zkey_infinity infinity, enum zkey_check check);

/* A whole section of points. Wire numbers count up from `first_wire`. */
struct zkey_points_section {
	uint32_t id;
	const char *name;
	uint32_t first_wire;
	uint32_t count;
	enum zkey_infinity infinity;
	enum zkey_check check;
};

/* Gives the points that are not infinity in `out_query`; zkey_points_finish_* frees them. */
MUST_CHECK enum status zkey_points_parse_g1(const struct binary_file *file,
	const struct zkey_points_section *section, struct diag *diag,
	struct zkey_query_g1 *out_query);
MUST_CHECK enum status zkey_points_parse_g2(const struct binary_file *file,
	const struct zkey_points_section *section, struct diag *diag,
	struct zkey_query_g2 *out_query);

/* Room for `count` points. */
MUST_CHECK enum status zkey_points_init_g1(uint32_t count, struct zkey_query_g1 *out_query);
MUST_CHECK enum status zkey_points_init_g2(uint32_t count, struct zkey_query_g2 *out_query);

void zkey_points_finish_g1(struct zkey_query_g1 *query);
void zkey_points_finish_g2(struct zkey_query_g2 *query);
