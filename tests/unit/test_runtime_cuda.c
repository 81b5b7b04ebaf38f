/* SPDX-License-Identifier: MIT */
/*
 * Proves that the cuda device over the real runtime.cu, its kernels as nvcc made them, leaves what
 * the cpu device leaves at every stage, and that any call of CUDA's that fails is named, ends its
 * stream alone and leaves nothing behind. CUDA's own library is a look-alike.
 */
#include "tests/unit/cuda_stages.h"
#include "tests/unit/groth16_fixture.h"
#include "tests/unit/lookalike_cudart.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define CIRCUIT "squaring-chain:20"

static struct zkey *zkey;

static int make_key(void **state)
{
	(void)state;
	fixture_values(CIRCUIT, 1, NULL, NULL, &zkey);
	return 0;
}

static int free_key(void **state)
{
	(void)state;
	zkey_destroy(MOVE(zkey));
	return 0;
}

static int set_up(void **state)
{
	(void)state;
	lookalike_cudart =
		(struct lookalike_cudart){.device_count = 1, .error = cudaErrorMemoryAllocation};
	return 0;
}

static void every_stage_leaves_what_the_cpu_device_leaves(void **state)
{
	blst_p1 expected[CUDA_RESULT_COUNT];
	blst_p1 actual[CUDA_RESULT_COUNT];

	(void)state;
	cuda_stages_run_on(&device_cpu, zkey, expected);
	cuda_stages_run_on(&device_cuda, zkey, actual);
	for (int i = 0; i < CUDA_RESULT_COUNT; i++) {
		assert_true(blst_p1_is_equal(&actual[i], &expected[i]));
		assert_false(blst_p1_is_inf(&expected[i]));
	}
	assert_true(lookalike_cudart.launch_count > 100);
	assert_int_equal(lookalike_cudart.open_count, 0);
}

static void a_witness_is_evaluated_as_on_the_cpu(void **state)
{
	blst_fr *expected = cuda_stages_evaluate_on(&device_cpu, zkey);
	blst_fr *actual = cuda_stages_evaluate_on(&device_cuda, zkey);

	(void)state;
	assert_memory_equal(
		expected, actual, DEVICE_VECTOR_COUNT * zkey->domain_size * sizeof(*expected));
	free(expected);
	free(actual);
	assert_int_equal(lookalike_cudart.open_count, 0);
}

/* Every so many calls: they are some thousand, of which most are launches of the same sums. */
static void a_call_that_fails_is_named_and_leaves_nothing_behind(void **state)
{
	blst_p1 results[CUDA_RESULT_COUNT];
	struct cuda_stages rig;
	uint32_t opening_count;
	uint32_t call_count;

	assert_int_equal(
		cuda_stages_open(&rig, &device_cuda, zkey, (struct device_config){0}), STATUS_OK);
	opening_count = lookalike_cudart.call_count;
	assert_int_equal(cuda_stages_run(&rig, results), STATUS_OK);
	call_count = lookalike_cudart.call_count;
	cuda_stages_close(&rig);
	for (uint32_t i = opening_count + 1; i <= call_count;
		i += i < opening_count + 40 ? 1 : 97) {
		struct diag words = {""};
		enum status status;

		(void)set_up(state);
		assert_int_equal(
			cuda_stages_open(&rig, &device_cuda, zkey, (struct device_config){0}),
			STATUS_OK);
		lookalike_cudart.fails_at = i;
		status = cuda_stages_run(&rig, results);
		assert_true(status == STATUS_NO_MEMORY || status == STATUS_UNAVAILABLE);
		assert_false(device_cuda.is_lost(rig.device, NULL));
		device_cuda.failure(rig.device, &words);
		assert_non_null(lookalike_cudart.failed_call);
		assert_ptr_equal(strstr(words.line, lookalike_cudart.failed_call), words.line);
		assert_non_null(strstr(words.line, ": cudaErrorMemoryAllocation: out of memory"));
		assert_int_equal(rig.ops->stream_synchronize(rig.stream), STATUS_OK);
		cuda_stages_close(&rig);
		assert_int_equal(lookalike_cudart.open_count, 0);
	}
}

