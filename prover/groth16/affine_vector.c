/* SPDX-License-Identifier: MIT */
/*
 * Elements are eight limbs of 52 bits, 416 bits for a 381-bit modulus, so that sums need no
 * reduction before they are multiplied. Products are Montgomery's with R' = 2^416 on numbers that
 * blst keeps with R = 2^384: what is stored as x * R counts as (x / 2^32) * R' here. A slope is a
 * quotient, in which the factor cancels; its square needs 32 bits more of reduction, see
 * square_slope().
 */
#include "prover/groth16/affine_vector.h"

#include "prover/groth16/affine_batch.h"

#include <assert.h>
#include <immintrin.h>
#include <string.h>

#define LANES     AFFINE_VECTOR_LANES
#define LIMBS     8
#define WORDS     6 /* of 64 bits, as blst has them */
#define LIMB_BITS 52
#define LIMB_MASK ((1LL << LIMB_BITS) - 1)

#define INLINE static inline __attribute__((always_inline))

/* Limbs must stay in registers: a loop over them that is left a loop goes through memory. */
#ifdef __clang__
#define UNROLL _Pragma("unroll")
#else
#define UNROLL _Pragma("GCC unroll 8")
#endif

/* One element in each lane; limbs are below 2^52 except while sums are made. */
struct elements {
	__m512i limb[LIMBS];
};

/* Of each eight pairs, from the way forth to the way back. */
struct step {
	struct elements x_left;
	struct elements x_right;
	struct elements difference;
	struct elements product;
};

static_assert(sizeof(struct step) == LANES * AFFINE_VECTOR_SCRATCH_BYTES, "as the header says");

/* clang-format off */
static const int64_t modulus[LIMBS] = {
	0xeffffffffaaab, 0xfeb153ffffb9f, 0x6b0f6241eabff, 0x12bf6730d2a0f,
	0x764774b84f385, 0x1ba7b6434bacd, 0x1ea397fe69a4b, 0x000000001a011};
static const int64_t modulus_twice[LIMBS] = {
	0xdffffffff5556, 0xfd62a7ffff73f, 0xd61ec483d57ff, 0x257ece61a541e,
	0xec8ee9709e70a, 0x374f6c869759a, 0x3d472ffcd3496, 0x0000000034022};
/* -1 / modulus, modulo 2^52. */
static const int64_t modulus_inverse = 0x3fffcfffcfffd;
/* 2^448: blst inverts a * 2^384 to a^-1 * 2^384, and this corrects for R'. */
static const blst_fp inverse_correction = {{
	0x42b7fde37dba9366, 0x7784894e27525bc3, 0xb2b91b9dc1f5b1e9,
	0x206f497dfcafb872, 0x594137cc89a9b0bb, 0x0411cd9d20d7e399}};
/* clang-format on */

/* The rows and columns of an 8 x 8 matrix of words change places. */
INLINE void transpose(__m512i row[LANES])
{
	__m512i pair[LANES];
	__m512i quad[LANES];

	for (int i = 0; i < 8; i += 2) {
		pair[i] = _mm512_unpacklo_epi64(row[i], row[i + 1]);
		pair[i + 1] = _mm512_unpackhi_epi64(row[i], row[i + 1]);
	}
	/* Of rows 0 .. 3, then 4 .. 7: words 0 and 4 (of i = 1: 1 and 5), then 2 and 6 (3 and 7).
	 */
	for (int i = 0; i < 2; i++) {
		quad[i] = _mm512_shuffle_i64x2(pair[i], pair[i + 2], 0x88);
		quad[i + 2] = _mm512_shuffle_i64x2(pair[i + 4], pair[i + 6], 0x88);
		quad[i + 4] = _mm512_shuffle_i64x2(pair[i], pair[i + 2], 0xdd);
		quad[i + 6] = _mm512_shuffle_i64x2(pair[i + 4], pair[i + 6], 0xdd);
	}
	for (int i = 0; i < 2; i++) {
		row[i] = _mm512_shuffle_i64x2(quad[i], quad[i + 2], 0x88);
		row[i + 4] = _mm512_shuffle_i64x2(quad[i], quad[i + 2], 0xdd);
		row[i + 2] = _mm512_shuffle_i64x2(quad[i + 4], quad[i + 6], 0x88);
		row[i + 6] = _mm512_shuffle_i64x2(quad[i + 4], quad[i + 6], 0xdd);
	}
}

