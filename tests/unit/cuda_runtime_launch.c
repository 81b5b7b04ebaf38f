/* SPDX-License-Identifier: MIT */
/* The launches of the runtime of tests: kernels' bodies, thread by thread. */
#include "prover/device/cuda/runtime.h"
#include "tests/unit/cuda_emulation.h"
#include "tests/unit/cuda_runtime.h"

#include <stdlib.h>

#include "tests/unit/cuda_ptx.h"

struct sums_launch {
	enum sums_kernel kernel;
	uint32_t thread_count;
	struct sums sums;
};

static void run_sums(void *argument)
{
	const struct sums_launch *launch = argument;
	struct cuda_emulation emulation = {0};
	const struct sums_launcher launcher = cuda_emulation_launcher(&emulation);

	if (launcher.launch(launcher.context, launch->kernel, launch->thread_count,
		    &launch->sums) != STATUS_OK) {
		abort();
	}
}

enum status runtime_launch_sums(struct runtime *runtime, struct runtime_stream *stream,
	enum sums_kernel kernel, uint32_t thread_count, const struct sums *sums)
{
	const enum status status = cuda_runtime_call(runtime, "launch");

	if (status == STATUS_OK) {
		cuda_runtime_put(stream, run_sums,
			&(struct sums_launch){kernel, thread_count, *sums},
			sizeof(struct sums_launch));
	}
	return status;
}

struct roots_launch {
	uint32_t log2;
	struct transform_powers powers;
	struct fr *roots;
};

static void run_roots(void *argument)
{
	const struct roots_launch *launch = argument;

	for (uint32_t i = 0; i < transform_root_count(launch->log2); i++) {
		transform_fill_roots(i, launch->log2, &launch->powers, launch->roots);
	}
}

enum status runtime_launch_roots(struct runtime *runtime, struct runtime_stream *stream,
	uint32_t log2, const struct transform_powers *powers, struct fr *roots)
{
	const enum status status = cuda_runtime_call(runtime, "launch");

	if (status == STATUS_OK) {
		cuda_runtime_put(stream, run_roots, &(struct roots_launch){log2, *powers, roots},
			sizeof(struct roots_launch));
	}
	return status;
}

struct step_launch {
	struct transform transform;
	struct transform_step step;
	struct fr *vector;
};

static void run_step(void *argument)
{
	const struct step_launch *launch = argument;
	const struct transform_step *step = &launch->step;

	for (uint32_t i = 0; i < step->thread_count; i++) {
		if (step->kind == TRANSFORM_STEP_SCALE) {
			transform_scale(i, &launch->transform, launch->vector);
		} else {
			transform_run_pass(i, &launch->transform, step->pass,
				step->kind == TRANSFORM_STEP_INVERSE, launch->vector);
		}
	}
}

enum status runtime_launch_step(struct runtime *runtime, struct runtime_stream *stream,
	const struct transform *transform, const struct transform_step *step, struct fr *vector)
{
	const enum status status = cuda_runtime_call(runtime, "launch");

	if (status == STATUS_OK) {
		cuda_runtime_put(stream, run_step, &(struct step_launch){*transform, *step, vector},
			sizeof(struct step_launch));
	}
	return status;
}

static void run_quotient(void *argument)
{
	const struct runtime_quotient *quotient = argument;

	for (uint32_t i = 0; i < quotient->count; i++) {
		transform_quotient(i, quotient->count, quotient->a, quotient->b, quotient->c);
	}
}

enum status runtime_launch_quotient(struct runtime *runtime, struct runtime_stream *stream,
	const struct runtime_quotient *quotient)
{
	const enum status status = cuda_runtime_call(runtime, "launch");

	if (status == STATUS_OK) {
		cuda_runtime_put(stream, run_quotient, quotient, sizeof(*quotient));
	}
	return status;
}

static void run_product(void *argument)
{
	const struct runtime_quotient *product = argument;

	for (uint32_t i = 0; i < product->count; i++) {
		transform_product(i, product->count, product->a, product->b, product->c);
	}
}

enum status runtime_launch_product(struct runtime *runtime, struct runtime_stream *stream,
	const struct runtime_quotient *product)
{
	const enum status status = cuda_runtime_call(runtime, "launch");

	if (status == STATUS_OK) {
		cuda_runtime_put(stream, run_product, product, sizeof(*product));
	}
	return status;
}

static void run_sparse(void *argument)
{
	const struct runtime_sparse *sparse = argument;

	for (uint32_t i = 0; i < sparse->thread_count; i++) {
		switch (sparse->kernel) {
		case SPARSE_KERNEL_ROW:
			sparse_row(i, &sparse->sparse, sparse->values);
			break;
		case SPARSE_KERNEL_PART:
			sparse_part(i, &sparse->sparse, sparse->parts);
			break;
		case SPARSE_KERNEL_JOIN:
			sparse_join(i, &sparse->sparse, sparse->parts, sparse->values);
			break;
		}
	}
}

enum status runtime_launch_sparse(
	struct runtime *runtime, struct runtime_stream *stream, const struct runtime_sparse *sparse)
{
	const enum status status = cuda_runtime_call(runtime, "launch");

	if (status == STATUS_OK) {
		cuda_runtime_put(stream, run_sparse, sparse, sizeof(*sparse));
	}
	return status;
}
