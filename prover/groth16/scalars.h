/* SPDX-License-Identifier: MIT */
/*
 * Sorts the scalars of a multi-scalar sum by what they cost: 0 costs nothing, 1 and -1 an addition,
 * the small and the wide a multiplication ("the tail"). Witnesses of hash circuits are nearly all
 * 0 and 1, so this is done once for each wire and used by every query.
 */
#pragma once

#include "prover/groth16/curve.h"
#include "trace/base/cleanup.h"
#include "trace/base/status.h"

#include <blst.h>
#include <stdint.h>

enum scalar_class {
	SCALAR_ZERO,
	SCALAR_ONE,
	SCALAR_MINUS_ONE,
	SCALAR_SMALL, /* below 2^64 */
	SCALAR_WIDE,
	SCALAR_CLASS_COUNT
};

#define SCALARS_SMALL_BITS 64
#define SCALARS_WIDE_BITS  255

enum scalar_class scalars_classify(const blst_scalar *scalar);

/* Classifies `count` scalars; the classes are enum scalar_class in a byte. */
void scalars_classify_all(const blst_scalar *scalars, uint32_t count, uint8_t *classes);

/* Scalars of at most bit_count bits and the points they multiply, by number in the query. */
struct scalar_tail {
	uint32_t count;
	uint32_t bit_count;
	uint32_t *indices;
	uint8_t *scalars; /* count * (bit_count rounded up to bytes), little endian, densely packed
			   */
};

/* What one query of a key has to sum for one witness. */
struct msm_input {
	enum curve_group group;
	const void *points; /* affine, borrowed from the key */
	uint32_t one_count;
	uint32_t minus_one_count;
	uint32_t *ones; /* the ones from the front, the minus ones behind them */
	struct scalar_tail small;
	struct scalar_tail wide;
};

/* A query, of either group. */
struct msm_query {
	enum curve_group group;
	uint32_t count;
	const uint32_t *wires; /* NULL: point i belongs to scalar i */
	const void *points;
};

/*
 * Fills `out_input` for `query`, whose point i belongs to scalar wires[i]. Points at infinity are
 * left out. `classes` belongs to `scalars`, both of which are not needed afterwards.
 */
MUST_CHECK enum status msm_input_init(const struct msm_query *query, const blst_scalar *scalars,
	const uint8_t *classes, struct msm_input *out_input);

/* Wipes and frees what `input` holds; accepts an input that is all zero. */
void msm_input_finish(struct msm_input *input);
