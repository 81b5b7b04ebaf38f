/* SPDX-License-Identifier: MIT */
#include "prover/groth16/field.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

__extension__ typedef unsigned __int128 field_u128;

/* The base field's 381 bits in words of 64. */
#define LIMBS_MAX         6
#define DECIMAL_CHUNK     10000000000000000000ULL /* the largest power of ten in 64 bits */
#define DECIMAL_CHUNK_LEN 19
#define DIGEST_BYTES      32 /* of SHA-256 */

/* clang-format off */
const uint8_t field_scalar_modulus[FIELD_SCALAR_BYTES] = {
	0x01, 0x00, 0x00, 0x00, 0xff, 0xff, 0xff, 0xff, 0xfe, 0x5b, 0xfe, 0xff, 0x02, 0xa4, 0xbd, 0x53,
	0x05, 0xd8, 0xa1, 0x09, 0x08, 0xd8, 0x39, 0x33, 0x48, 0x7d, 0x9d, 0x29, 0x53, 0xa7, 0xed, 0x73,
};

const uint8_t field_base_modulus[FIELD_BASE_BYTES] = {
	0xab, 0xaa, 0xff, 0xff, 0xff, 0xff, 0xfe, 0xb9, 0xff, 0xff, 0x53, 0xb1, 0xfe, 0xff, 0xab, 0x1e,
	0x24, 0xf6, 0xb0, 0xf6, 0xa0, 0xd2, 0x30, 0x67, 0xbf, 0x12, 0x85, 0xf3, 0x84, 0x4b, 0x77, 0x64,
	0xd7, 0xac, 0x4b, 0x43, 0xb6, 0xa7, 0x1b, 0x4b, 0x9a, 0xe6, 0x7f, 0x39, 0xea, 0x11, 0x01, 0x1a,
};

static const uint8_t bn128_scalar_modulus[32] = {
	0x01, 0x00, 0x00, 0xf0, 0x93, 0xf5, 0xe1, 0x43, 0x91, 0x70, 0xb9, 0x79, 0x48, 0xe8, 0x33, 0x28,
	0x5d, 0x58, 0x81, 0x81, 0xb6, 0x45, 0x50, 0xb8, 0x29, 0xa0, 0x31, 0xe1, 0x72, 0x4e, 0x64, 0x30,
};

static const uint8_t bn128_base_modulus[32] = {
	0x47, 0xfd, 0x7c, 0xd8, 0x16, 0x8c, 0x20, 0x3c, 0x8d, 0xca, 0x71, 0x68, 0x91, 0x6a, 0x81, 0x97,
	0x5d, 0x58, 0x81, 0x81, 0xb6, 0x45, 0x50, 0xb8, 0x29, 0xa0, 0x31, 0xe1, 0x72, 0x4e, 0x64, 0x30,
};

static const struct {
	const uint8_t *modulus;
	size_t byte_count;
	const char *curve_name;
} known_moduli[] = {
	{field_scalar_modulus, sizeof(field_scalar_modulus), "bls12381"},
	{field_base_modulus, sizeof(field_base_modulus), "bls12381"},
	{bn128_scalar_modulus, sizeof(bn128_scalar_modulus), "bn128"},
	{bn128_base_modulus, sizeof(bn128_base_modulus), "bn128"},
};
/* clang-format on */

/* 5^((r-1)/2^32), which has order 2^32. */
static const uint64_t root_2_32[4] = {
	0x1b788f500b912f1f, 0xc4024ff270b3e094, 0x0fd56dc8d168d6c0, 0x0212d79e5b416b6f};

const char *field_curve_name(const uint8_t *modulus, size_t byte_count)
{
	for (size_t i = 0; i < sizeof(known_moduli) / sizeof(known_moduli[0]); i++) {
		if (byte_count == known_moduli[i].byte_count &&
			memcmp(modulus, known_moduli[i].modulus, byte_count) == 0) {
			return known_moduli[i].curve_name;
		}
	}
	return "an unknown curve";
}

/* Little-endian: the last byte decides first. */
static bool is_below(const uint8_t *bytes, const uint8_t *bound, size_t count)
{
	for (size_t i = count; i-- > 0;) {
		if (bytes[i] != bound[i]) {
			return bytes[i] < bound[i];
		}
	}
	return false;
}

