/* SPDX-License-Identifier: MIT */
/* The pipeline's pools, devices and GPUs as its configuration wants them. */
#pragma once

#include "prover/pipeline.h"

MUST_CHECK enum status pipeline_devices_open(struct pipeline *pipeline, struct diag *diag);

/* Runs what the pools hold and ends their threads; the devices stay, for their counts. */
void pipeline_devices_stop(struct pipeline *pipeline);

/* Closes what is open. No partition is under way and no key is loaded. */
void pipeline_devices_close(struct pipeline *pipeline);
