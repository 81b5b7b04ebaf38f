/* SPDX-License-Identifier: MIT */
/*
 * Proves that a partition proved in two halves on a device gives, under every option, byte for byte
 * the proof that groth16_prove() gives; that a simulated one gives none and says so; that whatever
 * fails leaves the GPU fit and nothing behind; and that the trace shows who waited for whom.
 */
#include "device_rig.h"
#include "prover/groth16/blinding.h"
#include "prover/groth16/prove.h"
#include "prover/groth16/quotient.h"
#include "prover/groth16/work_pool.h"
#include "prover/partition_proof.h"
#include "recorded_trace.h"
#include "trace/base/clock.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#define JOB 42

/* Proofs of a rig that prep can be under way of at once. */
#define PREP_THREAD_COUNT 16

static const uint8_t seed[BLINDING_SEED_BYTES] = {3, 1, 4};

/* What the other tests compare with: made once. */
static struct {
	struct proof proof;
	blst_fr *values[DEVICE_VECTOR_COUNT];
} expected;

struct partition_rig {
	const struct device_ops *ops;
	struct device_driver *driver;
	struct device *device;
	struct partition_key key;
	struct pinned_pool *pinned_pool;
	struct thread_pool *groth16_pool;
	struct thread_pool *prep_pool;
	struct thread_pool *dealloc_pool;
	struct partition_gpu *gpu;
	bool evaluates; /* on the device: synthesis makes no vectors */
};

struct rig_options {
	const char *backend;
	enum pinned_pool_staging staging;
	struct partition_options partition;
	struct device_config device;
};

static struct thread_pool *make_pool(const char *name, uint32_t thread_count, bool is_growing)
{
	const struct thread_pool_config config = {.name = name,
		.thread_name = name,
		.thread_count = thread_count,
		.is_growing = is_growing};
	struct thread_pool *pool = NULL;

	assert_int_equal(thread_pool_create(&config, &pool), STATUS_OK);
	return pool;
}

static void open_device(struct partition_rig *rig, const struct rig_options *options)
{
	struct device_config config = options->device;
	struct diag diag = {""};

	rig->ops = device_find(options->backend);
	assert_int_equal(device_driver_create(&rig->driver), STATUS_OK);
	config.driver = rig->driver;
	config.model = device_model_rtx_5070_ti;
	config.model.time_scale = 0.0001;
	assert_int_equal(rig->ops->open(&config, &diag, &rig->device), STATUS_OK);
	if (rig->ops->makes_proofs) {
		rig->key.zkey = device_rig_zkey();
		device_shape_of_key(rig->key.zkey, &rig->key.shape);
	} else {
		rig->key.shape = device_shape_porep_32g;
	}
	assert_int_equal(rig->ops->key_load(rig->device, rig->key.zkey, &rig->key.shape,
				 &rig->key.device_keys[config.index]),
		STATUS_OK);
}

static void open_rig(struct partition_rig *rig, const struct rig_options *options)
{
	struct partition_gpu_config config = {
		.options = options->partition, .device_index = options->device.index};
	struct pinned_pool_config pool_config = {.staging = options->staging};

	*rig = (struct partition_rig){.evaluates = options->partition.evaluates};
	open_device(rig, options);
	pool_config.ops = rig->ops;
	pool_config.device = rig->device;
	assert_int_equal(pinned_pool_create(&pool_config, &rig->pinned_pool), STATUS_OK);
	rig->groth16_pool = make_pool("groth16_pool", 2, false);
	rig->prep_pool = make_pool("prep", PREP_THREAD_COUNT, true);
	rig->dealloc_pool = make_pool("dealloc", 1, false);

	config.ops = rig->ops;
	config.device = rig->device;
	config.groth16_pool = rig->groth16_pool;
	config.prep_pool = rig->prep_pool;
	config.dealloc_pool = rig->dealloc_pool;
	config.options.blinding_seed = seed;
	config.model = partition_model_threadripper;
	config.model.time_scale = 0.0001;
	assert_int_equal(partition_gpu_create(&config, &rig->gpu), STATUS_OK);
}

static void close_rig(struct partition_rig *rig)
{
	thread_pool_destroy(rig->dealloc_pool);
	thread_pool_destroy(rig->prep_pool);
	thread_pool_destroy(rig->groth16_pool);
	partition_gpu_destroy(rig->gpu);
	assert_int_equal(pinned_pool_counts(rig->pinned_pool).live_count, 0);
	pinned_pool_destroy(rig->pinned_pool);
	for (int i = 0; i < DEVICE_COUNT_MAX; i++) {
		rig->ops->key_unload(rig->device, rig->key.device_keys[i]);
	}
	rig->ops->close(rig->device);
	device_driver_destroy(rig->driver);
}

