/* SPDX-License-Identifier: MIT */
/*
 * What runs on the CPU while the GPU runs its kernels: prep sorts the scalars of every query, then
 * the barrier opens, then the pool sums b_g2.
 */
#include "prover/groth16/prove.h"
#include "prover/groth16/secret.h"
#include "prover/groth16/work_queue.h"
#include "prover/partition_private.h"
#include "trace/base/clock.h"

#include <assert.h>

static bool is_modelled(const struct partition_proof *proof)
{
	return !proof->gpu->config.ops->makes_proofs;
}

static enum status sort_scalars(struct partition_proof *proof)
{
	static const enum groth16_query queries[DEVICE_QUERY_COUNT] = {
		[DEVICE_QUERY_H] = GROTH16_H,
		[DEVICE_QUERY_L] = GROTH16_L,
		[DEVICE_QUERY_A] = GROTH16_A,
		[DEVICE_QUERY_B1] = GROTH16_B1,
	};
	const struct zkey *key = proof->key->zkey;
	const struct wtns *witness = proof->synthesized->witness;
	const struct msm_query b_g2 = groth16_query_points(key, GROTH16_B2);
	enum status status = STATUS_OK;

	/* Secret: they tell which wires are zero. */
	proof->classes = secret_create(witness->count, 1);
	if (!proof->classes) {
		return STATUS_NO_MEMORY;
	}
	scalars_classify_all(witness->values, witness->count, proof->classes);
	for (int i = 0; i < DEVICE_QUERY_COUNT && status == STATUS_OK; i++) {
		const struct msm_query query = groth16_query_points(key, queries[i]);

		/* H's scalars are made on the GPU and stay there. */
		if (i != DEVICE_QUERY_H) {
			status = msm_input_init(
				&query, witness->values, proof->classes, &proof->inputs[i]);
		}
	}
	if (status == STATUS_OK) {
		status = msm_prepare(&proof->b_g2, &b_g2, witness->values, proof->classes);
	}
	return status;
}

static void run_prep(void *argument)
{
	struct partition_proof *proof = argument;
	const struct gaptrace_span span = gaptrace_span_begin("prep_msm", proof->work);
	const uint64_t begin_ns = clock_now_ns();

	atomic_store(&proof->prep_begin_ns, begin_ns);
	if (is_modelled(proof)) {
		partition_model_wait(&proof->gpu->config.model, proof->gpu->config.model.prep_ns);
	} else {
		proof->prep_status = sort_scalars(proof);
	}
	partition_gpu_add(proof->gpu, PARTITION_PREP, clock_now_ns() - begin_ns);
	gaptrace_span_end(&span);
}

/* As one more task of the pool, behind whatever another partition's b_g2 has queued there. */
static void run_prep_in_pool(struct partition_proof *proof)
{
	struct thread_pool *pool = proof->gpu->config.groth16_pool;
	struct thread_pool_task task = {
		.run = run_prep, .argument = proof, .kind = "prep_msm", .work = proof->work};

	const enum status status = thread_pool_submit(pool, &task);

	if (status == STATUS_OK) {
		thread_pool_join(pool, &task);
	} else {
		proof->prep_status = status;
	}
}

static void open_barrier(struct partition_proof *proof)
{
	struct partition_gpu *gpu = proof->gpu;

	gaptrace_mutex_lock(&gpu->barrier_mutex);
	if (proof->is_awaited) {
		gaptrace_wake(proof, "prep_barrier");
	}
	proof->is_prepared = true;
	gaptrace_condition_broadcast(&gpu->barrier);
	gaptrace_mutex_unlock(&gpu->barrier_mutex);
}

struct b_g2_run {
	struct partition_proof *proof;
	struct work_queue queue;
};

/* One thread of the pool: tiles until none is left. All are ready from the start. */
static void run_b_g2_tiles(void *context, uint32_t index)
{
	struct b_g2_run *run = context;
	bool has_changed;

	if (is_modelled(run->proof)) {
		partition_model_wait(
			&run->proof->gpu->config.model, run->proof->gpu->config.model.b_g2_ns);
		return;
	}
	while (!work_queue_is_over(&run->queue) &&
		work_queue_step(&run->queue, index, &has_changed)) {
	}
}

