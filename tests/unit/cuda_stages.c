/* SPDX-License-Identifier: MIT */
#include "tests/unit/cuda_stages.h"

#include "prover/device/device_driver.h"
#include "prover/groth16/scalars.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint64_t random_word(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static uint64_t vector_bytes(const struct cuda_stages *stages)
{
	return stages->shape.domain_size * sizeof(blst_fr);
}

struct device_place cuda_stages_vector(const struct cuda_stages *stages, int vector)
{
	return (struct device_place){stages->memory, (uint64_t)vector * vector_bytes(stages)};
}

struct device_place cuda_stages_result(const struct cuda_stages *stages, int result)
{
	return (struct device_place){
		stages->memory, 3 * vector_bytes(stages) + (uint64_t)result * sizeof(blst_p1)};
}

uint64_t cuda_stages_scalars_offset(const struct cuda_stages *stages)
{
	return 3 * vector_bytes(stages) + 16 * sizeof(blst_p1);
}

enum status cuda_stages_open(struct cuda_stages *stages, const struct device_ops *ops,
	const struct zkey *zkey, struct device_config config)
{
	enum status status;

	*stages = (struct cuda_stages){.ops = ops, .zkey = zkey};
	device_shape_of_key(zkey, &stages->shape);
	assert_int_equal(device_driver_create(&stages->driver), STATUS_OK);
	config.driver = stages->driver;
	status = ops->open(&config, NULL, &stages->device);
	if (status == STATUS_OK) {
		status = ops->key_load(stages->device, zkey, &stages->shape, &stages->key);
	}
	if (status == STATUS_OK) {
		status = ops->memory_alloc(stages->device,
			cuda_stages_scalars_offset(stages) + stages->shape.wire_count * 40 + 4096,
			&stages->memory);
	}
	return status == STATUS_OK ? ops->stream_open(stages->device, &stages->stream) : status;
}

/* Nothing reads them any more: the stream has been waited for. */
static void free_uploads(struct cuda_stages *stages)
{
	while (stages->upload_count > 0) {
		free(stages->uploads[--stages->upload_count]);
	}
}

void cuda_stages_close(struct cuda_stages *stages)
{
	if (stages->device) {
		stages->ops->stream_close(stages->device, stages->stream);
		stages->ops->memory_free(stages->device, stages->memory);
		stages->ops->key_unload(stages->device, stages->key);
		stages->ops->close(stages->device);
	}
	free_uploads(stages);
	assert_int_equal(stages->driver->pinned.count + stages->driver->memory.count, 0);
	device_driver_destroy(stages->driver);
}

enum status cuda_stages_upload(
	struct cuda_stages *stages, uint64_t offset, void *host, uint64_t bytes)
{
	void *copy;

	if (bytes == 0) {
		return STATUS_OK;
	}
	assert_true(stages->upload_count < CUDA_UPLOAD_COUNT_MAX);
	copy = malloc(bytes);
	assert_non_null(copy);
	memcpy(copy, host, bytes);
	stages->uploads[stages->upload_count++] = copy;
	return stages->ops->upload(stages->stream, &(struct device_copy){.memory = stages->memory,
							   .offset_bytes = offset,
							   .bytes = bytes,
							   .host = copy});
}

/* a, b and c go up and become H's sum. */
static enum status sum_h(struct cuda_stages *stages)
{
	struct device_place places[DEVICE_VECTOR_COUNT];
	blst_fr *vector = malloc(vector_bytes(stages));
	uint64_t random = 1234567;
	enum status status = STATUS_OK;

