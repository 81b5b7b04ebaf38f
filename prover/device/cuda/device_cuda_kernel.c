/* SPDX-License-Identifier: MIT */
/* The kernels on vectors as launches: what they refer to is checked, then they are queued. */
#include "prover/device/cuda/device_cuda_private.h"

#include <assert.h>
#include <blst.h>

static_assert(sizeof(struct jacobian) == sizeof(blst_p1), "the same bytes on either side");

bool device_cuda_has_vector(const struct device_key *key, const struct device_place *place)
{
	return device_cuda_has(
		place->memory, place->offset_bytes, key->shape.domain_size * sizeof(struct fr));
}

bool device_cuda_has_point(const struct device_place *place)
{
	return device_cuda_has(place->memory, place->offset_bytes, sizeof(struct jacobian));
}

void *device_cuda_address(const struct device_memory *memory, uint64_t offset)
{
	return (uint8_t *)memory->bytes + offset;
}

bool device_cuda_is_skipping(struct device_stream *stream, enum device_fault fault)
{
	struct device *device = stream->device;

	if (stream->status != STATUS_OK) {
		return true;
	}
	gaptrace_mutex_lock(&device->mutex);
	device->counts.api_count++;
	device->counts.kernel_count++;
	gaptrace_mutex_unlock(&device->mutex);
	if (device_cuda_fails(device, fault)) {
		stream->status = device_cuda_fail(stream, STATUS_INTERNAL);
	}
	return stream->status != STATUS_OK;
}

enum status device_cuda_transform(struct device_stream *stream, struct device_key *key,
	enum device_vector which, struct device_place vector)
{
	struct transform_step steps[TRANSFORM_STEPS_MAX];
	enum status status;
	uint32_t count;

	assert(stream && key && key->device == stream->device);
	(void)which;

	if (!device_cuda_has_vector(key, &vector)) {
		return STATUS_BAD_USE;
	}
	if (device_cuda_is_skipping(stream, DEVICE_FAULT_TRANSFORM)) {
		return STATUS_OK;
	}
	count = transform_steps(key->transform.log2, steps);
	status = device_cuda_meter_begin(stream, TIMING_KERNEL);
	for (uint32_t i = 0; i < count && status == STATUS_OK; i++) {
		status = runtime_launch_step(stream->device->runtime, stream->stream,
			&key->transform, &steps[i],
			device_cuda_address(vector.memory, vector.offset_bytes));
	}
	return device_cuda_fail(stream, device_cuda_meter_end(stream, status));
}

enum status device_cuda_quotient(struct device_stream *stream, struct device_key *key,
	const struct device_place abc[DEVICE_VECTOR_COUNT])
{
	struct runtime_quotient quotient = {.count = (uint32_t)key->shape.domain_size};
	enum status status;

	assert(stream && key->device == stream->device);

	for (int i = 0; i < DEVICE_VECTOR_COUNT; i++) {
		if (!device_cuda_has_vector(key, &abc[i])) {
			return STATUS_BAD_USE;
		}
	}
	if (device_cuda_is_skipping(stream, DEVICE_FAULT_QUOTIENT)) {
		return STATUS_OK;
	}
	quotient.a =
		device_cuda_address(abc[DEVICE_VECTOR_A].memory, abc[DEVICE_VECTOR_A].offset_bytes);
	quotient.b =
		device_cuda_address(abc[DEVICE_VECTOR_B].memory, abc[DEVICE_VECTOR_B].offset_bytes);
	quotient.c =
		device_cuda_address(abc[DEVICE_VECTOR_C].memory, abc[DEVICE_VECTOR_C].offset_bytes);
	status = device_cuda_meter_begin(stream, TIMING_KERNEL);
	if (status == STATUS_OK) {
		status =
			runtime_launch_quotient(stream->device->runtime, stream->stream, &quotient);
	}
	return device_cuda_fail(stream, device_cuda_meter_end(stream, status));
}
