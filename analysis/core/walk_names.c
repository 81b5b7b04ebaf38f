/* SPDX-License-Identifier: MIT */
#include "analysis/core/walk_names.h"

#include "trace/base/limits.h"
#include "trace/base/utf8.h"

#include <stdlib.h>
#include <string.h>

/* Slots of the table; names of most recordings fit without growing. */
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
	/* Facts lie just before the text, so that a name is one pointer and still knows them. */
	*walk_names_facts(copy) = (struct walk_name_facts){0};
	names->names[i] = copy;
	names->hashes[i] = hash;
	names->count++;
	return copy;
}

/*
 * The name as it is kept: whole, or as much as an event of ours may carry, in `cut`. Templates and
 * ranges with shapes in them have thousands of bytes, and begin with what tells them apart.
 */
static const char *shorten(const char *name, size_t *out_length, char cut[NAME_BYTES_MAX])
{
	size_t size;

	name = name ? name : "";
	size = strlen(name);
	*out_length = utf8_clip(name, size, NAME_BYTES_MAX - 1);
	if (*out_length == size) {
		return name;
	}
	memcpy(cut, name, *out_length);
	cut[*out_length] = '\0';
	return cut;
}

const char *walk_names_keep(struct walk_names *names, const char *name)
{
	const bool is_full = names->count >= WALK_NAME_COUNT_MAX;
	char cut[NAME_BYTES_MAX];
	size_t length;
	uint32_t hash;
	size_t i;

	name = shorten(name, &length, cut);
	/* Half of the slots stay empty; two are for the name and for WALK_NAME_OTHER. */
	if (!is_full && (names->count + 2) * 2 > names->capacity && grow(names) != STATUS_OK) {
		return NULL;
	}
	hash = hash_name(name, length);
	i = find_place(names, name, hash);
	if (names->names[i]) {
		return names->names[i];
	}
	/* Refused ones share one name: the report stays right about time and says less about names.
	 */
	if (is_full) {
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
	char cut[NAME_BYTES_MAX];
	size_t length;

	name = shorten(name, &length, cut);
	return names->capacity > 0 ? names->names[find_place(names, name, hash_name(name, length))]
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
