/* SPDX-License-Identifier: MIT */
/*
 * Which time the recordings given together cover. Those of LTTng-UST are told apart by their
 * session: from the last packet of one to the first of the next nobody knows what happened. A trace
 * that does not say its session, or when its packets began, may cover any time; a kernel's trace
 * covers none, since it knows nothing of the service.
 */
#pragma once

#include "analysis/core/interval_set.h"
#include "analysis/plugin/decode.h"
#include "trace/base/cleanup.h"
#include "trace/base/status.h"

#include <babeltrace2/babeltrace.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cover_session {
	char *name;                        /* with its creation and host */
	const bt_clock_class *clock_class; /* a reference; NULL before its first packet */
	uint64_t begin;                    /* of its packets, on that clock */
	uint64_t end;
	size_t open_count; /* streams that have not ended */
	bool is_entered;   /* an event of it was told */
};

struct cover {
	struct cover_session *sessions;
	size_t count;
	size_t capacity;
	bool is_off;  /* a trace may cover any time */
	bool has_new; /* a session's packets began, and it is not entered */
};

/* Takes note of where streams and packets begin and end; other messages say nothing. */
MUST_CHECK enum status cover_note(struct cover *cover, const bt_message *message);

/* The end of a stream that is read without its messages, and of its last packet. */
MUST_CHECK enum status cover_note_end(struct cover *cover, const bt_stream *stream, uint64_t end);

/*
 * An event of `stream` is told next, or, when it is NULL, one behind all packets that were noted.
 * Gives the time before that which no session covers; empty when there is none.
 */
MUST_CHECK enum status cover_enter(struct cover *cover, struct decoder *decoder,
	const bt_stream *stream, struct interval *out_pause);

void cover_finish(struct cover *cover);
