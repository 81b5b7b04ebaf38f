/* SPDX-License-Identifier: MIT */
/*
 * Proves that proofs satisfy the pairing equation, computed here and not by the project's verifier,
 * that threads change nothing, and that what cannot be proved is refused.
 */
#include "prover/groth16/builtin_circuit.h"
#include "prover/groth16/msm.h"
#include "prover/groth16/prove.h"
#include "prover/groth16/quotient.h"
#include "prover/groth16/secret.h"
#include "prover/groth16/setup.h"
#include "prover/groth16/work_pool.h"
#include "prover/groth16/wtns.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const uint8_t seed[BLINDING_SEED_BYTES] = {7};

struct task {
	struct zkey *key;
	struct wtns *witness;
};

static void task_finish(struct task *task)
{
	zkey_destroy(task->key);
	wtns_destroy(task->witness);
}

/* A key and a witness of a built-in circuit. */
static struct task make_task(const char *circuit_name)
{
	struct builtin_circuit circuit;
	struct r1cs *r1cs = NULL;
	struct task task = {NULL, NULL};
	struct diag diag = {""};
	uint8_t *secret;
	const struct setup_options options = {.seed = seed, .thread_count = 1};

	assert_int_equal(builtin_circuit_parse(circuit_name, &diag, &circuit), STATUS_OK);
	assert_int_equal(builtin_circuit_r1cs(&circuit, &r1cs), STATUS_OK);
	assert_int_equal(setup_create_key(r1cs, &options, &diag, &task.key), STATUS_OK);
	secret = calloc(1, builtin_circuit_secret_bytes(&circuit));
	assert_non_null(secret);
	builtin_circuit_example(&circuit, 1, secret);
	assert_int_equal(
		builtin_circuit_witness(&circuit, secret, &diag, &task.witness), STATUS_OK);
	free(secret);
	r1cs_destroy(r1cs);
	return task;
}

/* e(A, B) = e(alpha, beta) e(IC, gamma) e(C, delta), as one product that must be 1. */
static bool pairing_holds(
	const struct zkey *key, const blst_scalar *witness, const struct proof *proof)
{
	struct curve_point sum = {.group = CURVE_G1};
	blst_p1_affine g1[4] = {proof->a, key->alpha_g1, {{{0}}, {{0}}}, proof->c};
	const blst_p2_affine *g2[4] = {&proof->b, &key->beta_g2, &key->gamma_g2, &key->delta_g2};
	blst_fp12 product = *blst_fp12_one();

	blst_p1_from_affine(&sum.g1, &key->ic[0]);
	for (uint32_t i = 1; i <= key->public_count; i++) {
		struct curve_point point = {.group = CURVE_G1};

		blst_p1_from_affine(&point.g1, &key->ic[i]);
		curve_add_multiple(&sum, &point, &witness[i]);
	}
	blst_p1_to_affine(&g1[2], &sum.g1);
	blst_fp_cneg(&g1[0].y, &g1[0].y, true);
	for (size_t i = 0; i < 4; i++) {
		blst_fp12 factor;

		blst_miller_loop(&factor, g2[i], &g1[i]);
		blst_fp12_mul(&product, &product, &factor);
	}
	blst_final_exp(&product, &product);
	return blst_fp12_is_one(&product);
}

static void assert_proves(const struct zkey *key, const blst_scalar *witness)
{
	struct diag diag = {""};
	struct proof first;
	struct proof proof;
	struct groth16_options options = {.insecure_blinding_seed = seed, .self_verify = true};

	for (uint32_t threads = 1; threads <= 4; threads++) {
		options.thread_count = threads;
		memset(&proof, 0, sizeof(proof));
		if (groth16_prove(key, witness, &options, &diag, &proof) != STATUS_OK) {
			fail_msg("%s", diag.line);
		}
		if (threads == 1) {
			first = proof;
			assert_true(pairing_holds(key, witness, &proof));
		}
		assert_memory_equal(&proof, &first, sizeof(proof));
	}
}

static void prove_builtin(const char *circuit_name)
{
	struct task task = make_task(circuit_name);

	assert_proves(task.key, task.witness->values);
	task_finish(&task);
}

static void a_chain_of_one_row_is_proved(void **state)
{
	(void)state;
	prove_builtin("squaring-chain:1");
}

/* Just below, at and beyond the row count where the domain doubles. */
static void chains_around_a_power_of_two_are_proved(void **state)
{
	(void)state;
	prove_builtin("squaring-chain:61");
	prove_builtin("squaring-chain:62");
	prove_builtin("squaring-chain:63");
	prove_builtin("squaring-chain:64");
}

