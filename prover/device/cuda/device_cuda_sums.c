/* SPDX-License-Identifier: MIT */
/*
 * The sums of the cuda device as launches. Where a key's points are not on the device they are
 * brought there a chunk at a time, and every chunk is a pass over all terms, of which those of
 * other chunks are left out.
 */
#include "prover/device/cuda/device_cuda_private.h"
#include "prover/groth16/scalars.h"

#include <assert.h>

#define ALIGNMENT_BYTES 256u

static bool has_tail(const struct device_memory *memory, const struct device_tail *tail)
{
	const uint64_t scalar_bytes = (tail->bit_count + 7) / 8;

	return device_cuda_has(memory, tail->indices_offset, tail->count * sizeof(uint32_t)) &&
	       device_cuda_has(memory, tail->scalars_offset, tail->count * scalar_bytes);
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

static void combine_on_host(void *windows)
{
	sums_combine(windows);
}

/* The stream's one copy will do: its sums come one after the other. */
static enum status combine(void *context, const struct sums *sums)
{
	struct device_stream *stream = context;
	struct runtime *runtime = stream->device->runtime;
	struct bucket_sums_windows *windows = &stream->host->windows;
	enum status status = runtime_copy(runtime, stream->stream,
		&(struct runtime_copy){.target = windows,
			.source = sums->windows,
			.bytes = sizeof(*windows),
			.direction = RUNTIME_DOWNLOAD});

	if (status == STATUS_OK) {
		status = runtime_host_call(runtime, stream->stream, combine_on_host, windows);
	}
	return status == STATUS_OK ? runtime_copy(runtime, stream->stream,
					     &(struct runtime_copy){.target = sums->total,
						     .source = &windows->total,
						     .bytes = sizeof(*sums->total),
						     .direction = RUNTIME_UPLOAD})
				   : status;
}

static struct sums_launcher launcher_of(struct device_stream *stream)
{
	return (struct sums_launcher){
		.context = stream, .launch = launch_sums, .clear = clear, .combine = combine};
}

/* With the one at infinity. */
static uint64_t chunk_bytes(const struct device_key *key)
{
	const uint64_t bytes = ((uint64_t)key->chunk_points + 1) * sizeof(struct affine);

	return key->chunk_points ? (bytes + ALIGNMENT_BYTES - 1) / ALIGNMENT_BYTES * ALIGNMENT_BYTES
				 : 0;
}

/* Whatever a proof with the key puts on a stream. */
static uint64_t scratch_bytes(const struct device_key *key)
{
	return chunk_bytes(key) + key->scratch_bytes;
}

struct device_memory *device_cuda_take_outgrown(
	struct device_stream *stream, const struct device_key *key)
{
	const bool is_outgrown = stream->scratch && stream->scratch->size < scratch_bytes(key);

	return is_outgrown ? MOVE(stream->scratch) : NULL;
}

/* Memory for a larger key; whoever has not taken the old one waits until it is in use no more. */
static enum status grow_scratch(struct device_stream *stream, uint64_t bytes)
{
	struct device *device = stream->device;
	enum status status;

	if (stream->scratch) {
		status = runtime_stream_synchronize(device->runtime, stream->stream);
		if (status != STATUS_OK) {
			return status;
		}
		device_cuda_memory_free(device, MOVE(stream->scratch));
	}
	return device_cuda_memory_alloc(device, bytes, &stream->scratch);
}

/* While it is allocated no kernel runs. */
enum status device_cuda_scratch(
	struct device_stream *stream, const struct device_key *key, uint64_t bytes)
{
	const uint64_t key_bytes = scratch_bytes(key);
	enum status status;

	if (stream->scratch && stream->scratch->size >= bytes) {
		return STATUS_OK;
	}
	status = device_cuda_meter_end(stream, STATUS_OK);
	if (status == STATUS_OK) {
		status = grow_scratch(stream, bytes > key_bytes ? bytes : key_bytes);
	}
	return status == STATUS_OK ? device_cuda_meter_begin(stream, TIMING_KERNEL) : status;
}

static struct sums sums_of(struct device_stream *stream, const struct device_key *key,
	enum device_query query, const struct device_place *result)
{
	struct device_stream_state *state = stream->state->bytes;
	struct sums sums = {.total = &state->total, .kept = &state->kept};

	sums.input.point_count = (uint32_t)key->shape.point_count[query];
	sums.buckets.is_broken = &state->is_broken;
	sums.result = device_cuda_address(result->memory, result->offset_bytes);
	return sums;
}

/* The points that a sum is of, and where they are when they are streamed. */
struct source {
	struct device_stream *stream;
	const struct device_key *key;
	enum device_query query;
};

/* A sum of points that are brought is kernels and copies in turn. */
static enum status switch_timing(struct device_stream *stream, enum timing_kind kind)
{
	const enum status status = device_cuda_meter_end(stream, STATUS_OK);

	return status == STATUS_OK ? device_cuda_meter_begin(stream, kind) : status;
}

/* Makes the points from `point_first` on, as many as there is room for, those of the sum. */
static enum status bring_points(const struct source *source, struct sums *sums)
{
	const struct device_key *key = source->key;
	struct device_stream *stream = source->stream;
	const uint32_t left = sums->input.point_count - sums->input.point_first;
	const struct affine *points = key->points[source->query];
	const uint32_t count =
		key->chunk_points && key->chunk_points < left ? key->chunk_points : left;
	struct affine *chunk = stream->scratch->bytes;
	enum status status;

	sums->input.point_end = sums->input.point_first + count;
	if (key->chunk_points == 0) {
		sums->points = points;
		return STATUS_OK;
	}
	sums->points = chunk;
	status = switch_timing(stream, TIMING_COPY_PAGEABLE);
	if (status != STATUS_OK) {
		return status;
	}
	status = runtime_copy(stream->device->runtime, stream->stream,
		&(struct runtime_copy){.target = chunk,
			.source = points + sums->input.point_first,
			.bytes = count * sizeof(*chunk),
			.direction = RUNTIME_UPLOAD});
	if (status == STATUS_OK) {
		status = switch_timing(stream, TIMING_KERNEL);
	}
	return status == STATUS_OK ? clear(stream, chunk + count, sizeof(*chunk)) : status;
}

/* The sum over all chunks, added to what is kept. A list has no bits. */
static enum status run_sum(const struct source *source, uint32_t bit_count, struct sums *sums)
{
	struct device_stream *stream = source->stream;
	const struct sums_launcher launcher = launcher_of(stream);
	const uint64_t offset = chunk_bytes(source->key);
	struct sums_plan plan;
	enum status status =
		bit_count ? sums_plan_terms(sums->input.count, bit_count, SUMS_ENTRIES_MAX, &plan)
			  : sums_plan_list(sums->input.count, &plan);

	if (status != STATUS_OK || plan.term_count == 0) {
		return status;
	}
	status = device_cuda_scratch(stream, source->key, offset + plan.scratch_bytes);
	if (status == STATUS_OK) {
		sums_place(sums, &plan, (uint8_t *)stream->scratch->bytes + offset);
	}
	for (sums->input.point_first = 0;
		sums->input.point_first < sums->input.point_count && status == STATUS_OK;
		sums->input.point_first = sums->input.point_end) {
		status = bring_points(source, sums);
		if (status == STATUS_OK) {
			status = bit_count ? sums_run_terms(&launcher, &plan, bit_count, sums)
					   : sums_run_list(&launcher, &plan, sums);
		}
	}
	return status;
}

enum status device_cuda_msm_h(struct device_stream *stream, struct device_key *key,
	struct device_place scalars, struct device_place result)
{
	const struct sums_launcher launcher = launcher_of(stream);
	const struct source source = {stream, key, DEVICE_QUERY_H};
	struct sums sums;
	enum status status;

	assert(stream && key && key->device == stream->device);

	if (!device_cuda_has_vector(key, &scalars) || !device_cuda_has_point(&result)) {
		return STATUS_BAD_USE;
	}
	if (device_cuda_is_skipping(stream, DEVICE_FAULT_MSM_H)) {
		return STATUS_OK;
	}
	sums = sums_of(stream, key, DEVICE_QUERY_H, &result);
	sums.input.scalars = device_cuda_address(scalars.memory, scalars.offset_bytes);
	sums.input.scalar_of_point = key->h_wires;
	sums.input.scalar_count = (uint32_t)key->shape.domain_size;
	sums.input.count = sums.input.point_count;
	status = device_cuda_meter_begin(stream, TIMING_KERNEL);
	if (status == STATUS_OK) {
		status = sums_run_clear(&launcher, &sums);
	}
	if (status == STATUS_OK) {
		status = run_sum(&source, SCALARS_WIDE_BITS, &sums);
	}
	if (status == STATUS_OK) {
		status = sums_run_store(&launcher, &sums);
	}
	return device_cuda_fail(stream, device_cuda_meter_end(stream, status));
}

enum status device_cuda_sum_ones(struct device_stream *stream, struct device_key *key,
	enum device_query query, const struct device_scalars *scalars, struct device_place result)
{
	const uint64_t count = (uint64_t)scalars->one_count + scalars->minus_one_count;
	const struct sums_launcher launcher = launcher_of(stream);
	const struct source source = {stream, key, query};
	struct sums sums;
	enum status status;

	assert(stream && key && key->device == stream->device && query != DEVICE_QUERY_H);

	if (count > SUMS_TERMS_MAX || !device_cuda_has_point(&result) ||
		!device_cuda_has(scalars->memory, scalars->ones_offset, count * sizeof(uint32_t))) {
		return STATUS_BAD_USE;
	}
	if (device_cuda_is_skipping(stream, DEVICE_FAULT_SUM_ONES)) {
		return STATUS_OK;
	}
	sums = sums_of(stream, key, query, &result);
	sums.input.point_of_scalar = device_cuda_address(scalars->memory, scalars->ones_offset);
	sums.input.count = (uint32_t)count;
	sums.minus_first = scalars->one_count;
	status = device_cuda_meter_begin(stream, TIMING_KERNEL);
	if (status == STATUS_OK) {
		status = sums_run_clear(&launcher, &sums);
	}
	if (status == STATUS_OK) {
		status = run_sum(&source, 0, &sums);
	}
	if (status == STATUS_OK) {
		status = sums_run_store(&launcher, &sums);
	}
	return device_cuda_fail(stream, device_cuda_meter_end(stream, status));
}

static enum status run_tail(const struct source *source, const struct device_memory *memory,
	const struct device_tail *tail, struct sums *sums)
{
	sums->input.scalars = device_cuda_address(memory, tail->scalars_offset);
	sums->input.point_of_scalar = device_cuda_address(memory, tail->indices_offset);
	sums->input.count = tail->count;
	sums->input.scalar_count = tail->count;
	return run_sum(source, tail->bit_count, sums);
}

enum status device_cuda_msm(struct device_stream *stream, struct device_key *key,
	enum device_query query, const struct device_scalars *scalars, struct device_place result)
{
	const struct sums_launcher launcher = launcher_of(stream);
	const struct source source = {stream, key, query};
	struct sums sums;
	enum status status;

	assert(stream && key && key->device == stream->device && query != DEVICE_QUERY_H);

	if (!has_tail(scalars->memory, &scalars->small) ||
		!has_tail(scalars->memory, &scalars->wide) || !device_cuda_has_point(&result)) {
		return STATUS_BAD_USE;
	}
	if (device_cuda_is_skipping(stream, DEVICE_FAULT_MSM)) {
		return STATUS_OK;
	}
	sums = sums_of(stream, key, query, &result);
	status = device_cuda_meter_begin(stream, TIMING_KERNEL);
	if (status == STATUS_OK) {
		status = sums_run_clear(&launcher, &sums);
	}
	if (status == STATUS_OK) {
		status = run_tail(&source, scalars->memory, &scalars->small, &sums);
	}
	if (status == STATUS_OK) {
		status = run_tail(&source, scalars->memory, &scalars->wide, &sums);
	}
	if (status == STATUS_OK) {
		status = sums_run_store(&launcher, &sums);
	}
	return device_cuda_fail(stream, device_cuda_meter_end(stream, status));
}
