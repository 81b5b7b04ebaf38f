/* SPDX-License-Identifier: MIT */
#include "prover/groth16/ntt.h"

#include "prover/groth16/field.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* A row's elements and twiddles, 2 x 32 KiB, stay close to the first-level cache. */
#define ROW_LOG2_MIN 10u

/* Beyond this, sizes in elements no longer fit 32-bit numbers. */
#define PLAN_LOG2_MAX 30u

/* Narrower tiles would use parts of cache lines, wider ones leave threads without work. */
#define TILE_COLUMNS_MIN 4u
#define TILE_COLUMNS_MAX 64u

static void fill_twiddles(struct ntt_plan *plan)
{
	blst_fr *twiddles = plan->twiddles;
	uint32_t half = plan->size / 2;
	blst_fr root;

	field_one(&twiddles[0]); /* of no level: a domain of one element has no twiddle */
	if (half == 0) {
		return;
	}
	field_root_of_unity(&root, plan->log2);
	field_one(&twiddles[half]);
	for (uint32_t j = 1; j < half; j++) {
		blst_fr_mul(&twiddles[half + j], &twiddles[half + j - 1], &root);
	}
	/* Each level's twiddles are every second one of the level above, stored together: rows
	 * read them in a stretch. */
	for (half /= 2; half > 0; half /= 2) {
		for (uint32_t j = 0; j < half; j++) {
			twiddles[half + j] = twiddles[2 * half + 2 * j];
		}
	}
}

static void fill_coset_factors(struct ntt_plan *plan)
{
	blst_fr power; /* g^(2^b), b from the top: what bit b of k stands for */
	blst_fr powers[PLAN_LOG2_MAX];

	field_root_of_unity(&power, plan->log2 + 1);
	for (uint32_t b = 0; b < plan->log2; b++) {
		powers[b] = power;
		blst_fr_sqr(&power, &power);
	}
	/* The inverse transform's 1 / n is in the coset factors, so that it costs no pass. */
	field_from_u64(&plan->coset_factors[0], plan->size);
	blst_fr_inverse(&plan->coset_factors[0], &plan->coset_factors[0]);
	for (uint32_t b = 0; b < plan->log2; b++) {
		for (uint32_t i = 0; i < 1u << b; i++) {
			blst_fr_mul(&plan->coset_factors[(1u << b) + i], &plan->coset_factors[i],
				&powers[plan->log2 - 1 - b]);
		}
	}
}

/* How a vector of 2^log2 elements is cut. */
static struct ntt_plan shape(uint32_t log2)
{
	uint32_t columns_log2 = (log2 + 1) / 2 > ROW_LOG2_MIN ? (log2 + 1) / 2 : ROW_LOG2_MIN;
	struct ntt_plan plan = {.log2 = log2, .size = 1u << log2};

	if (columns_log2 > log2) {
		columns_log2 = log2;
	}
	plan.columns = 1u << columns_log2;
	plan.rows = plan.size / plan.columns;
	plan.tile_columns = NTT_TILE_ELEMENTS / plan.rows;
	if (plan.tile_columns < TILE_COLUMNS_MIN) {
		plan.tile_columns = TILE_COLUMNS_MIN;
	} else if (plan.tile_columns > TILE_COLUMNS_MAX) {
		plan.tile_columns = TILE_COLUMNS_MAX;
	}
	return plan;
}

enum status ntt_plan_create(uint32_t log2, struct ntt_plan **out_plan)
{
	AUTO(ntt_plan_destroy) struct ntt_plan *plan = NULL;

	assert(out_plan);

	if (log2 > PLAN_LOG2_MAX) {
		return STATUS_TOO_LARGE;
	}
	plan = calloc(1, sizeof(*plan));
	if (!plan) {
		return STATUS_NO_MEMORY;
	}
	*plan = shape(log2);
	plan->twiddles = malloc(plan->size * sizeof(plan->twiddles[0]));
	plan->coset_factors = malloc(plan->size * sizeof(plan->coset_factors[0]));
	if (!plan->twiddles || !plan->coset_factors) {
		return STATUS_NO_MEMORY;
	}
	fill_twiddles(plan);
	fill_coset_factors(plan);
	*out_plan = MOVE(plan);
	return STATUS_OK;
}

void ntt_plan_destroy(struct ntt_plan *plan)
{
	if (!plan) {
		return;
	}
	free(plan->twiddles);
	free(plan->coset_factors);
	free(plan);
}

uint32_t ntt_scratch_elements(const struct ntt_plan *plan)
{
	return plan->rows > 1 ? plan->rows * plan->tile_columns : 0;
}

uint32_t ntt_tile_count(const struct ntt_plan *plan, enum ntt_pass pass)
{
	if (pass == NTT_PASS_COSET) {
		return plan->rows;
	}
	return plan->rows > 1 ? plan->columns / plan->tile_columns : 0;
}

