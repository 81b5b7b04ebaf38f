/* SPDX-License-Identifier: MIT */
/* The three JSON readers on one text. What is accepted as a proof is written and read back alike.
 */
#include "prover/groth16/proof_json.h"
#include "prover/groth16/verification_key.h"
#include "prover/groth16/verify.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool is_true)
{
	if (!is_true) {
		abort();
	}
}

static void check_proof(const char *text, size_t size)
{
	struct proof proof;
	struct proof again;
	struct diag diag = {.line = ""};
	char *written = NULL;

	if (proof_json_parse("fuzz.json", text, size, &diag, &proof) != STATUS_OK) {
		require(diag.line[0]);
		return;
	}
	require(proof_json_format(&proof, &written) == STATUS_OK);
	require(proof_json_parse("x", written, strlen(written), NULL, &again) == STATUS_OK);
	require(memcmp(&proof, &again, sizeof(proof)) == 0);
	free(written);
}

static void check_publics(const char *text, size_t size)
{
	blst_scalar *publics = NULL;
	blst_scalar *again = NULL;
	uint32_t count;
	uint32_t count_again;
	char *written = NULL;

	if (public_json_parse("fuzz.json", text, size, NULL, &publics, &count) != STATUS_OK) {
		return;
	}
	require(public_json_format(publics, count, &written) == STATUS_OK);
	require(public_json_parse("x", written, strlen(written), NULL, &again, &count_again) ==
		STATUS_OK);
	require(count == count_again && memcmp(publics, again, count * sizeof(*publics)) == 0);
	free(written);
	free(publics);
	free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO(verification_key_destroy) struct verification_key *key = NULL;
	const char *text = data ? (const char *)data : "";

	check_proof(text, size);
	check_publics(text, size);
	if (verification_key_parse("fuzz.json", text, size, NULL, &key) == STATUS_OK) {
		require(key->ic != NULL);
	}
	return 0;
}
