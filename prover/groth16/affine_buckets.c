/* SPDX-License-Identifier: MIT */
#include "prover/groth16/affine_buckets.h"

#include "prover/groth16/affine_batch.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Points that are reduced together at most: their sums stay in the second-level cache. */
#define GROUP_ENTRIES_MAX 8192u

/* Of an entry, the number of a point in the window: set when it counts negatively. */
#define ENTRY_NEGATED 0x80000000u

/* How far ahead points are fetched: some memory latency of work. */
#define PREFETCH_ENTRIES 16u

#define ALIGNMENT 64u

/* Where things are in the memory that the caller lends. */
struct buckets {
	const struct msm_window *window;
	size_t point_bytes;
	uint32_t bucket_count;
	struct affine_batch *batch;
	uint8_t *sums;      /* of each bucket, affine, all zero when empty */
	uint8_t *levels[2]; /* the points of a group, halved from one to the other */
	uint32_t *begins;   /* of each bucket's entries, and the end of the last */
	int32_t *digits;    /* of all points */
	uint32_t *entries;  /* all points with a digit, by bucket */
	uint32_t *counts;   /* points left of each bucket of a group */
};

/* The topmost window has no sign and the bits that are left. */
static uint32_t bucket_count_of(const struct msm_window *window)
{
	uint32_t bits = window->scalar_bits - window->first_bit;

	return bits < window->window_bits ? 1u << bits : 1u << (window->window_bits - 1);
}

