/* SPDX-License-Identifier: MIT */
/* Proves that the GPU's multi-scalar sums, kernel by kernel on the host, are those of groth16/msm.
 */
#include "prover/groth16/field.h"
#include "prover/groth16/msm.h"
#include "prover/groth16/work_pool.h"
#include "tests/unit/cuda_emulation.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* What nvcc made of the kernels is run without optimisation. */
#ifdef CUDA_EMULATION_PTX
enum {
	LARGER = 130,
	ALIKE = 200
};
#else
enum {
	LARGER = 2500,
	ALIKE = 5000
};
#endif

enum {
	POINTS_MAX = 6000,
	ALIGNMENT = 256,
	GUARD_BYTES = 256,
	GUARD = 0xa5
};

enum scalar_kind {
	SCALARS_MIXED, /* edges and random ones */
	SCALARS_EQUAL, /* one bucket in each window */
	SCALARS_ZERO
};

struct problem {
	uint32_t count;
	blst_p1_affine *points;
	blst_scalar *scalars;
};

static uint64_t random_word(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static void *allocate(uint64_t bytes)
{
	void *memory = aligned_alloc(ALIGNMENT, (bytes / ALIGNMENT + 1) * ALIGNMENT);

	assert_non_null(memory);
	memset(memory, GUARD, (bytes / ALIGNMENT + 1) * ALIGNMENT);
	return memory;
}

/* Few different points, so that equal and opposite ones meet; and one at infinity. */
static void set_points(struct problem *problem)
{
	blst_p1_affine different[32];

	for (uint32_t i = 0; i < 32; i++) {
		const byte factor = (byte)(i / 2 + 1);
		blst_p1 point;

		blst_p1_mult(&point, blst_p1_generator(), &factor, 8);
		blst_p1_cneg(&point, i % 2 == 1);
		blst_p1_to_affine(&different[i], &point);
	}
	for (uint32_t i = 0; i < problem->count; i++) {
		problem->points[i] = different[(i * 7 + i / 31) % 32];
	}
	if (problem->count > 5) {
		memset(&problem->points[5], 0, sizeof(problem->points[5]));
	}
}

static void set_scalar(blst_scalar *scalar, enum scalar_kind kind, uint32_t i, uint64_t *random)
{
	uint64_t words[4] = {0};

	if (kind == SCALARS_ZERO) {
		memset(scalar, 0, sizeof(*scalar));
		return;
	}
	for (size_t k = 0; k < 4; k++) {
		words[k] = random_word(random);
	}
	words[3] >>= 2;
	if (kind == SCALARS_EQUAL || i % 8 == 1) {
		memcpy(words, field_scalar_modulus, sizeof(words));
		words[0]--;
		words[1] -= words[0] == UINT64_MAX;
		words[0] -= kind == SCALARS_EQUAL;
	} else if (i % 8 == 2) {
		memcpy(words, (uint64_t[]){0, 0, 0, 1ULL << 62}, sizeof(words));
	} else if (i % 8 == 3) {
		memset(words, 0, sizeof(words));
		words[0] = i % 16 == 3;
	} else if (i % 8 == 4) {
		memset(words, 0xff, sizeof(words));
		words[3] >>= 2;
	}
	memcpy(scalar->b, words, sizeof(words));
}

static struct problem problem_make(uint32_t count, enum scalar_kind kind)
{
	struct problem problem = {.count = count};
	uint64_t random = 0x9e3779b97f4a7c15 + count;

	assert_in_range(count, 0, POINTS_MAX);
	/* Behind them one at infinity. */
	problem.points = allocate((count + 1) * sizeof(problem.points[0]));
	memset(&problem.points[count], 0, sizeof(problem.points[count]));
	problem.scalars = allocate(count * sizeof(problem.scalars[0]));
	set_points(&problem);
	for (uint32_t i = 0; i < count; i++) {
		set_scalar(&problem.scalars[i], kind, i, &random);
	}
	return problem;
}

static void problem_finish(struct problem *problem)
{
	free(problem->points);
	free(problem->scalars);
}

/* The sum by groth16/msm, over scalars wires[i] if there are wires. */
static blst_p1 expect_sum(const struct problem *problem, const uint32_t *wires)
{
	const struct msm_query query = {.group = CURVE_G1,
		.count = problem->count,
		.wires = wires,
		.points = problem->points};
	AUTO(work_pool_destroy) struct work_pool *pool = NULL;
	uint8_t *classes = allocate(problem->count);
	struct curve_point sum;
	struct msm msm;

	assert_int_equal(work_pool_create(1, "test", &pool), STATUS_OK);
	scalars_classify_all(problem->scalars, problem->count, classes);
	msm_init(&msm, 1);
	assert_int_equal(msm_prepare(&msm, &query, problem->scalars, classes), STATUS_OK);
	assert_int_equal(msm_run_ones(&msm, pool), STATUS_OK);
	assert_int_equal(msm_run_tails(&msm, pool), STATUS_OK);
	msm_result(&msm, CURVE_G1, &sum);
	msm_finish(&msm);
	free(classes);
	return sum.g1;
}

static void assert_point_equal(const struct jacobian *actual, const blst_p1 *expected)
{
	blst_p1 point;

	memcpy(&point, actual, sizeof(point));
	assert_true(blst_p1_is_equal(&point, expected));
}

static void assert_guarded(const uint8_t *scratch, uint64_t bytes)
{
	for (uint32_t i = 0; i < GUARD_BYTES; i++) {
		assert_int_equal(scratch[bytes + i], GUARD);
	}
}

struct run {
	struct sums sums;
	struct xyzz totals[2];
	struct jacobian result;
	uint32_t is_broken;
};

static void run_init(struct run *run, const struct problem *problem)
{
	memset(run, 0, sizeof(*run));
	run->sums.input.scalars = (const uint32_t *)(const void *)problem->scalars;
	run->sums.input.count = problem->count;
	run->sums.input.point_count = problem->count;
	run->sums.input.scalar_count = problem->count;
	run->sums.input.point_end = problem->count;
	run->sums.points = (const struct affine *)(const void *)problem->points;
	run->sums.total = &run->totals[0];
	run->sums.kept = &run->totals[1];
	run->sums.result = &run->result;
	run->sums.buckets.is_broken = &run->is_broken;
}

/* Plans, runs and stores. */
static void run_terms(
	struct run *run, struct cuda_emulation *emulation, uint32_t bit_count, uint32_t entries_max)
{
	const struct sums_launcher launcher = cuda_emulation_launcher(emulation);
	struct sums_plan plan;
	uint8_t *scratch;

	assert_int_equal(
		sums_plan_terms(run->sums.input.count, bit_count, entries_max, &plan), STATUS_OK);
	scratch = allocate(plan.scratch_bytes + GUARD_BYTES);
	sums_place(&run->sums, &plan, scratch);
	assert_int_equal(sums_run_clear(&launcher, &run->sums), STATUS_OK);
	assert_int_equal(sums_run_terms(&launcher, &plan, bit_count, &run->sums), STATUS_OK);
	assert_int_equal(sums_run_store(&launcher, &run->sums), STATUS_OK);
	assert_guarded(scratch, plan.scratch_bytes);
	free(scratch);
}

static void check_terms(uint32_t count, enum scalar_kind kind, uint32_t entries_max)
{
	struct problem problem = problem_make(count, kind);
	const blst_p1 expected = expect_sum(&problem, NULL);

	for (int i = 0; i < 2; i++) {
		struct cuda_emulation emulation = {.is_backwards = i == 1};
		struct run run;

		run_init(&run, &problem);
		run_terms(&run, &emulation, SCALARS_WIDE_BITS, entries_max);
		assert_point_equal(&run.result, &expected);
		assert_int_equal(run.is_broken, 0);
	}
	problem_finish(&problem);
}

static void test_small_sums_are_those_of_the_cpu_in_either_order_of_threads(void **state)
{
	static const uint32_t counts[] = {0, 1, 2, 63, 64, 65, 300};

	(void)state;
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		check_terms(counts[i], SCALARS_MIXED, SUMS_ENTRIES_MAX);
	}
}

