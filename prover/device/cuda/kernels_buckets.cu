/* SPDX-License-Identifier: MIT */
/* The kernels that sort the points of a sum: each a thread's number and the body it is for. */
#include "prover/device/cuda/kernels.h"

#include "prover/device/cuda/sums.h"

KERNEL(kernel_buckets_count)(struct sums sums)
{
	buckets_visit(kernel_thread(), &sums.input, &sums.digits, &sums.buckets, false);
}

KERNEL(kernel_buckets_fill)(struct sums sums)
{
	buckets_visit(kernel_thread(), &sums.input, &sums.digits, &sums.buckets, true);
}

KERNEL(kernel_buckets_scan_up)(struct sums sums)
{
	buckets_scan_up(kernel_thread(), &sums.buckets);
}

KERNEL(kernel_buckets_scan_across)(struct sums sums)
{
	buckets_scan_across(kernel_thread(), &sums.buckets);
}

KERNEL(kernel_buckets_scan_down)(struct sums sums)
{
	buckets_scan_down(kernel_thread(), &sums.buckets);
}

KERNEL(kernel_buckets_list)(struct sums sums)
{
	buckets_list(kernel_thread(), &sums.input, sums.minus_first, &sums.buckets);
}

KERNEL(kernel_sum_runs)(struct sums sums)
{
	bucket_sums_run(kernel_thread(), &sums.buckets, sums.points, sums.run_sums);
}

KERNEL(kernel_sum_gather_runs)(struct sums sums)
{
	bucket_sums_gather_runs(kernel_thread(), &sums.buckets, sums.stride, sums.run_sums);
}
