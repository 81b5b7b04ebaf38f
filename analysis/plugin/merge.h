/* SPDX-License-Identifier: MIT */
/*
 * Feeds the messages of many iterators in the order of time, one iterator for each stream. The
 * stock muxer looks at all streams for each message; a heap costs the same for any number of them.
 * Messages of one time come in the muxer's order: by the trace's UUID and name, then by the
 * stream's class and number.
 */
#pragma once

#include "analysis/plugin/feed.h"
#include "analysis/plugin/plain_files.h"
#include "trace/base/cleanup.h"
#include "trace/base/status.h"

#include <babeltrace2/babeltrace.h>

struct merge;

/*
 * Gives a merge to the caller, who destroys it. Borrows `feed` and `files`, from which streams that
 * are plain are read directly.
 */
MUST_CHECK enum status merge_create(struct feed *feed, const struct plain_files *files,
	uint64_t input_count_max, struct merge **out_merge);

/* Takes an iterator; at most as many as were announced, and none once messages were consumed. */
void merge_add(struct merge *merge, bt_message_iterator *iterator);

/*
 * Feeds some messages. AGAIN: nothing can be said before more comes. ERROR: an iterator failed, or
 * the feed did, which merge_status() then tells.
 */
bt_component_class_sink_consume_method_status merge_consume(struct merge *merge);

enum status merge_status(const struct merge *merge);

/* Why a stream that was read directly failed; "" when none did. Borrowed from the merge. */
const char *merge_reason(const struct merge *merge);

/* The name of the stream whose iterator failed, as its source has it; NULL: none, or unnamed. */
const char *merge_failed_name(const struct merge *merge);

/* Accepts NULL. */
void merge_destroy(struct merge *merge);
DEFINE_AUTO(struct merge, merge_destroy)
