/* SPDX-License-Identifier: MIT */
/*
 * Proves, over a runtime that is the host, that the cuda device leaves what the cpu device leaves
 * at every stage of a proof, and that whatever fails ends its stream and leaks nothing.
 */
#include "prover/device/cuda/device_cuda_private.h"
#include "prover/idle_meter.h"
#include "tests/unit/cuda_runtime.h"
#include "tests/unit/cuda_stages.h"
#include "tests/unit/groth16_fixture.h"
#include "trace/base/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define CIRCUIT "squaring-chain:250"

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

static void set_up_runtime(void)
{
	cuda_runtime = (struct cuda_runtime){.memory_bytes = 1ULL << 30};
}

static void assert_results_equal(const blst_p1 *actual, const blst_p1 *expected)
{
	for (int i = 0; i < CUDA_RESULT_COUNT; i++) {
		assert_true(blst_p1_is_equal(&actual[i], &expected[i]));
		assert_false(blst_p1_is_inf(&expected[i]));
	}
}

static void test_every_stage_leaves_what_the_cpu_device_leaves(void **state)
{
	blst_p1 expected[CUDA_RESULT_COUNT];
	blst_p1 actual[CUDA_RESULT_COUNT];
	struct cuda_stages rig;

	(void)state;
	set_up_runtime();
	cuda_stages_run_on(&device_cpu, zkey, expected);
	assert_int_equal(
		cuda_stages_open(&rig, &device_cuda, zkey, (struct device_config){0}), STATUS_OK);
	assert_int_equal(cuda_stages_run(&rig, actual), STATUS_OK);
	assert_results_equal(actual, expected);
	cuda_stages_close(&rig);
	assert_int_equal(cuda_runtime.open_count, 0);
	assert_int_equal(cuda_runtime.used_bytes, 0);
}

/* Moves all entries of a matrix into its second row, which several threads share then. */
static void gather_rows(struct zkey_matrix *matrix)
{
	const uint32_t count = matrix->row_begin[matrix->row_count];

	assert_true(count > SPARSE_ROW_ENTRIES);
	matrix->row_begin[1] = 0;
	for (uint32_t i = 2; i <= matrix->row_count; i++) {
		matrix->row_begin[i] = count;
	}
}

static void test_a_witness_is_evaluated_as_on_the_cpu(void **state)
{
	const char *const circuits[] = {CIRCUIT, "sha256:4", "sha256:4"};

	(void)state;
	for (size_t i = 0; i < sizeof(circuits) / sizeof(circuits[0]); i++) {
		struct zkey *key = NULL;
		blst_fr *expected;
		blst_fr *actual;

		set_up_runtime();
		fixture_values(circuits[i], 1, NULL, NULL, &key);
		if (i == 2) {
			gather_rows(&key->b_matrix);
		}
		expected = cuda_stages_evaluate_on(&device_cpu, key);
		actual = cuda_stages_evaluate_on(&device_cuda, key);
		assert_memory_equal(expected, actual,
			DEVICE_VECTOR_COUNT * key->domain_size * sizeof(*expected));
		assert_int_equal(cuda_runtime.open_count, 0);
		free(expected);
		free(actual);
		zkey_destroy(key);
	}
}

static void test_without_matrices_nothing_is_evaluated(void **state)
{
	blst_fr *abc = calloc((size_t)DEVICE_VECTOR_COUNT * zkey->domain_size, sizeof(*abc));
	struct cuda_stages rig;

	(void)state;
	set_up_runtime();
	assert_int_equal(
		cuda_stages_open(&rig, &device_cuda, zkey, (struct device_config){0}), STATUS_OK);
	assert_int_equal(cuda_stages_evaluate(&rig, abc), STATUS_BAD_USE);
	cuda_stages_close(&rig);
	free(abc);
}

