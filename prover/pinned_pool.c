/* SPDX-License-Identifier: MIT */
#include "prover/pinned_pool.h"

#include "prover/lock_registry.h"
#include "trace/base/clock.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>

/* What stands for pageable memory that nobody will touch, of a device that only models. */
#define TOKEN_BYTES 4096

struct kept_buffer {
	struct kept_buffer *next;
	void *memory;
	uint64_t capacity_bytes;
	struct device *device;
};

struct pinned_pool {
	struct pinned_pool_config config;
	struct device *_Atomic device; /* that allocates */
	struct gaptrace_mutex mutex;   /* guards the fields below */
	struct kept_buffer *kept;
	struct pinned_pool_counts counts;
};

enum status pinned_pool_create(
	const struct pinned_pool_config *config, struct pinned_pool **out_pool)
{
	struct pinned_pool *pool;
	enum status status;

	assert(config && config->ops && config->device && out_pool);

	pool = calloc(1, sizeof(*pool));
	if (!pool) {
		return STATUS_NO_MEMORY;
	}
	pool->config = *config;
	atomic_init(&pool->device, config->device);
	status = lock_registry_mutex_init(&pool->mutex, "pinned_pool");
	if (status != STATUS_OK) {
		free(pool);
		return status;
	}

	*out_pool = pool;
	return STATUS_OK;
}

void pinned_pool_use(struct pinned_pool *pool, struct device *device)
{
	atomic_store(&pool->device, device);
}

/* Of the kept buffers that are large enough, the smallest. With the lock held. */
static struct kept_buffer *take_kept(struct pinned_pool *pool, uint64_t bytes)
{
	struct kept_buffer **best = NULL;
	struct kept_buffer *taken;

	for (struct kept_buffer **link = &pool->kept; *link; link = &(*link)->next) {
		if ((*link)->capacity_bytes >= bytes &&
			(!best || (*link)->capacity_bytes < (*best)->capacity_bytes)) {
			best = link;
		}
	}
	if (!best) {
		return NULL;
	}
	taken = *best;
	*best = taken->next;
	pool->counts.kept_bytes -= taken->capacity_bytes;
	return taken;
}

static struct kept_buffer *take_largest(struct pinned_pool *pool)
{
	struct kept_buffer **largest = &pool->kept;
	struct kept_buffer *taken = pool->kept;

	for (struct kept_buffer **link = &pool->kept; *link; link = &(*link)->next) {
		if ((*link)->capacity_bytes > taken->capacity_bytes) {
			largest = link;
			taken = *link;
		}
	}
	if (taken) {
		*largest = taken->next;
		pool->counts.kept_bytes -= taken->capacity_bytes;
	}
	return taken;
}

/* Memory of an earlier partition, not cleared: its whole length is written before it is read. */
static bool reuse(struct pinned_pool *pool, uint64_t bytes, struct pinned_buffer *buffer)
{
	struct kept_buffer *kept;

	gaptrace_mutex_lock(&pool->mutex);
	kept = take_kept(pool, bytes);
	pool->counts.reused_count += kept != NULL;
	gaptrace_mutex_unlock(&pool->mutex);
	if (!kept) {
		return false;
	}

	buffer->memory = kept->memory;
	buffer->capacity_bytes = kept->capacity_bytes;
	buffer->device = kept->device;
	buffer->is_pinned = true;
	free(kept);
	return true;
}

/* Without the lock: the driver serialises by itself, and takes its time. */
static bool allocate_pinned(struct pinned_pool *pool, uint64_t bytes, struct pinned_buffer *buffer)
{
	const struct device_ops *ops = pool->config.ops;

	buffer->device = atomic_load(&pool->device);
	if (ops->pinned_alloc(buffer->device, bytes, &buffer->memory) != STATUS_OK) {
		return false;
	}
	buffer->capacity_bytes = bytes;
	buffer->is_pinned = true;

	gaptrace_mutex_lock(&pool->mutex);
	pool->counts.allocated_count++;
	gaptrace_mutex_unlock(&pool->mutex);
	return true;
}

static uint64_t pageable_bytes(const struct pinned_pool *pool, uint64_t bytes)
{
	return pool->config.ops->makes_proofs ? bytes : TOKEN_BYTES;
}

