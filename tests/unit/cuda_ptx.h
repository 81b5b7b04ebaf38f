/* SPDX-License-Identifier: MIT */
/*
 * With CUDA_EMULATION_PTX the names of kernels' bodies are those of what nvcc made of the kernels,
 * which ptx_to_c.py has made C of. To be included last.
 */
#pragma once

#ifdef CUDA_EMULATION_PTX

#include "prover/device/cuda/kernels.h"
#include "prover/device/cuda/sparse.h"
#include "prover/device/cuda/sums.h"
#include "prover/device/cuda/transform.h"

typedef void ptx_kernel(uint32_t block, uint32_t thread, void **arguments);

static inline void ptx_run(ptx_kernel *kernel, uint32_t thread, void **arguments)
{
	kernel(thread / KERNEL_THREADS, thread % KERNEL_THREADS, arguments);
}

#define PTX_SUMS(X)                                                                                \
	X(buckets_count)                                                                           \
	X(buckets_scan_up)                                                                         \
	X(buckets_scan_across)                                                                     \
	X(buckets_scan_down)                                                                       \
	X(buckets_fill)                                                                            \
	X(buckets_list)                                                                            \
	X(sum_runs)                                                                                \
	X(sum_gather_runs)                                                                         \
	X(sum_weigh)                                                                               \
	X(sum_lift)                                                                                \
	X(sum_gather_chunks)                                                                       \
	X(sum_collect)                                                                             \
	X(sum_keep)                                                                                \
	X(sum_store)

#define PTX_VECTORS(X)                                                                             \
	X(transform_fill_roots)                                                                    \
	X(transform_inverse_1)                                                                     \
	X(transform_inverse_2)                                                                     \
	X(transform_inverse_3)                                                                     \
	X(transform_forward_1)                                                                     \
	X(transform_forward_2)                                                                     \
	X(transform_forward_3)                                                                     \
	X(transform_scale)                                                                         \
	X(transform_quotient)                                                                      \
	X(transform_product)                                                                       \
	X(sparse_row)                                                                              \
	X(sparse_part)                                                                             \
	X(sparse_join)

#define PTX_DECLARE(name) ptx_kernel ptx_kernel_##name;
PTX_SUMS(PTX_DECLARE)
PTX_VECTORS(PTX_DECLARE)
#undef PTX_DECLARE

static inline void ptx_sums(enum sums_kernel kernel, uint32_t thread, const struct sums *sums)
{
#define PTX_ENTRY(name) ptx_kernel_##name,
	static ptx_kernel *const kernels[SUMS_KERNEL_END] = {PTX_SUMS(PTX_ENTRY)};
#undef PTX_ENTRY
	struct sums copy = *sums;

	ptx_run(kernels[kernel], thread, (void *[]){&copy});
}

static inline void ptx_fill_roots(
	uint32_t thread, uint32_t log2, const struct transform_powers *powers, struct fr *roots)
{
	struct transform_powers copy = *powers;

	ptx_run(ptx_kernel_transform_fill_roots, thread, (void *[]){&log2, &copy, &roots});
}

static inline void ptx_run_pass(uint32_t thread, const struct transform *transform,
	struct transform_pass pass, bool is_inverse, struct fr *vector)
{
	static ptx_kernel *const kernels[2][TRANSFORM_LEVELS_MAX] = {
		{ptx_kernel_transform_forward_1, ptx_kernel_transform_forward_2,
			ptx_kernel_transform_forward_3},
		{ptx_kernel_transform_inverse_1, ptx_kernel_transform_inverse_2,
			ptx_kernel_transform_inverse_3}};
	struct transform copy = *transform;

	ptx_run(kernels[is_inverse][pass.level_count - 1], thread,
		(void *[]){&copy, &pass.top, &vector});
}

static inline void ptx_scale(uint32_t thread, const struct transform *transform, struct fr *vector)
{
	struct transform copy = *transform;

	ptx_run(ptx_kernel_transform_scale, thread, (void *[]){&copy, &vector});
}

static inline void ptx_quotient(
	uint32_t thread, uint32_t count, const struct fr *a, const struct fr *b, struct fr *c)
{
	ptx_run(ptx_kernel_transform_quotient, thread, (void *[]){&count, &a, &b, &c});
}

static inline void ptx_product(
	uint32_t thread, uint32_t count, const struct fr *a, const struct fr *b, struct fr *c)
{
	ptx_run(ptx_kernel_transform_product, thread, (void *[]){&count, &a, &b, &c});
}

static inline void ptx_row(uint32_t thread, const struct sparse *sparse, struct fr *values)
{
	struct sparse copy = *sparse;

	ptx_run(ptx_kernel_sparse_row, thread, (void *[]){&copy, &values});
}

static inline void ptx_part(uint32_t thread, const struct sparse *sparse, struct fr *parts)
{
	struct sparse copy = *sparse;

	ptx_run(ptx_kernel_sparse_part, thread, (void *[]){&copy, &parts});
}

static inline void ptx_join(
	uint32_t thread, const struct sparse *sparse, const struct fr *parts, struct fr *values)
{
	struct sparse copy = *sparse;

	ptx_run(ptx_kernel_sparse_join, thread, (void *[]){&copy, &parts, &values});
}

#define transform_fill_roots ptx_fill_roots
#define transform_run_pass   ptx_run_pass
#define transform_scale      ptx_scale
#define transform_quotient   ptx_quotient
#define transform_product    ptx_product
#define sparse_row           ptx_row
#define sparse_part          ptx_part
#define sparse_join          ptx_join

#endif
