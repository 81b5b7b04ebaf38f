/* SPDX-License-Identifier: MIT */
#include "prover/partition_proof.h"

#include "prover/groth16/blinding.h"
#include "prover/groth16/prove.h"
#include "prover/groth16/secret.h"
#include "prover/partition_private.h"
#include "trace/base/clock.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void partition_proof_stage(const struct partition_proof *proof, enum idle_stage stage)
{
	/* -1: a caller of tests, without a worker. */
	if (proof->worker >= 0) {
		idle_meter_stage(proof->gpu->config.meter, (uint32_t)proof->worker, stage);
	}
}

static void lock_gpu(struct partition_proof *proof)
{
	struct partition_gpu *gpu = proof->gpu;
	const uint64_t begin_ns = clock_now_ns();

	partition_proof_stage(proof, IDLE_STAGE_MUTEX_WAIT);
	gaptrace_mutex_lock(&gpu->mutex);
	partition_proof_stage(proof, IDLE_STAGE_REGION);
	gpu->locked_ns = clock_now_ns();
	/* Under the mutex, which guards these two fields. */
	gpu->lane_busy_at_lock_ns = gpu->config.ops->counts(gpu->config.device).lane_busy_ns;
	partition_gpu_add(gpu, PARTITION_MUTEX_WAIT, gpu->locked_ns - begin_ns);
}

static void unlock_gpu(struct partition_gpu *gpu)
{
	const uint64_t lane_busy_ns = gpu->config.ops->counts(gpu->config.device).lane_busy_ns -
				      gpu->lane_busy_at_lock_ns;
	const uint64_t held_ns = clock_now_ns() - gpu->locked_ns;

	partition_gpu_add(gpu, PARTITION_MUTEX_HELD, held_ns);
	partition_gpu_add(gpu, PARTITION_MUTEX_WITHOUT_KERNEL,
		held_ns > lane_busy_ns ? held_ns - lane_busy_ns : 0);
	gaptrace_mutex_unlock(&gpu->mutex);
}

/* The mutex, with no memory behind it that this key has outgrown. Another worker may have made some
 * meanwhile, of a size that its own key needs. */
static void lock_gpu_for_kernels(struct partition_proof *proof)
{
	struct partition_gpu *gpu = proof->gpu;
	struct device_memory *outgrown = NULL;

	lock_gpu(proof);
	while ((outgrown = partition_gpu_take_outgrown(gpu, proof->key))) {
		unlock_gpu(gpu);
		partition_gpu_free(gpu, outgrown);
		lock_gpu(proof);
	}
}

/* The sorted scalars of the queries that the GPU has summed. May come twice: inside the call, and
 * at the end for what was not freed there. */
static void free_inputs(struct partition_proof *proof)
{
	if (proof->gpu->config.ops->makes_proofs) {
		for (int i = 0; i < DEVICE_QUERY_COUNT; i++) {
			msm_input_finish(&proof->inputs[i]);
		}
	} else if (!proof->are_inputs_freed) {
		partition_model_unmap(
			&proof->gpu->config.model, proof->gpu->config.model.tail_bytes);
	}
	proof->are_inputs_freed = true;
}

static void free_witness(struct partition_proof *proof)
{
	if (proof->synthesized) {
		partition_model_unmap(
			&proof->gpu->config.model, proof->synthesized->simulated_aux_bytes);
	}
	synthesized_destroy(MOVE(proof->synthesized));
	msm_finish(&proof->b_g2);
	secret_destroy(MOVE(proof->classes));
}

/* Frees the proof and all that it holds; nothing of it runs any more. */
static void dealloc(void *argument)
{
	struct partition_proof *proof = argument;
	struct partition_gpu *gpu = proof->gpu;
	const struct gaptrace_span span = gaptrace_span_begin("dealloc", proof->work);
	const uint64_t begin_ns = clock_now_ns();

	free_inputs(proof);
	free_witness(proof);
	explicit_bzero(proof, sizeof(*proof));
	free(proof);
	partition_gpu_add(gpu, PARTITION_DEALLOC, clock_now_ns() - begin_ns);
	gaptrace_span_end(&span);
}

static void dealloc_or_post(struct partition_proof *proof)
{
	struct thread_pool *pool = proof->gpu->config.dealloc_pool;

	if (pool && proof->gpu->config.options.dealloc == PARTITION_DEALLOC_BACKGROUND &&
		thread_pool_post(pool, dealloc, proof, "dealloc", proof->work) == STATUS_OK) {
		return;
	}
	/* No such pool, or one that is full: whoever ends the proof frees it, and pays for it. */
	dealloc(proof);
}

