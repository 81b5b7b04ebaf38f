/* SPDX-License-Identifier: MIT */
#include "prover/groth16/affine_batch.h"

#include <assert.h>
#include <string.h>

/*
 * The same code for both groups: `group` is a constant in every call chain, so that each gets code
 * of its own without a branch on it.
 */
#define SPECIALISED static inline __attribute__((always_inline))

/* An element of the field that the group's coordinates are in. */
union element {
	blst_fp fp;
	blst_fp2 fp2;
};

SPECIALISED size_t element_bytes(enum curve_group group)
{
	return group == CURVE_G1 ? sizeof(blst_fp) : sizeof(blst_fp2);
}

SPECIALISED const void *x_of(const void *point)
{
	return point;
}

SPECIALISED const void *y_of(enum curve_group group, const void *point)
{
	return (const uint8_t *)point + element_bytes(group);
}

SPECIALISED void multiply(enum curve_group group, void *out, const void *a, const void *b)
{
	if (group == CURVE_G1) {
		blst_fp_mul(out, a, b);
	} else {
		blst_fp2_mul(out, a, b);
	}
}

SPECIALISED void square(enum curve_group group, void *out, const void *a)
{
	if (group == CURVE_G1) {
		blst_fp_sqr(out, a);
	} else {
		blst_fp2_sqr(out, a);
	}
}

SPECIALISED void add(enum curve_group group, void *out, const void *a, const void *b)
{
	if (group == CURVE_G1) {
		blst_fp_add(out, a, b);
	} else {
		blst_fp2_add(out, a, b);
	}
}

SPECIALISED void subtract(enum curve_group group, void *out, const void *a, const void *b)
{
	if (group == CURVE_G1) {
		blst_fp_sub(out, a, b);
	} else {
		blst_fp2_sub(out, a, b);
	}
}

SPECIALISED void negate_if(enum curve_group group, void *out, const void *a, bool is_negated)
{
	if (group == CURVE_G1) {
		blst_fp_cneg(out, a, is_negated);
	} else {
		blst_fp2_cneg(out, a, is_negated);
	}
}

SPECIALISED void invert(enum curve_group group, void *out, const void *a)
{
	if (group == CURVE_G1) {
		blst_fp_eucl_inverse(out, a);
	} else {
		blst_fp2_eucl_inverse(out, a);
	}
}

SPECIALISED bool is_zero(const void *memory, size_t bytes)
{
	uint64_t words[2 * sizeof(blst_fp2) / sizeof(uint64_t)];
	uint64_t any = 0;

	memcpy(words, memory, bytes);
	for (size_t i = 0; i < bytes / sizeof(words[0]); i++) {
		any |= words[i];
	}
	return any == 0;
}

SPECIALISED bool is_equal(const void *left, const void *right, size_t bytes)
{
	uint64_t words[2][sizeof(blst_fp2) / sizeof(uint64_t)];
	uint64_t any = 0;

	memcpy(words[0], left, bytes);
	memcpy(words[1], right, bytes);
	for (size_t i = 0; i < bytes / sizeof(words[0][0]); i++) {
		any |= words[0][i] ^ words[1][i];
	}
	return any == 0;
}

SPECIALISED bool is_infinity(enum curve_group group, const void *point)
{
	return is_zero(point, 2 * element_bytes(group));
}

/* sum = point or -point. */
SPECIALISED void copy(enum curve_group group, void *sum, const void *point, bool is_negated)
{
	union element y;

	negate_if(group, &y, y_of(group, point), is_negated);
	memmove(sum, point, element_bytes(group));
	memcpy((uint8_t *)sum + element_bytes(group), &y, element_bytes(group));
}

/* Points of equal x are equal, and then doubled, or opposite. */
SPECIALISED bool is_doubling(enum curve_group group, const struct affine_pair *pair)
{
	union element left;
	union element right;

	negate_if(group, &left, y_of(group, pair->left), pair->is_left_negated);
	negate_if(group, &right, y_of(group, pair->right), pair->is_right_negated);
	return memcmp(&left, &right, element_bytes(group)) == 0 &&
	       !is_zero(&left, element_bytes(group));
}

/* The denominator of the slope: the difference of x, or twice y. */
SPECIALISED void denominator(
	enum curve_group group, const struct affine_pair *pair, bool is_doubled, void *out)
{
	if (is_doubled) {
		negate_if(group, out, y_of(group, pair->left), pair->is_left_negated);
		add(group, out, out, out);
	} else {
		subtract(group, out, x_of(pair->right), x_of(pair->left));
	}
}

/* The numerator: the difference of y, or 3 x^2. */
SPECIALISED void numerator(enum curve_group group, const struct affine_pair *pair, bool is_doubled,
	const void *y_left, void *out)
{
	union element element;

	if (is_doubled) {
		square(group, &element, x_of(pair->left));
		add(group, out, &element, &element);
		add(group, out, out, &element);
	} else {
		negate_if(group, &element, y_of(group, pair->right), pair->is_right_negated);
		subtract(group, out, &element, y_left);
	}
}