/*
 * One level of the inverse transform (decimation in frequency) over `count` neighbouring pairs,
 * the first of which is pair `first` of its butterfly. `level` are the twiddles of this level.
 * The root's inverse is not stored: w_{2h}^-j = -w_{2h}^(h - j), and the sign goes into the
 * difference.
 */
static void inverse_pairs(blst_fr *low, blst_fr *high, const blst_fr *level, uint32_t half,
	uint32_t first, uint32_t count)
{
	uint32_t i = 0;
	blst_fr difference;

	if (first == 0) {
		blst_fr_sub(&difference, &low[0], &high[0]);
		blst_fr_add(&low[0], &low[0], &high[0]);
		high[0] = difference;
		i = 1;
	}
	for (; i < count; i++) {
		blst_fr_sub(&difference, &high[i], &low[i]);
		blst_fr_add(&low[i], &low[i], &high[i]);
		blst_fr_mul(&high[i], &difference, &level[half - first - i]);
	}
}

/* One level of the forward transform (decimation in time), likewise. */
static void forward_pairs(
	blst_fr *low, blst_fr *high, const blst_fr *level, uint32_t first, uint32_t count)
{
	uint32_t i = 0;
	blst_fr product;

	if (first == 0) {
		product = high[0];
		blst_fr_sub(&high[0], &low[0], &product);
		blst_fr_add(&low[0], &low[0], &product);
		i = 1;
	}
	for (; i < count; i++) {
		blst_fr_mul(&product, &high[i], &level[first + i]);
		blst_fr_sub(&high[i], &low[i], &product);
		blst_fr_add(&low[i], &low[i], &product);
	}
}

/* The lower levels of both transforms on one row, which lies in one piece. */
static void run_row(const struct ntt_plan *plan, blst_fr *row, const blst_fr *factors)
{
	for (uint32_t half = plan->columns / 2; half > 0; half /= 2) {
		for (uint32_t i = 0; i < plan->columns; i += 2 * half) {
			inverse_pairs(
				row + i, row + i + half, &plan->twiddles[half], half, 0, half);
		}
	}
	for (uint32_t i = 0; i < plan->columns; i++) {
		blst_fr_mul(&row[i], &row[i], &factors[i]);
	}
	for (uint32_t half = 1; half < plan->columns; half *= 2) {
		for (uint32_t i = 0; i < plan->columns; i += 2 * half) {
			forward_pairs(row + i, row + i + half, &plan->twiddles[half], 0, half);
		}
	}
}

/* One upper level on the columns from `first_column` on, gathered in `cells`, row by row. */
static void run_column_level(const struct ntt_plan *plan, enum ntt_pass pass, uint32_t first_column,
	uint32_t half_rows, blst_fr *cells)
{
	uint32_t width = plan->tile_columns;
	uint32_t half = half_rows * plan->columns;
	const blst_fr *level = &plan->twiddles[half];

	for (uint32_t row = 0; row < plan->rows; row++) {
		blst_fr *low = cells + row * width;
		blst_fr *high = low + half_rows * width;
		uint32_t first = (row % half_rows) * plan->columns + first_column;

		if (row & half_rows) {
			continue;
		}
		if (pass == NTT_PASS_INVERSE) {
			inverse_pairs(low, high, level, half, first, width);
		} else {
			forward_pairs(low, high, level, first, width);
		}
	}
}

/*
 * The upper levels on some columns. They are copied together first: a column's elements lie a
 * power of two apart and would push each other out of the cache.
 */
static void run_columns(const struct ntt_plan *plan, enum ntt_pass pass, uint32_t first_column,
	blst_fr *values, blst_fr *cells)
{
	uint32_t width = plan->tile_columns;
	size_t bytes = width * sizeof(values[0]);

	values += first_column;
	for (size_t row = 0; row < plan->rows; row++) {
		memcpy(cells + row * width, values + row * plan->columns, bytes);
	}
	if (pass == NTT_PASS_INVERSE) {
		for (uint32_t half = plan->rows / 2; half > 0; half /= 2) {
			run_column_level(plan, pass, first_column, half, cells);
		}
	} else {
		for (uint32_t half = 1; half < plan->rows; half *= 2) {
			run_column_level(plan, pass, first_column, half, cells);
		}
	}
	for (size_t row = 0; row < plan->rows; row++) {
		memcpy(values + row * plan->columns, cells + row * width, bytes);
	}
}

void ntt_run_tile(const struct ntt_plan *plan, enum ntt_pass pass, uint32_t tile, blst_fr *values,
	blst_fr *scratch)
{
	assert(tile < ntt_tile_count(plan, pass));

	if (pass == NTT_PASS_COSET) {
		size_t first = (size_t)tile * plan->columns;

		run_row(plan, values + first, plan->coset_factors + first);
	} else {
		run_columns(plan, pass, tile * plan->tile_columns, values, scratch);
	}
}
