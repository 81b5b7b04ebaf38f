/* SPDX-License-Identifier: MIT */
/*
 * What the host knows of a domain for the GPU: the passes of a transform in order, and the tables
 * of powers that the device's own tables are made from. Immutable once made.
 */
#pragma once

#include "prover/device/cuda/transform.h"
#include "trace/base/cleanup.h"
#include "trace/base/status.h"

#include <stdint.h>

/* Domains up to 2^30, as groth16/ntt.h. */
#define TRANSFORM_LOG2_MAX  30u
#define TRANSFORM_STEPS_MAX 21u

enum transform_step_kind {
	TRANSFORM_STEP_INVERSE,
	TRANSFORM_STEP_SCALE,
	TRANSFORM_STEP_FORWARD,
};

struct transform_step {
	enum transform_step_kind kind;
	struct transform_pass pass; /* of all but scale */
	uint32_t thread_count;
};

/* Gives the number of steps; `steps` has room for TRANSFORM_STEPS_MAX. */
uint32_t transform_steps(uint32_t log2, struct transform_step *steps);

/* Elements of the table of roots on the device. */
uint64_t transform_root_count(uint32_t log2);

/* Tables of the host, of struct fr, one behind the other in `elements`. */
struct transform_tables {
	uint32_t log2;
	struct fr *elements;
	uint32_t element_count;
	uint32_t root_low; /* where each begins */
	uint32_t root_high;
	uint32_t coset_low;
	uint32_t coset_high;
};

/* TOO_LARGE beyond TRANSFORM_LOG2_MAX. */
MUST_CHECK enum status transform_tables_create(uint32_t log2, struct transform_tables **out_tables);

/* Accepts NULL. */
void transform_tables_destroy(struct transform_tables *tables);
DEFINE_AUTO(struct transform_tables, transform_tables_destroy)

/* A pair of tables, wherever a copy of `elements` is. */
struct transform_powers transform_tables_roots(
	const struct transform_tables *tables, const struct fr *elements);
struct transform_powers transform_tables_coset(
	const struct transform_tables *tables, const struct fr *elements);
