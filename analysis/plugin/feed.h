/* SPDX-License-Identifier: MIT */
/*
 * Hands messages of a babeltrace2 graph to an analyzer: events decoded, and what the tracer says
 * that it lost. Both components and the gaptrace command read their input through it.
 */
#pragma once

#include "analysis/core/analyzer.h"
#include "analysis/plugin/cover.h"
#include "analysis/plugin/decode.h"
#include "analysis/plugin/lacks.h"

/* Of a stream, by its name. */
#define FEED_ORDER_LINE                                                                            \
	"%s: the numbers in its packets go backwards: it is damaged, or one stream was put "       \
	"behind another; copy the recording again, file by file"

struct feed {
	struct decoder *decoder;
	struct analyzer *analyzer; /* borrowed */
	struct cover cover;        /* which time the input covers */
	struct lacks lacks;        /* and which it should cover; by whoever sees the files */
	uint64_t own_events;       /* events of our providers */
	uint64_t foreign_events;
	bool is_order_told; /* that packet numbers go backwards */
	bool is_imported;   /* a note of the importers came: before any other event of theirs */
	uint64_t derived_events; /* those of them that filter.gaptrace.gaps made */
};

MUST_CHECK enum status feed_init(struct feed *feed, struct analyzer *analyzer);

/* Takes note of one message, which stays the caller's. */
MUST_CHECK enum status feed_message(struct feed *feed, const bt_message *message);

/* The same, of a message whose time on the decoder's clock is known already, and whose stream
 * feed_enter() had. */
MUST_CHECK enum status feed_message_at(
	struct feed *feed, const bt_message *message, uint64_t time_ns);

/* An event that was decoded elsewhere. */
MUST_CHECK enum status feed_event(
	struct feed *feed, const struct event *event, bool has_thread, enum decode_result result);

/* An event of `stream` comes next; NULL: of any. Once for each stream is enough. */
MUST_CHECK enum status feed_enter(struct feed *feed, const bt_stream *stream);

void feed_finish(struct feed *feed);
