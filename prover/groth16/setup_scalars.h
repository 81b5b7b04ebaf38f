/* SPDX-License-Identifier: MIT */
/*
 * The secret side of a test set-up: trapdoors, and the scalar of every point of the key. Both are
 * wiped when they go: whoever has them can forge proofs.
 */
#pragma once

#include "prover/groth16/r1cs.h"
#include "trace/base/cleanup.h"
#include "trace/base/status.h"

#include <blst.h>
#include <stdint.h>

struct setup_trapdoors {
	blst_fr tau;
	blst_fr alpha;
	blst_fr beta;
	blst_fr delta; /* gamma is 1 */
};

struct setup_scalars {
	uint32_t wire_count;
	uint32_t domain_size;
	blst_fr *a;     /* u_s(tau) for wire s */
	blst_fr *b;     /* v_s(tau) */
	blst_fr *terms; /* beta u + alpha v + w; over delta unless the wire is public */
	blst_fr *h;     /* L_(2i+1)(tau) / delta of the double domain */
};

/* From 32 bytes of seed, or from the kernel's generator if `seed` is NULL. */
MUST_CHECK enum status setup_trapdoors_draw(
	const uint8_t *seed, uint32_t domain_log2, struct setup_trapdoors *out_trapdoors);

MUST_CHECK enum status setup_scalars_create(const struct r1cs *r1cs,
	const struct setup_trapdoors *trapdoors, uint32_t domain_log2,
	struct setup_scalars **out_scalars);

/* Accepts NULL. */
void setup_scalars_destroy(struct setup_scalars *scalars);
DEFINE_AUTO(struct setup_scalars, setup_scalars_destroy)
