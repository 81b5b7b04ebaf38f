/* SPDX-License-Identifier: MIT */
#include "analysis/plugin/filter_gaps.h"

#include "analysis/plugin/derived_trace.h"
#include "analysis/plugin/feed.h"
#include "analysis/plugin/parameters.h"

#include <stdlib.h>
#include <string.h>

struct filter_gaps {
	uint64_t threshold_ns;
	bt_self_component_port_input *port;
};

struct gaps_iterator {
	bt_self_message_iterator *self;
	bt_message_iterator *upstream;
	struct analyzer *analyzer;
	struct feed feed;
	struct derived_trace trace;
	bool has_trace;
	bool has_ended;
	const bt_message **queue; /* messages made and not yet taken, from `first` on */
	size_t first;
	size_t count;
	size_t capacity;
};

bt_component_class_initialize_method_status filter_gaps_init(bt_self_component_filter *self,
	bt_self_component_filter_configuration *configuration, const bt_value *params, void *data)
{
	bt_self_component *component = bt_self_component_filter_as_self_component(self);
	struct filter_gaps *filter = calloc(1, sizeof(*filter));
	struct diag diag = {""};

	(void)configuration;
	(void)data;
	if (!filter) {
		return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_MEMORY_ERROR;
	}
	filter->threshold_ns = ANALYZER_THRESHOLD_DEFAULT_NS;
	const struct parameter table[] = {
		{.name = "threshold", .duration_ns = &filter->threshold_ns}};

	if (parameters_read(params, table, 1, &diag) != STATUS_OK) {
		(void)bt_current_thread_error_append_cause_from_component(
			component, __FILE__, __LINE__, "%s", diag.line);
		free(filter);
		return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_ERROR;
	}
	if (bt_self_component_filter_add_input_port(self, "in", NULL, &filter->port) !=
			BT_SELF_COMPONENT_ADD_PORT_STATUS_OK ||
		bt_self_component_filter_add_output_port(self, "out", NULL, NULL) !=
			BT_SELF_COMPONENT_ADD_PORT_STATUS_OK) {
		free(filter);
		return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_ERROR;
	}
	bt_self_component_set_data(component, filter);
	return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_OK;
}

void filter_gaps_finalize(bt_self_component_filter *self)
{
	free(bt_self_component_get_data(bt_self_component_filter_as_self_component(self)));
}

static void iterator_destroy(struct gaps_iterator *iterator)
{
	if (!iterator) {
		return;
	}
	for (size_t i = 0; i < iterator->count; i++) {
		bt_message_put_ref(iterator->queue[iterator->first + i]);
	}
	free((void *)iterator->queue);
	derived_trace_finish(&iterator->trace);
	feed_finish(&iterator->feed);
	analyzer_destroy(iterator->analyzer);
	bt_message_iterator_put_ref(iterator->upstream);
	free(iterator);
}
DEFINE_AUTO(struct gaps_iterator, iterator_destroy)

/* Takes the message, on failure too: a message in hand has no other use. */
static enum status enqueue(struct gaps_iterator *iterator, const bt_message *message)
{
	if (!message) {
		return STATUS_NO_MEMORY;
	}
	if (iterator->first + iterator->count == iterator->capacity) {
		const size_t capacity = iterator->capacity ? iterator->capacity * 2 : 64;
		const bt_message **queue =
			reallocarray((void *)iterator->queue, capacity, sizeof(const bt_message *));

		if (!queue) {
			bt_message_put_ref(message);
			return STATUS_NO_MEMORY;
		}
		iterator->queue = queue;
		iterator->capacity = capacity;
	}
	iterator->queue[iterator->first + iterator->count++] = message;
	return STATUS_OK;
}

/* The derived trace begins with its first gap, when the recording's clock is known. */
static enum status begin_trace(struct gaps_iterator *iterator)
{
	enum status status;

	if (iterator->has_trace) {
		return STATUS_OK;
	}
	status = derived_trace_create(iterator->self, decoder_clock_class(iterator->feed.decoder),
		analyzer_walk(iterator->analyzer), &iterator->trace);
	if (status != STATUS_OK) {
		return status;
	}
	iterator->has_trace = true;
	return enqueue(iterator,
		bt_message_stream_beginning_create(iterator->self, iterator->trace.stream));
}

static enum status on_gap(void *context, enum sweep_layer layer, const struct gap *gap,
	const struct gap_part_list *parts)
{
	struct gaps_iterator *iterator = context;
	const struct timeline *timeline = analyzer_timeline(iterator->analyzer);
	const struct derived_gap derived = {
		.device = timeline_device(timeline, gap->device),
		.layer = layer,
		.gap = gap,
		.part_count = parts ? parts->count : 0,
	};
	/* A gap becomes known after it ended: its event carries the time of that moment. */
	const uint64_t now_ns = timeline_window(timeline)->last_event_ns;
	bt_message *message = NULL;
	enum status status;

	if (gap->end_ns - gap->begin_ns < analyzer_threshold_ns(iterator->analyzer)) {
		return STATUS_OK;
	}
	status = begin_trace(iterator);
	if (status == STATUS_OK) {
		status = derived_trace_gap(&iterator->trace, now_ns, &derived, &message);
	}
	if (status == STATUS_OK) {
		status = enqueue(iterator, message);
	}
	for (uint32_t i = 0; parts && i < parts->count && status == STATUS_OK; i++) {
		status = derived_trace_part(
			&iterator->trace, now_ns, &derived, &parts->parts[i], &message);
		if (status == STATUS_OK) {
			status = enqueue(iterator, message);
		}
	}
	return status;
}

