/* SPDX-License-Identifier: MIT */
/*
 * Proves, over a runtime that is the host, that the cuda device leaves what the cpu device leaves
 * at every stage of a proof, and that whatever fails ends its stream and leaks nothing.
 */
#include "prover/device/device.h"
#include "prover/groth16/scalars.h"
#include "tests/unit/cuda_runtime.h"
#include "tests/unit/groth16_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define CIRCUIT "squaring-chain:250"

enum {
	RESULT_H,
	RESULT_ONES, /* of L, A and B1 */
	RESULT_TAILS = RESULT_ONES + 3,
	RESULT_COUNT = RESULT_TAILS + 3
};

static struct zkey *zkey;

struct rig {
	const struct device_ops *ops;
	struct device_driver *driver;
	struct device *device;
	struct device_key *key;
	struct device_memory *memory; /* three vectors, then results, then scalars */
	struct device_stream *stream;
	struct device_shape shape;
};

static int make_key(void **state)
{
	struct r1cs *r1cs = NULL;
	struct wtns *witness = NULL;

	(void)state;
	fixture_values(CIRCUIT, 1, &r1cs, &witness, &zkey);
	r1cs_destroy(r1cs);
	wtns_destroy(witness);
	return 0;
}

static int free_key(void **state)
{
	(void)state;
	zkey_destroy(MOVE(zkey));
	return 0;
}