/* From twice what a proof takes with all points down to where the key is refused. */
static void test_a_key_that_does_not_fit_is_streamed_and_gives_the_same(void **state)
{
	blst_p1 expected[CUDA_RESULT_COUNT];
	blst_p1 actual[CUDA_RESULT_COUNT];
	uint64_t resident_bytes;
	uint64_t memory_bytes;
	uint32_t streamed_count = 0;
	struct cuda_stages rig;

	(void)state;
	cuda_stages_run_on(&device_cpu, zkey, expected);
	set_up_runtime();
	assert_int_equal(
		cuda_stages_open(&rig, &device_cuda, zkey, (struct device_config){0}), STATUS_OK);
	resident_bytes = cuda_runtime.used_bytes;
	assert_int_equal(cuda_stages_run(&rig, actual), STATUS_OK);
	memory_bytes = 2 * cuda_runtime.used_bytes;
	cuda_stages_close(&rig);
	for (enum status status = STATUS_OK; status == STATUS_OK; memory_bytes -= 24000) {
		set_up_runtime();
		cuda_runtime.memory_bytes = memory_bytes;
		status = cuda_stages_open(&rig, &device_cuda, zkey, (struct device_config){0});
		if (status == STATUS_OK && cuda_runtime.used_bytes < resident_bytes) {
			assert_int_equal(cuda_stages_run(&rig, actual), STATUS_OK);
			assert_results_equal(actual, expected);
			streamed_count++;
		}
		cuda_stages_close(&rig);
		assert_int_equal(cuda_runtime.open_count, 0);
	}
	assert_true(streamed_count > 1);
}

/* What it waits for, and allocates, would hold up the other workers of the device. */
static void test_a_second_proof_allocates_nothing_and_waits_for_its_stream_only(void **state)
{
	blst_p1 results[CUDA_RESULT_COUNT];
	struct cuda_stages rig;
	uint32_t alloc_count;

	(void)state;
	set_up_runtime();
	assert_int_equal(
		cuda_stages_open(&rig, &device_cuda, zkey, (struct device_config){0}), STATUS_OK);
	assert_int_equal(cuda_stages_run(&rig, results), STATUS_OK);
	alloc_count = cuda_runtime.alloc_count;
	cuda_runtime.synchronize_count = 0;
	/* Clocks that were compared long ago are compared again, which is another wait. */
	rig.device->meter.base_ns = UINT64_MAX / 2;
	assert_int_equal(cuda_stages_run(&rig, results), STATUS_OK);
	assert_int_equal(cuda_runtime.alloc_count, alloc_count);
	assert_int_equal(cuda_runtime.synchronize_count, 1);
	assert_int_equal(cuda_runtime.device_synchronize_count, 0);
	cuda_stages_close(&rig);
}

/* The driver's words end in these; they are told once. */
static void assert_words(const struct cuda_stages *rig, const char *expected)
{
	struct diag words;

	rig->ops->failure(rig->device, &words);
	if (expected[0] == '\0') {
		assert_string_equal(words.line, "");
	} else {
		assert_non_null(strstr(words.line, expected));
	}
}

/* Each call of the runtime in turn; every one is reported, and the device is of use afterwards. */
static void test_any_call_that_fails_ends_the_stream_and_nothing_leaks(void **state)
{
	blst_p1 results[CUDA_RESULT_COUNT];
	uint32_t call_count;
	struct cuda_stages rig;

	(void)state;
	set_up_runtime();
	assert_int_equal(
		cuda_stages_open(&rig, &device_cuda, zkey, (struct device_config){0}), STATUS_OK);
	call_count = cuda_runtime.call_count;
	assert_int_equal(cuda_stages_run(&rig, results), STATUS_OK);
	cuda_stages_close(&rig);
	assert_true(call_count > 8);
	for (uint32_t i = 1; i <= call_count + 12; i++) {
		enum status status;

		set_up_runtime();
		cuda_runtime.fails_at = i;
		status = cuda_stages_open(&rig, &device_cuda, zkey, (struct device_config){0});
		if (status == STATUS_OK) {
			status = cuda_stages_run(&rig, results);
			assert_int_equal(rig.ops->counts(rig.device).failed_count, 1);
			assert_words(&rig, "failed");
			assert_words(&rig, "");
			assert_int_equal(rig.ops->stream_synchronize(rig.stream), STATUS_OK);
		}
		assert_int_equal(status, STATUS_UNAVAILABLE);
		cuda_stages_close(&rig);
		assert_int_equal(cuda_runtime.open_count, 0);
	}
}