bt_message_iterator_class_initialize_method_status filter_gaps_iterator_init(
	bt_self_message_iterator *self, bt_self_message_iterator_configuration *configuration,
	bt_self_component_port_output *port)
{
	bt_self_component *component = bt_self_message_iterator_borrow_component(self);
	const struct filter_gaps *filter = bt_self_component_get_data(component);
	AUTO(iterator_destroy) struct gaps_iterator *iterator = calloc(1, sizeof(*iterator));
	struct analyzer_listener listener = {.gap = on_gap};
	enum status status;

	(void)configuration;
	(void)port;
	if (!iterator) {
		return BT_MESSAGE_ITERATOR_CLASS_INITIALIZE_METHOD_STATUS_MEMORY_ERROR;
	}
	iterator->self = self;
	listener.context = iterator;
	status = analyzer_create(filter->threshold_ns, &listener, &iterator->analyzer);
	if (status == STATUS_OK) {
		status = feed_init(&iterator->feed, iterator->analyzer);
	}
	if (status != STATUS_OK) {
		return BT_MESSAGE_ITERATOR_CLASS_INITIALIZE_METHOD_STATUS_MEMORY_ERROR;
	}
	if (bt_message_iterator_create_from_message_iterator(
		    self, filter->port, &iterator->upstream) !=
		BT_MESSAGE_ITERATOR_CREATE_FROM_MESSAGE_ITERATOR_STATUS_OK) {
		return BT_MESSAGE_ITERATOR_CLASS_INITIALIZE_METHOD_STATUS_ERROR;
	}
	bt_self_message_iterator_set_data(self, MOVE(iterator));
	return BT_MESSAGE_ITERATOR_CLASS_INITIALIZE_METHOD_STATUS_OK;
}

static enum status end(struct gaps_iterator *iterator)
{
	enum status status = analyzer_end(iterator->analyzer);

	iterator->has_ended = true;
	if (status == STATUS_OK && iterator->has_trace) {
		status = enqueue(iterator,
			bt_message_stream_end_create(iterator->self, iterator->trace.stream));
	}
	return status;
}

static bt_message_iterator_class_next_method_status fail(
	bt_self_message_iterator *self, enum status status)
{
	if (status == STATUS_NO_MEMORY) {
		return BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_MEMORY_ERROR;
	}
	(void)bt_current_thread_error_append_cause_from_message_iterator(
		self, __FILE__, __LINE__, "%s", status_text(status));
	return BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_ERROR;
}

/* Takes the messages of one batch; all of them, on failure too. */
static enum status take_batch(
	struct gaps_iterator *iterator, bt_message_array_const messages, uint64_t count)
{
	enum status status = STATUS_OK;

	for (uint64_t i = 0; i < count; i++) {
		if (status == STATUS_OK) {
			status = feed_message(&iterator->feed, messages[i]);
		}
		bt_message_put_ref(messages[i]);
	}
	return status;
}

/* Reads one batch from upstream. */
static bt_message_iterator_class_next_method_status pull_batch(struct gaps_iterator *iterator)
{
	bt_message_array_const messages = NULL;
	enum status status;
	uint64_t count = 0;

	switch ((int)bt_message_iterator_next(iterator->upstream, &messages, &count)) {
	case BT_MESSAGE_ITERATOR_NEXT_STATUS_OK:
		status = take_batch(iterator, messages, count);
		break;
	case BT_MESSAGE_ITERATOR_NEXT_STATUS_END:
		status = end(iterator);
		break;
	case BT_MESSAGE_ITERATOR_NEXT_STATUS_AGAIN:
		return BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_AGAIN;
	case BT_MESSAGE_ITERATOR_NEXT_STATUS_MEMORY_ERROR:
		return BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_MEMORY_ERROR;
	default:
		(void)bt_current_thread_error_append_cause_from_message_iterator(iterator->self,
			__FILE__, __LINE__, "the recording could not be read to its end");
		return BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_ERROR;
	}
	return status == STATUS_OK ? BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_OK
				   : fail(iterator->self, status);
}

/* Reads upstream until there is something to hand on, or nothing more for now. */
static bt_message_iterator_class_next_method_status pull(struct gaps_iterator *iterator)
{
	bt_message_iterator_class_next_method_status status =
		BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_OK;

	while (iterator->count == 0 && status == BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_OK) {
		status = iterator->has_ended ? BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_END
					     : pull_batch(iterator);
	}
	return status;
}

bt_message_iterator_class_next_method_status filter_gaps_next(bt_self_message_iterator *self,
	bt_message_array_const messages, uint64_t capacity, uint64_t *out_count)
{
	struct gaps_iterator *iterator = bt_self_message_iterator_get_data(self);
	const bt_message_iterator_class_next_method_status status = pull(iterator);
	uint64_t taken = 0;

	if (status != BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_OK) {
		return status;
	}
	while (taken < capacity && iterator->count > 0) {
		messages[taken++] = iterator->queue[iterator->first++];
		iterator->count--;
	}
	if (iterator->count == 0) {
		iterator->first = 0;
	}
	*out_count = taken;
	return BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_OK;
}

void filter_gaps_iterator_finalize(bt_self_message_iterator *self)
{
	iterator_destroy(bt_self_message_iterator_get_data(self));
}
