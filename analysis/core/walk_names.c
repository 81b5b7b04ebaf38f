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

static uint32_t hash_name(const char *name, size_t *out_bytes)
{
	uint32_t hash = 2166136261U;
	size_t bytes = 0;

	for (; name[bytes]; bytes++) {
		hash = (hash ^ (unsigned char)name[bytes]) * 16777619U;
	}
	*out_bytes = bytes + 1;
	return hash;
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

const char *walk_names_keep(struct walk_names *names, const char *name)
{
	size_t bytes;
	uint32_t hash;
	size_t i;
	char *copy;

	if (!name || !name[0]) {
		return "";
	}
	if ((names->count + 1) * 2 > names->capacity && grow(names) != STATUS_OK) {
		return NULL;
	}
	hash = hash_name(name, &bytes);
	i = find_place(names, name, hash);
	if (names->names[i]) {
		return names->names[i];
	}
	/* One longer than any event may carry would come from a broken trace. */
	if (names->count >= WALK_NAME_COUNT_MAX || bytes > NAME_BYTES_MAX) {
		names->refused_count++;
		return "(other)";
	}
	copy = take_bytes(names, bytes);
	if (!copy) {
		return NULL;
	}
	memcpy(copy, name, bytes);
	names->names[i] = copy;
	names->hashes[i] = hash;
	names->count++;
	return copy;
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
