/* SPDX-License-Identifier: MIT */
/*
 * Proves that the built-in circuits compute what they say, that their witnesses satisfy every row,
 * and that no wire is free: a value changed alone breaks a row.
 */
#include "prover/groth16/builtin_circuit.h"

#include "prover/groth16/field.h"
#include "tests/unit/groth16_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct builtin_circuit parse(const char *name)
{
	struct builtin_circuit circuit;

	assert_int_equal(builtin_circuit_parse(name, NULL, &circuit), STATUS_OK);
	return circuit;
}

/* The publics must be the halves of `digest`, each a big-endian number. */
static void assert_outputs(const struct wtns *witness, const uint8_t digest[32])
{
	for (int half = 0; half < 2; half++) {
		for (int i = 0; i < 32; i++) {
			uint8_t expected = i < 16 ? digest[16 * half + 15 - i] : 0;

			assert_int_equal(witness->values[1 + half].b[i], expected);
		}
	}
}

static void sha256_gives_the_known_digest(void **state)
{
	/* SHA-256 of the bytes 0 .. 31. */
	static const uint8_t expected[32] = {0x63, 0x0d, 0xcd, 0x29, 0x66, 0xc4, 0x33, 0x66, 0x91,
		0x12, 0x54, 0x48, 0xbb, 0xb2, 0x5b, 0x4f, 0xf4, 0x12, 0xa4, 0x9c, 0x73, 0x2d, 0xb2,
		0xc8, 0xab, 0xc1, 0xb8, 0x58, 0x1b, 0xd7, 0x10, 0xdd};
	const struct builtin_circuit circuit = parse("sha256");
	AUTO(wtns_destroy) struct wtns *witness = NULL;
	uint8_t secret[32];

	(void)state;
	for (uint8_t i = 0; i < 32; i++) {
		secret[i] = i;
	}
	assert_int_equal(builtin_circuit_witness(&circuit, secret, NULL, &witness), STATUS_OK);
	assert_outputs(witness, expected);
}

static void sha256_agrees_with_another_implementation(void **state)
{
	const struct builtin_circuit circuit = parse("sha256");

	(void)state;
	for (uint64_t seed = 0; seed < 20; seed++) {
		struct wtns *witness = NULL;
		uint8_t secret[32];
		uint8_t digest[32];

		builtin_circuit_example(&circuit, seed, secret);
		blst_sha256(digest, secret, sizeof(secret));
		assert_int_equal(
			builtin_circuit_witness(&circuit, secret, NULL, &witness), STATUS_OK);
		assert_outputs(witness, digest);
		wtns_destroy(witness);
	}
}

/* The secret: the leaf, then for each level the sibling and whether the node is right of it. */
static void hash_path(const uint8_t *secret, uint32_t levels, uint8_t node[32])
{
	memcpy(node, secret, 32);
	for (uint32_t level = 0; level < levels; level++) {
		const uint8_t *sibling = secret + 32 + 33 * level;
		uint8_t pair[64];

		memcpy(pair + (sibling[32] ? 32 : 0), node, 32);
		memcpy(pair + (sibling[32] ? 0 : 32), sibling, 32);
		blst_sha256(node, pair, sizeof(pair));
	}
}

static void a_merkle_path_leads_to_the_root(void **state)
{
	const struct builtin_circuit circuit = parse("merkle-path:3");
	uint32_t directions_seen = 0;

	(void)state;
	assert_int_equal(builtin_circuit_secret_bytes(&circuit), 32 + 3 * 33);
	for (uint64_t seed = 0; seed < 8; seed++) {
		struct wtns *witness = NULL;
		uint8_t secret[32 + 3 * 33];
		uint8_t root[32];

		builtin_circuit_example(&circuit, seed, secret);
		directions_seen |= 1u << secret[64];
		hash_path(secret, 3, root);
		assert_int_equal(
			builtin_circuit_witness(&circuit, secret, NULL, &witness), STATUS_OK);
		assert_outputs(witness, root);
		wtns_destroy(witness);
	}
	assert_int_equal(directions_seen, 3);
}

static void a_squaring_chain_squares_and_adds(void **state)
{
	const struct builtin_circuit circuit = parse("squaring-chain:3");
	AUTO(wtns_destroy) struct wtns *witness = NULL;
	uint8_t secret[32] = {5};
	const blst_scalar expected = {.b = {(626 * 626 + 2) & 0xff, ((626 * 626 + 2) >> 8) & 0xff,
					      (626 * 626 + 2) >> 16}};

	(void)state;
	/* 5 -> 25 + 0 -> 625 + 1 -> 626 * 626 + 2 */
	assert_int_equal(builtin_circuit_witness(&circuit, secret, NULL, &witness), STATUS_OK);
	assert_memory_equal(&witness->values[1], &expected, sizeof(expected));
}

