/* SPDX-License-Identifier: MIT */
#include "prover/groth16/affine_vector.h"

#include <stdlib.h>

bool affine_vector_is_supported(void)
{
	return false;
}

void affine_vector_add(const struct affine_pair *pairs, uint32_t count, void *scratch)
{
	(void)pairs;
	(void)count;
	(void)scratch;
	abort(); /* nobody may call it here */
}
