/* SPDX-License-Identifier: MIT */
/*
 * What gpu_rates measures on a device: each line of its output is a JSON object with the size, the
 * time of one run and whether the result is right. A key is made up for each size, since a real one
 * of 2^24 would take minutes to set up.
 */
#pragma once

#include "prover/device/device.h"
#include "prover/groth16/zkey.h"

#include <stdbool.h>
#include <stdint.h>

/* A device with a made-up key, and a stream. */
struct rates_rig {
	const struct device_ops *ops;
	struct device_driver *driver;
	struct device *device;
	struct device_key *key;
	struct device_memory *memory;
	struct device_stream *stream;
	struct device_shape shape;
};

/* Borrows the key; `memory_bytes` of memory. To be closed even when it fails. */
MUST_CHECK enum status rates_rig_open(struct rates_rig *rig, const struct device_ops *ops,
	const struct zkey *zkey, uint64_t memory_bytes);
void rates_rig_close(struct rates_rig *rig);

MUST_CHECK enum status rates_upload(
	struct rates_rig *rig, uint64_t offset, const void *host, uint64_t bytes);
MUST_CHECK enum status rates_download(
	struct rates_rig *rig, uint64_t offset, void *host, uint64_t bytes);

/* Queues `run` again and again, for a tenth of a second or so, and gives the time of one. */
MUST_CHECK enum status rates_time(struct rates_rig *rig,
	enum status (*run)(struct rates_rig *rig, void *context), void *context, uint64_t *out_ns);

/* Numbers that are the same in every run. */
uint64_t rates_random(uint64_t *state);

/* One size each: prints its line; a status that is not OK, or INTERNAL when a result is wrong. */
MUST_CHECK enum status rates_transform(const struct device_ops *ops, uint32_t log2);
MUST_CHECK enum status rates_copies(const struct device_ops *ops, uint32_t log2);
/* The points of the largest size serve for all. */
MUST_CHECK enum status rates_points_create(uint32_t log2, blst_p1_affine **out_points);
MUST_CHECK enum status rates_msm(
	const struct device_ops *ops, uint32_t log2, blst_p1_affine *points);
MUST_CHECK enum status rates_ones(
	const struct device_ops *ops, uint32_t log2, blst_p1_affine *points);
