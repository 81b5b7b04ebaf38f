/* SPDX-License-Identifier: MIT */
/*
 * FNV-1a of 64 bits: names and figures as numbers. The same on every machine and in every version,
 * since histories keep some. Not against forgers.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Of nothing: what a hash begins with. */
#define HASH_START 0xcbf29ce484222325ULL

static inline uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t byte_count)
{
	const unsigned char *at = (const unsigned char *)bytes;

	for (size_t i = 0; i < byte_count; i++) {
		hash = (hash ^ at[i]) * 0x100000001b3ULL;
	}
	return hash;
}
