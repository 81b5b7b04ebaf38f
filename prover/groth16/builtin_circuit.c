/* SPDX-License-Identifier: MIT */
#include "prover/groth16/builtin_circuit.h"

#include "prover/groth16/circuit.h"
#include "prover/groth16/field.h"
#include "prover/groth16/sha256_circuit.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NODE_BITS (8u * BUILTIN_CIRCUIT_NODE_BYTES)
/* A sibling and its direction. */
#define LEVEL_SECRET_BYTES (BUILTIN_CIRCUIT_NODE_BYTES + 1u)

struct kind_facts {
	const char *name;
	bool has_size;
	bool has_rounds;
	uint32_t size_min;
	uint32_t size_max;
};

static const struct kind_facts kinds[] = {
	[BUILTIN_SQUARING_CHAIN] = {"squaring-chain", true, false, 1, BUILTIN_CIRCUIT_ROWS_MAX},
	[BUILTIN_SHA256] = {"sha256", false, true, 0, 0},
	[BUILTIN_MERKLE_PATH] = {"merkle-path", true, true, 1, BUILTIN_CIRCUIT_LEVELS_MAX},
};
#define KIND_COUNT (sizeof(kinds) / sizeof(kinds[0]))

/* Reads ":NUMBER" at *text and moves past it; false if it is not there or out of range. */
static bool take_number(const char **text, uint32_t min, uint32_t max, uint32_t *out_number)
{
	const char *digit = *text;
	uint64_t number = 0;

	if (*digit++ != ':' || *digit < '0' || *digit > '9') {
		return false;
	}
	/* Ends past `max`, before the number could wrap. */
	for (; *digit >= '0' && *digit <= '9' && number <= max; digit++) {
		number = 10 * number + (uint64_t)(*digit - '0');
	}
	if (number < min || number > max) {
		return false;
	}
	*text = digit;
	*out_number = (uint32_t)number;
	return true;
}

static bool parse_numbers(
	const struct kind_facts *facts, const char *text, struct builtin_circuit *circuit)
{
	if (facts->has_size &&
		!take_number(&text, facts->size_min, facts->size_max, &circuit->size)) {
		return false;
	}
	if (facts->has_rounds && *text &&
		!take_number(&text, 1, SHA256_CIRCUIT_ROUNDS, &circuit->rounds)) {
		return false;
	}
	return *text == '\0';
}

enum status builtin_circuit_parse(
	const char *name, struct diag *diag, struct builtin_circuit *out_circuit)
{
	for (size_t i = 0; i < KIND_COUNT; i++) {
		struct builtin_circuit circuit = {
			.kind = (enum builtin_circuit_kind)i, .rounds = SHA256_CIRCUIT_ROUNDS};
		size_t length = strlen(kinds[i].name);

		if (strncmp(name, kinds[i].name, length) == 0 &&
			parse_numbers(&kinds[i], name + length, &circuit)) {
			*out_circuit = circuit;
			return STATUS_OK;
		}
	}
	return diag_set(diag, STATUS_BAD_INPUT,
		"circuit \"%s\": not one of squaring-chain:ROWS (1..%u), sha256[:ROUNDS], "
		"merkle-path:LEVELS[:ROUNDS] (1..%d levels, 1..%u rounds)",
		name, BUILTIN_CIRCUIT_ROWS_MAX, BUILTIN_CIRCUIT_LEVELS_MAX, SHA256_CIRCUIT_ROUNDS);
}

void builtin_circuit_name(
	const struct builtin_circuit *circuit, char name[BUILTIN_CIRCUIT_NAME_BYTES_MAX])
{
	const struct kind_facts *facts = &kinds[circuit->kind];
	char size[16] = "";
	char rounds[16] = "";

	if (facts->has_size) {
		(void)snprintf(size, sizeof(size), ":%u", circuit->size);
	}
	if (facts->has_rounds && circuit->rounds != SHA256_CIRCUIT_ROUNDS) {
		(void)snprintf(rounds, sizeof(rounds), ":%u", circuit->rounds);
	}
	(void)snprintf(name, BUILTIN_CIRCUIT_NAME_BYTES_MAX, "%s%s%s", facts->name, size, rounds);
}