static struct wtns *copy_of_witness(void)
{
	const struct wtns *witness = device_rig_witness();
	struct wtns *copy = NULL;

	assert_int_equal(wtns_create(witness->count, &copy), STATUS_OK);
	memcpy(copy->values, witness->values, witness->count * sizeof(*copy->values));
	return copy;
}

/* What the expected proof and vectors are made from, by other code than the device's. */
static int make_expected(void **state)
{
	const struct zkey *key = device_rig_zkey();
	const struct wtns *witness = device_rig_witness();
	const struct groth16_options options = {
		.thread_count = 1, .insecure_blinding_seed = seed, .self_verify = true};
	struct quotient quotient;
	struct work_pool *pool = NULL;
	struct ntt_plan *plan = NULL;
	uint8_t *classes = malloc(witness->count);
	struct diag diag = {""};

	(void)state;
	assert_non_null(classes);
	scalars_classify_all(witness->values, witness->count, classes);
	assert_int_equal(ntt_plan_create(key->domain_log2, &plan), STATUS_OK);
	assert_int_equal(work_pool_create(1, "test", &pool), STATUS_OK);
	assert_int_equal(quotient_init(&quotient, &(struct quotient_input){.key = key,
							  .plan = plan,
							  .witness = witness->values,
							  .classes = classes,
							  .thread_count = 1}),
		STATUS_OK);
	assert_int_equal(quotient_evaluate(&quotient, pool), STATUS_OK);
	for (int i = 0; i < DEVICE_VECTOR_COUNT; i++) {
		const size_t bytes = key->domain_size * sizeof(blst_fr);

		expected.values[i] = malloc(bytes);
		assert_non_null(expected.values[i]);
		memcpy(expected.values[i], quotient.values[i], bytes);
	}
	quotient_finish(&quotient);
	work_pool_destroy(pool);
	ntt_plan_destroy(plan);
	free(classes);
	assert_int_equal(
		groth16_prove(key, witness->values, &options, &diag, &expected.proof), STATUS_OK);
	return 0;
}

static struct synthesized *synthesize(struct partition_rig *rig, int32_t partition)
{
	const struct gaptrace_work work = {
		.job = JOB, .partition = partition, .device = GAPTRACE_NONE};
	const uint64_t bytes = rig->evaluates ? 0 : rig->key.shape.domain_size * sizeof(blst_fr);
	struct synthesized *synthesized = NULL;

	assert_int_equal(
		synthesized_create(rig->pinned_pool, work, bytes, &synthesized), STATUS_OK);
	if (rig->ops->makes_proofs) {
		for (int i = 0; i < DEVICE_VECTOR_COUNT && !rig->evaluates; i++) {
			memcpy(synthesized->abc[i].memory, expected.values[i], bytes);
		}
		synthesized->witness = copy_of_witness();
	} else {
		synthesized->simulated_aux_bytes = 1000;
	}
	return synthesized;
}

static void prove_and_check(struct partition_rig *rig, int32_t partition)
{
	static const struct proof no_proof;
	struct synthesized *synthesized = synthesize(rig, partition);
	struct partition_proof *proof = NULL;
	struct partition_output output = {.has_proof = !rig->ops->makes_proofs};

	assert_int_equal(
		partition_proof_start(rig->gpu, &rig->key, 1, &synthesized, &proof), STATUS_OK);
	assert_null(synthesized);
	assert_non_null(proof);
	assert_int_equal(partition_proof_finish(&proof, &output), STATUS_OK);
	assert_null(proof);
	assert_int_equal(output.has_proof, rig->ops->makes_proofs);
	assert_memory_equal(&output.proof, rig->ops->makes_proofs ? &expected.proof : &no_proof,
		sizeof(output.proof));
}

