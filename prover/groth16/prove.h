/* SPDX-License-Identifier: MIT */
/*
 * Makes Groth16 proofs: groth16_prove() for a whole one, or its stages for a device that runs them
 * one by one (quotient.h, msm.h, then groth16_assemble()). Keys, plans and witnesses are borrowed;
 * whatever depends on a witness is wiped when it is freed.
 */
#pragma once

#include "prover/groth16/blinding.h"
#include "prover/groth16/curve.h"
#include "prover/groth16/ntt.h"
#include "prover/groth16/proof.h"
#include "prover/groth16/scalars.h"
#include "prover/groth16/zkey.h"
#include "trace/base/cleanup.h"
#include "trace/base/diag.h"
#include "trace/base/status.h"

#include <blst.h>
#include <stdbool.h>
#include <stdint.h>

struct work_pool;

/* The five sums of a proof. */
enum groth16_query {
	GROTH16_A,
	GROTH16_B1,
	GROTH16_B2, /* the one in G2 */
	GROTH16_L,
	GROTH16_H, /* over the scalars of the quotient, the others over the witness */
	GROTH16_QUERY_COUNT
};

/* The points of `query` in `key`, borrowed from it. */
struct msm_query groth16_query_points(const struct zkey *key, enum groth16_query query);

struct groth16_parts {
	struct curve_point sums[GROTH16_QUERY_COUNT];
};

/* Blinds the five sums into a proof. */
void groth16_assemble(const struct zkey *key, const struct groth16_parts *parts,
	const struct blinding *blinding, struct proof *out_proof);

/* INVALID_PROOF with a line in `diag` if `proof` does not prove the witness's public wires. */
MUST_CHECK enum status groth16_self_verify(const struct zkey *key, const blst_scalar *witness,
	const struct proof *proof, struct diag *diag);

struct groth16_options {
	uint32_t thread_count; /* 0: one for each CPU this process may use */
	bool self_verify;      /* refuse to give a proof that does not verify */
	/* INSECURE, for tests: BLINDING_SEED_BYTES instead of fresh blinding. NULL for real proofs.
	 */
	const uint8_t *insecure_blinding_seed;
	const struct ntt_plan *plan; /* of the key's domain; NULL: made for this proof */
	struct work_pool *pool;      /* NULL: made for this proof; else thread_count is not read */
};

/*
 * Proves that `witness`, key->wire_count canonical values, satisfies the circuit of `key`. A wrong
 * witness gives INVALID_PROOF if self_verify is on, and a proof that does not verify if it is off.
 */
MUST_CHECK enum status groth16_prove(const struct zkey *key, const blst_scalar *witness,
	const struct groth16_options *options, struct diag *diag, struct proof *out_proof);
