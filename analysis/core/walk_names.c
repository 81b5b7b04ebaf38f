/* SPDX-License-Identifier: MIT */
#include "analysis/core/walk_names.h"

#include "trace/base/limits.h"

#include <stdlib.h>
#include <string.h>

#define CAPACITY_MIN 256
#define CHUNK_BYTES  16384

struct chunk {
	struct chunk *next;
	char bytes[];
};

/* Eight bytes at a time: most names are two or three words long. */
static uint32_t hash_name(const char *name, size_t length)
{
	uint64_t hash = length * 0x9e3779b97f4a7c15ULL;
	uint64_t word;

	for (; length >= sizeof(word); length -= sizeof(word), name += sizeof(word)) {
		memcpy(&word, name, sizeof(word));
		hash = (hash ^ word) * 0xff51afd7ed558ccdULL;
		hash ^= hash >> 32;
	}
	word = 0;
	memcpy(&word, name, length);
	hash = (hash ^ word) * 0xc4ceb9fe1a85ec53ULL;
	return (uint32_t)(hash >> 32);
}

static size_t find_place(const struct walk_names *names, const char *name, uint32_t hash)
{
	size_t i = hash & (names->capacity - 1);

	while (names->names[i] &&
		(names->hashes[i] != hash || strcmp(names->names[i], name) != 0)) {
		i = (i + 1) & (names->capacity - 1);
	}
	return i;
}

static enum status grow(struct walk_names *names)
{
	struct walk_names larger = *names;

	larger.capacity = names->capacity ? names->capacity * 2 : CAPACITY_MIN;
	larger.names = calloc(larger.capacity, sizeof(*larger.names));
	larger.hashes = calloc(larger.capacity, sizeof(*larger.hashes));
	if (!larger.names || !larger.hashes) {
		free(larger.names);
		free(larger.hashes);
		return STATUS_NO_MEMORY;
	}
	for (size_t i = 0; i < names->capacity; i++) {
		if (names->names[i]) {
			const size_t j = find_place(&larger, names->names[i], names->hashes[i]);

			larger.names[j] = names->names[i];
			larger.hashes[j] = names->hashes[i];
		}
	}
	free(names->names);
	free(names->hashes);
	*names = larger;
	return STATUS_OK;
}

/* Room for `bytes`, NULL when there is no memory. */
static char *take_bytes(struct walk_names *names, size_t bytes)
{
	struct chunk *chunk = names->chunks;
	const size_t wanted = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;

	if (!chunk || names->chunk_used_bytes + bytes > CHUNK_BYTES) {
		chunk = malloc(sizeof(*chunk) + wanted);
		if (!chunk) {
			return NULL;
		}
		chunk->next = names->chunks;
		names->chunks = chunk;
		names->chunk_used_bytes = 0;
	}
	names->chunk_used_bytes += bytes;
	return chunk->bytes + names->chunk_used_bytes - bytes;
}

/* A new name in place `i`; NULL when there is no memory. */
static const char *add_name(
	struct walk_names *names, size_t i, const char *name, size_t length, uint32_t hash)
{
	char *copy = take_bytes(names, sizeof(struct walk_name_facts) + length + 1);

	if (!copy) {
		return NULL;
	}
	copy += sizeof(struct walk_name_facts);
	memcpy(copy, name, length + 1);
	*walk_names_facts(copy) = (struct walk_name_facts){0};
	names->names[i] = copy;
	names->hashes[i] = hash;
	names->count++;
	return copy;
}

const char *walk_names_keep(struct walk_names *names, const char *name)
{
	const bool is_full = names->count >= WALK_NAME_COUNT_MAX;
	size_t length;
	uint32_t hash;
	size_t i;

	name = name ? name : "";
	if (!is_full && (names->count + 2) * 2 > names->capacity && grow(names) != STATUS_OK) {
		return NULL;
	}
	length = strlen(name);
	hash = hash_name(name, length);
	i = find_place(names, name, hash);
	if (names->names[i]) {
		return names->names[i];
	}
	/* One longer than any event may carry would come from a broken trace. */
	if (is_full || length >= NAME_BYTES_MAX) {
		names->refused_count++;
		name = WALK_NAME_OTHER;
		length = strlen(name);
		hash = hash_name(name, length);
		i = find_place(names, name, hash);
	}
	return names->names[i] ? names->names[i] : add_name(names, i, name, length, hash);
}

const char *walk_names_find(const struct walk_names *names, const char *name)
{
	name = name ? name : "";
	return names->capacity > 0
		       ? names->names[find_place(names, name, hash_name(name, strlen(name)))]
		       : NULL;
}

void walk_names_finish(struct walk_names *names)
{
	struct chunk *chunk = names->chunks;

	while (chunk) {
		struct chunk *next = chunk->next;

		free(chunk);
		chunk = next;
	}
	free(names->names);
	free(names->hashes);
	*names = (struct walk_names){0};
}