/* Large enough for the upper passes of a transform, and for buckets in every query. */
static void a_chain_of_wide_scalars_is_proved(void **state)
{
	(void)state;
	prove_builtin("squaring-chain:1100");
}

static void a_hash_is_proved(void **state)
{
	(void)state;
	prove_builtin("sha256:2");
}

static void fresh_blinding_makes_different_proofs(void **state)
{
	struct task task = make_task("squaring-chain:5");
	struct groth16_options options = {.thread_count = 1, .self_verify = true};
	struct proof first;
	struct proof second;

	(void)state;
	assert_int_equal(
		groth16_prove(task.key, task.witness->values, &options, NULL, &first), STATUS_OK);
	assert_int_equal(
		groth16_prove(task.key, task.witness->values, &options, NULL, &second), STATUS_OK);
	assert_true(pairing_holds(task.key, task.witness->values, &first));
	assert_true(pairing_holds(task.key, task.witness->values, &second));
	assert_memory_not_equal(&first.a, &second.a, sizeof(first.a));
	assert_memory_not_equal(&first.b, &second.b, sizeof(first.b));
	assert_memory_not_equal(&first.c, &second.c, sizeof(first.c));
	task_finish(&task);
}

static void a_wrong_witness_is_refused(void **state)
{
	struct task task = make_task("squaring-chain:50");
	struct groth16_options options = {.thread_count = 2, .self_verify = true};
	struct diag diag = {""};
	struct proof proof;
	struct proof untouched;

	(void)state;
	memset(&proof, 0x5a, sizeof(proof));
	untouched = proof;
	task.witness->values[task.witness->count - 1].b[0] ^= 1;
	assert_int_equal(groth16_prove(task.key, task.witness->values, &options, &diag, &proof),
		STATUS_INVALID_PROOF);
	assert_true(strlen(diag.line) > 0);
	assert_memory_equal(&proof, &untouched, sizeof(proof));

	/* Without the check there is a proof, and it proves nothing. */
	options.self_verify = false;
	assert_int_equal(
		groth16_prove(task.key, task.witness->values, &options, &diag, &proof), STATUS_OK);
	assert_false(pairing_holds(task.key, task.witness->values, &proof));
	task_finish(&task);
}

static void words_that_are_no_witness_are_refused(void **state)
{
	struct task task = make_task("squaring-chain:5");
	struct groth16_options options = {.thread_count = 1};
	struct diag diag = {""};
	struct proof proof;

	(void)state;
	memset(task.witness->values[3].b, 0xff, sizeof(task.witness->values[3].b));
	assert_int_equal(groth16_prove(task.key, task.witness->values, &options, &diag, &proof),
		STATUS_BAD_INPUT);
	assert_non_null(strstr(diag.line, "wire 3"));
	memset(task.witness->values[3].b, 0, sizeof(task.witness->values[3].b));
	task.witness->values[0].b[0] = 2;
	assert_int_equal(groth16_prove(task.key, task.witness->values, &options, &diag, &proof),
		STATUS_BAD_INPUT);
	assert_non_null(strstr(diag.line, "wire 0"));
	task_finish(&task);
}

