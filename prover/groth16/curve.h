/* SPDX-License-Identifier: MIT */
/*
 * The two groups of BLS12-381 behind one face, so that sums over points are written once. Points
 * are blst's: Jacobian while summed, affine in keys. Infinity is all zero bytes in both forms.
 */
#pragma once

#include <blst.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum curve_group {
	CURVE_G1,
	CURVE_G2,
	CURVE_GROUP_COUNT
};

/* A sum of points of one group. */
struct curve_point {
	enum curve_group group;
	union {
		blst_p1 g1;
		blst_p2 g2;
	};
};

/* The size of an affine point. */
size_t curve_affine_bytes(enum curve_group group);

void curve_set_infinity(struct curve_point *point, enum curve_group group);
bool curve_is_infinity(const struct curve_point *point);

/* Right for every input: equal, opposite and infinite points included. */
void curve_add(struct curve_point *sum, const struct curve_point *point);
void curve_add_affine(struct curve_point *sum, const void *affine, bool is_negated);
void curve_negate(struct curve_point *point);
void curve_double(struct curve_point *point, uint32_t times);

/* sum += scalar * point, for a canonical scalar. */
void curve_add_multiple(
	struct curve_point *sum, const struct curve_point *point, const blst_scalar *scalar);

/* True for the all-zero encoding of infinity. */
bool curve_affine_is_infinity(enum curve_group group, const void *affine);