static void test_a_key_that_will_not_fit_with_a_proof_is_refused_when_it_is_loaded(void **state)
{
	struct cuda_stages rig;

	(void)state;
	set_up_runtime();
	cuda_runtime.memory_bytes = 1u << 16;
	assert_int_equal(cuda_stages_open(&rig, &device_cuda, zkey, (struct device_config){0}),
		STATUS_NO_MEMORY);
	assert_words(&rig, "0 MiB that are left: raise [gpu] memory_bytes, lower [srs] cache_max");
	assert_words(&rig, "");
	cuda_stages_close(&rig);
	assert_int_equal(cuda_runtime.alloc_count, 0);

	set_up_runtime();
	assert_int_equal(cuda_stages_open(&rig, &device_cuda, zkey,
				 (struct device_config){.memory_bytes = 1u << 16}),
		STATUS_NO_MEMORY);
	cuda_stages_close(&rig);
	assert_int_equal(cuda_runtime.alloc_count, 0);
}

/* The second key is small, and so are its proofs: alone it would fit beside the first. */
static void test_a_key_takes_nothing_that_proofs_of_another_need(void **state)
{
	struct device_key *second = NULL;
	blst_p1 results[CUDA_RESULT_COUNT];
	struct device_shape shape;
	struct zkey *small = NULL;
	struct cuda_stages rig;
	uint64_t promised_bytes;

	(void)state;
	fixture_values("squaring-chain:3", 1, NULL, NULL, &small);
	device_shape_of_key(small, &shape);
	set_up_runtime();
	assert_int_equal(
		cuda_stages_open(&rig, &device_cuda, zkey, (struct device_config){0}), STATUS_OK);
	promised_bytes = rig.device->promised_bytes;
	assert_true(promised_bytes > 0);
	/* The rig's own memory is of the proof. */
	cuda_runtime.memory_bytes =
		rig.device->key_bytes + promised_bytes + rig.stream->state->size;
	assert_int_equal(rig.ops->key_load(rig.device, small, &shape, &second), STATUS_NO_MEMORY);
	assert_words(&rig, "MiB that are left");
	assert_int_equal(cuda_stages_run(&rig, results), STATUS_OK);
	cuda_runtime.memory_bytes *= 2;
	assert_int_equal(rig.ops->key_load(rig.device, small, &shape, &second), STATUS_OK);
	assert_int_equal(rig.device->promised_bytes, promised_bytes);
	rig.ops->key_unload(rig.device, second);
	cuda_stages_close(&rig);
	assert_int_equal(cuda_runtime.open_count, 0);
	zkey_destroy(small);
}

static void test_memory_beyond_the_configured_limit_is_refused_by_name(void **state)
{
	struct device_memory *memory = NULL;
	struct cuda_stages rig;

	(void)state;
	set_up_runtime();
	assert_int_equal(cuda_stages_open(&rig, &device_cuda, zkey,
				 (struct device_config){.memory_bytes = 1u << 26}),
		STATUS_OK);
	assert_int_equal(rig.ops->memory_alloc(rig.device, 1u << 26, &memory), STATUS_NO_MEMORY);
	assert_words(&rig, "more than [gpu] memory_bytes leaves: raise it");
	assert_words(&rig, "");
	cuda_stages_close(&rig);
}

static void test_a_number_that_leads_out_of_a_query_fails_the_stream_once(void **state)
{
	struct device_scalars scalars = {0};
	uint32_t number = UINT32_MAX >> 1;
	struct cuda_stages rig;

	(void)state;
	set_up_runtime();
	assert_int_equal(
		cuda_stages_open(&rig, &device_cuda, zkey, (struct device_config){0}), STATUS_OK);
	scalars.memory = rig.memory;
	scalars.one_count = 1;
	scalars.ones_offset = cuda_stages_scalars_offset(&rig);
	assert_int_equal(
		cuda_stages_upload(&rig, scalars.ones_offset, &number, sizeof(number)), STATUS_OK);
	assert_int_equal(rig.ops->sum_ones(rig.stream, rig.key, DEVICE_QUERY_A, &scalars,
				 cuda_stages_result(&rig, 0)),
		STATUS_OK);
	assert_int_equal(rig.ops->stream_synchronize(rig.stream), STATUS_INTERNAL);
	assert_int_equal(rig.ops->stream_synchronize(rig.stream), STATUS_OK);
	cuda_stages_close(&rig);
}

