/* SPDX-License-Identifier: MIT */
/*
 * From the rows of A * w and B * w to the scalars of the H query: a, b and c = a * b go to the odd
 * coset by two transforms each, and the scalars are a * b - c there.
 */
#pragma once

#include "prover/groth16/ntt.h"
#include "prover/groth16/scalars.h"
#include "prover/groth16/work_queue.h"
#include "prover/groth16/zkey.h"
#include "trace/base/cleanup.h"
#include "trace/base/status.h"

#include <blst.h>
#include <stdint.h>

struct work_pool;

struct quotient {
	const struct zkey *key;      /* borrowed */
	const struct ntt_plan *plan; /* borrowed */
	const blst_scalar *witness;  /* borrowed */
	const uint8_t *classes;      /* borrowed, of the witness */
	blst_fr *coefficient_ones;
	blst_fr *a; /* on the domain after evaluation, on the odd coset after transformation */
	blst_fr *b;
	blst_fr *c;
	blst_scalar *scalars; /* canonical, one for each point of the domain; lies over c */
};

/* Allocates; `witness` and `classes` may be filled in later, before the first task runs. */
MUST_CHECK enum status quotient_init(const struct zkey *key, const struct ntt_plan *plan,
	const blst_scalar *witness, const uint8_t *classes, struct quotient *out_quotient);

/* Wipes. Accepts a quotient that is all zero. */
void quotient_finish(struct quotient *quotient);

/* Adds the evaluation of a, b and c after the task `after`; gives its number. */
uint32_t quotient_add_evaluation(
	struct quotient *quotient, struct work_queue *queue, uint32_t after);

/* Adds the transforms and the scalars after the task `after`; gives the number of the last task. */
uint32_t quotient_add_transforms(
	struct quotient *quotient, struct work_queue *queue, uint32_t after);

/* The same as two calls that return when it is done: synthesis, and the "ntt" of a device. */
MUST_CHECK enum status quotient_evaluate(struct quotient *quotient, struct work_pool *pool);
MUST_CHECK enum status quotient_transform(struct quotient *quotient, struct work_pool *pool);
