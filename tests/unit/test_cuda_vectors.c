/* SPDX-License-Identifier: MIT */
/*
 * Proves that the GPU's transforms, quotients and matrix products, thread by thread on the host,
 * are those of the CPU, element by element.
 */
#include "prover/device/cuda/sparse.h"
#include "prover/device/cuda/transform_plan.h"
#include "prover/groth16/matrix_vector.h"
#include "prover/groth16/ntt.h"
#include "prover/groth16/scalars.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/cuda_ptx.h"

enum {
	BLOCK_THREADS = 128,
	ROWS = 64,
	WIRES = 512,
	COEFFICIENTS = 7
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
	void *memory = aligned_alloc(64, (bytes / 64 + 1) * 64);

	assert_non_null(memory);
	memset(memory, 0, (bytes / 64 + 1) * 64);
	return memory;
}

static void set_random(void *elements, uint64_t count, uint64_t seed)
{
	uint64_t state = seed;

	for (uint64_t i = 0; i < count; i++) {
		uint64_t words[4];
		blst_fr element;

		for (int k = 0; k < 4; k++) {
			words[k] = random_word(&state);
		}
		words[3] >>= 2;
		blst_fr_from_uint64(&element, words);
		memcpy((uint8_t *)elements + i * sizeof(element), &element, sizeof(element));
	}
}

/* Whole blocks of threads, the last first. */
static uint32_t thread_end(uint32_t count)
{
	return (count + BLOCK_THREADS - 1) / BLOCK_THREADS * BLOCK_THREADS;
}

static void run_step(
	const struct transform *transform, const struct transform_step *step, struct fr *vector)
{
	for (uint32_t i = thread_end(step->thread_count); i-- > 0;) {
		if (step->kind == TRANSFORM_STEP_SCALE) {
			transform_scale(i, transform, vector);
		} else {
			transform_run_pass(i, transform, step->pass,
				step->kind == TRANSFORM_STEP_INVERSE, vector);
		}
	}
}

static void transform_on_gpu(uint32_t log2, struct fr *vector)
{
	AUTO(transform_tables_destroy) struct transform_tables *tables = NULL;
	struct transform_step steps[TRANSFORM_STEPS_MAX];
	const uint32_t step_count = transform_steps(log2, steps);
	struct fr *roots = allocate(transform_root_count(log2) * sizeof(*roots));
	struct transform transform = {.log2 = log2, .roots = roots};
	struct transform_powers powers;

	assert_int_equal(transform_tables_create(log2, &tables), STATUS_OK);
	powers = transform_tables_roots(tables, tables->elements);
	transform.coset = transform_tables_coset(tables, tables->elements);
	for (uint32_t i = thread_end((uint32_t)transform_root_count(log2)); i-- > 0;) {
		transform_fill_roots(i, log2, &powers, roots);
	}
	for (uint32_t i = 0; i < step_count; i++) {
		run_step(&transform, &steps[i], vector);
	}
	free(roots);
}

static void transform_on_cpu(uint32_t log2, blst_fr *vector)
{
	AUTO(ntt_plan_destroy) struct ntt_plan *plan = NULL;
	blst_fr *scratch;

	assert_int_equal(ntt_plan_create(log2, &plan), STATUS_OK);
	scratch = allocate(ntt_scratch_elements(plan) * sizeof(*scratch));
	for (int pass = 0; pass < NTT_PASS_COUNT; pass++) {
		for (uint32_t i = 0; i < ntt_tile_count(plan, (enum ntt_pass)pass); i++) {
			ntt_run_tile(plan, (enum ntt_pass)pass, i, vector, scratch);
		}
	}
	free(scratch);
}

