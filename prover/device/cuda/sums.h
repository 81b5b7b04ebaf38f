/* SPDX-License-Identifier: MIT */
/*
 * A multi-scalar sum as kernels in order: how it is cut, the memory it takes, and which kernel runs
 * over how many threads after which. Whoever launches is behind a struct, so that a test can run
 * the same order on the host.
 */
#pragma once

#include "prover/device/cuda/bucket_sums.h"
#include "trace/base/status.h"

/* Entries that are sorted at a time, at most: 1 GiB of numbers. */
#define SUMS_ENTRIES_MAX (1u << 28)

/* Terms of one sum. */
#define SUMS_TERMS_MAX SUMS_ENTRIES_MAX

enum sums_kernel {
	SUMS_KERNEL_COUNT,
	SUMS_KERNEL_SCAN_UP,
	SUMS_KERNEL_SCAN_ACROSS,
	SUMS_KERNEL_SCAN_DOWN,
	SUMS_KERNEL_FILL,
	SUMS_KERNEL_LIST,
	SUMS_KERNEL_RUNS,
	SUMS_KERNEL_GATHER_RUNS,
	SUMS_KERNEL_WEIGH,
	SUMS_KERNEL_LIFT,
	SUMS_KERNEL_GATHER_CHUNKS,
	SUMS_KERNEL_COLLECT,
	SUMS_KERNEL_KEEP,
	SUMS_KERNEL_STORE,
	SUMS_KERNEL_END
};

/* What every kernel gets a copy of. Pointers are to the device's memory. */
struct sums {
	struct buckets_input input;
	struct digits digits;
	struct buckets buckets;
	const struct affine *points;
	uint32_t minus_first;      /* of a list: from here on subtracted */
	uint32_t stride;           /* of a gathering pass */
	struct xyzz *run_sums;     /* of each run */
	struct xyzz *chunk_sums;   /* of each chunk of buckets */
	struct xyzz *chunk_totals; /* the same without weights */
	struct bucket_sums_windows *windows;
	struct xyzz *total; /* of one pass over some points */
	struct xyzz *kept;  /* of all passes */
	struct jacobian *result;
};

struct sums_launcher {
	void *context;
	MUST_CHECK enum status (*launch)(void *context, enum sums_kernel kernel,
		uint32_t thread_count, const struct sums *sums);
	/* Zeroes memory of the device, in order with the kernels. */
	MUST_CHECK enum status (*clear)(void *context, void *memory, uint64_t bytes);
	/* Has the host do sums_combine() on a copy of sums->windows, in order with the kernels, and
	 * puts its total at sums->total. */
	MUST_CHECK enum status (*combine)(void *context, const struct sums *sums);
};

/* How a sum is cut, and where its arrays are in its scratch memory. */
struct sums_plan {
	uint32_t term_count;
	uint32_t window_bits; /* 0: a list, no scalars */
	uint32_t window_count;
	uint32_t group_windows; /* windows sorted at a time */
	uint32_t bucket_count;  /* of a window */
	uint32_t run_count_max;
	uint32_t chunk_count_max;
	uint64_t counts_offset;
	uint64_t firsts_offset;
	uint64_t run_firsts_offset;
	uint64_t scan_counts_offset;
	uint64_t entries_offset;
	uint64_t run_sums_offset;
	uint64_t chunk_sums_offset;
	uint64_t chunk_totals_offset;
	uint64_t windows_offset;
	uint64_t scratch_bytes;
};

/* TOO_LARGE for more than SUMS_TERMS_MAX terms. At most `entries_max` are sorted at a time, or one
 * window, if that is more. */
MUST_CHECK enum status sums_plan_terms(
	uint32_t term_count, uint32_t bit_count, uint32_t entries_max, struct sums_plan *out_plan);
MUST_CHECK enum status sums_plan_list(uint32_t term_count, struct sums_plan *out_plan);

/* The scratch memory of whichever sum takes most of it of those of up to `term_count` terms: fewer
 * terms may take more, for more of their windows are sorted at a time. */
MUST_CHECK enum status sums_scratch_bytes(
	uint32_t term_count, uint32_t bit_count, uint32_t entries_max, uint64_t *out_bytes);

/* Points the arrays into scratch memory, aligned to 256 bytes. */
void sums_place(struct sums *sums, const struct sums_plan *plan, void *scratch);

/* On the host, by any thread: the windows, from the topmost, onto their total. */
void sums_combine(struct bucket_sums_windows *windows);

/* sums->kept += the sum of scalar times point. Of `sums` input, points and places are set. */
MUST_CHECK enum status sums_run_terms(const struct sums_launcher *launcher,
	const struct sums_plan *plan, uint32_t bit_count, struct sums *sums);

/* sums->kept += the sum of the list's points. */
MUST_CHECK enum status sums_run_list(
	const struct sums_launcher *launcher, const struct sums_plan *plan, struct sums *sums);

/* sums->kept = infinity, before all others. */
MUST_CHECK enum status sums_run_clear(const struct sums_launcher *launcher, struct sums *sums);

/* sums->result = sums->kept. */
MUST_CHECK enum status sums_run_store(const struct sums_launcher *launcher, struct sums *sums);
