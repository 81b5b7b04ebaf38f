/* SPDX-License-Identifier: MIT */
#include "prover/groth16/setup_points.h"

#include "prover/groth16/field.h"
#include "prover/groth16/zkey_points.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* A table of 26 x 512 points of each group, 3.8 MB in all, for which a product takes 26
 * additions and no doubling. */
#define WINDOW_BITS    10u
#define WINDOW_COUNT   26u /* 260 bits: a carry out of bit 254 has room */
#define MULTIPLE_COUNT (1u << (WINDOW_BITS - 1))
#define SCALAR_BITS    256u

/* Points that share one inversion, and that one thread takes at a time. */
#define CHUNK_POINTS     256u
#define THREAD_COUNT_MAX 64u

/* multiples[w][m] is (m + 1) * 2^(WINDOW_BITS * w) times the generator. */
struct setup_points {
	blst_p1_affine g1[WINDOW_COUNT][MULTIPLE_COUNT];
	blst_p2_affine g2[WINDOW_COUNT][MULTIPLE_COUNT];
};

static void make_window_g1(blst_p1 *base, blst_p1_affine multiples[MULTIPLE_COUNT])
{
	blst_p1 sums[MULTIPLE_COUNT];
	const blst_p1 *const list[2] = {sums, NULL};

	sums[0] = *base;
	for (uint32_t i = 1; i < MULTIPLE_COUNT; i++) {
		blst_p1_add_or_double(&sums[i], &sums[i - 1], base);
	}
	blst_p1s_to_affine(multiples, list, MULTIPLE_COUNT);
	/* 2 * 2^(WINDOW_BITS - 1) times the base: the next window's. */
	blst_p1_double(base, &sums[MULTIPLE_COUNT - 1]);
}

static void make_window_g2(blst_p2 *base, blst_p2_affine multiples[MULTIPLE_COUNT])
{
	blst_p2 sums[MULTIPLE_COUNT];
	const blst_p2 *const list[2] = {sums, NULL};

	sums[0] = *base;
	for (uint32_t i = 1; i < MULTIPLE_COUNT; i++) {
		blst_p2_add_or_double(&sums[i], &sums[i - 1], base);
	}
	blst_p2s_to_affine(multiples, list, MULTIPLE_COUNT);
	blst_p2_double(base, &sums[MULTIPLE_COUNT - 1]);
}

enum status setup_points_create(struct setup_points **out_points)
{
	struct setup_points *points = malloc(sizeof(*points));
	blst_p1 base_g1 = *blst_p1_generator();
	blst_p2 base_g2 = *blst_p2_generator();

	if (!points) {
		return STATUS_NO_MEMORY;
	}
	for (uint32_t window = 0; window < WINDOW_COUNT; window++) {
		make_window_g1(&base_g1, points->g1[window]);
		make_window_g2(&base_g2, points->g2[window]);
	}
	*out_points = points;
	return STATUS_OK;
}

void setup_points_destroy(struct setup_points *points)
{
	free(points);
}

static int32_t window_of(const blst_scalar *scalar, uint32_t window)
{
	int32_t bits = 0;

	for (uint32_t bit = 0; bit < WINDOW_BITS; bit++) {
		uint32_t at = window * WINDOW_BITS + bit;

		if (at < SCALAR_BITS) {
			bits |= ((scalar->b[at / 8] >> (at % 8)) & 1) << bit;
		}
	}
	return bits;
}

/* Digits of -2^(WINDOW_BITS-1) + 1 .. 2^(WINDOW_BITS-1), least significant first. */
static void recode(const blst_fr *element, int16_t digits[WINDOW_COUNT])
{
	blst_scalar scalar;
	int32_t carry = 0;

	blst_scalar_from_fr(&scalar, element);
	for (uint32_t window = 0; window < WINDOW_COUNT; window++) {
		int32_t digit = window_of(&scalar, window) + carry;

		/* Too large for the table: 2^WINDOW_BITS less here, and one more in the next
		 * window. */
		carry = digit > (int32_t)MULTIPLE_COUNT;
		digits[window] = (int16_t)(digit - (carry << WINDOW_BITS));
	}
	assert(carry == 0);
	explicit_bzero(&scalar, sizeof(scalar));
}

static void multiply_g1(
	const struct setup_points *points, const int16_t digits[WINDOW_COUNT], blst_p1 *out_sum)
{
	memset(out_sum, 0, sizeof(*out_sum));
	for (uint32_t window = 0; window < WINDOW_COUNT; window++) {
		int16_t digit = digits[window];

		if (digit != 0) {
			/* Points of the table are picked by secret digits: not constant in time,
			 * for keys of tests. */
			blst_p1_affine addend =
				points->g1[window][(digit < 0 ? -digit : digit) - 1];

			blst_fp_cneg(&addend.y, &addend.y, digit < 0);
			blst_p1_add_or_double_affine(out_sum, out_sum, &addend);
		}
	}
}

