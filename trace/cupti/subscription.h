/* SPDX-License-Identifier: MIT */
/* What is asked of CUPTI: to be its one subscriber, the clock, the kinds of records. */
#pragma once

#include "trace/base/diag.h"
#include "trace/base/status.h"
#include "trace/cupti/clock_sync.h"
#include "trace/cupti/collector.h"

/* `wants_callback` false, or CUPTI refuses the callback: `out_path` is the default clock. */
MUST_CHECK enum status subscription_open(struct collector *collector, bool wants_callback,
	struct diag *diag, enum clock_path *out_path);

/* No more records; CUPTI stays loaded. */
void subscription_close(struct collector *collector);

/* Whether the options, and what is known of this release, ask for the callback. */
bool subscription_wants_callback(const struct collector_options *options);
