/* SPDX-License-Identifier: MIT */
#include "analysis/plugin/source_import.h"

#include "analysis/import/import_files.h"
#include "analysis/import/import_format.h"
#include "analysis/plugin/import_trace.h"

#include <stdlib.h>
#include <string.h>

/* How sure we are that a file that we recognise is ours: the weight of babeltrace2's own formats.
 */
#define RECOGNISED_WEIGHT 0.75

struct source_import {
	const struct import_format *format;
	const bt_value *inputs; /* a reference to the array of paths */
	struct import_set *set; /* opened when the component was made; for the first iterator */
};

struct source_iterator {
	struct import_set *set;
	struct import_trace trace;
	bool has_begun;
	bool has_ended;
	enum status failure; /* told once the messages before it were taken */
	struct diag diag;
};

static void source_destroy(struct source_import *source)
{
	if (source) {
		import_set_destroy(source->set);
		bt_value_put_ref(source->inputs);
		free(source);
	}
}
DEFINE_AUTO(struct source_import, source_destroy)

static bt_value_map_foreach_entry_const_func_status find_unknown(
	const char *name, const bt_value *value, void *context)
{
	const char **unknown = context;

	(void)value;
	if (strcmp(name, "inputs") != 0) {
		*unknown = name;
	}
	return BT_VALUE_MAP_FOREACH_ENTRY_CONST_FUNC_STATUS_OK;
}

/* Gives a reference to the array of paths. */
static enum status read_params(
	const bt_value *params, struct diag *diag, const bt_value **out_inputs)
{
	const bt_value *inputs = bt_value_map_borrow_entry_value_const(params, "inputs");
	const char *unknown = NULL;

	(void)bt_value_map_foreach_entry_const(params, find_unknown, &unknown);
	if (unknown) {
		return diag_set(diag, STATUS_BAD_USE, "there is no parameter `%s`", unknown);
	}
	if (!inputs || !bt_value_is_array(inputs) || bt_value_array_get_length(inputs) == 0) {
		return diag_set(diag, STATUS_BAD_USE,
			"`inputs` must be an array of paths, such as inputs=[\"run.sqlite\"]");
	}
	for (uint64_t i = 0; i < bt_value_array_get_length(inputs); i++) {
		if (!bt_value_is_string(bt_value_array_borrow_element_by_index_const(inputs, i))) {
			return diag_set(diag, STATUS_BAD_USE, "`inputs`: a path must be a string");
		}
	}
	bt_value_get_ref(inputs);
	*out_inputs = inputs;
	return STATUS_OK;
}

static enum status open_set(
	const struct source_import *source, struct diag *diag, struct import_set **out_set)
{
	const uint64_t count = bt_value_array_get_length(source->inputs);
	const char **paths = calloc(count, sizeof(*paths));
	enum status status = STATUS_NO_MEMORY;

	for (uint64_t i = 0; paths && i < count; i++) {
		paths[i] = bt_value_string_get(
			bt_value_array_borrow_element_by_index_const(source->inputs, i));
	}
	if (paths) {
		status = import_files_open(paths, count, source->format, diag, out_set);
	}
	free(paths);
	return status;
}

static enum status create(const char *format, const bt_value *params, struct diag *diag,
	struct source_import **out_source)
{
	AUTO(source_destroy) struct source_import *source = calloc(1, sizeof(*source));
	enum status status;

	if (!source) {
		return STATUS_NO_MEMORY;
	}
	source->format = import_format_find(format);
	if (!source->format) {
		return diag_set(diag, STATUS_UNSUPPORTED, "built without a reader of %s", format);
	}
	status = read_params(params, diag, &source->inputs);
	if (status == STATUS_OK) {
		status = open_set(source, diag, &source->set);
	}
	if (status == STATUS_OK) {
		*out_source = MOVE(source);
	}
	return status;
}

