/* SPDX-License-Identifier: MIT */
#include "prover/device/cuda/sums.h"

#include <assert.h>
#include <blst.h>
#include <string.h>

static_assert(sizeof(struct jacobian) == sizeof(blst_p1), "the same bytes on either side");

/* What arrays begin at a multiple of. */
#define ALIGNMENT_BYTES 256u

/* Products of an addition of an affine point, and of two sums. */
#define PRODUCTS_AFFINE 10u
#define PRODUCTS_SUM    14u

/* Additions for each bucket: two weigh it, and its part in lifting its chunk is about another two.
 */
#define ADDITIONS_BUCKET 4u

static uint32_t ceil_div(uint32_t count, uint32_t size)
{
	return count / size + (count % size != 0);
}

static uint64_t place(uint64_t *offset, uint64_t count, uint64_t bytes)
{
	const uint64_t begin = *offset;

	*offset = (begin + count * bytes + ALIGNMENT_BYTES - 1) / ALIGNMENT_BYTES * ALIGNMENT_BYTES;
	return begin;
}

static void place_arrays(struct sums_plan *plan)
{
	const uint32_t bucket_count = plan->group_windows * plan->bucket_count;
	const uint64_t entry_count = (uint64_t)plan->term_count * plan->group_windows;
	uint64_t offset = 0;

	/* Each bucket that has any points ends with a run that may be short. */
	plan->run_count_max = (uint32_t)(entry_count / BUCKETS_RUN_POINTS +
					 (entry_count < bucket_count ? entry_count : bucket_count));
	plan->chunk_count_max =
		plan->group_windows * ceil_div(plan->bucket_count, BUCKET_SUMS_CHUNK);
	plan->counts_offset = place(&offset, bucket_count, sizeof(uint32_t));
	plan->firsts_offset = place(&offset, bucket_count + 1, sizeof(uint32_t));
	plan->run_firsts_offset = place(&offset, bucket_count + 1, sizeof(uint32_t));
	plan->scan_counts_offset =
		place(&offset, 2 * ceil_div(bucket_count, BUCKETS_SCAN_LENGTH), sizeof(uint32_t));
	plan->entries_offset = place(&offset, entry_count, sizeof(uint32_t));
	plan->run_sums_offset = place(&offset, plan->run_count_max, sizeof(struct xyzz));
	plan->chunk_sums_offset = place(&offset, plan->chunk_count_max, sizeof(struct xyzz));
	plan->chunk_totals_offset = place(&offset, plan->chunk_count_max, sizeof(struct xyzz));
	plan->windows_offset = place(&offset, 1, sizeof(struct bucket_sums_windows));
	plan->scratch_bytes = offset;
}

/* The window that takes the fewest products. */
static uint32_t best_window_bits(uint32_t term_count, uint32_t bit_count)
{
	uint64_t best_cost = UINT64_MAX;
	uint32_t best = 2;

	for (uint32_t bits = 2; bits <= DIGITS_WINDOW_BITS_MAX; bits++) {
		const uint64_t window_cost =
			(uint64_t)term_count * PRODUCTS_AFFINE +
			((uint64_t)ADDITIONS_BUCKET * PRODUCTS_SUM << (bits - 1));
		const uint64_t cost = (bit_count / bits + 1) * window_cost;

		if (cost < best_cost) {
			best_cost = cost;
			best = bits;
		}
	}
	return best;
}

enum status sums_plan_terms(
	uint32_t term_count, uint32_t bit_count, uint32_t entries_max, struct sums_plan *out_plan)
{
	struct sums_plan plan = {.term_count = term_count};

	assert(bit_count > 0 && entries_max > 0 && entries_max <= SUMS_ENTRIES_MAX && out_plan);

	if (term_count > SUMS_TERMS_MAX) {
		return STATUS_TOO_LARGE;
	}
	plan.window_bits = best_window_bits(term_count, bit_count);
	plan.window_count = bit_count / plan.window_bits + 1;
	plan.bucket_count = 1u << (plan.window_bits - 1);
	plan.group_windows = term_count ? entries_max / term_count : plan.window_count;
	if (plan.group_windows < 1) {
		plan.group_windows = 1;
	} else if (plan.group_windows > plan.window_count) {
		plan.group_windows = plan.window_count;
	}
	place_arrays(&plan);
	*out_plan = plan;
	return STATUS_OK;
}