	for (int i = 0; i < DEVICE_VECTOR_COUNT && status == STATUS_OK; i++) {
		for (uint64_t k = 0; k < stages->shape.domain_size; k++) {
			const uint64_t words[4] = {random_word(&random), 7, 8, 9};

			blst_fr_from_uint64(&vector[k], words);
		}
		places[i] = cuda_stages_vector(stages, i);
		status = cuda_stages_upload(
			stages, places[i].offset_bytes, vector, vector_bytes(stages));
		if (status == STATUS_OK) {
			status = stages->ops->transform(
				stages->stream, stages->key, (enum device_vector)i, places[i]);
		}
	}
	free(vector);
	if (status == STATUS_OK) {
		status = stages->ops->quotient(stages->stream, stages->key, places);
	}
	return status == STATUS_OK
		       ? stages->ops->msm_h(stages->stream, stages->key, places[DEVICE_VECTOR_C],
				 cuda_stages_result(stages, CUDA_RESULT_H))
		       : status;
}

static void make_witness(blst_scalar *scalars, uint8_t *classes, uint32_t count)
{
	uint64_t random = 99;

	for (uint32_t i = 0; i < count; i++) {
		uint64_t words[4] = {random_word(&random)};

		switch (i % 5) {
		case 0:
			words[0] %= 2;
			break;
		case 1:
			memcpy(words,
				(uint64_t[]){0xffffffff00000000, 0x53bda402fffe5bfe,
					0x3339d80809a1d805, 0x73eda753299d7d48},
				sizeof(words));
			break;
		case 2:
			break;
		default:
			words[3] = random_word(&random) >> 2;
		}
		memcpy(scalars[i].b, words, sizeof(words));
	}
	scalars_classify_all(scalars, count, classes);
}

enum status cuda_stages_evaluate(struct cuda_stages *stages, blst_fr *abc)
{
	const uint32_t wire_count = stages->zkey->wire_count;
	const struct device_place witness = {stages->memory, cuda_stages_scalars_offset(stages)};
	struct device_place places[DEVICE_VECTOR_COUNT];
	struct device_copy copy = {.memory = stages->memory,
		.bytes = DEVICE_VECTOR_COUNT * vector_bytes(stages),
		.host = abc};
	blst_scalar *scalars = calloc(wire_count, sizeof(*scalars));
	uint8_t *classes = calloc(wire_count, 1);
	enum status status;
	enum status end_status;

	make_witness(scalars, classes, wire_count);
	for (int i = 0; i < DEVICE_VECTOR_COUNT; i++) {
		places[i] = cuda_stages_vector(stages, i);
	}
	status = cuda_stages_upload(
		stages, witness.offset_bytes, scalars, wire_count * sizeof(*scalars));
	if (status == STATUS_OK) {
		status = stages->ops->evaluate(stages->stream, stages->key, witness, places);
	}
	if (status == STATUS_OK) {
		status = stages->ops->download(stages->stream, &copy);
	}
	end_status = stages->ops->stream_synchronize(stages->stream);
	free_uploads(stages);
	free(scalars);
	free(classes);
	return status == STATUS_OK ? end_status : status;
}

static uint64_t align(uint64_t offset)
{
	return (offset + 63) / 64 * 64;
}

static enum status upload_tail(struct cuda_stages *stages, const struct scalar_tail *tail,
	uint64_t *offset, struct device_tail *out_tail)
{
	const uint64_t bytes = (uint64_t)tail->count * ((tail->bit_count + 7) / 8);
	enum status status;

	out_tail->count = tail->count;
	out_tail->bit_count = tail->bit_count;
	out_tail->indices_offset = *offset;
	status = cuda_stages_upload(stages, *offset, tail->indices, tail->count * sizeof(uint32_t));
	*offset = align(*offset + tail->count * sizeof(uint32_t));
	out_tail->scalars_offset = *offset;
	if (status == STATUS_OK) {
		status = cuda_stages_upload(stages, *offset, tail->scalars, bytes);
	}
	*offset = align(*offset + bytes);
	return status;
}

static enum status upload_scalars(struct cuda_stages *stages, const struct msm_input *input,
	struct device_scalars *out_scalars)
{
	const uint64_t count = (uint64_t)input->one_count + input->minus_one_count;
	uint64_t offset = align(cuda_stages_scalars_offset(stages));
	enum status status;

