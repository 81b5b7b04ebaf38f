/* SPDX-License-Identifier: MIT */
/*
 * Circuits that need no file: a squaring chain of any length, SHA-256 of 32 bytes, and a Merkle
 * path of SHA-256 nodes. The hashes can be cut to fewer rounds, which gives small circuits of the
 * same make for tests; with 64 rounds they are SHA-256.
 */
#pragma once

#include "prover/groth16/r1cs.h"
#include "prover/groth16/wtns.h"
#include "trace/base/cleanup.h"
#include "trace/base/diag.h"
#include "trace/base/status.h"

#include <stddef.h>
#include <stdint.h>

#define BUILTIN_CIRCUIT_NODE_BYTES 32
/* An index of 64 bits has no more levels; more rows than 2^26 have no domain with room to spare. */
#define BUILTIN_CIRCUIT_LEVELS_MAX 64
#define BUILTIN_CIRCUIT_ROWS_MAX   (1u << 26)

/* Long enough for any name, with its end. */
#define BUILTIN_CIRCUIT_NAME_BYTES_MAX 64

enum builtin_circuit_kind {
	BUILTIN_SQUARING_CHAIN, /* t' = t * t + i, `size` rows, one public: the last t */
	BUILTIN_SHA256,         /* the digest of a 32-byte secret, two publics of 128 bits */
	BUILTIN_MERKLE_PATH, /* the root over a secret leaf and path of `size` levels, likewise */
};

struct builtin_circuit {
	enum builtin_circuit_kind kind;
	uint32_t size;
	uint32_t rounds; /* 1 .. 64, of each SHA-256 compression */
};

/*
 * Reads "squaring-chain:4096", "sha256", "merkle-path:4", "sha256:8" or "merkle-path:4:8"; the last
 * number is the rounds.
 */
MUST_CHECK enum status builtin_circuit_parse(
	const char *name, struct diag *diag, struct builtin_circuit *out_circuit);

/* Writes the name that builtin_circuit_parse() reads back. */
void builtin_circuit_name(
	const struct builtin_circuit *circuit, char name[BUILTIN_CIRCUIT_NAME_BYTES_MAX]);

/*
 * How many secret bytes a witness is made from: 32 for a chain (reduced modulo r) or a hash; for a
 * path the leaf, then for each level the sibling and one byte, 1 if the node is the right child.
 */
size_t builtin_circuit_secret_bytes(const struct builtin_circuit *circuit);

/* Fills `secret` with a well-formed secret that depends on `seed` alone: for demos and tests. */
void builtin_circuit_example(const struct builtin_circuit *circuit, uint64_t seed, uint8_t *secret);

MUST_CHECK enum status builtin_circuit_r1cs(
	const struct builtin_circuit *circuit, struct r1cs **out_r1cs);

/* BAD_INPUT if a direction byte of `secret` is neither 0 nor 1. */
MUST_CHECK enum status builtin_circuit_witness(const struct builtin_circuit *circuit,
	const uint8_t *secret, struct diag *diag, struct wtns **out_witness);
