/* SPDX-License-Identifier: MIT */
#include "prover/groth16/coefficient_table.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define SLOT_COUNT_FIRST 64u

enum status coefficient_table_init(struct coefficient_table *table)
{
	*table = (struct coefficient_table){.slot_mask = SLOT_COUNT_FIRST - 1};
	/* Without entropy yet, the hash is merely predictable. */
	if (getrandom(&table->hash_key, sizeof(table->hash_key), GRND_NONBLOCK) < 0) {
		table->hash_key = 0x9e3779b97f4a7c15;
	}
	table->slots = calloc(SLOT_COUNT_FIRST, sizeof(*table->slots));
	return table->slots ? STATUS_OK : STATUS_NO_MEMORY;
}

void coefficient_table_finish(struct coefficient_table *table)
{
	free(table->values);
	free(table->slots);
	*table = (struct coefficient_table){0};
}

/* Keyed: else a file could be made whose values all meet in one slot. */
static uint64_t hash(const struct coefficient_table *table, const blst_fr *value)
{
	uint64_t state = table->hash_key;
	uint64_t words[4];

	memcpy(words, value, sizeof(words));
	for (int i = 0; i < 4; i++) {
		state = (state ^ words[i]) * 0xff51afd7ed558ccd;
		state ^= state >> 32;
	}
	return state;
}

/* The slot that holds `value`, or the empty one where it belongs. */
static uint32_t *find_slot(const struct coefficient_table *table, const blst_fr *value)
{
	uint64_t at = hash(table, value) & table->slot_mask;

	/* Half of the slots at most are full, so there is an end. */
	while (table->slots[at] &&
		memcmp(&table->values[table->slots[at] - 1], value, sizeof(*value)) != 0) {
		at = (at + 1) & table->slot_mask;
	}
	return &table->slots[at];
}

/* Doubles the slots when they are half full, and the values when they are. */
static enum status grow(struct coefficient_table *table)
{
	uint64_t slot_count = 2 * (table->slot_mask + 1);
	uint32_t capacity = (uint32_t)(slot_count / 2);
	blst_fr *values = realloc(table->values, capacity * sizeof(*values));
	uint32_t *slots;

	if (!values) {
		return STATUS_NO_MEMORY;
	}
	table->values = values;
	table->capacity = capacity;
	slots = calloc(slot_count, sizeof(*slots));
	if (!slots) {
		return STATUS_NO_MEMORY;
	}
	free(table->slots);
	table->slots = slots;
	table->slot_mask = slot_count - 1;
	for (uint32_t i = 0; i < table->count; i++) {
		*find_slot(table, &table->values[i]) = i + 1;
	}
	return STATUS_OK;
}

static enum status add(struct coefficient_table *table, const blst_fr *value)
{
	if (table->count == UINT32_MAX / 4) {
		return STATUS_TOO_LARGE;
	}
	if (table->count == table->capacity) {
		enum status status = grow(table);

		if (status != STATUS_OK) {
			return status;
		}
	}
	table->values[table->count++] = *value;
	return STATUS_OK;
}

enum status coefficient_table_intern(
	struct coefficient_table *table, const blst_fr *value, uint32_t *out_identifier)
{
	uint32_t *slot = find_slot(table, value);

	if (!*slot) {
		enum status status = add(table, value);

		if (status != STATUS_OK) {
			return status;
		}
		/* The table may have grown. */
		slot = find_slot(table, value);
		*slot = table->count;
	}
	*out_identifier = *slot - 1;
	return STATUS_OK;
}

blst_fr *coefficient_table_take(struct coefficient_table *table, uint32_t *out_count)
{
	*out_count = table->count;
	table->count = 0;
	table->capacity = 0;
	return MOVE(table->values);
}
