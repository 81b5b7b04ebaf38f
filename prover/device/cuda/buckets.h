/* SPDX-License-Identifier: MIT */
/*
 * Sorts the points of a multi-scalar sum by bucket, for some neighbouring windows at a time:
 * counts, adds the counts up, and puts each point's number, with its sign, behind the others of its
 * bucket. A bucket is later summed in runs of about the same length, a thread each, so that neither
 * a full bucket nor an empty one holds its neighbours up; runs are numbered through all buckets
 * here.
 */
#pragma once

#include "prover/device/cuda/digits.h"

/* Two runs of 33 points take as long as one of 66 and keep more threads busy; shorter ones cost
 * more additions of their sums. */
#define BUCKETS_RUN_POINTS 64u

/* Buckets that one thread adds up when it scans. */
#define BUCKETS_SCAN_LENGTH 512u

#define BUCKETS_SIGN 0x80000000u

/* What a query is. Where a scalar's point is, and where a point's scalar: at most one is not NULL.
 */
struct buckets_input {
	const uint32_t *scalars;
	const uint32_t *point_of_scalar;
	const uint32_t *scalar_of_point;
	uint32_t count;       /* of terms */
	uint32_t point_count; /* numbers of points are below */
	uint32_t point_first; /* of the points that are there; terms of others are left out */
	uint32_t point_end;
	uint32_t scalar_count; /* numbers of scalars are below */
};

/* Arrays on the device. `firsts` and `run_firsts` have one element more than there are buckets. */
struct buckets {
	uint32_t window_first;
	uint32_t window_count;
	uint32_t bucket_count; /* of a window: bucket b is for digits of b + 1 and -(b + 1) */
	uint32_t *counts;      /* and then where the next entry of each bucket goes */
	uint32_t *firsts;
	uint32_t *run_firsts;
	uint32_t *scan_counts; /* two for each BUCKETS_SCAN_LENGTH buckets */
	uint32_t *entries;     /* numbers of points, BUCKETS_SIGN when subtracted */
	uint32_t *is_broken;   /* a number was out of range */
};

GPU_FUNCTION uint32_t buckets_total(const struct buckets *buckets)
{
	return buckets->window_count * buckets->bucket_count;
}

GPU_FUNCTION uint32_t buckets_runs(uint32_t entry_count)
{
	return (entry_count + BUCKETS_RUN_POINTS - 1) / BUCKETS_RUN_POINTS;
}

/* Which point and which scalar a term is the product of. */
struct buckets_term {
	uint32_t point;
	uint32_t scalar;
};

/* False when one of them does not exist. */
GPU_FUNCTION bool buckets_find_term(
	const struct buckets_input *input, uint32_t number, struct buckets_term *out_term)
{
	out_term->point = input->point_of_scalar ? input->point_of_scalar[number] : number;
	out_term->scalar = input->scalar_of_point ? input->scalar_of_point[number] : number;
	return out_term->point < input->point_count && out_term->scalar < input->scalar_count;
}

/* A thread for each term: counts the buckets its digits choose, or fills in its entries. */
GPU_FUNCTION void buckets_visit(uint32_t thread, const struct buckets_input *input,
	const struct digits *digits, const struct buckets *buckets, bool is_filling)
{
	uint32_t limbs[DIGITS_LIMBS];
	struct buckets_term term;

	if (thread >= input->count) {
		return;
	}
	if (!buckets_find_term(input, thread, &term)) {
		*buckets->is_broken = 1;
		return;
	}
	if (term.point < input->point_first || term.point >= input->point_end) {
		return;
	}
	digits_load(digits, input->scalars, term.scalar, limbs);
	GPU_ROLLED
	for (uint32_t i = 0; i < buckets->window_count; i++) {
		const int32_t digit = digits_get(digits, limbs, buckets->window_first + i);
		const uint32_t size = (uint32_t)(digit < 0 ? -digit : digit);
		uint32_t place;

		if (size == 0) {
			continue;
		}
		place = portable_fetch_add(
			&buckets->counts[i * buckets->bucket_count + size - 1], 1);
		if (is_filling) {
			buckets->entries[place] =
				(term.point - input->point_first) | (digit < 0 ? BUCKETS_SIGN : 0);
		}
	}
}

