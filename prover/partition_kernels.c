/* SPDX-License-Identifier: MIT */
/*
 * The kernel region: everything a partition does on its GPU, in the order of the daemon this
 * reproduces. a, b and c go up and are transformed on a stream each; the quotient and the H sum
 * follow on the first; then, once prep is done, the batch additions and the tails.
 */
#include "prover/partition_private.h"
#include "trace/base/clock.h"

#include <assert.h>
#include <string.h>

/* A cache line of the host, and more than any kernel's loads want. */
#define ALIGNMENT_BYTES 64

static struct device_place vector_place(const struct partition_proof *proof, int vector)
{
	return (struct device_place){
		.memory = proof->gpu->workspace,
		.offset_bytes = (uint64_t)vector * proof->key->shape.domain_size * sizeof(blst_fr),
	};
}

static struct device_place result_place(const struct partition_proof *proof, int result)
{
	return (struct device_place){
		.memory = proof->gpu->results,
		.offset_bytes = (uint64_t)result * sizeof(blst_p1),
	};
}

static struct device_key *device_key(const struct partition_proof *proof)
{
	return proof->key->device_keys[proof->gpu->config.device_index];
}

/* An upload, and how long the caller was kept when it was staged. */
static enum status upload(
	struct partition_proof *proof, struct device_stream *stream, const struct device_copy *copy)
{
	const uint64_t begin_ns = clock_now_ns();
	const enum status status = proof->gpu->config.ops->upload(stream, copy);

	if (!copy->is_pinned) {
		partition_gpu_add(proof->gpu, PARTITION_UPLOAD_PAGEABLE, clock_now_ns() - begin_ns);
	}
	return status;
}

/* The vector as synthesis made it. */
static enum status upload_vector(struct partition_proof *proof, int vector)
{
	const struct pinned_buffer *buffer = &proof->synthesized->abc[vector];
	const struct device_place place = vector_place(proof, vector);
	const struct device_copy copy = {
		.memory = place.memory,
		.offset_bytes = place.offset_bytes,
		.bytes = proof->key->shape.domain_size * sizeof(blst_fr),
		.host = buffer->memory,
		.is_pinned = buffer->is_pinned,
	};

	return upload(proof, proof->gpu->streams[vector], &copy);
}

/* The witness goes up, and all three vectors are made of it, which the other streams wait for. */
static enum status evaluate(struct partition_proof *proof)
{
	struct partition_gpu *gpu = proof->gpu;
	const struct device_ops *ops = gpu->config.ops;
	const struct wtns *witness = proof->synthesized->witness;
	const struct device_place place = vector_place(proof, DEVICE_VECTOR_COUNT);
	const struct device_place abc[DEVICE_VECTOR_COUNT] = {
		vector_place(proof, 0), vector_place(proof, 1), vector_place(proof, 2)};
	const struct device_copy copy = {
		.memory = place.memory,
		.offset_bytes = place.offset_bytes,
		.bytes = proof->key->shape.wire_count * sizeof(blst_scalar),
		.host = witness->values,
	};
	/* From memory that was never pinned: staged, but a third of the vectors' bytes. */
	enum status status = upload(proof, gpu->streams[0], &copy);

	if (status == STATUS_OK) {
		status = ops->evaluate(gpu->streams[0], device_key(proof), place, abc);
	}
	if (status == STATUS_OK) {
		status = ops->event_record(gpu->evaluated, gpu->streams[0]);
	}
	for (int i = 1; i < DEVICE_VECTOR_COUNT && status == STATUS_OK; i++) {
		status = ops->stream_wait(gpu->streams[i], gpu->evaluated);
	}
	return status;
}

static enum status transform(struct partition_proof *proof, int vector)
{
	struct partition_gpu *gpu = proof->gpu;
	const struct device_ops *ops = gpu->config.ops;
	const struct device_place place = vector_place(proof, vector);
	enum status status = STATUS_OK;

	if (!gpu->config.options.evaluates) {
		status = upload_vector(proof, vector);
	}
	if (status == STATUS_OK) {
		status = ops->transform(
			gpu->streams[vector], device_key(proof), (enum device_vector)vector, place);
	}
	if (status == STATUS_OK) {
		status = ops->event_record(gpu->transformed[vector], gpu->streams[vector]);
	}
	return status;
}

