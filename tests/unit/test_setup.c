/* SPDX-License-Identifier: MIT */
/* Proves that keys of the test set-up prove and verify at every domain edge, and are repeatable. */
#include "prover/groth16/setup.h"

#include "prover/groth16/builtin_circuit.h"
#include "prover/groth16/circuit.h"
#include "prover/groth16/field.h"
#include "prover/groth16/prove.h"
#include "prover/groth16/verification_key.h"
#include "prover/groth16/verify.h"
#include "tests/unit/groth16_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const uint8_t seed[SETUP_SEED_BYTES] = {1, 2, 3};

static void assert_proves(const struct zkey *key, const struct wtns *witness)
{
	AUTO(verification_key_destroy) struct verification_key *verification_key = NULL;
	const struct groth16_options options = {.thread_count = 1};
	struct proof proof;
	blst_scalar wrong;

	assert_int_equal(wtns_check_key("witness", witness, key, NULL), STATUS_OK);
	assert_int_equal(verification_key_from_zkey(key, NULL, &verification_key), STATUS_OK);
	assert_int_equal(groth16_prove(key, witness->values, &options, NULL, &proof), STATUS_OK);
	assert_int_equal(groth16_verify(verification_key, witness->values + 1, key->public_count,
				 &proof, NULL),
		STATUS_OK);
	wrong = witness->values[1];
	wrong.b[0] ^= 1;
	if (key->public_count == 1) {
		assert_int_equal(groth16_verify(verification_key, &wrong, 1, &proof, NULL),
			STATUS_INVALID_PROOF);
	}
}

/* Rows of the chain, one public wire and the constant: n + 2 rows in all. */
static void the_domain_is_the_smallest_that_holds_all_rows(void **state)
{
	static const struct {
		uint32_t rows;
		uint32_t domain_size;
	} edges[] = {{1, 4}, {2, 4}, {3, 8}, {6, 8}, {7, 16}, {14, 16}, {15, 32}, {30, 32},
		{31, 64}, {62, 64}, {63, 128}, {254, 256}, {255, 512}};

	(void)state;
	for (size_t i = 0; i < sizeof(edges) / sizeof(edges[0]); i++) {
		char name[BUILTIN_CIRCUIT_NAME_BYTES_MAX];
		struct wtns *witness = NULL;
		struct zkey *key = NULL;

		snprintf(name, sizeof(name), "squaring-chain:%u", edges[i].rows);
		fixture_values(name, i, NULL, &witness, &key);
		assert_int_equal(key->domain_size, edges[i].domain_size);
		assert_int_equal(1u << key->domain_log2, edges[i].domain_size);
		assert_proves(key, witness);
		wtns_destroy(witness);
		zkey_destroy(key);
	}
}

static void sparse_circuits_prove_too(void **state)
{
	static const char *const names[] = {"sha256:1", "sha256:4", "merkle-path:1:1"};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct wtns *witness = NULL;
		struct zkey *key = NULL;

		fixture_values(names[i], i, NULL, &witness, &key);
		assert_true(key->b1.count < key->wire_count);
		assert_true(key->b1.count == key->b2.count);
		assert_proves(key, witness);
		wtns_destroy(witness);
		zkey_destroy(key);
	}
}

static uint32_t next_random(uint64_t *state, uint32_t bound)
{
	*state = *state * 6364136223846793005 + 1442695040888963407;
	return (uint32_t)(*state >> 33) % bound;
}

/* Adds one to five random terms to a side and gives the side's value. */
static void add_random_terms(struct circuit *circuit, enum r1cs_side side, uint64_t *random,
	const blst_fr *values, uint32_t count, blst_fr *out_sum)
{
	memset(out_sum, 0, sizeof(*out_sum));
	for (uint32_t i = 0, terms = 1 + next_random(random, 5); i < terms; i++) {
		/* The output, wire 1, has no value yet. */
		uint32_t wire = next_random(random, count - 1);
		blst_fr factor;
		blst_fr term;

		wire += wire >= 1;
		field_from_u64(&factor, next_random(random, 4));
		blst_fr_cneg(&factor, &factor, next_random(random, 2));
		circuit_add_term(circuit, side, wire, &factor);
		blst_fr_mul(&term, &factor, &values[wire]);
		blst_fr_add(out_sum, out_sum, &term);
	}
}