/* Also when pinned memory cannot be had: slower copies are better than a failed job. */
static bool map_pageable(struct pinned_pool *pool, uint64_t bytes, struct pinned_buffer *buffer)
{
	const int protection = pool->config.ops->makes_proofs ? PROT_READ | PROT_WRITE : PROT_NONE;

	buffer->memory = mmap(
		NULL, pageable_bytes(pool, bytes), protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (buffer->memory == MAP_FAILED) {
		return false;
	}
	buffer->capacity_bytes = bytes;
	buffer->is_pinned = false;

	gaptrace_mutex_lock(&pool->mutex);
	pool->counts.pageable_count++;
	gaptrace_mutex_unlock(&pool->mutex);
	return true;
}

enum status pinned_pool_checkout(
	struct pinned_pool *pool, uint64_t bytes, struct pinned_buffer *out_buffer)
{
	const uint64_t begin_ns = clock_now_ns();
	struct pinned_buffer buffer = {.bytes = bytes};
	bool has_memory = false;

	assert(pool && bytes > 0 && out_buffer);

	if (pool->config.staging == PINNED_POOL_REUSE) {
		has_memory = reuse(pool, bytes, &buffer);
	}
	if (!has_memory && pool->config.staging != PINNED_POOL_PAGEABLE) {
		has_memory = allocate_pinned(pool, bytes, &buffer);
	}
	if (!has_memory && !map_pageable(pool, bytes, &buffer)) {
		return STATUS_NO_MEMORY;
	}

	gaptrace_mutex_lock(&pool->mutex);
	pool->counts.live_count++;
	pool->counts.live_bytes += bytes;
	gaptrace_buffer_alloc(&(struct gaptrace_buffer){
		.kind = GAPTRACE_BUFFER_ABC,
		.bytes = bytes,
		.live_count = pool->counts.live_count,
		.live_bytes = pool->counts.live_bytes,
		/* With the wait for the driver's own lock, which is what stalls. */
		.duration_ns = clock_now_ns() - begin_ns,
	});
	gaptrace_mutex_unlock(&pool->mutex);
	*out_buffer = buffer;
	return STATUS_OK;
}

/* With the lock held: true when the buffer is to stay. Without room it is not kept. */
static bool keep(struct pinned_pool *pool, const struct pinned_buffer *buffer)
{
	const uint64_t limit = pool->config.kept_bytes_max;
	struct kept_buffer *kept;

	if (!buffer->is_pinned || pool->config.staging != PINNED_POOL_REUSE ||
		(limit && pool->counts.kept_bytes + buffer->capacity_bytes > limit)) {
		return false;
	}
	kept = malloc(sizeof(*kept));
	if (!kept) {
		return false;
	}
	*kept = (struct kept_buffer){
		.next = pool->kept,
		.memory = buffer->memory,
		.capacity_bytes = buffer->capacity_bytes,
		.device = buffer->device,
	};
	pool->kept = kept;
	pool->counts.kept_bytes += kept->capacity_bytes;
	return true;
}

/* Keeps the buffer or gives its memory back to where it came from. */
static void keep_or_free(struct pinned_pool *pool, const struct pinned_buffer *buffer)
{
	bool is_kept;

	gaptrace_mutex_lock(&pool->mutex);
	is_kept = keep(pool, buffer);
	gaptrace_mutex_unlock(&pool->mutex);
	if (!is_kept && buffer->is_pinned) {
		pool->config.ops->pinned_free(
			buffer->device, buffer->memory, buffer->capacity_bytes);
	} else if (!is_kept) {
		(void)munmap(buffer->memory, pageable_bytes(pool, buffer->capacity_bytes));
	}
}

void pinned_pool_checkin(struct pinned_pool *pool, struct pinned_buffer *buffer)
{
	const uint64_t begin_ns = clock_now_ns();

	assert(pool && buffer);

	/* Never checked out, or checked in already. */
	if (!buffer->memory) {
		return;
	}

	keep_or_free(pool, buffer);
	gaptrace_mutex_lock(&pool->mutex);
	pool->counts.live_count--;
	pool->counts.live_bytes -= buffer->bytes;
	gaptrace_buffer_free(&(struct gaptrace_buffer){
		.kind = GAPTRACE_BUFFER_ABC,
		.bytes = buffer->bytes,
		.live_count = pool->counts.live_count,
		.live_bytes = pool->counts.live_bytes,
		.duration_ns = clock_now_ns() - begin_ns,
	});
	gaptrace_mutex_unlock(&pool->mutex);
	*buffer = (struct pinned_buffer){0};
}

uint64_t pinned_pool_shrink(struct pinned_pool *pool, uint64_t bytes)
{
	uint64_t freed_bytes = 0;

	assert(pool);

	while (freed_bytes < bytes) {
		struct kept_buffer *kept;

		gaptrace_mutex_lock(&pool->mutex);
		kept = take_largest(pool);
		gaptrace_mutex_unlock(&pool->mutex);
		if (!kept) {
			break;
		}
		freed_bytes += kept->capacity_bytes;
		/* Without the lock: unpinning takes as long as pinning. */
		pool->config.ops->pinned_free(kept->device, kept->memory, kept->capacity_bytes);
		free(kept);
	}
	return freed_bytes;
}

struct pinned_pool_counts pinned_pool_counts(struct pinned_pool *pool)
{
	struct pinned_pool_counts counts;

	assert(pool);

	gaptrace_mutex_lock(&pool->mutex);
	counts = pool->counts;
	gaptrace_mutex_unlock(&pool->mutex);
	return counts;
}

void pinned_pool_destroy(struct pinned_pool *pool)
{
	if (!pool) {
		return;
	}

	assert(pool->counts.live_count == 0);

	(void)pinned_pool_shrink(pool, UINT64_MAX);
	lock_registry_mutex_finish(&pool->mutex);
	free(pool);
}