bool field_scalar_in_range(const uint8_t bytes[FIELD_SCALAR_BYTES])
{
	return is_below(bytes, field_scalar_modulus, FIELD_SCALAR_BYTES);
}

bool field_base_in_range(const uint8_t bytes[FIELD_BASE_BYTES])
{
	return is_below(bytes, field_base_modulus, FIELD_BASE_BYTES);
}

/* limbs = 10 * limbs + digit; false if something falls off the top. */
static bool limbs_append(uint64_t *limbs, size_t count, unsigned digit)
{
	uint64_t carry = digit;

	for (size_t i = 0; i < count; i++) {
		field_u128 sum = (field_u128)limbs[i] * 10 + carry;

		limbs[i] = (uint64_t)sum;
		carry = (uint64_t)(sum >> 64);
	}
	return carry == 0;
}

static uint64_t limbs_divide(uint64_t *limbs, size_t count, uint64_t divisor)
{
	uint64_t remainder = 0;

	for (size_t i = count; i-- > 0;) {
		field_u128 value = ((field_u128)remainder << 64) | limbs[i];

		limbs[i] = (uint64_t)(value / divisor);
		remainder = (uint64_t)(value % divisor);
	}
	return remainder;
}

static bool limbs_from_decimal(uint64_t *limbs, size_t count, const char *text)
{
	memset(limbs, 0, count * sizeof(*limbs));
	/* One number, one text: no empty one, no leading zeros. */
	if (text[0] == '\0' || (text[0] == '0' && text[1] != '\0')) {
		return false;
	}
	for (; *text; text++) {
		if (*text < '0' || *text > '9') {
			return false;
		}
		if (!limbs_append(limbs, count, (unsigned)(*text - '0'))) {
			return false;
		}
	}
	return true;
}

/* Destroys `limbs`. */
static void limbs_to_decimal(char *text, uint64_t *limbs, size_t count)
{
	uint64_t chunks[LIMBS_MAX + 1];
	size_t chunk_count = 0;
	size_t length;

	do {
		assert(chunk_count <= LIMBS_MAX);
		chunks[chunk_count++] = limbs_divide(limbs, count, DECIMAL_CHUNK);
		while (count > 0 && limbs[count - 1] == 0) {
			count--;
		}
	} while (count > 0);
	length = (size_t)snprintf(
		text, FIELD_DECIMAL_BYTES_MAX, "%llu", (unsigned long long)chunks[chunk_count - 1]);
	for (size_t i = chunk_count - 1; i-- > 0; length += DECIMAL_CHUNK_LEN) {
		(void)snprintf(text + length, FIELD_DECIMAL_BYTES_MAX - length, "%0*llu",
			DECIMAL_CHUNK_LEN, (unsigned long long)chunks[i]);
	}
}

bool field_scalar_from_decimal(blst_scalar *out_scalar, const char *text)
{
	uint64_t limbs[4];
	blst_scalar scalar;

	if (!limbs_from_decimal(limbs, 4, text)) {
		return false;
	}
	blst_scalar_from_uint64(&scalar, limbs);
	if (!field_scalar_in_range(scalar.b)) {
		return false;
	}
	*out_scalar = scalar;
	return true;
}

bool field_base_from_decimal(blst_fp *out_element, const char *text)
{
	uint64_t limbs[6];
	uint8_t bytes[FIELD_BASE_BYTES];

	if (!limbs_from_decimal(limbs, 6, text)) {
		return false;
	}
	for (size_t i = 0; i < sizeof(bytes); i++) {
		bytes[i] = (uint8_t)(limbs[i / 8] >> (8 * (i % 8)));
	}
	if (!field_base_in_range(bytes)) {
		return false;
	}
	blst_fp_from_uint64(out_element, limbs);
	return true;
}

void field_scalar_to_decimal(char *text, const blst_scalar *scalar)
{
	uint64_t limbs[4];

	blst_uint64_from_scalar(limbs, scalar);
	limbs_to_decimal(text, limbs, 4);
}

void field_base_to_decimal(char *text, const blst_fp *element)
{
	uint64_t limbs[6];

	blst_uint64_from_fp(limbs, element);
	limbs_to_decimal(text, limbs, 6);
}