static void multiply_g2(
	const struct setup_points *points, const int16_t digits[WINDOW_COUNT], blst_p2 *out_sum)
{
	memset(out_sum, 0, sizeof(*out_sum));
	for (uint32_t window = 0; window < WINDOW_COUNT; window++) {
		int16_t digit = digits[window];

		if (digit != 0) {
			blst_p2_affine addend =
				points->g2[window][(digit < 0 ? -digit : digit) - 1];

			blst_fp2_cneg(&addend.y, &addend.y, digit < 0);
			blst_p2_add_or_double_affine(out_sum, out_sum, &addend);
		}
	}
}

/* What the threads share; one of g1 and g2 is NULL. */
struct job {
	const struct setup_points *points;
	const blst_fr *scalars;
	uint32_t first_wire;
	struct zkey_query_g1 *g1;
	struct zkey_query_g2 *g2;
	uint32_t count;
	atomic_uint next;
};

/* No scalar of a query is zero, so that no sum is infinity, which blst's batches get wrong. */
static void run_chunk_g1(const struct job *job, uint32_t begin, uint32_t count)
{
	blst_p1 sums[CHUNK_POINTS];
	const blst_p1 *const list[2] = {sums, NULL};

	for (uint32_t i = 0; i < count; i++) {
		int16_t digits[WINDOW_COUNT];

		recode(&job->scalars[job->g1->wires[begin + i] - job->first_wire], digits);
		multiply_g1(job->points, digits, &sums[i]);
	}
	blst_p1s_to_affine(&job->g1->points[begin], list, count);
}

static void run_chunk_g2(const struct job *job, uint32_t begin, uint32_t count)
{
	blst_p2 sums[CHUNK_POINTS];
	const blst_p2 *const list[2] = {sums, NULL};

	for (uint32_t i = 0; i < count; i++) {
		int16_t digits[WINDOW_COUNT];

		recode(&job->scalars[job->g2->wires[begin + i] - job->first_wire], digits);
		multiply_g2(job->points, digits, &sums[i]);
	}
	blst_p2s_to_affine(&job->g2->points[begin], list, count);
}

static void *run_chunks(void *argument)
{
	struct job *job = argument;
	uint32_t chunk_count = job->count / CHUNK_POINTS + (job->count % CHUNK_POINTS != 0);

	for (;;) {
		/* Chunks are taken and not dealt out, so that no thread waits for a slower one. */
		uint32_t chunk = atomic_fetch_add(&job->next, 1);
		uint32_t begin = chunk * CHUNK_POINTS;
		uint32_t left = job->count - begin;

		if (chunk >= chunk_count) {
			return NULL;
		}
		if (job->g1) {
			run_chunk_g1(job, begin, left < CHUNK_POINTS ? left : CHUNK_POINTS);
		} else {
			run_chunk_g2(job, begin, left < CHUNK_POINTS ? left : CHUNK_POINTS);
		}
	}
}

/* The caller's thread works too; a thread that cannot be had is done without. */
static void run_job(struct job *job, uint32_t thread_count)
{
	pthread_t threads[THREAD_COUNT_MAX];
	uint32_t started = 0;

	if (thread_count > THREAD_COUNT_MAX) {
		thread_count = THREAD_COUNT_MAX;
	}
	while (started + 1 < thread_count &&
		pthread_create(&threads[started], NULL, run_chunks, job) == 0) {
		started++;
	}
	(void)run_chunks(job);
	for (uint32_t i = 0; i < started; i++) {
		(void)pthread_join(threads[i], NULL);
	}
}

static uint32_t count_nonzero(const blst_fr *scalars, uint32_t count)
{
	uint32_t nonzero = 0;

	for (uint32_t i = 0; i < count; i++) {
		nonzero += !field_is_zero(&scalars[i]);
	}
	return nonzero;
}

/* Wires whose scalar is zero have infinity in the key, and no place in a query. */
static void list_wires(const blst_fr *scalars, uint32_t count, uint32_t first_wire, uint32_t *wires)
{
	uint32_t filled = 0;

	for (uint32_t i = 0; i < count; i++) {
		if (!field_is_zero(&scalars[i])) {
			wires[filled++] = first_wire + i;
		}
	}
}

enum status setup_points_query_g1(const struct setup_points *points, uint32_t thread_count,
	const blst_fr *scalars, uint32_t count, uint32_t first_wire,
	struct zkey_query_g1 *out_query)
{
	struct job job = {.points = points,
		.scalars = scalars,
		.first_wire = first_wire,
		.g1 = out_query,
		.count = count_nonzero(scalars, count)};
	enum status status = zkey_points_init_g1(job.count, out_query);

	if (status == STATUS_OK) {
		list_wires(scalars, count, first_wire, out_query->wires);
		run_job(&job, thread_count);
	}
	return status;
}

enum status setup_points_query_g2(const struct setup_points *points, uint32_t thread_count,
	const blst_fr *scalars, uint32_t count, uint32_t first_wire,
	struct zkey_query_g2 *out_query)
{
	struct job job = {.points = points,
		.scalars = scalars,
		.first_wire = first_wire,
		.g2 = out_query,
		.count = count_nonzero(scalars, count)};
	enum status status = zkey_points_init_g2(job.count, out_query);

	if (status == STATUS_OK) {
		list_wires(scalars, count, first_wire, out_query->wires);
		run_job(&job, thread_count);
	}
	return status;
}
