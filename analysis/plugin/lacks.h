/* SPDX-License-Identifier: MIT */
/*
 * What a recording lacks by the word of its own streams, which nothing else tells: streams that end
 * before the others of a session that was ended, streams that are not there at all, and files of
 * another stream or trace in their place. What cannot be proven is not said: while a session runs,
 * or when its daemon was killed, its streams end where each was written out last.
 */
#pragma once

#include "analysis/core/analyzer.h"
#include "analysis/plugin/decode.h"
#include "analysis/plugin/plain_files.h"
#include "trace/base/status.h"

#include <babeltrace2/babeltrace.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Time of which a trace does not have all streams. */
struct lack {
	uint8_t uuid[PLAIN_UUID_BYTES];
	uint64_t begin; /* on the trace's clock */
	uint64_t end;
	bool is_told;
};

struct lacks {
	struct lack *lacks;
	size_t count;
	size_t capacity;
};

/* Finds them, and tells each as a line of what could not be read. NO_MEMORY. */
MUST_CHECK enum status lacks_find(
	struct lacks *lacks, const struct plain_files *files, struct analyzer *analyzer);

/* An event of `stream` comes next: the time that its trace lacks counts as lost from now on. */
MUST_CHECK enum status lacks_enter(struct lacks *lacks, struct decoder *decoder,
	const bt_stream *stream, struct analyzer *analyzer);

void lacks_finish(struct lacks *lacks);
