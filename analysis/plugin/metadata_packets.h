/* SPDX-License-Identifier: MIT */
/*
 * Whether the packets of a trace's `metadata` file are whole. Babeltrace 2.0 waits for ever for the
 * rest of one that the file cuts.
 */
#pragma once

#include "trace/base/cleanup.h"
#include "trace/base/diag.h"
#include "trace/base/status.h"

/* BAD_INPUT for a packet that is cut. Text without packets is right, too. */
MUST_CHECK enum status metadata_packets_check(const char *path, struct diag *diag);
