/* SPDX-License-Identifier: MIT */
/*
 * A job is one proof request, from the HTTP call to the last download of its proofs: 1..n
 * partitions, each a Groth16 proof of its own. Jobs are counted references: the tracker holds one
 * and each partition under way another. What the request says never changes; the rest is guarded
 * by the tracker's two locks, as noted.
 */
#pragma once

#include "gaptrace/gaptrace.h"
#include "prover/groth16/proof.h"
#include "trace/base/cleanup.h"
#include "trace/base/diag.h"
#include "trace/base/status.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct srs;

enum job_kind {
	JOB_MERKLE,
	JOB_SQUARING,
	JOB_FILES,
	JOB_KIND_COUNT
};

enum job_priority {
	JOB_PRIORITY_LOW = 1,
	JOB_PRIORITY_NORMAL,
	JOB_PRIORITY_HIGH,
	JOB_PRIORITY_CRITICAL
};

enum job_state {
	JOB_QUEUED,
	JOB_RUNNING,
	JOB_DONE,
	JOB_FAILED,
	JOB_CANCELLED
};

enum job_partition_state {
	JOB_PARTITION_PENDING,
	JOB_PARTITION_DISPATCHED,
	JOB_PARTITION_SYNTHESIZING,
	JOB_PARTITION_SYNTHESIZED,
	JOB_PARTITION_GPU,
	JOB_PARTITION_FINISHING,
	JOB_PARTITION_DONE,
	JOB_PARTITION_FAILED,
	JOB_PARTITION_STATE_COUNT
};

/* "merkle", "squaring", "files", and so on for the others. */
const char *job_kind_name(enum job_kind kind);
const char *job_priority_name(enum job_priority priority);
const char *job_state_name(enum job_state state);
const char *job_partition_state_name(enum job_partition_state state);

/* False when there is no such word. */
bool job_kind_find(const char *name, enum job_kind *out_kind);
bool job_priority_find(const char *name, enum job_priority *out_priority);

struct job_partition {
	enum job_partition_state state; /* guarded by `status` */
	uint64_t synthesis_ns;          /* guarded by `status`, as is the next */
	uint64_t gpu_ns;
	/* The rest is guarded by `tracker`. */
	bool has_proof;
	struct proof proof;
	blst_scalar *publics; /* public_count canonical values */
	uint32_t public_count;
};

/* What a client asks for. Strings and arrays belong to the job once it is created. */
struct job_request {
	enum job_kind kind;
	enum job_priority priority;
	uint32_t partition_count;
	uint64_t seed;    /* of built-in circuits: the secrets are made from it */
	uint8_t *secrets; /* or the secrets themselves, secret_bytes for each partition */
	uint32_t secret_bytes;
	char *key_path;       /* of files: checked to lie under the root */
	char **witness_paths; /* one for each partition */
};

/* Frees what the request holds. */
void job_request_finish(struct job_request *request);

struct job {
	_Atomic uint32_t reference_count;
	struct job_request request;
	struct gaptrace_job trace;
	/* Set before the first partition is queued; the key is let go after the last ended. */
	struct srs *srs;
	char *verification_key_text; /* of that key; NULL when simulated */

	/* Guarded by `hand_over`: partitions held back until the job's last is synthesized. */
	uint32_t held_count;
	bool hands_over_at_once;

	/* Guarded by `tracker`. */
	uint64_t id;
	enum job_state state;
	enum job_state failing_state; /* FAILED or CANCELLED once is_failing */
	bool is_failing;
	bool is_delivered;
	uint32_t ended_count; /* partitions that are over, in whatever way */
	uint64_t submitted_ns;
	uint64_t begin_ns;
	uint64_t end_ns;
	char error[DIAG_LINE_BYTES_MAX];
	struct job_partition *partitions;
};

/* Takes what `request` holds, on success, and gives a job with one reference. */
MUST_CHECK enum status job_create(struct job_request *request, struct job **out_job);

/* One reference more; gives `job`. */
struct job *job_ref(struct job *job);

/* Drops a reference; the last one frees. Accepts NULL. */
void job_unref(struct job *job);
DEFINE_AUTO(struct job, job_unref)