static uint64_t random_word(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static uint64_t vector_bytes(const struct rig *rig)
{
	return rig->shape.domain_size * sizeof(blst_fr);
}

static struct device_place vector_place(const struct rig *rig, int vector)
{
	return (struct device_place){rig->memory, (uint64_t)vector * vector_bytes(rig)};
}

static struct device_place result_place(const struct rig *rig, int result)
{
	return (struct device_place){
		rig->memory, 3 * vector_bytes(rig) + (uint64_t)result * sizeof(blst_p1)};
}

static uint64_t scalars_offset(const struct rig *rig)
{
	return 3 * vector_bytes(rig) + 16 * sizeof(blst_p1);
}

static enum status rig_open(
	struct rig *rig, const struct device_ops *ops, struct device_config config)
{
	enum status status;

	*rig = (struct rig){.ops = ops};
	device_shape_of_key(zkey, &rig->shape);
	assert_int_equal(device_driver_create(&rig->driver), STATUS_OK);
	config.driver = rig->driver;
	status = ops->open(&config, NULL, &rig->device);
	if (status == STATUS_OK) {
		status = ops->key_load(rig->device, zkey, &rig->shape, &rig->key);
	}
	if (status == STATUS_OK) {
		status = ops->memory_alloc(
			rig->device, scalars_offset(rig) + (1u << 20), &rig->memory);
	}
	return status == STATUS_OK ? ops->stream_open(rig->device, &rig->stream) : status;
}

static void rig_close(struct rig *rig)
{
	if (rig->device) {
		rig->ops->stream_close(rig->device, rig->stream);
		rig->ops->memory_free(rig->device, rig->memory);
		rig->ops->key_unload(rig->device, rig->key);
		rig->ops->close(rig->device);
	}
	device_driver_destroy(rig->driver);
}

static enum status upload(struct rig *rig, uint64_t offset, void *host, uint64_t bytes)
{
	return bytes ? rig->ops->upload(rig->stream, &(struct device_copy){.memory = rig->memory,
							     .offset_bytes = offset,
							     .bytes = bytes,
							     .host = host})
		     : STATUS_OK;
}

/* a, b and c go up and become H's sum. */
static enum status sum_h(struct rig *rig)
{
	struct device_place places[DEVICE_VECTOR_COUNT];
	blst_fr *vector = malloc(vector_bytes(rig));
	uint64_t random = 1234567;
	enum status status = STATUS_OK;

	for (int i = 0; i < DEVICE_VECTOR_COUNT && status == STATUS_OK; i++) {
		for (uint64_t k = 0; k < rig->shape.domain_size; k++) {
			const uint64_t words[4] = {random_word(&random), 7, 8, 9};

			blst_fr_from_uint64(&vector[k], words);
		}
		places[i] = vector_place(rig, i);
		status = upload(rig, places[i].offset_bytes, vector, vector_bytes(rig));
		if (status == STATUS_OK) {
			status = rig->ops->transform(
				rig->stream, rig->key, (enum device_vector)i, places[i]);
		}
	}
	free(vector);
	if (status == STATUS_OK) {
		status = rig->ops->quotient(rig->stream, rig->key, places);
	}
	return status == STATUS_OK ? rig->ops->msm_h(rig->stream, rig->key, places[DEVICE_VECTOR_C],
					     result_place(rig, RESULT_H))
				   : status;
}

static void make_witness(blst_scalar *scalars, uint8_t *classes, uint32_t count)
{
	uint64_t random = 99;

	for (uint32_t i = 0; i < count; i++) {
		uint64_t words[4] = {random_word(&random)};

		switch (i % 5) {
		case 0:
			words[0] %= 2;
			break;
		case 1:
			memcpy(words,
				(uint64_t[]){0xffffffff00000000, 0x53bda402fffe5bfe,
					0x3339d80809a1d805, 0x73eda753299d7d48},
				sizeof(words));
			break;
		case 2:
			break;
		default:
			words[3] = random_word(&random) >> 2;
		}
		memcpy(scalars[i].b, words, sizeof(words));
	}
	scalars_classify_all(scalars, count, classes);
}

static uint64_t align(uint64_t offset)
{
	return (offset + 63) / 64 * 64;
}

static enum status upload_tail(struct rig *rig, const struct scalar_tail *tail, uint64_t *offset,
	struct device_tail *out_tail)
{
	const uint64_t bytes = (uint64_t)tail->count * ((tail->bit_count + 7) / 8);
	enum status status;

	out_tail->count = tail->count;
	out_tail->bit_count = tail->bit_count;
	out_tail->indices_offset = *offset;
	status = upload(rig, *offset, tail->indices, tail->count * sizeof(uint32_t));
	*offset = align(*offset + tail->count * sizeof(uint32_t));
	out_tail->scalars_offset = *offset;
	if (status == STATUS_OK) {
		status = upload(rig, *offset, tail->scalars, bytes);
	}
	*offset = align(*offset + bytes);
	return status;
}

static enum status upload_scalars(
	struct rig *rig, const struct msm_input *input, struct device_scalars *out_scalars)
{
	const uint64_t count = (uint64_t)input->one_count + input->minus_one_count;
	uint64_t offset = align(scalars_offset(rig));
	enum status status;

	*out_scalars = (struct device_scalars){.memory = rig->memory,
		.one_count = input->one_count,
		.minus_one_count = input->minus_one_count,
		.ones_offset = offset};
	status = upload(rig, offset, input->ones, count * sizeof(uint32_t));
	offset = align(offset + count * sizeof(uint32_t));
	if (status == STATUS_OK) {
		status = upload_tail(rig, &input->small, &offset, &out_scalars->small);
	}
	return status == STATUS_OK ? upload_tail(rig, &input->wide, &offset, &out_scalars->wide)
				   : status;
}

static enum status sum_query(
	struct rig *rig, const struct zkey_query_g1 *points, enum device_query query)
{
	const struct msm_query msm_query = {.group = CURVE_G1,
		.count = points->count,
		.wires = points->wires,
		.points = points->points};
	blst_scalar *witness = calloc(zkey->wire_count, sizeof(*witness));
	uint8_t *classes = calloc(zkey->wire_count, 1);
	struct device_scalars scalars;
	struct msm_input input;
	enum status status;

	make_witness(witness, classes, zkey->wire_count);
	assert_int_equal(msm_input_init(&msm_query, witness, classes, &input), STATUS_OK);
	status = upload_scalars(rig, &input, &scalars);
	if (status == STATUS_OK) {
		status = rig->ops->sum_ones(rig->stream, rig->key, query, &scalars,
			result_place(rig, RESULT_ONES + (int)query - 1));
	}
	if (status == STATUS_OK) {
		status = rig->ops->msm(rig->stream, rig->key, query, &scalars,
			result_place(rig, RESULT_TAILS + (int)query - 1));
	}
	msm_input_finish(&input);
	free(witness);
	free(classes);
	return status;
}

/* All stages of a proof; a failure of a call or of the stream. */
static enum status run_stages(struct rig *rig, blst_p1 results[RESULT_COUNT])
{
	struct device_copy copy = {.memory = rig->memory,
		.offset_bytes = result_place(rig, 0).offset_bytes,
		.bytes = RESULT_COUNT * sizeof(blst_p1),
		.host = results};
	enum status status = sum_h(rig);
	enum status end_status;

	if (status == STATUS_OK) {
		status = sum_query(rig, &zkey->l, DEVICE_QUERY_L);
	}
	if (status == STATUS_OK) {
		status = sum_query(rig, &zkey->a, DEVICE_QUERY_A);
	}
	if (status == STATUS_OK) {
		status = sum_query(rig, &zkey->b1, DEVICE_QUERY_B1);
	}
	if (status == STATUS_OK) {
		status = rig->ops->download(rig->stream, &copy);
	}
	end_status = rig->ops->stream_synchronize(rig->stream);
	return status == STATUS_OK ? end_status : status;
}

static void set_up_runtime(void)
{
	cuda_runtime = (struct cuda_runtime){.memory_bytes = 1ULL << 30};
}

static void expect_results(blst_p1 results[RESULT_COUNT])
{
	struct rig rig;

	assert_int_equal(rig_open(&rig, &device_cpu, (struct device_config){0}), STATUS_OK);
	assert_int_equal(run_stages(&rig, results), STATUS_OK);
	rig_close(&rig);
}

static void assert_results_equal(const blst_p1 *actual, const blst_p1 *expected)
{
	for (int i = 0; i < RESULT_COUNT; i++) {
		assert_true(blst_p1_is_equal(&actual[i], &expected[i]));
		assert_false(blst_p1_is_inf(&expected[i]));
	}
}

static void test_every_stage_leaves_what_the_cpu_device_leaves(void **state)
{
	blst_p1 expected[RESULT_COUNT];
	blst_p1 actual[RESULT_COUNT];
	struct rig rig;

	(void)state;
	set_up_runtime();
	expect_results(expected);
	assert_int_equal(rig_open(&rig, &device_cuda, (struct device_config){0}), STATUS_OK);
	assert_int_equal(run_stages(&rig, actual), STATUS_OK);
	assert_results_equal(actual, expected);
	rig_close(&rig);
	assert_int_equal(cuda_runtime.open_count, 0);
	assert_int_equal(cuda_runtime.used_bytes, 0);
}

/* What it waits for, and allocates, would hold up the other workers of the device. */
static void test_a_second_proof_allocates_nothing_and_waits_for_its_stream_only(void **state)
{
	blst_p1 results[RESULT_COUNT];
	struct rig rig;
	uint32_t alloc_count;

	(void)state;
	set_up_runtime();
	assert_int_equal(rig_open(&rig, &device_cuda, (struct device_config){0}), STATUS_OK);
	assert_int_equal(run_stages(&rig, results), STATUS_OK);
	alloc_count = cuda_runtime.alloc_count;
	cuda_runtime.synchronize_count = 0;
	assert_int_equal(run_stages(&rig, results), STATUS_OK);
	assert_int_equal(cuda_runtime.alloc_count, alloc_count);
	assert_int_equal(cuda_runtime.synchronize_count, 1);
	assert_int_equal(cuda_runtime.device_synchronize_count, 0);
	rig_close(&rig);
}

/* The driver's words end in these; they are told once. */
static void assert_words(const struct rig *rig, const char *expected)
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
	blst_p1 results[RESULT_COUNT];
	uint32_t call_count;
	struct rig rig;

	(void)state;
	set_up_runtime();
	assert_int_equal(rig_open(&rig, &device_cuda, (struct device_config){0}), STATUS_OK);
	call_count = cuda_runtime.call_count;
	assert_int_equal(run_stages(&rig, results), STATUS_OK);
	rig_close(&rig);
	assert_true(call_count > 8);
	for (uint32_t i = 1; i <= call_count + 12; i++) {
		enum status status;

		set_up_runtime();
		cuda_runtime.fails_at = i;
		status = rig_open(&rig, &device_cuda, (struct device_config){0});
		if (status == STATUS_OK) {
			status = run_stages(&rig, results);
			assert_int_equal(rig.ops->counts(rig.device).failed_count, 1);
			assert_words(&rig, "failed");
			assert_words(&rig, "");
			assert_int_equal(rig.ops->stream_synchronize(rig.stream), STATUS_OK);
		}
		assert_int_equal(status, STATUS_UNAVAILABLE);
		rig_close(&rig);
		assert_int_equal(cuda_runtime.open_count, 0);
	}
}

