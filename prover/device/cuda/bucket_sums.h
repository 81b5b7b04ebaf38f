/* SPDX-License-Identifier: MIT */
/*
 * From sorted points to their sum: runs of points, the runs of a bucket, the buckets of a window by
 * their weights. Sums of many are made by passes, each of which adds up to BUCKET_SUMS_FAN
 * neighbours; every pass is a kernel, so no thread waits for another inside one. The windows are
 * put together on the host: their 255 doublings come one after the other, so one thread of the
 * device would do them at its own slow pace while all others have nothing to do.
 */
#pragma once

#include "prover/device/cuda/buckets.h"
#include "prover/device/cuda/xyzz.h"

/* Sums that one thread adds up in a pass. */
#define BUCKET_SUMS_FAN 8u

/* Buckets that one thread weighs. */
#define BUCKET_SUMS_CHUNK 16u

/* Windows of 2 bits, the narrowest, of a scalar of 255. */
#define BUCKET_SUMS_WINDOWS_MAX 128u

/* The number of the bucket that run `run` is of: the last whose first run is not behind it. */
GPU_FUNCTION uint32_t bucket_sums_find(const struct buckets *buckets, uint32_t run)
{
	uint32_t low = 0;
	uint32_t high = buckets_total(buckets);

	/* run_firsts[low] <= run < run_firsts[high] */
	while (high - low > 1) {
		const uint32_t middle = low + (high - low) / 2;

		if (buckets->run_firsts[middle] <= run) {
			low = middle;
		} else {
			high = middle;
		}
	}
	return low;
}

/* A thread for each run: sums[thread] = the sum of its points. */
GPU_FUNCTION void bucket_sums_run(uint32_t thread, const struct buckets *buckets,
	const struct affine *points, struct xyzz *sums)
{
	struct xyzz sum;
	uint32_t bucket;
	uint32_t run;
	uint32_t run_count;
	uint32_t length;
	uint32_t rest;
	uint32_t begin;
	uint32_t end;

	if (thread >= buckets->run_firsts[buckets_total(buckets)]) {
		return;
	}
	bucket = bucket_sums_find(buckets, thread);
	run = thread - buckets->run_firsts[bucket];
	run_count = buckets->run_firsts[bucket + 1] - buckets->run_firsts[bucket];
	length = (buckets->firsts[bucket + 1] - buckets->firsts[bucket]) / run_count;
	rest = (buckets->firsts[bucket + 1] - buckets->firsts[bucket]) % run_count;
	begin = buckets->firsts[bucket] + run * length + (run < rest ? run : rest);
	end = begin + length + (run < rest ? 1 : 0);

	xyzz_set_infinity(&sum);
	GPU_ROLLED
	for (uint32_t i = begin; i < end; i++) {
		const uint32_t entry = buckets->entries[i];
		const struct affine point = points[entry & ~BUCKETS_SIGN];

		xyzz_add_affine(&sum, &point, (entry & BUCKETS_SIGN) != 0);
	}
	sums[thread] = sum;
}

/*
 * In a pass of some `stride` the sums at multiples of it, within a group of `count`, hold all that
 * is behind them; afterwards those at multiples of stride * BUCKET_SUMS_FAN do.
 */
GPU_FUNCTION void bucket_sums_gather(
	struct xyzz *group, uint32_t count, uint32_t index, uint32_t stride)
{
	struct xyzz sum;

	if (index % (stride * BUCKET_SUMS_FAN) != 0 || count - index <= stride) {
		return;
	}
	sum = group[index];
	GPU_ROLLED
	for (uint32_t i = 1; i < BUCKET_SUMS_FAN && i * stride < count - index; i++) {
		xyzz_add(&sum, &group[index + i * stride]);
	}
	group[index] = sum;
}

/* A thread for each run: the first run of each bucket gathers the others. */
GPU_FUNCTION void bucket_sums_gather_runs(
	uint32_t thread, const struct buckets *buckets, uint32_t stride, struct xyzz *sums)
{
	uint32_t bucket;
	uint32_t first;

	if (thread >= buckets->run_firsts[buckets_total(buckets)]) {
		return;
	}
	bucket = bucket_sums_find(buckets, thread);
	first = buckets->run_firsts[bucket];
	bucket_sums_gather(
		sums + first, buckets->run_firsts[bucket + 1] - first, thread - first, stride);
}

GPU_FUNCTION uint32_t bucket_sums_chunks(const struct buckets *buckets)
{
	return (buckets->bucket_count + BUCKET_SUMS_CHUNK - 1) / BUCKET_SUMS_CHUNK;
}

/*
 * A thread for each chunk of buckets: its buckets times their weights, counted from its first.
 * From the last bucket on each is added to the total, and the total to the sum. Both stay in memory
 * between additions: together they would take more registers than there are.
 */
