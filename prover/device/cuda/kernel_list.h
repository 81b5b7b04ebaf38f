/* SPDX-License-Identifier: MIT */
/* The kernels that others than their own files launch. Of no use to a C compiler. */
#pragma once

#ifdef __CUDACC__

#include "prover/device/cuda/sparse.h"
#include "prover/device/cuda/sums.h"
#include "prover/device/cuda/transform.h"

extern "C" {
__global__ void kernel_buckets_count(struct sums sums);
__global__ void kernel_buckets_fill(struct sums sums);
__global__ void kernel_buckets_scan_up(struct sums sums);
__global__ void kernel_buckets_scan_across(struct sums sums);
__global__ void kernel_buckets_scan_down(struct sums sums);
__global__ void kernel_buckets_list(struct sums sums);
__global__ void kernel_sum_runs(struct sums sums);
__global__ void kernel_sum_gather_runs(struct sums sums);
__global__ void kernel_sum_weigh(struct sums sums);
__global__ void kernel_sum_lift(struct sums sums);
__global__ void kernel_sum_gather_chunks(struct sums sums);
__global__ void kernel_sum_collect(struct sums sums);
__global__ void kernel_sum_keep(struct sums sums);
__global__ void kernel_sum_store(struct sums sums);

__global__ void kernel_transform_fill_roots(
	uint32_t log2, struct transform_powers powers, struct fr *roots);
__global__ void kernel_transform_inverse_1(
	struct transform transform, uint32_t top, struct fr *vector);
__global__ void kernel_transform_inverse_2(
	struct transform transform, uint32_t top, struct fr *vector);
__global__ void kernel_transform_inverse_3(
	struct transform transform, uint32_t top, struct fr *vector);
__global__ void kernel_transform_forward_1(
	struct transform transform, uint32_t top, struct fr *vector);
__global__ void kernel_transform_forward_2(
	struct transform transform, uint32_t top, struct fr *vector);
__global__ void kernel_transform_forward_3(
	struct transform transform, uint32_t top, struct fr *vector);
__global__ void kernel_transform_scale(struct transform transform, struct fr *vector);
__global__ void kernel_transform_quotient(
	uint32_t count, const struct fr *a, const struct fr *b, struct fr *c);
__global__ void kernel_transform_product(
	uint32_t count, const struct fr *a, const struct fr *b, struct fr *c);

__global__ void kernel_sparse_row(struct sparse sparse, struct fr *values);
__global__ void kernel_sparse_part(struct sparse sparse, struct fr *parts);
__global__ void kernel_sparse_join(struct sparse sparse, const struct fr *parts, struct fr *values);
}

#endif
