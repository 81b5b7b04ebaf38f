/* SPDX-License-Identifier: MIT */
/*
 * filter.gaptrace.gaps: reads a recording and emits, instead of it, one event for each gap of at
 * least the threshold, each kernel gap followed by its parts, as soon as they are final.
 */
#pragma once

#include <babeltrace2/babeltrace.h>

bt_component_class_initialize_method_status filter_gaps_init(bt_self_component_filter *self,
	bt_self_component_filter_configuration *configuration, const bt_value *params, void *data);
void filter_gaps_finalize(bt_self_component_filter *self);

bt_message_iterator_class_initialize_method_status filter_gaps_iterator_init(
	bt_self_message_iterator *self, bt_self_message_iterator_configuration *configuration,
	bt_self_component_port_output *port);
bt_message_iterator_class_next_method_status filter_gaps_next(bt_self_message_iterator *self,
	bt_message_array_const messages, uint64_t capacity, uint64_t *out_count);
void filter_gaps_iterator_finalize(bt_self_message_iterator *self);