enum status sums_plan_list(uint32_t term_count, struct sums_plan *out_plan)
{
	struct sums_plan plan = {.term_count = term_count};

	assert(out_plan);

	if (term_count > SUMS_TERMS_MAX) {
		return STATUS_TOO_LARGE;
	}
	plan.window_count = 1;
	plan.group_windows = 1;
	plan.bucket_count = 1;
	place_arrays(&plan);
	*out_plan = plan;
	return STATUS_OK;
}

/* The most terms, of up to `term_count`, for which no window is wider than `bits`: a wider one pays
 * from some number of terms on. */
static uint32_t most_terms(uint32_t term_count, uint32_t bit_count, uint32_t bits)
{
	uint32_t low = 0;
	uint32_t high = term_count;

	while (low < high) {
		const uint32_t middle = high - (high - low) / 2;

		if (best_window_bits(middle, bit_count) <= bits) {
			low = middle;
		} else {
			high = middle - 1;
		}
	}
	return low;
}

/* Of sums with windows of the plan's kind, and with more than `terms_min` and up to the plan's
 * terms. */
static uint64_t most_scratch_bytes(
	const struct sums_plan *widest, uint32_t entries_max, uint32_t terms_min)
{
	uint64_t most_bytes = 0;

	for (uint32_t group = 1; group <= widest->window_count; group++) {
		const uint32_t room = group > 1 ? entries_max / group : widest->term_count;
		struct sums_plan plan = *widest;

		plan.group_windows = group;
		plan.term_count = room < plan.term_count ? room : plan.term_count;
		if (plan.term_count <= terms_min) {
			break;
		}
		place_arrays(&plan);
		most_bytes = plan.scratch_bytes > most_bytes ? plan.scratch_bytes : most_bytes;
	}
	return most_bytes;
}

enum status sums_scratch_bytes(
	uint32_t term_count, uint32_t bit_count, uint32_t entries_max, uint64_t *out_bytes)
{
	uint32_t narrower_terms = 0;
	uint64_t most_bytes = 0;

	assert(bit_count > 0 && entries_max > 0 && entries_max <= SUMS_ENTRIES_MAX && out_bytes);

	if (term_count > SUMS_TERMS_MAX) {
		return STATUS_TOO_LARGE;
	}
	for (uint32_t bits = 2; bits <= DIGITS_WINDOW_BITS_MAX; bits++) {
		const struct sums_plan widest = {
			.term_count = most_terms(term_count, bit_count, bits),
			.window_count = bit_count / bits + 1,
			.bucket_count = 1u << (bits - 1)};
		const uint64_t bytes = most_scratch_bytes(&widest, entries_max, narrower_terms);

		most_bytes = bytes > most_bytes ? bytes : most_bytes;
		narrower_terms = widest.term_count;
	}
	*out_bytes = most_bytes;
	return STATUS_OK;
}

