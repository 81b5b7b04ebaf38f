/* SPDX-License-Identifier: MIT */
/*
 * SHA-256 as rows over bits. A bit is a wire, its negation, or a constant, and constants fold: the
 * padding block of a 64-byte message costs a quarter less than a block of data.
 */
#pragma once

#include "prover/groth16/circuit.h"

#include <stdbool.h>
#include <stdint.h>

#define SHA256_CIRCUIT_DIGEST_BITS 256
#define SHA256_CIRCUIT_BLOCK_BITS  512
#define SHA256_CIRCUIT_ROUNDS      64u

/* Wire 0 stands for a constant. */
struct circuit_bit {
	uint32_t wire;
	bool is_negated; /* the bit is 1 - wire */
	bool value;
};

/* A new private input, a row for which must follow that makes it 0 or 1. */
struct circuit_bit sha256_circuit_input(struct circuit *circuit, bool value);
void sha256_circuit_assert_boolean(struct circuit *circuit, struct circuit_bit bit);

/* `one` if `selector` is 1, else `zero`: one row. */
struct circuit_bit sha256_circuit_select(struct circuit *circuit, struct circuit_bit selector,
	struct circuit_bit one, struct circuit_bit zero);

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
