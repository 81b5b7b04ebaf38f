/* SPDX-License-Identifier: MIT */
/*
 * Points of G1 as sums: x = X / ZZ, y = Y / ZZZ with ZZ^3 = ZZZ^2, infinity when ZZ is 0. Adding an
 * affine point costs ten products. The formulas are madd-2008-s, add-2008-s and dbl-2008-s-1 of the
 * Explicit-Formulas Database; equal, opposite and infinite points are told apart first.
 */
#pragma once

#include "prover/device/cuda/fp.h"

/* In memory a blst_p1_affine: infinity is all zero. */
struct affine {
	struct fp x;
	struct fp y;
};

struct xyzz {
	struct fp x;
	struct fp y;
	struct fp zz;
	struct fp zzz;
};

/* In memory a blst_p1: x = X / Z^2, y = Y / Z^3. */
struct jacobian {
	struct fp x;
	struct fp y;
	struct fp z;
};

GPU_FUNCTION void xyzz_set_infinity(struct xyzz *point)
{
	point->x = fp_zero();
	point->y = fp_zero();
	point->zz = fp_zero();
	point->zzz = fp_zero();
}

GPU_FUNCTION bool xyzz_is_infinity(const struct xyzz *point)
{
	return fp_is_zero(&point->zz);
}

/*
 * What doubling and both additions end with. An addition comes with P and R, the differences of x
 * and y once they are comparable, and with the sum's x and y so scaled; P is not 0. A doubling is
 * the same with P = 2Y, R = 3X^2 and one term less: written once, a kernel has one copy of it.
 */
GPU_FUNCTION void xyzz_finish(
	struct xyzz *sum, const struct fp *p, const struct fp *r, bool is_doubling)
{
	const struct fp pp = fp_square(p);
	struct fp ppp = fp_multiply(p, &pp);
	const struct fp q = fp_multiply(&sum->x, &pp);
	struct fp t;

	sum->zz = fp_multiply(&sum->zz, &pp);
	sum->zzz = fp_multiply(&sum->zzz, &ppp);
	sum->y = fp_multiply(&sum->y, &ppp);
	if (is_doubling) {
		ppp = fp_zero();
	}
	t = fp_square(r);
	t = fp_subtract(&t, &ppp);
	t = fp_subtract(&t, &q);
	sum->x = fp_subtract(&t, &q);
	t = fp_subtract(&q, &sum->x);
	t = fp_multiply(r, &t);
	sum->y = fp_subtract(&t, &sum->y);
}

/* P and R of a doubling. There are no points of order 2, and infinity keeps ZZ = 0. */
GPU_FUNCTION void xyzz_begin_double(const struct xyzz *sum, struct fp *out_p, struct fp *out_r)
{
	const struct fp square = fp_square(&sum->x);
	const struct fp twice = fp_add(&square, &square);

	*out_p = fp_add(&sum->y, &sum->y);
	*out_r = fp_add(&twice, &square);
}

/* sum += point, or -= when it is negated. */
GPU_FUNCTION void xyzz_add_affine(struct xyzz *sum, const struct affine *point, bool is_negated)
{
	struct fp y = point->y;
	bool is_doubling = false;
	struct fp p;
	struct fp r;

	if (fp_is_zero(&point->x) && fp_is_zero(&point->y)) {
		return;
	}
	if (is_negated) {
		y = fp_negate(&y);
	}
	if (xyzz_is_infinity(sum)) {
		sum->x = point->x;
		sum->y = y;
		sum->zz = fp_one();
		sum->zzz = fp_one();
		return;
	}
	p = fp_multiply(&point->x, &sum->zz);
	p = fp_subtract(&p, &sum->x);
	r = fp_multiply(&y, &sum->zzz);
	r = fp_subtract(&r, &sum->y);
	if (fp_is_zero(&p)) {
		if (!fp_is_zero(&r)) {
			xyzz_set_infinity(sum);
			return;
		}
		xyzz_begin_double(sum, &p, &r);
		is_doubling = true;
	}
	xyzz_finish(sum, &p, &r, is_doubling);
}

/* sum += point; or sum += sum when told so, and then `point` is not looked at. */
GPU_FUNCTION void xyzz_add_or_double(struct xyzz *sum, const struct xyzz *point, bool is_doubling)
{
	struct fp p;
	struct fp r;
	struct fp u;
	struct fp s;

	if (!is_doubling) {
		if (xyzz_is_infinity(point)) {
			return;
		}
		if (xyzz_is_infinity(sum)) {
			*sum = *point;
			return;
		}
		u = fp_multiply(&sum->x, &point->zz);
		p = fp_multiply(&point->x, &sum->zz);
		p = fp_subtract(&p, &u);
		s = fp_multiply(&sum->y, &point->zzz);
		r = fp_multiply(&point->y, &sum->zzz);
		r = fp_subtract(&r, &s);
		if (fp_is_zero(&p) && !fp_is_zero(&r)) {
			xyzz_set_infinity(sum);
			return;
		}
		is_doubling = fp_is_zero(&p);
		if (!is_doubling) {
			sum->x = u;
			sum->y = s;
			sum->zz = fp_multiply(&sum->zz, &point->zz);
			sum->zzz = fp_multiply(&sum->zzz, &point->zzz);
		}
	}
	if (is_doubling) {
		xyzz_begin_double(sum, &p, &r);
	}
	xyzz_finish(sum, &p, &r, is_doubling);
}

GPU_FUNCTION void xyzz_add(struct xyzz *sum, const struct xyzz *point)
{
	xyzz_add_or_double(sum, point, false);
}

GPU_FUNCTION void xyzz_double(struct xyzz *point)
{
	xyzz_add_or_double(point, point, true);
}

/* With Z = ZZ: Z^2 / ZZ = ZZ, and Z^3 / ZZZ = ZZZ. No inverse is needed. */
GPU_FUNCTION void xyzz_to_jacobian(const struct xyzz *point, struct jacobian *out_point)
{
	out_point->x = fp_multiply(&point->x, &point->zz);
	out_point->y = fp_multiply(&point->y, &point->zzz);
	out_point->z = point->zz;
}