/* Fetches `count` results from `first` on, once the stream is through; waits for that. */
static enum status fetch_results(struct partition_proof *proof, int first, int count)
{
	struct partition_gpu *gpu = proof->gpu;
	const struct device_ops *ops = gpu->config.ops;
	const struct device_place place = result_place(proof, first);
	const struct device_copy copy = {
		.memory = place.memory,
		.offset_bytes = place.offset_bytes,
		.bytes = (uint64_t)count * sizeof(blst_p1),
		.host = gpu->host_results + first,
		.is_pinned = true,
	};
	enum status status = ops->download(gpu->streams[0], &copy);

	if (status == STATUS_OK) {
		status = ops->stream_synchronize(gpu->streams[0]);
	}
	/* The next partition downloads into the same memory, maybe before this one is assembled. */
	if (status == STATUS_OK && ops->makes_proofs) {
		memcpy(proof->results + first, gpu->host_results + first, copy.bytes);
	}
	return status;
}

static enum status transform_and_sum_h(struct partition_proof *proof)
{
	struct partition_gpu *gpu = proof->gpu;
	const struct device_ops *ops = gpu->config.ops;
	struct device_stream *stream = gpu->streams[0];
	struct device_place places[DEVICE_VECTOR_COUNT];
	enum status status = gpu->config.options.evaluates ? evaluate(proof) : STATUS_OK;

	for (int i = 0; i < DEVICE_VECTOR_COUNT && status == STATUS_OK; i++) {
		places[i] = vector_place(proof, i);
		status = transform(proof, i);
	}
	/* The first vector's transform is on this stream already. */
	for (int i = 1; i < DEVICE_VECTOR_COUNT && status == STATUS_OK; i++) {
		status = ops->stream_wait(stream, gpu->transformed[i]);
	}
	if (status == STATUS_OK) {
		status = ops->quotient(stream, device_key(proof), places);
	}
	if (status == STATUS_OK) {
		status = ops->msm_h(stream, device_key(proof), places[DEVICE_VECTOR_C],
			result_place(proof, PARTITION_RESULT_H));
	}
	if (status == STATUS_OK) {
		status = fetch_results(proof, PARTITION_RESULT_H, 1);
	}
	proof->has_result[PARTITION_RESULT_H] = status == STATUS_OK;
	return status;
}

static uint64_t align(uint64_t bytes)
{
	return (bytes + ALIGNMENT_BYTES - 1) / ALIGNMENT_BYTES * ALIGNMENT_BYTES;
}

static uint64_t place_tail(
	struct device_tail *place, const struct scalar_tail *tail, uint64_t offset)
{
	*place = (struct device_tail){
		.count = tail->count,
		.bit_count = tail->bit_count,
		.indices_offset = offset,
	};
	place->scalars_offset = align(offset + tail->count * sizeof(uint32_t));
	return align(place->scalars_offset + (uint64_t)tail->count * ((tail->bit_count + 7) / 8));
}

/* Where the scalars of each query go: over the vectors, which have been used up. */
static void place_scalars(struct partition_proof *proof)
{
	uint64_t offset = 0;

	for (int i = 0; i < DEVICE_QUERY_COUNT; i++) {
		const struct msm_input *input = &proof->inputs[i];
		struct device_scalars *scalars = &proof->scalars[i];

		if (i == DEVICE_QUERY_H) {
			continue;
		}
		*scalars = (struct device_scalars){
			.memory = proof->gpu->workspace,
			.one_count = input->one_count,
			.minus_one_count = input->minus_one_count,
			.ones_offset = offset,
		};
		offset += ((uint64_t)input->one_count + input->minus_one_count) * sizeof(uint32_t);
		offset = place_tail(&scalars->small, &input->small, align(offset));
		offset = place_tail(&scalars->wide, &input->wide, offset);
	}
	/* partition_gpu_reserve() makes the workspace large enough for either use. */
	assert(offset <= proof->gpu->workspace_bytes);
}

