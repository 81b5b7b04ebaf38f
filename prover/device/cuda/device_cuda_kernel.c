/* SPDX-License-Identifier: MIT */
/* The five kernels of a device as launches: what they refer to is checked, then they are queued. */
#include "prover/device/cuda/device_cuda_private.h"

#include <assert.h>
#include <blst.h>

static_assert(sizeof(struct jacobian) == sizeof(blst_p1), "the same bytes on either side");

static bool has_bytes(const struct device_memory *memory, uint64_t offset, uint64_t bytes)
{
	return memory && offset <= memory->size && bytes <= memory->size - offset;
}

static bool has_vector(const struct device_key *key, const struct device_place *place)
{
	return has_bytes(
		place->memory, place->offset_bytes, key->shape.domain_size * sizeof(struct fr));
}

static bool has_point(const struct device_place *place)
{
	return has_bytes(place->memory, place->offset_bytes, sizeof(struct jacobian));
}

static bool has_tail(const struct device_memory *memory, const struct device_tail *tail)
{
	const uint64_t scalar_bytes = (tail->bit_count + 7) / 8;

	return has_bytes(memory, tail->indices_offset, tail->count * sizeof(uint32_t)) &&
	       has_bytes(memory, tail->scalars_offset, tail->count * scalar_bytes);
}

static void *address(const struct device_memory *memory, uint64_t offset)
{
	return (uint8_t *)memory->bytes + offset;
}

static void *place_address(const struct device_place *place)
{
	return address(place->memory, place->offset_bytes);
}

/* True when the stream runs nothing until it has been waited for; what is called is a kernel. */
static bool is_skipping(struct device_stream *stream, enum device_fault fault)
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
	enum status status = STATUS_OK;
	uint32_t count;

	assert(stream && key && key->device == stream->device);
	(void)which;

	if (!has_vector(key, &vector)) {
		return STATUS_BAD_USE;
	}
	if (is_skipping(stream, DEVICE_FAULT_TRANSFORM)) {
		return STATUS_OK;
	}
	count = transform_steps(key->transform.log2, steps);
	for (uint32_t i = 0; i < count && status == STATUS_OK; i++) {
		status = runtime_launch_step(stream->device->runtime, stream->stream,
			&key->transform, &steps[i], place_address(&vector));
	}
	return device_cuda_fail(stream, status);
}

enum status device_cuda_quotient(struct device_stream *stream, struct device_key *key,
	const struct device_place abc[DEVICE_VECTOR_COUNT])
{
	struct runtime_quotient quotient = {.count = (uint32_t)key->shape.domain_size};

	assert(stream && key->device == stream->device);

	for (int i = 0; i < DEVICE_VECTOR_COUNT; i++) {
		if (!has_vector(key, &abc[i])) {
			return STATUS_BAD_USE;
		}
	}
	if (is_skipping(stream, DEVICE_FAULT_QUOTIENT)) {
		return STATUS_OK;
	}
	quotient.a = place_address(&abc[DEVICE_VECTOR_A]);
	quotient.b = place_address(&abc[DEVICE_VECTOR_B]);
	quotient.c = place_address(&abc[DEVICE_VECTOR_C]);
	return device_cuda_fail(stream,
		runtime_launch_quotient(stream->device->runtime, stream->stream, &quotient));
}

static enum status launch_sums(
	void *context, enum sums_kernel kernel, uint32_t thread_count, const struct sums *sums)
{
	struct device_stream *stream = context;

	return runtime_launch_sums(
		stream->device->runtime, stream->stream, kernel, thread_count, sums);
}

static enum status clear(void *context, void *memory, uint64_t bytes)
{
	struct device_stream *stream = context;

	return runtime_clear(stream->device->runtime, stream->stream, memory, bytes);
}

static struct sums_launcher launcher_of(struct device_stream *stream)
{
	return (struct sums_launcher){.context = stream, .launch = launch_sums, .clear = clear};
}

/* Scratch memory of that size. What is there may be in use until the stream has run empty. */
static enum status ensure_scratch(struct device_stream *stream, uint64_t bytes)
{
	struct device *device = stream->device;
	enum status status;

	if (stream->scratch && stream->scratch->size >= bytes) {
		return STATUS_OK;
	}
	if (stream->scratch) {
		status = runtime_stream_synchronize(device->runtime, stream->stream);
		if (status != STATUS_OK) {
			return status;
		}
		device_cuda_memory_free(device, MOVE(stream->scratch));
	}
	return device_cuda_memory_alloc(device, bytes, &stream->scratch);
}

static struct sums sums_of(struct device_stream *stream, const struct device_key *key,
	enum device_query query, const struct device_place *result)
{
	struct device_stream_state *state = stream->state->bytes;
	struct sums sums = {.points = key->points[query]};

	sums.input.point_count = (uint32_t)key->shape.point_count[query];
	sums.buckets.is_broken = &state->is_broken;
	sums.total = &state->totals[0];
	sums.other_total = &state->totals[1];
	sums.result = place_address(result);
	return sums;
}

