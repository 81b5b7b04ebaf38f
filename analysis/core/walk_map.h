/* SPDX-License-Identifier: MIT */
/*
 * A hash table from a pair of numbers (a process and an address, say) to a pointer, open addressed.
 * It owns neither. All zero is an empty table; the caller finishes it.
 */
#pragma once

#include "trace/base/cleanup.h"
#include "trace/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct walk_map_entry {
	uint64_t a;
	uint64_t b;
	void *value; /* NULL: an empty place */
};

struct walk_map {
	struct walk_map_entry *entries;
	size_t capacity; /* 0 or a power of two */
	size_t count;
};

/* NULL when there is none. */
void *walk_map_find(const struct walk_map *map, uint64_t a, uint64_t b);

/*
 * Where the pair is, or is to be put by walk_map_fill() before the next call: one search for both.
 * NULL when there is no memory.
 */
struct walk_map_entry *walk_map_reserve(struct walk_map *map, uint64_t a, uint64_t b);

static inline void walk_map_fill(
	struct walk_map *map, struct walk_map_entry *entry, uint64_t a, uint64_t b, void *value)
{
	map->count += !entry->value;
	*entry = (struct walk_map_entry){.a = a, .b = b, .value = value};
}

/* Adds or replaces; `value` is not NULL. */
MUST_CHECK enum status walk_map_put(struct walk_map *map, uint64_t a, uint64_t b, void *value);

/* Gives back what was there, NULL for nothing. */
void *walk_map_remove(struct walk_map *map, uint64_t a, uint64_t b);

/* Removes each entry for which `keeps` says false; it has then let go of the value. */
void walk_map_sweep(struct walk_map *map, bool (*keeps)(void *context, void *value), void *context);

void walk_map_finish(struct walk_map *map);