/* What prep would have left, of a partition that is only modelled: tails of the shape's sizes. */
static void model_scalars(struct partition_proof *proof)
{
	for (int i = 0; i < DEVICE_QUERY_COUNT; i++) {
		proof->inputs[i].wide = (struct scalar_tail){
			.count = (uint32_t)proof->key->shape.tail_count[i],
			.bit_count = SCALARS_WIDE_BITS,
		};
	}
}

/* From memory that prep allocated, so never pinned. Goes beside the kernels, on a stream of its
 * own. */
static enum status upload_piece(
	struct partition_proof *proof, uint64_t offset, void *host, uint64_t bytes)
{
	const struct device_copy copy = {
		.memory = proof->gpu->workspace,
		.offset_bytes = offset,
		.bytes = bytes,
		.host = host,
	};

	return bytes ? upload(proof, proof->gpu->streams[1], &copy) : STATUS_OK;
}

static enum status upload_tail(struct partition_proof *proof, const struct device_tail *place,
	const struct scalar_tail *tail)
{
	enum status status = upload_piece(
		proof, place->indices_offset, tail->indices, tail->count * sizeof(uint32_t));

	if (status == STATUS_OK) {
		status = upload_piece(proof, place->scalars_offset, tail->scalars,
			(uint64_t)tail->count * ((tail->bit_count + 7) / 8));
	}
	return status;
}

static enum status upload_tails(struct partition_proof *proof)
{
	enum status status = STATUS_OK;

	for (int i = 0; i < DEVICE_QUERY_COUNT && status == STATUS_OK; i++) {
		if (i == DEVICE_QUERY_H) {
			continue;
		}
		status = upload_tail(proof, &proof->scalars[i].small, &proof->inputs[i].small);
		if (status == STATUS_OK) {
			status =
				upload_tail(proof, &proof->scalars[i].wide, &proof->inputs[i].wide);
		}
	}
	return status;
}

static enum status upload_ones(struct partition_proof *proof)
{
	enum status status = STATUS_OK;

	for (int i = 0; i < DEVICE_QUERY_COUNT && status == STATUS_OK; i++) {
		const struct msm_input *input = &proof->inputs[i];

		if (i != DEVICE_QUERY_H) {
			status = upload_piece(proof, proof->scalars[i].ones_offset, input->ones,
				((uint64_t)input->one_count + input->minus_one_count) *
					sizeof(uint32_t));
		}
	}
	return status;
}

/* The main stream goes on when what the second one has uploaded so far is there. */
static enum status follow_uploads(struct partition_gpu *gpu)
{
	const struct device_ops *ops = gpu->config.ops;
	enum status status = ops->event_record(gpu->uploaded, gpu->streams[1]);

	return status == STATUS_OK ? ops->stream_wait(gpu->streams[0], gpu->uploaded) : status;
}

typedef enum status (*query_launch)(struct device_stream *stream, struct device_key *key,
	enum device_query query, const struct device_scalars *scalars, struct device_place result);

static enum status launch_query(
	struct partition_proof *proof, query_launch launch, enum device_query query, int result)
{
	const enum status status = launch(proof->gpu->streams[0], device_key(proof), query,
		&proof->scalars[query], result_place(proof, result));

	/* What was never launched is zero in the sum, not garbage of the partition before. */
	proof->has_result[result] = status == STATUS_OK;
	return status;
}

static enum status launch_ones(struct partition_proof *proof)
{
	const struct device_ops *ops = proof->gpu->config.ops;
	enum status status = STATUS_OK;

	for (int i = 0; i < DEVICE_QUERY_COUNT && status == STATUS_OK; i++) {
		const struct device_scalars *scalars = &proof->scalars[i];
		const bool has_ones = scalars->one_count || scalars->minus_one_count;

		if (i != DEVICE_QUERY_H && (has_ones || !ops->makes_proofs)) {
			status = launch_query(proof, ops->sum_ones, (enum device_query)i,
				PARTITION_RESULT_ONES + i);
		}
	}
	return status;
}

static enum status launch_tails(struct partition_proof *proof)
{
	const struct device_ops *ops = proof->gpu->config.ops;
	enum status status = STATUS_OK;

