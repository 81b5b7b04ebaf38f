/* SPDX-License-Identifier: MIT */
/*
 * Whether babeltrace2 can open a trace. Tried in a child: a graph is of no use after one of its
 * components failed, and source.ctf.fs 2.0.4 aborts on some metadata.
 */
#pragma once

#include "trace/base/limits.h"
#include "trace/base/status.h"

#include <babeltrace2/babeltrace.h>
#include <stdbool.h>

/* What babeltrace2 says, beside a path, in one line. */
#define TRIAL_REASON_BYTES (DIAG_LINE_BYTES_MAX / 2)

/* The innermost cause of what just failed inside babeltrace2; clears it. */
void trial_take_reason(char out_reason[TRIAL_REASON_BYTES]);

/* Opens a component of the class in a graph that nobody runs; a reason when it cannot be. */
MUST_CHECK enum status trial_open(const bt_component_class_source *source, const bt_value *params,
	bool *out_can, char out_reason[TRIAL_REASON_BYTES]);
