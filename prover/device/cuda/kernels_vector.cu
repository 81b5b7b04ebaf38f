/* SPDX-License-Identifier: MIT */
/* The kernels on vectors of field elements: each a thread's number and the body it is for. */
#include "prover/device/cuda/kernels.h"

#include "prover/device/cuda/sparse.h"
#include "prover/device/cuda/transform.h"

KERNEL(kernel_transform_fill_roots)(uint32_t log2, struct transform_powers powers, struct fr *roots)
{
	transform_fill_roots(kernel_thread(), log2, &powers, roots);
}

/* A kernel for each number of levels, since what they mix is to be in registers. */
#define TRANSFORM_KERNEL(name, level_count, is_inverse)                                            \
	KERNEL(name)(struct transform transform, uint32_t top, struct fr *vector)                  \
	{                                                                                          \
		transform_run_pass(kernel_thread(), &transform, {top, level_count}, is_inverse,    \
			vector);                                                                   \
	}

TRANSFORM_KERNEL(kernel_transform_inverse_1, 1, true)
TRANSFORM_KERNEL(kernel_transform_inverse_2, 2, true)
TRANSFORM_KERNEL(kernel_transform_inverse_3, 3, true)
TRANSFORM_KERNEL(kernel_transform_forward_1, 1, false)
TRANSFORM_KERNEL(kernel_transform_forward_2, 2, false)
TRANSFORM_KERNEL(kernel_transform_forward_3, 3, false)

KERNEL(kernel_transform_scale)(struct transform transform, struct fr *vector)
{
	transform_scale(kernel_thread(), &transform, vector);
}

KERNEL(kernel_transform_quotient)(uint32_t count, const struct fr *a, const struct fr *b, struct fr *c)
{
	transform_quotient(kernel_thread(), count, a, b, c);
}

KERNEL(kernel_transform_product)(uint32_t count, const struct fr *a, const struct fr *b, struct fr *c)
{
	transform_product(kernel_thread(), count, a, b, c);
}

KERNEL(kernel_sparse_row)(struct sparse sparse, struct fr *values)
{
	sparse_row(kernel_thread(), &sparse, values);
}

KERNEL(kernel_sparse_part)(struct sparse sparse, struct fr *parts)
{
	sparse_part(kernel_thread(), &sparse, parts);
}

KERNEL(kernel_sparse_join)(struct sparse sparse, const struct fr *parts, struct fr *values)
{
	sparse_join(kernel_thread(), &sparse, parts, values);
}