/* The 52 bits that begin at bit `shift` of `low` and go on in `high`. */
INLINE __m512i join(__m512i low, __m512i high, unsigned int shift)
{
	return _mm512_and_si512(
		_mm512_or_si512(_mm512_srli_epi64(low, shift), _mm512_slli_epi64(high, 64 - shift)),
		_mm512_set1_epi64(LIMB_MASK));
}

/* Takes the coordinate at `coordinate[lane]` of each lane. */
INLINE void gather(struct elements *out, const uint8_t *const coordinate[LANES])
{
	const __mmask8 words = (1u << WORDS) - 1;
	const __m512i mask = _mm512_set1_epi64(LIMB_MASK);
	__m512i word[LANES];

	for (uint32_t i = 0; i < LANES; i++) {
		word[i] = _mm512_maskz_loadu_epi64(words, coordinate[i]);
	}
	transpose(word);
	out->limb[0] = _mm512_and_si512(word[0], mask);
	out->limb[1] = join(word[0], word[1], 52);
	out->limb[2] = join(word[1], word[2], 40);
	out->limb[3] = join(word[2], word[3], 28);
	out->limb[4] = join(word[3], word[4], 16);
	out->limb[5] = _mm512_and_si512(_mm512_srli_epi64(word[4], 4), mask);
	out->limb[6] = join(word[4], word[5], 56);
	out->limb[7] = _mm512_srli_epi64(word[5], 44);
}

INLINE __m512i merge(__m512i low, unsigned int right, __m512i high, unsigned int left)
{
	return _mm512_or_si512(_mm512_srli_epi64(low, right), _mm512_slli_epi64(high, left));
}

/* Stores the element of each lane, canonical, at `coordinate[lane]`. */
INLINE void scatter(const struct elements *in, uint8_t *const coordinate[LANES])
{
	const __mmask8 words = (1u << WORDS) - 1;
	const __m512i *limb = in->limb;
	__m512i word[LANES];

	word[0] = merge(limb[0], 0, limb[1], 52);
	word[1] = merge(limb[1], 12, limb[2], 40);
	word[2] = merge(limb[2], 24, limb[3], 28);
	word[3] = merge(limb[3], 36, limb[4], 16);
	word[4] = _mm512_or_si512(merge(limb[4], 48, limb[5], 4), _mm512_slli_epi64(limb[6], 56));
	word[5] = merge(limb[6], 8, limb[7], 44);
	word[6] = _mm512_setzero_si512();
	word[7] = _mm512_setzero_si512();
	transpose(word);
	for (uint32_t i = 0; i < LANES; i++) {
		_mm512_mask_storeu_epi64(coordinate[i], words, word[i]);
	}
}

/* Carries what is beyond 52 bits, or below 0, into the next limb. */
INLINE void carry(struct elements *a)
{
	const __m512i mask = _mm512_set1_epi64(LIMB_MASK);

	for (int i = 0; i + 1 < LIMBS; i++) {
		a->limb[i + 1] =
			_mm512_add_epi64(a->limb[i + 1], _mm512_srai_epi64(a->limb[i], LIMB_BITS));
		a->limb[i] = _mm512_and_si512(a->limb[i], mask);
	}
}

/* out = a - b + offset, with an offset that keeps it positive. */
INLINE void subtract(struct elements *out, const struct elements *a, const struct elements *b,
	const int64_t offset[LIMBS])
{
	for (int i = 0; i < LIMBS; i++) {
		out->limb[i] = _mm512_add_epi64(
			_mm512_sub_epi64(a->limb[i], b->limb[i]), _mm512_set1_epi64(offset[i]));
	}
	carry(out);
}

/* a mod m if a < 2m, for m the modulus or twice it. */
INLINE void reduce_once(struct elements *a, const int64_t m[LIMBS])
{
	struct elements less;
	__mmask8 is_negative;

	for (int i = 0; i < LIMBS; i++) {
		less.limb[i] = _mm512_sub_epi64(a->limb[i], _mm512_set1_epi64(m[i]));
	}
	carry(&less);
	is_negative = _mm512_cmplt_epi64_mask(less.limb[LIMBS - 1], _mm512_setzero_si512());
	for (int i = 0; i < LIMBS; i++) {
		a->limb[i] = _mm512_mask_mov_epi64(less.limb[i], is_negative, a->limb[i]);
	}
}

/* Canonical, from anything below 4 times the modulus. */
INLINE void reduce(struct elements *a)
{
	reduce_once(a, modulus_twice);
	reduce_once(a, modulus);
}

