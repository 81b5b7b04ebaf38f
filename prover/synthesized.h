/* SPDX-License-Identifier: MIT */
/*
 * What synthesis hands to the GPU workers: the witness of one partition and its three vectors of
 * evaluations a, b and c, in buffers of the pinned pool. Of a simulated partition there are only
 * the buffers' sizes: it has no witness and nobody writes or reads the vectors.
 */
#pragma once

#include "gaptrace/gaptrace.h"
#include "prover/groth16/wtns.h"
#include "prover/pinned_pool.h"
#include "trace/base/cleanup.h"
#include "trace/base/status.h"

#include <stdint.h>

struct synthesized {
	struct gaptrace_work work;
	struct pinned_pool *pool; /* borrowed: where abc came from and goes back to */
	struct pinned_buffer abc[DEVICE_VECTOR_COUNT]; /* domain_size blst_fr each */
	struct wtns *witness;                          /* NULL when simulated */
	uint64_t simulated_aux_bytes; /* what a witness would hold, when simulated */
};

/* Checks out three vectors of `vector_bytes`, none when that is 0; the caller sets the witness and
 * destroys it all. */
MUST_CHECK enum status synthesized_create(struct pinned_pool *pool, struct gaptrace_work work,
	uint64_t vector_bytes, struct synthesized **out_synthesized);

/* Gives the vectors back early; more than once is nothing. */
void synthesized_release_abc(struct synthesized *synthesized);

/* Accepts NULL. */
void synthesized_destroy(struct synthesized *synthesized);
DEFINE_AUTO(struct synthesized, synthesized_destroy)
