/* SPDX-License-Identifier: MIT */
#include "prover/groth16/secret.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Before the memory itself: how much there is to wipe. As large as a cache line, to keep it
 * aligned. */
union header {
	size_t total_bytes;
	uint8_t line[64];
};

void *secret_create(size_t count, size_t size)
{
	union header *header;
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes) ||
		__builtin_add_overflow(bytes, 2 * sizeof(*header) - 1, &bytes)) {
		return NULL;
	}
	bytes -= bytes % sizeof(*header); /* aligned_alloc wants a multiple */
	header = aligned_alloc(sizeof(*header), bytes);
	if (!header) {
		return NULL;
	}
	header->total_bytes = bytes;
	return header + 1;
}

void secret_destroy(void *memory)
{
	union header *header;

	if (!memory) {
		return;
	}
	header = (union header *)memory - 1;
	explicit_bzero(header, header->total_bytes);
	free(header);
}
