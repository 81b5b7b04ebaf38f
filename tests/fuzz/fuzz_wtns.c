/* SPDX-License-Identifier: MIT */
/* Whatever wtns_parse() accepts has canonical values and begins with 1. */
#include "prover/groth16/field.h"
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
	AUTO(wtns_destroy) struct wtns *witness = NULL;
	struct diag diag = {.line = ""};

	if (wtns_parse("fuzz.wtns", data ? data : &nothing, size, &diag, &witness) != STATUS_OK) {
		require(!witness && diag.line[0]);
		return 0;
	}
	require(witness->count > 0 && witness->values[0].b[0] == 1);
	for (uint32_t i = 0; i < witness->count; i++) {
		require(field_scalar_in_range(witness->values[i].b));
	}
	return 0;
}
