/* SPDX-License-Identifier: MIT */
/*
 * Adds many independent pairs of affine points with one inversion for each batch of pairs
 * (Montgomery's trick): five products and a square for a sum, against ten in projective
 * coordinates. Right for every input: equal, opposite and infinite points included.
 */
#pragma once

#include "prover/groth16/affine_vector.h"
#include "prover/groth16/curve.h"

#include <stdbool.h>
#include <stdint.h>

/* Enough pairs to make the inversion cheap, few enough to keep a batch in the second-level cache.
 */
#define AFFINE_BATCH_PAIRS_MAX 1024u

/* `sum` may be one of its own inputs, but no input of another pair of the batch. */
struct affine_pair {
	const void *left;
	const void *right;
	void *sum;
	bool is_left_negated;
	bool is_right_negated;
};

/* Doublings are rare: they wait beside the others, which vectors may add. */
#define AFFINE_BATCH_DOUBLINGS_MAX 64u

struct affine_batch {
	/* Enough for every pair's intermediate values, by vectors or one by one. */
	uint8_t scratch[AFFINE_BATCH_PAIRS_MAX * AFFINE_VECTOR_SCRATCH_BYTES]
		__attribute__((aligned(AFFINE_VECTOR_ALIGNMENT)));
	struct affine_pair pairs[AFFINE_BATCH_PAIRS_MAX];
	struct affine_pair doublings[AFFINE_BATCH_DOUBLINGS_MAX];
	uint32_t count;
	uint32_t doubling_count;
	enum curve_group group;
	bool has_vectors;
};

/* `may_use_vectors` false keeps to code that runs everywhere: for tests of it. */
void affine_batch_init(struct affine_batch *batch, enum curve_group group, bool may_use_vectors);

/*
 * Adds one more pair, which is copied. Its points stay in place, and its sum need not be there,
 * until the next flush.
 */
void affine_batch_push(struct affine_batch *batch, const struct affine_pair *pair);

/* Afterwards every sum is in its place. */
void affine_batch_flush(struct affine_batch *batch);