static bt_component_class_initialize_method_status init(
	bt_self_component_source *self, const char *format, const bt_value *params)
{
	bt_self_component *component = bt_self_component_source_as_self_component(self);
	AUTO(source_destroy) struct source_import *source = NULL;
	struct diag diag = {""};
	const enum status status = create(format, params, &diag, &source);

	if (status == STATUS_NO_MEMORY) {
		return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_MEMORY_ERROR;
	}
	if (status != STATUS_OK) {
		(void)bt_current_thread_error_append_cause_from_component(component, __FILE__,
			__LINE__, "%s", diag.line[0] ? diag.line : status_text(status));
		return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_ERROR;
	}
	if (bt_self_component_source_add_output_port(self, "out", NULL, NULL) !=
		BT_SELF_COMPONENT_ADD_PORT_STATUS_OK) {
		return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_ERROR;
	}
	bt_self_component_set_data(component, MOVE(source));
	return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_OK;
}

/* Whether a file that babeltrace2 was given without a word is of this format. */
static bool is_supported(const char *format, const bt_value *params)
{
	const bt_value *type = bt_value_map_borrow_entry_value_const(params, "type");
	const bt_value *input = bt_value_map_borrow_entry_value_const(params, "input");
	const struct import_format *found = NULL;
	struct diag diag = {""};

	return type && input && bt_value_is_string(type) && bt_value_is_string(input) &&
	       strcmp(bt_value_string_get(type), "file") == 0 &&
	       import_format_recognise(bt_value_string_get(input), &diag, &found) == STATUS_OK &&
	       strcmp(found->name, format) == 0;
}

static bt_component_class_query_method_status query(
	const char *format, const char *object, const bt_value *params, const bt_value **out_result)
{
	bt_value *result;

	if (strcmp(object, "babeltrace.support-info") != 0) {
		return BT_COMPONENT_CLASS_QUERY_METHOD_STATUS_UNKNOWN_OBJECT;
	}
	if (!is_supported(format, params)) {
		*out_result = bt_value_real_create_init(0.0);
		return *out_result ? BT_COMPONENT_CLASS_QUERY_METHOD_STATUS_OK
				   : BT_COMPONENT_CLASS_QUERY_METHOD_STATUS_MEMORY_ERROR;
	}
	/* Files of one group go into one component: they are of one job. */
	result = bt_value_map_create();
	if (!result ||
		bt_value_map_insert_real_entry(result, "weight", RECOGNISED_WEIGHT) !=
			BT_VALUE_MAP_INSERT_ENTRY_STATUS_OK ||
		bt_value_map_insert_string_entry(result, "group", format) !=
			BT_VALUE_MAP_INSERT_ENTRY_STATUS_OK) {
		bt_value_put_ref(result);
		return BT_COMPONENT_CLASS_QUERY_METHOD_STATUS_MEMORY_ERROR;
	}
	*out_result = result;
	return BT_COMPONENT_CLASS_QUERY_METHOD_STATUS_OK;
}

#define DEFINE_METHODS(class, name)                                                                \
	bt_component_class_initialize_method_status source_import_init_##class(                    \
		bt_self_component_source * self,                                                   \
		bt_self_component_source_configuration * configuration, const bt_value *params,    \
		void *data)                                                                        \
	{                                                                                          \
		(void)configuration;                                                               \
		(void)data;                                                                        \
		return init(self, name, params);                                                   \
	}                                                                                          \
	bt_component_class_query_method_status source_import_query_##class(                        \
		bt_self_component_class_source * self, bt_private_query_executor * executor,       \
		const char *object, const bt_value *params, void *data,                            \
		const bt_value **out_result)                                                       \
	{                                                                                          \
		(void)self;                                                                        \
		(void)executor;                                                                    \
		(void)data;                                                                        \
		return query(name, object, params, out_result);                                    \
	}
DEFINE_METHODS(nsys, SOURCE_IMPORT_NSYS)
DEFINE_METHODS(kineto, SOURCE_IMPORT_KINETO)
DEFINE_METHODS(cuzk_log, SOURCE_IMPORT_CUZK_LOG)

void source_import_finalize(bt_self_component_source *self)
{
	source_destroy(
		bt_self_component_get_data(bt_self_component_source_as_self_component(self)));
}

static void iterator_destroy(struct source_iterator *iterator)
{
	if (iterator) {
		import_trace_finish(&iterator->trace);
		import_set_destroy(iterator->set);
		free(iterator);
	}
}
DEFINE_AUTO(struct source_iterator, iterator_destroy)

static enum status iterator_create(bt_self_message_iterator *self, struct source_import *source,
	struct diag *diag, struct source_iterator **out_iterator)
{
	AUTO(iterator_destroy) struct source_iterator *iterator = calloc(1, sizeof(*iterator));
	uint64_t epoch_ns = 0;
	enum status status = STATUS_OK;