/* Whichever call of an allocation, a stream's or an event's fails: what came before is undone. */
static void what_cannot_be_made_whole_is_not_made(void **state)
{
	struct cuda_stages rig;
	struct device_memory *memory = NULL;
	struct device_stream *stream = NULL;
	void *pinned = NULL;
	int32_t open_count;

	(void)state;
	assert_int_equal(
		cuda_stages_open(&rig, &device_cuda, zkey, (struct device_config){0}), STATUS_OK);
	open_count = lookalike_cudart.open_count;
	for (uint32_t i = 1; i <= 4; i++) {
		lookalike_cudart.fails_at = lookalike_cudart.call_count + i;
		assert_int_not_equal(
			device_cuda.memory_alloc(rig.device, 4096, &memory), STATUS_OK);
		assert_int_equal(lookalike_cudart.open_count, open_count);
	}
	for (uint32_t i = 1; i <= 2; i++) {
		lookalike_cudart.fails_at = lookalike_cudart.call_count + i;
		assert_int_not_equal(
			device_cuda.pinned_alloc(rig.device, 4096, &pinned), STATUS_OK);
		assert_int_equal(lookalike_cudart.open_count, open_count);
	}
	/* A stream's own, its pinned words, its state on the device, and that cleared. */
	for (uint32_t i = 1; i <= 10; i++) {
		lookalike_cudart.fails_at = lookalike_cudart.call_count + i;
		assert_int_not_equal(device_cuda.stream_open(rig.device, &stream), STATUS_OK);
		assert_int_equal(lookalike_cudart.open_count, open_count);
	}
	lookalike_cudart.fails_at = 0;
	cuda_stages_close(&rig);
	assert_int_equal(lookalike_cudart.open_count, 0);
}

/* CUDA refuses everything on it from then on, until the process ends. */
static void an_illegal_access_costs_the_device(void **state)
{
	blst_p1 results[CUDA_RESULT_COUNT];
	struct cuda_stages rig;
	struct diag words = {""};
	const char *call;

	(void)state;
	assert_int_equal(
		cuda_stages_open(&rig, &device_cuda, zkey, (struct device_config){0}), STATUS_OK);
	assert_false(device_cuda.is_lost(rig.device, &words));
	assert_string_equal(words.line, "");
	lookalike_cudart.error = cudaErrorIllegalAddress;
	lookalike_cudart.is_sticky = true;
	lookalike_cudart.fails_at = lookalike_cudart.call_count + 40;
	assert_int_not_equal(cuda_stages_run(&rig, results), STATUS_OK);
	call = lookalike_cudart.failed_call;
	assert_non_null(call);
	for (int i = 0; i < 3; i++) {
		/* Whatever else is asked of it, that is why. */
		assert_int_not_equal(rig.ops->stream_synchronize(rig.stream), STATUS_OK);
		device_cuda.failure(rig.device, &words);
		assert_true(device_cuda.is_lost(rig.device, &words));
		assert_ptr_equal(strstr(words.line, call), words.line);
		assert_non_null(strstr(words.line,
			": cudaErrorIllegalAddress: an illegal memory access was encountered"));
	}
	/* Neither hangs nor crashes; what is not taken back goes with the process. */
	cuda_stages_close(&rig);
}

static void a_device_that_is_not_there_is_said_to_be_missing(void **state)
{
	struct device_config config = {.index = 1};
	struct device *device = NULL;
	struct diag diag = {""};

	(void)state;
	assert_int_equal(device_driver_create(&config.driver), STATUS_OK);
	assert_int_equal(device_cuda.open(&config, &diag, &device), STATUS_UNAVAILABLE);
	assert_string_equal(diag.line,
		"device 1: there are 1 CUDA devices: lower [gpu] count, or mind "
		"CUDA_VISIBLE_DEVICES");
	config.index = 0;
	lookalike_cudart.fails_at = lookalike_cudart.call_count + 1;
	lookalike_cudart.error = cudaErrorInsufficientDriver;
	assert_int_equal(device_cuda.open(&config, &diag, &device), STATUS_UNAVAILABLE);
	assert_non_null(
		strstr(diag.line, "no CUDA driver, or one older than this build's CUDA 13"));
	lookalike_cudart.fails_at = lookalike_cudart.call_count + 3;
	lookalike_cudart.error = cudaErrorNoKernelImageForDevice;
	assert_int_equal(device_cuda.open(&config, &diag, &device), STATUS_UNSUPPORTED);
	assert_non_null(strstr(diag.line, "device 0: cannot be used: "));
	device_driver_destroy(config.driver);
	assert_int_equal(lookalike_cudart.open_count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(every_stage_leaves_what_the_cpu_device_leaves, set_up),
		cmocka_unit_test_setup(a_witness_is_evaluated_as_on_the_cpu, set_up),
		cmocka_unit_test_setup(
			a_call_that_fails_is_named_and_leaves_nothing_behind, set_up),
		cmocka_unit_test_setup(what_cannot_be_made_whole_is_not_made, set_up),
		cmocka_unit_test_setup(an_illegal_access_costs_the_device, set_up),
		cmocka_unit_test_setup(a_device_that_is_not_there_is_said_to_be_missing, set_up),
	};

	return cmocka_run_group_tests(tests, make_key, free_key);
}
