/* SPDX-License-Identifier: MIT */
/*
 * The two fields of BLS12-381 as files and JSON show them: canonical little-endian bytes, decimal
 * strings, and the few constants that formats depend on. Arithmetic itself is blst's.
 */
#pragma once

#include "trace/base/cleanup.h"
#include "trace/base/status.h"

#include <blst.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FIELD_SCALAR_BYTES 32
#define FIELD_BASE_BYTES   48

/* Of a seed that repeatable elements are made from: as secret as what they are used for. */
#define FIELD_SEED_BYTES 32

/* The longest decimal string of either field, with its end. */
#define FIELD_DECIMAL_BYTES_MAX 120

/* The scalar field has 2^32-nd roots of unity, so no domain is larger. */
#define FIELD_DOMAIN_LOG2_MAX 32

extern const uint8_t field_scalar_modulus[FIELD_SCALAR_BYTES];
extern const uint8_t field_base_modulus[FIELD_BASE_BYTES];

/* The curve that a scalar or base modulus belongs to; "an unknown curve" if none we know. */
const char *field_curve_name(const uint8_t *modulus, size_t byte_count);

/* Less than the modulus, as a little-endian number: true of canonical and Montgomery words alike.
 */
bool field_scalar_in_range(const uint8_t bytes[FIELD_SCALAR_BYTES]);
bool field_base_in_range(const uint8_t bytes[FIELD_BASE_BYTES]);

/* Decimal digits only, no sign, no leading zero, below the modulus. */
bool field_scalar_from_decimal(blst_scalar *out_scalar, const char *text);
bool field_base_from_decimal(blst_fp *out_element, const char *text);

/* Writes at most FIELD_DECIMAL_BYTES_MAX bytes. */
void field_scalar_to_decimal(char *text, const blst_scalar *scalar);
void field_base_to_decimal(char *text, const blst_fp *element);

void field_from_u64(blst_fr *out_element, uint64_t value);
void field_one(blst_fr *out_element);
void field_power(blst_fr *out_element, const blst_fr *base, uint64_t exponent);

/*
 * The primitive 2^log2-th root of unity that snarkjs's keys are made with: a power of 5, the
 * smallest non-residue. The bellman family uses a power of 7; keys of the two do not mix.
 */
void field_root_of_unity(blst_fr *out_root, uint32_t log2);

/* Inverts each of `count` elements that are not zero, with one inversion in all. */
MUST_CHECK enum status field_invert_all(blst_fr *elements, size_t count);

/* A uniform element from the kernel's generator; the bytes it came from are wiped. */
MUST_CHECK enum status field_random(blst_fr *out_element);

/*
 * Element `label` of the stream that `seed` stands for: two SHA-256 blocks, reduced. What it was
 * made of is wiped.
 */
void field_from_seed(blst_fr *out_element, const uint8_t seed[FIELD_SEED_BYTES], uint8_t label);

bool field_is_zero(const blst_fr *element);

/* The element that 48 or more bytes stand for, read as one little-endian number. */
void field_from_wide_bytes(blst_fr *out_element, const uint8_t *bytes, size_t byte_count);
