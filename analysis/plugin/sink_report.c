/* SPDX-License-Identifier: MIT */
#include "analysis/plugin/sink_report.h"

#include "analysis/plugin/feed.h"
#include "analysis/plugin/parameters.h"
#include "analysis/report/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SINK_PORT "in"

#define APPEND_CAUSE(self, ...)                                                                    \
	(void)bt_current_thread_error_append_cause_from_component(                                 \
		bt_self_component_sink_as_self_component(self), __FILE__, __LINE__, __VA_ARGS__)

struct sink_report {
	struct report_data *report;
	struct feed feed;
	const struct report_format *format;
	char *path; /* NULL: standard output */
	bt_message_iterator *iterator;
};

static void destroy(struct sink_report *sink)
{
	if (!sink) {
		return;
	}
	bt_message_iterator_put_ref(sink->iterator);
	feed_finish(&sink->feed);
	report_data_destroy(sink->report);
	free(sink->path);
	free(sink);
}
DEFINE_AUTO(struct sink_report, destroy)

static enum status create(const bt_value *params, struct diag *diag, struct sink_report **out_sink)
{
	AUTO(destroy) struct sink_report *sink = calloc(1, sizeof(*sink));
	uint64_t threshold_ns = ANALYZER_THRESHOLD_DEFAULT_NS;
	const char *format = "text";
	const char *path = NULL;
	const char *work = "partition";
	struct work_unit unit;
	const struct parameter table[] = {
		{.name = "format", .string = &format},
		{.name = "path", .string = &path},
		{.name = "threshold", .duration_ns = &threshold_ns},
		{.name = "work", .string = &work},
	};
	enum status status = parameters_read(params, table, sizeof(table) / sizeof(table[0]), diag);

	if (status != STATUS_OK) {
		return status;
	}
	if (!sink) {
		return STATUS_NO_MEMORY;
	}
	sink->format = report_format_find(format);
	if (!sink->format) {
		return diag_set(diag, STATUS_BAD_USE,
			"`format`: '%s' is none; there are text and json", format);
	}
	status = work_unit_parse(work, &unit, diag);
	if (status != STATUS_OK) {
		return status;
	}
	if (path) {
		sink->path = strdup(path);
		if (!sink->path) {
			return STATUS_NO_MEMORY;
		}
	}
	status = report_data_create(threshold_ns, &sink->report);
	if (status == STATUS_OK) {
		report_data_set_work(sink->report, &unit);
		status = feed_init(&sink->feed, sink->report->analyzer);
	}
	if (status == STATUS_OK) {
		*out_sink = MOVE(sink);
	}
	return status;
}

bt_component_class_initialize_method_status sink_report_init(bt_self_component_sink *self,
	bt_self_component_sink_configuration *configuration, const bt_value *params, void *data)
{
	AUTO(destroy) struct sink_report *sink = NULL;
	struct diag diag = {""};
	const enum status status = create(params, &diag, &sink);

	(void)configuration;
	(void)data;
	if (status == STATUS_NO_MEMORY) {
		return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_MEMORY_ERROR;
	}
	if (status != STATUS_OK) {
		APPEND_CAUSE(self, "%s", diag.line);
		return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_ERROR;
	}
	if (bt_self_component_sink_add_input_port(self, SINK_PORT, NULL, NULL) !=
		BT_SELF_COMPONENT_ADD_PORT_STATUS_OK) {
		return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_ERROR;
	}
	bt_self_component_set_data(bt_self_component_sink_as_self_component(self), MOVE(sink));
	return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_OK;
}

static struct sink_report *sink_of(bt_self_component_sink *self)
{
	return bt_self_component_get_data(bt_self_component_sink_as_self_component(self));
}

