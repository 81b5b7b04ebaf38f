/* SPDX-License-Identifier: MIT */
/*
 * Whether LTTng's index files, which say where the packets of a stream begin, fit their streams.
 * Babeltrace 2.0 believes them, and aborts at one that points past its stream.
 */
#pragma once

#include "trace/base/status.h"

#include <stdbool.h>
#include <stdint.h>

/* An index that cannot be read counts as damaged; no index is as good as one that fits. */
bool index_files_are_damaged(const char *trace);

struct index_files_listener {
	void *context;
	enum status (*missing)(void *context, const char *stream, uint64_t packet_count);
};

/*
 * Tells each stream that lacks packets which its index has, down to all of them: files that were
 * left behind, or a disk that lost them. Nothing else in the recording says so.
 */
MUST_CHECK enum status index_files_each_missing(
	const char *trace, const struct index_files_listener *listener);
