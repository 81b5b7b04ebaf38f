/* SPDX-License-Identifier: MIT */
#include "tests/unit/cuda_emulation.h"

#include "prover/device/cuda/kernels.h"
#include "tests/unit/cuda_ptx.h"

#include <string.h>

#ifdef CUDA_EMULATION_PTX
#define run_thread ptx_sums
#else
static void run_thread(enum sums_kernel kernel, uint32_t thread, const struct sums *sums)
{
	switch (kernel) {
	case SUMS_KERNEL_COUNT:
		buckets_visit(thread, &sums->input, &sums->digits, &sums->buckets, false);
		break;
	case SUMS_KERNEL_SCAN_UP:
		buckets_scan_up(thread, &sums->buckets);
		break;
	case SUMS_KERNEL_SCAN_ACROSS:
		buckets_scan_across(thread, &sums->buckets);
		break;
	case SUMS_KERNEL_SCAN_DOWN:
		buckets_scan_down(thread, &sums->buckets);
		break;
	case SUMS_KERNEL_FILL:
		buckets_visit(thread, &sums->input, &sums->digits, &sums->buckets, true);
		break;
	case SUMS_KERNEL_LIST:
		buckets_list(thread, &sums->input, sums->minus_first, &sums->buckets);
		break;
	case SUMS_KERNEL_RUNS:
		bucket_sums_run(thread, &sums->buckets, sums->points, sums->run_sums);
		break;
	case SUMS_KERNEL_GATHER_RUNS:
		bucket_sums_gather_runs(thread, &sums->buckets, sums->stride, sums->run_sums);
		break;
	case SUMS_KERNEL_WEIGH:
		bucket_sums_weigh(thread, &sums->buckets, sums->run_sums, sums->chunk_sums,
			sums->chunk_totals);
		break;
	case SUMS_KERNEL_LIFT:
		bucket_sums_lift(thread, &sums->buckets, sums->chunk_sums, sums->chunk_totals);
		break;
	case SUMS_KERNEL_GATHER_CHUNKS:
		bucket_sums_gather_chunks(thread, &sums->buckets, sums->stride, sums->chunk_sums);
		break;
	case SUMS_KERNEL_COLLECT:
		bucket_sums_collect(thread, &sums->buckets, sums->digits.window_bits,
			sums->chunk_sums, sums->total, sums->windows);
		break;
	case SUMS_KERNEL_KEEP:
		bucket_sums_keep(thread, sums->total, sums->kept);
		break;
	case SUMS_KERNEL_STORE:
		bucket_sums_store(thread, sums->kept, sums->result);
		break;
	case SUMS_KERNEL_END:
		break;
	}
}
#endif

static enum status launch(
	void *context, enum sums_kernel kernel, uint32_t thread_count, const struct sums *sums)
{
	struct cuda_emulation *emulation = context;
	/* Whole blocks, as on a device. */
	const uint32_t count =
		(thread_count + KERNEL_THREADS - 1) / KERNEL_THREADS * KERNEL_THREADS;

	if (emulation->launch_count++ == emulation->fails_after && emulation->fails_after) {
		return STATUS_UNAVAILABLE;
	}
	for (uint32_t i = 0; i < count; i++) {
		run_thread(kernel, emulation->is_backwards ? count - 1 - i : i, sums);
	}
	return STATUS_OK;
}

static enum status clear(void *context, void *memory, uint64_t bytes)
{
	(void)context;
	memset(memory, 0, bytes);
	return STATUS_OK;
}

static enum status combine(void *context, const struct sums *sums)
{
	(void)context;
	sums_combine(sums->windows);
	*sums->total = sums->windows->total;
	return STATUS_OK;
}

struct sums_launcher cuda_emulation_launcher(struct cuda_emulation *emulation)
{
	return (struct sums_launcher){
		.context = emulation, .launch = launch, .clear = clear, .combine = combine};
}
