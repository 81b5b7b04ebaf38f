/* SPDX-License-Identifier: MIT */
/*
 * Proves, on a GPU, that the cuda device leaves what the cpu device leaves at every stage of a
 * proof, again and again on the same streams. Skipped where no GPU is.
 */
#include "tests/unit/cuda_stages.h"
#include "tests/unit/groth16_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* Of a domain of 256, one that sums split over many threads, and one mostly of zeros and ones. */
static const char *const circuits[] = {"squaring-chain:250", "squaring-chain:30000", "sha256:4"};

static void compare_circuit(const char *circuit)
{
	struct zkey *zkey = NULL;
	blst_p1 expected[CUDA_RESULT_COUNT];
	blst_p1 actual[CUDA_RESULT_COUNT];
	struct cuda_stages cpu;
	struct cuda_stages cuda;

	fixture_values(circuit, 1, NULL, NULL, &zkey);
	assert_int_equal(
		cuda_stages_open(&cpu, &device_cpu, zkey, (struct device_config){0}), STATUS_OK);
	assert_int_equal(
		cuda_stages_open(&cuda, &device_cuda, zkey, (struct device_config){0}), STATUS_OK);
	assert_int_equal(cuda_stages_run(&cpu, expected), STATUS_OK);
	for (int round = 0; round < 3; round++) {
		assert_int_equal(cuda_stages_run(&cuda, actual), STATUS_OK);
		for (int i = 0; i < CUDA_RESULT_COUNT; i++) {
			assert_true(blst_p1_is_equal(&actual[i], &expected[i]));
		}
	}
	cuda_stages_close(&cpu);
	cuda_stages_close(&cuda);
	zkey_destroy(zkey);
}

static void test_a_witness_is_evaluated_as_on_the_cpu(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(circuits) / sizeof(circuits[0]); i++) {
		struct zkey *key = NULL;
		blst_fr *expected;
		blst_fr *actual;

		fixture_values(circuits[i], 1, NULL, NULL, &key);
		expected = cuda_stages_evaluate_on(&device_cpu, key);
		actual = cuda_stages_evaluate_on(&device_cuda, key);
		assert_memory_equal(expected, actual,
			DEVICE_VECTOR_COUNT * key->domain_size * sizeof(*expected));
		free(expected);
		free(actual);
		zkey_destroy(key);
	}
}

static void test_every_stage_leaves_what_the_cpu_device_leaves(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(circuits) / sizeof(circuits[0]); i++) {
		compare_circuit(circuits[i]);
	}
}

/* True when there is a GPU; else says why not. */
static bool has_gpu(void)
{
	struct device_config config = {0};
	struct device *device = NULL;
	struct diag diag = {""};
	enum status status = device_driver_create(&config.driver);

	if (status == STATUS_OK) {
		status = device_cuda.open(&config, &diag, &device);
		device_cuda.close(device);
		device_driver_destroy(config.driver);
	}
	if (status != STATUS_OK) {
		(void)printf("skipped: %s\n", diag.line);
	}
	return status == STATUS_OK;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_witness_is_evaluated_as_on_the_cpu),
		cmocka_unit_test(test_every_stage_leaves_what_the_cpu_device_leaves),
	};

	return has_gpu() ? cmocka_run_group_tests(tests, NULL, NULL) : 77;
}