static void test_a_key_that_will_not_fit_with_a_proof_is_refused_when_it_is_loaded(void **state)
{
	struct rig rig;

	(void)state;
	set_up_runtime();
	cuda_runtime.memory_bytes = 1u << 16;
	assert_int_equal(rig_open(&rig, &device_cuda, (struct device_config){0}), STATUS_NO_MEMORY);
	rig_close(&rig);
	assert_int_equal(cuda_runtime.alloc_count, 0);

	set_up_runtime();
	assert_int_equal(
		rig_open(&rig, &device_cuda, (struct device_config){.memory_bytes = 1u << 16}),
		STATUS_NO_MEMORY);
	rig_close(&rig);
	assert_int_equal(cuda_runtime.alloc_count, 0);
}

static void test_a_number_that_leads_out_of_a_query_fails_the_stream_once(void **state)
{
	struct device_scalars scalars = {0};
	uint32_t number = UINT32_MAX >> 1;
	struct rig rig;

	(void)state;
	set_up_runtime();
	assert_int_equal(rig_open(&rig, &device_cuda, (struct device_config){0}), STATUS_OK);
	scalars.memory = rig.memory;
	scalars.one_count = 1;
	scalars.ones_offset = scalars_offset(&rig);
	assert_int_equal(upload(&rig, scalars.ones_offset, &number, sizeof(number)), STATUS_OK);
	assert_int_equal(rig.ops->sum_ones(rig.stream, rig.key, DEVICE_QUERY_A, &scalars,
				 result_place(&rig, 0)),
		STATUS_OK);
	assert_int_equal(rig.ops->stream_synchronize(rig.stream), STATUS_INTERNAL);
	assert_int_equal(rig.ops->stream_synchronize(rig.stream), STATUS_OK);
	rig_close(&rig);
}

