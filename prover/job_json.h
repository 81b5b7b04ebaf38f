/* SPDX-License-Identifier: MIT */
/* A job request as clients write it: strict JSON, every unknown or wrong field named. */
#pragma once

#include "prover/job.h"
#include "prover/pipeline.h"
#include "trace/base/cleanup.h"
#include "trace/base/diag.h"
#include "trace/base/status.h"

#include <stddef.h>

/*
 * Reads `text` of `size` bytes. Fields: kind, partitions, priority, seed, secrets (one hexadecimal
 * string for each partition), and for kind files key and witnesses, paths under the configured
 * root. On success the caller owns `out_request` and finishes it.
 */
MUST_CHECK enum status job_json_parse(const struct pipeline *pipeline, const char *text,
	size_t size, struct diag *diag, struct job_request *out_request);
