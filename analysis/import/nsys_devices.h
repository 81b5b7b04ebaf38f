/* SPDX-License-Identifier: MIT */
/*
 * Which GPU a process calls device N: CUDA numbers those that a process may see, the file those of
 * the machine. Remembers which of them were told of.
 */
#pragma once

#include "analysis/import/nsys_database.h"
#include "trace/base/limits.h"

#include <stddef.h>

/* Pairs of process and ordinal: 128 processes of a machine with 8 GPUs. */
#define NSYS_DEVICE_PAIR_COUNT_MAX 1024

/* "GPU-" and 32 digits with dashes; the bus's address; either from a file that may hold anything.
 */
#define NSYS_DEVICE_TEXT_BYTES 128

struct nsys_reader;

struct nsys_gpu {
	int64_t id;
	char uuid[NSYS_DEVICE_TEXT_BYTES];
	char name[NSYS_DEVICE_TEXT_BYTES];
	char link[NSYS_DEVICE_TEXT_BYTES];
};

struct nsys_device_pair {
	int32_t pid;
	int32_t ordinal;
	int64_t gpu;
	bool is_mapped; /* the file says which GPU it is */
	bool is_told;
	char uuid[NSYS_DEVICE_TEXT_BYTES]; /* told with the pair; "" where it is not */
};

struct nsys_devices {
	struct nsys_gpu gpus[DEVICE_COUNT_MAX];
	size_t gpu_count;
	struct nsys_device_pair pairs[NSYS_DEVICE_PAIR_COUNT_MAX];
	size_t pair_count;
	bool was_assumed; /* some device was taken for the GPU of the same number */
};

/* Into the reader's devices. */
MUST_CHECK enum status nsys_devices_read(struct nsys_reader *reader, struct diag *diag);

/* The pair, made when it is new; NULL when there are too many. */
struct nsys_device_pair *nsys_devices_get(
	struct nsys_devices *devices, int32_t pid, int32_t ordinal);

/* Its GPU's facts, NULL when the file has none. */
const struct nsys_gpu *nsys_devices_gpu(
	struct nsys_devices *devices, const struct nsys_device_pair *pair);

/* What tells its GPU from others, "" when the file does not say. */
const char *nsys_devices_uuid(const struct nsys_gpu *gpu, const struct nsys_device_pair *pair);