bt_component_class_sink_graph_is_configured_method_status sink_report_graph_is_configured(
	bt_self_component_sink *self)
{
	struct sink_report *sink = sink_of(self);
	bt_self_component_port_input *port =
		bt_self_component_sink_borrow_input_port_by_name(self, SINK_PORT);

	if (!bt_port_is_connected(bt_port_input_as_port_const(
		    bt_self_component_port_input_as_port_input(port)))) {
		APPEND_CAUSE(self, "the port `" SINK_PORT "` is not connected to anything");
		return BT_COMPONENT_CLASS_SINK_GRAPH_IS_CONFIGURED_METHOD_STATUS_ERROR;
	}
	if (bt_message_iterator_create_from_sink_component(self, port, &sink->iterator) !=
		BT_MESSAGE_ITERATOR_CREATE_FROM_SINK_COMPONENT_STATUS_OK) {
		APPEND_CAUSE(self, "cannot read from the port `" SINK_PORT "`");
		return BT_COMPONENT_CLASS_SINK_GRAPH_IS_CONFIGURED_METHOD_STATUS_ERROR;
	}
	return BT_COMPONENT_CLASS_SINK_GRAPH_IS_CONFIGURED_METHOD_STATUS_OK;
}

/* A report of nothing would look like a GPU that never idled. */
static enum status check_content(const struct feed *feed, struct diag *diag)
{
	if (feed->own_events > 0 || feed->derived_events == 0) {
		return STATUS_OK;
	}
	return diag_set(diag, STATUS_BAD_INPUT,
		"no gaptrace events of a recording, only %" PRIu64
		" that filter.gaptrace.gaps made of one: connect the recording itself",
		feed->derived_events);
}

static enum status end(struct sink_report *sink, struct diag *diag)
{
	enum status status = check_content(&sink->feed, diag);

	if (status == STATUS_OK) {
		status = report_data_end(sink->report);
	}
	return status == STATUS_OK ? report_write(sink->report, sink->format, sink->path, diag)
				   : status;
}

/* Upstream failed: the report still says what was read, and that it is not all. */
static bt_component_class_sink_consume_method_status end_early(
	bt_self_component_sink *self, struct sink_report *sink)
{
	struct diag diag = {""};
	enum status status = analyzer_add_unreadable(sink->report->analyzer,
		"reading stopped before the end: the recording is damaged from there on");

	if (status == STATUS_OK) {
		status = end(sink, &diag);
	}
	APPEND_CAUSE(self, "the recording could not be read to its end%s%s",
		status == STATUS_OK ? "" : "; ", diag.line);
	return BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_ERROR;
}

static bt_component_class_sink_consume_method_status fail(
	bt_self_component_sink *self, enum status status, const struct diag *diag)
{
	if (status == STATUS_NO_MEMORY) {
		return BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_MEMORY_ERROR;
	}
	APPEND_CAUSE(self, "%s", diag->line[0] ? diag->line : status_text(status));
	return BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_ERROR;
}

bt_component_class_sink_consume_method_status sink_report_consume(bt_self_component_sink *self)
{
	struct sink_report *sink = sink_of(self);
	bt_message_array_const messages = NULL;
	struct diag diag = {""};
	enum status status = STATUS_OK;
	uint64_t count = 0;

	switch ((int)bt_message_iterator_next(sink->iterator, &messages, &count)) {
	case BT_MESSAGE_ITERATOR_NEXT_STATUS_OK:
		break;
	case BT_MESSAGE_ITERATOR_NEXT_STATUS_AGAIN:
		return BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_AGAIN;
	case BT_MESSAGE_ITERATOR_NEXT_STATUS_END:
		status = end(sink, &diag);
		return status == STATUS_OK ? BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_END
					   : fail(self, status, &diag);
	case BT_MESSAGE_ITERATOR_NEXT_STATUS_MEMORY_ERROR:
		return BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_MEMORY_ERROR;
	default:
		return end_early(self, sink);
	}
	for (uint64_t i = 0; i < count; i++) {
		if (status == STATUS_OK) {
			status = feed_message(&sink->feed, messages[i]);
		}
		bt_message_put_ref(messages[i]);
	}
	return status == STATUS_OK ? BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_OK
				   : fail(self, status, &diag);
}

void sink_report_finalize(bt_self_component_sink *self)
{
	destroy(sink_of(self));
}
