/* SPDX-License-Identifier: MIT */
/*
 * Number-theoretic transforms over a domain of n = 2^log2 elements: what a domain needs (made once
 * for a key, immutable, shared by threads), and the three passes that take a vector from its values
 * on the domain to those on the odd coset. A pass is made of independent tiles, each small enough
 * for the second-level cache.
 */
#pragma once

#include "trace/base/cleanup.h"
#include "trace/base/status.h"

#include <blst.h>
#include <stdint.h>

/* The elements of a tile: 256 KiB. Larger domains than 2^32 do not exist. */
#define NTT_TILE_ELEMENTS 8192u

struct ntt_plan {
	uint32_t log2;
	uint32_t size;
	/* The vector as a matrix of `rows` x `columns`; an upper level mixes rows of one column. */
	uint32_t rows;
	uint32_t columns;
	uint32_t tile_columns; /* columns of one tile of an upper pass */
	/* Twiddles of each level: w_{2h}^j of the level with half-size h at h + j, j < h. */
	blst_fr *twiddles;
	/* g^k / n in bit-reversed order of k, g the primitive root of the double domain. */
	blst_fr *coset_factors;
};

/* TOO_LARGE if `log2` is beyond what a domain of this field can be in 32-bit numbers. */
MUST_CHECK enum status ntt_plan_create(uint32_t log2, struct ntt_plan **out_plan);

/* Accepts NULL. */
void ntt_plan_destroy(struct ntt_plan *plan);
DEFINE_AUTO(struct ntt_plan, ntt_plan_destroy)

/*
 * The passes, in order; each is done when all of its tiles are. From values in natural order:
 * the upper levels of the inverse transform, by columns; its lower levels, the coset factors and
 * the lower levels of the forward transform, by rows; the upper levels of the forward transform, by
 * columns, to the values on the odd coset in natural order: element i is that at g * w^i.
 */
enum ntt_pass {
	NTT_PASS_INVERSE,
	NTT_PASS_COSET,
	NTT_PASS_FORWARD,
	NTT_PASS_COUNT
};

/* May be 0: a small domain has lower levels only. */
uint32_t ntt_tile_count(const struct ntt_plan *plan, enum ntt_pass pass);

/* `scratch` is room for ntt_scratch_elements(), which the caller wipes if the vector is secret. */
void ntt_run_tile(const struct ntt_plan *plan, enum ntt_pass pass, uint32_t tile, blst_fr *values,
	blst_fr *scratch);
uint32_t ntt_scratch_elements(const struct ntt_plan *plan);
