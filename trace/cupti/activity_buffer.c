/* SPDX-License-Identifier: MIT */
#include "trace/cupti/activity_buffer.h"

#include "trace/base/clock.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Buffers whose pages are there before anybody asks. */
#define READY_COUNT 8

/* Past the pool: small, since there may be one for each of very many threads. */
#define EXTRA_BYTES 65536U

enum status activity_buffer_pool_init(struct activity_buffer_pool *pool, uint32_t count_max)
{
	const size_t bytes = (size_t)count_max * ACTIVITY_BUFFER_BYTES;
	pthread_condattr_t attributes;
	struct activity_buffer *buffers = calloc(count_max, sizeof(*buffers));
	uint8_t *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (!buffers || memory == MAP_FAILED) {
		free(buffers);
		if (memory != MAP_FAILED) {
			(void)munmap(memory, bytes);
		}
		return STATUS_NO_MEMORY;
	}
	memset(pool, 0, sizeof(*pool));
	(void)pthread_mutex_init(&pool->mutex, NULL);
	(void)pthread_condattr_init(&attributes);
	(void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	(void)pthread_cond_init(&pool->changed, &attributes);
	(void)pthread_condattr_destroy(&attributes);
	pool->memory = memory;
	pool->count = count_max;
	pool->buffers = buffers;
	for (uint32_t i = 0; i < count_max; i++) {
		buffers[i].data = memory + (size_t)i * ACTIVITY_BUFFER_BYTES;
		buffers[i].bytes = ACTIVITY_BUFFER_BYTES;
	}
	activity_buffer_pool_prepare(pool);
	return STATUS_OK;
}

/* Those of a list that are not the pool's own. */
static void extras_free(struct activity_buffer *buffer)
{
	while (buffer) {
		struct activity_buffer *next = buffer->next;

		if (buffer->is_extra) {
			free(buffer->data);
			free(buffer);
		}
		buffer = next;
	}
}

void activity_buffer_pool_finish(struct activity_buffer_pool *pool)
{
	extras_free(pool->extra);
	extras_free(pool->full);
	(void)munmap(pool->memory, (size_t)pool->count * ACTIVITY_BUFFER_BYTES);
	free(pool->buffers);
	(void)pthread_cond_destroy(&pool->changed);
	(void)pthread_mutex_destroy(&pool->mutex);
}

static struct activity_buffer *pop_full(struct activity_buffer_pool *pool)
{
	struct activity_buffer *buffer = pool->full;

	if (buffer) {
		pool->full = buffer->next;
		pool->full_last = pool->full ? pool->full_last : NULL;
		buffer->next = NULL;
	}
	return buffer;
}

static struct activity_buffer *extra_create(struct activity_buffer_pool *pool)
{
	struct activity_buffer *extra = calloc(1, sizeof(*extra));
	uint8_t *data = calloc(1, EXTRA_BYTES);

	if (!extra || !data) {
		free(extra);
		free(data);
		return NULL;
	}
	extra->data = data;
	extra->bytes = EXTRA_BYTES;
	extra->is_extra = true;
	extra->next = pool->extra;
	pool->extra = extra;
	pool->extra_count++;
	return extra;
}

/* An empty buffer, or for want of one a full one, which is then lost; mutex held. */
static struct activity_buffer *find_any(struct activity_buffer_pool *pool)
{
	struct activity_buffer *buffer = pool->free;

	if (buffer) {
		pool->free = buffer->next;
		pool->free_count--;
		return buffer;
	}
	if (pool->touched_count < pool->count) {
		return &pool->buffers[pool->touched_count++];
	}
	if (pool->extra_count < ACTIVITY_BUFFER_EXTRA_MAX || !pool->full) {
		return extra_create(pool);
	}
	buffer = pop_full(pool);
	if (buffer->is_extra) {
		buffer->next = pool->extra;
		pool->extra = buffer;
	}
	return buffer;
}

static void lose_records(
	struct activity_buffer_pool *pool, struct activity_buffer *buffer, size_t valid_bytes)
{
	const uint64_t lost_count =
		pool->drop_records(pool->drop_context, buffer->data, valid_bytes);