/*
 * Montgomery's product, limb by limb of a: below the modulus and a little, for factors below 2^17
 * times it. No sum passes 2^58: eight rounds of four products' halves.
 */
INLINE void multiply(struct elements *out, const struct elements *a, const struct elements *b)
{
	const __m512i zero = _mm512_setzero_si512();
	struct elements sum;

	for (int i = 0; i < LIMBS; i++) {
		sum.limb[i] = zero;
	}
	UNROLL
	for (int i = 0; i < LIMBS; i++) {
		__m512i factor = a->limb[i];
		__m512i quotient;
		__m512i lowest;

		UNROLL
		for (int j = 0; j < LIMBS; j++) {
			sum.limb[j] = _mm512_madd52lo_epu64(sum.limb[j], factor, b->limb[j]);
		}
		quotient = _mm512_madd52lo_epu64(
			zero, sum.limb[0], _mm512_set1_epi64(modulus_inverse));
		UNROLL
		for (int j = 0; j < LIMBS; j++) {
			sum.limb[j] = _mm512_madd52lo_epu64(
				sum.limb[j], quotient, _mm512_set1_epi64(modulus[j]));
		}
		/* The lowest limb is now 0 but for its carry: one limb down. */
		lowest = _mm512_srli_epi64(sum.limb[0], LIMB_BITS);
		UNROLL
		for (int j = 0; j + 1 < LIMBS; j++) {
			sum.limb[j] = sum.limb[j + 1];
		}
		sum.limb[LIMBS - 1] = zero;
		sum.limb[0] = _mm512_add_epi64(sum.limb[0], lowest);
		UNROLL
		for (int j = 0; j < LIMBS; j++) {
			sum.limb[j] = _mm512_madd52hi_epu64(sum.limb[j], factor, b->limb[j]);
			sum.limb[j] = _mm512_madd52hi_epu64(
				sum.limb[j], quotient, _mm512_set1_epi64(modulus[j]));
		}
	}
	carry(&sum);
	*out = sum;
}

/* slope^2 / 2^32: the square of a slope as a coordinate. */
INLINE void square_slope(struct elements *out, const struct elements *slope)
{
	const __m512i zero = _mm512_setzero_si512();
	struct elements sum;
	__m512i top;
	__m512i quotient;

	multiply(&sum, slope, slope);
	quotient = _mm512_and_si512(
		_mm512_madd52lo_epu64(zero, sum.limb[0], _mm512_set1_epi64(modulus_inverse)),
		_mm512_set1_epi64(0xffffffff));
	for (int i = 0; i < LIMBS; i++) {
		sum.limb[i] =
			_mm512_madd52lo_epu64(sum.limb[i], quotient, _mm512_set1_epi64(modulus[i]));
	}
	for (int i = 0; i + 1 < LIMBS; i++) {
		sum.limb[i + 1] = _mm512_madd52hi_epu64(
			sum.limb[i + 1], quotient, _mm512_set1_epi64(modulus[i]));
	}
	top = _mm512_madd52hi_epu64(zero, quotient, _mm512_set1_epi64(modulus[LIMBS - 1]));
	carry(&sum);
	top = _mm512_add_epi64(top, _mm512_srli_epi64(sum.limb[LIMBS - 1], LIMB_BITS));
	for (int i = 0; i + 1 < LIMBS; i++) {
		out->limb[i] =
			_mm512_and_si512(merge(sum.limb[i], 32, sum.limb[i + 1], LIMB_BITS - 32),
				_mm512_set1_epi64(LIMB_MASK));
	}
	sum.limb[LIMBS - 1] = _mm512_and_si512(sum.limb[LIMBS - 1], _mm512_set1_epi64(LIMB_MASK));
	out->limb[LIMBS - 1] = merge(sum.limb[LIMBS - 1], 32, top, LIMB_BITS - 32);
}

