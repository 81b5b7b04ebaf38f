/* SPDX-License-Identifier: MIT */
/*
 * A sink that exists in a graph of our own only: one input port for each stream of its sources, so
 * that no muxer is needed, and all messages fed in the order of time.
 */
#pragma once

#include "analysis/plugin/feed.h"
#include "analysis/plugin/plain_files.h"
#include "trace/base/diag.h"
#include "trace/base/status.h"

#include <babeltrace2/babeltrace.h>

/* A note of why: the folder, and the rest of the reason. */
#define STOP_LINE                                                                                  \
	"reading stopped before the end, what follows is not in this report: %s%s; copy the "      \
	"recording again, or the metadata of another one of the same programs if it ends too "     \
	"early"

/* What the sink tells the graph's owner, who keeps it as long as the graph. */
struct sink_streams {
	struct feed *feed;        /* borrowed */
	struct plain_files files; /* of all traces; the caller scans and finishes them */
	uint64_t input_count;
	enum status status; /* of the feed */
	struct diag reason; /* why reading failed, and in which file; "" when it did not */
};

/* Adds the sink with its ports; it is borrowed from the graph. NO_MEMORY. */
MUST_CHECK enum status sink_streams_add(
	struct sink_streams *streams, bt_graph *graph, const bt_component_sink **out_sink);
