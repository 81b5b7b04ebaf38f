/* SPDX-License-Identifier: MIT */
/*
 * Sums over points whose logarithms are known: point i is (FIRST + i) times the generator, so a sum
 * is one multiple of it, worked out in the scalar field and not by another sum over points.
 */
#include "tests/gpu/rates.h"

#include "prover/groth16/field.h"
#include "prover/groth16/scalars.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST 1000003u

/* Points made affine at a time. */
#define BATCH_COUNT 1024u

static void scalar_of(uint64_t value, blst_scalar *out_scalar)
{
	const uint64_t words[4] = {value, 0, 0, 0};

	blst_scalar_from_uint64(out_scalar, words);
}

enum status rates_points_create(uint32_t log2, blst_p1_affine **out_points)
{
	const uint64_t count = UINT64_C(1) << log2;
	blst_p1_affine *points = calloc(count, sizeof(*points));
	blst_p1 *batch = calloc(BATCH_COUNT, sizeof(*batch));
	const blst_p1 *generator = blst_p1_generator();
	blst_scalar first;
	blst_p1 point;

	if (!points || !batch) {
		free(points);
		free(batch);
		return STATUS_NO_MEMORY;
	}
	scalar_of(FIRST, &first);
	blst_p1_mult(&point, generator, first.b, 255);
	for (uint64_t done = 0; done < count;) {
		const uint64_t left = count - done;
		const size_t size = left < BATCH_COUNT ? (size_t)left : BATCH_COUNT;
		const blst_p1 *const places[] = {batch, NULL};

		for (size_t i = 0; i < size; i++) {
			batch[i] = point;
			blst_p1_add_or_double(&point, &point, generator);
		}
		blst_p1s_to_affine(&points[done], places, size);
		done += size;
	}
	free(batch);
	*out_points = points;
	return STATUS_OK;
}

/* Scalars, canonical, and what the sum over all points is. */
static void fill_scalars(blst_scalar *scalars, uint64_t count, bool is_ones, blst_p1 *out_sum)
{
	uint64_t random = 20261130;
	blst_fr logarithm;
	blst_fr product;
	blst_fr sum = {{0}};
	blst_scalar total;

	for (uint64_t i = 0; i < count; i++) {
		uint64_t words[4] = {1, 0, 0, 0};

		for (int k = 0; !is_ones && k < 4; k++) {
			words[k] = rates_random(&random);
		}
		words[3] >>= 2; /* below the modulus */
		memcpy(scalars[i].b, words, sizeof(words));
		blst_fr_from_scalar(&product, &scalars[i]);
		field_from_u64(&logarithm, FIRST + i);
		blst_fr_mul(&product, &product, &logarithm);
		blst_fr_add(&sum, &sum, &product);
	}
	blst_scalar_from_fr(&total, &sum);
	blst_p1_mult(out_sum, blst_p1_generator(), total.b, 255);
}

/* Where things are in the memory: scalars or indices, then the result. */
static uint64_t result_offset(const struct rates_rig *rig)
{
	return rig->shape.domain_size * sizeof(blst_scalar);
}

static enum status run_msm(struct rates_rig *rig, void *unused)
{
	(void)unused;
	return rig->ops->msm_h(rig->stream, rig->key, (struct device_place){rig->memory, 0},
		(struct device_place){rig->memory, result_offset(rig)});
}

static enum status run_ones(struct rates_rig *rig, void *unused)
{
	const struct device_scalars scalars = {
		.memory = rig->memory, .one_count = (uint32_t)rig->shape.domain_size};

	(void)unused;
	return rig->ops->sum_ones(rig->stream, rig->key, DEVICE_QUERY_L, &scalars,
		(struct device_place){rig->memory, result_offset(rig)});
}

struct sum {
	const char *what;
	enum status (*run)(struct rates_rig *rig, void *context);
	const struct zkey *zkey;
	const void *terms; /* scalars, or numbers of points */
	uint64_t terms_bytes;
	blst_p1 expected;
};

static enum status measure(const struct device_ops *ops, const struct sum *sum)
{
	struct rates_rig rig;
	blst_p1 actual;
	uint64_t took_ns = 0;
	enum status status = rates_rig_open(&rig, ops, sum->zkey,
		sum->zkey->domain_size * sizeof(blst_scalar) + sizeof(blst_p1));

	memset(&actual, 0, sizeof(actual));
	if (status == STATUS_OK) {
		status = rates_upload(&rig, 0, sum->terms, sum->terms_bytes);
	}
	if (status == STATUS_OK) {
		status = rates_time(&rig, sum->run, NULL, &took_ns);
	}
	if (status == STATUS_OK) {
		status = rates_download(&rig, result_offset(&rig), &actual, sizeof(actual));
	}
	if (status == STATUS_OK && !blst_p1_is_equal(&actual, &sum->expected)) {
		status = STATUS_INTERNAL;
	}
	(void)printf("{\"what\": \"%s\", \"log2\": %u, \"device_ns\": %" PRIu64
		     ", \"right\": %s}\n",
		sum->what, sum->zkey->domain_log2, took_ns, status == STATUS_OK ? "true" : "false");
	rates_rig_close(&rig);
	return status;
}

static uint32_t *count_up(uint32_t count)
{
	uint32_t *numbers = calloc(count, sizeof(*numbers));

	for (uint32_t i = 0; numbers && i < count; i++) {
		numbers[i] = i;
	}
	return numbers;
}

static enum status measure_sum(
	const struct device_ops *ops, uint32_t log2, blst_p1_affine *points, bool is_ones)
{
	const uint32_t count = 1u << log2;
	uint32_t *numbers = count_up(count);
	blst_scalar *scalars = calloc(count, sizeof(*scalars));
	const struct zkey_query_g1 query = {.count = count, .wires = numbers, .points = points};
	struct zkey zkey = {.wire_count = count, .domain_size = count, .domain_log2 = log2};
	struct sum sum = {.what = is_ones ? "ones" : "msm",
		.run = is_ones ? run_ones : run_msm,
		.zkey = &zkey,
		.terms = is_ones ? (const void *)numbers : scalars,
		.terms_bytes = count * (is_ones ? sizeof(*numbers) : sizeof(*scalars))};
	enum status status = numbers && scalars ? STATUS_OK : STATUS_NO_MEMORY;

	if (is_ones) {
		zkey.l = query;
	} else {
		zkey.h = query;
	}
	if (status == STATUS_OK) {
		fill_scalars(scalars, count, is_ones, &sum.expected);
		status = measure(ops, &sum);
	}
	free(numbers);
	free(scalars);
	return status;
}

enum status rates_msm(const struct device_ops *ops, uint32_t log2, blst_p1_affine *points)
{
	return measure_sum(ops, log2, points, false);
}

enum status rates_ones(const struct device_ops *ops, uint32_t log2, blst_p1_affine *points)
{
	return measure_sum(ops, log2, points, true);
}
