/* SPDX-License-Identifier: MIT */
/*
 * Proves that files which circom and snarkjs made are read, proved with and verified, and that
 * every broken proof kept beside them is refused. Skipped where the cases are not at hand.
 */
#include "prover/groth16/builtin_circuit.h"
#include "prover/groth16/proof_json.h"
#include "prover/groth16/prove.h"
#include "prover/groth16/r1cs.h"
#include "prover/groth16/setup.h"
#include "prover/groth16/verification_key.h"
#include "prover/groth16/verify.h"
#include "prover/groth16/wtns.h"
#include "prover/groth16/zkey.h"
#include "tests/unit/groth16_fixture.h"

#include <dirent.h>
#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define EXIT_SKIPPED 77
#define BROKEN_COUNT 10

/* Everything that belongs to one circuit. */
struct bundle {
	struct r1cs *r1cs;
	struct wtns *witness;
	struct zkey *key;
	struct verification_key *verification_key;
	blst_scalar *publics;
	uint32_t public_count;
};

static struct fixture_bytes load(const char *folder, const char *suffix)
{
	const char *slash = strrchr(folder, '/');
	char name[256];
	struct fixture_bytes file;

	snprintf(name, sizeof(name), "%s/%s%s", folder, slash + 1, suffix);
	file = fixture_case(name);
	if (!file.bytes) {
		snprintf(name, sizeof(name), "%s/%s%s.gz", folder, slash + 1, suffix);
		file = fixture_case(name);
	}
	assert_non_null(file.bytes);
	return file;
}

static struct verification_key *load_verification_key(const char *folder)
{
	struct fixture_bytes file = load(folder, ".vkey.json");
	struct verification_key *key = NULL;

	assert_int_equal(
		verification_key_parse("vkey", (const char *)file.bytes, file.count, NULL, &key),
		STATUS_OK);
	fixture_free(&file);
	return key;
}

static struct bundle load_bundle(const char *folder)
{
	struct bundle bundle = {.verification_key = load_verification_key(folder)};
	struct fixture_bytes file = load(folder, ".r1cs");

	assert_int_equal(r1cs_parse("r1cs", file.bytes, file.count, NULL, &bundle.r1cs), STATUS_OK);
	fixture_free(&file);
	file = load(folder, ".wtns");
	assert_int_equal(
		wtns_parse("wtns", file.bytes, file.count, NULL, &bundle.witness), STATUS_OK);
	fixture_free(&file);
	file = load(folder, ".zkey");
	assert_int_equal(
		zkey_parse("zkey", file.bytes, file.count, ZKEY_CHECK_CURVE, NULL, &bundle.key),
		STATUS_OK);
	fixture_free(&file);
	file = load(folder, ".public.json");
	assert_int_equal(public_json_parse("public", (const char *)file.bytes, file.count, NULL,
				 &bundle.publics, &bundle.public_count),
		STATUS_OK);
	fixture_free(&file);
	return bundle;
}

static void free_bundle(struct bundle *bundle)
{
	r1cs_destroy(bundle->r1cs);
	wtns_destroy(bundle->witness);
	zkey_destroy(bundle->key);
	verification_key_destroy(bundle->verification_key);
	free(bundle->publics);
}

static enum status verify_file(const struct bundle *bundle, const char *folder, const char *suffix)
{
	struct fixture_bytes file = load(folder, suffix);
	struct proof proof;

	assert_int_equal(
		proof_json_parse("proof", (const char *)file.bytes, file.count, NULL, &proof),
		STATUS_OK);
	fixture_free(&file);
	return groth16_verify(
		bundle->verification_key, bundle->publics, bundle->public_count, &proof, NULL);
}

static void assert_same_verification_key(
	const struct verification_key *a, const struct verification_key *b)
{
	assert_int_equal(a->public_count, b->public_count);
	assert_memory_equal(&a->alpha_g1, &b->alpha_g1, sizeof(a->alpha_g1));
	assert_memory_equal(&a->beta_g2, &b->beta_g2, sizeof(a->beta_g2));
	assert_memory_equal(&a->gamma_g2, &b->gamma_g2, sizeof(a->gamma_g2));
	assert_memory_equal(&a->delta_g2, &b->delta_g2, sizeof(a->delta_g2));
	assert_memory_equal(a->ic, b->ic, (a->public_count + 1) * sizeof(*a->ic));
}

