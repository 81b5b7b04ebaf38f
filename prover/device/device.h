/* SPDX-License-Identifier: MIT */
/*
 * What a backend must provide to prove on: one file fills one device_ops, and no caller asks which
 * one it has. The shape is that of a CUDA program: memory and streams on a device, copies and
 * kernels put on streams in order, events between streams, calls that wait.
 *
 * Each call is an api record of its caller, each copy and kernel a record with its true start and
 * end, joined by a correlation that is unique in the process. Calls may come from any thread; a
 * stream is used by one thread at a time. Objects belong to the device that made them and must go
 * before it does. A failed operation makes the rest of its stream, and streams that wait for it,
 * fail without running; device_ops.stream_synchronize tells, and the stream is fit for use again.
 */
#pragma once

#include "gaptrace/gaptrace.h"
#include "prover/device/device_model.h"
#include "trace/base/cleanup.h"
#include "trace/base/diag.h"
#include "trace/base/limits.h"
#include "trace/base/status.h"

#include <stdbool.h>
#include <stdint.h>

struct idle_meter;
struct model_sleep;
struct zkey;

struct device;
struct device_driver;
struct device_event;
struct device_key;
struct device_memory;
struct device_stream;

/*
 * What all devices of a process share: the lock the driver takes around allocations, which stalls
 * every other call on every device meanwhile, and the correlation numbers.
 */
MUST_CHECK enum status device_driver_create(struct device_driver **out_driver);
/* Accepts NULL. All devices must be closed. */
void device_driver_destroy(struct device_driver *driver);
DEFINE_AUTO(struct device_driver, device_driver_destroy)

/* The five queries of a key. B2's points are on the second curve. */
enum device_query {
	DEVICE_QUERY_H,
	DEVICE_QUERY_L,
	DEVICE_QUERY_A,
	DEVICE_QUERY_B1,
	DEVICE_QUERY_COUNT
};

enum device_vector {
	DEVICE_VECTOR_A,
	DEVICE_VECTOR_B,
	DEVICE_VECTOR_C,
	DEVICE_VECTOR_COUNT
};

/* How large a proof is. Of a real key, or made up for a device that proves nothing. */
struct device_shape {
	uint64_t domain_size;
	uint64_t wire_count;
	uint64_t public_count;
	uint64_t point_count[DEVICE_QUERY_COUNT];
	uint64_t b2_point_count;
	/* Of a made-up shape: how many scalars of each query are wide (neither 0 nor 1). */
	uint64_t tail_count[DEVICE_QUERY_COUNT];
	uint64_t key_bytes;
};

/* What a test may make fail: the first call or operation of that kind after `after_count` others.
 */
enum device_fault {
	DEVICE_FAULT_NONE,
	DEVICE_FAULT_PINNED_ALLOC,
	DEVICE_FAULT_MEMORY_ALLOC,
	DEVICE_FAULT_UPLOAD,
	DEVICE_FAULT_DOWNLOAD,
	DEVICE_FAULT_EVALUATE,
	DEVICE_FAULT_TRANSFORM,
	DEVICE_FAULT_QUOTIENT,
	DEVICE_FAULT_MSM_H,
	DEVICE_FAULT_SUM_ONES,
	DEVICE_FAULT_MSM,
	DEVICE_FAULT_COUNT
};

struct device_config {
	struct device_driver *driver;  /* borrowed until the device is closed, as the next */
	struct idle_meter *meter;      /* is told of kernels and copies; NULL: nobody is */
	uint32_t index;                /* its ordinal in this process */
	uint64_t memory_bytes;         /* of the device; 0: as much as the host gives */
	bool holds_matrices;           /* keys bring what evaluate needs */
	uint32_t lane_thread_count;    /* threads that share one kernel's work; 0: 1. cpu only */
	uint64_t pinned_bytes_per_s;   /* cpu only: copies are no faster; 0: as fast as they go */
	uint64_t pageable_bytes_per_s; /* cpu only: the same of staged copies */
	struct device_model model;     /* sim only */
	struct model_sleep *sleep;     /* of what only takes time; NULL: nobody cuts it short */
	enum device_fault fault;
	uint32_t fault_after_count;
};

/* [offset, offset + bytes) of a device memory, from or to the host. */
struct device_copy {
	struct device_memory *memory;
	uint64_t offset_bytes;
	uint64_t bytes;
	void *host; /* source of an upload, target of a download */
	/*
	 * Host memory from pinned_alloc: the call returns at once. Else it is staged and the call
	 * blocks until the bytes have left the host.
	 */
	bool is_pinned;
};

/* Scalars of bit_count bits and which of a query's points they multiply. */
struct device_tail {
	uint32_t count;
	uint32_t bit_count;
	uint64_t indices_offset; /* uint32_t each */
	uint64_t scalars_offset; /* bit_count rounded up to bytes each, little endian */
};

/* A query's scalars as prep sorted them (groth16/scalars.h), in device memory. */
struct device_scalars {
	struct device_memory *memory;
	uint32_t one_count;
	uint32_t minus_one_count;
	uint64_t ones_offset; /* uint32_t each, the minus ones behind the ones */
	struct device_tail small;
	struct device_tail wide;
};

/* A vector of domain_size elements, or a blst_p1 that a kernel leaves, at `offset`. */
struct device_place {
	struct device_memory *memory;
	uint64_t offset_bytes;
};

/* Nanoseconds and counts since open, of the device itself: truth that no trace was asked for. */
struct device_counts {
	uint64_t lane_busy_ns; /* a kernel ran */
	uint64_t copy_busy_ns; /* a copy ran */
	uint64_t kernel_count;
	uint64_t copy_count;
	uint64_t upload_pinned_bytes;
	uint64_t upload_pageable_bytes;
	uint64_t pageable_call_ns; /* callers blocked in staged copies */
	uint64_t alloc_ns;         /* callers in allocations, pinned and device */
	uint64_t free_ns;
	uint64_t synchronize_ns; /* callers in stream and device synchronisation */
	uint64_t api_count;
	uint64_t failed_count;
};

