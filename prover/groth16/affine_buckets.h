/* SPDX-License-Identifier: MIT */
/*
 * Pippenger's buckets in affine coordinates: the points of each bucket are added pair by pair, all
 * buckets side by side, so that they can share inversions (affine_batch.h).
 */
#pragma once

#include "prover/groth16/msm_window.h"
#include "trace/base/cleanup.h"
#include "trace/base/status.h"

#include <stdint.h>

/*
 * As msm_window_sum(), for any number of points. `memory` is affine_buckets_bytes(), aligned to a
 * cache line, and afterwards holds what depends on the scalars. `may_use_vectors` as in
 * affine_batch_init().
 */
void affine_buckets_sum(const struct msm_window *window, bool may_use_vectors, void *memory,
	struct curve_point *out_sum);

/*
 * The sum of the window's points, those from number `negated_from` on with the other sign; its
 * scalars are not read.
 */
void affine_buckets_add(const struct msm_window *window, uint32_t negated_from,
	bool may_use_vectors, void *memory, struct curve_point *out_sum);

/* Of the memory for so many points; for affine_buckets_add() windows of 1 bit will do. */
uint64_t affine_buckets_bytes(enum curve_group group, uint32_t point_count, uint32_t window_bits);
