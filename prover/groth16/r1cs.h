/* SPDX-License-Identifier: MIT */
/*
 * A rank-1 constraint system: rows <A,w> * <B,w> = <C,w> over wires w, read from and written to
 * circom's .r1cs layout (docs/file-formats.md). Immutable once made; may be shared by threads.
 */
#pragma once

#include "prover/groth16/zkey.h"
#include "trace/base/cleanup.h"
#include "trace/base/diag.h"
#include "trace/base/status.h"

#include <blst.h>
#include <stdint.h>

struct wtns;

enum r1cs_side {
	R1CS_A,
	R1CS_B,
	R1CS_C,
	R1CS_SIDE_COUNT
};

struct r1cs {
	uint32_t wire_count;          /* wire 0 is the constant 1 */
	uint32_t public_output_count; /* the wires from 1 on */
	uint32_t public_input_count;  /* the wires after those */
	uint32_t private_input_count; /* and after those */
	uint32_t constraint_count;
	struct zkey_matrix sides[R1CS_SIDE_COUNT]; /* row_count is constraint_count */
	blst_fr *coefficient_values;               /* the distinct ones, Montgomery */
	uint32_t coefficient_value_count;
};

/* Outputs and inputs: wires 1 .. this. */
uint32_t r1cs_public_count(const struct r1cs *r1cs);

MUST_CHECK enum status r1cs_read(const char *path, struct diag *diag, struct r1cs **out_r1cs);

/* The same from memory, which is borrowed for the call only; `name` stands for the path. */
MUST_CHECK enum status r1cs_parse(const char *name, const uint8_t *bytes, uint64_t byte_count,
	struct diag *diag, struct r1cs **out_r1cs);

MUST_CHECK enum status r1cs_write(const struct r1cs *r1cs, const char *path, struct diag *diag);

/* BAD_INPUT and a line that names the first row which `witness` does not satisfy. */
MUST_CHECK enum status r1cs_check(
	const struct r1cs *r1cs, const struct wtns *witness, struct diag *diag);

/* Accepts NULL. */
void r1cs_destroy(struct r1cs *r1cs);
DEFINE_AUTO(struct r1cs, r1cs_destroy)