struct device_ops {
	const char *name;
	enum gaptrace_backend backend;
	bool makes_proofs;

	/* Gives a device to the caller, who closes it. */
	MUST_CHECK enum status (*open)(
		const struct device_config *config, struct diag *diag, struct device **out_device);
	/* Accepts NULL. Waits for what is queued. */
	void (*close)(struct device *device);
	uint64_t (*free_bytes)(struct device *device);
	struct device_counts (*counts)(struct device *device);
	/*
	 * The driver's own words for the first thing that went wrong since they were asked for, ""
	 * if nothing did. NULL where a status says all there is to say.
	 */
	void (*failure)(struct device *device, struct diag *out_words);
	/*
	 * True once the device does nothing more for this process, whatever is asked of it, and
	 * for good. `out_words`, unless NULL, gets what the driver said of it. NULL where that
	 * cannot be.
	 */
	bool (*is_lost)(struct device *device, struct diag *out_words);

	/* Memory of the host that copies need not stage. Page aligned, zeroed. */
	MUST_CHECK enum status (*pinned_alloc)(
		struct device *device, uint64_t bytes, void **out_memory);
	/* Accepts NULL. */
	void (*pinned_free)(struct device *device, void *memory, uint64_t bytes);

	MUST_CHECK enum status (*memory_alloc)(
		struct device *device, uint64_t bytes, struct device_memory **out_memory);
	/* Accepts NULL. Nothing queued may use it any more. */
	void (*memory_free)(struct device *device, struct device_memory *memory);

	/*
	 * Makes a key known to the device; it borrows `key` until key_unload. A device that makes
	 * no proofs takes NULL and only looks at the shape.
	 */
	MUST_CHECK enum status (*key_load)(struct device *device, const struct zkey *key,
		const struct device_shape *shape, struct device_key **out_key);
	/* Accepts NULL. */
	void (*key_unload)(struct device *device, struct device_key *key);

	MUST_CHECK enum status (*stream_open)(
		struct device *device, struct device_stream **out_stream);
	/* Accepts NULL. Waits for what is queued on it. */
	void (*stream_close)(struct device *device, struct device_stream *stream);
	/*
	 * Memory of a stream, on which nothing may be queued, that is too small for proofs with
	 * the key, or NULL; the caller frees it. Left there, it is freed by the first operation
	 * that wants more. NULL where streams have none.
	 */
	MUST_CHECK struct device_memory *(*stream_take_outgrown)(
		struct device_stream *stream, const struct device_key *key);
	MUST_CHECK enum status (*event_open)(
		struct device *device, struct device_event **out_event);
	/* Accepts NULL. No stream may be waiting for it. */
	void (*event_close)(struct device *device, struct device_event *event);

	MUST_CHECK enum status (*upload)(
		struct device_stream *stream, const struct device_copy *copy);
	MUST_CHECK enum status (*download)(
		struct device_stream *stream, const struct device_copy *copy);
	/* What the stream holds so far is `event`; a wait that comes later waits for that. */
	MUST_CHECK enum status (*event_record)(
		struct device_event *event, struct device_stream *stream);
	MUST_CHECK enum status (*stream_wait)(
		struct device_stream *stream, struct device_event *event);

	/*
	 * a, b and c on the domain from a witness, the canonical scalars of all wires. Of a device
	 * that holds matrices and makes proofs.
	 */
	MUST_CHECK enum status (*evaluate)(struct device_stream *stream, struct device_key *key,
		struct device_place witness, const struct device_place abc[DEVICE_VECTOR_COUNT]);
	/* A vector from its values on the domain to those on the odd coset, in place. */
	MUST_CHECK enum status (*transform)(struct device_stream *stream, struct device_key *key,
		enum device_vector which, struct device_place vector);
	/* From three transformed vectors to the H query's scalars, canonical, in place of c. */
	MUST_CHECK enum status (*quotient)(struct device_stream *stream, struct device_key *key,
		const struct device_place abc[DEVICE_VECTOR_COUNT]);
	/* The sum of H's points times the scalars that quotient left. */
	MUST_CHECK enum status (*msm_h)(struct device_stream *stream, struct device_key *key,
		struct device_place scalars, struct device_place result);
	/* The sum of the points whose scalar is 1, less those whose scalar is -1. */
	MUST_CHECK enum status (*sum_ones)(struct device_stream *stream, struct device_key *key,
		enum device_query query, const struct device_scalars *scalars,
		struct device_place result);
	/* The sum over both tails of a query other than H. */
	MUST_CHECK enum status (*msm)(struct device_stream *stream, struct device_key *key,
		enum device_query query, const struct device_scalars *scalars,
		struct device_place result);

	/* Blocks until the stream is empty; the first failure since the last call of this. */
	MUST_CHECK enum status (*stream_synchronize)(struct device_stream *stream);
	/* Blocks until every stream is empty. Failures stay with their streams. */
	void (*synchronize)(struct device *device);
};

extern const struct device_ops device_cpu;
extern const struct device_ops device_sim;
extern const struct device_ops device_cuda; /* only where GAPTRACE_CUDA is built */

/* The backend of that name; NULL if there is none in this build. */
const struct device_ops *device_find(const char *name);

/* What device_ops.is_lost says, for any backend. */
bool device_is_lost(const struct device_ops *ops, struct device *device, struct diag *out_words);

/* The shape of a real key. */
void device_shape_of_key(const struct zkey *key, struct device_shape *out_shape);
