/* SPDX-License-Identifier: MIT */
/* What the C that ptx_to_c.py makes of kernels needs. */
#pragma once

#include "prover/device/cuda/kernels.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* A GPU ends the kernel of an access that is not aligned to its size. */
static inline uint64_t ptx_aligned(uint64_t address, uint32_t bytes)
{
	if (address % bytes != 0) {
		(void)fprintf(stderr, "ptx: %u bytes at an address that is not aligned\n", bytes);
		abort();
	}
	return address;
}

static inline uint32_t ptx_reverse(uint32_t value)
{
	uint32_t reversed = 0;

	for (int i = 0; i < 32; i++) {
		reversed |= (value >> i & 1) << (31 - i);
	}
	return reversed;
}