static void check_circuit(const char *folder)
{
	const struct groth16_options options = {.thread_count = 1};
	struct bundle bundle = load_bundle(folder);
	struct verification_key *derived = NULL;
	struct proof proof;

	assert_int_equal(r1cs_check(bundle.r1cs, bundle.witness, NULL), STATUS_OK);
	assert_int_equal(wtns_check_key("bundle", bundle.witness, bundle.key, NULL), STATUS_OK);
	assert_int_equal(bundle.public_count, bundle.key->public_count);
	assert_memory_equal(bundle.publics, bundle.witness->values + 1,
		bundle.public_count * sizeof(*bundle.publics));
	assert_false(bundle.key->is_insecure);
	assert_int_equal(verification_key_from_zkey(bundle.key, NULL, &derived), STATUS_OK);
	assert_same_verification_key(derived, bundle.verification_key);
	verification_key_destroy(derived);
	assert_int_equal(verify_file(&bundle, folder, ".proof.json"), STATUS_OK);
	assert_int_equal(verify_file(&bundle, folder, ".other-prover.proof.json"), STATUS_OK);

	assert_int_equal(groth16_prove(bundle.key, bundle.witness->values, &options, NULL, &proof),
		STATUS_OK);
	assert_int_equal(groth16_verify(bundle.verification_key, bundle.publics,
				 bundle.public_count, &proof, NULL),
		STATUS_OK);
	free_bundle(&bundle);
}

static void a_small_circom_circuit_goes_all_the_way(void **state)
{
	(void)state;
	check_circuit("bls12381/tiny");
}

static void a_circom_sha256_goes_all_the_way(void **state)
{
	(void)state;
	check_circuit("bls12381/sha256b1");
}

/* A circom circuit, our key for it, the witness that snarkjs made. */
static void a_circom_circuit_proves_with_our_key(void **state)
{
	const struct groth16_options prove_options = {.thread_count = 1};
	const struct setup_options setup_options = {.thread_count = 1};
	struct bundle bundle = load_bundle("bls12381/tiny");
	AUTO(zkey_destroy) struct zkey *key = NULL;
	AUTO(verification_key_destroy) struct verification_key *verification_key = NULL;
	struct proof proof;

	(void)state;
	assert_int_equal(setup_create_key(bundle.r1cs, &setup_options, NULL, &key), STATUS_OK);
	assert_int_equal(key->domain_size, bundle.key->domain_size);
	assert_int_equal(key->b1.count, bundle.key->b1.count);
	assert_int_equal(verification_key_from_zkey(key, NULL, &verification_key), STATUS_OK);
	assert_int_equal(groth16_prove(key, bundle.witness->values, &prove_options, NULL, &proof),
		STATUS_OK);
	assert_int_equal(
		groth16_verify(verification_key, bundle.publics, bundle.public_count, &proof, NULL),
		STATUS_OK);
	free_bundle(&bundle);
}

/* The bytes 0 .. 31 went through circom's SHA-256 as well. */
static void our_sha256_gives_the_publics_of_circoms(void **state)
{
	struct fixture_bytes file = load("bls12381/sha256b1", ".public.json");
	AUTO(wtns_destroy) struct wtns *witness = NULL;
	struct builtin_circuit circuit;
	blst_scalar *publics = NULL;
	uint32_t count = 0;
	uint8_t secret[32];

	(void)state;
	for (uint8_t i = 0; i < 32; i++) {
		secret[i] = i;
	}
	assert_int_equal(public_json_parse("public", (const char *)file.bytes, file.count, NULL,
				 &publics, &count),
		STATUS_OK);
	assert_int_equal(builtin_circuit_parse("sha256", NULL, &circuit), STATUS_OK);
	assert_int_equal(builtin_circuit_witness(&circuit, secret, NULL, &witness), STATUS_OK);
	assert_int_equal(count, 2);
	assert_memory_equal(publics, witness->values + 1, 2 * sizeof(*publics));
	free(publics);
	fixture_free(&file);
}

