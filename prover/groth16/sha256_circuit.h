/* SPDX-License-Identifier: MIT */
/*
 * SHA-256 as rows over bits. Constants fold: the padding block of a 64-byte message costs a quarter
 * less than a block of data.
 */
#pragma once

#include "prover/groth16/circuit.h"
#include "prover/groth16/circuit_bit.h"

#include <stdint.h>

#define SHA256_CIRCUIT_DIGEST_BITS 256
#define SHA256_CIRCUIT_BLOCK_BITS  512
#define SHA256_CIRCUIT_ROUNDS      64u

/*
 * The digest of `bit_count` bits, a multiple of 32, most significant bit of each byte first. With
 * fewer than 64 rounds it is a weaker function of the same make.
 */
void sha256_circuit_hash(struct circuit *circuit, const struct circuit_bit *bits,
	uint32_t bit_count, uint32_t rounds,
	struct circuit_bit out_digest[SHA256_CIRCUIT_DIGEST_BITS]);

/* Binds two outputs to the halves of `digest`, each a 128-bit big-endian number. */
void sha256_circuit_output(
	struct circuit *circuit, const struct circuit_bit digest[SHA256_CIRCUIT_DIGEST_BITS]);
