/* SPDX-License-Identifier: MIT */
/*
 * The trace that source.gaptrace.* components make: one stream with the events, fields and contexts
 * that a gaptrace recording has, so that whoever reads recordings reads it. Classes are made from
 * the table in event_fields.h, each when its first event comes.
 */
#pragma once

#include "analysis/core/event.h"
#include "trace/base/cleanup.h"
#include "trace/base/status.h"

#include <babeltrace2/babeltrace.h>

struct import_trace {
	bt_self_message_iterator *iterator; /* makes the messages */
	bt_stream_class *stream_class;
	bt_stream *stream;
	bt_event_class *classes[EVENT_KIND_COUNT]; /* NULL: not made yet */
};

/* Makes trace and stream; `epoch_ns` is when time 0 was since 1970, NULL when nobody knows. */
MUST_CHECK enum status import_trace_create(bt_self_message_iterator *iterator, const char *name,
	const uint64_t *epoch_ns, struct import_trace *out_trace);

/* Gives a new message to the caller, who puts it. */
MUST_CHECK enum status import_trace_message(
	struct import_trace *trace, const struct event *event, bt_message **out_message);

void import_trace_finish(struct import_trace *trace);
