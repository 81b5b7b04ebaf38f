/* SPDX-License-Identifier: MIT */
/*
 * Names kept once each, so that equal ones have one address, which stays as long as the struct.
 * Past WALK_NAME_COUNT_MAX every new name becomes "(other)". All zero is empty.
 */
#pragma once

#include "trace/base/cleanup.h"
#include "trace/base/status.h"

#include <stddef.h>
#include <stdint.h>

/* Programs name a few hundred things; far more means that identities were put into names. */
#define WALK_NAME_COUNT_MAX 65536

struct walk_names {
	const char **names;
	uint32_t *hashes;
	size_t capacity;
	size_t count;
	void *chunks;
	size_t chunk_used_bytes;
	uint64_t refused_count;
};

/* The kept copy of `name` ("" for NULL); NULL when there is no memory. */
const char *walk_names_keep(struct walk_names *names, const char *name);

void walk_names_finish(struct walk_names *names);
