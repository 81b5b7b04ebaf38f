/* SPDX-License-Identifier: MIT */
/* Section 4 of a .zkey: the entries of A and B, in whatever order, made into rows and checked. */
#pragma once

#include "prover/groth16/binary_file.h"
#include "prover/groth16/zkey.h"
#include "trace/base/cleanup.h"
#include "trace/base/diag.h"
#include "trace/base/status.h"

/*
 * Fills the matrices and coefficient values of `key`, whose counts are known. The last rows must
 * be the input rows: one for the constant and each public wire, A = that wire, B empty.
 */
MUST_CHECK enum status zkey_coefficients_parse(
	const struct binary_file *file, struct diag *diag, struct zkey *key);
