/* SPDX-License-Identifier: MIT */
/*
 * Names kept once each, so that equal ones have one address, which stays as long as the struct.
 * Of one that does not fit NAME_BYTES_MAX the beginning is kept, and stands for all of it. Past
 * WALK_NAME_COUNT_MAX every new name becomes "(other)". All zero is empty.
 */
#pragma once

#include "trace/base/cleanup.h"
#include "trace/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Programs name a few hundred things; far more means that identities were put into names. */
#define WALK_NAME_COUNT_MAX 65536

/* What stands for a name that is refused. */
#define WALK_NAME_OTHER "(other)"

/* What was found out about a name once, so that no event has to look at its letters again. */
struct walk_name_facts {
	uint8_t call_category; /* each plus one; 0: nobody asked yet */
	uint8_t phase_cause;
	uint8_t is_gpu_mutex;
	uint8_t os_nature;
	uint8_t range_kind;
	uint8_t is_library;
};

struct walk_names {
	const char **names;
	uint32_t *hashes;
	size_t capacity;
	size_t count;
	void *chunks;
	size_t chunk_used_bytes;
	uint64_t refused_count;
};

/* The kept copy of `name` (of "" for NULL); NULL when there is no memory. */
const char *walk_names_keep(struct walk_names *names, const char *name);

/* The kept copy, NULL when it was not kept. */
const char *walk_names_find(const struct walk_names *names, const char *name);

/* Of a name that was kept: they lie in front of it. */
static inline struct walk_name_facts *walk_names_facts(const char *kept)
{
	return (struct walk_name_facts *)(uintptr_t)kept - 1;
}

void walk_names_finish(struct walk_names *names);