static void test_a_larger_sum_is_that_of_the_cpu(void **state)
{
	(void)state;
	check_terms(LARGER, SCALARS_MIXED, SUMS_ENTRIES_MAX);
}

static void test_windows_sorted_a_few_at_a_time_give_the_same(void **state)
{
	(void)state;
	check_terms(300, SCALARS_MIXED, 700);
	check_terms(300, SCALARS_MIXED, 1);
}

static void test_all_points_in_one_bucket_are_split_over_threads(void **state)
{
	(void)state;
	check_terms(ALIKE, SCALARS_EQUAL, SUMS_ENTRIES_MAX);
}

static void test_all_scalars_zero_give_infinity(void **state)
{
	(void)state;
	check_terms(100, SCALARS_ZERO, SUMS_ENTRIES_MAX);
}

static void test_points_belong_to_the_scalars_of_their_wires(void **state)
{
	struct problem problem = problem_make(200, SCALARS_MIXED);
	struct cuda_emulation emulation = {0};
	uint32_t wires[200];
	struct run run;
	blst_p1 expected;

	(void)state;
	for (uint32_t i = 0; i < 200; i++) {
		wires[i] = i * 37 % 200;
	}
	expected = expect_sum(&problem, wires);
	run_init(&run, &problem);
	run.sums.input.scalar_of_point = wires;
	run_terms(&run, &emulation, SCALARS_WIDE_BITS, SUMS_ENTRIES_MAX);
	assert_point_equal(&run.result, &expected);
	problem_finish(&problem);
}

