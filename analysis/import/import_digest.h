/* SPDX-License-Identifier: MIT */
/*
 * Whether two files are of one recording, exported twice or compressed: then everything would count
 * twice. A file is known by its first operations, which no two processes share to the nanosecond.
 */
#pragma once

#include "analysis/core/event.h"

#include <stddef.h>

/* Times in microseconds and processes in containers, each with number 1, are alike now and then;
 * that many in a row are not. */
#define IMPORT_DIGEST_COUNT 8

struct import_digest {
	uint64_t hash;
	uint32_t count; /* operations in it */
};

/*
 * An event of file number `index`, as the file has it, on the common clock. True when by it the
 * file turns out to be that of another one of the `count` files.
 */
bool import_digest_add(struct import_digest *digests, size_t count, size_t index,
	const struct event *event, size_t *out_twin);
