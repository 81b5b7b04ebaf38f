/* SPDX-License-Identifier: MIT */
/* What the cpu device's kernels compute, on its lane's threads, in device memory. */
#pragma once

#include "prover/device/device_engine.h"
#include "trace/base/status.h"

/* Runs one kernel operation to its end. */
MUST_CHECK enum status device_cpu_kernel_run(
	struct device *device, const struct device_operation *operation);