void sums_place(struct sums *sums, const struct sums_plan *plan, void *scratch)
{
	uint8_t *bytes = scratch;

	assert(sums && plan && (uintptr_t)scratch % ALIGNMENT_BYTES == 0);

	sums->buckets.bucket_count = plan->bucket_count;
	sums->buckets.window_count = plan->group_windows;
	sums->buckets.counts = (uint32_t *)(void *)(bytes + plan->counts_offset);
	sums->buckets.firsts = (uint32_t *)(void *)(bytes + plan->firsts_offset);
	sums->buckets.run_firsts = (uint32_t *)(void *)(bytes + plan->run_firsts_offset);
	sums->buckets.scan_counts = (uint32_t *)(void *)(bytes + plan->scan_counts_offset);
	sums->buckets.entries = (uint32_t *)(void *)(bytes + plan->entries_offset);
	sums->run_sums = (struct xyzz *)(void *)(bytes + plan->run_sums_offset);
	sums->chunk_sums = (struct xyzz *)(void *)(bytes + plan->chunk_sums_offset);
	sums->chunk_totals = (struct xyzz *)(void *)(bytes + plan->chunk_totals_offset);
	sums->windows = (struct bucket_sums_windows *)(void *)(bytes + plan->windows_offset);
}

/* The kernels of a step one after the other, until one does not start. */
static enum status launch_all(const struct sums_launcher *launcher, const struct sums *sums,
	const enum sums_kernel *kernels, const uint32_t *thread_counts, uint32_t count)
{
	enum status status = STATUS_OK;

	for (uint32_t i = 0; i < count && status == STATUS_OK; i++) {
		status = launcher->launch(launcher->context, kernels[i], thread_counts[i], sums);
	}
	return status;
}

/* Passes of `kernel`, until groups of up to `count` sums are one each. */
static enum status gather(const struct sums_launcher *launcher, enum sums_kernel kernel,
	uint32_t thread_count, uint32_t count, struct sums *sums)
{
	enum status status = STATUS_OK;

	for (sums->stride = 1; sums->stride < count && status == STATUS_OK;
		sums->stride *= BUCKET_SUMS_FAN) {
		status = launcher->launch(launcher->context, kernel, thread_count, sums);
	}
	return status;
}

static enum status sort(
	const struct sums_launcher *launcher, const struct sums_plan *plan, struct sums *sums)
{
	static const enum sums_kernel kernels[] = {SUMS_KERNEL_COUNT, SUMS_KERNEL_SCAN_UP,
		SUMS_KERNEL_SCAN_ACROSS, SUMS_KERNEL_SCAN_DOWN, SUMS_KERNEL_FILL};
	const uint32_t bucket_count = sums->buckets.window_count * plan->bucket_count;
	const uint32_t scan_count = ceil_div(bucket_count, BUCKETS_SCAN_LENGTH);
	const uint32_t thread_counts[] = {
		plan->term_count, scan_count, 1, scan_count, plan->term_count};
	enum status status = launcher->clear(
		launcher->context, sums->buckets.counts, bucket_count * sizeof(uint32_t));

	return status == STATUS_OK ? launch_all(launcher, sums, kernels, thread_counts, 5) : status;
}

/* From sorted points to the sum of each bucket, at its first run. */
static enum status sum_buckets(
	const struct sums_launcher *launcher, const struct sums_plan *plan, struct sums *sums)
{
	enum status status =
		launcher->launch(launcher->context, SUMS_KERNEL_RUNS, plan->run_count_max, sums);

	/* All points may be in one bucket. */
	return status == STATUS_OK ? gather(launcher, SUMS_KERNEL_GATHER_RUNS, plan->run_count_max,
					     ceil_div(plan->term_count, BUCKETS_RUN_POINTS), sums)
				   : status;
}

static enum status sum_windows(
	const struct sums_launcher *launcher, const struct sums_plan *plan, struct sums *sums)
{
	static const enum sums_kernel kernels[] = {SUMS_KERNEL_WEIGH, SUMS_KERNEL_LIFT};
	const uint32_t window_chunks = ceil_div(plan->bucket_count, BUCKET_SUMS_CHUNK);
	const uint32_t chunk_count = window_chunks * sums->buckets.window_count;
	enum status status =
		launch_all(launcher, sums, kernels, (uint32_t[]){chunk_count, chunk_count}, 2);

	if (status == STATUS_OK) {
		status = gather(
			launcher, SUMS_KERNEL_GATHER_CHUNKS, chunk_count, window_chunks, sums);
	}
	if (status == STATUS_OK) {
		status = launcher->launch(
			launcher->context, SUMS_KERNEL_COLLECT, sums->buckets.window_count, sums);
	}
	return status == STATUS_OK ? launcher->combine(launcher->context, sums) : status;
}