/* As a device gets them: both tails, and the ones on their own. */
static void test_sorted_scalars_and_ones_together_are_the_whole_sum(void **state)
{
	struct problem problem = problem_make(700, SCALARS_MIXED);
	const struct msm_query query = {.group = CURVE_G1, .count = 700, .points = problem.points};
	const blst_p1 expected = expect_sum(&problem, NULL);
	struct cuda_emulation emulation = {0};
	const struct sums_launcher launcher = cuda_emulation_launcher(&emulation);
	uint8_t classes[700];
	struct msm_input input;
	struct sums_plan plan;
	struct run run;
	struct run ones;
	blst_p1 tails;
	blst_p1 sum;
	void *scratch;

	(void)state;
	scalars_classify_all(problem.scalars, problem.count, classes);
	assert_int_equal(msm_input_init(&query, problem.scalars, classes, &input), STATUS_OK);
	assert_true(input.one_count > 0 && input.minus_one_count > 0 && input.wide.count > 0);

	run_init(&run, &problem);
	run.sums.input.scalars = (const uint32_t *)(const void *)input.wide.scalars;
	run.sums.input.point_of_scalar = input.wide.indices;
	run.sums.input.count = input.wide.count;
	run_terms(&run, &emulation, input.wide.bit_count, SUMS_ENTRIES_MAX);
	memcpy(&tails, &run.result, sizeof(tails));

	run_init(&ones, &problem);
	ones.sums.input.point_of_scalar = input.ones;
	ones.sums.input.count = input.one_count + input.minus_one_count;
	ones.sums.minus_first = input.one_count;
	assert_int_equal(sums_plan_list(ones.sums.input.count, &plan), STATUS_OK);
	scratch = allocate(plan.scratch_bytes);
	sums_place(&ones.sums, &plan, scratch);
	assert_int_equal(sums_run_list(&launcher, &plan, &ones.sums), STATUS_OK);
	assert_int_equal(sums_run_store(&launcher, &ones.sums), STATUS_OK);
	memcpy(&sum, &ones.result, sizeof(sum));
	blst_p1_add_or_double(&sum, &sum, &tails);
	assert_true(blst_p1_is_equal(&sum, &expected));

	free(scratch);
	msm_input_finish(&input);
	problem_finish(&problem);
}

