/* SPDX-License-Identifier: MIT */
/*
 * Adds pairs of affine G1 points eight at a time, on processors that multiply 52-bit words in
 * vectors (AVX-512 IFMA). Elsewhere affine_vector_is_supported() is false.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct affine_pair;

#define AFFINE_VECTOR_LANES 8u

/* What affine_vector_add() needs for each pair, aligned to AFFINE_VECTOR_ALIGNMENT. */
#define AFFINE_VECTOR_SCRATCH_BYTES 256u
#define AFFINE_VECTOR_ALIGNMENT     64u

bool affine_vector_is_supported(void);

/*
 * `count` is a multiple of AFFINE_VECTOR_LANES, and not 0. No point is at infinity, no two points
 * of a pair have the same x.
 */
void affine_vector_add(const struct affine_pair *pairs, uint32_t count, void *scratch);
