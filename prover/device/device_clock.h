/* SPDX-License-Identifier: MIT */
/*
 * A software device's clock is the host's. While something records, a thread says so once a second
 * with a clock pair, and every tenth of a second how far the device's records are complete.
 */
#pragma once

#include "prover/device/device_engine.h"
#include "trace/base/status.h"

MUST_CHECK enum status device_clock_start(struct device *device);
void device_clock_stop(struct device *device);

/* With the lock held. */
void device_clock_watermark(struct device *device);
