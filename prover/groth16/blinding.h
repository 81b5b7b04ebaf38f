/* SPDX-License-Identifier: MIT */
/*
 * The two random scalars that make a proof tell nothing of its witness. Fresh for each proof, from
 * the kernel, and wiped after use: a pair used twice gives secrets away.
 */
#pragma once

#include "prover/groth16/field.h"
#include "trace/base/cleanup.h"
#include "trace/base/status.h"

#include <blst.h>
#include <stdint.h>

#define BLINDING_SEED_BYTES FIELD_SEED_BYTES

struct blinding {
	blst_scalar r;
	blst_scalar s;
};

MUST_CHECK enum status blinding_draw(struct blinding *out_blinding);

/* INSECURE: the same pair for the same seed. For tests that compare proofs byte by byte. */
void blinding_from_seed(const uint8_t seed[BLINDING_SEED_BYTES], struct blinding *out_blinding);

void blinding_wipe(struct blinding *blinding);
