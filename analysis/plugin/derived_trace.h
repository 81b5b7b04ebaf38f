/* SPDX-License-Identifier: MIT */
/*
 * The trace that filter.gaptrace.gaps makes: one stream of the events gaptrace:gap and
 * gaptrace:gap_part, on the clock of the recording they come from.
 */
#pragma once

#include "analysis/core/gap.h"
#include "analysis/core/report_data.h"
#include "analysis/core/timeline.h"
#include "trace/base/cleanup.h"
#include "trace/base/status.h"

#include <babeltrace2/babeltrace.h>

struct derived_trace {
	bt_stream *stream;
	bt_event_class *gap_class;
	bt_event_class *part_class;
	bt_self_message_iterator *iterator; /* makes the messages */
	const struct walk *walk;            /* knows the threads' names */
};

/* What a gap event tells. */
struct derived_gap {
	const struct timeline_device *device;
	enum sweep_layer layer;
	const struct gap *gap;
	uint32_t part_count;
};

/* Makes the trace and its classes; `clock_class` is the recording's, or NULL when it has none. */
MUST_CHECK enum status derived_trace_create(bt_self_message_iterator *iterator,
	const bt_clock_class *clock_class, const struct walk *walk,
	struct derived_trace *out_trace);

/* Give a new message each, to be put by the caller. */
MUST_CHECK enum status derived_trace_gap(const struct derived_trace *trace, uint64_t time_ns,
	const struct derived_gap *gap, bt_message **out_message);
MUST_CHECK enum status derived_trace_part(const struct derived_trace *trace, uint64_t time_ns,
	const struct derived_gap *gap, const struct gap_part *part, bt_message **out_message);

void derived_trace_finish(struct derived_trace *trace);