	memset(buffer->data, 0, buffer->bytes);
	pthread_mutex_lock(&pool->mutex);
	pool->lost_count += lost_count;
	pthread_mutex_unlock(&pool->mutex);
}

uint8_t *activity_buffer_pool_request(struct activity_buffer_pool *pool, size_t *out_bytes)
{
	struct activity_buffer *buffer;
	size_t lost_bytes = 0;

	*out_bytes = 0;
	pthread_mutex_lock(&pool->mutex);
	buffer = find_any(pool);
	if (buffer) {
		lost_bytes = buffer->valid_bytes;
		buffer->valid_bytes = 0;
		buffer->state = ACTIVITY_BUFFER_OUT;
		buffer->requested_ns = clock_now_ns();
		if (!buffer->is_extra) {
			buffer->next = NULL;
		}
	}
	pthread_mutex_unlock(&pool->mutex);
	if (!buffer) {
		return NULL;
	}
	if (lost_bytes > 0) {
		lose_records(pool, buffer, lost_bytes);
	}
	*out_bytes = buffer->bytes;
	return buffer->data;
}

/* The buffer that is out at that address, off the list of extra ones; mutex held. */
static struct activity_buffer *find_out(struct activity_buffer_pool *pool, const uint8_t *data)
{
	const size_t bytes = (size_t)pool->count * ACTIVITY_BUFFER_BYTES;
	struct activity_buffer **link = &pool->extra;
	struct activity_buffer *buffer;

	if (data >= pool->memory && data < pool->memory + bytes) {
		buffer = &pool->buffers[(size_t)(data - pool->memory) / ACTIVITY_BUFFER_BYTES];
		return buffer->data == data && buffer->state == ACTIVITY_BUFFER_OUT ? buffer : NULL;
	}
	while (*link && (*link)->data != data) {
		link = &(*link)->next;
	}
	buffer = *link;
	if (buffer) {
		*link = buffer->next;
		buffer->next = NULL;
	}
	return buffer;
}

static void put_empty(struct activity_buffer_pool *pool, struct activity_buffer *buffer)
{
	buffer->state = ACTIVITY_BUFFER_FREE;
	buffer->valid_bytes = 0;
	buffer->next = pool->free;
	pool->free = buffer;
	pool->free_count++;
}

void activity_buffer_pool_complete(
	struct activity_buffer_pool *pool, uint8_t *data, size_t valid_bytes)
{
	struct activity_buffer *buffer;
	bool is_kept = false;

	pthread_mutex_lock(&pool->mutex);
	buffer = find_out(pool, data);
	if (buffer) {
		is_kept = valid_bytes > 0 && !pool->is_closed;
		buffer->state = is_kept ? ACTIVITY_BUFFER_FULL : ACTIVITY_BUFFER_TAKEN;
		buffer->valid_bytes = valid_bytes < buffer->bytes ? valid_bytes : buffer->bytes;
	}
	if (is_kept) {
		if (pool->full_last) {
			pool->full_last->next = buffer;
		} else {
			pool->full = buffer;
		}
		pool->full_last = buffer;
		(void)pthread_cond_broadcast(&pool->changed);
	}
	pthread_mutex_unlock(&pool->mutex);
	if (buffer && !is_kept) {
		activity_buffer_pool_put(pool, buffer);
	}
}

struct activity_buffer *activity_buffer_pool_take(struct activity_buffer_pool *pool)
{
	struct activity_buffer *buffer;