static blst_p1 point_of(const struct xyzz *sum)
{
	struct jacobian jacobian;
	blst_p1 point;

	xyzz_to_jacobian(sum, &jacobian);
	memcpy(&point, &jacobian, sizeof(point));
	return point;
}

/* ZZ = Z^2 and ZZZ = Z^3, so infinity stays what it is. */
static struct xyzz sum_of(const blst_p1 *point)
{
	struct xyzz sum;
	blst_fp zz;
	blst_fp zzz;

	blst_fp_sqr(&zz, &point->z);
	blst_fp_mul(&zzz, &zz, &point->z);
	memcpy(&sum.x, &point->x, sizeof(sum.x));
	memcpy(&sum.y, &point->y, sizeof(sum.y));
	memcpy(&sum.zz, &zz, sizeof(sum.zz));
	memcpy(&sum.zzz, &zzz, sizeof(sum.zzz));
	return sum;
}

void sums_combine(struct bucket_sums_windows *windows)
{
	blst_p1 sum = point_of(&windows->total);

	assert(windows->window_count <= BUCKET_SUMS_WINDOWS_MAX);

	for (uint32_t i = windows->window_count; i-- > 0;) {
		const blst_p1 window = point_of(&windows->sums[i]);

		for (uint32_t bit = 0; bit < windows->window_bits; bit++) {
			blst_p1_double(&sum, &sum);
		}
		blst_p1_add_or_double(&sum, &sum, &window);
	}
	windows->total = sum_of(&sum);
}

enum status sums_run_terms(const struct sums_launcher *launcher, const struct sums_plan *plan,
	uint32_t bit_count, struct sums *sums)
{
	enum status status = launcher->clear(launcher->context, sums->total, sizeof(*sums->total));

	assert(plan->window_bits > 0 && plan->term_count == sums->input.count);

	sums->digits = digits_make(bit_count, plan->window_bits);
	if (plan->term_count == 0) {
		return status;
	}
	for (uint32_t end = plan->window_count; end > 0 && status == STATUS_OK;
		end = sums->buckets.window_first) {
		sums->buckets.window_count = end < plan->group_windows ? end : plan->group_windows;
		sums->buckets.window_first = end - sums->buckets.window_count;
		status = sort(launcher, plan, sums);
		if (status == STATUS_OK) {
			status = sum_buckets(launcher, plan, sums);
		}
		if (status == STATUS_OK) {
			status = sum_windows(launcher, plan, sums);
		}
	}
	return status == STATUS_OK ? launcher->launch(launcher->context, SUMS_KERNEL_KEEP, 1, sums)
				   : status;
}

enum status sums_run_list(
	const struct sums_launcher *launcher, const struct sums_plan *plan, struct sums *sums)
{
	enum status status;

	assert(plan->window_bits == 0 && plan->term_count == sums->input.count);

	if (plan->term_count == 0) {
		return STATUS_OK;
	}
	status = launcher->launch(launcher->context, SUMS_KERNEL_LIST, plan->term_count, sums);
	if (status == STATUS_OK) {
		status = sum_buckets(launcher, plan, sums);
	}
	/* Its one bucket's first run has gathered all. */
	sums->total = sums->run_sums;
	return status == STATUS_OK ? launcher->launch(launcher->context, SUMS_KERNEL_KEEP, 1, sums)
				   : status;
}

enum status sums_run_clear(const struct sums_launcher *launcher, struct sums *sums)
{
	return launcher->clear(launcher->context, sums->kept, sizeof(*sums->kept));
}

enum status sums_run_store(const struct sums_launcher *launcher, struct sums *sums)
{
	return launcher->launch(launcher->context, SUMS_KERNEL_STORE, 1, sums);
}