/* What a device does: each stage by itself, on a pool and a plan that live longer than a proof. */
static void stages_one_by_one_make_the_same_proof(void **state)
{
	struct task task = make_task("sha256:1");
	const blst_scalar *witness = task.witness->values;
	AUTO(work_pool_destroy) struct work_pool *pool = NULL;
	AUTO(ntt_plan_destroy) struct ntt_plan *plan = NULL;
	AUTO(secret_destroy) uint8_t *classes = secret_create(task.key->wire_count, 1);
	struct quotient quotient;
	struct groth16_parts parts;
	struct blinding blinding;
	struct proof staged;
	struct proof whole;

	(void)state;
	assert_non_null(classes);
	assert_int_equal(work_pool_create(2, "test", &pool), STATUS_OK);
	assert_int_equal(ntt_plan_create(task.key->domain_log2, &plan), STATUS_OK);
	scalars_classify_all(witness, task.key->wire_count, classes);
	assert_int_equal(quotient_init(&quotient, &(struct quotient_input){.key = task.key,
							  .plan = plan,
							  .witness = witness,
							  .classes = classes,
							  .thread_count = 2}),
		STATUS_OK);
	assert_int_equal(quotient_evaluate(&quotient, pool), STATUS_OK);
	assert_int_equal(quotient_transform(&quotient, pool), STATUS_OK);
	for (uint32_t i = 0; i < GROTH16_QUERY_COUNT; i++) {
		struct msm_query query = groth16_query_points(task.key, (enum groth16_query)i);
		bool is_h = i == GROTH16_H;
		struct msm msm;

		msm_init(&msm, 2);
		assert_int_equal(msm_prepare(&msm, &query, is_h ? quotient.scalars : witness,
					 is_h ? quotient.scalar_classes : classes),
			STATUS_OK);
		assert_int_equal(msm_run_ones(&msm, pool), STATUS_OK);
		assert_int_equal(msm_run_tails(&msm, pool), STATUS_OK);
		msm_result(&msm, query.group, &parts.sums[i]);
		msm_finish(&msm);
	}
	quotient_finish(&quotient);
	blinding_from_seed(seed, &blinding);
	groth16_assemble(task.key, &parts, &blinding, &staged);

	assert_int_equal(
		groth16_prove(task.key, witness,
			&(struct groth16_options){
				.pool = pool, .plan = plan, .insecure_blinding_seed = seed},
			NULL, &whole),
		STATUS_OK);
	assert_memory_equal(&staged, &whole, sizeof(staged));
	assert_int_equal(groth16_self_verify(task.key, witness, &staged, NULL), STATUS_OK);
	task_finish(&task);
}

/* The bytes of a file, or of what `gzip -dc` makes of it; NULL if it is not there. */
static uint8_t *read_case(const char *name, uint64_t *out_bytes)
{
	char command[512];
	FILE *pipe;
	uint8_t *bytes = NULL;
	uint64_t used = 0;
	size_t got = 1;

	(void)snprintf(command, sizeof(command), CASES_DIR "/prover/bls12381/%s", name);
	if (access(command, R_OK) != 0) {
		return NULL;
	}
	(void)snprintf(
		command, sizeof(command), "gzip -dcf '%s/prover/bls12381/%s'", CASES_DIR, name);
	pipe = popen(command, "r");
	assert_non_null(pipe);
	while (got > 0) {
		bytes = realloc(bytes, used + (1u << 20));
		assert_non_null(bytes);
		got = fread(bytes + used, 1, 1u << 20, pipe);
		used += got;
	}
	assert_int_equal(pclose(pipe), 0);
	*out_bytes = used;
	return bytes;
}

/* A key and a witness that snarkjs and circom made. */
static void prove_case(const char *key_name, const char *witness_name)
{
	uint64_t key_bytes = 0;
	uint64_t witness_bytes = 0;
	uint8_t *key_file = read_case(key_name, &key_bytes);
	uint8_t *witness_file = read_case(witness_name, &witness_bytes);
	struct diag diag = {""};
	struct task task = {NULL, NULL};

	if (!key_file || !witness_file) {
		free(key_file);
		free(witness_file);
		skip();
	}
	assert_int_equal(
		zkey_parse(key_name, key_file, key_bytes, ZKEY_CHECK_CURVE, &diag, &task.key),
		STATUS_OK);
	assert_int_equal(
		wtns_parse(witness_name, witness_file, witness_bytes, &diag, &task.witness),
		STATUS_OK);
	assert_proves(task.key, task.witness->values);
	free(key_file);
	free(witness_file);
	task_finish(&task);
}

static void the_tiny_snarkjs_key_is_used(void **state)
{
	(void)state;
	prove_case("tiny/tiny.zkey", "tiny/tiny.wtns");
}

static void the_sha256_snarkjs_key_is_used(void **state)
{
	(void)state;
	prove_case("sha256b1/sha256b1.zkey.gz", "sha256b1/sha256b1.wtns.gz");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_chain_of_one_row_is_proved),
		cmocka_unit_test(chains_around_a_power_of_two_are_proved),
		cmocka_unit_test(a_chain_of_wide_scalars_is_proved),
		cmocka_unit_test(a_hash_is_proved),
		cmocka_unit_test(fresh_blinding_makes_different_proofs),
		cmocka_unit_test(a_wrong_witness_is_refused),
		cmocka_unit_test(words_that_are_no_witness_are_refused),
		cmocka_unit_test(stages_one_by_one_make_the_same_proof),
		cmocka_unit_test(the_tiny_snarkjs_key_is_used),
		cmocka_unit_test(the_sha256_snarkjs_key_is_used),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
