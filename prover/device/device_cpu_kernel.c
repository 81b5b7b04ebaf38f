/* SPDX-License-Identifier: MIT */
#include "prover/device/device_cpu_kernel.h"

#include "prover/groth16/matrix_vector.h"
#include "prover/groth16/msm.h"
#include "prover/groth16/ntt.h"
#include "prover/groth16/prove.h"
#include "prover/groth16/scalars.h"
#include "prover/groth16/secret.h"
#include "prover/groth16/work_pool.h"
#include "prover/groth16/work_queue.h"

#include <assert.h>
#include <blst.h>
#include <stdlib.h>

/* Rows of a tile of the quotient: some 50 us of work. */
#define TILE_ROWS 1024u

static void *place_address(const struct device_place *place)
{
	return (uint8_t *)place->memory->bytes + place->offset_bytes;
}

struct transform {
	const struct ntt_plan *plan;
	blst_fr *values;
	blst_fr *scratch; /* of each thread */
};

struct transform_pass {
	struct transform *transform;
	enum ntt_pass pass;
};

static enum status run_pass(void *context, uint32_t tile, uint32_t worker)
{
	const struct transform_pass *pass = context;
	const struct transform *transform = pass->transform;
	blst_fr *scratch =
		transform->scratch + (size_t)worker * ntt_scratch_elements(transform->plan);

	ntt_run_tile(transform->plan, pass->pass, tile, transform->values, scratch);
	return STATUS_OK;
}

static enum status run_transform(struct device *device, const struct device_operation *operation)
{
	const struct ntt_plan *plan = operation->key->plan;
	struct transform_pass passes[NTT_PASS_COUNT];
	struct transform transform = {
		.plan = plan, .values = place_address(&operation->vectors[0])};
	struct work_queue queue;
	uint32_t previous = WORK_TASK_NONE;
	enum status status;

	transform.scratch = secret_create(work_pool_thread_count(device->work_pool),
		ntt_scratch_elements(plan) * sizeof(blst_fr));
	if (!transform.scratch) {
		return STATUS_NO_MEMORY;
	}
	work_queue_init(&queue);
	for (int i = 0; i < NTT_PASS_COUNT; i++) {
		struct work_task task = {.run = run_pass, .context = &passes[i]};
		uint32_t number;

		/* Each pass after the one before: tiles of a pass are independent, passes are
		 * not. */
		passes[i] = (struct transform_pass){&transform, (enum ntt_pass)i};
		task.tile_count = ntt_tile_count(plan, passes[i].pass);
		number = work_queue_add(&queue, &task);
		work_queue_order(&queue, previous, number);
		previous = number;
	}
	status = work_pool_run(device->work_pool, &queue);
	secret_destroy(transform.scratch);
	return status;
}

struct quotient_rows {
	const blst_fr *a;
	const blst_fr *b;
	blst_fr *c; /* which the scalars replace, element by element */
	uint32_t count;
};

static_assert(sizeof(blst_scalar) == sizeof(blst_fr), "a scalar fits where its element was");

static enum status run_quotient_tile(void *context, uint32_t tile, uint32_t worker)
{
	const struct quotient_rows *rows = context;
	const uint32_t begin = tile * TILE_ROWS;
	const uint32_t end = rows->count - begin > TILE_ROWS ? begin + TILE_ROWS : rows->count;
	blst_fr value;

	(void)worker;
	for (uint32_t i = begin; i < end; i++) {
		blst_fr_mul(&value, &rows->a[i], &rows->b[i]);
		blst_fr_sub(&value, &value, &rows->c[i]);
		/* Canonical from here on: what the H sum wants. */
		blst_scalar_from_fr((blst_scalar *)&rows->c[i], &value);
	}
	return STATUS_OK;
}

static enum status run_quotient(struct device *device, const struct device_operation *operation)
{
	struct quotient_rows rows = {
		.a = place_address(&operation->vectors[DEVICE_VECTOR_A]),
		.b = place_address(&operation->vectors[DEVICE_VECTOR_B]),
		.c = place_address(&operation->vectors[DEVICE_VECTOR_C]),
		.count = (uint32_t)operation->key->shape.domain_size,
	};
	const struct work_task task = {
		.run = run_quotient_tile,
		.context = &rows,
		.tile_count = (rows.count + TILE_ROWS - 1) / TILE_ROWS,
	};
	struct work_queue queue;

	work_queue_init(&queue);
	(void)work_queue_add(&queue, &task);
	return work_pool_run(device->work_pool, &queue);
}

static struct msm_query query_of(const struct device_operation *operation)
{
	static const enum groth16_query queries[DEVICE_QUERY_COUNT] = {
		[DEVICE_QUERY_H] = GROTH16_H,
		[DEVICE_QUERY_L] = GROTH16_L,
		[DEVICE_QUERY_A] = GROTH16_A,
		[DEVICE_QUERY_B1] = GROTH16_B1,
	};

	return groth16_query_points(operation->key->zkey, queries[operation->query]);
}

static void store_result(const struct msm *msm, const struct device_operation *operation)
{
	struct curve_point sum;

	msm_result(msm, CURVE_G1, &sum);
	/* Aligned: results lie one behind another from the begin of an allocation. */
	*(blst_p1 *)place_address(&operation->result) = sum.g1;
}

static enum status run_msm_h(struct device *device, const struct device_operation *operation)
{
	const struct msm_query query = query_of(operation);
	const blst_scalar *scalars = place_address(&operation->vectors[0]);
	const uint32_t count = (uint32_t)operation->key->shape.domain_size;
	uint8_t *classes = secret_create(count, 1);
	struct msm msm;
	enum status status;

