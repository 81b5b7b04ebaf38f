/* SPDX-License-Identifier: MIT */
/*
 * source.gaptrace.nsys, .kineto and .cuzk-log: files that other tools wrote as one stream of a
 * gaptrace recording's events. They differ in the format alone.
 */
#pragma once

#include <babeltrace2/babeltrace.h>

/* The names of the component classes, each that of its format. */
#define SOURCE_IMPORT_NSYS     "nsys"
#define SOURCE_IMPORT_KINETO   "kineto"
#define SOURCE_IMPORT_CUZK_LOG "cuzk-log"

#define SOURCE_IMPORT_METHODS(class)                                                               \
	bt_component_class_initialize_method_status source_import_init_##class(                    \
		bt_self_component_source * self,                                                   \
		bt_self_component_source_configuration * configuration, const bt_value *params,    \
		void *data);                                                                       \
	bt_component_class_query_method_status source_import_query_##class(                        \
		bt_self_component_class_source * self, bt_private_query_executor * executor,       \
		const char *object, const bt_value *params, void *data,                            \
		const bt_value **out_result);
SOURCE_IMPORT_METHODS(nsys)
SOURCE_IMPORT_METHODS(kineto)
SOURCE_IMPORT_METHODS(cuzk_log)

void source_import_finalize(bt_self_component_source *self);
bt_message_iterator_class_initialize_method_status source_import_iterator_init(
	bt_self_message_iterator *self, bt_self_message_iterator_configuration *configuration,
	bt_self_component_port_output *port);
bt_message_iterator_class_next_method_status source_import_next(bt_self_message_iterator *self,
	bt_message_array_const messages, uint64_t capacity, uint64_t *out_count);
void source_import_iterator_finalize(bt_self_message_iterator *self);