static size_t align(size_t bytes)
{
	return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* The next part of the memory; without memory only its place is counted. */
static void *take(uint8_t *memory, size_t *offset, size_t bytes)
{
	void *taken = memory ? memory + *offset : NULL;

	*offset += align(bytes);
	return taken;
}

/* Buckets are summed in segments of this length, and as many or twice as many of them. */
static uint32_t segment_log2_of(uint32_t bucket_count)
{
	return (uint32_t)__builtin_ctz(bucket_count) / 2;
}

/* The points of one level: those of a group, or two for each segment. */
static size_t level_points(const struct buckets *buckets, uint32_t point_count)
{
	size_t group = point_count < GROUP_ENTRIES_MAX ? point_count : GROUP_ENTRIES_MAX;
	size_t segments = buckets->bucket_count >> segment_log2_of(buckets->bucket_count);

	return group > 2 * segments ? group : 2 * segments;
}

/* Gives the bytes that it takes. */
static size_t lay_out(struct buckets *buckets, uint32_t point_count, uint8_t *memory)
{
	size_t point_bytes = buckets->point_bytes;
	size_t bucket_count = buckets->bucket_count;
	size_t level_bytes = level_points(buckets, point_count) * point_bytes;
	size_t used = 0;

	buckets->batch = take(memory, &used, sizeof(*buckets->batch));
	buckets->levels[0] = take(memory, &used, level_bytes);
	buckets->levels[1] = take(memory, &used, level_bytes);
	buckets->sums = take(memory, &used, bucket_count * point_bytes);
	buckets->counts = take(memory, &used, bucket_count * sizeof(uint32_t));
	buckets->begins = take(memory, &used, (bucket_count + 2) * sizeof(uint32_t));
	buckets->digits = take(memory, &used, point_count * sizeof(int32_t));
	buckets->entries = take(memory, &used, point_count * sizeof(uint32_t));
	return used;
}

uint64_t affine_buckets_bytes(enum curve_group group, uint32_t point_count, uint32_t window_bits)
{
	struct buckets buckets = {
		.point_bytes = curve_affine_bytes(group), .bucket_count = 1u << (window_bits - 1)};

	return lay_out(&buckets, point_count, NULL);
}

/* A counting sort. Digit d counts in bucket |d| - 1, digit 0 nowhere. */
static void sort_entries(struct buckets *buckets)
{
	const struct msm_window *window = buckets->window;
	uint32_t *begins = buckets->begins;

	/* First shifted by two, so that filling leaves each bucket's begin in its place. */
	memset(begins, 0, (buckets->bucket_count + 2) * sizeof(begins[0]));
	for (uint32_t i = 0; i < window->count; i++) {
		int32_t digit = msm_window_digit(window, i);

		buckets->digits[i] = digit;
		if (digit != 0) {
			begins[abs(digit) + 1]++;
		}
	}
	for (uint32_t i = 1; i < buckets->bucket_count + 2; i++) {
		begins[i] += begins[i - 1];
	}
	for (uint32_t i = 0; i < window->count; i++) {
		int32_t digit = buckets->digits[i];

		if (digit != 0) {
			buckets->entries[begins[abs(digit)]++] =
				i | (digit < 0 ? ENTRY_NEGATED : 0);
		}
	}
}

static const uint8_t *entry_point(const struct buckets *buckets, uint32_t entry)
{
	const struct msm_window *window = buckets->window;

	return (const uint8_t *)window->points +
	       window->indices[entry & ~ENTRY_NEGATED] * buckets->point_bytes;
}

static uint8_t *bucket_sum(const struct buckets *buckets, uint32_t bucket)
{
	return buckets->sums + bucket * buckets->point_bytes;
}

/* Buckets `first` up to, not including, `end`, of the entries from `begin` to `end_entry`. */
struct group {
	uint32_t first;
	uint32_t end;
	uint32_t begin_entry;
	uint32_t end_entry;
};

/* The points that bucket `bucket` has in the group. */
static uint32_t group_count(
	const struct buckets *buckets, const struct group *group, uint32_t bucket)
{
	uint32_t begin = buckets->begins[bucket];
	uint32_t end = buckets->begins[bucket + 1];

	begin = begin < group->begin_entry ? group->begin_entry : begin;
	end = end > group->end_entry ? group->end_entry : end;
	return end > begin ? end - begin : 0;
}

/* A single point has no pair: it is added to nothing. */
static void push_single(struct buckets *buckets, const void *point, bool is_negated, void *sum)
{
	static const blst_p2_affine infinity;

	affine_batch_push(buckets->batch, &(struct affine_pair){.left = point,
						  .right = &infinity,
						  .sum = sum,
						  .is_left_negated = is_negated});
}

/* Points are read in an order no processor foresees. Those past the group are fetched early. */
static void prefetch(const struct buckets *buckets, const uint32_t *entry)
{
	uint32_t entry_count = buckets->begins[buckets->bucket_count];

	if (entry + 1 < buckets->entries + entry_count) {
		__builtin_prefetch(entry_point(buckets, entry[0]));
		__builtin_prefetch(entry_point(buckets, entry[0]) + 64);
		__builtin_prefetch(entry_point(buckets, entry[1]));
		__builtin_prefetch(entry_point(buckets, entry[1]) + 64);
	}
}

/* The first halving takes points from the key; gives the points that are left. */
static uint32_t halve_entries(struct buckets *buckets, const struct group *group)
{
	const uint32_t *entry = buckets->entries + group->begin_entry;
	uint8_t *next = buckets->levels[0];
	uint32_t left_over = 0;

	for (uint32_t bucket = group->first; bucket < group->end; bucket++) {
		uint32_t count = group_count(buckets, group, bucket);
		uint32_t half = count > 2 ? (count + 1) / 2 : 0;

		buckets->counts[bucket] = half;
		left_over += half;
		for (; count > 1; count -= 2, entry += 2) {
			struct affine_pair pair = {.left = entry_point(buckets, entry[0]),
				.right = entry_point(buckets, entry[1]),
				.sum = half > 0 ? next : bucket_sum(buckets, bucket),
				.is_left_negated = (entry[0] & ENTRY_NEGATED) != 0,
				.is_right_negated = (entry[1] & ENTRY_NEGATED) != 0};

			prefetch(buckets, entry + PREFETCH_ENTRIES);
			affine_batch_push(buckets->batch, &pair);
			next += half > 0 ? buckets->point_bytes : 0;
		}
		if (count == 1) {
			push_single(buckets, entry_point(buckets, entry[0]),
				(entry[0] & ENTRY_NEGATED) != 0,
				half > 0 ? next : bucket_sum(buckets, bucket));
			next += half > 0 ? buckets->point_bytes : 0;
			entry++;
		}
	}
	affine_batch_flush(buckets->batch);
	return left_over;
}

/* A later halving, from one level to the other. */
static uint32_t halve_level(struct buckets *buckets, const struct group *group, uint32_t level)
{
	size_t point_bytes = buckets->point_bytes;
	const uint8_t *point = buckets->levels[level % 2];
	uint8_t *next = buckets->levels[(level + 1) % 2];
	uint32_t left_over = 0;

	for (uint32_t bucket = group->first; bucket < group->end; bucket++) {
		uint32_t count = buckets->counts[bucket];
		uint32_t half = count > 2 ? (count + 1) / 2 : 0;

		buckets->counts[bucket] = half;
		left_over += half;
		for (; count > 1; count -= 2, point += 2 * point_bytes) {
			struct affine_pair pair = {.left = point,
				.right = point + point_bytes,
				.sum = half > 0 ? next : bucket_sum(buckets, bucket)};

			affine_batch_push(buckets->batch, &pair);
			next += half > 0 ? point_bytes : 0;
		}
		if (count == 1) {
			push_single(buckets, point, false, next);
			next += point_bytes;
			point += point_bytes;
		}
	}
	affine_batch_flush(buckets->batch);
	return left_over;
}

static void reduce_group(struct buckets *buckets, const struct group *group)
{
	uint8_t *first_sum = bucket_sum(buckets, group->first);
	blst_p2_affine before; /* large enough for either group */
	bool is_continued = buckets->begins[group->first] < group->begin_entry;
	uint32_t left_over;

	if (is_continued) {
		memcpy(&before, first_sum, buckets->point_bytes);
	}
	left_over = halve_entries(buckets, group);
	for (uint32_t level = 0; left_over > 0; level++) {
		left_over = halve_level(buckets, group, level);
	}
	if (is_continued) {
		affine_batch_push(buckets->batch,
			&(struct affine_pair){
				.left = &before, .right = first_sum, .sum = first_sum});
		affine_batch_flush(buckets->batch);
	}
}

/* Groups of entries, whatever buckets they are in: a crowded bucket is spread over several. */
static void reduce_entries(struct buckets *buckets)
{
	struct group group = {0};
	uint32_t entry_count = buckets->begins[buckets->bucket_count];

	memset(buckets->sums, 0, buckets->bucket_count * buckets->point_bytes);
	while (group.begin_entry < entry_count) {
		group.end_entry = entry_count - group.begin_entry > GROUP_ENTRIES_MAX
					  ? group.begin_entry + GROUP_ENTRIES_MAX
					  : entry_count;
		while (buckets->begins[group.first + 1] <= group.begin_entry) {
			group.first++;
		}
		group.end = group.first;
		while (group.end < buckets->bucket_count &&
			buckets->begins[group.end] < group.end_entry) {
			group.end++;
		}
		reduce_group(buckets, &group);
		group.begin_entry = group.end_entry;
	}
}

/*
 * The sum of (i + 1) * sum_i over all buckets, in segments side by side. Going down a segment,
 * `running` is the sum of the buckets passed, `weighted` the sum of all `running`s before. The
 * levels are free by now: running lies in both in turn, weighted behind it in the first.
 */
static void integrate(struct buckets *buckets, struct curve_point *out_sum)
{
	uint32_t segment_log2 = segment_log2_of(buckets->bucket_count);
	uint32_t segment_count = buckets->bucket_count >> segment_log2;
	size_t point_bytes = buckets->point_bytes;
	size_t running_bytes = segment_count * point_bytes;
	uint8_t *running[2] = {buckets->levels[0], buckets->levels[1]};
	uint8_t *weighted = buckets->levels[0] + running_bytes;
	struct curve_point total;

	memset(running[0], 0, running_bytes);
	memset(weighted, 0, running_bytes);
	for (uint32_t step = 1u << segment_log2; step > 0; step--) {
		for (uint32_t s = 0; s < segment_count; s++) {
			uint8_t *old = running[0] + s * point_bytes;

			affine_batch_push(buckets->batch,
				&(struct affine_pair){.left = weighted + s * point_bytes,
					.right = old,
					.sum = weighted + s * point_bytes});
			affine_batch_push(buckets->batch,
				&(struct affine_pair){.left = old,
					.right =
						bucket_sum(buckets, (s << segment_log2) + step - 1),
					.sum = running[1] + s * point_bytes});
		}
		affine_batch_flush(buckets->batch);
		running[0] = running[1];
		running[1] =
			running[0] == buckets->levels[1] ? buckets->levels[0] : buckets->levels[1];
	}
	/* The last running of each segment was not added yet, and each segment's place counts. */
	curve_set_infinity(out_sum, buckets->window->group);
	curve_set_infinity(&total, buckets->window->group);
	for (uint32_t s = segment_count; s > 1; s--) {
		curve_add_affine(&total, running[0] + (s - 1) * point_bytes, false);
		curve_add(out_sum, &total);
	}
	curve_add_affine(&total, running[0], false);
	curve_double(out_sum, segment_log2);
	curve_add(out_sum, &total);
	for (uint32_t s = 0; s < segment_count; s++) {
		curve_add_affine(out_sum, weighted + s * point_bytes, false);
	}
}

void affine_buckets_sum(const struct msm_window *window, bool may_use_vectors, void *memory,
	struct curve_point *out_sum)
{
	struct buckets buckets = {.window = window,
		.point_bytes = curve_affine_bytes(window->group),
		.bucket_count = bucket_count_of(window)};

	assert(window->count < ENTRY_NEGATED);
	(void)lay_out(&buckets, window->count, memory);
	affine_batch_init(buckets.batch, window->group, may_use_vectors);
	sort_entries(&buckets);
	reduce_entries(&buckets);
	integrate(&buckets, out_sum);
}

void affine_buckets_add(const struct msm_window *window, uint32_t negated_from,
	bool may_use_vectors, void *memory, struct curve_point *out_sum)
{
	struct buckets buckets = {.window = window,
		.point_bytes = curve_affine_bytes(window->group),
		.bucket_count = 1};

	assert(window->count < ENTRY_NEGATED);
	(void)lay_out(&buckets, window->count, memory);
	affine_batch_init(buckets.batch, window->group, may_use_vectors);
	buckets.begins[0] = 0;
	buckets.begins[1] = window->count;
	for (uint32_t i = 0; i < window->count; i++) {
		buckets.entries[i] = i | (i >= negated_from ? ENTRY_NEGATED : 0);
	}
	reduce_entries(&buckets);
	curve_set_infinity(out_sum, window->group);
	curve_add_affine(out_sum, buckets.sums, false);
}