size_t builtin_circuit_secret_bytes(const struct builtin_circuit *circuit)
{
	if (circuit->kind == BUILTIN_MERKLE_PATH) {
		return BUILTIN_CIRCUIT_NODE_BYTES + (size_t)circuit->size * LEVEL_SECRET_BYTES;
	}
	return BUILTIN_CIRCUIT_NODE_BYTES;
}

void builtin_circuit_example(const struct builtin_circuit *circuit, uint64_t seed, uint8_t *secret)
{
	size_t count = builtin_circuit_secret_bytes(circuit);

	/* Not secret at all: whoever knows the seed knows it. */
	for (size_t begin = 0; begin < count; begin += 32) {
		const uint64_t message[2] = {seed, begin};
		uint8_t block[32];

		blst_sha256(block, (const uint8_t *)message, sizeof(message));
		memcpy(secret + begin, block, count - begin < 32 ? count - begin : 32);
	}
	if (circuit->kind == BUILTIN_MERKLE_PATH) {
		for (uint32_t level = 0; level < circuit->size; level++) {
			/* A direction is a bit. */
			secret[BUILTIN_CIRCUIT_NODE_BYTES + level * LEVEL_SECRET_BYTES +
				BUILTIN_CIRCUIT_NODE_BYTES] &= 1;
		}
	}
}

static void build_chain(struct circuit *circuit, uint32_t row_count, const uint8_t *secret)
{
	blst_fr value;
	blst_fr index;
	blst_fr one;
	blst_scalar scalar;
	uint32_t wire;

	field_from_wide_bytes(&value, secret, BUILTIN_CIRCUIT_NODE_BYTES);
	memset(&index, 0, sizeof(index));
	field_one(&one);
	blst_scalar_from_fr(&scalar, &value);
	wire = circuit_add_input(circuit, &scalar);
	for (uint32_t row = 0; row < row_count; row++) {
		blst_fr negated;
		uint32_t next;

		/* wire * wire = next - row */
		circuit_add_power(circuit, R1CS_A, wire, 0, false);
		circuit_add_power(circuit, R1CS_B, wire, 0, false);
		blst_fr_sqr(&value, &value);
		blst_fr_add(&value, &value, &index);
		blst_scalar_from_fr(&scalar, &value);
		if (row + 1 == row_count) {
			/* The last value is the public output, wire 1. */
			next = 1;
			circuit_set_output(circuit, 0, &scalar);
		} else {
			next = circuit_add_wire(circuit, &scalar);
		}
		circuit_add_power(circuit, R1CS_C, next, 0, false);
		blst_fr_cneg(&negated, &index, true);
		circuit_add_term(circuit, R1CS_C, 0, &negated);
		circuit_end_row(circuit);
		blst_fr_add(&index, &index, &one);
		wire = next;
	}
}

static void add_inputs(struct circuit *circuit, const uint8_t *bytes, uint32_t bit_count,
	struct circuit_bit *out_bits)
{
	for (uint32_t i = 0; i < bit_count; i++) {
		out_bits[i] = circuit_bit_input(circuit, (bytes[i / 8] >> (7 - i % 8)) & 1);
	}
}

static void assert_booleans(
	struct circuit *circuit, const struct circuit_bit *bits, uint32_t bit_count)
{
	for (uint32_t i = 0; i < bit_count; i++) {
		circuit_bit_assert_boolean(circuit, bits[i]);
	}
}

static void build_sha256(struct circuit *circuit, uint32_t rounds, const uint8_t *secret)
{
	struct circuit_bit bits[NODE_BITS];

	add_inputs(circuit, secret, NODE_BITS, bits);
	assert_booleans(circuit, bits, NODE_BITS);
	/* The digest overwrites the message, which was taken up by then. */
	sha256_circuit_hash(circuit, bits, NODE_BITS, rounds, bits);
	sha256_circuit_output(circuit, bits);
}

struct level {
	struct circuit_bit sibling[NODE_BITS];
	struct circuit_bit is_right; /* the node is the right child */
};

/* Replaces `node` by its parent. */
static void climb(struct circuit *circuit, uint32_t rounds, const struct level *level,
	struct circuit_bit node[NODE_BITS])
{
	struct circuit_bit pair[2 * NODE_BITS];