static void test_transforms_of_every_size_are_those_of_the_cpu(void **state)
{
	(void)state;
	for (uint32_t log2 = 0; log2 <= 13; log2++) {
		const size_t bytes = sizeof(struct fr) << log2;
		struct fr *on_gpu = allocate(bytes);
		blst_fr *on_cpu = allocate(bytes);

		set_random(on_gpu, 1u << log2, 99 + log2);
		memcpy(on_cpu, on_gpu, bytes);
		transform_on_gpu(log2, on_gpu);
		transform_on_cpu(log2, on_cpu);
		assert_memory_equal(on_gpu, on_cpu, bytes);
		free(on_gpu);
		free(on_cpu);
	}
}

static void test_every_level_is_in_one_pass_of_each_transform(void **state)
{
	(void)state;
	for (uint32_t log2 = 0; log2 <= TRANSFORM_LOG2_MAX; log2++) {
		struct transform_step steps[TRANSFORM_STEPS_MAX];
		const uint32_t count = transform_steps(log2, steps);
		uint32_t level = log2;
		uint32_t i = 0;

		for (; steps[i].kind == TRANSFORM_STEP_INVERSE; i++) {
			assert_int_equal(steps[i].pass.top + 1, level);
			level -= (uint32_t)steps[i].pass.level_count;
		}
		assert_int_equal(level, 0);
		assert_int_equal(steps[i++].kind, TRANSFORM_STEP_SCALE);
		for (; i < count; i++) {
			assert_int_equal(steps[i].kind, TRANSFORM_STEP_FORWARD);
			level += (uint32_t)steps[i].pass.level_count;
			assert_int_equal(steps[i].pass.top + 1, level);
		}
		assert_int_equal(level, log2);
	}
}

static void test_a_domain_that_cannot_be_is_refused(void **state)
{
	struct transform_tables *tables = NULL;

	(void)state;
	assert_int_equal(
		transform_tables_create(TRANSFORM_LOG2_MAX + 1, &tables), STATUS_TOO_LARGE);
	assert_null(tables);
}

static void test_the_quotient_is_a_times_b_less_c_in_canonical_form(void **state)
{
	struct fr a[100];
	struct fr b[100];
	struct fr c[100];
	blst_scalar expected[100];

	(void)state;
	set_random(a, 100, 1);
	set_random(b, 100, 2);
	set_random(c, 100, 3);
	for (int i = 0; i < 100; i++) {
		blst_fr value;
		blst_fr other;

		memcpy(&value, &a[i], sizeof(value));
		memcpy(&other, &b[i], sizeof(other));
		blst_fr_mul(&value, &value, &other);
		memcpy(&other, &c[i], sizeof(other));
		blst_fr_sub(&value, &value, &other);
		blst_scalar_from_fr(&expected[i], &value);
	}
	for (uint32_t i = thread_end(100); i-- > 0;) {
		transform_quotient(i, 100, a, b, c);
	}
	assert_memory_equal(c, expected, sizeof(expected));
}

struct product {
	struct zkey_matrix matrix;
	blst_scalar witness[WIRES];
	uint8_t classes[WIRES];
	blst_fr coefficients[COEFFICIENTS];
	blst_fr coefficient_ones[COEFFICIENTS];
};

/* Rows of 0, 1, a few, SPARSE_ROW_ENTRIES and one more, and very many entries. */
static uint32_t row_length(uint32_t row)
{
	static const uint32_t lengths[8] = {
		0, 1, 3, SPARSE_ROW_ENTRIES, 17, SPARSE_ROW_ENTRIES + 1, 2, 3000};

	return lengths[row % 8];
}

