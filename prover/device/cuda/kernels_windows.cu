/* SPDX-License-Identifier: MIT */
/* The kernels from the sums of buckets to that of all: each a thread's number and its body. */
#include "prover/device/cuda/kernels.h"

#include "prover/device/cuda/sums.h"

KERNEL(kernel_sum_weigh)(struct sums sums)
{
	bucket_sums_weigh(kernel_thread(), &sums.buckets, sums.run_sums, sums.chunk_sums,
		sums.chunk_totals);
}

KERNEL(kernel_sum_lift)(struct sums sums)
{
	bucket_sums_lift(kernel_thread(), &sums.buckets, sums.chunk_sums, sums.chunk_totals);
}

KERNEL(kernel_sum_gather_chunks)(struct sums sums)
{
	bucket_sums_gather_chunks(kernel_thread(), &sums.buckets, sums.stride, sums.chunk_sums);
}

KERNEL(kernel_sum_collect)(struct sums sums)
{
	bucket_sums_collect(kernel_thread(), &sums.buckets, sums.digits.window_bits,
		sums.chunk_sums, sums.total, sums.windows);
}

KERNEL(kernel_sum_store)(struct sums sums)
{
	bucket_sums_store(kernel_thread(), sums.kept, sums.result);
}

KERNEL(kernel_sum_keep)(struct sums sums)
{
	bucket_sums_keep(kernel_thread(), sums.total, sums.kept);
}