GPU_FUNCTION uint32_t buckets_scan_threads(const struct buckets *buckets)
{
	return (buckets_total(buckets) + BUCKETS_SCAN_LENGTH - 1) / BUCKETS_SCAN_LENGTH;
}

GPU_FUNCTION uint32_t buckets_scan_end(const struct buckets *buckets, uint32_t thread)
{
	const uint32_t end = (thread + 1) * BUCKETS_SCAN_LENGTH;
	const uint32_t total = buckets_total(buckets);

	return end < total ? end : total;
}

/* First of three steps: a thread for each BUCKETS_SCAN_LENGTH buckets. */
GPU_FUNCTION void buckets_scan_up(uint32_t thread, const struct buckets *buckets)
{
	uint32_t entry_count = 0;
	uint32_t run_count = 0;

	if (thread >= buckets_scan_threads(buckets)) {
		return;
	}
	for (uint32_t i = thread * BUCKETS_SCAN_LENGTH; i < buckets_scan_end(buckets, thread);
		i++) {
		entry_count += buckets->counts[i];
		run_count += buckets_runs(buckets->counts[i]);
	}
	buckets->scan_counts[2 * thread] = entry_count;
	buckets->scan_counts[2 * thread + 1] = run_count;
}

/* Second: one thread. */
GPU_FUNCTION void buckets_scan_across(uint32_t thread, const struct buckets *buckets)
{
	uint32_t entry_count = 0;
	uint32_t run_count = 0;

	if (thread != 0) {
		return;
	}
	for (uint32_t i = 0; i < buckets_scan_threads(buckets); i++) {
		const uint32_t entries = buckets->scan_counts[2 * i];
		const uint32_t runs = buckets->scan_counts[2 * i + 1];

		buckets->scan_counts[2 * i] = entry_count;
		buckets->scan_counts[2 * i + 1] = run_count;
		entry_count += entries;
		run_count += runs;
	}
	buckets->firsts[buckets_total(buckets)] = entry_count;
	buckets->run_firsts[buckets_total(buckets)] = run_count;
}

/* Third: as the first. */
GPU_FUNCTION void buckets_scan_down(uint32_t thread, const struct buckets *buckets)
{
	uint32_t entry_count;
	uint32_t run_count;

	if (thread >= buckets_scan_threads(buckets)) {
		return;
	}
	entry_count = buckets->scan_counts[2 * thread];
	run_count = buckets->scan_counts[2 * thread + 1];
	for (uint32_t i = thread * BUCKETS_SCAN_LENGTH; i < buckets_scan_end(buckets, thread);
		i++) {
		const uint32_t count = buckets->counts[i];

		buckets->firsts[i] = entry_count;
		buckets->run_firsts[i] = run_count;
		buckets->counts[i] = entry_count;
		entry_count += count;
		run_count += buckets_runs(count);
	}
}

/*
 * The one bucket of a sum without scalars: a thread for each number, those from `minus_first` on
 * with the other sign. Behind the points that are there is one at infinity, for numbers of others.
 */
GPU_FUNCTION void buckets_list(uint32_t thread, const struct buckets_input *input,
	uint32_t minus_first, const struct buckets *buckets)
{
	uint32_t point;

	if (thread >= input->count) {
		return;
	}
	if (thread == 0) {
		buckets->firsts[0] = 0;
		buckets->firsts[1] = input->count;
		buckets->run_firsts[0] = 0;
		buckets->run_firsts[1] = buckets_runs(input->count);
	}
	point = input->point_of_scalar[thread];
	if (point >= input->point_count) {
		*buckets->is_broken = 1;
	}
	if (point < input->point_first || point >= input->point_end) {
		point = input->point_end; /* where there is one at infinity */
	}
	point -= input->point_first;
	buckets->entries[thread] = point | (thread >= minus_first ? BUCKETS_SIGN : 0);
}