static enum status run_b_g2(struct partition_proof *proof)
{
	struct thread_pool *pool = proof->gpu->config.groth16_pool;
	struct b_g2_run run = {.proof = proof};
	const struct gaptrace_span span = gaptrace_span_begin("b_g2_msm", proof->work);
	const uint64_t begin_ns = clock_now_ns();
	enum status status;

	work_queue_init(&run.queue);
	if (!is_modelled(proof)) {
		msm_add_tails(&proof->b_g2, &run.queue, WORK_TASK_NONE);
		msm_add_ones(&proof->b_g2, &run.queue, WORK_TASK_NONE);
		work_queue_start(&run.queue);
	}
	status = thread_pool_for_each(pool, &(struct thread_pool_loop){
						    .run = run_b_g2_tiles,
						    .context = &run,
						    .count = thread_pool_thread_max(pool),
						    .kind = "b_g2_msm",
						    .work = proof->work,
					    });
	if (status == STATUS_OK) {
		status = (enum status)atomic_load(&run.queue.status);
	}
	partition_gpu_add(proof->gpu, PARTITION_B_G2, clock_now_ns() - begin_ns);
	gaptrace_span_end(&span);
	return status;
}

static void run_prep_thread(void *argument)
{
	struct partition_proof *proof = argument;

	if (proof->gpu->config.options.prep == PARTITION_PREP_POOL) {
		run_prep_in_pool(proof);
	} else {
		run_prep(proof);
	}
	/* What prep found is not touched after the barrier: the kernel region reads it. */
	proof->b_g2_status = proof->prep_status;
	open_barrier(proof);
	if (proof->b_g2_status == STATUS_OK) {
		proof->b_g2_status = run_b_g2(proof);
	}
}

enum status partition_prep_start(struct partition_proof *proof)
{
	enum status status;

	msm_init(&proof->b_g2, thread_pool_thread_max(proof->gpu->config.groth16_pool));
	proof->task = (struct thread_pool_task){
		.run = run_prep_thread, .argument = proof, .kind = "prep", .work = proof->work};
	status = thread_pool_submit(proof->gpu->config.prep_pool, &proof->task);
	proof->is_started = status == STATUS_OK;
	return status;
}

/* What the wait for prep was: first for its place in the pool, then for prep itself. */
static void meter_prep_wait(const struct partition_proof *proof, uint64_t begin_ns)
{
	const uint64_t prep_begin_ns = atomic_load(&proof->prep_begin_ns);
	struct idle_meter *meter = proof->gpu->config.meter;
	const uint32_t worker = (uint32_t)proof->worker;

	if (proof->worker < 0) {
		return;
	}
	if (prep_begin_ns > begin_ns) {
		idle_meter_stage_at(meter, worker, IDLE_STAGE_PREP_QUEUED, begin_ns);
		idle_meter_stage_at(meter, worker, IDLE_STAGE_PREP, prep_begin_ns);
	} else {
		idle_meter_stage_at(meter, worker, IDLE_STAGE_PREP, begin_ns);
	}
}

enum status partition_prep_wait(struct partition_proof *proof)
{
	struct partition_gpu *gpu = proof->gpu;
	const uint64_t begin_ns = clock_now_ns();
	struct gaptrace_wait wait;
	enum status status;

	assert(proof->is_started);

	gaptrace_mutex_lock(&gpu->barrier_mutex);
	if (!proof->is_prepared) {
		proof->is_awaited = true;
		partition_gpu_add(gpu, PARTITION_BARRIER_COUNT, 1);
		wait = gaptrace_wait_begin(proof, "prep_barrier", GAPTRACE_WAIT_BARRIER);
		while (!proof->is_prepared) {
			gaptrace_condition_wait(&gpu->barrier, &gpu->barrier_mutex);
		}
		gaptrace_wait_end(&wait);
	}
	status = proof->prep_status;
	gaptrace_mutex_unlock(&gpu->barrier_mutex);
	partition_gpu_add(gpu, PARTITION_BARRIER_WAIT, clock_now_ns() - begin_ns);
	meter_prep_wait(proof, begin_ns);
	return status;
}

void partition_prep_join(struct partition_proof *proof)
{
	const uint64_t begin_ns = clock_now_ns();

	if (proof->is_started) {
		thread_pool_join(proof->gpu->config.prep_pool, &proof->task);
		proof->is_started = false;
		partition_gpu_add(proof->gpu, PARTITION_B_G2_JOIN, clock_now_ns() - begin_ns);
	}
}