static enum status run_terms(struct device_stream *stream, uint32_t bit_count, struct sums *sums)
{
	const struct sums_launcher launcher = launcher_of(stream);
	struct sums_plan plan;
	enum status status = sums_plan_terms(sums->input.count, bit_count, SUMS_ENTRIES_MAX, &plan);

	if (status == STATUS_OK && plan.term_count > 0) {
		status = ensure_scratch(stream, plan.scratch_bytes);
	}
	if (status == STATUS_OK) {
		if (plan.term_count > 0) {
			sums_place(sums, &plan, stream->scratch->bytes);
		}
		status = sums_run_terms(&launcher, &plan, bit_count, sums);
	}
	return status;
}

enum status device_cuda_msm_h(struct device_stream *stream, struct device_key *key,
	struct device_place scalars, struct device_place result)
{
	const struct sums_launcher launcher = launcher_of(stream);
	struct sums sums;
	enum status status;

	assert(stream && key && key->device == stream->device);

	if (!has_vector(key, &scalars) || !has_point(&result)) {
		return STATUS_BAD_USE;
	}
	if (is_skipping(stream, DEVICE_FAULT_MSM_H)) {
		return STATUS_OK;
	}
	sums = sums_of(stream, key, DEVICE_QUERY_H, &result);
	sums.input.scalars = place_address(&scalars);
	sums.input.scalar_of_point = key->h_wires;
	sums.input.scalar_count = (uint32_t)key->shape.domain_size;
	sums.input.count = sums.input.point_count;
	status = clear(stream, &((struct device_stream_state *)stream->state->bytes)->totals[1],
		sizeof(struct xyzz));
	if (status == STATUS_OK) {
		status = run_terms(stream, 255, &sums);
	}
	if (status == STATUS_OK) {
		status = sums_run_store(&launcher, &sums);
	}
	return device_cuda_fail(stream, status);
}

static enum status run_list(struct device_stream *stream, struct sums *sums)
{
	const struct sums_launcher launcher = launcher_of(stream);
	struct device_stream_state *state = stream->state->bytes;
	struct sums_plan plan;
	enum status status = clear(stream, state->totals, sizeof(state->totals));

	if (status == STATUS_OK && sums->input.count > 0) {
		status = sums_plan_list(sums->input.count, &plan);
		if (status == STATUS_OK) {
			status = ensure_scratch(stream, plan.scratch_bytes);
		}
		if (status == STATUS_OK) {
			sums_place(sums, &plan, stream->scratch->bytes);
			status = sums_run_list(&launcher, &plan, sums);
			sums->total = sums->run_sums;
		}
	}
	return status == STATUS_OK ? sums_run_store(&launcher, sums) : status;
}

enum status device_cuda_sum_ones(struct device_stream *stream, struct device_key *key,
	enum device_query query, const struct device_scalars *scalars, struct device_place result)
{
	const uint64_t count = (uint64_t)scalars->one_count + scalars->minus_one_count;
	struct sums sums;

	assert(stream && key && key->device == stream->device && query != DEVICE_QUERY_H);

	if (count > SUMS_TERMS_MAX || !has_point(&result) ||
		!has_bytes(scalars->memory, scalars->ones_offset, count * sizeof(uint32_t))) {
		return STATUS_BAD_USE;
	}
	if (is_skipping(stream, DEVICE_FAULT_SUM_ONES)) {
		return STATUS_OK;
	}
	sums = sums_of(stream, key, query, &result);
	sums.input.point_of_scalar = address(scalars->memory, scalars->ones_offset);
	sums.input.count = (uint32_t)count;
	sums.minus_first = scalars->one_count;
	return device_cuda_fail(stream, run_list(stream, &sums));
}

/* One tail, to the total that `sums` says. */
static enum status run_tail(struct device_stream *stream, const struct device_memory *memory,
	const struct device_tail *tail, struct sums *sums)
{
	sums->input.scalars = address(memory, tail->scalars_offset);
	sums->input.point_of_scalar = address(memory, tail->indices_offset);
	sums->input.count = tail->count;
	sums->input.scalar_count = tail->count;
	return run_terms(stream, tail->bit_count, sums);
}

enum status device_cuda_msm(struct device_stream *stream, struct device_key *key,
	enum device_query query, const struct device_scalars *scalars, struct device_place result)
{
	const struct sums_launcher launcher = launcher_of(stream);
	struct device_stream_state *state = stream->state->bytes;
	struct sums sums;
	enum status status;

	assert(stream && key && key->device == stream->device && query != DEVICE_QUERY_H);

	if (!has_tail(scalars->memory, &scalars->small) ||
		!has_tail(scalars->memory, &scalars->wide) || !has_point(&result)) {
		return STATUS_BAD_USE;
	}
	if (is_skipping(stream, DEVICE_FAULT_MSM)) {
		return STATUS_OK;
	}
	sums = sums_of(stream, key, query, &result);
	status = run_tail(stream, scalars->memory, &scalars->small, &sums);
	if (status == STATUS_OK) {
		sums.total = &state->totals[1];
		status = run_tail(stream, scalars->memory, &scalars->wide, &sums);
	}
	if (status == STATUS_OK) {
		sums.total = &state->totals[0];
		status = sums_run_store(&launcher, &sums);
	}
	return device_cuda_fail(stream, status);
}