static void release_abc(struct partition_proof *proof)
{
	struct synthesized *synthesized = proof->synthesized;
	struct partition_gpu *gpu = proof->gpu;
	const struct gaptrace_span span = gaptrace_span_begin("release_abc", proof->work);
	const uint64_t begin_ns = clock_now_ns();
	uint64_t pageable_bytes = 0;

	for (int i = 0; i < DEVICE_VECTOR_COUNT; i++) {
		pageable_bytes += synthesized->abc[i].is_pinned ? 0 : synthesized->abc[i].bytes;
	}
	if (!gpu->config.ops->makes_proofs) {
		partition_model_unmap(&gpu->config.model, pageable_bytes);
	}
	synthesized_release_abc(synthesized);
	partition_gpu_add(gpu, PARTITION_RELEASE_ABC, clock_now_ns() - begin_ns);
	gaptrace_span_end(&span);
}

static void add_result(const struct partition_proof *proof, int result, struct curve_point *sum)
{
	struct curve_point point = {.group = CURVE_G1};

	if (proof->has_result[result]) {
		point.g1 = proof->results[result];
		curve_add(sum, &point);
	}
}

static void sum_results(const struct partition_proof *proof, struct groth16_parts *parts)
{
	static const enum groth16_query queries[DEVICE_QUERY_COUNT] = {
		[DEVICE_QUERY_H] = GROTH16_H,
		[DEVICE_QUERY_L] = GROTH16_L,
		[DEVICE_QUERY_A] = GROTH16_A,
		[DEVICE_QUERY_B1] = GROTH16_B1,
	};

	for (int i = 0; i < DEVICE_QUERY_COUNT; i++) {
		struct curve_point *sum = &parts->sums[queries[i]];

		curve_set_infinity(sum, CURVE_G1);
		if (i == DEVICE_QUERY_H) {
			add_result(proof, PARTITION_RESULT_H, sum);
		} else {
			/* Ones and tails were summed apart; the missing ones are zero. */
			add_result(proof, PARTITION_RESULT_ONES + i, sum);
			add_result(proof, PARTITION_RESULT_TAILS + i, sum);
		}
	}
	msm_result(&proof->b_g2, CURVE_G2, &parts->sums[GROTH16_B2]);
}

static enum status assemble(struct partition_proof *proof)
{
	const uint8_t *seed = proof->gpu->config.options.blinding_seed;
	struct groth16_parts parts;
	struct blinding blinding;
	enum status status = STATUS_OK;

	if (seed) {
		blinding_from_seed(seed, &blinding);
	} else {
		status = blinding_draw(&blinding);
	}
	if (status != STATUS_OK) {
		return status;
	}
	sum_results(proof, &parts);
	groth16_assemble(proof->key->zkey, &parts, &blinding, &proof->output.proof);
	proof->output.has_proof = true;
	blinding_wipe(&blinding);
	explicit_bzero(&parts, sizeof(parts));
	return STATUS_OK;
}

/* Joins b_g2, then the last curve arithmetic. */
static enum status finish_on_cpu(struct partition_proof *proof)
{
	struct partition_gpu *gpu = proof->gpu;
	struct gaptrace_span span;
	uint64_t begin_ns;
	enum status status;

	partition_prep_join(proof);
	status = proof->b_g2_status;
	/* Assembled already by a whole prove call. */
	if (status != STATUS_OK || proof->is_assembled) {
		return status;
	}
	span = gaptrace_span_begin("epilogue", proof->work);
	begin_ns = clock_now_ns();
	if (gpu->config.ops->makes_proofs) {
		status = assemble(proof);
	} else {
		partition_model_wait(&gpu->config.model, gpu->config.model.epilogue_ns);
	}
	proof->is_assembled = status == STATUS_OK;
	partition_gpu_add(gpu, PARTITION_EPILOGUE, clock_now_ns() - begin_ns);
	gaptrace_span_end(&span);
	return status;
}

/* What may be freed inside the call without waiting for anything that is not waited for anyway. */
static void dealloc_in_call(struct partition_proof *proof)
{
	const struct gaptrace_span span = gaptrace_span_begin("dealloc", proof->work);
	const uint64_t begin_ns = clock_now_ns();

	free_inputs(proof);
	if (proof->is_assembled) {
		free_witness(proof);
	}
	partition_gpu_add(proof->gpu, PARTITION_DEALLOC, clock_now_ns() - begin_ns);
	gaptrace_span_end(&span);
}

