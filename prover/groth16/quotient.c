/* SPDX-License-Identifier: MIT */
#include "prover/groth16/quotient.h"

#include "prover/groth16/matrix_vector.h"
#include "prover/groth16/scalars.h"
#include "prover/groth16/secret.h"
#include "prover/groth16/work_pool.h"

#include <assert.h>
#include <stdlib.h>

/* Rows of a tile: some 50 us of work, so that taking a tile costs nothing beside it. */
#define TILE_ROWS 1024u

static uint32_t row_tile_count(const struct quotient *quotient)
{
	return (quotient->plan->size + TILE_ROWS - 1) / TILE_ROWS;
}

static uint32_t row_tile_end(const struct quotient *quotient, uint32_t tile)
{
	uint32_t begin = tile * TILE_ROWS;

	return quotient->plan->size - begin > TILE_ROWS ? begin + TILE_ROWS : quotient->plan->size;
}

enum status quotient_init(struct quotient *quotient, const struct quotient_input *input)
{
	uint32_t size = input->plan->size;

	assert(size == input->key->domain_size);

	*quotient = (struct quotient){.key = input->key,
		.plan = input->plan,
		.witness = input->witness,
		.classes = input->classes};
	for (uint32_t i = 0; i < QUOTIENT_VECTOR_COUNT; i++) {
		quotient->values[i] = secret_create(size, sizeof(blst_fr));
		for (uint32_t k = 0; k < NTT_PASS_COUNT; k++) {
			quotient->passes[i][k] = (struct quotient_pass){.quotient = quotient,
				.vector = (enum quotient_vector)i,
				.pass = (enum ntt_pass)k};
		}
	}
	quotient->coefficient_ones = matrix_vector_make_ones(input->key);
	quotient->scalars = secret_create(size, sizeof(blst_scalar));
	quotient->scalar_classes = secret_create(size, 1);
	quotient->scratch = secret_create(
		input->thread_count, ntt_scratch_elements(input->plan) * sizeof(blst_fr));
	if (!quotient->values[QUOTIENT_A] || !quotient->values[QUOTIENT_B] ||
		!quotient->values[QUOTIENT_C] || !quotient->coefficient_ones ||
		!quotient->scalars || !quotient->scalar_classes || !quotient->scratch) {
		quotient_finish(quotient);
		return STATUS_NO_MEMORY;
	}
	return STATUS_OK;
}

void quotient_finish(struct quotient *quotient)
{
	for (uint32_t i = 0; i < QUOTIENT_VECTOR_COUNT; i++) {
		secret_destroy(quotient->values[i]);
	}
	secret_destroy(quotient->scalars);
	secret_destroy(quotient->scalar_classes);
	secret_destroy(quotient->scratch);
	free(quotient->coefficient_ones);
	*quotient = (struct quotient){0};
}

static enum status run_evaluation(void *context, uint32_t tile, uint32_t worker)
{
	struct quotient *quotient = context;
	struct matrix_vector vector = {.values = quotient->witness,
		.classes = quotient->classes,
		.coefficient_values = quotient->key->coefficient_values,
		.coefficient_ones = quotient->coefficient_ones};

	(void)worker;
	matrix_vector_evaluate(quotient->key, &vector, tile * TILE_ROWS,
		row_tile_end(quotient, tile), quotient->values);
	return STATUS_OK;
}

static enum status run_pass(void *context, uint32_t tile, uint32_t worker)
{
	const struct quotient_pass *pass = context;
	struct quotient *quotient = pass->quotient;
	blst_fr *scratch =
		quotient->scratch + (size_t)worker * ntt_scratch_elements(quotient->plan);

	ntt_run_tile(quotient->plan, pass->pass, tile, quotient->values[pass->vector], scratch);
	return STATUS_OK;
}

static enum status run_scalars(void *context, uint32_t tile, uint32_t worker)
{
	struct quotient *quotient = context;
	blst_fr **values = quotient->values;
	uint32_t begin = tile * TILE_ROWS;
	uint32_t end = row_tile_end(quotient, tile);
	blst_fr scalar;

	(void)worker;
	for (uint32_t i = begin; i < end; i++) {
		/* On the odd points of the double domain, where the key has H in its Lagrange
		 * basis: no division. */
		blst_fr_mul(&scalar, &values[QUOTIENT_A][i], &values[QUOTIENT_B][i]);
		blst_fr_sub(&scalar, &scalar, &values[QUOTIENT_C][i]);
		blst_scalar_from_fr(&quotient->scalars[i], &scalar);
	}
	scalars_classify_all(
		&quotient->scalars[begin], end - begin, &quotient->scalar_classes[begin]);
	return STATUS_OK;
}

uint32_t quotient_add_evaluation(
	struct quotient *quotient, struct work_queue *queue, uint32_t after)
{
	struct work_task task = {
		.run = run_evaluation, .context = quotient, .tile_count = row_tile_count(quotient)};
	uint32_t evaluation = work_queue_add(queue, &task);

	work_queue_order(queue, after, evaluation);
	return evaluation;
}

uint32_t quotient_add_transforms(
	struct quotient *quotient, struct work_queue *queue, uint32_t after)
{
	struct work_task task = {.run = run_pass};
	/* The three vectors are independent until the end, so their passes may overlap. */
	uint32_t previous[QUOTIENT_VECTOR_COUNT] = {after, after, after};
	uint32_t last;

	for (uint32_t pass = 0; pass < NTT_PASS_COUNT; pass++) {
		task.tile_count = ntt_tile_count(quotient->plan, (enum ntt_pass)pass);
		for (uint32_t i = 0; i < QUOTIENT_VECTOR_COUNT; i++) {
			task.context = &quotient->passes[i][pass];
			last = work_queue_add(queue, &task);
			work_queue_order(queue, previous[i], last);
			previous[i] = last;
		}
	}
	task = (struct work_task){
		.run = run_scalars, .context = quotient, .tile_count = row_tile_count(quotient)};
	last = work_queue_add(queue, &task);
	for (uint32_t i = 0; i < QUOTIENT_VECTOR_COUNT; i++) {
		work_queue_order(queue, previous[i], last);
	}
	return last;
}

enum status quotient_evaluate(struct quotient *quotient, struct work_pool *pool)
{
	struct work_queue queue;

	work_queue_init(&queue);
	(void)quotient_add_evaluation(quotient, &queue, WORK_TASK_NONE);
	return work_pool_run(pool, &queue);
}

enum status quotient_transform(struct quotient *quotient, struct work_pool *pool)
{
	struct work_queue queue;

	work_queue_init(&queue);
	(void)quotient_add_transforms(quotient, &queue, WORK_TASK_NONE);
	return work_pool_run(pool, &queue);
}