void field_from_u64(blst_fr *out_element, uint64_t value)
{
	const uint64_t limbs[4] = {value, 0, 0, 0};

	blst_fr_from_uint64(out_element, limbs);
}

void field_one(blst_fr *out_element)
{
	field_from_u64(out_element, 1);
}

void field_power(blst_fr *out_element, const blst_fr *base, uint64_t exponent)
{
	blst_fr result;
	blst_fr square = *base;

	field_one(&result);
	for (; exponent; exponent >>= 1) {
		if (exponent & 1) {
			blst_fr_mul(&result, &result, &square);
		}
		blst_fr_sqr(&square, &square);
	}
	*out_element = result;
}

void field_root_of_unity(blst_fr *out_root, uint32_t log2)
{
	blst_fr root;

	assert(log2 <= FIELD_DOMAIN_LOG2_MAX);
	blst_fr_from_uint64(&root, root_2_32);
	/* The square of a root of order 2^k has order 2^(k-1). */
	for (uint32_t i = log2; i < FIELD_DOMAIN_LOG2_MAX; i++) {
		blst_fr_sqr(&root, &root);
	}
	*out_root = root;
}

enum status field_invert_all(blst_fr *elements, size_t count)
{
	blst_fr *prefixes;
	blst_fr inverse;

	if (count == 0) {
		return STATUS_OK;
	}
	prefixes = malloc(count * sizeof(*prefixes));
	if (!prefixes) {
		return STATUS_NO_MEMORY;
	}
	/* Montgomery's trick: one inversion and three products for each element. None may be
	 * zero. */
	prefixes[0] = elements[0];
	for (size_t i = 1; i < count; i++) {
		blst_fr_mul(&prefixes[i], &prefixes[i - 1], &elements[i]);
	}
	blst_fr_eucl_inverse(&inverse, &prefixes[count - 1]);
	for (size_t i = count; i-- > 1;) {
		blst_fr element = elements[i];

		blst_fr_mul(&elements[i], &inverse, &prefixes[i - 1]);
		blst_fr_mul(&inverse, &inverse, &element);
	}
	elements[0] = inverse;
	free(prefixes);
	return STATUS_OK;
}

void field_from_wide_bytes(blst_fr *out_element, const uint8_t *bytes, size_t byte_count)
{
	blst_scalar scalar;

	/* Reduces modulo r; its result only says whether that is zero. */
	(void)blst_scalar_from_le_bytes(&scalar, bytes, byte_count);
	blst_fr_from_scalar(out_element, &scalar);
	explicit_bzero(&scalar, sizeof(scalar));
}

void field_from_seed(blst_fr *out_element, const uint8_t seed[FIELD_SEED_BYTES], uint8_t label)
{
	uint8_t message[FIELD_SEED_BYTES + 2];
	uint8_t wide[2 * DIGEST_BYTES];

	memcpy(message, seed, FIELD_SEED_BYTES);
	message[FIELD_SEED_BYTES] = label;
	for (uint8_t half = 0; half < 2; half++) {
		message[FIELD_SEED_BYTES + 1] = half;
		blst_sha256(wide + half * DIGEST_BYTES, message, sizeof(message));
	}
	field_from_wide_bytes(out_element, wide, sizeof(wide));
	explicit_bzero(message, sizeof(message));
	explicit_bzero(wide, sizeof(wide));
}

bool field_is_zero(const blst_fr *element)
{
	static const blst_fr zero;

	return memcmp(element, &zero, sizeof(zero)) == 0;
}

enum status field_random(blst_fr *out_element)
{
	/* Twice the field's size, so that reducing leaves no bias that anybody could measure. */
	uint8_t bytes[64];
	size_t filled = 0;

	while (filled < sizeof(bytes)) {
		ssize_t got = getrandom(bytes + filled, sizeof(bytes) - filled, 0);

		if (got < 0 && errno != EINTR) {
			return status_from_errno(errno);
		}
		filled += got > 0 ? (size_t)got : 0;
	}
	field_from_wide_bytes(out_element, bytes, sizeof(bytes));
	explicit_bzero(bytes, sizeof(bytes));
	return STATUS_OK;
}
