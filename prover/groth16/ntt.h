/* SPDX-License-Identifier: MIT */
/*
 * Number-theoretic transforms over a domain of n = 2^log2 elements: what a domain needs (made once
 * for a key, immutable, shared by threads), and the three passes that move a vector from the values
 * on the domain to those on its odd coset. The passes are made of independent tiles that stay in
 * the second-level cache.
 */
#pragma once

#include "trace/base/cleanup.h"
#include "trace/base/status.h"

#include <blst.h>
#include <stdint.h>

struct ntt_plan {
	uint32_t log2;
	uint32_t size;
	uint32_t row_log2;    /* the vector as a matrix of 2^row_log2 rows ... */
	uint32_t column_log2; /* ... and 2^column_log2 columns */
	/* Twiddles of each level: those of half-size h at h .. 2h - 1, w_{2h}^0 and up. */
	blst_fr *twiddles;
	/* g^k / n in bit-reversed order of k, g the primitive root of the double domain. */
	blst_fr *coset_factors;
};

MUST_CHECK enum status ntt_plan_create(uint32_t log2, struct ntt_plan **out_plan);

/* Accepts NULL. */
void ntt_plan_destroy(struct ntt_plan *plan);
DEFINE_AUTO(struct ntt_plan, ntt_plan_destroy)

/* The bytes that a plan of this size holds. */
uint64_t ntt_plan_bytes(uint32_t log2);

/*
 * The passes, in order; each is done when all of its tiles are. From values in natural order:
 * the upper levels of the inverse transform, by columns; its lower levels, the coset factors and
 * the lower levels of the forward transform, by rows; the upper levels of the forward transform, by
 * columns, to values on the odd coset in natural order.
 */
enum ntt_pass {
	NTT_PASS_INVERSE,
	NTT_PASS_COSET,
	NTT_PASS_FORWARD,
	NTT_PASS_COUNT
};

uint32_t ntt_tile_count(const struct ntt_plan *plan, enum ntt_pass pass);
void ntt_run_tile(const struct ntt_plan *plan, enum ntt_pass pass, blst_fr *values, uint32_t tile);

/* Whole transforms on the calling thread: natural to bit-reversed order, and back. */
void ntt_inverse(const struct ntt_plan *plan, blst_fr *values); /* without the factor 1/n */
void ntt_forward(const struct ntt_plan *plan, blst_fr *values);
