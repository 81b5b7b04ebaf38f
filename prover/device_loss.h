/* SPDX-License-Identifier: MIT */
/*
 * Devices that are lost while the daemon runs: after some errors the driver refuses everything on a
 * device until the process ends. Whatever ran there fails its job; what waits goes to the devices
 * that are left. When none is, all jobs fail, and the daemon ends so that it can be started anew.
 */
#pragma once

#include "prover/pipeline.h"

#include <stdbool.h>
#include <stdint.h>

/* True when the device is lost. */
bool device_loss_has(const struct pipeline *pipeline, uint32_t device);

/* True when there is no other device either. */
bool device_loss_has_all(const struct pipeline *pipeline);

/* Tells the operator of each device that was lost since it was called last: once each. When none
 * is left pipeline.lost_fd becomes readable. To be called when something failed. */
void device_loss_tell(struct pipeline *pipeline);