/* Every combination of the options, each proving twice on the same GPU. */
static void every_option_gives_the_same_proof(void **state)
{
	for (unsigned int bits = 0; bits < 64; bits++) {
		struct partition_rig rig;
		struct rig_options options = {
			.backend = *state,
			.staging = (enum pinned_pool_staging)(bits % 3),
			.partition =
				{
					.mutex_scope = bits & 1 ? PARTITION_MUTEX_CALL
								: PARTITION_MUTEX_KERNELS,
					.prep = bits & 2 ? PARTITION_PREP_POOL
							 : PARTITION_PREP_OWN_THREAD,
					.is_whole = bits & 4,
					.barrier_before_mutex = bits & 8,
					.synchronizes_device = bits & 16,
					.allocates_each_call = bits & 32,
					.dealloc = (enum partition_dealloc)((bits / 3) % 3),
				},
		};

		open_rig(&rig, &options);
		prove_and_check(&rig, 0);
		prove_and_check(&rig, 1);
		assert_int_equal(partition_gpu_counts(rig.gpu).proved_count, 2);
		assert_int_equal(partition_gpu_counts(rig.gpu).failed_count, 0);
		close_rig(&rig);
	}
}

static void lane_threads_change_nothing(void **state)
{
	struct partition_rig rig;
	const struct rig_options options = {
		.backend = "cpu", .device = {.lane_thread_count = 3, .index = 2}};

	(void)state;
	open_rig(&rig, &options);
	prove_and_check(&rig, 0);
	close_rig(&rig);
}

struct worker {
	struct partition_rig *rig;
	int32_t first;
};

static void *work_on(void *argument)
{
	struct worker *worker = argument;

	for (int32_t i = 0; i < 5; i++) {
		struct synthesized *synthesized = synthesize(worker->rig, worker->first + i);
		struct partition_proof *proof = NULL;
		struct partition_output output;

		if (partition_proof_start(worker->rig->gpu, &worker->rig->key, worker->first,
			    &synthesized, &proof) ||
			partition_proof_finish(&proof, &output) ||
			(output.has_proof && memcmp(&output.proof, &expected.proof,
						     sizeof(expected.proof)) != 0)) {
			abort();
		}
	}
	return NULL;
}

/* Of two workers on one GPU only one at a time is between its first upload and its last kernel. */
static void workers_take_turns_on_the_gpu(void **state)
{
	struct partition_rig rig;
	const struct rig_options options = {
		.backend = *state, .partition = {.prep = PARTITION_PREP_POOL}};
	struct worker workers[2] = {{&rig, 0}, {&rig, 100}};
	pthread_t handles[2];
	uint32_t count;
	const struct recorded *records;
	int32_t inside = GAPTRACE_NONE;

	open_rig(&rig, &options);
	recorded_trace_clear();
	for (int i = 0; i < 2; i++) {
		assert_int_equal(pthread_create(&handles[i], NULL, work_on, &workers[i]), 0);
	}
	for (int i = 0; i < 2; i++) {
		assert_int_equal(pthread_join(handles[i], NULL), 0);
	}
	records = recorded_trace(&count);
	for (uint32_t i = 0; i < count; i++) {
		if (records[i].kind == RECORDED_SPAN_BEGIN &&
			strcmp(records[i].name, "ntt_msm_h") == 0) {
			assert_int_equal(inside, GAPTRACE_NONE);
			inside = records[i].work.partition;
		} else if (records[i].kind == RECORDED_SPAN_END &&
			   strcmp(records[i].name, "tail_msm") == 0) {
			assert_int_equal(inside, records[i].work.partition);
			inside = GAPTRACE_NONE;
		}
	}
	assert_int_equal(recorded_trace_count(RECORDED_SPAN_END, "tail_msm"), 10);
	assert_int_equal(partition_gpu_counts(rig.gpu).proved_count, 10);
	close_rig(&rig);
}

/* Counters inside the prover equal what the trace says. */
static void counts_equal_the_recorded_calls(void **state)
{
	struct partition_rig rig;
	const struct rig_options options = {.backend = *state};
	struct partition_gpu_counts counts;

	recorded_trace_clear();
	open_rig(&rig, &options);
	for (int32_t i = 0; i < 3; i++) {
		prove_and_check(&rig, i);
	}
	counts = partition_gpu_counts(rig.gpu);
	assert_int_equal(counts.start_count, 3);
	assert_int_equal(
		recorded_trace_count(RECORDED_SPAN_BEGIN, "prove_start"), counts.start_count);
	assert_int_equal(
		recorded_trace_count(RECORDED_SPAN_END, "prove_start"), counts.start_count);
	assert_int_equal(
		recorded_trace_count(RECORDED_SPAN_BEGIN, "prove_finish"), counts.finish_count);
	assert_int_equal(
		recorded_trace_count(RECORDED_SPAN_END, "prove_finish"), counts.finish_count);
	assert_int_equal(recorded_trace_count(RECORDED_KERNEL, NULL), counts.device.kernel_count);
	assert_int_equal(recorded_trace_count(RECORDED_MEMCPY, NULL), counts.device.copy_count);
	assert_true(counts.mutex_without_kernel_ns <= counts.mutex_held_ns);
	assert_true(counts.barrier_in_mutex_ns >= counts.barrier_wait_ns);
	assert_true(counts.device.lane_busy_ns <= counts.mutex_held_ns);
	close_rig(&rig);
	assert_int_equal(recorded_trace_count(RECORDED_SPAN_BEGIN, NULL),
		recorded_trace_count(RECORDED_SPAN_END, NULL));
	assert_int_equal(recorded_trace_count(RECORDED_WAIT_BEGIN, NULL),
		recorded_trace_count(RECORDED_WAIT_END, NULL));
}