static void product_init(struct product *product)
{
	static const blst_fr canonical_one = {{1}};
	uint64_t random = 55;
	uint32_t entry_count = 0;

	product->matrix.row_count = ROWS;
	product->matrix.row_begin = allocate((ROWS + 1) * sizeof(uint32_t));
	for (uint32_t i = 0; i < ROWS; i++) {
		entry_count += row_length(i);
		product->matrix.row_begin[i + 1] = entry_count;
	}
	product->matrix.wires = allocate(entry_count * sizeof(uint32_t));
	product->matrix.coefficients = allocate(entry_count * sizeof(uint32_t));
	for (uint32_t i = 0; i < entry_count; i++) {
		product->matrix.wires[i] = (uint32_t)(random_word(&random) % WIRES);
		product->matrix.coefficients[i] = (uint32_t)(random_word(&random) % COEFFICIENTS);
	}
	set_random(product->coefficients, COEFFICIENTS, 8);
	set_random(product->witness, WIRES, 9);
	for (uint32_t i = 0; i < WIRES; i += 3) {
		memset(&product->witness[i], 0, sizeof(product->witness[i]));
		product->witness[i].b[0] = i % 2;
	}
	scalars_classify_all(product->witness, WIRES, product->classes);
	for (uint32_t i = 0; i < COEFFICIENTS; i++) {
		blst_fr_mul(
			&product->coefficient_ones[i], &product->coefficients[i], &canonical_one);
	}
}

static void product_finish(struct product *product)
{
	free(product->matrix.row_begin);
	free(product->matrix.wires);
	free(product->matrix.coefficients);
}

static void multiply_on_gpu(const struct product *product, struct fr *values)
{
	struct fr *witness = allocate(sizeof(product->witness));
	struct fr *coefficients = allocate(sizeof(product->coefficients));
	struct fr *parts;
	uint32_t long_rows[ROWS];
	struct sparse sparse = {
		.row_count = ROWS,
		.row_begin = product->matrix.row_begin,
		.wires = product->matrix.wires,
		.coefficients = product->matrix.coefficients,
		.coefficient_values = coefficients,
		.witness = witness,
		.long_rows = long_rows,
	};

	memcpy(witness, product->witness, sizeof(product->witness));
	memcpy(coefficients, product->coefficients, sizeof(product->coefficients));
	for (uint32_t i = 0; i < ROWS; i++) {
		if (row_length(i) > SPARSE_ROW_ENTRIES) {
			long_rows[sparse.long_count++] = i;
		}
	}
	assert_true(sparse.long_count > 0);
	parts = allocate(sparse.long_count * SPARSE_PARTS * sizeof(*parts));
	for (uint32_t i = thread_end(ROWS); i-- > 0;) {
		sparse_row(i, &sparse, values);
	}
	for (uint32_t i = thread_end(sparse.long_count * SPARSE_PARTS); i-- > 0;) {
		sparse_part(i, &sparse, parts);
	}
	for (uint32_t i = thread_end(sparse.long_count); i-- > 0;) {
		sparse_join(i, &sparse, parts, values);
	}
	free(parts);
	free(witness);
	free(coefficients);
}

static void test_a_matrix_times_a_witness_with_long_and_empty_rows(void **state)
{
	static struct product product;
	struct matrix_vector vector = {.values = product.witness,
		.classes = product.classes,
		.coefficient_values = product.coefficients,
		.coefficient_ones = product.coefficient_ones};
	struct fr *on_gpu = allocate(ROWS * sizeof(*on_gpu));
	blst_fr on_cpu[ROWS];

	(void)state;
	product_init(&product);
	memset(on_gpu, 0xff, ROWS * sizeof(*on_gpu));
	multiply_on_gpu(&product, on_gpu);
	matrix_vector_multiply(&product.matrix, &vector, 0, ROWS, on_cpu);
	assert_memory_equal(on_gpu, on_cpu, sizeof(on_cpu));
	product_finish(&product);
	free(on_gpu);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_transforms_of_every_size_are_those_of_the_cpu),
		cmocka_unit_test(test_every_level_is_in_one_pass_of_each_transform),
		cmocka_unit_test(test_a_domain_that_cannot_be_is_refused),
		cmocka_unit_test(test_the_quotient_is_a_times_b_less_c_in_canonical_form),
		cmocka_unit_test(test_a_matrix_times_a_witness_with_long_and_empty_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
