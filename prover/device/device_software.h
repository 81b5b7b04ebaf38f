/* SPDX-License-Identifier: MIT */
/*
 * The calls of device_ops for devices that are software: each checks its arguments, makes the
 * record of the call and hands an operation to the engine. A backend's device_ops is made of these
 * and of an `open` that names its device_backend.
 */
#pragma once

#include "prover/device/device_engine.h"

struct device_identity {
	const char *uuid; /* copied, as is the name */
	const char *name;
	const char *link; /* a literal */
};

MUST_CHECK enum status device_software_open(const struct device_backend *backend,
	const struct device_config *config, const struct device_identity *identity,
	struct diag *diag, struct device **out_device);
void device_software_close(struct device *device);
DEFINE_AUTO(struct device, device_software_close)
uint64_t device_software_free_bytes(struct device *device);
struct device_counts device_software_counts(struct device *device);

MUST_CHECK enum status device_software_pinned_alloc(
	struct device *device, uint64_t bytes, void **out_memory);
void device_software_pinned_free(struct device *device, void *memory, uint64_t bytes);
MUST_CHECK enum status device_software_memory_alloc(
	struct device *device, uint64_t bytes, struct device_memory **out_memory);
void device_software_memory_free(struct device *device, struct device_memory *memory);
MUST_CHECK enum status device_software_key_load(struct device *device, const struct zkey *key,
	const struct device_shape *shape, struct device_key **out_key);
void device_software_key_unload(struct device *device, struct device_key *key);

MUST_CHECK enum status device_software_stream_open(
	struct device *device, struct device_stream **out_stream);
void device_software_stream_close(struct device *device, struct device_stream *stream);
MUST_CHECK enum status device_software_event_open(
	struct device *device, struct device_event **out_event);
void device_software_event_close(struct device *device, struct device_event *event);

MUST_CHECK enum status device_software_upload(
	struct device_stream *stream, const struct device_copy *copy);
MUST_CHECK enum status device_software_download(
	struct device_stream *stream, const struct device_copy *copy);
MUST_CHECK enum status device_software_event_record(
	struct device_event *event, struct device_stream *stream);
MUST_CHECK enum status device_software_stream_wait(
	struct device_stream *stream, struct device_event *event);
MUST_CHECK enum status device_software_evaluate(struct device_stream *stream,
	struct device_key *key, struct device_place witness,
	const struct device_place abc[DEVICE_VECTOR_COUNT]);
MUST_CHECK enum status device_software_transform(struct device_stream *stream,
	struct device_key *key, enum device_vector which, struct device_place vector);
MUST_CHECK enum status device_software_quotient(struct device_stream *stream,
	struct device_key *key, const struct device_place abc[DEVICE_VECTOR_COUNT]);
MUST_CHECK enum status device_software_msm_h(struct device_stream *stream, struct device_key *key,
	struct device_place scalars, struct device_place result);
MUST_CHECK enum status device_software_sum_ones(struct device_stream *stream,
	struct device_key *key, enum device_query query, const struct device_scalars *scalars,
	struct device_place result);
MUST_CHECK enum status device_software_msm(struct device_stream *stream, struct device_key *key,
	enum device_query query, const struct device_scalars *scalars, struct device_place result);
MUST_CHECK enum status device_software_stream_synchronize(struct device_stream *stream);
void device_software_synchronize(struct device *device);

/* Of a device that is modelled: takes the time that such a call takes. */
void device_software_take_time(struct device *device, enum device_api api, uint64_t bytes);

/* Queues `operation` as one call. A copy that is not pinned keeps the caller until it is done. */
MUST_CHECK enum status device_software_queue(
	struct device_stream *stream, enum device_api api, struct device_operation *operation);
