/* SPDX-License-Identifier: MIT */
/*
 * Reads the events of one plain stream (plain_metadata.h) straight from its files into struct
 * event. What each class looks like is babeltrace2's to say, which has read the metadata; only the
 * bytes of events do not pass through it.
 */
#pragma once

#include "analysis/plugin/decode.h"
#include "analysis/plugin/plain_files.h"
#include "trace/base/diag.h"

struct plain_stream;

/* The event that a stream has come to. */
struct plain_event {
	struct event event; /* its strings are valid as long as the stream is on it */
	enum decode_result result;
	bool has_thread;
};

enum plain_result {
	PLAIN_EVENT,
	PLAIN_END,
	PLAIN_BROKEN
};

/*
 * Gives a reader of `stream`, which stays the caller's, or NULL when it is not plain. `files` and
 * `decoder` are borrowed. NO_MEMORY.
 */
MUST_CHECK enum status plain_stream_open(const struct plain_files *files, const bt_stream *stream,
	struct decoder *decoder, struct plain_stream **out_plain);

/* Goes on to the next event. BROKEN with a line: the file is not what it was when it was opened. */
enum plain_result plain_stream_next(struct plain_stream *plain, struct diag *diag);

const struct plain_event *plain_stream_event(const struct plain_stream *plain);

/* Where its last packet ends, on the trace's clock. */
uint64_t plain_stream_end(const struct plain_stream *plain);

/* Accepts NULL. */
void plain_stream_close(struct plain_stream *plain);
DEFINE_AUTO(struct plain_stream, plain_stream_close)
