/* SPDX-License-Identifier: MIT */
/* The Groth16 check: e(A, B) = e(alpha, beta) * e(sum of publics and IC, gamma) * e(C, delta). */
#pragma once

#include "prover/groth16/proof.h"
#include "trace/base/cleanup.h"
#include "trace/base/diag.h"
#include "trace/base/status.h"

#include <blst.h>
#include <stdint.h>

/*
 * OK if `proof` proves `publics` (canonical) under `key`. INVALID_PROOF if it does not, or if a
 * point is infinity, off the curve or outside the subgroup; BAD_INPUT if the publics are too few,
 * too many or not canonical. `key` must come from verification_key.h, which checks its points.
 */
MUST_CHECK enum status groth16_verify(const struct verification_key *key,
	const blst_scalar *publics, uint32_t public_count, const struct proof *proof,
	struct diag *diag);