/* With lambda the slope: x = lambda^2 - x_left - x_right, y = lambda (x_left - x) - y_left. */
SPECIALISED void complete(enum curve_group group, const struct affine_pair *pair, bool is_doubled,
	const void *inverse)
{
	/* Not into `sum` at once: it may be the memory of an operand. */
	union element x;
	union element y;
	union element y_left;
	union element lambda;

	negate_if(group, &y_left, y_of(group, pair->left), pair->is_left_negated);
	numerator(group, pair, is_doubled, &y_left, &lambda);
	multiply(group, &lambda, &lambda, inverse);
	square(group, &x, &lambda);
	subtract(group, &x, &x, x_of(pair->left));
	subtract(group, &x, &x, x_of(pair->right));
	subtract(group, &y, x_of(pair->left), &x);
	multiply(group, &y, &y, &lambda);
	subtract(group, &y, &y, &y_left);
	memcpy(pair->sum, &x, element_bytes(group));
	memcpy((uint8_t *)pair->sum + element_bytes(group), &y, element_bytes(group));
}

/*
 * Forth: the product of the denominators up to each pair. One inversion. Back: each pair's inverse
 * is that of the product up to it times the product before it.
 */
SPECIALISED void add_pairs(enum curve_group group, const struct affine_pair *pairs, uint32_t count,
	bool is_doubled, uint8_t *scratch)
{
	size_t bytes = element_bytes(group);
	uint8_t *denominators = scratch;
	uint8_t *products = scratch + count * bytes;
	union element inverse;
	union element single;

	if (count == 0) {
		return;
	}
	denominator(group, &pairs[0], is_doubled, denominators);
	memcpy(products, denominators, bytes);
	for (uint32_t i = 1; i < count; i++) {
		denominator(group, &pairs[i], is_doubled, denominators + i * bytes);
		multiply(group, products + i * bytes, products + (i - 1) * bytes,
			denominators + i * bytes);
	}
	invert(group, &inverse, products + (count - 1) * bytes);
	for (uint32_t i = count - 1; i > 0; i--) {
		multiply(group, &single, &inverse, products + (i - 1) * bytes);
		multiply(group, &inverse, &inverse, denominators + i * bytes);
		complete(group, &pairs[i], is_doubled, &single);
	}
	complete(group, &pairs[0], is_doubled, &inverse);
}

SPECIALISED void flush(enum curve_group group, struct affine_batch *batch)
{
	uint32_t vector_count = 0;

	if (group == CURVE_G1 && batch->has_vectors) {
		vector_count = batch->count - batch->count % AFFINE_VECTOR_LANES;
	}
	if (vector_count > 0) {
		affine_vector_add(batch->pairs, vector_count, batch->scratch);
	}
	add_pairs(group, batch->pairs + vector_count, batch->count - vector_count, false,
		batch->scratch);
	/* A batch of their own: the formulas differ, and nearly never are there any. */
	add_pairs(group, batch->doublings, batch->doubling_count, true, batch->scratch);
	batch->count = 0;
	batch->doubling_count = 0;
}

static_assert(2 * sizeof(blst_fp2) <= AFFINE_VECTOR_SCRATCH_BYTES, "two elements for each pair");

/*
 * Settles at once what needs no inversion, and gives true; or queues a doubling. False if the pair
 * is like any other.
 */
SPECIALISED bool settle(
	enum curve_group group, struct affine_batch *batch, const struct affine_pair *pair)
{
	if (is_infinity(group, pair->left)) {
		copy(group, pair->sum, pair->right, pair->is_right_negated);
		return true;
	}
	if (is_infinity(group, pair->right)) {
		copy(group, pair->sum, pair->left, pair->is_left_negated);
		return true;
	}
	if (!is_equal(pair->left, pair->right, element_bytes(group))) {
		return false;
	}
	if (is_doubling(group, pair)) {
		batch->doublings[batch->doubling_count++] = *pair;
	} else {
		/* Opposite points: infinity, which is all zeros here. */
		memset(pair->sum, 0, 2 * element_bytes(group));
	}
	return true;
}

/* One word of each x tells nearly always that a pair is like any other. */
SPECIALISED bool is_surely_plain(const struct affine_pair *pair)
{
	uint64_t left;
	uint64_t right;

	memcpy(&left, pair->left, sizeof(left));
	memcpy(&right, pair->right, sizeof(right));
	return left != right && left != 0 && right != 0;
}

SPECIALISED void push(
	enum curve_group group, struct affine_batch *batch, const struct affine_pair *pair)
{
	if (__builtin_expect(is_surely_plain(pair), true) || !settle(group, batch, pair)) {
		batch->pairs[batch->count++] = *pair;
	}
	if (batch->count == AFFINE_BATCH_PAIRS_MAX ||
		batch->doubling_count == AFFINE_BATCH_DOUBLINGS_MAX) {
		flush(group, batch);
	}
}

void affine_batch_init(struct affine_batch *batch, enum curve_group group, bool may_use_vectors)
{
	batch->group = group;
	batch->has_vectors = may_use_vectors && affine_vector_is_supported();
	batch->count = 0;
	batch->doubling_count = 0;
}

void affine_batch_push(struct affine_batch *batch, const struct affine_pair *pair)
{
	if (batch->group == CURVE_G1) {
		push(CURVE_G1, batch, pair);
	} else {
		push(CURVE_G2, batch, pair);
	}
}

void affine_batch_flush(struct affine_batch *batch)
{
	if (batch->group == CURVE_G1) {
		flush(CURVE_G1, batch);
	} else {
		flush(CURVE_G2, batch);
	}
}
