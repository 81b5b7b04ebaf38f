/* SPDX-License-Identifier: MIT */
/* A built-in circuit as the daemon serves it: whether, where its key lies, and how large it is. */
#pragma once

#include "prover/srs.h"

struct srs_builtin {
	bool is_served;
	struct builtin_circuit circuit;
	char *key_path; /* also the key's name when simulated */
	char *verification_path;
	uint64_t key_bytes;
	uint64_t partition_bytes;
};

/* Clean up with srs_builtin_finish(), also on failure. */
MUST_CHECK enum status srs_builtin_init(struct srs_builtin *builtin,
	const struct srs_manager_config *config, enum job_kind kind,
	struct builtin_circuit circuit);

void srs_builtin_finish(struct srs_builtin *builtin);

/* Makes its files if they are missing, and learns its sizes. */
MUST_CHECK enum status srs_builtin_prepare(
	struct srs_builtin *builtin, const struct srs_manager_config *config, struct diag *diag);
