/* SPDX-License-Identifier: MIT */
#include "analysis/plugin/sink_streams.h"

#include "analysis/plugin/merge.h"
#include "analysis/plugin/trial.h"

#include <stdio.h>
#include <stdlib.h>

#define PORT_NAME_BYTES 32

struct sink {
	struct sink_streams *streams;
	struct merge *merge;
};

static struct sink *sink_of(bt_self_component_sink *self)
{
	return bt_self_component_get_data(bt_self_component_sink_as_self_component(self));
}

static bt_component_class_initialize_method_status init(bt_self_component_sink *self,
	bt_self_component_sink_configuration *configuration, const bt_value *params, void *data)
{
	struct sink_streams *streams = data;
	struct sink *sink;

	(void)configuration;
	(void)params;
	/* Made before anything is connected: connect() in graph.c counts through them. */
	for (uint64_t i = 0; i < streams->input_count; i++) {
		char name[PORT_NAME_BYTES];

		(void)snprintf(name, sizeof(name), "in%llu", (unsigned long long)i);
		if (bt_self_component_sink_add_input_port(self, name, NULL, NULL) !=
			BT_SELF_COMPONENT_ADD_PORT_STATUS_OK) {
			return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_MEMORY_ERROR;
		}
	}
	sink = calloc(1, sizeof(*sink));
	if (!sink || merge_create(streams->feed, &streams->files, streams->input_count,
			     &sink->merge) != STATUS_OK) {
		free(sink);
		return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_MEMORY_ERROR;
	}
	sink->streams = streams;
	bt_self_component_set_data(bt_self_component_sink_as_self_component(self), sink);
	return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_OK;
}

static bt_component_class_sink_graph_is_configured_method_status configure(
	bt_self_component_sink *self)
{
	struct sink *sink = sink_of(self);

	for (uint64_t i = 0; i < sink->streams->input_count; i++) {
		bt_message_iterator *iterator = NULL;

		if (bt_message_iterator_create_from_sink_component(self,
			    bt_self_component_sink_borrow_input_port_by_index(self, i),
			    &iterator) !=
			BT_MESSAGE_ITERATOR_CREATE_FROM_SINK_COMPONENT_STATUS_OK) {
			return BT_COMPONENT_CLASS_SINK_GRAPH_IS_CONFIGURED_METHOD_STATUS_ERROR;
		}
		merge_add(sink->merge, iterator);
	}
	return BT_COMPONENT_CLASS_SINK_GRAPH_IS_CONFIGURED_METHOD_STATUS_OK;
}

static void tell_reason(struct sink *sink)
{
	struct diag *reason = &sink->streams->reason;
	const char *name = merge_failed_name(sink->merge);
	char text[TRIAL_REASON_BYTES];

	if (name) {
		trial_take_reason(text);
		(void)snprintf(reason->line, sizeof(reason->line), "%s: %s", name, text);
	} else {
		(void)snprintf(reason->line, sizeof(reason->line), "%s", merge_reason(sink->merge));
	}
}

static bt_component_class_sink_consume_method_status consume(bt_self_component_sink *self)
{
	struct sink *sink = sink_of(self);
	const bt_component_class_sink_consume_method_status status = merge_consume(sink->merge);

	/* The graph itself only says that something failed. */
	sink->streams->status = merge_status(sink->merge);
	if (status == BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_ERROR) {
		tell_reason(sink);
	}
	return status;
}

static void finalize(bt_self_component_sink *self)
{
	struct sink *sink = sink_of(self);

	if (sink) {
		merge_destroy(sink->merge);
		free(sink);
	}
}

enum status sink_streams_add(
	struct sink_streams *streams, bt_graph *graph, const bt_component_sink **out_sink)
{
	bt_component_class_sink *class = bt_component_class_sink_create("streams", consume);
	enum status status = STATUS_NO_MEMORY;

	streams->status = STATUS_OK;
	if (class &&
		bt_component_class_sink_set_initialize_method(class, init) ==
			BT_COMPONENT_CLASS_SET_METHOD_STATUS_OK &&
		bt_component_class_sink_set_graph_is_configured_method(class, configure) ==
			BT_COMPONENT_CLASS_SET_METHOD_STATUS_OK &&
		bt_component_class_sink_set_finalize_method(class, finalize) ==
			BT_COMPONENT_CLASS_SET_METHOD_STATUS_OK &&
		bt_graph_add_sink_component_with_initialize_method_data(graph, class, "report",
			NULL, streams, BT_LOGGING_LEVEL_NONE,
			out_sink) == BT_GRAPH_ADD_COMPONENT_STATUS_OK) {
		status = STATUS_OK;
	}
	bt_component_class_sink_put_ref(class);
	return status;
}
