/* SPDX-License-Identifier: MIT */
/*
 * What the files of the CUDA backend share. Streams and events are used by one thread at a time;
 * the rest of a device is guarded by its mutex. Records of calls and kernels are left to the CUPTI
 * collector, which sees them from the driver.
 */
#pragma once

#include "gaptrace/gaptrace.h"
#include "prover/device/cuda/runtime.h"
#include "prover/device/cuda/sparse.h"
#include "prover/device/device.h"

/* Copies and kernels that may be on all streams of a device and still be timed, each. */
#define TIMING_COUNT_MAX 256

enum timing_kind {
	TIMING_KERNEL,
	TIMING_COPY_PINNED,
	TIMING_COPY_PAGEABLE,
};

/* What ran between two marks of a stream. */
struct device_timing {
	enum {
		TIMING_FREE,
		TIMING_BEGUN, /* is its stream's */
		TIMING_ENDED, /* to be read once its last mark has been passed */
	} state;
	enum timing_kind kind;
	struct runtime_mark *begin; /* kept from one use to the next */
	struct runtime_mark *end;
	uint64_t start_ns; /* once read */
	uint64_t end_ns;
};

struct device_meter {
	struct runtime_stream *stream; /* for the base alone */
	struct runtime_mark *base;     /* passed at base_ns of the host's clock */
	struct runtime_mark *base_try;
	uint64_t base_ns;
	struct device_timing timings[TIMING_COUNT_MAX];
	uint32_t count; /* that are not free */
	uint64_t busy_until_ns;
};

struct device {
	struct device_config config;
	struct runtime *runtime;
	struct gaptrace_mutex mutex; /* guards the rest */
	struct device_counts counts;
	uint64_t used_bytes;
	uint64_t key_bytes;      /* of these in keys */
	uint64_t promised_bytes; /* what a proof of any key that is loaded takes at most */
	uint32_t key_count;
	struct diag refusal; /* why a key was refused, until it is asked for */
	uint32_t fault_count;
	struct device_meter meter;
};

struct device_memory {
	struct device *device;
	void *bytes; /* on the device */
	uint64_t size;
};

/* On the device, for each stream. */
struct device_stream_state {
	struct xyzz total; /* of a pass over some points */
	struct xyzz kept;  /* of all */
	uint32_t is_broken;
};

/* On the host, where the device copies it. */
struct device_stream_host {
	struct bucket_sums_windows windows;
	uint32_t is_broken; /* that of the state, with every wait */
};

struct device_stream {
	struct device *device;
	struct runtime_stream *stream;
	enum status status;            /* first failure since it was asked for */
	struct device_memory *scratch; /* of sums, grown when one needs more */
	struct device_memory *state;
	struct device_timing *timing;    /* of what is being put on it */
	struct device_stream_host *host; /* pinned */
};

struct device_event {
	struct runtime_event *event;
	bool is_recorded;
	enum status status; /* of its stream when it was recorded */
};

/* Of a key: A and B. C is their product on the rows. */
#define MATRIX_COUNT 2

struct device_key {
	struct device *device;
	struct device_shape shape;
	struct device_memory *memory; /* all that follows is in it */
	/* On the device, one at infinity behind each; or, when they do not fit, on the host. */
	const struct affine *points[DEVICE_QUERY_COUNT];
	uint64_t proof_bytes;   /* what a proof takes beside it */
	uint64_t scratch_bytes; /* of these what a stream has, without a chunk */
	uint32_t chunk_points;  /* brought to the device at a time; 0: all are there */
	const uint32_t *h_wires;
	struct transform transform;
	struct sparse matrices[MATRIX_COUNT]; /* without rows unless the device holds matrices */
};

/* True when this is the call that a test wants to fail. */
bool device_cuda_fails(struct device *device, enum device_fault fault);

/* Notes a failure of the stream and gives it back. */
MUST_CHECK enum status device_cuda_fail(struct device_stream *stream, enum status status);

