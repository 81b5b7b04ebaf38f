/* SPDX-License-Identifier: MIT */
#include "analysis/plugin/merge.h"

#include "analysis/core/merge_heap.h"
#include "analysis/plugin/plain_stream.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* So many messages between two looks at whether the graph shall stop. */
#define CONSUME_MESSAGES 1024

#define UUID_BYTES 16

struct merge_input {
	struct plain_stream *plain;      /* read instead of the iterator; NULL: not plain */
	bt_message_iterator *iterator;   /* NULL: it has ended, or is not needed */
	bt_message_array_const messages; /* those from `next` on are ours to release */
	uint64_t next;
	uint64_t count;
	const bt_stream *stream; /* a reference; NULL before it has begun */
	bool has_clock;
	size_t clock;    /* of the decoder */
	bool is_waiting; /* its next message is not known yet */
	bool is_entered; /* a message of it was fed */
};

struct merge {
	struct feed *feed;
	const struct plain_files *files; /* borrowed */
	struct merge_input *inputs;
	size_t input_count;
	size_t waiting_count;
	struct merge_heap heap;
	bool is_started;
	uint64_t now_ns; /* of the message fed last */
	enum status status;
	struct diag diag;        /* why a plain stream failed */
	const bt_stream *failed; /* whose iterator did; borrowed */
};

/* What became of an input that was asked for its next message. */
enum head_result {
	HEAD_KNOWN,
	HEAD_AGAIN,
	HEAD_END,
	HEAD_NO_MEMORY,
	HEAD_ERROR
};

enum status merge_create(struct feed *feed, const struct plain_files *files,
	uint64_t input_count_max, struct merge **out_merge)
{
	AUTO(merge_destroy) struct merge *merge = calloc(1, sizeof(*merge));

	if (!merge) {
		return STATUS_NO_MEMORY;
	}
	merge->feed = feed;
	merge->files = files;
	merge->inputs = calloc(input_count_max + 1, sizeof(*merge->inputs));
	merge->heap.heads = calloc(input_count_max + 1, sizeof(*merge->heap.heads));
	if (!merge->inputs || !merge->heap.heads) {
		return STATUS_NO_MEMORY;
	}
	*out_merge = MOVE(merge);
	return STATUS_OK;
}

void merge_add(struct merge *merge, bt_message_iterator *iterator)
{
	assert(!merge->is_started);
	merge->inputs[merge->input_count++] =
		(struct merge_input){.iterator = iterator, .is_waiting = true};
	merge->waiting_count++;
}

/* Each message that has a place in time, and no other, has something to feed or to wait for. */
static bool has_place(const bt_message *message)
{
	switch ((int)bt_message_get_type(message)) {
	case BT_MESSAGE_TYPE_EVENT:
	case BT_MESSAGE_TYPE_DISCARDED_EVENTS:
	case BT_MESSAGE_TYPE_DISCARDED_PACKETS:
	case BT_MESSAGE_TYPE_MESSAGE_ITERATOR_INACTIVITY:
		return true;
	default:
		return false;
	}
}

/* NULL when the message tells no time. */
static const bt_clock_snapshot *snapshot_of(
	const struct merge_input *input, const bt_message *message)
{
	const bt_stream_class *stream_class =
		input->stream ? bt_stream_borrow_class_const(input->stream) : NULL;

	switch ((int)bt_message_get_type(message)) {
	case BT_MESSAGE_TYPE_EVENT:
		return stream_class && bt_stream_class_borrow_default_clock_class_const(
					       stream_class)
			       ? bt_message_event_borrow_default_clock_snapshot_const(message)
			       : NULL;
	case BT_MESSAGE_TYPE_DISCARDED_EVENTS:
		return stream_class && bt_stream_class_discarded_events_have_default_clock_snapshots(
					       stream_class)
			       ? bt_message_discarded_events_borrow_beginning_default_clock_snapshot_const(
					 message)
			       : NULL;
	case BT_MESSAGE_TYPE_DISCARDED_PACKETS:
		return stream_class && bt_stream_class_discarded_packets_have_default_clock_snapshots(
					       stream_class)
			       ? bt_message_discarded_packets_borrow_beginning_default_clock_snapshot_const(
					 message)
			       : NULL;
	case BT_MESSAGE_TYPE_MESSAGE_ITERATOR_INACTIVITY:
		return bt_message_message_iterator_inactivity_borrow_clock_snapshot_const(message);
	default:
		return NULL;
	}
}