static void test_scalars_of_64_bits_take_fewer_windows(void **state)
{
	struct problem problem = problem_make(300, SCALARS_ZERO);
	struct cuda_emulation emulation = {0};
	uint64_t *words = allocate(300 * sizeof(*words));
	uint64_t random = 77;
	struct run run;
	blst_p1 expected;

	(void)state;
	for (uint32_t i = 0; i < 300; i++) {
		words[i] = i % 5 ? random_word(&random) : UINT64_MAX;
		memcpy(problem.scalars[i].b, &words[i], sizeof(words[i]));
	}
	expected = expect_sum(&problem, NULL);
	run_init(&run, &problem);
	run.sums.input.scalars = (const uint32_t *)(const void *)words;
	run_terms(&run, &emulation, SCALARS_SMALL_BITS, SUMS_ENTRIES_MAX);
	assert_point_equal(&run.result, &expected);
	free(words);
	problem_finish(&problem);
}

static struct xyzz sum_of(const blst_p1 *point)
{
	blst_p1_affine affine;
	struct affine place;
	struct xyzz sum;

	blst_p1_to_affine(&affine, point);
	memcpy(&place, &affine, sizeof(place));
	xyzz_set_infinity(&sum);
	xyzz_add_affine(&sum, &place, false);
	return sum;
}

/* All that there may be; some at infinity, and the lowest what the others come to at that point. */
static void test_windows_are_combined_onto_those_above_them(void **state)
{
	struct bucket_sums_windows *windows = allocate(sizeof(*windows));
	blst_p1 expected = *blst_p1_generator();
	struct jacobian jacobian;

	(void)state;
	windows->total = sum_of(&expected);
	windows->window_count = BUCKET_SUMS_WINDOWS_MAX;
	windows->window_bits = 2;
	for (uint32_t i = BUCKET_SUMS_WINDOWS_MAX; i-- > 0;) {
		const byte factor = (byte)(i % 5);
		blst_p1 window;

		blst_p1_double(&expected, &expected);
		blst_p1_double(&expected, &expected);
		blst_p1_mult(&window, blst_p1_generator(), &factor, 8);
		window = i == 0 ? expected : window;
		windows->sums[i] = sum_of(&window);
		blst_p1_add_or_double(&expected, &expected, &window);
	}
	sums_combine(windows);
	xyzz_to_jacobian(&windows->total, &jacobian);
	assert_point_equal(&jacobian, &expected);
	assert_false(blst_p1_is_inf(&expected));

	windows->total = sum_of(&expected);
	windows->window_count = 1;
	windows->window_bits = 1;
	blst_p1_double(&expected, &expected);
	blst_p1_cneg(&expected, true);
	windows->sums[0] = sum_of(&expected);
	sums_combine(windows);
	assert_true(xyzz_is_infinity(&windows->total));
	free(windows);
}

static void test_numbers_out_of_range_are_told_and_reach_no_memory(void **state)
{
	struct problem problem = problem_make(100, SCALARS_MIXED);
	struct cuda_emulation emulation = {0};
	const struct sums_launcher launcher = cuda_emulation_launcher(&emulation);
	uint32_t numbers[100];
	struct sums_plan plan;
	struct run run;
	void *scratch;

	(void)state;
	for (uint32_t i = 0; i < 100; i++) {
		numbers[i] = i == 50 ? 100 : i;
	}
	run_init(&run, &problem);
	run.sums.input.point_of_scalar = numbers;
	run_terms(&run, &emulation, SCALARS_WIDE_BITS, SUMS_ENTRIES_MAX);
	assert_int_equal(run.is_broken, 1);

	run_init(&run, &problem);
	run.sums.input.scalar_of_point = numbers;
	run_terms(&run, &emulation, SCALARS_WIDE_BITS, SUMS_ENTRIES_MAX);
	assert_int_equal(run.is_broken, 1);

	run_init(&run, &problem);
	run.sums.input.point_of_scalar = numbers;
	assert_int_equal(sums_plan_list(100, &plan), STATUS_OK);
	scratch = allocate(plan.scratch_bytes);
	sums_place(&run.sums, &plan, scratch);
	assert_int_equal(sums_run_list(&launcher, &plan, &run.sums), STATUS_OK);
	assert_int_equal(run.is_broken, 1);
	free(scratch);
	problem_finish(&problem);
}

