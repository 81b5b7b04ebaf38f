/* SPDX-License-Identifier: MIT */
#include "analysis/plugin/feed.h"

#include "trace/base/diag.h"

/* The top bit of a count of lost events says nothing: LTTng 2.13 sets it at times. */
#define EVENT_COUNT_MASK 0x7fffffffffffffffULL

enum status feed_init(struct feed *feed, struct analyzer *analyzer)
{
	*feed = (struct feed){.analyzer = analyzer};
	return decoder_create(&feed->decoder);
}

enum status feed_event(
	struct feed *feed, const struct event *event, bool has_thread, enum decode_result result)
{
	if (result == DECODE_FOREIGN || result == DECODE_DERIVED) {
		feed->derived_events += result == DECODE_DERIVED;
		feed->foreign_events++;
		return STATUS_OK;
	}
	if (result == DECODE_EVENT &&
		(event->kind == EVENT_SCHED_SWITCH || event->kind == EVENT_SCHED_WAKING)) {
		/* A kernel's events say for themselves which threads they are about. */
		feed->foreign_events++;
		return analyzer_add(feed->analyzer, event);
	}
	feed->own_events++;
	if (result == DECODE_UNKNOWN) {
		analyzer_count_unknown_event(feed->analyzer);
		return STATUS_OK;
	}
	/* What other tools' files do not know of threads their notes tell. */
	feed->is_imported |= event->kind == EVENT_IMPORT_NOTE;
	if (!has_thread && !feed->is_imported) {
		analyzer_count_event_without_thread(feed->analyzer);
	}
	return analyzer_add(feed->analyzer, event);
}

enum status feed_enter(struct feed *feed, const bt_stream *stream)
{
	struct interval pause;
	enum status status = cover_enter(&feed->cover, feed->decoder, stream, &pause);

	if (status == STATUS_OK && pause.begin_ns < pause.end_ns) {
		status = analyzer_add_pause(feed->analyzer, pause.begin_ns, pause.end_ns);
	}
	if (status == STATUS_OK && stream) {
		status = lacks_enter(&feed->lacks, feed->decoder, stream, feed->analyzer);
	}
	return status;
}

static enum status add_event(struct feed *feed, const bt_message *message, const uint64_t *time_ns)
{
	enum decode_result result = DECODE_FOREIGN;
	bool has_thread = false;
	struct event event;
	enum status status =
		decoder_decode(feed->decoder, message, time_ns, &event, &has_thread, &result);

	/* Only now: the first event's clock is the one that all times are on. */
	if (status == STATUS_OK && !time_ns && feed->cover.has_new) {
		status = feed_enter(feed, NULL);
	}
	return status == STATUS_OK ? feed_event(feed, &event, has_thread, result) : status;
}

/* The difference of two numbers that go backwards is no count. */
static enum status note_order(struct feed *feed, const bt_stream *stream)
{
	const char *name = bt_stream_get_name(stream);
	struct diag line = {""};
	enum status status;

	if (feed->is_order_told) {
		return STATUS_OK;
	}
	feed->is_order_told = true;
	status = diag_set(&line, STATUS_OK, FEED_ORDER_LINE, name ? name : "a stream");
	return status == STATUS_OK ? analyzer_add_unreadable(feed->analyzer, line.line) : status;
}

static enum status add_lost_events(struct feed *feed, const bt_message *message)
{
	const bt_stream_class *stream_class = bt_stream_borrow_class_const(
		bt_message_discarded_events_borrow_stream_const(message));
	struct analyzer_loss loss = {.kind = ANALYZER_LOST_EVENTS};

	if (bt_message_discarded_events_get_count(message, &loss.count) !=
		BT_PROPERTY_AVAILABILITY_AVAILABLE) {
		loss.count = 0;
	}
	if ((loss.count & EVENT_COUNT_MASK) > EVENT_COUNT_MASK / 2) {
		return note_order(feed, bt_message_discarded_events_borrow_stream_const(message));
	}
	if (bt_stream_class_discarded_events_have_default_clock_snapshots(stream_class)) {
		loss.has_range = true;
		loss.begin_ns = decoder_time_ns(feed->decoder,
			bt_message_discarded_events_borrow_beginning_default_clock_snapshot_const(
				message));
		loss.end_ns = decoder_time_ns(feed->decoder,
			bt_message_discarded_events_borrow_end_default_clock_snapshot_const(
				message));
	}
	return analyzer_add_loss(feed->analyzer, &loss);
}

static enum status add_lost_packets(struct feed *feed, const bt_message *message)
{
	const bt_stream_class *stream_class = bt_stream_borrow_class_const(
		bt_message_discarded_packets_borrow_stream_const(message));
	struct analyzer_loss loss = {.kind = ANALYZER_LOST_PACKETS};

	if (bt_message_discarded_packets_get_count(message, &loss.count) !=
		BT_PROPERTY_AVAILABILITY_AVAILABLE) {
		loss.count = 0;
	}
	if (loss.count > INT64_MAX) {
		return note_order(feed, bt_message_discarded_packets_borrow_stream_const(message));
	}
	if (bt_stream_class_discarded_packets_have_default_clock_snapshots(stream_class)) {
		loss.has_range = true;
		loss.begin_ns = decoder_time_ns(feed->decoder,
			bt_message_discarded_packets_borrow_beginning_default_clock_snapshot_const(
				message));
		loss.end_ns = decoder_time_ns(feed->decoder,
			bt_message_discarded_packets_borrow_end_default_clock_snapshot_const(
				message));
	}
	return analyzer_add_loss(feed->analyzer, &loss);
}

static enum status add(struct feed *feed, const bt_message *message, const uint64_t *time_ns)
{
	switch ((int)bt_message_get_type(message)) {
	case BT_MESSAGE_TYPE_EVENT:
		return add_event(feed, message, time_ns);
	case BT_MESSAGE_TYPE_DISCARDED_EVENTS:
		return add_lost_events(feed, message);
	case BT_MESSAGE_TYPE_DISCARDED_PACKETS:
		return add_lost_packets(feed, message);
	default:
		return STATUS_OK;
	}
}

enum status feed_message(struct feed *feed, const bt_message *message)
{
	const enum status status = cover_note(&feed->cover, message);

	return status == STATUS_OK ? add(feed, message, NULL) : status;
}

enum status feed_message_at(struct feed *feed, const bt_message *message, uint64_t time_ns)
{
	return add(feed, message, &time_ns);
}

void feed_finish(struct feed *feed)
{
	cover_finish(&feed->cover);
	lacks_finish(&feed->lacks);
	decoder_destroy(feed->decoder);
	*feed = (struct feed){0};
}
