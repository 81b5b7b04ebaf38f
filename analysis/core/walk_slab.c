/* SPDX-License-Identifier: MIT */
#include "analysis/core/walk_slab.h"

#include <stdlib.h>

/* So many that malloc is rare, so few that a short recording stays small. */
#define CHUNK_OBJECTS 256

struct free_object {
	struct free_object *next;
};

struct chunk {
	struct chunk *next;
	max_align_t objects[];
};

void walk_slab_init(struct walk_slab *slab, size_t object_bytes)
{
	const size_t alignment = sizeof(max_align_t);

	*slab = (struct walk_slab){
		.object_bytes = (object_bytes + alignment - 1) / alignment * alignment};
}

static void add_chunk(struct walk_slab *slab)
{
	struct chunk *chunk = malloc(sizeof(*chunk) + CHUNK_OBJECTS * slab->object_bytes);

	if (!chunk) {
		return;
	}
	chunk->next = slab->chunks;
	slab->chunks = chunk;
	/* Backwards, so that objects are handed out in the order of their addresses. */
	for (size_t i = CHUNK_OBJECTS; i > 0; i--) {
		struct free_object *object =
			(void *)((char *)chunk->objects + (i - 1) * slab->object_bytes);

		object->next = slab->free_objects;
		slab->free_objects = object;
	}
}

void *walk_slab_take(struct walk_slab *slab)
{
	struct free_object *object;

	/* Chunks are never given back before the end: the walk's peak is its size. */
	if (!slab->free_objects) {
		add_chunk(slab);
	}
	object = slab->free_objects;
	if (object) {
		slab->free_objects = object->next;
		slab->taken_count++;
	}
	return object;
}

void walk_slab_give_back(struct walk_slab *slab, void *object)
{
	struct free_object *free_object = object;

	free_object->next = slab->free_objects;
	slab->free_objects = free_object;
	slab->taken_count--;
}

void walk_slab_finish(struct walk_slab *slab)
{
	struct chunk *chunk = slab->chunks;

	while (chunk) {
		struct chunk *next = chunk->next;

		free(chunk);
		chunk = next;
	}
	slab->chunks = NULL;
	slab->free_objects = NULL;
	slab->taken_count = 0;
}
