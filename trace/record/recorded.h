/* SPDX-License-Identifier: MIT */
/*
 * What lies in a recording's folder, read from the files alone and never from what the session
 * daemon says of them: with a full disk it reports no loss while the trace cannot be read. Looks at
 * packet headers, not at events.
 */
#pragma once

#include "trace/base/diag.h"
#include "trace/base/status.h"

#include <stdbool.h>
#include <stdint.h>

struct recorded {
	uint64_t bytes;
	uint64_t stream_count; /* files with events: one for each channel and CPU */
	uint64_t packet_count;
	uint64_t event_bytes; /* inside packets, without padding */
	uint64_t discarded_events;
	uint64_t lost_packets;
	bool is_readable;    /* metadata whole, streams whole */
	struct diag problem; /* when not: the first file that is wrong, and how */
};

/* `path` is the folder. Fails only when the folder itself cannot be walked. */
MUST_CHECK enum status recorded_inspect(
	const char *path, struct recorded *out_recorded, struct diag *diag);