/* The inverse of each lane, with one inversion for all. */
static void invert(struct elements *a)
{
	blst_fp lane[LANES];
	blst_fp product[LANES];
	blst_fp inverse;
	uint8_t *targets[LANES];
	const uint8_t *sources[LANES];

	for (uint32_t i = 0; i < LANES; i++) {
		targets[i] = (uint8_t *)&lane[i];
		sources[i] = (const uint8_t *)&lane[i];
	}
	reduce(a);
	scatter(a, targets);
	product[0] = lane[0];
	for (uint32_t i = 1; i < LANES; i++) {
		blst_fp_mul(&product[i], &product[i - 1], &lane[i]);
	}
	blst_fp_eucl_inverse(&inverse, &product[LANES - 1]);
	blst_fp_mul(&inverse, &inverse, &inverse_correction);
	for (uint32_t i = LANES - 1; i > 0; i--) {
		blst_fp_mul(&product[i], &inverse, &product[i - 1]);
		blst_fp_mul(&inverse, &inverse, &lane[i]);
		lane[i] = product[i];
	}
	lane[0] = inverse;
	gather(a, sources);
}

INLINE void gather_x(const struct affine_pair *pairs, struct step *step)
{
	const uint8_t *left[LANES];
	const uint8_t *right[LANES];

	for (uint32_t i = 0; i < LANES; i++) {
		left[i] = pairs[i].left;
		right[i] = pairs[i].right;
	}
	gather(&step->x_left, left);
	gather(&step->x_right, right);
}

/* y, or modulus - y in the lanes of `is_negated`. */
INLINE void gather_y(
	struct elements *out, const uint8_t *const coordinate[LANES], __mmask8 is_negated)
{
	struct elements negated;

	gather(out, coordinate);
	for (int i = 0; i < LIMBS; i++) {
		negated.limb[i] = _mm512_sub_epi64(_mm512_set1_epi64(modulus[i]), out->limb[i]);
	}
	carry(&negated);
	for (int i = 0; i < LIMBS; i++) {
		out->limb[i] = _mm512_mask_mov_epi64(out->limb[i], is_negated, negated.limb[i]);
	}
}

/* x = slope^2 - x_left - x_right, y = slope * (x_left - x) - y_left. */
INLINE void complete(
	const struct affine_pair *pairs, const struct step *step, const struct elements *inverse)
{
	const uint8_t *left[LANES];
	const uint8_t *right[LANES];
	uint8_t *x_sum[LANES];
	uint8_t *y_sum[LANES];
	__mmask8 is_left_negated = 0;
	__mmask8 is_right_negated = 0;
	struct elements y_left;
	struct elements slope;
	struct elements x;
	struct elements y;

	for (uint32_t i = 0; i < LANES; i++) {
		left[i] = (const uint8_t *)pairs[i].left + sizeof(blst_fp);
		right[i] = (const uint8_t *)pairs[i].right + sizeof(blst_fp);
		x_sum[i] = pairs[i].sum;
		y_sum[i] = (uint8_t *)pairs[i].sum + sizeof(blst_fp);
		is_left_negated |= (__mmask8)(pairs[i].is_left_negated << i);
		is_right_negated |= (__mmask8)(pairs[i].is_right_negated << i);
	}
	gather_y(&y_left, left, is_left_negated);
	gather_y(&y, right, is_right_negated);
	subtract(&slope, &y, &y_left, modulus);
	multiply(&slope, &slope, inverse);
	square_slope(&x, &slope);
	for (int i = 0; i < LIMBS; i++) {
		x.limb[i] = _mm512_sub_epi64(x.limb[i], step->x_left.limb[i]);
	}
	subtract(&x, &x, &step->x_right, modulus_twice);
	reduce(&x);
	subtract(&y, &step->x_left, &x, modulus);
	multiply(&y, &y, &slope);
	subtract(&y, &y, &y_left, modulus);
	reduce(&y);
	scatter(&x, x_sum);
	scatter(&y, y_sum);
}

void affine_vector_add(const struct affine_pair *pairs, uint32_t count, void *scratch)
{
	struct step *steps = scratch;
	uint32_t step_count = count / LANES;
	struct elements inverse;
	struct elements single;

	assert(count > 0 && count % LANES == 0);
	for (uint32_t i = 0; i < step_count; i++) {
		struct step *step = &steps[i];

		gather_x(pairs + i * LANES, step);
		subtract(&step->difference, &step->x_right, &step->x_left, modulus);
		if (i == 0) {
			step->product = step->difference;
		} else {
			multiply(&step->product, &steps[i - 1].product, &step->difference);
		}
	}
	inverse = steps[step_count - 1].product;
	invert(&inverse);
	for (uint32_t i = step_count - 1; i > 0; i--) {
		multiply(&single, &inverse, &steps[i - 1].product);
		multiply(&inverse, &inverse, &steps[i].difference);
		complete(pairs + i * LANES, &steps[i], &single);
	}
	complete(pairs, &steps[0], &inverse);
}
