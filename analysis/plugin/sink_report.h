/* SPDX-License-Identifier: MIT */
/* sink.gaptrace.report: reads a whole recording and writes the report at its end. */
#pragma once

#include <babeltrace2/babeltrace.h>

bt_component_class_initialize_method_status sink_report_init(bt_self_component_sink *self,
	bt_self_component_sink_configuration *configuration, const bt_value *params, void *data);
bt_component_class_sink_graph_is_configured_method_status sink_report_graph_is_configured(
	bt_self_component_sink *self);
bt_component_class_sink_consume_method_status sink_report_consume(bt_self_component_sink *self);
void sink_report_finalize(bt_self_component_sink *self);
