/* SPDX-License-Identifier: MIT */
/*
 * Turns babeltrace2 event messages into the engine's events. What is known of an event class (its
 * kind, which field goes where) is looked up once and kept by the class's address; fields that an
 * older or newer recording lacks keep their "not known" value. One thread; no state but the cache.
 */
#pragma once

#include "analysis/plugin/decode_class.h"
#include "trace/base/cleanup.h"
#include "trace/base/status.h"

#include <babeltrace2/babeltrace.h>

struct decoder;

/* Gives a new decoder to the caller, who destroys it. */
MUST_CHECK enum status decoder_create(struct decoder **out_decoder);

/*
 * Decodes one event message. `time_ns` is its time where the caller found it out before, or NULL.
 * `out_has_thread` is false when the recording lacks the vpid or vtid
 * context and the event is DECODE_EVENT.
 */
MUST_CHECK enum status decoder_decode(struct decoder *decoder, const bt_message *message,
	const uint64_t *time_ns, struct event *out_event, bool *out_has_thread,
	enum decode_result *out_result);

/* What is known of a class, made when it is not known yet; borrowed from the decoder. */
MUST_CHECK enum status decoder_class(struct decoder *decoder, const bt_event_class *event_class,
	const bt_stream *stream, const struct decode_class **out_class);

/* The time of a snapshot of this stream class's clock, on the clock of the first trace seen. */
uint64_t decoder_time_ns(struct decoder *decoder, const bt_clock_snapshot *snapshot);

/* The same in two steps, for who has many snapshots of one clock class. */
MUST_CHECK enum status decoder_clock(
	struct decoder *decoder, const bt_clock_class *clock_class, size_t *out_clock);
uint64_t decoder_clock_ns(const struct decoder *decoder, size_t clock, uint64_t value);

/* The clock that the times are on; NULL before the first snapshot. Borrowed from the decoder. */
const bt_clock_class *decoder_clock_class(const struct decoder *decoder);

/* Accepts NULL. */
void decoder_destroy(struct decoder *decoder);
DEFINE_AUTO(struct decoder, decoder_destroy)