	*out_scalars = (struct device_scalars){.memory = stages->memory,
		.one_count = input->one_count,
		.minus_one_count = input->minus_one_count,
		.ones_offset = offset};
	status = cuda_stages_upload(stages, offset, input->ones, count * sizeof(uint32_t));
	offset = align(offset + count * sizeof(uint32_t));
	if (status == STATUS_OK) {
		status = upload_tail(stages, &input->small, &offset, &out_scalars->small);
	}
	return status == STATUS_OK ? upload_tail(stages, &input->wide, &offset, &out_scalars->wide)
				   : status;
}

static enum status sum_query(
	struct cuda_stages *stages, const struct zkey_query_g1 *points, enum device_query query)
{
	const struct msm_query msm_query = {.group = CURVE_G1,
		.count = points->count,
		.wires = points->wires,
		.points = points->points};
	blst_scalar *witness = calloc(stages->zkey->wire_count, sizeof(*witness));
	uint8_t *classes = calloc(stages->zkey->wire_count, 1);
	struct device_scalars scalars;
	struct msm_input input;
	enum status status;

	make_witness(witness, classes, stages->zkey->wire_count);
	assert_int_equal(msm_input_init(&msm_query, witness, classes, &input), STATUS_OK);
	status = upload_scalars(stages, &input, &scalars);
	if (status == STATUS_OK) {
		status = stages->ops->sum_ones(stages->stream, stages->key, query, &scalars,
			cuda_stages_result(stages, CUDA_RESULT_ONES + (int)query - 1));
	}
	if (status == STATUS_OK) {
		status = stages->ops->msm(stages->stream, stages->key, query, &scalars,
			cuda_stages_result(stages, CUDA_RESULT_TAILS + (int)query - 1));
	}
	msm_input_finish(&input);
	free(witness);
	free(classes);
	return status;
}

/* All stages of a proof; a failure of a call or of the stream. */
enum status cuda_stages_run(struct cuda_stages *stages, blst_p1 results[CUDA_RESULT_COUNT])
{
	struct device_copy copy = {.memory = stages->memory,
		.offset_bytes = cuda_stages_result(stages, 0).offset_bytes,
		.bytes = CUDA_RESULT_COUNT * sizeof(blst_p1),
		.host = results};
	enum status status = sum_h(stages);
	enum status end_status;

	if (status == STATUS_OK) {
		status = sum_query(stages, &stages->zkey->l, DEVICE_QUERY_L);
	}
	if (status == STATUS_OK) {
		status = sum_query(stages, &stages->zkey->a, DEVICE_QUERY_A);
	}
	if (status == STATUS_OK) {
		status = sum_query(stages, &stages->zkey->b1, DEVICE_QUERY_B1);
	}
	if (status == STATUS_OK) {
		status = stages->ops->download(stages->stream, &copy);
	}
	end_status = stages->ops->stream_synchronize(stages->stream);
	free_uploads(stages);
	return status == STATUS_OK ? end_status : status;
}

blst_fr *cuda_stages_evaluate_on(const struct device_ops *ops, const struct zkey *key)
{
	const struct device_config config = {.holds_matrices = true};
	blst_fr *abc = calloc((size_t)DEVICE_VECTOR_COUNT * key->domain_size, sizeof(*abc));
	struct cuda_stages rig;

	assert_int_equal(cuda_stages_open(&rig, ops, key, config), STATUS_OK);
	assert_int_equal(cuda_stages_evaluate(&rig, abc), STATUS_OK);
	cuda_stages_close(&rig);
	return abc;
}

void cuda_stages_run_on(
	const struct device_ops *ops, const struct zkey *zkey, blst_p1 results[CUDA_RESULT_COUNT])
{
	struct cuda_stages rig;

	assert_int_equal(cuda_stages_open(&rig, ops, zkey, (struct device_config){0}), STATUS_OK);
	assert_int_equal(cuda_stages_run(&rig, results), STATUS_OK);
	cuda_stages_close(&rig);
}