static int32_t tid_of(enum recorded_kind kind, const char *name)
{
	const struct recorded *recorded = recorded_trace_find(kind, name);

	assert_non_null(recorded);
	return recorded->tid;
}

static void hold_until_the_feeder_waits(void *unused)
{
	const struct timespec nap = {.tv_nsec = NS_PER_MS};

	(void)unused;
	while (recorded_trace_count(RECORDED_WAIT_BEGIN, "prep_barrier") == 0) {
		(void)nanosleep(&nap, NULL);
	}
}

/* Prep gets no thread before the feeder waits at the barrier, in the mutex; then it wakes it. */
static void the_barrier_is_opened_by_prep(void **state)
{
	struct partition_rig rig;
	const struct rig_options options = {.backend = "sim"};
	const struct recorded *wait;
	const struct recorded *wake;

	(void)state;
	open_rig(&rig, &options);
	recorded_trace_clear();
	for (int i = 0; i < PREP_THREAD_COUNT; i++) {
		assert_int_equal(thread_pool_post(rig.prep_pool, hold_until_the_feeder_waits, NULL,
					 "hold", (struct gaptrace_work)GAPTRACE_NO_WORK),
			STATUS_OK);
	}
	prove_and_check(&rig, 0);
	wait = recorded_trace_find(RECORDED_WAIT_BEGIN, "prep_barrier");
	wake = recorded_trace_find(RECORDED_WAKE, "prep_barrier");
	assert_non_null(wait);
	assert_non_null(wake);
	assert_int_equal(wait->number, GAPTRACE_WAIT_BARRIER);
	assert_ptr_equal(wait->object, wake->object);
	assert_true(wake > wait);
	assert_int_equal(wait->tid, tid_of(RECORDED_SPAN_BEGIN, "ntt_msm_h"));
	assert_int_equal(wake->tid, tid_of(RECORDED_SPAN_BEGIN, "prep_msm"));
	assert_int_not_equal(wake->tid, wait->tid);
	assert_int_equal(partition_gpu_counts(rig.gpu).barrier_count, 1);
	assert_true(partition_gpu_counts(rig.gpu).barrier_in_mutex_ns > 0);
	close_rig(&rig);
}

/* Submitted to groth16_pool only if so chosen; it may then sit behind another's b_g2. */
static void prep_is_a_pool_task_only_when_chosen(void **state)
{
	for (int in_pool = 0; in_pool < 2; in_pool++) {
		struct partition_rig rig;
		const struct rig_options options = {.backend = *state,
			.partition = {
				.prep = in_pool ? PARTITION_PREP_POOL : PARTITION_PREP_OWN_THREAD}};
		uint32_t count;
		const struct recorded *records;
		int prep_count = 0;

		open_rig(&rig, &options);
		recorded_trace_clear();
		prove_and_check(&rig, 0);
		records = recorded_trace(&count);
		for (uint32_t i = 0; i < count; i++) {
			prep_count += records[i].kind == RECORDED_TASK_SUBMIT &&
				      strcmp(records[i].name, "groth16_pool") == 0 &&
				      strcmp(records[i].what, "prep_msm") == 0;
		}
		assert_int_equal(prep_count, in_pool);
		close_rig(&rig);
	}
}

static void the_mutex_covers_the_whole_call_when_chosen(void **state)
{
	struct partition_rig rig;
	struct partition_gpu_counts counts;
	const struct rig_options options = {
		.backend = *state, .partition = {.mutex_scope = PARTITION_MUTEX_CALL}};

	open_rig(&rig, &options);
	prove_and_check(&rig, 0);
	counts = partition_gpu_counts(rig.gpu);
	/* Both run one after the other before the mutex is let go. */
	assert_true(counts.mutex_held_ns >= counts.prep_ns + counts.b_g2_ns);
	close_rig(&rig);
}

