/* SPDX-License-Identifier: MIT */
/*
 * The graph that `gaptrace report` runs, without the babeltrace2 command: one source.ctf.fs for
 * each logical trace, and a sink with a port for each stream that feeds an analyzer.
 */
#pragma once

#include "analysis/plugin/feed.h"
#include "analysis/plugin/input.h"
#include "trace/base/diag.h"

/*
 * Reads all of `inputs` into the feed. What cannot be read becomes a note of the analyzer; when
 * nothing at all could be read, BAD_INPUT and the first reason.
 */
MUST_CHECK enum status graph_read(
	const struct input_list *inputs, struct feed *feed, struct diag *diag);
