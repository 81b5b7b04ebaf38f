/* SPDX-License-Identifier: MIT */
#include "prover/heap_chunks.h"

#include <assert.h>
#include <stdlib.h>

/* Holds two whole pages wherever it begins, which a trim gives back chunk by chunk. */
#define FREE_BYTES  12288
#define FENCE_BYTES 1536

_Static_assert(HEAP_CHUNK_BYTES == FREE_BYTES + FENCE_BYTES, "as others reckon with it");

struct heap_chunks {
	uint64_t count;
	void *fences[];
};

enum status heap_chunks_create(uint64_t count, struct heap_chunks **out_chunks)
{
	AUTO(heap_chunks_destroy) struct heap_chunks *chunks = NULL;
	void **blocks = calloc(count, sizeof(*blocks));
	enum status status = STATUS_OK;

	assert(count > 0 && out_chunks);

	chunks = calloc(1, sizeof(*chunks) + count * sizeof(void *));
	if (!blocks || !chunks) {
		free(blocks);
		return STATUS_NO_MEMORY;
	}
	for (; chunks->count < count && status == STATUS_OK; chunks->count++) {
		blocks[chunks->count] = malloc(FREE_BYTES);
		/* Stays in use between two blocks, so that malloc cannot join them when they are
		 * freed. */
		chunks->fences[chunks->count] = malloc(FENCE_BYTES);
		if (!blocks[chunks->count] || !chunks->fences[chunks->count]) {
			status = STATUS_NO_MEMORY;
		}
	}
	/* After all were made: a block freed before would be handed out again. */
	for (uint64_t i = 0; i < chunks->count; i++) {
		free(blocks[i]);
	}
	free(blocks);
	if (status == STATUS_OK) {
		*out_chunks = MOVE(chunks);
	}
	return status;
}

void heap_chunks_destroy(struct heap_chunks *chunks)
{
	if (!chunks) {
		return;
	}
	for (uint64_t i = 0; i < chunks->count; i++) {
		free(chunks->fences[i]);
	}
	free(chunks);
}
