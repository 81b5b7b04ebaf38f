/* SPDX-License-Identifier: MIT */
/*
 * The machinery that software devices share: streams as queues of operations, and two threads that
 * work them off, one the kernel lane and one the copy engine. What an operation does, or how long
 * it pretends to take, is the backend's.
 *
 * All of it is guarded by device->mutex. Records of operations and watermarks are emitted with it
 * held, so that a watermark is true: whatever started before it has been recorded before it.
 */
#pragma once

#include "gaptrace/gaptrace.h"
#include "prover/device/device.h"
#include "prover/device/device_api.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct work_pool;

/* Operations of one stream not yet done. A call that would put one more on it waits. */
#define DEVICE_STREAM_DEPTH_MAX 1024

/* Enough for "cpu63 lane" and the end. */
#define DEVICE_NAME_BYTES 16

enum device_operation_kind {
	DEVICE_OPERATION_UPLOAD,
	DEVICE_OPERATION_DOWNLOAD,
	DEVICE_OPERATION_EVALUATE,
	DEVICE_OPERATION_TRANSFORM,
	DEVICE_OPERATION_QUOTIENT,
	DEVICE_OPERATION_MSM_H,
	DEVICE_OPERATION_SUM_ONES,
	DEVICE_OPERATION_MSM,
	DEVICE_OPERATION_EVENT_RECORD,
	DEVICE_OPERATION_STREAM_WAIT,
};

struct device_operation {
	struct device_operation *next; /* in its stream */
	enum device_operation_kind kind;
	const char *name; /* of a kernel */
	uint64_t correlation;
	uint64_t issued_ns;
	uint64_t start_ns;
	uint64_t end_ns; /* known from the start when it is modelled */
	bool is_running;
	bool *out_is_done; /* set for a caller that waits for this one; NULL: nobody does */

	struct device_copy copy;    /* of copies */
	struct device_event *event; /* of event operations, with: */
	uint64_t event_sequence;    /* which recording of it */
	struct device_key *key;     /* of kernels, as the rest */
	enum device_query query;
	struct device_place vectors[DEVICE_VECTOR_COUNT]; /* the first only, or all three */
	struct device_place witness;
	struct device_scalars scalars;
	struct device_place result;
};

struct device_event {
	uint32_t id;
	uint32_t stream_id; /* where it was recorded last */
	uint64_t recorded_sequence;
	uint64_t completed_sequence;
	uint64_t completed_ns;
	enum status status; /* of the stream when it completed */
};

struct device_stream {
	struct device_stream *next; /* in the device */
	struct device *device;
	uint32_t id;
	struct device_operation *first;
	struct device_operation *last;
	uint32_t depth;
	uint64_t last_end_ns; /* of the operation that ended last */
	enum status status;   /* first failure since it was asked for */
};

struct device_memory {
	struct device *device;
	void *bytes; /* NULL when there is no such memory, only its size */
	uint64_t size;
};

/* True when [offset, offset + bytes) lies inside the memory. */
static inline bool device_memory_has(
	const struct device_memory *memory, uint64_t offset, uint64_t bytes)
{
	return memory && offset <= memory->size && bytes <= memory->size - offset;
}

struct device_engine {
	struct device *device;
	struct gaptrace_condition has_work;
	pthread_t thread;
	bool is_copy;
	bool is_started;
	uint64_t last_end_ns;
	char name[DEVICE_NAME_BYTES];
};

/* What a backend fills in for the machinery. */
struct device_backend {
	const struct device_ops *ops;
	const char *const *api_names;
	bool is_modelled; /* operations end when the model says, not when they are done */

	/* What the backend keeps in `device`; close follows a failed open too. */
	MUST_CHECK enum status (*open)(struct device *device);
	void (*close)(struct device *device);

	/* Without the lock, on an engine's thread: does the operation's work. */
	MUST_CHECK enum status (*execute)(
		struct device *device, struct device_operation *operation);
	/* Of a model, with the lock held: how long it takes. */
	uint64_t (*duration_ns)(
		const struct device *device, const struct device_operation *operation);
	/* Of a model: how long a call about that many bytes takes; else NULL. */
	uint64_t (*call_ns)(const struct device *device, enum device_api api, uint64_t bytes);

	MUST_CHECK enum status (*pinned_alloc)(uint64_t bytes, void **out_memory);
	void (*pinned_free)(void *memory, uint64_t bytes);
	/* Device memory, to be given to free(); may be NULL for none. */
	MUST_CHECK enum status (*memory_alloc)(uint64_t bytes, void **out_memory);
	MUST_CHECK enum status (*key_load)(struct device_key *key);
	void (*key_unload)(struct device_key *key);
};

struct device_key {
	struct device *device;
	const struct zkey *zkey;
	struct device_shape shape;
	void *plan; /* the backend's */
};

struct device {
	const struct device_backend *backend;
	struct device_config config;
	char uuid[48];
	char name[64];

	struct gaptrace_mutex mutex; /* guards all below, and streams, events and operations */
	struct gaptrace_condition has_finished;
	struct gaptrace_condition has_stopped; /* for the clock's thread */
	struct device_engine lane;
	struct device_engine copier;
	pthread_t clock_thread;
	char clock_name[DEVICE_NAME_BYTES];
	bool has_clock_thread;
	bool is_stopping;
	struct device_stream *streams;
	uint32_t stream_id_last;
	uint32_t event_id_last;
	uint64_t watermark_ns;
	uint64_t used_bytes;
	uint64_t memory_count;
	uint64_t pinned_count;
	uint32_t fault_count; /* matching calls and operations so far */
	struct device_counts counts;

	struct work_pool *work_pool; /* of the lane alone */
	void *staging;               /* of the copy engine alone */
};

/* Starts the threads. On failure device_engine_stop() is to be called. */
MUST_CHECK enum status device_engine_start(struct device *device);
/* Waits for what is queued and ends the threads. */
void device_engine_stop(struct device *device);

/*
 * With the lock held: queues a copy of `operation` for `call`, waiting for room on the stream, and
 * sets what runs by itself going. Whoever calls ends the call.
 */
MUST_CHECK enum status device_engine_enqueue(struct device_stream *stream,
	const struct device_call *call, const struct device_operation *operation);

/* With the lock held: waits until the stream is empty. */
void device_engine_drain(struct device_stream *stream);

/* With the lock held: true when this call or operation is the one that a test wants to fail. */
bool device_engine_fails(struct device *device, enum device_fault fault);
