/* SPDX-License-Identifier: MIT */
/*
 * From the rows of A * w and B * w to the scalars of the H query: a, b and c = a * b go to the odd
 * coset by two transforms each, and the scalars are a * b - c there.
 */
#pragma once

#include "prover/groth16/ntt.h"
#include "prover/groth16/work_queue.h"
#include "prover/groth16/zkey.h"
#include "trace/base/cleanup.h"
#include "trace/base/status.h"

#include <blst.h>
#include <stdint.h>

struct quotient;
struct work_pool;

enum quotient_vector {
	QUOTIENT_A,
	QUOTIENT_B,
	QUOTIENT_C,
	QUOTIENT_VECTOR_COUNT
};

/* The context of one pass over one vector. */
struct quotient_pass {
	struct quotient *quotient;
	enum quotient_vector vector;
	enum ntt_pass pass;
};

struct quotient {
	const struct zkey *key;      /* borrowed */
	const struct ntt_plan *plan; /* borrowed, of the key's domain */
	const blst_scalar *witness;  /* borrowed, canonical */
	const uint8_t *classes;      /* borrowed, of the witness: see scalars.h */
	blst_fr *coefficient_ones;   /* the key's coefficients in Montgomery form */
	/* In Montgomery form: on the domain when evaluated, on the odd coset when transformed. */
	blst_fr *values[QUOTIENT_VECTOR_COUNT];
	/* What is wanted: canonical, for each point of the domain, and the class of each. */
	blst_scalar *scalars;
	uint8_t *scalar_classes;
	blst_fr *scratch; /* ntt_scratch_elements() for each thread */
	struct quotient_pass passes[QUOTIENT_VECTOR_COUNT][NTT_PASS_COUNT];
};

struct quotient_input {
	const struct zkey *key;
	const struct ntt_plan *plan;
	const blst_scalar *witness;
	const uint8_t *classes; /* may be filled in as late as a task before the evaluation */
	uint32_t thread_count;  /* of the pool that will run it */
};

/* Allocates. The quotient stays where it is until it is finished. */
MUST_CHECK enum status quotient_init(struct quotient *quotient, const struct quotient_input *input);

/* Wipes and frees. Accepts a quotient that is all zero. */
void quotient_finish(struct quotient *quotient);

/* Adds the evaluation of a, b and c after the task `after`; gives the number of its last task. */
uint32_t quotient_add_evaluation(
	struct quotient *quotient, struct work_queue *queue, uint32_t after);

/* Adds the transforms and the scalars after the task `after`; gives the number of the last task. */
uint32_t quotient_add_transforms(
	struct quotient *quotient, struct work_queue *queue, uint32_t after);

/* The same as calls that return when it is done: what synthesis does, and a device's "ntt". */
MUST_CHECK enum status quotient_evaluate(struct quotient *quotient, struct work_pool *pool);
MUST_CHECK enum status quotient_transform(struct quotient *quotient, struct work_pool *pool);
