/* SPDX-License-Identifier: MIT */
/*
 * Large host buffers that a device copies from: a, b and c of a partition. Pinned ones are kept
 * for reuse, or, to reproduce an allocation storm, made and freed for each partition; pageable
 * ones are mapped and unmapped each time. When no pinned memory can be had the buffer is pageable:
 * slower, not an error. Any thread may call.
 */
#pragma once

#include "prover/device/device.h"
#include "trace/base/cleanup.h"
#include "trace/base/status.h"

#include <stdbool.h>
#include <stdint.h>

struct pinned_pool;

enum pinned_pool_staging {
	PINNED_POOL_REUSE,    /* pinned, kept when checked in */
	PINNED_POOL_PER_CALL, /* pinned, allocated and freed each time */
	PINNED_POOL_PAGEABLE, /* never pinned */
};

struct pinned_pool_config {
	const struct device_ops *ops;
	struct device *device; /* which allocates for all; borrowed */
	enum pinned_pool_staging staging;
	uint64_t kept_bytes_max; /* free buffers kept; 0: no limit */
};

struct pinned_buffer {
	void *memory; /* NULL: none */
	uint64_t bytes;
	uint64_t capacity_bytes; /* the pool's own: what lies there, at least `bytes` */
	bool is_pinned;
	struct device *device; /* which allocated it */
};

MUST_CHECK enum status pinned_pool_create(
	const struct pinned_pool_config *config, struct pinned_pool **out_pool);

/* Has another device allocate from now on: the one before is lost. */
void pinned_pool_use(struct pinned_pool *pool, struct device *device);

/* Gives a buffer of `bytes`, with whatever is in it. */
MUST_CHECK enum status pinned_pool_checkout(
	struct pinned_pool *pool, uint64_t bytes, struct pinned_buffer *out_buffer);

/* Takes the buffer back and clears `buffer`. One without memory is nothing. */
void pinned_pool_checkin(struct pinned_pool *pool, struct pinned_buffer *buffer);

/* Frees kept buffers, largest first, until `bytes` are freed or none is left; how many were. */
uint64_t pinned_pool_shrink(struct pinned_pool *pool, uint64_t bytes);

struct pinned_pool_counts {
	uint64_t allocated_count; /* pinned allocations */
	uint64_t reused_count;
	uint64_t pageable_count;
	uint64_t live_count; /* checked out */
	uint64_t live_bytes;
	uint64_t kept_bytes;
};

struct pinned_pool_counts pinned_pool_counts(struct pinned_pool *pool);

/* Accepts NULL. Every buffer must be back. */
void pinned_pool_destroy(struct pinned_pool *pool);
DEFINE_AUTO(struct pinned_pool, pinned_pool_destroy)
