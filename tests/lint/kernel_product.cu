/* SPDX-License-Identifier: MIT */
/* One product of the base field alone, so that its instructions can be counted. */
#include "prover/device/cuda/fp.h"
#include "prover/device/cuda/kernels.h"

KERNEL(kernel_product)(const struct fp *a, const struct fp *b, struct fp *products)
{
	const struct fp first = a[kernel_thread()];
	const struct fp second = b[kernel_thread()];

	products[kernel_thread()] = fp_multiply(&first, &second);
}
