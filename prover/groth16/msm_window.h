/* SPDX-License-Identifier: MIT */
/*
 * One window of a multi-scalar sum: each scalar's signed digit at this place chooses a bucket that
 * its point is added to (or subtracted from), and the buckets are summed by their weights.
 */
#pragma once

#include "prover/groth16/curve.h"
#include "trace/base/cleanup.h"
#include "trace/base/status.h"

#include <stdbool.h>
#include <stdint.h>

/* A digit has a sign and must fit 16 bits; a window of one bit has no signed digits. */
#define MSM_WINDOW_BITS_MIN 2u
#define MSM_WINDOW_BITS_MAX 16u

/* Fewer points are summed by plain additions in narrow windows: nothing else pays for them. */
#define MSM_WINDOW_FEW_POINTS   128u
#define MSM_WINDOW_FEW_BITS_MAX 7u

/* The memory of one thread, kept between windows. All zero is none. */
struct msm_buckets {
	void *memory;
	size_t bytes;
};

void msm_buckets_finish(struct msm_buckets *buckets);

struct msm_window {
	enum curve_group group;
	const void *points;      /* affine, none at infinity */
	const uint32_t *indices; /* of the points in `points` */
	const uint8_t *scalars;  /* scalar i for the point indices[i], densely packed */
	uint32_t count;
	uint32_t scalar_bits;
	uint32_t first_bit;
	uint32_t window_bits; /* of all but the topmost, which has what bits are left */
};

/* The bytes between scalars of so many bits. */
uint32_t msm_window_scalar_bytes(uint32_t scalar_bits);

/* The signed digit of scalar `i` in this window: within +-2^(window_bits - 1). */
int32_t msm_window_digit(const struct msm_window *window, uint32_t i);

/* The sum over the points of digit times point. */
MUST_CHECK enum status msm_window_sum(
	const struct msm_window *window, struct msm_buckets *buckets, struct curve_point *out_sum);

/* The sum of the points, those from `negated_from` on with the other sign, whatever the scalars. */
MUST_CHECK enum status msm_window_add(const struct msm_window *window, uint32_t negated_from,
	struct msm_buckets *buckets, struct curve_point *out_sum);