static void test_a_failed_stream_fails_those_that_wait_for_its_event(void **state)
{
	const struct device_config config = {.fault = DEVICE_FAULT_TRANSFORM};
	struct device_stream *other = NULL;
	struct device_event *event = NULL;
	struct cuda_stages rig;

	(void)state;
	set_up_runtime();
	assert_int_equal(cuda_stages_open(&rig, &device_cuda, zkey, config), STATUS_OK);
	assert_int_equal(rig.ops->stream_open(rig.device, &other), STATUS_OK);
	assert_int_equal(rig.ops->event_open(rig.device, &event), STATUS_OK);
	assert_int_equal(rig.ops->transform(
				 rig.stream, rig.key, DEVICE_VECTOR_A, cuda_stages_vector(&rig, 0)),
		STATUS_OK);
	assert_int_equal(rig.ops->event_record(event, rig.stream), STATUS_OK);
	assert_int_equal(rig.ops->stream_wait(other, event), STATUS_OK);
	assert_int_equal(rig.ops->stream_synchronize(other), STATUS_INTERNAL);
	assert_int_equal(rig.ops->stream_synchronize(rig.stream), STATUS_INTERNAL);
	rig.ops->event_close(rig.device, event);
	rig.ops->stream_close(rig.device, other);
	cuda_stages_close(&rig);
	assert_int_equal(cuda_runtime.open_count, 0);
}

/* One after the other on one stream: what is not a kernel is idle, to the nanosecond. */
static void test_busy_and_idle_sum_to_the_window(void **state)
{
	struct device_config config = {0};
	blst_p1 results[CUDA_RESULT_COUNT];
	struct idle_counts idle;
	struct device_counts counts;
	struct cuda_stages rig;
	uint64_t outer_ns;
	uint64_t inner_ns;
	uint64_t sum_ns;

	(void)state;
	set_up_runtime();
	assert_int_equal(idle_meter_create(1, 1, &config.meter), STATUS_OK);
	assert_int_equal(cuda_stages_open(&rig, &device_cuda, zkey, config), STATUS_OK);
	outer_ns = clock_now_ns();
	idle_meter_job_submit(config.meter);
	inner_ns = clock_now_ns();
	assert_int_equal(cuda_stages_run(&rig, results), STATUS_OK);
	inner_ns = clock_now_ns() - inner_ns;
	idle_meter_job_end(config.meter);
	outer_ns = clock_now_ns() - outer_ns;
	counts = rig.ops->counts(rig.device);
	idle = idle_meter_counts(config.meter, 0);
	sum_ns = counts.lane_busy_ns + idle.idle_ns;
	assert_in_range(sum_ns, inner_ns, outer_ns);
	assert_true(counts.copy_busy_ns > 0);
	assert_in_range(counts.lane_busy_ns, 1, outer_ns - counts.copy_busy_ns);
	assert_int_equal(rig.device->meter.count, 0);
	cuda_stages_close(&rig);
	idle_meter_destroy(config.meter);
	assert_int_equal(cuda_runtime.open_count, 0);
}

