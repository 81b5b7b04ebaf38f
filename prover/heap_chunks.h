/* SPDX-License-Identifier: MIT */
/*
 * A heap as a daemon's is after days of service: full of free chunks that cannot be joined, since
 * what lies between them is in use. malloc_trim walks all of them every time, and that is what it
 * costs where it costs much.
 */
#pragma once

#include "trace/base/cleanup.h"
#include "trace/base/status.h"

#include <stdint.h>

/* Of the heap, for each chunk and what keeps it apart from the next. */
#define HEAP_CHUNK_BYTES 13824

struct heap_chunks;

/* Leaves `count` free chunks in the heap of the calling thread until they are destroyed. */
MUST_CHECK enum status heap_chunks_create(uint64_t count, struct heap_chunks **out_chunks);
/* Accepts NULL. */
void heap_chunks_destroy(struct heap_chunks *chunks);
DEFINE_AUTO(struct heap_chunks, heap_chunks_destroy)
