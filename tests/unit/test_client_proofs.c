/* SPDX-License-Identifier: MIT */
/*
 * Proves that a client takes a job's proofs for what they are: each verified, none served twice,
 * and in its folder this job's files alone. The daemon is a table of answers.
 */
#include "prover/client_proofs.h"
#include "prover/groth16/proof_json.h"
#include "prover/groth16/prove.h"
#include "prover/groth16/verification_key.h"
#include "tests/unit/groth16_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* The second is of the first's witness, blinded afresh; the third of another witness. */
#define PROOF_COUNT 3
static char *answers[PROOF_COUNT];

static char *key_text;
static const int *served; /* the indices of what a job's proofs are, up to -1 */

enum status client_http_request(struct client_http *client, const char *path, const char *body,
	struct diag *diag, struct client_http_answer *out_answer)
{
	FILE *stream = open_memstream(&out_answer->text, &out_answer->size);

	(void)client;
	(void)body;
	(void)diag;
	if (strstr(path, "verification_key")) {
		(void)fputs(key_text, stream);
	} else {
		for (int i = 0; served[i] >= 0; i++) {
			(void)fprintf(stream, "%s%s", i ? "," : "[", answers[served[i]]);
		}
		(void)fputs("]", stream);
	}
	(void)fclose(stream);
	out_answer->code = 200;
	return STATUS_OK;
}

enum status client_http_status(const struct client_http_answer *answer, struct diag *diag)
{
	(void)answer;
	(void)diag;
	return STATUS_OK;
}

static char *make_answer(uint64_t seed)
{
	AUTO(zkey_destroy) struct zkey *key = NULL;
	AUTO(wtns_destroy) struct wtns *witness = NULL;
	const struct groth16_options options = {.thread_count = 1};
	struct proof proof;
	char *proof_text = NULL;
	char *public_text = NULL;
	char *answer = NULL;

	fixture_values("squaring-chain:20", seed, NULL, &witness, &key);
	assert_int_equal(groth16_prove(key, witness->values, &options, NULL, &proof), STATUS_OK);
	assert_int_equal(proof_json_format(&proof, &proof_text), STATUS_OK);
	assert_int_equal(public_json_format(&witness->values[1], key->public_count, &public_text),
		STATUS_OK);
	assert_true(
		asprintf(&answer, "{\"proof\": %s, \"public\": %s}", proof_text, public_text) > 0);
	free(proof_text);
	free(public_text);
	return answer;
}

static int make_answers(void **state)
{
	AUTO(zkey_destroy) struct zkey *key = NULL;
	AUTO(verification_key_destroy) struct verification_key *verification_key = NULL;
	const char *path = fixture_path("key.json");
	struct fixture_bytes file;

	(void)state;
	fixture_values("squaring-chain:20", 1, NULL, NULL, &key);
	assert_int_equal(verification_key_from_zkey(key, NULL, &verification_key), STATUS_OK);
	assert_int_equal(verification_key_write(verification_key, path, NULL), STATUS_OK);
	file = fixture_read(path);
	key_text = calloc(1, file.count + 1);
	assert_non_null(key_text);
	memcpy(key_text, file.bytes, file.count);
	fixture_free(&file);
	answers[0] = make_answer(1);
	answers[1] = make_answer(1);
	answers[2] = make_answer(2);
	return 0;
}

static int free_answers(void **state)
{
	(void)state;
	for (int i = 0; i < PROOF_COUNT; i++) {
		free(answers[i]);
	}
	free(key_text);
	return 0;
}

static struct client_proofs *fetch(const int *indices)
{
	struct client_proofs *proofs = NULL;

	served = indices;
	assert_int_equal(client_proofs_fetch(NULL, 7, NULL, &proofs), STATUS_OK);
	return proofs;
}

static enum status verify(const int *indices, bool have_own_publics, struct diag *diag)
{
	AUTO(client_proofs_destroy) struct client_proofs *proofs = fetch(indices);

	diag->line[0] = '\0';
	return client_proofs_verify(proofs, have_own_publics, diag);
}

static void proofs_of_different_secrets_verify(void **state)
{
	struct diag diag;

	(void)state;
	assert_int_equal(verify((const int[]){0, 2, -1}, true, &diag), STATUS_OK);
	assert_int_equal(verify((const int[]){2, -1}, true, &diag), STATUS_OK);
}

static void one_proof_for_two_partitions_is_refused(void **state)
{
	struct diag diag;

	(void)state;
	for (int i = 0; i < 2; i++) {
		assert_int_equal(
			verify((const int[]){0, 2, 1, 2, -1}, i == 0, &diag), STATUS_INVALID_PROOF);
		assert_string_equal(
			diag.line, "job 7, partition 3: its proof is that of partition 1");
	}
}

/* Whoever has a proof can blind it afresh: only its public values tell that it is the same. */
static void one_statement_for_two_secrets_is_refused(void **state)
{
	struct diag diag;

	(void)state;
	assert_int_equal(verify((const int[]){1, 2, 0, -1}, true, &diag), STATUS_INVALID_PROOF);
	assert_string_equal(diag.line, "job 7, partition 2: its public values are those of "
				       "partition 0, whose secret is another");
}

static void a_witness_that_is_named_twice_is_proved_twice(void **state)
{
	struct diag diag;

	(void)state;
	assert_int_equal(verify((const int[]){1, 2, 0, -1}, false, &diag), STATUS_OK);
}

static bool is_there(const char *name)
{
	char path[256];
	struct stat info;

	(void)snprintf(path, sizeof(path), "job-7/%s", name);
	return stat(fixture_path(path), &info) == 0;
}

static void write_job(const int *indices)
{
	AUTO(client_proofs_destroy) struct client_proofs *proofs = fetch(indices);
	char folder[256];

	(void)snprintf(folder, sizeof(folder), "%s", fixture_folder());
	assert_int_equal(client_proofs_write(proofs, folder, NULL), STATUS_OK);
}

/* A daemon that was started anew counts its jobs from 1 again. */
static void nothing_of_an_earlier_job_stays(void **state)
{
	char path[256];
	FILE *note = NULL;

	(void)state;
	write_job((const int[]){0, 1, 2, -1});
	assert_true(is_there("partition-2.proof.json"));
	(void)snprintf(path, sizeof(path), "%s", fixture_path("job-7/partition-2.note.json"));
	note = fopen(path, "we");
	assert_non_null(note);
	assert_int_equal(fclose(note), 0);
	write_job((const int[]){2, -1});
	assert_true(is_there("partition-0.proof.json") && is_there("partition-0.public.json"));
	assert_true(is_there("proofs.json") && is_there("verification_key.json"));
	for (int i = 1; i < 3; i++) {
		char name[64];

		(void)snprintf(name, sizeof(name), "partition-%d.proof.json", i);
		assert_false(is_there(name));
		(void)snprintf(name, sizeof(name), "partition-%d.public.json", i);
		assert_false(is_there(name));
	}
	/* What is not ours stays. */
	assert_true(is_there("partition-2.note.json"));
	(void)snprintf(path, sizeof(path), "rm -r '%s/job-7'", fixture_folder());
	assert_int_equal(system(path), 0);
	fixture_remove_folder();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(proofs_of_different_secrets_verify),
		cmocka_unit_test(one_proof_for_two_partitions_is_refused),
		cmocka_unit_test(one_statement_for_two_secrets_is_refused),
		cmocka_unit_test(a_witness_that_is_named_twice_is_proved_twice),
		cmocka_unit_test(nothing_of_an_earlier_job_stays),
	};

	return cmocka_run_group_tests(tests, make_answers, free_answers);
}
