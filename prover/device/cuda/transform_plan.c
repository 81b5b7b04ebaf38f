/* SPDX-License-Identifier: MIT */
#include "prover/device/cuda/transform_plan.h"

#include "prover/groth16/field.h"

#include <assert.h>
#include <blst.h>
#include <stdlib.h>
#include <string.h>

static_assert(sizeof(struct fr) == sizeof(blst_fr), "the same bytes on either side");

static struct transform_step pass_step(
	enum transform_step_kind kind, uint32_t log2, struct transform_pass pass)
{
	return (struct transform_step){
		.kind = kind,
		.pass = pass,
		.thread_count = 1u << (log2 - (uint32_t)pass.level_count),
	};
}

uint32_t transform_steps(uint32_t log2, struct transform_step *steps)
{
	uint32_t count = 0;

	assert(log2 <= TRANSFORM_LOG2_MAX && steps);

	for (uint32_t levels = log2; levels > 0;) {
		const uint32_t taken =
			levels < TRANSFORM_LEVELS_MAX ? levels : TRANSFORM_LEVELS_MAX;
		const struct transform_pass pass = {.top = levels - 1, .level_count = (int)taken};

		steps[count++] = pass_step(TRANSFORM_STEP_INVERSE, log2, pass);
		levels -= taken;
	}
	steps[count++] =
		(struct transform_step){.kind = TRANSFORM_STEP_SCALE, .thread_count = 1u << log2};
	/* Back the same way. */
	for (uint32_t i = count - 1; i-- > 0;) {
		steps[count++] = pass_step(TRANSFORM_STEP_FORWARD, log2, steps[i].pass);
	}
	assert(count <= TRANSFORM_STEPS_MAX);
	return count;
}

uint64_t transform_root_count(uint32_t log2)
{
	return (1ULL << log2) / 2 + 1;
}

/* table[j] = first * base^(step j) */
static void fill(
	struct fr *table, uint32_t count, const blst_fr *first, const blst_fr *base, uint64_t step)
{
	blst_fr factor;
	blst_fr value = *first;

	field_power(&factor, base, step);
	for (uint32_t j = 0; j < count; j++) {
		memcpy(&table[j], &value, sizeof(value));
		blst_fr_mul(&value, &value, &factor);
	}
}

static void fill_tables(struct transform_tables *tables)
{
	struct fr *elements = tables->elements;
	blst_fr one;
	blst_fr inverse_size;
	blst_fr root;
	blst_fr coset;

	field_one(&one);
	field_from_u64(&inverse_size, 1ULL << tables->log2);
	blst_fr_inverse(&inverse_size, &inverse_size);
	field_root_of_unity(&root, tables->log2);
	field_root_of_unity(&coset, tables->log2 + 1);
	fill(elements + tables->root_low, TRANSFORM_LOW_COUNT, &one, &root, 1);
	fill(elements + tables->root_high, tables->coset_low - tables->root_high, &one, &root,
		TRANSFORM_LOW_COUNT);
	fill(elements + tables->coset_low, TRANSFORM_LOW_COUNT, &one, &coset, 1);
	fill(elements + tables->coset_high, tables->element_count - tables->coset_high,
		&inverse_size, &coset, TRANSFORM_LOW_COUNT);
}

enum status transform_tables_create(uint32_t log2, struct transform_tables **out_tables)
{
	AUTO(transform_tables_destroy) struct transform_tables *tables = NULL;
	const uint32_t high_count =
		log2 > TRANSFORM_LOW_LOG2 ? 1u << (log2 - TRANSFORM_LOW_LOG2) : 1;

	assert(out_tables);

	if (log2 > TRANSFORM_LOG2_MAX) {
		return STATUS_TOO_LARGE;
	}
	tables = calloc(1, sizeof(*tables));
	if (!tables) {
		return STATUS_NO_MEMORY;
	}
	tables->log2 = log2;
	tables->root_high = TRANSFORM_LOW_COUNT;
	/* Roots go up to n / 2, which may be the first that the upper table's last is for. */
	tables->coset_low = tables->root_high + high_count / 2 + 1;
	tables->coset_high = tables->coset_low + TRANSFORM_LOW_COUNT;
	tables->element_count = tables->coset_high + high_count;
	tables->elements =
		aligned_alloc(64, (tables->element_count + 1) / 2 * 2 * sizeof(struct fr));
	if (!tables->elements) {
		return STATUS_NO_MEMORY;
	}
	fill_tables(tables);
	*out_tables = MOVE(tables);
	return STATUS_OK;
}

void transform_tables_destroy(struct transform_tables *tables)
{
	if (!tables) {
		return;
	}
	free(tables->elements);
	free(tables);
}

struct transform_powers transform_tables_roots(
	const struct transform_tables *tables, const struct fr *elements)
{
	return (struct transform_powers){
		.low = elements + tables->root_low, .high = elements + tables->root_high};
}

struct transform_powers transform_tables_coset(
	const struct transform_tables *tables, const struct fr *elements)
{
	return (struct transform_powers){
		.low = elements + tables->coset_low, .high = elements + tables->coset_high};
}