GPU_FUNCTION void bucket_sums_weigh(uint32_t thread, const struct buckets *buckets,
	const struct xyzz *run_sums, struct xyzz *chunk_sums, struct xyzz *chunk_totals)
{
	const uint32_t chunk_count = bucket_sums_chunks(buckets);
	const uint32_t window = thread / chunk_count;
	const uint32_t begin = thread % chunk_count * BUCKET_SUMS_CHUNK;
	uint32_t end = begin + BUCKET_SUMS_CHUNK;
	struct xyzz sum;

	if (window >= buckets->window_count) {
		return;
	}
	end = end < buckets->bucket_count ? end : buckets->bucket_count;
	xyzz_set_infinity(&sum);
	chunk_totals[thread] = sum;
	chunk_sums[thread] = sum;
	GPU_ROLLED
	for (uint32_t step = 2 * (end - begin); step-- > 0;) {
		const bool is_total = step % 2 == 1;
		const uint32_t bucket = window * buckets->bucket_count + begin + step / 2;
		const uint32_t run = buckets->run_firsts[bucket];
		struct xyzz *target = is_total ? &chunk_totals[thread] : &chunk_sums[thread];

		if (is_total && run == buckets->run_firsts[bucket + 1]) {
			continue;
		}
		sum = *target;
		xyzz_add(&sum, is_total ? &run_sums[run] : &chunk_totals[thread]);
		*target = sum;
	}
}

/*
 * A thread for each chunk: what its sum still lacks, its total times the number of its first
 * bucket. Two steps for each bit, doubling and adding, and one for the sum so far.
 */
GPU_FUNCTION void bucket_sums_lift(uint32_t thread, const struct buckets *buckets,
	struct xyzz *chunk_sums, const struct xyzz *chunk_totals)
{
	const uint32_t chunk_count = bucket_sums_chunks(buckets);
	const uint32_t factor = thread % chunk_count * BUCKET_SUMS_CHUNK;
	struct xyzz sum;

	if (thread / chunk_count >= buckets->window_count) {
		return;
	}
	xyzz_set_infinity(&sum);
	GPU_ROLLED
	for (uint32_t step = 2 * DIGITS_WINDOW_BITS_MAX + 1; step-- > 0;) {
		const bool is_last = step == 0;
		const bool is_doubling = step % 2 == 0 && !is_last;

		/* Steps 2i + 2 double and 2i + 1 add for bit i. */
		if (is_doubling || is_last || (factor >> step / 2 & 1)) {
			xyzz_add_or_double(&sum,
				is_last ? &chunk_sums[thread] : &chunk_totals[thread], is_doubling);
		}
	}
	chunk_sums[thread] = sum;
}

/* A thread for each chunk: the first chunk of each window gathers the others. */
GPU_FUNCTION void bucket_sums_gather_chunks(
	uint32_t thread, const struct buckets *buckets, uint32_t stride, struct xyzz *chunk_sums)
{
	const uint32_t chunk_count = bucket_sums_chunks(buckets);
	const uint32_t window = thread / chunk_count;

	if (window < buckets->window_count) {
		bucket_sums_gather(chunk_sums + window * chunk_count, chunk_count,
			thread % chunk_count, stride);
	}
}

/* The sums of some windows and of all above them, for the host to put together. */
struct bucket_sums_windows {
	struct xyzz total; /* of those above; when the host is done, of these too */
	uint32_t window_count;
	uint32_t window_bits;
	struct xyzz sums[BUCKET_SUMS_WINDOWS_MAX]; /* the lowest first */
};

/* A thread for each window. */
GPU_FUNCTION void bucket_sums_collect(uint32_t thread, const struct buckets *buckets,
	uint32_t window_bits, const struct xyzz *chunk_sums, const struct xyzz *total,
	struct bucket_sums_windows *out_windows)
{
	if (thread == 0) {
		out_windows->total = *total;
		out_windows->window_count = buckets->window_count;
		out_windows->window_bits = window_bits;
	}
	if (thread < buckets->window_count) {
		out_windows->sums[thread] = chunk_sums[thread * bucket_sums_chunks(buckets)];
	}
}

/* One thread: adds a sum to another. */
GPU_FUNCTION void bucket_sums_keep(uint32_t thread, const struct xyzz *sum, struct xyzz *total)
{
	struct xyzz both;

	if (thread != 0) {
		return;
	}
	both = *total;
	xyzz_add(&both, sum);
	*total = both;
}

/* One thread: a sum as a point, as blst has it. */
GPU_FUNCTION void bucket_sums_store(
	uint32_t thread, const struct xyzz *sum, struct jacobian *out_point)
{
	if (thread == 0) {
		xyzz_to_jacobian(sum, out_point);
	}
}
