/* SPDX-License-Identifier: MIT */
/* What the daemon says of itself and of its jobs, as JSON and as Prometheus metrics. */
#pragma once

#include "prover/pipeline.h"
#include "trace/base/cleanup.h"
#include "trace/base/status.h"

/* Each gives a text that the caller frees. */
MUST_CHECK enum status status_page_status(struct pipeline *pipeline, char **out_text);
MUST_CHECK enum status status_page_jobs(struct pipeline *pipeline, char **out_text);
/* NOT_FOUND when there is no such job. `out_state` is the one that the page tells. */
MUST_CHECK enum status status_page_job(
	struct pipeline *pipeline, uint64_t id, char **out_text, enum job_state *out_state);

/* The job's proofs: an array of {"proof": ..., "public": ...}, each as snarkjs writes it. */
MUST_CHECK enum status status_page_proofs(
	struct pipeline *pipeline, uint64_t id, struct diag *diag, char **out_text);

enum status_page_part {
	STATUS_PAGE_PROOF,
	STATUS_PAGE_PUBLIC
};

/* One partition's proof.json or public.json. */
MUST_CHECK enum status status_page_partition(struct pipeline *pipeline, uint64_t id,
	uint64_t partition, enum status_page_part part, struct diag *diag, char **out_text);

/* The verification key that a job's proofs are checked against. */
MUST_CHECK enum status status_page_verification_key(
	struct pipeline *pipeline, uint64_t id, struct diag *diag, char **out_text);
