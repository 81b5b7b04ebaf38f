/* SPDX-License-Identifier: MIT */
/* By itself, since affine_vector.c is compiled for processors that may not be this one. */
#include "prover/groth16/affine_vector.h"

bool affine_vector_is_supported(void)
{
	return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512ifma");
}
