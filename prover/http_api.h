/* SPDX-License-Identifier: MIT */
/*
 * The daemon's HTTP interface (docs/man/proverd.8): jobs in, proofs, status and metrics out, all
 * JSON but the metrics. Requests are served on threads of its own, bounded in size and number.
 */
#pragma once

#include "prover/pipeline.h"
#include "trace/base/cleanup.h"
#include "trace/base/diag.h"
#include "trace/base/status.h"

struct http_api;

/* Serves on `listen_fd`, which it takes; `pipeline` is borrowed until the API is stopped. */
MUST_CHECK enum status http_api_start(
	struct pipeline *pipeline, int *listen_fd, struct diag *diag, struct http_api **out_api);

/* Ends open connections and the threads. Accepts NULL. */
void http_api_stop(struct http_api *api);