	if (!iterator) {
		return STATUS_NO_MEMORY;
	}
	if (source->set) {
		iterator->set = MOVE(source->set);
	} else {
		status = open_set(source, diag, &iterator->set);
	}
	if (status == STATUS_OK) {
		const bool is_dated = import_set_epoch(iterator->set, &epoch_ns);

		status = import_trace_create(
			self, source->format->name, is_dated ? &epoch_ns : NULL, &iterator->trace);
	}
	if (status == STATUS_OK) {
		*out_iterator = MOVE(iterator);
	}
	return status;
}

bt_message_iterator_class_initialize_method_status source_import_iterator_init(
	bt_self_message_iterator *self, bt_self_message_iterator_configuration *configuration,
	bt_self_component_port_output *port)
{
	bt_self_component *component = bt_self_message_iterator_borrow_component(self);
	struct source_iterator *iterator = NULL;
	struct diag diag = {""};
	const enum status status =
		iterator_create(self, bt_self_component_get_data(component), &diag, &iterator);

	(void)configuration;
	(void)port;
	if (status == STATUS_NO_MEMORY) {
		return BT_MESSAGE_ITERATOR_CLASS_INITIALIZE_METHOD_STATUS_MEMORY_ERROR;
	}
	if (status != STATUS_OK) {
		(void)bt_current_thread_error_append_cause_from_message_iterator(self, __FILE__,
			__LINE__, "%s", diag.line[0] ? diag.line : status_text(status));
		return BT_MESSAGE_ITERATOR_CLASS_INITIALIZE_METHOD_STATUS_ERROR;
	}
	bt_self_message_iterator_set_data(self, iterator);
	return BT_MESSAGE_ITERATOR_CLASS_INITIALIZE_METHOD_STATUS_OK;
}

/* The next message: the stream's beginning, its events, its end; NULL after that. */
static enum status next_message(struct source_iterator *iterator, bt_message **out_message)
{
	const struct import_trace *trace = &iterator->trace;
	bool has_event = false;
	struct event event;
	enum status status;

	*out_message = NULL;
	if (iterator->has_ended) {
		return STATUS_OK;
	}
	if (!iterator->has_begun) {
		iterator->has_begun = true;
		*out_message = bt_message_stream_beginning_create(trace->iterator, trace->stream);
		return *out_message ? STATUS_OK : STATUS_NO_MEMORY;
	}
	status = import_set_next(iterator->set, &event, &has_event, &iterator->diag);
	if (status != STATUS_OK || has_event) {
		return status == STATUS_OK
			       ? import_trace_message(&iterator->trace, &event, out_message)
			       : status;
	}
	iterator->has_ended = true;
	*out_message = bt_message_stream_end_create(trace->iterator, trace->stream);
	return *out_message ? STATUS_OK : STATUS_NO_MEMORY;
}

static bt_message_iterator_class_next_method_status fail(
	bt_self_message_iterator *self, const struct source_iterator *iterator)
{
	if (iterator->failure == STATUS_NO_MEMORY) {
		return BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_MEMORY_ERROR;
	}
	(void)bt_current_thread_error_append_cause_from_message_iterator(self, __FILE__, __LINE__,
		"%s",
		iterator->diag.line[0] ? iterator->diag.line : status_text(iterator->failure));
	return BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_ERROR;
}

bt_message_iterator_class_next_method_status source_import_next(bt_self_message_iterator *self,
	bt_message_array_const messages, uint64_t capacity, uint64_t *out_count)
{
	struct source_iterator *iterator = bt_self_message_iterator_get_data(self);
	uint64_t count = 0;

	while (count < capacity && iterator->failure == STATUS_OK) {
		bt_message *message = NULL;

		iterator->failure = next_message(iterator, &message);
		if (!message) {
			break;
		}
		messages[count++] = message;
	}
	if (count == 0 && iterator->failure != STATUS_OK) {
		return fail(self, iterator);
	}
	*out_count = count;
	return count > 0 ? BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_OK
			 : BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_END;
}

void source_import_iterator_finalize(bt_self_message_iterator *self)
{
	iterator_destroy(bt_self_message_iterator_get_data(self));
}