static void a_whole_proof_leaves_nothing_to_finish(void **state)
{
	struct partition_rig rig;
	const struct rig_options options = {.backend = *state, .partition = {.is_whole = true}};
	struct synthesized *synthesized;
	struct partition_proof *proof = NULL;
	struct partition_output output;

	open_rig(&rig, &options);
	synthesized = synthesize(&rig, 0);
	recorded_trace_clear();
	assert_int_equal(
		partition_proof_start(rig.gpu, &rig.key, 0, &synthesized, &proof), STATUS_OK);
	assert_int_equal(recorded_trace_count(RECORDED_SPAN_END, "b_g2_msm"), 1);
	assert_int_equal(recorded_trace_count(RECORDED_SPAN_END, "epilogue"), 1);
	recorded_trace_clear();
	assert_int_equal(partition_proof_finish(&proof, &output), STATUS_OK);
	assert_int_equal(recorded_trace_count(RECORDED_SPAN_BEGIN, "epilogue"), 0);
	assert_int_equal(recorded_trace_count(RECORDED_WAIT_BEGIN, NULL), 0);
	close_rig(&rig);
}

/* On a thread of its own, on the finisher's, or, as far as it goes, inside prove_start. */
static void memory_is_freed_where_it_was_chosen(void **state)
{
	for (int i = PARTITION_DEALLOC_BACKGROUND; i <= PARTITION_DEALLOC_CALL; i++) {
		struct partition_rig rig;
		const struct rig_options options = {
			.backend = *state, .partition = {.dealloc = (enum partition_dealloc)i}};
		struct synthesized *synthesized;
		struct partition_proof *proof = NULL;
		struct partition_output output;
		int32_t finisher;
		uint32_t dealloc_count;

		open_rig(&rig, &options);
		synthesized = synthesize(&rig, 0);
		recorded_trace_clear();
		assert_int_equal(partition_proof_start(rig.gpu, &rig.key, 0, &synthesized, &proof),
			STATUS_OK);
		dealloc_count = recorded_trace_count(RECORDED_SPAN_END, "dealloc");
		assert_int_equal(dealloc_count, i == PARTITION_DEALLOC_CALL ? 1 : 0);
		recorded_trace_clear();
		assert_int_equal(partition_proof_finish(&proof, &output), STATUS_OK);
		finisher = tid_of(RECORDED_SPAN_BEGIN, "prove_finish");
		close_rig(&rig);
		assert_int_equal(tid_of(RECORDED_SPAN_BEGIN, "dealloc") == finisher,
			i != PARTITION_DEALLOC_BACKGROUND);
	}
}

/* Half-made proofs may be dropped: what still runs is waited for. */
static void a_proof_that_is_not_finished_goes_without_a_trace(void **state)
{
	struct partition_rig rig;
	const struct rig_options options = {.backend = *state};
	struct synthesized *synthesized;
	struct partition_proof *proof = NULL;

	open_rig(&rig, &options);
	synthesized = synthesize(&rig, 0);
	assert_int_equal(
		partition_proof_start(rig.gpu, &rig.key, 0, &synthesized, &proof), STATUS_OK);
	partition_proof_destroy(proof);
	partition_proof_destroy(NULL);
	prove_and_check(&rig, 1);
	close_rig(&rig);
}

/*
 * Each kind of call and operation fails once. The partition fails, its owner still has what was
 * synthesized, and the next one on the same GPU is proved.
 */
static void fail_once(const char *backend, enum device_fault fault, uint32_t after_count,
	const struct partition_options *partition)
{
	struct partition_rig rig;
	const struct rig_options options = {.backend = backend,
		.staging = PINNED_POOL_PAGEABLE,
		.partition = *partition,
		.device = {.fault = fault,
			.fault_after_count = after_count,
			.holds_matrices = partition->evaluates}};
	struct synthesized *synthesized;
	struct partition_proof *proof = NULL;
	enum status status;

	open_rig(&rig, &options);
	synthesized = synthesize(&rig, 0);
	status = partition_proof_start(rig.gpu, &rig.key, 0, &synthesized, &proof);
	assert_int_not_equal(status, STATUS_OK);
	assert_null(proof);
	assert_non_null(synthesized);
	assert_int_equal(partition_gpu_counts(rig.gpu).failed_count, 1);
	synthesized_destroy(synthesized);
	prove_and_check(&rig, 1);
	assert_int_equal(partition_gpu_counts(rig.gpu).proved_count, 1);
	close_rig(&rig);
}