static enum status set_clock(struct merge *merge, struct merge_input *input)
{
	const bt_clock_class *clock_class =
		input->stream ? bt_stream_class_borrow_default_clock_class_const(
					bt_stream_borrow_class_const(input->stream))
			      : NULL;

	input->has_clock = clock_class != NULL;
	return clock_class ? decoder_clock(merge->feed->decoder, clock_class, &input->clock)
			   : STATUS_OK;
}

static enum status begin_stream(
	struct merge *merge, struct merge_input *input, const bt_message *message)
{
	bt_stream_put_ref(input->stream);
	input->stream = bt_message_stream_beginning_borrow_stream_const(message);
	bt_stream_get_ref(input->stream);
	return merge->is_started ? set_clock(merge, input) : STATUS_OK;
}

static enum head_result fetch(struct merge_input *input)
{
	input->next = 0;
	input->count = 0;
	switch ((int)bt_message_iterator_next(input->iterator, &input->messages, &input->count)) {
	case BT_MESSAGE_ITERATOR_NEXT_STATUS_OK:
		return HEAD_KNOWN;
	case BT_MESSAGE_ITERATOR_NEXT_STATUS_AGAIN:
		return HEAD_AGAIN;
	case BT_MESSAGE_ITERATOR_NEXT_STATUS_END:
		BT_MESSAGE_ITERATOR_PUT_REF_AND_RESET(input->iterator);
		return HEAD_END;
	case BT_MESSAGE_ITERATOR_NEXT_STATUS_MEMORY_ERROR:
		return HEAD_NO_MEMORY;
	default:
		return HEAD_ERROR;
	}
}

static enum head_result find_plain_head(struct merge *merge, struct merge_input *input)
{
	enum status status;

	switch (plain_stream_next(input->plain, &merge->diag)) {
	case PLAIN_EVENT:
		return HEAD_KNOWN;
	case PLAIN_END:
		status = cover_note_end(
			&merge->feed->cover, input->stream, plain_stream_end(input->plain));
		plain_stream_close(input->plain);
		input->plain = NULL;
		return status == STATUS_OK ? HEAD_END : HEAD_NO_MEMORY;
	case PLAIN_BROKEN:
		break;
	}
	return HEAD_ERROR;
}

/* Goes on to the next message that has a place in time. */
static enum head_result find_head(struct merge *merge, struct merge_input *input)
{
	enum head_result result = HEAD_KNOWN;

	if (input->plain) {
		return find_plain_head(merge, input);
	}

	while (result == HEAD_KNOWN) {
		const bt_message *message;

		if (input->next == input->count) {
			result = fetch(input);
			merge->failed = result == HEAD_ERROR ? input->stream : merge->failed;
			continue;
		}
		message = input->messages[input->next];
		if (has_place(message)) {
			return HEAD_KNOWN;
		}
		if ((bt_message_get_type(message) == BT_MESSAGE_TYPE_STREAM_BEGINNING &&
			    begin_stream(merge, input, message) != STATUS_OK) ||
			cover_note(&merge->feed->cover, message) != STATUS_OK) {
			return HEAD_NO_MEMORY;
		}
		bt_message_put_ref(message);
		input->next++;
	}
	return result;
}

/* The time of the message that find_head() found; one without a time comes at once. */
static uint64_t head_ns(const struct merge *merge, const struct merge_input *input)
{
	const bt_clock_snapshot *snapshot;
	const bt_message *message;

	if (input->plain) {
		return plain_stream_event(input->plain)->event.time_ns;
	}
	message = input->messages[input->next];
	if (input->has_clock && bt_message_get_type(message) == BT_MESSAGE_TYPE_EVENT) {
		snapshot = bt_message_event_borrow_default_clock_snapshot_const(message);
		return decoder_clock_ns(
			merge->feed->decoder, input->clock, bt_clock_snapshot_get_value(snapshot));
	}
	snapshot = snapshot_of(input, message);
	return snapshot ? decoder_time_ns(merge->feed->decoder, snapshot) : merge->now_ns;
}

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* Having one comes before having none. */
static int compare_presence(const void *a, const void *b)
{
	return (a == NULL) - (b == NULL);
}

