/* SPDX-License-Identifier: MIT */
/*
 * The proof of one partition, in two halves. The first runs what needs the GPU: it starts prep on
 * a thread of its own, takes the GPU's mutex around the kernel region, and returns while b_g2 still
 * runs on the CPU. The second joins b_g2 and assembles. In between, the caller may start the next
 * partition on the same GPU; the second half may run on any thread.
 */
#pragma once

#include "prover/groth16/proof.h"
#include "prover/partition_gpu.h"
#include "prover/synthesized.h"
#include "trace/base/cleanup.h"
#include "trace/base/status.h"

#include <stdbool.h>
#include <stdint.h>

struct partition_proof;

struct partition_output {
	struct proof proof; /* all zero bytes when there is none */
	bool has_proof;     /* false of a simulated partition */
};

/*
 * Blocks until the GPU is done with this partition; its a, b and c are released then. Takes
 * `synthesized` and gives the half-made proof. On failure nothing of the partition runs any more
 * and the caller still owns `synthesized`.
 */
MUST_CHECK enum status partition_proof_start(struct partition_gpu *gpu,
	const struct partition_key *key, int32_t worker, struct synthesized **synthesized,
	struct partition_proof **out_proof);

/* Takes the half-made proof, also on failure, and frees all that it held. */
MUST_CHECK enum status partition_proof_finish(
	struct partition_proof **proof, struct partition_output *out_output);

/* For a proof that will not be finished: waits for its threads. Accepts NULL. */
void partition_proof_destroy(struct partition_proof *proof);
DEFINE_AUTO(struct partition_proof, partition_proof_destroy)