static void test_a_launch_that_fails_ends_the_sum_with_its_status(void **state)
{
	struct problem problem = problem_make(100, SCALARS_MIXED);
	struct cuda_emulation emulation = {.fails_after = 7};
	const struct sums_launcher launcher = cuda_emulation_launcher(&emulation);
	struct sums_plan plan;
	struct run run;
	void *scratch;

	(void)state;
	run_init(&run, &problem);
	assert_int_equal(sums_plan_terms(100, 255, SUMS_ENTRIES_MAX, &plan), STATUS_OK);
	scratch = allocate(plan.scratch_bytes);
	sums_place(&run.sums, &plan, scratch);
	assert_int_equal(sums_run_terms(&launcher, &plan, 255, &run.sums), STATUS_UNAVAILABLE);
	assert_int_equal(emulation.launch_count, 8);
	free(scratch);
	problem_finish(&problem);
}

static void test_plans_hold_every_run_and_refuse_what_does_not_fit_numbers(void **state)
{
	static const uint32_t counts[] = {1, 1000, 1u << 20, 1u << 27, SUMS_TERMS_MAX};
	struct sums_plan plan;

	(void)state;
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		uint64_t entries;

		assert_int_equal(
			sums_plan_terms(counts[i], 255, SUMS_ENTRIES_MAX, &plan), STATUS_OK);
		entries = (uint64_t)counts[i] * plan.group_windows;
		assert_true(entries <= SUMS_ENTRIES_MAX);
		assert_true(plan.window_bits * plan.window_count > 255);
		assert_true(plan.run_count_max >= entries / BUCKETS_RUN_POINTS);
	}
	assert_int_equal(sums_plan_terms(SUMS_TERMS_MAX + 1, 255, SUMS_ENTRIES_MAX, &plan),
		STATUS_TOO_LARGE);
	assert_int_equal(sums_plan_list(SUMS_TERMS_MAX + 1, &plan), STATUS_TOO_LARGE);
}

/* Of few terms more windows are sorted at a time, so it is not the largest sum that takes most. */
static void test_no_smaller_sum_takes_more_scratch_than_is_said(void **state)
{
	static const uint32_t bit_counts[] = {64, 255};
	uint64_t said = 0;

	(void)state;
	for (int i = 0; i < 2; i++) {
		uint64_t most = 0;
		uint64_t last = 0;
		uint32_t smaller_count = 0;

		for (uint32_t count = 1; count <= 4000; count++) {
			struct sums_plan plan;

			assert_int_equal(
				sums_plan_terms(count, bit_counts[i], 20000, &plan), STATUS_OK);
			most = plan.scratch_bytes > most ? plan.scratch_bytes : most;
			smaller_count += plan.scratch_bytes < last;
			last = plan.scratch_bytes;
			if (count % 13 == 0) {
				assert_int_equal(
					sums_scratch_bytes(count, bit_counts[i], 20000, &said),
					STATUS_OK);
				assert_int_equal(said, most);
			}
		}
		assert_true(smaller_count > 0);
	}
	assert_int_equal(sums_scratch_bytes(SUMS_TERMS_MAX + 1, 255, SUMS_ENTRIES_MAX, &said),
		STATUS_TOO_LARGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_small_sums_are_those_of_the_cpu_in_either_order_of_threads),
		cmocka_unit_test(test_a_larger_sum_is_that_of_the_cpu),
		cmocka_unit_test(test_windows_sorted_a_few_at_a_time_give_the_same),
		cmocka_unit_test(test_all_points_in_one_bucket_are_split_over_threads),
		cmocka_unit_test(test_all_scalars_zero_give_infinity),
		cmocka_unit_test(test_points_belong_to_the_scalars_of_their_wires),
		cmocka_unit_test(test_sorted_scalars_and_ones_together_are_the_whole_sum),
		cmocka_unit_test(test_scalars_of_64_bits_take_fewer_windows),
		cmocka_unit_test(test_windows_are_combined_onto_those_above_them),
		cmocka_unit_test(test_numbers_out_of_range_are_told_and_reach_no_memory),
		cmocka_unit_test(test_a_launch_that_fails_ends_the_sum_with_its_status),
		cmocka_unit_test(test_plans_hold_every_run_and_refuse_what_does_not_fit_numbers),
		cmocka_unit_test(test_no_smaller_sum_takes_more_scratch_than_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