/* Only the witness goes up, and what prep makes of it. */
static void evaluated_on_the_device_the_proof_is_the_same(void **state)
{
	struct partition_rig rig;
	const struct rig_options options = {.backend = "cpu",
		.partition = {.evaluates = true},
		.device = {.holds_matrices = true}};

	(void)state;
	open_rig(&rig, &options);
	prove_and_check(&rig, 0);
	prove_and_check(&rig, 1);
	assert_int_equal(partition_gpu_counts(rig.gpu).device.upload_pinned_bytes, 0);
	assert_int_equal(partition_gpu_counts(rig.gpu).failed_count, 0);
	close_rig(&rig);
	fail_once("cpu", DEVICE_FAULT_EVALUATE, 0, &options.partition);
}

static void what_fails_leaves_the_gpu_fit(void **state)
{
	const struct partition_options choices[] = {
		{0},
		{.mutex_scope = PARTITION_MUTEX_CALL, .prep = PARTITION_PREP_POOL},
		{.is_whole = true, .dealloc = PARTITION_DEALLOC_CALL, .synchronizes_device = true},
		{.barrier_before_mutex = true, .allocates_each_call = true},
	};

	for (size_t i = 0; i < sizeof(choices) / sizeof(choices[0]); i++) {
		/* The results' memory is the first, the vectors' the second. */
		fail_once(*state, DEVICE_FAULT_MEMORY_ALLOC, 1, &choices[i]);
		fail_once(*state, DEVICE_FAULT_UPLOAD, 0, &choices[i]);
		fail_once(*state, DEVICE_FAULT_UPLOAD, 2, &choices[i]);
		fail_once(*state, DEVICE_FAULT_UPLOAD, 4, &choices[i]);
		fail_once(*state, DEVICE_FAULT_DOWNLOAD, 0, &choices[i]);
		fail_once(*state, DEVICE_FAULT_DOWNLOAD, 1, &choices[i]);
		fail_once(*state, DEVICE_FAULT_TRANSFORM, 0, &choices[i]);
		fail_once(*state, DEVICE_FAULT_TRANSFORM, 2, &choices[i]);
		fail_once(*state, DEVICE_FAULT_QUOTIENT, 0, &choices[i]);
		fail_once(*state, DEVICE_FAULT_MSM_H, 0, &choices[i]);
		fail_once(*state, DEVICE_FAULT_SUM_ONES, 1, &choices[i]);
		fail_once(*state, DEVICE_FAULT_MSM, 0, &choices[i]);
	}
}

static void without_pinned_memory_it_proves_from_pageable(void **state)
{
	struct partition_rig rig;
	/* The first is for the results. */
	const struct rig_options options = {.backend = *state,
		.device = {.fault = DEVICE_FAULT_PINNED_ALLOC, .fault_after_count = 1}};

	open_rig(&rig, &options);
	prove_and_check(&rig, 0);
	assert_true(partition_gpu_counts(rig.gpu).device.upload_pageable_bytes > 0);
	close_rig(&rig);
}

static int finish(void **state)
{
	(void)state;
	recorded_trace_clear();
	device_rig_free_key();
	for (int i = 0; i < DEVICE_VECTOR_COUNT; i++) {
		free(expected.values[i]);
	}
	return 0;
}

/* clang-format off */
#define BOTH(test)                                                                                 \
	{#test " (cpu)", test, NULL, NULL, "cpu"}, {#test " (sim)", test, NULL, NULL, "sim"}
/* clang-format on */

int main(void)
{
	const struct CMUnitTest tests[] = {
		BOTH(every_option_gives_the_same_proof),
		cmocka_unit_test(lane_threads_change_nothing),
		BOTH(workers_take_turns_on_the_gpu),
		BOTH(counts_equal_the_recorded_calls),
		cmocka_unit_test(the_barrier_is_opened_by_prep),
		BOTH(prep_is_a_pool_task_only_when_chosen),
		BOTH(the_mutex_covers_the_whole_call_when_chosen),
		BOTH(a_whole_proof_leaves_nothing_to_finish),
		BOTH(memory_is_freed_where_it_was_chosen),
		BOTH(a_proof_that_is_not_finished_goes_without_a_trace),
		BOTH(what_fails_leaves_the_gpu_fit),
		cmocka_unit_test(evaluated_on_the_device_the_proof_is_the_same),
		BOTH(without_pinned_memory_it_proves_from_pageable),
	};

	return cmocka_run_group_tests(tests, make_expected, finish);
}
