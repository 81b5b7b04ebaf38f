/* SPDX-License-Identifier: MIT */
/*
 * A test set-up: makes a proving key for any constraint system at once, knowing the trapdoors.
 * Whoever runs it could forge proofs, so the key is marked insecure, in memory and in its file.
 */
#pragma once

#include "prover/groth16/field.h"
#include "prover/groth16/r1cs.h"
#include "prover/groth16/zkey.h"
#include "trace/base/cleanup.h"
#include "trace/base/diag.h"
#include "trace/base/status.h"

#include <stdint.h>

#define SETUP_SEED_BYTES FIELD_SEED_BYTES

struct setup_options {
	const uint8_t *seed;   /* SETUP_SEED_BYTES for a repeatable key, NULL for a random one */
	uint32_t thread_count; /* 0 counts as 1 */
};

MUST_CHECK enum status setup_create_key(const struct r1cs *r1cs,
	const struct setup_options *options, struct diag *diag, struct zkey **out_key);
