/* SPDX-License-Identifier: MIT */
/*
 * The buffers that CUPTI fills with records. They are allocated and zeroed before it asks, since it
 * asks in the host's threads, in the middle of a launch; what comes back full waits here for our
 * own thread. CUPTI crashes on a request that is refused, so there is always one more: past the
 * pool there are some small ones, and past those the oldest full buffer is emptied unread.
 * The mutex guards everything; the pool may be used by any thread, and across a fork.
 */
#pragma once

#include "trace/base/status.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* 216 bytes a kernel: some 5000 kernels. CUPTI's advice is 1 to 10 MiB. */
#define ACTIVITY_BUFFER_BYTES 1048576U

/* Small buffers past the pool before records are lost instead: 16 MiB. There are more of them only
 * when CUPTI itself holds everything, one for each of very many threads. */
#define ACTIVITY_BUFFER_EXTRA_MAX 256

enum activity_buffer_state {
	ACTIVITY_BUFFER_UNTOUCHED, /* its pages are not there yet */
	ACTIVITY_BUFFER_FREE,      /* all zero */
	ACTIVITY_BUFFER_OUT,       /* CUPTI writes to it */
	ACTIVITY_BUFFER_FULL,      /* waits for our thread */
	ACTIVITY_BUFFER_TAKEN,     /* our thread has it */
};

struct activity_buffer {
	uint8_t *data;
	size_t bytes;
	size_t valid_bytes;
	uint64_t requested_ns;
	enum activity_buffer_state state;
	bool is_extra;                /* past the pool: allocated for one use */
	struct activity_buffer *next; /* of the list it is in */
};

struct activity_buffer_pool {
	pthread_mutex_t mutex;
	pthread_cond_t changed; /* a buffer became full, or our thread is to end */
	uint8_t *memory;
	uint32_t count;
	uint32_t touched_count; /* the first ones have their pages */
	uint32_t free_count;
	bool is_stopping; /* our thread is to end */
	bool is_closed;   /* what is completed is thrown away */
	struct activity_buffer *buffers;
	struct activity_buffer *free;
	struct activity_buffer *full; /* oldest first */
	struct activity_buffer *full_last;
	struct activity_buffer *extra; /* every small one that is out */
	uint32_t extra_count;          /* those, and those that are full or taken */
	/* Says how many records are lost with a buffer, and frees what they point to; set before
	 * anybody asks. */
	uint64_t (*drop_records)(void *context, uint8_t *data, size_t valid_bytes);
	void *drop_context;
	uint64_t lost_count;
};

MUST_CHECK enum status activity_buffer_pool_init(
	struct activity_buffer_pool *pool, uint32_t count_max);
/* Frees the memory: when nobody writes to it any more. */
void activity_buffer_pool_finish(struct activity_buffer_pool *pool);

/* Never NULL while the process has memory. */
uint8_t *activity_buffer_pool_request(struct activity_buffer_pool *pool, size_t *out_bytes);
/* What CUPTI gives back. Addresses that are not ours are ignored. */
void activity_buffer_pool_complete(
	struct activity_buffer_pool *pool, uint8_t *data, size_t valid_bytes);

/* The oldest full buffer, to be put back; NULL when there is none. */
struct activity_buffer *activity_buffer_pool_take(struct activity_buffer_pool *pool);
void activity_buffer_pool_put(struct activity_buffer_pool *pool, struct activity_buffer *buffer);

/* Has pages ready for the next requests. */
void activity_buffer_pool_prepare(struct activity_buffer_pool *pool);

/* When the oldest buffer was requested whose records are still to come; `otherwise_ns` if none. */
uint64_t activity_buffer_pool_oldest_ns(struct activity_buffer_pool *pool, uint64_t otherwise_ns);

/* Records lost with buffers that nobody could read in time, since the last call. */
uint64_t activity_buffer_pool_lost(struct activity_buffer_pool *pool);

/* Until a buffer is full, somebody says stop, or `deadline_ns`. False once somebody did. */
bool activity_buffer_pool_wait(struct activity_buffer_pool *pool, uint64_t deadline_ns);
void activity_buffer_pool_stop(struct activity_buffer_pool *pool);
/* From now on what is completed is thrown away. */
void activity_buffer_pool_close(struct activity_buffer_pool *pool);

/* Around a fork, so that the child finds the pool whole. */
void activity_buffer_pool_hold(struct activity_buffer_pool *pool);
void activity_buffer_pool_let_go(struct activity_buffer_pool *pool);
