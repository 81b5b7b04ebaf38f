/* SPDX-License-Identifier: MIT */
/* The daemon's counters as Prometheus text, version 0.0.4. */
#pragma once

#include "prover/pipeline.h"
#include "trace/base/cleanup.h"
#include "trace/base/status.h"

/* Gives a text that the caller frees. */
MUST_CHECK enum status metrics_format(struct pipeline *pipeline, char **out_text);
