/* SPDX-License-Identifier: MIT */
/*
 * Every stage of a proof on a device, with made-up vectors and scalars: what the cpu device leaves
 * is what the cuda device has to leave, over whatever runtime.
 */
#pragma once

#include "prover/device/device.h"
#include "prover/groth16/zkey.h"

#include <blst.h>
#include <stdint.h>

enum {
	CUDA_RESULT_H,
	CUDA_RESULT_ONES, /* of L, A and B1 */
	CUDA_RESULT_TAILS = CUDA_RESULT_ONES + 3,
	CUDA_RESULT_COUNT = CUDA_RESULT_TAILS + 3
};

/* Of all stages: three vectors, and for each query the ones and two tails of two pieces each. */
#define CUDA_UPLOAD_COUNT_MAX 18

struct cuda_stages {
	const struct device_ops *ops;
	const struct zkey *zkey;
	struct device_driver *driver;
	struct device *device;
	struct device_key *key;
	struct device_memory *memory; /* three vectors, then results, then scalars */
	struct device_stream *stream;
	struct device_shape shape;
	void *uploads[CUDA_UPLOAD_COUNT_MAX]; /* what a copy may still read */
	uint32_t upload_count;
};

/* Borrows the key. To be closed even when it fails. */
enum status cuda_stages_open(struct cuda_stages *stages, const struct device_ops *ops,
	const struct zkey *zkey, struct device_config config);
void cuda_stages_close(struct cuda_stages *stages);

struct device_place cuda_stages_vector(const struct cuda_stages *stages, int vector);
struct device_place cuda_stages_result(const struct cuda_stages *stages, int result);
uint64_t cuda_stages_scalars_offset(const struct cuda_stages *stages);
/* Copies what is uploaded, so the caller may free it at once. */
enum status cuda_stages_upload(
	struct cuda_stages *stages, uint64_t offset, void *host, uint64_t bytes);

/* a, b and c of a made-up witness, all domain_size of each: of a device that holds matrices. */
enum status cuda_stages_evaluate(struct cuda_stages *stages, blst_fr *abc);

/* The same on a device opened for it alone; the caller's to free. */
blst_fr *cuda_stages_evaluate_on(const struct device_ops *ops, const struct zkey *key);

/* All stages; a failure of a call or of the stream. */
enum status cuda_stages_run(struct cuda_stages *stages, blst_p1 results[CUDA_RESULT_COUNT]);

/* The same on a device opened for it alone. */
void cuda_stages_run_on(
	const struct device_ops *ops, const struct zkey *zkey, blst_p1 results[CUDA_RESULT_COUNT]);