static void test_kernels_beside_each_other_are_busy_once(void **state)
{
	struct device_stream *other = NULL;
	struct cuda_stages rig;
	uint64_t begin_ns;
	uint64_t wall_ns;

	(void)state;
	set_up_runtime();
	assert_int_equal(
		cuda_stages_open(&rig, &device_cuda, zkey, (struct device_config){0}), STATUS_OK);
	assert_int_equal(rig.ops->stream_open(rig.device, &other), STATUS_OK);
	begin_ns = clock_now_ns();
	assert_int_equal(device_cuda_meter_begin(rig.stream, TIMING_KERNEL), STATUS_OK);
	assert_int_equal(device_cuda_meter_begin(other, TIMING_KERNEL), STATUS_OK);
	assert_int_equal(usleep(5000), 0);
	assert_int_equal(device_cuda_meter_end(other, STATUS_OK), STATUS_OK);
	assert_int_equal(device_cuda_meter_end(rig.stream, STATUS_OK), STATUS_OK);
	wall_ns = clock_now_ns() - begin_ns;
	assert_int_equal(rig.ops->stream_synchronize(rig.stream), STATUS_OK);
	assert_in_range(rig.ops->counts(rig.device).lane_busy_ns, 5000000, wall_ns);
	rig.ops->stream_close(rig.device, other);
	cuda_stages_close(&rig);
}

/* More than can be timed, none of it done yet: it runs all the same, and what is timed is counted
 * when the device gets there. */
static void test_what_the_device_has_not_reached_is_counted_later(void **state)
{
	struct cuda_stages rig;

	(void)state;
	set_up_runtime();
	assert_int_equal(
		cuda_stages_open(&rig, &device_cuda, zkey, (struct device_config){0}), STATUS_OK);
	cuda_runtime.marks_are_late = true;
	for (int i = 0; i < TIMING_COUNT_MAX + 10; i++) {
		assert_int_equal(rig.ops->transform(rig.stream, rig.key, DEVICE_VECTOR_A,
					 cuda_stages_vector(&rig, 0)),
			STATUS_OK);
	}
	assert_int_equal(rig.ops->stream_synchronize(rig.stream), STATUS_OK);
	assert_int_equal(rig.ops->counts(rig.device).lane_busy_ns, 0);
	assert_int_equal(rig.device->meter.count, TIMING_COUNT_MAX);
	cuda_runtime.marks_are_late = false;
	assert_int_equal(rig.ops->stream_synchronize(rig.stream), STATUS_OK);
	assert_true(rig.ops->counts(rig.device).lane_busy_ns > 0);
	assert_int_equal(rig.device->meter.count, 0);
	cuda_stages_close(&rig);
	assert_int_equal(cuda_runtime.open_count, 0);
}

static void test_without_a_driver_it_does_not_open(void **state)
{
	struct cuda_stages rig;

	(void)state;
	set_up_runtime();
	cuda_runtime.has_no_driver = true;
	assert_int_equal(cuda_stages_open(&rig, &device_cuda, zkey, (struct device_config){0}),
		STATUS_UNAVAILABLE);
	cuda_stages_close(&rig);
	assert_int_equal(cuda_runtime.open_count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_stage_leaves_what_the_cpu_device_leaves),
		cmocka_unit_test(test_a_witness_is_evaluated_as_on_the_cpu),
		cmocka_unit_test(test_without_matrices_nothing_is_evaluated),
		cmocka_unit_test(test_a_key_that_does_not_fit_is_streamed_and_gives_the_same),
		cmocka_unit_test(
			test_a_second_proof_allocates_nothing_and_waits_for_its_stream_only),
		cmocka_unit_test(test_any_call_that_fails_ends_the_stream_and_nothing_leaks),
		cmocka_unit_test(
			test_a_key_that_will_not_fit_with_a_proof_is_refused_when_it_is_loaded),
		cmocka_unit_test(test_a_key_takes_nothing_that_proofs_of_another_need),
		cmocka_unit_test(test_memory_beyond_the_configured_limit_is_refused_by_name),
		cmocka_unit_test(test_a_number_that_leads_out_of_a_query_fails_the_stream_once),
		cmocka_unit_test(test_a_failed_stream_fails_those_that_wait_for_its_event),
		cmocka_unit_test(test_busy_and_idle_sum_to_the_window),
		cmocka_unit_test(test_kernels_beside_each_other_are_busy_once),
		cmocka_unit_test(test_what_the_device_has_not_reached_is_counted_later),
		cmocka_unit_test(test_without_a_driver_it_does_not_open),
	};

	return cmocka_run_group_tests(tests, make_key, free_key);
}
