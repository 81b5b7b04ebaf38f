/* SPDX-License-Identifier: MIT */
#include "prover/groth16/curve.h"

#include <assert.h>
#include <string.h>

size_t curve_affine_bytes(enum curve_group group)
{
	return group == CURVE_G1 ? sizeof(blst_p1_affine) : sizeof(blst_p2_affine);
}

void curve_set_infinity(struct curve_point *point, enum curve_group group)
{
	memset(point, 0, sizeof(*point));
	point->group = group;
}

bool curve_is_infinity(const struct curve_point *point)
{
	return point->group == CURVE_G1 ? blst_p1_is_inf(&point->g1) : blst_p2_is_inf(&point->g2);
}

void curve_add(struct curve_point *sum, const struct curve_point *point)
{
	assert(sum->group == point->group);
	if (sum->group == CURVE_G1) {
		/* The complete formulas, also below: a sum may meet its own addend, or its
		 * opposite. */
		blst_p1_add_or_double(&sum->g1, &sum->g1, &point->g1);
	} else {
		blst_p2_add_or_double(&sum->g2, &sum->g2, &point->g2);
	}
}

void curve_add_affine(struct curve_point *sum, const void *affine, bool is_negated)
{
	if (sum->group == CURVE_G1) {
		blst_p1_affine point;

		memcpy(&point, affine, sizeof(point));
		blst_fp_cneg(&point.y, &point.y, is_negated);
		blst_p1_add_or_double_affine(&sum->g1, &sum->g1, &point);
	} else {
		blst_p2_affine point;

		memcpy(&point, affine, sizeof(point));
		blst_fp2_cneg(&point.y, &point.y, is_negated);
		blst_p2_add_or_double_affine(&sum->g2, &sum->g2, &point);
	}
}

void curve_negate(struct curve_point *point)
{
	if (point->group == CURVE_G1) {
		blst_p1_cneg(&point->g1, true);
	} else {
		blst_p2_cneg(&point->g2, true);
	}
}

void curve_double(struct curve_point *point, uint32_t times)
{
	for (uint32_t i = 0; i < times; i++) {
		if (point->group == CURVE_G1) {
			blst_p1_double(&point->g1, &point->g1);
		} else {
			blst_p2_double(&point->g2, &point->g2);
		}
	}
}

void curve_add_multiple(
	struct curve_point *sum, const struct curve_point *point, const blst_scalar *scalar)
{
	struct curve_point product;

	assert(sum->group == point->group);
	product.group = sum->group;
	if (sum->group == CURVE_G1) {
		/* 255 bits cover every scalar below the prime. */
		blst_p1_mult(&product.g1, &point->g1, scalar->b, 255);
	} else {
		blst_p2_mult(&product.g2, &point->g2, scalar->b, 255);
	}
	curve_add(sum, &product);
}

bool curve_affine_is_infinity(enum curve_group group, const void *affine)
{
	static const uint8_t zeros[sizeof(blst_p2_affine)];

	return memcmp(affine, zeros, curve_affine_bytes(group)) == 0;
}
