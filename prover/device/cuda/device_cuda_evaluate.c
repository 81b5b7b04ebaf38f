/* SPDX-License-Identifier: MIT */
/*
 * a, b and c from a witness: the key's two matrices, on the device since the key was loaded, times
 * the witness.
 */
#include "prover/device/cuda/device_cuda_private.h"

#include <assert.h>

/* The rows of one matrix: short ones a thread each, long ones in parts that are then joined. */
static enum status multiply(struct device_stream *stream, const struct sparse *sparse,
	struct fr *parts, struct fr *values)
{
	struct runtime *runtime = stream->device->runtime;
	enum status status = runtime_launch_sparse(runtime, stream->stream,
		&(struct runtime_sparse){
			SPARSE_KERNEL_ROW, sparse->row_count, *sparse, NULL, values});

	if (status == STATUS_OK && sparse->long_count > 0) {
		status = runtime_launch_sparse(runtime, stream->stream,
			&(struct runtime_sparse){SPARSE_KERNEL_PART,
				sparse->long_count * SPARSE_PARTS, *sparse, parts, NULL});
	}
	if (status == STATUS_OK && sparse->long_count > 0) {
		status = runtime_launch_sparse(runtime, stream->stream,
			&(struct runtime_sparse){
				SPARSE_KERNEL_JOIN, sparse->long_count, *sparse, parts, values});
	}
	return status;
}

uint64_t device_cuda_evaluate_bytes(uint32_t long_count)
{
	return ((uint64_t)long_count + 1) * SPARSE_PARTS * sizeof(struct fr);
}

static enum status evaluate(struct device_stream *stream, const struct device_key *key,
	const struct fr *witness, struct fr *const abc[DEVICE_VECTOR_COUNT])
{
	const struct runtime_quotient product = {.count = (uint32_t)key->shape.domain_size,
		.a = abc[DEVICE_VECTOR_A],
		.b = abc[DEVICE_VECTOR_B],
		.c = abc[DEVICE_VECTOR_C]};
	uint32_t long_count = 0;
	enum status status;

	for (int i = 0; i < MATRIX_COUNT; i++) {
		long_count = key->matrices[i].long_count > long_count ? key->matrices[i].long_count
								      : long_count;
	}
	status = device_cuda_scratch(stream, key, device_cuda_evaluate_bytes(long_count));
	for (int i = 0; i < MATRIX_COUNT && status == STATUS_OK; i++) {
		struct sparse sparse = key->matrices[i];

		sparse.witness = witness;
		status = multiply(stream, &sparse, stream->scratch->bytes, abc[i]);
	}
	return status == STATUS_OK
		       ? runtime_launch_product(stream->device->runtime, stream->stream, &product)
		       : status;
}

enum status device_cuda_evaluate(struct device_stream *stream, struct device_key *key,
	struct device_place witness, const struct device_place abc[DEVICE_VECTOR_COUNT])
{
	const uint64_t witness_bytes = key->shape.wire_count * sizeof(struct fr);
	struct fr *vectors[DEVICE_VECTOR_COUNT];
	enum status status;

	assert(stream && key->device == stream->device);

	for (int i = 0; i < DEVICE_VECTOR_COUNT; i++) {
		if (!device_cuda_has_vector(key, &abc[i])) {
			return STATUS_BAD_USE;
		}
		vectors[i] = device_cuda_address(abc[i].memory, abc[i].offset_bytes);
	}
	if (!device_cuda_has(witness.memory, witness.offset_bytes, witness_bytes) ||
		key->matrices[0].row_count == 0) {
		return STATUS_BAD_USE;
	}
	if (device_cuda_is_skipping(stream, DEVICE_FAULT_EVALUATE)) {
		return STATUS_OK;
	}
	status = device_cuda_meter_begin(stream, TIMING_KERNEL);
	if (status == STATUS_OK) {
		status = evaluate(stream, key,
			device_cuda_address(witness.memory, witness.offset_bytes), vectors);
	}
	return device_cuda_fail(stream, device_cuda_meter_end(stream, status));
}
