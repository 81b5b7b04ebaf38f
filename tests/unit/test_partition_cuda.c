/* SPDX-License-Identifier: MIT */
/*
 * Proves that whole partitions on the cuda device give the proof that groth16_prove() gives, with
 * streams that do their work as late as they may: so that every event between two of them, and
 * every wait before memory is used again, is there.
 */
#include "groth16_fixture.h"
#include "prover/device/cuda/device_cuda_private.h"
#include "prover/groth16/blinding.h"
#include "prover/groth16/prove.h"
#include "prover/groth16/quotient.h"
#include "prover/groth16/work_pool.h"
#include "prover/partition_private.h"
#include "prover/partition_proof.h"
#include "tests/unit/cuda_runtime.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Wide scalars, and some that are 0, 1 or small. */
#define CIRCUIT "squaring-chain:8"

static const uint8_t seed[BLINDING_SEED_BYTES] = {3, 1, 4};

static struct {
	struct zkey *key;
	struct wtns *witness;
	struct proof proof;
	blst_fr *values[DEVICE_VECTOR_COUNT];
} expected;

struct rig_options {
	enum pinned_pool_staging staging;
	struct partition_options partition;
	uint64_t memory_bytes;
	uint32_t lazy_streams;
};

struct rig {
	struct device_driver *driver;
	struct device *device;
	struct partition_key key;
	struct pinned_pool *pinned_pool;
	struct thread_pool *pools[2];
	struct partition_gpu *gpu;
	bool evaluates;
};

/* What synthesis would have made, by other code than the device's. */
static void keep_vectors(void)
{
	const uint32_t count = expected.witness->count;
	struct quotient quotient;
	struct work_pool *pool = NULL;
	struct ntt_plan *plan = NULL;
	uint8_t *classes = calloc(count, 1);

	scalars_classify_all(expected.witness->values, count, classes);
	assert_int_equal(ntt_plan_create(expected.key->domain_log2, &plan), STATUS_OK);
	assert_int_equal(work_pool_create(1, "test", &pool), STATUS_OK);
	assert_int_equal(quotient_init(&quotient, &(struct quotient_input){.key = expected.key,
							  .plan = plan,
							  .witness = expected.witness->values,
							  .classes = classes,
							  .thread_count = 1}),
		STATUS_OK);
	assert_int_equal(quotient_evaluate(&quotient, pool), STATUS_OK);
	for (int i = 0; i < DEVICE_VECTOR_COUNT; i++) {
		const size_t bytes = expected.key->domain_size * sizeof(blst_fr);

		expected.values[i] = malloc(bytes);
		memcpy(expected.values[i], quotient.values[i], bytes);
	}
	quotient_finish(&quotient);
	work_pool_destroy(pool);
	ntt_plan_destroy(plan);
	free(classes);
}

static int make_expected(void **state)
{
	const struct groth16_options options = {
		.thread_count = 1, .insecure_blinding_seed = seed, .self_verify = true};
	struct diag diag = {""};

	(void)state;
	fixture_values(CIRCUIT, 1, NULL, &expected.witness, &expected.key);
	keep_vectors();
	assert_int_equal(groth16_prove(expected.key, expected.witness->values, &options, &diag,
				 &expected.proof),
		STATUS_OK);
	return 0;
}

static int free_expected(void **state)
{
	(void)state;
	for (int i = 0; i < DEVICE_VECTOR_COUNT; i++) {
		free(expected.values[i]);
	}
	zkey_destroy(expected.key);
	wtns_destroy(expected.witness);
	return 0;
}

static struct thread_pool *make_pool(const char *name, bool is_growing)
{
	const struct thread_pool_config config = {
		.name = name, .thread_name = name, .thread_count = 2, .is_growing = is_growing};
	struct thread_pool *pool = NULL;

	assert_int_equal(thread_pool_create(&config, &pool), STATUS_OK);
	return pool;
}

