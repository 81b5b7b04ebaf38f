/* SPDX-License-Identifier: MIT */
/*
 * Where the time went by the prover's own clocks: one table of figures, of the whole pipeline and
 * of each device, which /status, /metrics and --counters show. Nothing of it comes from the trace,
 * so that a report made from the trace can be held against it.
 */
#pragma once

#include "prover/pipeline.h"

#include <jansson.h>
#include <stdio.h>

/* Gives an object with every figure of the pipeline. */
json_t *truth_pipeline(struct pipeline *pipeline);

/* Gives an object with every figure of a device, device_index below pipeline->device_count. */
json_t *truth_device(struct pipeline *pipeline, uint32_t device_index);

/* Prints all of them as Prometheus counters, each name behind `prefix`. */
void truth_metrics(struct pipeline *pipeline, const char *prefix, FILE *stream);