static void every_secret_satisfies_the_one_shape(void **state)
{
	static const char *const names[] = {"squaring-chain:1", "squaring-chain:100", "sha256:1",
		"sha256:2", "sha256:3", "sha256:4", "sha256:5", "sha256:6", "sha256:7", "sha256:8",
		"sha256:9", "sha256:15", "sha256:16", "sha256:17", "sha256:33", "sha256:63",
		"sha256", "merkle-path:1:1", "merkle-path:1:2", "merkle-path:2:3",
		"merkle-path:1:17", "merkle-path:1", "merkle-path:2"};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct builtin_circuit circuit = parse(names[i]);
		uint8_t *secret = malloc(builtin_circuit_secret_bytes(&circuit));
		struct r1cs *r1cs = NULL;

		assert_int_equal(builtin_circuit_r1cs(&circuit, &r1cs), STATUS_OK);
		for (uint64_t seed = 0; seed < 3; seed++) {
			struct wtns *witness = NULL;

			builtin_circuit_example(&circuit, seed, secret);
			assert_int_equal(builtin_circuit_witness(&circuit, secret, NULL, &witness),
				STATUS_OK);
			assert_int_equal(r1cs_check(r1cs, witness, NULL), STATUS_OK);
			wtns_destroy(witness);
		}
		r1cs_destroy(r1cs);
		free(secret);
	}
}

/* Eight rounds use every word of a 32-byte message, sixteen every word of two nodes. */
static void no_wire_is_free(void **state)
{
	static const struct {
		const char *name;
		uint32_t stride; /* of the wires tried: a path has many */
	} tries[] = {{"squaring-chain:20", 1}, {"sha256:8", 1}, {"merkle-path:1:16", 23}};

	(void)state;
	for (size_t i = 0; i < sizeof(tries) / sizeof(tries[0]); i++) {
		struct r1cs *r1cs = NULL;
		struct wtns *witness = NULL;

		fixture_values(tries[i].name, 4, &r1cs, &witness, NULL);
		for (uint32_t wire = 1; wire < witness->count; wire += tries[i].stride) {
			witness->values[wire].b[0] ^= 1;
			if (r1cs_check(r1cs, witness, NULL) != STATUS_BAD_INPUT) {
				fail_msg("%s: wire %u is bound by no row", tries[i].name, wire);
			}
			witness->values[wire].b[0] ^= 1;
		}
		wtns_destroy(witness);
		r1cs_destroy(r1cs);
	}
}

static void sizes_stay_within_their_domains(void **state)
{
	static const struct {
		const char *name;
		uint32_t rows_max;
	} sizes[] = {{"squaring-chain:4096", 4096}, {"sha256", 26000}, {"merkle-path:1", 46500},
		{"merkle-path:2", 93000}, {"sha256:8", 3600}};

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct builtin_circuit circuit = parse(sizes[i].name);
		struct r1cs *r1cs = NULL;

		assert_int_equal(builtin_circuit_r1cs(&circuit, &r1cs), STATUS_OK);
		assert_true(r1cs->constraint_count <= sizes[i].rows_max);
		r1cs_destroy(r1cs);
	}
}

static void names_are_read_back_as_they_are_written(void **state)
{
	static const char *const names[] = {"squaring-chain:1", "squaring-chain:67108864", "sha256",
		"sha256:1", "sha256:63", "merkle-path:1", "merkle-path:64", "merkle-path:64:63"};
	char name[BUILTIN_CIRCUIT_NAME_BYTES_MAX];
	struct builtin_circuit circuit;

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		circuit = parse(names[i]);
		builtin_circuit_name(&circuit, name);
		assert_string_equal(name, names[i]);
	}
	circuit = parse("merkle-path:2:64");
	builtin_circuit_name(&circuit, name);
	assert_string_equal(name, "merkle-path:2");
}

static void other_names_are_refused(void **state)
{
	static const char *const names[] = {"", "sha", "sha256:", "sha256:0", "sha256:65",
		"sha256:8:8", "sha256:+8", "sha2561", "squaring-chain", "squaring-chain:0",
		"squaring-chain:67108865", "squaring-chain:18446744073709551617",
		"squaring-chain:5:5", "merkle-path", "merkle-path:0", "merkle-path:65",
		"merkle-path:1:65", "merkle-path:1:1:1", "merkle-path:1 "};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct builtin_circuit circuit;
		struct diag diag = {.line = ""};

		assert_int_equal(
			builtin_circuit_parse(names[i], &diag, &circuit), STATUS_BAD_INPUT);
		assert_non_null(strstr(diag.line, "merkle-path:LEVELS"));
	}
}

static void a_direction_is_zero_or_one(void **state)
{
	const struct builtin_circuit circuit = parse("merkle-path:2:1");
	struct wtns *witness = NULL;
	struct diag diag = {.line = ""};
	uint8_t secret[32 + 2 * 33];

	(void)state;
	builtin_circuit_example(&circuit, 1, secret);
	secret[32 + 33 + 32] = 2;
	assert_int_equal(
		builtin_circuit_witness(&circuit, secret, &diag, &witness), STATUS_BAD_INPUT);
	assert_string_equal(diag.line, "merkle path: level 1: direction 2 is neither 0 nor 1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sha256_gives_the_known_digest),
		cmocka_unit_test(sha256_agrees_with_another_implementation),
		cmocka_unit_test(a_merkle_path_leads_to_the_root),
		cmocka_unit_test(a_squaring_chain_squares_and_adds),
		cmocka_unit_test(every_secret_satisfies_the_one_shape),
		cmocka_unit_test(no_wire_is_free),
		cmocka_unit_test(sizes_stay_within_their_domains),
		cmocka_unit_test(names_are_read_back_as_they_are_written),
		cmocka_unit_test(other_names_are_refused),
		cmocka_unit_test(a_direction_is_zero_or_one),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