/* Gives what loading the key gave; without it there is no more than the device. */
static enum status open_rig(struct rig *rig, const struct rig_options *options)
{
	struct device_config config = {.holds_matrices = options->partition.evaluates,
		.memory_bytes = options->memory_bytes};
	struct partition_gpu_config gpu_config = {
		.options = options->partition, .ops = &device_cuda};
	struct pinned_pool_config pool_config = {.staging = options->staging, .ops = &device_cuda};
	struct diag diag = {""};
	enum status status;

	cuda_runtime = (struct cuda_runtime){
		.memory_bytes = 1ULL << 30, .lazy_streams = options->lazy_streams};
	*rig = (struct rig){
		.evaluates = options->partition.evaluates, .key = {.zkey = expected.key}};
	assert_int_equal(device_driver_create(&rig->driver), STATUS_OK);
	config.driver = rig->driver;
	assert_int_equal(device_cuda.open(&config, &diag, &rig->device), STATUS_OK);
	pool_config.device = rig->device;
	assert_int_equal(pinned_pool_create(&pool_config, &rig->pinned_pool), STATUS_OK);
	rig->pools[0] = make_pool("groth16_pool", false);
	rig->pools[1] = make_pool("prep", true);
	gpu_config.device = rig->device;
	gpu_config.groth16_pool = rig->pools[0];
	gpu_config.prep_pool = rig->pools[1];
	gpu_config.options.blinding_seed = seed;
	assert_int_equal(partition_gpu_create(&gpu_config, &rig->gpu), STATUS_OK);
	device_shape_of_key(expected.key, &rig->key.shape);
	status = device_cuda.key_load(
		rig->device, expected.key, &rig->key.shape, &rig->key.device_keys[0]);
	return status;
}

static void close_rig(struct rig *rig)
{
	thread_pool_destroy(rig->pools[1]);
	thread_pool_destroy(rig->pools[0]);
	partition_gpu_destroy(rig->gpu);
	pinned_pool_destroy(rig->pinned_pool);
	device_cuda.key_unload(rig->device, rig->key.device_keys[0]);
	device_cuda.close(rig->device);
	device_driver_destroy(rig->driver);
	assert_int_equal(cuda_runtime.open_count, 0);
	assert_int_equal(cuda_runtime.used_bytes, 0);
}

static struct synthesized *synthesize(struct rig *rig, int32_t partition)
{
	const struct gaptrace_work work = {
		.job = 1, .partition = partition, .device = GAPTRACE_NONE};
	const uint64_t bytes = rig->evaluates ? 0 : rig->key.shape.domain_size * sizeof(blst_fr);
	struct synthesized *synthesized = NULL;

	assert_int_equal(
		synthesized_create(rig->pinned_pool, work, bytes, &synthesized), STATUS_OK);
	for (int i = 0; i < DEVICE_VECTOR_COUNT && !rig->evaluates; i++) {
		memcpy(synthesized->abc[i].memory, expected.values[i], bytes);
	}
	assert_int_equal(wtns_create(expected.witness->count, &synthesized->witness), STATUS_OK);
	memcpy(synthesized->witness->values, expected.witness->values,
		expected.witness->count * sizeof(*expected.witness->values));
	return synthesized;
}

static void prove_and_check(struct rig *rig, int32_t partition)
{
	struct synthesized *synthesized = synthesize(rig, partition);
	struct partition_proof *proof = NULL;
	struct partition_output output = {.has_proof = false};

	assert_int_equal(
		partition_proof_start(rig->gpu, &rig->key, 1, &synthesized, &proof), STATUS_OK);
	assert_int_equal(partition_proof_finish(&proof, &output), STATUS_OK);
	assert_true(output.has_proof);
	assert_memory_equal(&output.proof, &expected.proof, sizeof(output.proof));
}

/* The second proof finds what the first one left in the same memory. */
static void prove_twice(const struct rig_options *options)
{
	struct rig rig;

	assert_int_equal(open_rig(&rig, options), STATUS_OK);
	prove_and_check(&rig, 0);
	prove_and_check(&rig, 1);
	assert_int_equal(partition_gpu_counts(rig.gpu).failed_count, 0);
	close_rig(&rig);
}

