/* SPDX-License-Identifier: MIT */
/* The kernels of software devices: checks what a launch refers to, and queues it. */
#include "prover/device/device_software.h"

#include <assert.h>
#include <blst.h>

/* What a real device would fault on is refused here, before it is queued. */
static bool has_vector(const struct device_key *key, const struct device_place *place)
{
	return device_memory_has(
		place->memory, place->offset_bytes, key->shape.domain_size * sizeof(blst_fr));
}

static bool has_point(const struct device_place *place)
{
	return device_memory_has(place->memory, place->offset_bytes, sizeof(blst_p1));
}

static bool has_tail(const struct device_memory *memory, const struct device_tail *tail)
{
	const uint64_t scalar_bytes = (tail->bit_count + 7) / 8;

	return device_memory_has(memory, tail->indices_offset, tail->count * sizeof(uint32_t)) &&
	       device_memory_has(memory, tail->scalars_offset, tail->count * scalar_bytes);
}

static bool has_ones(const struct device_scalars *scalars)
{
	const uint64_t count = (uint64_t)scalars->one_count + scalars->minus_one_count;

	return device_memory_has(scalars->memory, scalars->ones_offset, count * sizeof(uint32_t));
}

enum status device_software_transform(struct device_stream *stream, struct device_key *key,
	enum device_vector which, struct device_place vector)
{
	/* Reports show these names. */
	static const char *const names[DEVICE_VECTOR_COUNT] = {
		[DEVICE_VECTOR_A] = "ntt_a",
		[DEVICE_VECTOR_B] = "ntt_b",
		[DEVICE_VECTOR_C] = "ntt_c",
	};
	struct device_operation operation = {
		.kind = DEVICE_OPERATION_TRANSFORM,
		.name = names[which],
		.key = key,
		.vectors = {vector},
	};

	assert(stream && key && key->device == stream->device);

	if (!has_vector(key, &vector)) {
		return STATUS_BAD_USE;
	}
	return device_software_queue(stream, DEVICE_API_LAUNCH_NTT, &operation);
}

enum status device_software_evaluate(struct device_stream *stream, struct device_key *key,
	struct device_place witness, const struct device_place abc[DEVICE_VECTOR_COUNT])
{
	struct device_operation operation = {.kind = DEVICE_OPERATION_EVALUATE,
		.name = "evaluate",
		.key = key,
		.witness = witness};

	assert(stream && key && key->device == stream->device);

	for (int i = 0; i < DEVICE_VECTOR_COUNT; i++) {
		if (!has_vector(key, &abc[i])) {
			return STATUS_BAD_USE;
		}
		operation.vectors[i] = abc[i];
	}
	if (!key->zkey || !device_memory_has(witness.memory, witness.offset_bytes,
				  key->shape.wire_count * sizeof(blst_scalar))) {
		return STATUS_BAD_USE;
	}
	return device_software_queue(stream, DEVICE_API_LAUNCH_EVALUATE, &operation);
}

enum status device_software_quotient(struct device_stream *stream, struct device_key *key,
	const struct device_place abc[DEVICE_VECTOR_COUNT])
{
	struct device_operation operation = {
		.kind = DEVICE_OPERATION_QUOTIENT, .name = "quotient", .key = key};

	assert(stream && key && key->device == stream->device);

	for (int i = 0; i < DEVICE_VECTOR_COUNT; i++) {
		if (!has_vector(key, &abc[i])) {
			return STATUS_BAD_USE;
		}
		operation.vectors[i] = abc[i];
	}
	return device_software_queue(stream, DEVICE_API_LAUNCH_QUOTIENT, &operation);
}

enum status device_software_msm_h(struct device_stream *stream, struct device_key *key,
	struct device_place scalars, struct device_place result)
{
	struct device_operation operation = {
		.kind = DEVICE_OPERATION_MSM_H,
		.name = "msm_h",
		.key = key,
		.query = DEVICE_QUERY_H,
		.vectors = {scalars},
		.result = result,
	};

	assert(stream && key && key->device == stream->device);

	if (!has_vector(key, &scalars) || !has_point(&result)) {
		return STATUS_BAD_USE;
	}
	return device_software_queue(stream, DEVICE_API_LAUNCH_MSM_H, &operation);
}

enum status device_software_sum_ones(struct device_stream *stream, struct device_key *key,
	enum device_query query, const struct device_scalars *scalars, struct device_place result)
{
	static const char *const names[DEVICE_QUERY_COUNT] = {
		[DEVICE_QUERY_L] = "batch_add_l",
		[DEVICE_QUERY_A] = "batch_add_a",
		[DEVICE_QUERY_B1] = "batch_add_b_g1",
	};
	struct device_operation operation = {
		.kind = DEVICE_OPERATION_SUM_ONES,
		.name = names[query],
		.key = key,
		.query = query,
		.scalars = *scalars,
		.result = result,
	};

	/* H's scalars are no tails: they never leave the device. */
	assert(stream && key && key->device == stream->device && query != DEVICE_QUERY_H);

	if (!has_ones(scalars) || !has_point(&result)) {
		return STATUS_BAD_USE;
	}
	return device_software_queue(stream, DEVICE_API_LAUNCH_BATCH_ADD, &operation);
}

enum status device_software_msm(struct device_stream *stream, struct device_key *key,
	enum device_query query, const struct device_scalars *scalars, struct device_place result)
{
	static const char *const names[DEVICE_QUERY_COUNT] = {
		[DEVICE_QUERY_L] = "tail_msm_l",
		[DEVICE_QUERY_A] = "tail_msm_a",
		[DEVICE_QUERY_B1] = "tail_msm_b_g1",
	};
	struct device_operation operation = {
		.kind = DEVICE_OPERATION_MSM,
		.name = names[query],
		.key = key,
		.query = query,
		.scalars = *scalars,
		.result = result,
	};

	assert(stream && key && key->device == stream->device && query != DEVICE_QUERY_H);

	if (!has_tail(scalars->memory, &scalars->small) ||
		!has_tail(scalars->memory, &scalars->wide) || !has_point(&result)) {
		return STATUS_BAD_USE;
	}
	return device_software_queue(stream, DEVICE_API_LAUNCH_TAIL_MSM, &operation);
}