	if (!classes) {
		return STATUS_NO_MEMORY;
	}
	msm_init(&msm, work_pool_thread_count(device->work_pool));
	scalars_classify_all(scalars, count, classes);
	status = msm_prepare(&msm, &query, scalars, classes);
	secret_destroy(classes);
	if (status == STATUS_OK) {
		status = msm_run_ones(&msm, device->work_pool);
	}
	if (status == STATUS_OK) {
		status = msm_run_tails(&msm, device->work_pool);
	}
	if (status == STATUS_OK) {
		store_result(&msm, operation);
	}
	msm_finish(&msm);
	return status;
}

static struct scalar_tail tail_in_memory(uint8_t *bytes, const struct device_tail *tail)
{
	return (struct scalar_tail){
		.count = tail->count,
		.bit_count = tail->bit_count,
		.indices = (uint32_t *)(void *)(bytes + tail->indices_offset),
		.scalars = bytes + tail->scalars_offset,
	};
}

/* An index that upload and memory did not keep whole must not lead out of the query. */
static bool has_indices_below(const uint32_t *indices, uint32_t count, uint32_t limit)
{
	for (uint32_t i = 0; i < count; i++) {
		if (indices[i] >= limit) {
			return false;
		}
	}
	return true;
}

static enum status run_msm(
	struct device *device, const struct device_operation *operation, bool is_ones)
{
	const struct msm_query query = query_of(operation);
	const struct device_scalars *scalars = &operation->scalars;
	uint8_t *bytes = scalars->memory->bytes;
	struct msm_input input = {.group = query.group, .points = query.points};
	struct msm msm;
	enum status status;

	input.small = (struct scalar_tail){.bit_count = SCALARS_SMALL_BITS};
	input.wide = (struct scalar_tail){.bit_count = SCALARS_WIDE_BITS};
	if (is_ones) {
		input.one_count = scalars->one_count;
		input.minus_one_count = scalars->minus_one_count;
		input.ones = (uint32_t *)(void *)(bytes + scalars->ones_offset);
	} else {
		input.small = tail_in_memory(bytes, &scalars->small);
		input.wide = tail_in_memory(bytes, &scalars->wide);
	}
	if (!has_indices_below(input.ones, input.one_count + input.minus_one_count, query.count) ||
		!has_indices_below(input.small.indices, input.small.count, query.count) ||
		!has_indices_below(input.wide.indices, input.wide.count, query.count)) {
		/* Not bad input: prep made these. */
		return STATUS_INTERNAL;
	}

	msm_init(&msm, work_pool_thread_count(device->work_pool));
	status = msm_prepare_borrowed(&msm, &input);
	if (status == STATUS_OK) {
		status = is_ones ? msm_run_ones(&msm, device->work_pool)
				 : msm_run_tails(&msm, device->work_pool);
	}
	if (status == STATUS_OK) {
		store_result(&msm, operation);
	}
	msm_finish(&msm);
	return status;
}

struct evaluation {
	const struct zkey *zkey;
	struct matrix_vector vector;
	blst_fr *abc[DEVICE_VECTOR_COUNT];
};

static enum status run_evaluation_tile(void *context, uint32_t tile, uint32_t worker)
{
	const struct evaluation *evaluation = context;
	const struct zkey *zkey = evaluation->zkey;
	const uint32_t begin = tile * TILE_ROWS;
	const uint32_t end =
		zkey->domain_size - begin > TILE_ROWS ? begin + TILE_ROWS : zkey->domain_size;

	(void)worker;
	matrix_vector_evaluate(zkey, &evaluation->vector, begin, end, evaluation->abc);
	return STATUS_OK;
}

static enum status run_evaluate(struct device *device, const struct device_operation *operation)
{
	const struct zkey *zkey = operation->key->zkey;
	const blst_scalar *witness = place_address(&operation->witness);
	uint8_t *classes = secret_create(zkey->wire_count, 1);
	blst_fr *ones = matrix_vector_make_ones(zkey);
	struct evaluation evaluation = {.zkey = zkey,
		.vector = {.values = witness,
			.classes = classes,
			.coefficient_values = zkey->coefficient_values,
			.coefficient_ones = ones}};
	const struct work_task task = {.run = run_evaluation_tile,
		.context = &evaluation,
		.tile_count = (zkey->domain_size + TILE_ROWS - 1) / TILE_ROWS};
	struct work_queue queue;
	enum status status = STATUS_NO_MEMORY;

	for (int i = 0; i < DEVICE_VECTOR_COUNT; i++) {
		evaluation.abc[i] = place_address(&operation->vectors[i]);
	}
	if (classes && ones) {
		scalars_classify_all(witness, zkey->wire_count, classes);
		work_queue_init(&queue);
		(void)work_queue_add(&queue, &task);
		status = work_pool_run(device->work_pool, &queue);
	}
	secret_destroy(classes);
	free(ones);
	return status;
}

enum status device_cpu_kernel_run(struct device *device, const struct device_operation *operation)
{
	switch (operation->kind) {
	case DEVICE_OPERATION_EVALUATE:
		return run_evaluate(device, operation);
	case DEVICE_OPERATION_TRANSFORM:
		return run_transform(device, operation);
	case DEVICE_OPERATION_QUOTIENT:
		return run_quotient(device, operation);
	case DEVICE_OPERATION_MSM_H:
		return run_msm_h(device, operation);
	case DEVICE_OPERATION_SUM_ONES:
		return run_msm(device, operation, true);
	case DEVICE_OPERATION_MSM:
		return run_msm(device, operation, false);
	case DEVICE_OPERATION_UPLOAD:
	case DEVICE_OPERATION_DOWNLOAD:
	case DEVICE_OPERATION_EVENT_RECORD:
	case DEVICE_OPERATION_STREAM_WAIT:
		break;
	}
	return STATUS_INTERNAL;
}
