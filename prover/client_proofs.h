/* SPDX-License-Identifier: MIT */
/* A done job's proofs on the client's side: fetched, written to files, verified. */
#pragma once

#include "prover/client_http.h"
#include "trace/base/cleanup.h"
#include "trace/base/diag.h"
#include "trace/base/status.h"

#include <stdbool.h>
#include <stdint.h>

struct client_proofs;

MUST_CHECK enum status client_proofs_fetch(struct client_http *client, uint64_t job_id,
	struct diag *diag, struct client_proofs **out_proofs);

/* Accepts NULL. */
void client_proofs_destroy(struct client_proofs *proofs);
DEFINE_AUTO(struct client_proofs, client_proofs_destroy)

uint32_t client_proofs_count(const struct client_proofs *proofs);

/*
 * Every partition, on this host, with the checks that snarkjs leaves out, and no proof twice. With
 * `have_own_publics` each was asked for another secret, so no two may have the same public values.
 */
MUST_CHECK enum status client_proofs_verify(
	const struct client_proofs *proofs, bool have_own_publics, struct diag *diag);

/* Makes `folder` unless it is there: found out before anything is proved that cannot be kept. */
MUST_CHECK enum status client_proofs_make_folder(const char *folder, struct diag *diag);

/*
 * Removes from `folder`/job-ID what client_proofs_write() left there for an earlier job of that
 * number: as soon as there is another job of it, for that one may never have proofs.
 */
MUST_CHECK enum status client_proofs_remove_earlier(
	const char *folder, uint64_t job_id, struct diag *diag);

/*
 * Into `folder`/job-ID: proofs.json, verification_key.json, and for each partition
 * partition-N.proof.json and partition-N.public.json, as snarkjs reads them. Those of an earlier
 * job are removed.
 */
MUST_CHECK enum status client_proofs_write(
	const struct client_proofs *proofs, const char *folder, struct diag *diag);
