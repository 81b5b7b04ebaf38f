/* SPDX-License-Identifier: MIT */
/*
 * The structured reference strings: proving keys in memory and on the devices, shared by the jobs
 * that use them. Built-in circuits have a key file in the state directory, made when it is missing;
 * jobs of kind files bring theirs. A key reserves its size in the memory budget while it is loaded.
 * Loads are made by one thread, the scheduler, so that a key is never loaded twice; the manager's
 * lock covers only its list. What srs_acquire() gives is borrowed until srs_release().
 *
 * Two jobs must not hold keys that leave no room for a partition of either: a key is loaded only
 * when the largest partition of all keys in use fits beside it, or when it is alone.
 */
#pragma once

#include "prover/config.h"
#include "prover/groth16/builtin_circuit.h"
#include "prover/groth16/verification_key.h"
#include "prover/job.h"
#include "prover/memory_budget.h"
#include "prover/partition_proof.h"
#include "prover/thread_pool.h"
#include "trace/base/cleanup.h"
#include "trace/base/diag.h"
#include "trace/base/status.h"

#include <stdbool.h>
#include <stdint.h>

struct srs {
	char *name;        /* the key file's path, or the built-in circuit's name when simulated */
	struct zkey *zkey; /* NULL when simulated, as the next two */
	struct verification_key *verification_key;
	blst_fr *coefficient_ones; /* the key's coefficients times 1, for the matrix products */
	char *verification_key_text;
	struct partition_key key;
	struct builtin_circuit circuit; /* of a built-in one */
	bool is_builtin;
	uint64_t key_bytes;       /* reserved while loaded */
	uint64_t partition_bytes; /* what a partition reserves, */
	uint64_t abc_bytes;       /* and what of it is free again after prove_start */
	/* Guarded by the manager's lock. */
	uint32_t user_count;
	uint64_t last_used_ns;
	struct srs *next;
};

struct srs_manager;

struct srs_manager_config {
	const struct config *config; /* borrowed, as all that follow */
	const char *state_dir;
	const struct device_ops *ops;
	struct device *const *devices;
	uint32_t device_count;
	struct memory_budget *budget;
	struct thread_pool *blocking_pool;
};

MUST_CHECK enum status srs_manager_create(
	const struct srs_manager_config *config, struct srs_manager **out_manager);

/* No key may be in use. Accepts NULL. */
void srs_manager_destroy(struct srs_manager *manager);
DEFINE_AUTO(struct srs_manager, srs_manager_destroy)

/* Makes the key files of the built-in circuits that are served and have none. */
MUST_CHECK enum status srs_manager_prepare(struct srs_manager *manager, struct diag *diag);

/* Loads them ahead of the first job. */
MUST_CHECK enum status srs_manager_preload(struct srs_manager *manager, struct diag *diag);

/* True when jobs of this kind are served. */
bool srs_manager_serves(const struct srs_manager *manager, enum job_kind kind);

/* The size of a built-in circuit's secret; 0 for kinds that have none. */
uint32_t srs_manager_secret_bytes(const struct srs_manager *manager, enum job_kind kind);

/* TOO_LARGE, with the figures, when a job's key and one partition can never fit the budget. */
MUST_CHECK enum status srs_manager_check_fit(
	const struct srs_manager *manager, const struct job_request *request, struct diag *diag);

/* The key of a job, loaded if it is not: waits for the budget, then loads on the blocking pool. */
MUST_CHECK enum status srs_acquire(struct srs_manager *manager, const struct job *job,
	struct diag *diag, struct srs **out_srs);

void srs_release(struct srs_manager *manager, struct srs *srs);

/*
 * Reserves memory for a partition. Keys that nobody uses make room, at once or when they come
 * free.
 */
MUST_CHECK enum status srs_manager_reserve(
	struct srs_manager *manager, uint64_t bytes, struct gaptrace_work work);

struct srs_manager_counts {
	uint32_t loaded_count;
	uint64_t loaded_bytes;
	uint64_t load_count;
	uint64_t load_ns; /* a truth apart from the trace */
};

struct srs_manager_counts srs_manager_counts(struct srs_manager *manager);

/* Gives the text of a built-in circuit's verification_key.json, which the caller frees. */
MUST_CHECK enum status srs_manager_verification_key(
	const struct srs_manager *manager, enum job_kind kind, char **out_text);