static void test_a_failed_stream_fails_those_that_wait_for_its_event(void **state)
{
	const struct device_config config = {.fault = DEVICE_FAULT_TRANSFORM};
	struct device_stream *other = NULL;
	struct device_event *event = NULL;
	struct rig rig;

	(void)state;
	set_up_runtime();
	assert_int_equal(rig_open(&rig, &device_cuda, config), STATUS_OK);
	assert_int_equal(rig.ops->stream_open(rig.device, &other), STATUS_OK);
	assert_int_equal(rig.ops->event_open(rig.device, &event), STATUS_OK);
	assert_int_equal(
		rig.ops->transform(rig.stream, rig.key, DEVICE_VECTOR_A, vector_place(&rig, 0)),
		STATUS_OK);
	assert_int_equal(rig.ops->event_record(event, rig.stream), STATUS_OK);
	assert_int_equal(rig.ops->stream_wait(other, event), STATUS_OK);
	assert_int_equal(rig.ops->stream_synchronize(other), STATUS_INTERNAL);
	assert_int_equal(rig.ops->stream_synchronize(rig.stream), STATUS_INTERNAL);
	rig.ops->event_close(rig.device, event);
	rig.ops->stream_close(rig.device, other);
	rig_close(&rig);
	assert_int_equal(cuda_runtime.open_count, 0);
}

static void test_without_a_driver_it_does_not_open(void **state)
{
	struct rig rig;

	(void)state;
	set_up_runtime();
	cuda_runtime.has_no_driver = true;
	assert_int_equal(
		rig_open(&rig, &device_cuda, (struct device_config){0}), STATUS_UNAVAILABLE);
	rig_close(&rig);
	assert_int_equal(cuda_runtime.open_count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_stage_leaves_what_the_cpu_device_leaves),
		cmocka_unit_test(
			test_a_second_proof_allocates_nothing_and_waits_for_its_stream_only),
		cmocka_unit_test(test_any_call_that_fails_ends_the_stream_and_nothing_leaks),
		cmocka_unit_test(
			test_a_key_that_will_not_fit_with_a_proof_is_refused_when_it_is_loaded),
		cmocka_unit_test(test_a_number_that_leads_out_of_a_query_fails_the_stream_once),
		cmocka_unit_test(test_a_failed_stream_fails_those_that_wait_for_its_event),
		cmocka_unit_test(test_without_a_driver_it_does_not_open),
	};

	return cmocka_run_group_tests(tests, make_key, free_key);
}
