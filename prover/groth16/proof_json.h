/* SPDX-License-Identifier: MIT */
/*
 * Proofs and public values as snarkjs writes them: proof.json and public.json. Reading is strict:
 * numbers in range, points on the curve, in the subgroup and not infinity.
 */
#pragma once

#include "prover/groth16/proof.h"
#include "trace/base/cleanup.h"
#include "trace/base/diag.h"
#include "trace/base/status.h"

#include <blst.h>
#include <stddef.h>
#include <stdint.h>

/* Gives the text of a proof.json, which the caller frees. */
MUST_CHECK enum status proof_json_format(const struct proof *proof, char **out_text);

MUST_CHECK enum status proof_json_parse(const char *name, const char *text, size_t size,
	struct diag *diag, struct proof *out_proof);

MUST_CHECK enum status proof_json_read(
	const char *path, struct diag *diag, struct proof *out_proof);

MUST_CHECK enum status proof_json_write(
	const struct proof *proof, const char *path, struct diag *diag);

/* Gives the text of a public.json, which the caller frees. */
MUST_CHECK enum status public_json_format(
	const blst_scalar *publics, uint32_t count, char **out_text);

/* Gives an array that the caller frees. */
MUST_CHECK enum status public_json_parse(const char *name, const char *text, size_t size,
	struct diag *diag, blst_scalar **out_publics, uint32_t *out_count);

MUST_CHECK enum status public_json_read(
	const char *path, struct diag *diag, blst_scalar **out_publics, uint32_t *out_count);

MUST_CHECK enum status public_json_write(
	const blst_scalar *publics, uint32_t count, const char *path, struct diag *diag);
