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

/* What the sink tells the graph's owner, who keeps it as long as the graph. */
struct sink_streams {
	struct feed *feed;        /* borrowed */
	struct plain_files files; /* of all traces; the caller scans and finishes them */
	uint64_t input_count;
	enum status status; /* of the feed */
	struct diag reason; /* why a stream that was read directly failed */
};

/* Adds the sink with its ports; it is borrowed from the graph. NO_MEMORY. */
MUST_CHECK enum status sink_streams_add(
	struct sink_streams *streams, bt_graph *graph, const bt_component_sink **out_sink);
