/* SPDX-License-Identifier: MIT */
#include "analysis/core/walk_map.h"

#include <assert.h>
#include <stdlib.h>

#define CAPACITY_MIN 64

/*
 * Groups of eight places: numbers that follow one another, as correlations do, lie side by side, so
 * that the next one looked for is in the cache. The groups are spread by a multiply.
 */
static size_t place(const struct walk_map *map, uint64_t a, uint64_t b)
{
	uint64_t hash = (a + 1) * 0x9e3779b97f4a7c15ULL ^ (b >> 3);

	hash *= 0xff51afd7ed558ccdULL;
	hash ^= hash >> 32;
	return (size_t)(hash << 3 | (b & 7)) & (map->capacity - 1);
}

/* Where the pair is, or the empty place where it belongs. */
static size_t find_place(const struct walk_map *map, uint64_t a, uint64_t b)
{
	size_t i = place(map, a, b);

	while (map->entries[i].value && (map->entries[i].a != a || map->entries[i].b != b)) {
		i = (i + 1) & (map->capacity - 1);
	}
	return i;
}

static enum status rehash(struct walk_map *map, size_t capacity)
{
	struct walk_map larger = {.capacity = capacity, .count = map->count};

	larger.entries = calloc(capacity, sizeof(*larger.entries));
	if (!larger.entries) {
		return STATUS_NO_MEMORY;
	}
	for (size_t i = 0; i < map->capacity; i++) {
		const struct walk_map_entry *entry = &map->entries[i];

		if (entry->value) {
			larger.entries[find_place(&larger, entry->a, entry->b)] = *entry;
		}
	}
	free(map->entries);
	*map = larger;
	return STATUS_OK;
}

void *walk_map_find(const struct walk_map *map, uint64_t a, uint64_t b)
{
	return map->count > 0 ? map->entries[find_place(map, a, b)].value : NULL;
}

struct walk_map_entry *walk_map_reserve(struct walk_map *map, uint64_t a, uint64_t b)
{
	if ((map->count + 1) * 2 > map->capacity &&
		rehash(map, map->capacity ? map->capacity * 2 : CAPACITY_MIN) != STATUS_OK) {
		return NULL;
	}
	return &map->entries[find_place(map, a, b)];
}

enum status walk_map_put(struct walk_map *map, uint64_t a, uint64_t b, void *value)
{
	struct walk_map_entry *entry = walk_map_reserve(map, a, b);

	assert(value);

	if (!entry) {
		return STATUS_NO_MEMORY;
	}
	walk_map_fill(map, entry, a, b, value);
	return STATUS_OK;
}

void *walk_map_remove(struct walk_map *map, uint64_t a, uint64_t b)
{
	size_t hole;
	void *value;

	if (map->count == 0) {
		return NULL;
	}
	hole = find_place(map, a, b);
	value = map->entries[hole].value;
	if (!value) {
		return NULL;
	}
	map->count--;
	/* Moves back whatever a search would no longer reach over the hole. */
	for (size_t i = (hole + 1) & (map->capacity - 1); map->entries[i].value;
		i = (i + 1) & (map->capacity - 1)) {
		const size_t home = place(map, map->entries[i].a, map->entries[i].b);

		if (((i - home) & (map->capacity - 1)) >= ((i - hole) & (map->capacity - 1))) {
			map->entries[hole] = map->entries[i];
			hole = i;
		}
	}
	map->entries[hole].value = NULL;
	return value;
}

void walk_map_sweep(struct walk_map *map, bool (*keeps)(void *context, void *value), void *context)
{
	for (size_t i = 0; i < map->capacity; i++) {
		struct walk_map_entry *entry = &map->entries[i];

		/* A removal moves another entry here: it is looked at before going on. One that
		 * wraps round from the start may be asked twice, which does no harm. */
		while (entry->value && !keeps(context, entry->value)) {
			(void)walk_map_remove(map, entry->a, entry->b);
		}
	}
}

void walk_map_finish(struct walk_map *map)
{
	free(map->entries);
	*map = (struct walk_map){0};
}
