/* SPDX-License-Identifier: MIT */
/* Whatever r1cs_parse() accepts can be evaluated on a witness of its size. */
#include "prover/groth16/r1cs.h"
#include "prover/groth16/wtns.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool is_true)
{
	if (!is_true) {
		abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint8_t nothing;
	AUTO(r1cs_destroy) struct r1cs *r1cs = NULL;
	AUTO(wtns_destroy) struct wtns *witness = NULL;
	struct diag diag = {.line = ""};

	if (r1cs_parse("fuzz.r1cs", data ? data : &nothing, size, &diag, &r1cs) != STATUS_OK) {
		require(!r1cs && diag.line[0]);
		return 0;
	}
	require(r1cs_public_count(r1cs) < r1cs->wire_count);
	for (int side = 0; side < R1CS_SIDE_COUNT; side++) {
		const struct zkey_matrix *matrix = &r1cs->sides[side];

		require(matrix->row_count == r1cs->constraint_count);
		for (uint32_t i = 0; i < matrix->row_begin[matrix->row_count]; i++) {
			require(matrix->coefficients[i] < r1cs->coefficient_value_count);
		}
	}
	/* Reads every entry's wire: a sanitizer sees one that is out of bounds. */
	require(wtns_create(r1cs->wire_count, &witness) == STATUS_OK);
	if (r1cs_check(r1cs, witness, &diag) != STATUS_OK) {
		require(diag.line[0]);
	}
	return 0;
}