static void a_key_that_snarkjs_made_cut_at_any_byte_is_refused(void **state)
{
	struct fixture_bytes file = load("bls12381/tiny", ".zkey");

	(void)state;
	for (size_t count = 0; count < file.count; count++) {
		struct fixture_bytes cut = {.bytes = malloc(count + 1), .count = count};
		struct zkey *key = NULL;

		memcpy(cut.bytes, file.bytes, count);
		assert_int_equal(zkey_parse("x", cut.bytes, count, ZKEY_CHECK_CURVE, NULL, &key),
			STATUS_BAD_INPUT);
		fixture_free(&cut);
	}
	fixture_free(&file);
}

static void the_other_curve_is_refused_by_name(void **state)
{
	static const char *const suffixes[] = {
		".r1cs", ".wtns", ".zkey", ".vkey.json", ".proof.json"};

	(void)state;
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		struct fixture_bytes file = load("bn128/tiny", suffixes[i]);
		const char *text = (const char *)file.bytes;
		struct diag diag = {.line = ""};
		struct r1cs *r1cs;
		struct wtns *witness;
		struct zkey *key;
		struct verification_key *verification_key;
		struct proof proof;
		enum status status =
			i == 0   ? r1cs_parse("x", file.bytes, file.count, &diag, &r1cs)
			: i == 1 ? wtns_parse("x", file.bytes, file.count, &diag, &witness)
			: i == 2 ? zkey_parse("x", file.bytes, file.count, ZKEY_CHECK_CURVE, &diag,
					   &key)
			: i == 3 ? verification_key_parse(
					   "x", text, file.count, &diag, &verification_key)
				 : proof_json_parse("x", text, file.count, &diag, &proof);

		assert_int_equal(status, STATUS_BAD_INPUT);
		assert_non_null(strstr(diag.line, "bn128"));
		fixture_free(&file);
	}
}

/* Reads {proof, public} and verifies; what does not parse is refused too. */
static enum status verify_pair(const struct verification_key *key, json_t *pair)
{
	char *proof_text = json_dumps(json_object_get(pair, "proof"), 0);
	char *public_text = json_dumps(json_object_get(pair, "public"), 0);
	blst_scalar *publics = NULL;
	uint32_t public_count = 0;
	struct proof proof;
	enum status status;

	assert_non_null(proof_text);
	assert_non_null(public_text);
	status = proof_json_parse("proof", proof_text, strlen(proof_text), NULL, &proof);
	if (status == STATUS_OK) {
		status = public_json_parse(
			"public", public_text, strlen(public_text), NULL, &publics, &public_count);
	}
	if (status == STATUS_OK) {
		status = groth16_verify(key, publics, public_count, &proof, NULL);
	}
	free(publics);
	free(proof_text);
	free(public_text);
	return status;
}

static void every_broken_proof_is_refused(void **state)
{
	AUTO(verification_key_destroy)
	struct verification_key *key = load_verification_key("bls12381/tiny");
	DIR *folder = opendir(CASES_DIR "/prover/negative");
	struct dirent *entry;
	int refused = 0;

	(void)state;
	assert_non_null(folder);
	while ((entry = readdir(folder))) {
		char name[512];
		struct fixture_bytes file;
		json_t *pair;
		enum status status;

		if (entry->d_name[0] == '.') {
			continue;
		}
		snprintf(name, sizeof(name), "negative/%s", entry->d_name);
		file = fixture_case(name);
		pair = json_loadb((const char *)file.bytes, file.count, 0, NULL);
		assert_non_null(pair);
		status = verify_pair(key, pair);
		if (status != STATUS_BAD_INPUT && status != STATUS_INVALID_PROOF) {
			fail_msg("%s: %s", name, status_text(status));
		}
		refused++;
		json_decref(pair);
		fixture_free(&file);
	}
	closedir(folder);
	assert_int_equal(refused, BROKEN_COUNT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_small_circom_circuit_goes_all_the_way),
		cmocka_unit_test(a_circom_sha256_goes_all_the_way),
		cmocka_unit_test(a_circom_circuit_proves_with_our_key),
		cmocka_unit_test(our_sha256_gives_the_publics_of_circoms),
		cmocka_unit_test(a_key_that_snarkjs_made_cut_at_any_byte_is_refused),
		cmocka_unit_test(the_other_curve_is_refused_by_name),
		cmocka_unit_test(every_broken_proof_is_refused),
	};

	if (access(CASES_DIR "/prover/bls12381", R_OK) != 0) {
		printf("skipped: no cases in " CASES_DIR "\n");
		return EXIT_SKIPPED;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