/* Random rows A * B = new wire over all wires before; some wires are then used nowhere. */
static struct circuit *make_random_circuit(uint64_t random)
{
	blst_fr values[128];
	struct circuit *circuit = NULL;
	uint32_t rows = 1 + next_random(&random, 100);
	uint32_t count = 2;
	blst_scalar scalar;

	assert_int_equal(circuit_create(1, &circuit), STATUS_OK);
	field_one(&values[0]);
	for (; count < 5; count++) {
		field_from_u64(&values[count], next_random(&random, 3));
		blst_scalar_from_fr(&scalar, &values[count]);
		assert_int_equal(circuit_add_input(circuit, &scalar), count);
	}
	for (uint32_t row = 0; row < rows; row++) {
		blst_fr a;
		blst_fr b;
		uint32_t out = 1;

		add_random_terms(circuit, R1CS_A, &random, values, count, &a);
		add_random_terms(circuit, R1CS_B, &random, values, count, &b);
		blst_fr_mul(&a, &a, &b);
		blst_scalar_from_fr(&scalar, &a);
		if (row + 1 == rows) {
			circuit_set_output(circuit, 0, &scalar);
		} else {
			out = circuit_add_wire(circuit, &scalar);
			values[count++] = a;
		}
		circuit_add_power(circuit, R1CS_C, out, 0, false);
		circuit_end_row(circuit);
	}
	return circuit;
}

static void random_circuits_prove_and_survive_their_files(void **state)
{
	const struct setup_options options = {.thread_count = 2};

	(void)state;
	for (uint64_t random = 1; random <= 12; random++) {
		AUTO(circuit_destroy) struct circuit *circuit = make_random_circuit(random);
		AUTO(r1cs_destroy) struct r1cs *made = NULL;
		AUTO(r1cs_destroy) struct r1cs *r1cs = NULL;
		AUTO(wtns_destroy) struct wtns *witness = NULL;
		AUTO(zkey_destroy) struct zkey *made_key = NULL;
		AUTO(zkey_destroy) struct zkey *key = NULL;

		assert_int_equal(circuit_finish(circuit, &made, &witness), STATUS_OK);
		assert_int_equal(r1cs_write(made, fixture_path("a.r1cs"), NULL), STATUS_OK);
		assert_int_equal(r1cs_read(fixture_path("a.r1cs"), NULL, &r1cs), STATUS_OK);
		assert_int_equal(r1cs_check(r1cs, witness, NULL), STATUS_OK);
		assert_int_equal(setup_create_key(r1cs, &options, NULL, &made_key), STATUS_OK);
		assert_int_equal(zkey_write(made_key, fixture_path("a.zkey"), NULL), STATUS_OK);
		assert_int_equal(zkey_read(fixture_path("a.zkey"), ZKEY_CHECK_SUBGROUP, NULL, &key),
			STATUS_OK);
		assert_proves(key, witness);
	}
	fixture_remove_folder();
}

/* Only the input rows are left, and no L point. */
static void a_circuit_without_rows_has_a_key(void **state)
{
	const struct setup_options options = {.seed = seed};
	AUTO(circuit_destroy) struct circuit *circuit = NULL;
	AUTO(r1cs_destroy) struct r1cs *r1cs = NULL;
	AUTO(wtns_destroy) struct wtns *witness = NULL;
	AUTO(zkey_destroy) struct zkey *key = NULL;

	(void)state;
	assert_int_equal(circuit_create(1, &circuit), STATUS_OK);
	assert_int_equal(circuit_finish(circuit, &r1cs, &witness), STATUS_OK);
	assert_int_equal(setup_create_key(r1cs, &options, NULL, &key), STATUS_OK);
	assert_int_equal(key->domain_size, 2);
	assert_int_equal(key->l.count, 0);
	assert_proves(key, witness);
}