static int compare_traces(const bt_trace *a, const bt_trace *b)
{
	bt_uuid a_uuid = bt_trace_get_uuid(a);
	bt_uuid b_uuid = bt_trace_get_uuid(b);
	const char *a_name = bt_trace_get_name(a);
	const char *b_name = bt_trace_get_name(b);
	int order = compare_presence(a_uuid, b_uuid);

	if (order == 0 && a_uuid) {
		order = memcmp(a_uuid, b_uuid, UUID_BYTES);
	}
	if (order == 0) {
		order = compare_presence(a_name, b_name);
	}
	if (order == 0 && a_name) {
		order = strcmp(a_name, b_name);
	}
	return order;
}

static int compare_inputs(const void *left, const void *right)
{
	const bt_stream *a = ((const struct merge_input *)left)->stream;
	const bt_stream *b = ((const struct merge_input *)right)->stream;
	int order = compare_presence(a, b);

	if (order == 0 && a) {
		order = compare_traces(
			bt_stream_borrow_trace_const(a), bt_stream_borrow_trace_const(b));
	}
	if (order == 0 && a) {
		order = compare_numbers(bt_stream_class_get_id(bt_stream_borrow_class_const(a)),
			bt_stream_class_get_id(bt_stream_borrow_class_const(b)));
	}
	if (order == 0 && a) {
		order = compare_numbers(bt_stream_get_id(a), bt_stream_get_id(b));
	}
	return order;
}

/* The decoder's clock is that of the earliest message, as it is behind a muxer. */
static void choose_clock(struct merge *merge)
{
	const bt_clock_snapshot *first = NULL;
	int64_t first_ns = INT64_MAX;

	for (size_t i = 0; i < merge->input_count; i++) {
		const struct merge_input *input = &merge->inputs[i];
		const bt_clock_snapshot *snapshot =
			input->iterator ? snapshot_of(input, input->messages[input->next]) : NULL;
		int64_t time_ns;

		if (snapshot &&
			bt_clock_snapshot_get_ns_from_origin(snapshot, &time_ns) ==
				BT_CLOCK_SNAPSHOT_GET_NS_FROM_ORIGIN_STATUS_OK &&
			(!first || time_ns < first_ns)) {
			first = snapshot;
			first_ns = time_ns;
		}
	}
	if (first) {
		(void)decoder_time_ns(merge->feed->decoder, first);
	}
}

static void let_go(struct merge_input *input)
{
	for (; input->next < input->count; input->next++) {
		bt_message_put_ref(input->messages[input->next]);
	}
	BT_MESSAGE_ITERATOR_PUT_REF_AND_RESET(input->iterator);
}

/* A plain stream is read without babeltrace2, from its beginning; nothing of it was fed yet. */
static enum head_result start_input(struct merge *merge, size_t i)
{
	struct merge_input *input = &merge->inputs[i];
	enum head_result result = HEAD_KNOWN;

	if (!input->iterator) {
		return HEAD_END;
	}
	if (set_clock(merge, input) != STATUS_OK ||
		(input->stream && plain_stream_open(merge->files, input->stream,
					  merge->feed->decoder, &input->plain) != STATUS_OK)) {
		return HEAD_NO_MEMORY;
	}
	if (input->plain) {
		let_go(input);
		result = find_head(merge, input);
	}
	if (result == HEAD_KNOWN) {
		merge_heap_add(&merge->heap,
			(struct merge_head){.time_ns = head_ns(merge, input), .input = i});
	}
	return result;
}

/* All inputs are known for the first time: their order of rank, and their clocks. */
static enum head_result start(struct merge *merge)
{
	merge->is_started = true;
	qsort(merge->inputs, merge->input_count, sizeof(*merge->inputs), compare_inputs);
	choose_clock(merge);
	for (size_t i = 0; i < merge->input_count; i++) {
		const enum head_result result = start_input(merge, i);

		if (result == HEAD_NO_MEMORY || result == HEAD_ERROR) {
			return result;
		}
	}
	return HEAD_KNOWN;
}