	pthread_mutex_lock(&pool->mutex);
	buffer = pop_full(pool);
	if (buffer) {
		buffer->state = ACTIVITY_BUFFER_TAKEN;
	}
	pthread_mutex_unlock(&pool->mutex);
	return buffer;
}

void activity_buffer_pool_put(struct activity_buffer_pool *pool, struct activity_buffer *buffer)
{
	assert(buffer->state == ACTIVITY_BUFFER_TAKEN);

	if (buffer->is_extra) {
		pthread_mutex_lock(&pool->mutex);
		pool->extra_count--;
		pthread_mutex_unlock(&pool->mutex);
		free(buffer->data);
		free(buffer);
		return;
	}
	/* All of it: CUPTI was told that it need not, and may write behind what is valid. */
	memset(buffer->data, 0, buffer->bytes);
	pthread_mutex_lock(&pool->mutex);
	put_empty(pool, buffer);
	pthread_mutex_unlock(&pool->mutex);
}

void activity_buffer_pool_prepare(struct activity_buffer_pool *pool)
{
	pthread_mutex_lock(&pool->mutex);
	while (pool->free_count < READY_COUNT && pool->touched_count < pool->count) {
		struct activity_buffer *buffer = &pool->buffers[pool->touched_count++];

		pthread_mutex_unlock(&pool->mutex);
		memset(buffer->data, 0, buffer->bytes);
		pthread_mutex_lock(&pool->mutex);
		put_empty(pool, buffer);
	}
	pthread_mutex_unlock(&pool->mutex);
}

uint64_t activity_buffer_pool_oldest_ns(struct activity_buffer_pool *pool, uint64_t otherwise_ns)
{
	uint64_t oldest_ns = otherwise_ns;

	pthread_mutex_lock(&pool->mutex);
	for (uint32_t i = 0; i < pool->touched_count; i++) {
		const struct activity_buffer *buffer = &pool->buffers[i];

		if ((buffer->state == ACTIVITY_BUFFER_OUT ||
			    buffer->state == ACTIVITY_BUFFER_FULL) &&
			buffer->requested_ns < oldest_ns) {
			oldest_ns = buffer->requested_ns;
		}
	}
	for (const struct activity_buffer *extra = pool->extra; extra; extra = extra->next) {
		oldest_ns = extra->requested_ns < oldest_ns ? extra->requested_ns : oldest_ns;
	}
	for (const struct activity_buffer *full = pool->full; full; full = full->next) {
		oldest_ns = full->requested_ns < oldest_ns ? full->requested_ns : oldest_ns;
	}
	pthread_mutex_unlock(&pool->mutex);
	return oldest_ns;
}

uint64_t activity_buffer_pool_lost(struct activity_buffer_pool *pool)
{
	uint64_t lost_count;

	pthread_mutex_lock(&pool->mutex);
	lost_count = pool->lost_count;
	pool->lost_count = 0;
	pthread_mutex_unlock(&pool->mutex);
	return lost_count;
}

bool activity_buffer_pool_wait(struct activity_buffer_pool *pool, uint64_t deadline_ns)
{
	const struct timespec deadline = clock_timespec(deadline_ns);
	bool is_running;

	pthread_mutex_lock(&pool->mutex);
	while (!pool->is_stopping && !pool->full &&
		pthread_cond_timedwait(&pool->changed, &pool->mutex, &deadline) == 0) {
	}
	is_running = !pool->is_stopping;
	pthread_mutex_unlock(&pool->mutex);
	return is_running;
}

void activity_buffer_pool_stop(struct activity_buffer_pool *pool)
{
	pthread_mutex_lock(&pool->mutex);
	pool->is_stopping = true;
	(void)pthread_cond_broadcast(&pool->changed);
	pthread_mutex_unlock(&pool->mutex);
}

void activity_buffer_pool_close(struct activity_buffer_pool *pool)
{
	pthread_mutex_lock(&pool->mutex);
	pool->is_closed = true;
	pthread_mutex_unlock(&pool->mutex);
}

void activity_buffer_pool_hold(struct activity_buffer_pool *pool)
{
	pthread_mutex_lock(&pool->mutex);
}

void activity_buffer_pool_let_go(struct activity_buffer_pool *pool)
{
	pthread_mutex_unlock(&pool->mutex);
}
