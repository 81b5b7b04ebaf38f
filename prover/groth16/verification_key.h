/* SPDX-License-Identifier: MIT */
/*
 * Where verification keys come from: a proving key, or snarkjs's verification_key.json. Either way
 * every point was checked to be in its subgroup and not infinity (IC may hold infinity).
 */
#pragma once

#include "prover/groth16/proof.h"
#include "prover/groth16/zkey.h"
#include "trace/base/cleanup.h"
#include "trace/base/diag.h"
#include "trace/base/status.h"

#include <stddef.h>

/* Gives the part of `key` that verifies its proofs. */
MUST_CHECK enum status verification_key_from_zkey(
	const struct zkey *key, struct diag *diag, struct verification_key **out_key);

MUST_CHECK enum status verification_key_read(
	const char *path, struct diag *diag, struct verification_key **out_key);

/* The same from JSON text; `name` stands for the path. */
MUST_CHECK enum status verification_key_parse(const char *name, const char *text, size_t size,
	struct diag *diag, struct verification_key **out_key);

MUST_CHECK enum status verification_key_write(
	const struct verification_key *key, const char *path, struct diag *diag);

/* Accepts NULL. */
void verification_key_destroy(struct verification_key *key);
DEFINE_AUTO(struct verification_key, verification_key_destroy)