/* The GPU's part and, as the options say, more of the proof. */
static enum status run_start(struct partition_proof *proof)
{
	struct partition_gpu *gpu = proof->gpu;
	const struct partition_options *options = &gpu->config.options;
	const bool covers_call = options->mutex_scope == PARTITION_MUTEX_CALL;
	enum status status;

	if (covers_call) {
		lock_gpu_for_kernels(proof);
	}
	/* Prep runs beside what follows; the barrier is in partition_kernels_run() unless it is
	 * here. */
	status = partition_prep_start(proof);
	if (status == STATUS_OK && options->barrier_before_mutex) {
		status = partition_prep_wait(proof);
	}
	if (status == STATUS_OK && !covers_call) {
		lock_gpu_for_kernels(proof);
		status = partition_kernels_run(proof);
		unlock_gpu(gpu);
		partition_proof_stage(proof, IDLE_STAGE_FINISH);
	} else if (status == STATUS_OK) {
		status = partition_kernels_run(proof);
	}
	if (status == STATUS_OK && options->is_whole) {
		partition_proof_stage(proof, IDLE_STAGE_B_G2);
		status = finish_on_cpu(proof);
	} else if (status != STATUS_OK || covers_call) {
		/* Prep reads what is freed below, so it must have ended. */
		partition_proof_stage(proof, IDLE_STAGE_B_G2);
		partition_prep_join(proof);
		status = status == STATUS_OK ? proof->b_g2_status : status;
	}
	partition_proof_stage(proof, IDLE_STAGE_FREE);
	if (status == STATUS_OK) {
		release_abc(proof);
	}
	if (status == STATUS_OK && options->dealloc == PARTITION_DEALLOC_CALL) {
		dealloc_in_call(proof);
	}
	if (covers_call) {
		unlock_gpu(gpu);
	}
	partition_proof_stage(proof, IDLE_STAGE_FINISH);
	return status;
}

enum status partition_proof_start(struct partition_gpu *gpu, const struct partition_key *key,
	int32_t worker, struct synthesized **synthesized, struct partition_proof **out_proof)
{
	struct gaptrace_work work;
	struct gaptrace_span span;
	struct partition_proof *proof;
	enum status status = STATUS_NO_MEMORY;

	assert(gpu && key && synthesized && *synthesized && out_proof);
	assert(key->device_keys[gpu->config.device_index]);
	assert(!gpu->config.ops->makes_proofs || (key->zkey && (*synthesized)->witness));

	work = (*synthesized)->work;
	/* Synthesis may not have known it. */
	work.device = (int32_t)gpu->config.device_index;
	span = gaptrace_prove_start_begin(work, worker);
	partition_gpu_add(gpu, PARTITION_START_COUNT, 1);
	proof = calloc(1, sizeof(*proof));
	if (proof) {
		proof->gpu = gpu;
		proof->key = key;
		proof->work = work;
		proof->worker = worker;
		proof->synthesized = *synthesized;
		status = run_start(proof);
	}
	if (status == STATUS_OK) {
		/* Taken on success only. */
		*synthesized = NULL;
		*out_proof = proof;
	} else {
		partition_gpu_add(gpu, PARTITION_FAILED_COUNT, 1);
		if (proof) {
			/* Back to the caller, who still owns it. */
			proof->synthesized = NULL;
			partition_proof_destroy(proof);
		}
	}
	gaptrace_prove_start_end(&span);
	return status;
}

enum status partition_proof_finish(
	struct partition_proof **proof_address, struct partition_output *out_output)
{
	struct partition_proof *proof;
	struct partition_gpu *gpu;
	struct gaptrace_span span;
	enum status status;

	assert(proof_address && *proof_address && out_output);

	/* Taken whatever comes: a proof that cannot be finished is of no use. */
	proof = MOVE(*proof_address);
	gpu = proof->gpu;
	span = gaptrace_prove_finish_begin(proof->work, proof->worker);
	partition_gpu_add(gpu, PARTITION_FINISH_COUNT, 1);
	status = finish_on_cpu(proof);
	if (status == STATUS_OK) {
		*out_output = proof->output;
	}
	partition_gpu_add(
		gpu, status == STATUS_OK ? PARTITION_PROVED_COUNT : PARTITION_FAILED_COUNT, 1);
	dealloc_or_post(proof);
	gaptrace_prove_finish_end(&span);
	return status;
}

void partition_proof_destroy(struct partition_proof *proof)
{
	if (!proof) {
		return;
	}
	partition_prep_join(proof);
	dealloc(proof);
}