static struct {
	struct partition_gpu *gpu;
	uint32_t free_count;
	uint32_t count_in_mutex;
} frees;

static void look_at_mutex(void)
{
	frees.free_count++;
	if (gaptrace_mutex_trylock(&frees.gpu->mutex)) {
		gaptrace_mutex_unlock(&frees.gpu->mutex);
	} else {
		frees.count_in_mutex++;
	}
}

/* CUDA's free waits for all that the device does. */
static void memory_that_a_larger_key_outgrows_is_not_freed_in_the_mutex(void **state)
{
	struct rig rig;

	(void)state;
	assert_int_equal(
		open_rig(&rig, &(struct rig_options){.partition = {.evaluates = true}}), STATUS_OK);
	memset(&frees, 0, sizeof(frees));
	frees.gpu = rig.gpu;
	cuda_runtime.before_free = look_at_mutex;
	prove_and_check(&rig, 0);
	/* What a stream has is large enough at once for all that the key's proofs put on it. */
	assert_int_equal(frees.free_count, 0);
	/* As after a smaller key. */
	rig.gpu->workspace_bytes--;
	rig.key.device_keys[0]->scratch_bytes++;
	prove_and_check(&rig, 1);
	prove_and_check(&rig, 2);
	cuda_runtime.before_free = NULL;
	assert_int_equal(frees.free_count, 2);
	assert_int_equal(frees.count_in_mutex, 0);
	close_rig(&rig);
}

/* Of the three streams of a partition: all early, the first late, the others late, all late. Before
 * them comes the meter's, which is late. */
static const uint32_t late_streams[] = {1, 3, 13, 15};

static void a_proof_is_the_same_whichever_streams_are_late(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 4; i++) {
		const struct rig_options options = {
			.staging = i & 1 ? PINNED_POOL_PAGEABLE : PINNED_POOL_PER_CALL,
			.lazy_streams = late_streams[i],
		};

		prove_twice(&options);
	}
}

static void so_is_one_of_vectors_that_the_device_makes(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 4; i++) {
		const struct rig_options options = {
			.partition = {.evaluates = true, .allocates_each_call = i & 1},
			.lazy_streams = late_streams[i],
		};

		prove_twice(&options);
	}
}

/* Down to where the key is refused: what is let in has the memory that its proofs need, too. */
static void a_key_that_is_streamed_is_proved_with_in_the_memory_there_is(void **state)
{
	struct rig_options options = {.lazy_streams = UINT32_MAX};
	uint32_t streamed_count = 0;
	uint64_t key_bytes;
	struct rig rig;

	(void)state;
	assert_int_equal(open_rig(&rig, &options), STATUS_OK);
	key_bytes = cuda_runtime.used_bytes;
	prove_and_check(&rig, 0);
	options.memory_bytes = 2 * cuda_runtime.used_bytes;
	close_rig(&rig);
	for (enum status status = STATUS_OK; status == STATUS_OK; options.memory_bytes -= 8000) {
		status = open_rig(&rig, &options);
		if (status != STATUS_OK) {
			assert_int_equal(status, STATUS_NO_MEMORY);
		} else if (cuda_runtime.used_bytes < key_bytes) {
			prove_and_check(&rig, 0);
			prove_and_check(&rig, 1);
			streamed_count++;
		}
		close_rig(&rig);
	}
	assert_true(streamed_count > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_proof_is_the_same_whichever_streams_are_late),
		cmocka_unit_test(so_is_one_of_vectors_that_the_device_makes),
		cmocka_unit_test(memory_that_a_larger_key_outgrows_is_not_freed_in_the_mutex),
		cmocka_unit_test(a_key_that_is_streamed_is_proved_with_in_the_memory_there_is),
	};

	return cmocka_run_group_tests(tests, make_expected, free_expected);
}
