/* SPDX-License-Identifier: MIT */
/*
 * Numbers the distinct values among many 32-byte field words: a circuit with a million entries has
 * a few dozen different coefficients. Identifiers count up in the order of first sight.
 */
#pragma once

#include "trace/base/cleanup.h"
#include "trace/base/status.h"

#include <blst.h>
#include <stdint.h>

struct coefficient_table {
	blst_fr *values; /* whatever 32-byte form the user keeps them in */
	uint32_t count;
	uint32_t capacity;
	uint32_t *slots; /* identifier + 1, or 0; open addressing */
	uint64_t slot_mask;
	uint64_t hash_key; /* random, so that no file can choose its collisions */
};

MUST_CHECK enum status coefficient_table_init(struct coefficient_table *table);

/* Accepts a table of zeros. */
void coefficient_table_finish(struct coefficient_table *table);

MUST_CHECK enum status coefficient_table_intern(
	struct coefficient_table *table, const blst_fr *value, uint32_t *out_identifier);

/* Gives the values to the caller, who frees them. */
blst_fr *coefficient_table_take(struct coefficient_table *table, uint32_t *out_count);