	assert_booleans(circuit, level->sibling, NODE_BITS);
	circuit_bit_assert_boolean(circuit, level->is_right);
	for (uint32_t i = 0; i < NODE_BITS; i++) {
		pair[i] = circuit_bit_select(circuit, level->is_right, level->sibling[i], node[i]);
		pair[NODE_BITS + i] =
			circuit_bit_select(circuit, level->is_right, node[i], level->sibling[i]);
	}
	sha256_circuit_hash(circuit, pair, 2 * NODE_BITS, rounds, node);
}

static enum status build_path(
	struct circuit *circuit, const struct builtin_circuit *what, const uint8_t *secret)
{
	struct level *levels;
	struct circuit_bit node[NODE_BITS];

	assert(what->size > 0);

	levels = malloc(what->size * sizeof(*levels));
	if (!levels) {
		return STATUS_NO_MEMORY;
	}
	add_inputs(circuit, secret, NODE_BITS, node);
	/* All inputs before the first hash: the layout wants them before internal wires. */
	secret += BUILTIN_CIRCUIT_NODE_BYTES;
	for (uint32_t i = 0; i < what->size; i++, secret += LEVEL_SECRET_BYTES) {
		add_inputs(circuit, secret, NODE_BITS, levels[i].sibling);
		levels[i].is_right = circuit_bit_input(circuit, secret[BUILTIN_CIRCUIT_NODE_BYTES]);
	}
	/* Without it a prover could pass off numbers as bits, and hash what nobody can hash. */
	assert_booleans(circuit, node, NODE_BITS);
	for (uint32_t i = 0; i < what->size; i++) {
		climb(circuit, what->rounds, &levels[i], node);
	}
	sha256_circuit_output(circuit, node);
	explicit_bzero(levels, what->size * sizeof(*levels));
	free(levels);
	return STATUS_OK;
}

/* Either output may be NULL. */
static enum status build(const struct builtin_circuit *what, const uint8_t *secret,
	struct r1cs **out_r1cs, struct wtns **out_witness)
{
	AUTO(circuit_destroy) struct circuit *circuit = NULL;
	enum status status = circuit_create(what->kind == BUILTIN_SQUARING_CHAIN ? 1 : 2, &circuit);

	if (status != STATUS_OK) {
		return status;
	}
	/* A witness has no use for the rows, which are the larger part. */
	if (!out_r1cs) {
		circuit_drop_rows(circuit);
	}
	switch (what->kind) {
	case BUILTIN_SQUARING_CHAIN:
		build_chain(circuit, what->size, secret);
		break;
	case BUILTIN_SHA256:
		build_sha256(circuit, what->rounds, secret);
		break;
	case BUILTIN_MERKLE_PATH:
		status = build_path(circuit, what, secret);
		break;
	}
	return status == STATUS_OK ? circuit_finish(circuit, out_r1cs, out_witness) : status;
}

enum status builtin_circuit_r1cs(const struct builtin_circuit *circuit, struct r1cs **out_r1cs)
{
	/* The shape is the same for every secret. */
	uint8_t *secret = calloc(builtin_circuit_secret_bytes(circuit), 1);
	enum status status;

	if (!secret) {
		return STATUS_NO_MEMORY;
	}
	status = build(circuit, secret, out_r1cs, NULL);
	free(secret);
	return status;
}

static enum status check_directions(
	const struct builtin_circuit *circuit, const uint8_t *secret, struct diag *diag)
{
	for (uint32_t level = 0; level < circuit->size; level++) {
		uint8_t direction =
			secret[BUILTIN_CIRCUIT_NODE_BYTES + (size_t)level * LEVEL_SECRET_BYTES +
				BUILTIN_CIRCUIT_NODE_BYTES];

		if (direction > 1) {
			return diag_set(diag, STATUS_BAD_INPUT,
				"merkle path: level %u: direction %u is neither 0 nor 1", level,
				direction);
		}
	}
	return STATUS_OK;
}

enum status builtin_circuit_witness(const struct builtin_circuit *circuit, const uint8_t *secret,
	struct diag *diag, struct wtns **out_witness)
{
	enum status status = STATUS_OK;

	if (circuit->kind == BUILTIN_MERKLE_PATH) {
		status = check_directions(circuit, secret, diag);
	}
	if (status != STATUS_OK) {
		return status;
	}
	status = build(circuit, secret, NULL, out_witness);
	if (status != STATUS_OK) {
		return diag_set(diag, status, "witness: %s", status_text(status));
	}
	return STATUS_OK;
}
