/* SPDX-License-Identifier: MIT */
/* The .zkey layout of snarkjs, as its reader and its writer share it (docs/file-formats.md). */
#pragma once

#include "prover/groth16/binary_file.h"
#include "prover/groth16/field.h"

#include <blst.h>

enum zkey_section {
	ZKEY_SECTION_PROTOCOL = 1,
	ZKEY_SECTION_HEADER = 2,
	ZKEY_SECTION_IC = 3,
	ZKEY_SECTION_COEFFICIENTS = 4,
	ZKEY_SECTION_A = 5,
	ZKEY_SECTION_B1 = 6,
	ZKEY_SECTION_B2 = 7,
	ZKEY_SECTION_L = 8,
	ZKEY_SECTION_H = 9,
	ZKEY_SECTION_CONTRIBUTIONS = 10,
};

#define ZKEY_PROTOCOL_GROTH16 1u
#define ZKEY_PROTOCOL_PLONK   2u
#define ZKEY_PROTOCOL_FFLONK  10u

/* On a little-endian host these are blst's own structs, bit for bit. */
#define ZKEY_G1_BYTES ((uint64_t)sizeof(blst_p1_affine))
#define ZKEY_G2_BYTES ((uint64_t)sizeof(blst_p2_affine))

/* u32 matrix, row, wire, and the value. */
#define ZKEY_COEFFICIENT_BYTES (3u * 4u + FIELD_SCALAR_BYTES)

#define ZKEY_CIRCUIT_HASH_BYTES 64u

/*
 * Stands where snarkjs keeps the hash of the circuit. `snarkjs zkey contribute` copies these 64
 * bytes, so that the mark outlives contributions, which do not mend known trapdoors.
 */
#define ZKEY_INSECURE_MARK "gaptrace test set-up: INSECURE, its maker can forge proofs"

static const struct binary_format zkey_format = {
	.magic = "zkey", .version = 1, .what = "a proving key (.zkey)"};