/* x * x = y with both secret: IC is one point, and public.json an empty list. */
static void a_circuit_without_publics_proves(void **state)
{
	const struct setup_options options = {.seed = seed};
	const blst_scalar three = {.b = {3}};
	AUTO(circuit_destroy) struct circuit *circuit = NULL;
	AUTO(r1cs_destroy) struct r1cs *r1cs = NULL;
	AUTO(wtns_destroy) struct wtns *witness = NULL;
	AUTO(zkey_destroy) struct zkey *key = NULL;
	AUTO(zkey_destroy) struct zkey *read = NULL;
	uint32_t x;

	(void)state;
	assert_int_equal(circuit_create(0, &circuit), STATUS_OK);
	x = circuit_add_input(circuit, &three);
	circuit_add_power(circuit, R1CS_A, x, 0, false);
	circuit_add_power(circuit, R1CS_B, x, 0, false);
	circuit_add_power(circuit, R1CS_C, circuit_add_small_wire(circuit, 9), 0, false);
	circuit_end_row(circuit);
	assert_int_equal(circuit_finish(circuit, &r1cs, &witness), STATUS_OK);
	assert_int_equal(setup_create_key(r1cs, &options, NULL, &key), STATUS_OK);
	assert_int_equal(key->public_count, 0);
	assert_int_equal(zkey_write(key, fixture_path("a.zkey"), NULL), STATUS_OK);
	assert_int_equal(
		zkey_read(fixture_path("a.zkey"), ZKEY_CHECK_SUBGROUP, NULL, &read), STATUS_OK);
	assert_proves(read, witness);
	fixture_remove_folder();
}

static bool are_same(const struct zkey *a, const struct zkey *b)
{
	return memcmp(&a->alpha_g1, &b->alpha_g1, sizeof(a->alpha_g1)) == 0 &&
	       memcmp(a->h.points, b->h.points, a->h.count * sizeof(*a->h.points)) == 0 &&
	       memcmp(a->l.points, b->l.points, a->l.count * sizeof(*a->l.points)) == 0 &&
	       memcmp(a->b2.points, b->b2.points, a->b2.count * sizeof(*a->b2.points)) == 0;
}

static void a_seed_gives_one_key_on_any_number_of_threads(void **state)
{
	static const uint32_t thread_counts[] = {0, 1, 2, 3, 100};
	const struct setup_options other = {
		.seed = (const uint8_t *)"thirty-two bytes of other seed.."};
	AUTO(r1cs_destroy) struct r1cs *r1cs = NULL;
	AUTO(zkey_destroy) struct zkey *first = NULL;
	AUTO(zkey_destroy) struct zkey *different = NULL;

	(void)state;
	fixture_values("squaring-chain:900", 1, &r1cs, NULL, NULL);
	for (size_t i = 0; i < sizeof(thread_counts) / sizeof(thread_counts[0]); i++) {
		const struct setup_options options = {
			.seed = seed, .thread_count = thread_counts[i]};
		struct zkey *key = NULL;

		assert_int_equal(setup_create_key(r1cs, &options, NULL, &key), STATUS_OK);
		assert_true(key->is_insecure);
		if (!first) {
			first = key;
			continue;
		}
		assert_true(are_same(first, key));
		zkey_destroy(key);
	}
	assert_int_equal(setup_create_key(r1cs, &other, NULL, &different), STATUS_OK);
	assert_false(are_same(first, different));
}

static void without_a_seed_every_key_is_another(void **state)
{
	const struct setup_options options = {.thread_count = 1};
	AUTO(r1cs_destroy) struct r1cs *r1cs = NULL;
	AUTO(zkey_destroy) struct zkey *a = NULL;
	AUTO(zkey_destroy) struct zkey *b = NULL;

	(void)state;
	fixture_values("squaring-chain:2", 1, &r1cs, NULL, NULL);
	assert_int_equal(setup_create_key(r1cs, &options, NULL, &a), STATUS_OK);
	assert_int_equal(setup_create_key(r1cs, &options, NULL, &b), STATUS_OK);
	assert_false(are_same(a, b));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_domain_is_the_smallest_that_holds_all_rows),
		cmocka_unit_test(sparse_circuits_prove_too),
		cmocka_unit_test(random_circuits_prove_and_survive_their_files),
		cmocka_unit_test(a_circuit_without_rows_has_a_key),
		cmocka_unit_test(a_circuit_without_publics_proves),
		cmocka_unit_test(a_seed_gives_one_key_on_any_number_of_threads),
		cmocka_unit_test(without_a_seed_every_key_is_another),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