/* True when [offset, offset + bytes) lies inside the memory. */
static inline bool device_cuda_has(
	const struct device_memory *memory, uint64_t offset, uint64_t bytes)
{
	return memory && offset <= memory->size && bytes <= memory->size - offset;
}

/* True when a vector of the key's domain, or a result, is at the place. */
bool device_cuda_has_vector(const struct device_key *key, const struct device_place *place);
bool device_cuda_has_point(const struct device_place *place);

/* On the device. */
void *device_cuda_address(const struct device_memory *memory, uint64_t offset);

/* True when the stream runs nothing until it has been waited for; what is called is a kernel. */
bool device_cuda_is_skipping(struct device_stream *stream, enum device_fault fault);

/* Adds to one of the device's counts the time since `begin_ns`, which a call took. */
void device_cuda_count(struct device *device, uint64_t *count_ns, uint64_t begin_ns);

MUST_CHECK enum status device_cuda_meter_open(struct device *device);
void device_cuda_meter_close(struct device *device);
/* What is put on the stream from now to device_cuda_meter_end() is timed as one. */
MUST_CHECK enum status device_cuda_meter_begin(struct device_stream *stream, enum timing_kind kind);
/* Gives `status` back, or what went wrong now if nothing had. */
MUST_CHECK enum status device_cuda_meter_end(struct device_stream *stream, enum status status);
/* Counts what has ended by now. */
MUST_CHECK enum status device_cuda_meter_collect(struct device *device);

MUST_CHECK enum status device_cuda_pinned_alloc(
	struct device *device, uint64_t bytes, void **out_memory);
void device_cuda_pinned_free(struct device *device, void *memory, uint64_t bytes);
MUST_CHECK enum status device_cuda_upload(
	struct device_stream *stream, const struct device_copy *copy);
MUST_CHECK enum status device_cuda_download(
	struct device_stream *stream, const struct device_copy *copy);
MUST_CHECK enum status device_cuda_memory_alloc(
	struct device *device, uint64_t bytes, struct device_memory **out_memory);
void device_cuda_memory_free(struct device *device, struct device_memory *memory);

MUST_CHECK enum status device_cuda_key_load(struct device *device, const struct zkey *key,
	const struct device_shape *shape, struct device_key **out_key);
void device_cuda_key_unload(struct device *device, struct device_key *key);

/* Memory of the stream for what is put on it next, at stream->scratch. Inside a timing. It is at
 * once as large as any proof with the key wants it. */
MUST_CHECK enum status device_cuda_scratch(
	struct device_stream *stream, const struct device_key *key, uint64_t bytes);
MUST_CHECK struct device_memory *device_cuda_take_outgrown(
	struct device_stream *stream, const struct device_key *key);

/* The scratch of an evaluation with so many long rows in a matrix. */
uint64_t device_cuda_evaluate_bytes(uint32_t long_count);

MUST_CHECK enum status device_cuda_evaluate(struct device_stream *stream, struct device_key *key,
	struct device_place witness, const struct device_place abc[DEVICE_VECTOR_COUNT]);
MUST_CHECK enum status device_cuda_transform(struct device_stream *stream, struct device_key *key,
	enum device_vector which, struct device_place vector);
MUST_CHECK enum status device_cuda_quotient(struct device_stream *stream, struct device_key *key,
	const struct device_place abc[DEVICE_VECTOR_COUNT]);
MUST_CHECK enum status device_cuda_msm_h(struct device_stream *stream, struct device_key *key,
	struct device_place scalars, struct device_place result);
MUST_CHECK enum status device_cuda_sum_ones(struct device_stream *stream, struct device_key *key,
	enum device_query query, const struct device_scalars *scalars, struct device_place result);
MUST_CHECK enum status device_cuda_msm(struct device_stream *stream, struct device_key *key,
	enum device_query query, const struct device_scalars *scalars, struct device_place result);