	for (int i = 0; i < DEVICE_QUERY_COUNT && status == STATUS_OK; i++) {
		const struct device_scalars *scalars = &proof->scalars[i];

		if (i != DEVICE_QUERY_H && (scalars->small.count || scalars->wide.count)) {
			status = launch_query(
				proof, ops->msm, (enum device_query)i, PARTITION_RESULT_TAILS + i);
		}
	}
	return status;
}

/* The tails go up while the batch additions run: staged, but hidden behind kernels. */
static enum status batch_add(struct partition_proof *proof)
{
	struct partition_gpu *gpu = proof->gpu;
	enum status status;

	if (!gpu->config.ops->makes_proofs) {
		model_scalars(proof);
	}
	place_scalars(proof);
	status = upload_ones(proof);
	if (status == STATUS_OK) {
		status = follow_uploads(gpu);
	}
	if (status == STATUS_OK) {
		status = launch_ones(proof);
	}
	if (status == STATUS_OK) {
		status = upload_tails(proof);
	}
	return status == STATUS_OK ? gpu->config.ops->stream_synchronize(gpu->streams[0]) : status;
}

static enum status tail_msm(struct partition_proof *proof)
{
	enum status status = follow_uploads(proof->gpu);

	if (status == STATUS_OK) {
		status = launch_tails(proof);
	}
	return status == STATUS_OK ? fetch_results(proof, PARTITION_RESULT_ONES,
					     PARTITION_RESULT_COUNT - PARTITION_RESULT_ONES)
				   : status;
}

/* After a failure: nothing of this partition may run on, and the streams must be fit for the next.
 */
static enum status synchronize_all(struct partition_gpu *gpu)
{
	enum status first = STATUS_OK;

	for (int i = 0; i < DEVICE_VECTOR_COUNT; i++) {
		const enum status status = gpu->config.ops->stream_synchronize(gpu->streams[i]);

		first = first == STATUS_OK ? status : first;
	}
	return first;
}

typedef enum status (*kernel_step)(struct partition_proof *proof);

static enum status run_step(struct partition_proof *proof, const char *name, kernel_step step)
{
	const struct gaptrace_span span = gaptrace_span_begin(name, proof->work);
	const enum status status = step(proof);

	gaptrace_span_end(&span);
	return status;
}

static enum status wait_for_prep(struct partition_proof *proof)
{
	const uint64_t begin_ns = clock_now_ns();
	const enum status status = partition_prep_wait(proof);

	partition_proof_stage(proof, IDLE_STAGE_REGION);
	partition_gpu_add(proof->gpu, PARTITION_BARRIER_IN_MUTEX, clock_now_ns() - begin_ns);
	return status;
}

static void synchronize_device(struct partition_gpu *gpu)
{
	const uint64_t begin_ns = clock_now_ns();

	gpu->config.ops->synchronize(gpu->config.device);
	partition_gpu_add(gpu, PARTITION_DEVICE_SYNC, clock_now_ns() - begin_ns);
	idle_meter_interval(gpu->config.meter, IDLE_CLOCK_SYNC, gpu->config.device_index, begin_ns);
}

enum status partition_kernels_run(struct partition_proof *proof)
{
	struct partition_gpu *gpu = proof->gpu;
	enum status status = partition_gpu_reserve(gpu, &proof->key->shape);

	if (status == STATUS_OK) {
		status = run_step(proof, "ntt_msm_h", transform_and_sum_h);
	}
	if (status == STATUS_OK) {
		status = wait_for_prep(proof);
	}
	if (status == STATUS_OK) {
		status = run_step(proof, "batch_add", batch_add);
	}
	if (status == STATUS_OK) {
		status = run_step(proof, "tail_msm", tail_msm);
	}
	if (status != STATUS_OK) {
		/* What failed is known already; this one only empties the streams. */
		const enum status again = synchronize_all(gpu);

		status = status == STATUS_OK ? again : status;
	}
	/* Planted: it waits for the other worker's uploads as well. */
	if (gpu->config.options.synchronizes_device) {
		synchronize_device(gpu);
	}
	partition_gpu_return(gpu);
	return status;
}