/* Asks all whose next message is not known. */
static enum head_result ask_waiting(struct merge *merge)
{
	enum head_result result = HEAD_KNOWN;

	for (size_t i = 0; i < merge->input_count && merge->waiting_count > 0; i++) {
		struct merge_input *input = &merge->inputs[i];

		if (!input->is_waiting) {
			continue;
		}
		result = find_head(merge, input);
		if (result == HEAD_NO_MEMORY || result == HEAD_ERROR) {
			return result;
		}
		if (result == HEAD_AGAIN) {
			continue;
		}
		input->is_waiting = false;
		merge->waiting_count--;
		if (result == HEAD_KNOWN && merge->is_started) {
			merge_heap_add(&merge->heap,
				(struct merge_head){.time_ns = head_ns(merge, input), .input = i});
		}
	}
	return merge->waiting_count > 0 ? HEAD_AGAIN : HEAD_KNOWN;
}

/* Feeds the earliest message and goes on in its input. */
static enum head_result feed_first(struct merge *merge)
{
	const struct merge_head head = merge->heap.heads[0];
	struct merge_input *input = &merge->inputs[head.input];
	enum head_result result;

	merge->now_ns = head.time_ns;
	if (!input->is_entered && input->stream) {
		input->is_entered = true;
		merge->status = feed_enter(merge->feed, input->stream);
	}
	if (merge->status != STATUS_OK) {
		return HEAD_ERROR;
	}
	if (input->plain) {
		const struct plain_event *plain = plain_stream_event(input->plain);

		merge->status =
			feed_event(merge->feed, &plain->event, plain->has_thread, plain->result);
	} else {
		const bt_message *message = input->messages[input->next++];

		merge->status = feed_message_at(merge->feed, message, head.time_ns);
		bt_message_put_ref(message);
	}
	if (merge->status != STATUS_OK) {
		return HEAD_ERROR;
	}
	result = find_head(merge, input);
	if (result == HEAD_KNOWN) {
		merge_heap_move_first(&merge->heap, head_ns(merge, input));
		return result;
	}
	merge_heap_remove_first(&merge->heap);
	if (result == HEAD_AGAIN) {
		input->is_waiting = true;
		merge->waiting_count++;
	}
	return result;
}

static bt_component_class_sink_consume_method_status status_of(enum head_result result)
{
	switch (result) {
	case HEAD_AGAIN:
		return BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_AGAIN;
	case HEAD_NO_MEMORY:
		return BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_MEMORY_ERROR;
	case HEAD_ERROR:
		return BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_ERROR;
	case HEAD_END:
	case HEAD_KNOWN:
		break;
	}
	return BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_OK;
}

bt_component_class_sink_consume_method_status merge_consume(struct merge *merge)
{
	enum head_result result = merge->waiting_count > 0 ? ask_waiting(merge) : HEAD_KNOWN;

	if (result == HEAD_KNOWN && !merge->is_started) {
		result = start(merge);
	}
	if (result != HEAD_KNOWN) {
		return status_of(result);
	}
	for (int i = 0; i < CONSUME_MESSAGES && merge->heap.count > 0; i++) {
		result = feed_first(merge);
		if (result == HEAD_AGAIN) {
			break;
		}
		if (result == HEAD_NO_MEMORY || result == HEAD_ERROR) {
			return status_of(result);
		}
	}
	return merge->heap.count > 0 || merge->waiting_count > 0
		       ? BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_OK
		       : BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_END;
}

enum status merge_status(const struct merge *merge)
{
	return merge->status;
}

const char *merge_reason(const struct merge *merge)
{
	return merge->diag.line;
}

const char *merge_failed_name(const struct merge *merge)
{
	return merge->failed ? bt_stream_get_name(merge->failed) : NULL;
}

void merge_destroy(struct merge *merge)
{
	if (!merge) {
		return;
	}
	for (size_t i = 0; i < merge->input_count; i++) {
		struct merge_input *input = &merge->inputs[i];

		let_go(input);
		plain_stream_close(input->plain);
		bt_stream_put_ref(input->stream);
	}
	free(merge->heap.heads);
	free(merge->inputs);
	free(merge);
}
