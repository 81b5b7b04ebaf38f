/* SPDX-License-Identifier: MIT */
/*
 * A device of either backend with a key and memory, for tests that must hold for both. Whatever
 * cannot fail but by a bug of the test itself ends it.
 */
#pragma once

#include "prover/device/device.h"
#include "prover/groth16/wtns.h"
#include "prover/groth16/zkey.h"

#include <stdint.h>

/* Larger than what a copy is staged through at a time. */
#define RIG_COPY_BYTES (9u << 20)

/* The room that kernels work in, which no copy of a test touches: three vectors and results. */
#define RIG_KERNEL_BYTES (7u << 20)

struct device_rig {
	const struct device_ops *ops;
	struct device_driver *driver;
	struct device *device;
	struct device_key *key;
	struct device_shape shape;
	struct device_memory *memory;        /* RIG_COPY_BYTES */
	struct device_memory *kernel_memory; /* RIG_KERNEL_BYTES */
	struct device_stream *streams[2];
	struct device_event *event;
	void *pinned; /* RIG_COPY_BYTES */
};

/* A key and a witness that all rigs share: made by the first call. */
const struct zkey *device_rig_zkey(void);
const struct wtns *device_rig_witness(void);
void device_rig_free_key(void);

/* `config` may leave out the driver, which is the rig's own then. */
void device_rig_open(struct device_rig *rig, const char *backend, struct device_config config);
void device_rig_close(struct device_rig *rig);

struct device_place device_rig_vector(const struct device_rig *rig, int vector);
struct device_place device_rig_result(const struct device_rig *rig, int number);

/* A copy of `bytes` between the start of the rig's memory and `host`, NULL: its pinned memory. */
struct device_copy device_rig_copy(const struct device_rig *rig, void *host, uint64_t bytes);

/* Puts a kernel that takes some milliseconds, or as the model says, on a stream. */
enum status device_rig_launch(struct device_rig *rig, int stream);
