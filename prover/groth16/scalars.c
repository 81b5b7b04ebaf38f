/* SPDX-License-Identifier: MIT */
#include "prover/groth16/scalars.h"

#include "prover/groth16/secret.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

/* Little-endian words of a scalar, whatever its alignment. */
struct words {
	uint64_t word[4];
};

static struct words load(const blst_scalar *scalar)
{
	struct words words;

	memcpy(&words, scalar->b, sizeof(words));
	return words;
}

/* r - 1, for the circuits that subtract by adding a negated wire. */
static const struct words minus_one = {
	{0xffffffff00000000, 0x53bda402fffe5bfe, 0x3339d80809a1d805, 0x73eda753299d7d48}};

enum scalar_class scalars_classify(const blst_scalar *scalar)
{
	struct words words = load(scalar);

	/* The time of a proof tells how many wires are of each class, as with any prover that
	 * skips zeros. */
	if ((words.word[1] | words.word[2] | words.word[3]) == 0) {
		if (words.word[0] <= 1) {
			return words.word[0] == 0 ? SCALAR_ZERO : SCALAR_ONE;
		}
		return SCALAR_SMALL;
	}
	if (memcmp(&words, &minus_one, sizeof(words)) == 0) {
		return SCALAR_MINUS_ONE;
	}
	return SCALAR_WIDE;
}

void scalars_classify_all(const blst_scalar *scalars, uint32_t count, uint8_t *classes)
{
	for (uint32_t i = 0; i < count; i++) {
		classes[i] = (uint8_t)scalars_classify(&scalars[i]);
	}
}

static uint32_t scalar_of(const struct msm_query *query, uint32_t point)
{
	return query->wires ? query->wires[point] : point;
}

static const void *point_at(const struct msm_query *query, uint32_t point)
{
	return (const uint8_t *)query->points + point * curve_affine_bytes(query->group);
}

/* `classes` may be those of other scalars than the query's: a point at infinity counts as zero. */
static enum scalar_class class_of(
	const struct msm_query *query, const uint8_t *classes, uint32_t point)
{
	enum scalar_class class = (enum scalar_class)classes[scalar_of(query, point)];

	if (class != SCALAR_ZERO &&
		curve_affine_is_infinity(query->group, point_at(query, point))) {
		return SCALAR_ZERO;
	}
	return class;
}

static enum status tail_init(struct scalar_tail *tail, uint32_t count, uint32_t bit_count)
{
	tail->count = 0;
	tail->bit_count = bit_count;
	tail->indices = secret_create(count, sizeof(tail->indices[0]));
	tail->scalars = secret_create(count, bit_count == SCALARS_SMALL_BITS ? 8 : 32);
	return tail->indices && tail->scalars ? STATUS_OK : STATUS_NO_MEMORY;
}

static void tail_add(struct scalar_tail *tail, uint32_t index, const blst_scalar *scalar)
{
	/* The low bytes of a little-endian scalar are its low bits. */
	size_t bytes = tail->bit_count == SCALARS_SMALL_BITS ? 8 : 32;

	memcpy(tail->scalars + tail->count * bytes, scalar->b, bytes);
	tail->indices[tail->count++] = index;
}

enum status msm_input_init(const struct msm_query *query, const blst_scalar *scalars,
	const uint8_t *classes, struct msm_input *out_input)
{
	uint32_t counts[SCALAR_CLASS_COUNT] = {0};
	uint32_t one_count = 0;
	uint32_t minus_one_end;
	struct msm_input input = {.group = query->group, .points = query->points};

	/* Two passes: what is secret is allocated at its size, and never grows by copying. */
	for (uint32_t i = 0; i < query->count; i++) {
		counts[class_of(query, classes, i)]++;
	}
	minus_one_end = counts[SCALAR_ONE] + counts[SCALAR_MINUS_ONE];
	input.one_count = counts[SCALAR_ONE];
	input.minus_one_count = counts[SCALAR_MINUS_ONE];
	input.ones = secret_create(minus_one_end, sizeof(input.ones[0]));
	if (!input.ones ||
		tail_init(&input.small, counts[SCALAR_SMALL], SCALARS_SMALL_BITS) != STATUS_OK ||
		tail_init(&input.wide, counts[SCALAR_WIDE], SCALARS_WIDE_BITS) != STATUS_OK) {
		msm_input_finish(&input);
		return STATUS_NO_MEMORY;
	}
	for (uint32_t i = 0; i < query->count; i++) {
		switch (class_of(query, classes, i)) {
		case SCALAR_ONE:
			input.ones[one_count++] = i;
			break;
		case SCALAR_MINUS_ONE:
			/* From the other end of the same array, so that one pass of additions
			 * takes both. */
			input.ones[--minus_one_end] = i;
			break;
		case SCALAR_SMALL:
			tail_add(&input.small, i, &scalars[scalar_of(query, i)]);
			break;
		case SCALAR_WIDE:
			tail_add(&input.wide, i, &scalars[scalar_of(query, i)]);
			break;
		case SCALAR_ZERO:
		case SCALAR_CLASS_COUNT:
			break;
		}
	}
	assert(one_count == minus_one_end);
	*out_input = input;
	return STATUS_OK;
}

void msm_input_finish(struct msm_input *input)
{
	secret_destroy(input->ones);
	secret_destroy(input->small.indices);
	secret_destroy(input->small.scalars);
	secret_destroy(input->wide.indices);
	secret_destroy(input->wide.scalars);
	*input = (struct msm_input){0};
}
