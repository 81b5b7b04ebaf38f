/* SPDX-License-Identifier: MIT */
#include "analysis/plugin/import_trace.h"

#include "analysis/core/event_fields.h"
#include "analysis/plugin/enum_labels.h"
#include "trace/base/clock.h"

#include <string.h>

static bt_clock_class *create_clock_class(bt_self_component *self, const uint64_t *epoch_ns)
{
	bt_clock_class *clock_class = bt_clock_class_create(self);

	if (!clock_class) {
		return NULL;
	}
	bt_clock_class_set_frequency(clock_class, NS_PER_S);
	/* Without a date the times can be compared with those of no other trace. */
	bt_clock_class_set_origin_is_unix_epoch(clock_class, epoch_ns != NULL);
	if (epoch_ns) {
		bt_clock_class_set_offset(
			clock_class, (int64_t)(*epoch_ns / NS_PER_S), *epoch_ns % NS_PER_S);
	}
	return clock_class;
}

static bt_field_class *create_enumeration(
	bt_trace_class *trace_class, const struct enum_label *labels)
{
	bt_field_class *field_class = bt_field_class_enumeration_unsigned_create(trace_class);

	for (; field_class && labels->label; labels++) {
		bt_integer_range_set_unsigned *range = bt_integer_range_set_unsigned_create();
		const bool is_good =
			range &&
			bt_integer_range_set_unsigned_add_range(range, labels->value,
				labels->value) == BT_INTEGER_RANGE_SET_ADD_RANGE_STATUS_OK &&
			bt_field_class_enumeration_unsigned_add_mapping(field_class, labels->label,
				range) == BT_FIELD_CLASS_ENUMERATION_ADD_MAPPING_STATUS_OK;

		bt_integer_range_set_unsigned_put_ref(range);
		if (!is_good) {
			bt_field_class_put_ref(field_class);
			return NULL;
		}
	}
	return field_class;
}

static bt_field_class *create_integer(bt_trace_class *trace_class, enum field_storage storage)
{
	bt_field_class *field_class;
	uint64_t bits = 64;

	switch (storage) {
	case FIELD_I32:
	case FIELD_TID:
	case FIELD_WORK:
		field_class = bt_field_class_integer_signed_create(trace_class);
		bits = 32;
		break;
	case FIELD_U32:
	case FIELD_BOOL:
		field_class = bt_field_class_integer_unsigned_create(trace_class);
		bits = storage == FIELD_BOOL ? 8 : 32;
		break;
	case FIELD_STATE:
		/* The kernel's is signed. */
		field_class = bt_field_class_integer_signed_create(trace_class);
		break;
	case FIELD_U64:
	case FIELD_DURATION:
	case FIELD_TIME:
	case FIELD_STRING:
	default:
		field_class = bt_field_class_integer_unsigned_create(trace_class);
		break;
	}
	if (field_class) {
		bt_field_class_integer_set_field_value_range(field_class, bits);
	}
	return field_class;
}

static bt_field_class *create_field_class(
	bt_trace_class *trace_class, enum event_kind kind, const struct event_field *field)
{
	const struct enum_label *labels = enum_labels_of(kind, field);

	if (field->storage == FIELD_STRING) {
		return bt_field_class_string_create(trace_class);
	}
	return labels ? create_enumeration(trace_class, labels)
		      : create_integer(trace_class, field->storage);
}

/* Takes the field class, which may be NULL. */
static bool append(bt_field_class *structure, const char *name, bt_field_class *field_class)
{
	const bool is_good = field_class &&
			     bt_field_class_structure_append_member(structure, name, field_class) ==
				     BT_FIELD_CLASS_STRUCTURE_APPEND_MEMBER_STATUS_OK;

	bt_field_class_put_ref(field_class);
	return is_good;
}

static bt_event_class *create_event_class(struct import_trace *trace, enum event_kind kind)
{
	const struct event_fields *row = event_fields_of(kind);
	bt_trace_class *trace_class = bt_stream_class_borrow_trace_class(trace->stream_class);
	bt_field_class *payload = bt_field_class_structure_create(trace_class);
	bt_event_class *event_class = bt_event_class_create(trace->stream_class);
	bool is_good = payload && event_class;

	for (size_t i = 0; is_good && i < EVENT_FIELD_COUNT_MAX && row->fields[i].name; i++) {
		is_good = append(payload, row->fields[i].name,
			create_field_class(trace_class, kind, &row->fields[i]));
	}
	is_good = is_good &&
		  bt_event_class_set_name(event_class, row->name) ==
			  BT_EVENT_CLASS_SET_NAME_STATUS_OK &&
		  bt_event_class_set_payload_field_class(event_class, payload) ==
			  BT_EVENT_CLASS_SET_FIELD_CLASS_STATUS_OK;
	bt_field_class_put_ref(payload);
	if (!is_good) {
		bt_event_class_put_ref(event_class);
		return NULL;
	}
	return event_class;
}

/* Process and thread, named as LTTng names them. */
static bool set_context(bt_trace_class *trace_class, bt_stream_class *stream_class)
{
	bt_field_class *context = bt_field_class_structure_create(trace_class);
	const bool is_good =
		context && append(context, "vpid", create_integer(trace_class, FIELD_TID)) &&
		append(context, "vtid", create_integer(trace_class, FIELD_TID)) &&
		bt_stream_class_set_event_common_context_field_class(stream_class, context) ==
			BT_STREAM_CLASS_SET_FIELD_CLASS_STATUS_OK;

	bt_field_class_put_ref(context);
	return is_good;
}

enum status import_trace_create(bt_self_message_iterator *iterator, const char *name,
	const uint64_t *epoch_ns, struct import_trace *out_trace)
{
	bt_self_component *self = bt_self_message_iterator_borrow_component(iterator);
	struct import_trace made = {.iterator = iterator};
	bt_clock_class *clock_class = create_clock_class(self, epoch_ns);
	bt_trace_class *trace_class = bt_trace_class_create(self);
	bt_trace *trace = trace_class ? bt_trace_create(trace_class) : NULL;

	made.stream_class = trace_class ? bt_stream_class_create(trace_class) : NULL;
	if (trace && clock_class && made.stream_class &&
		bt_stream_class_set_default_clock_class(made.stream_class, clock_class) ==
			BT_STREAM_CLASS_SET_DEFAULT_CLOCK_CLASS_STATUS_OK &&
		set_context(trace_class, made.stream_class) &&
		bt_trace_set_name(trace, name) == BT_TRACE_SET_NAME_STATUS_OK) {
		made.stream = bt_stream_create(made.stream_class, trace);
	}
	/* The stream holds its trace, and the trace its class. */
	bt_trace_put_ref(trace);
	bt_trace_class_put_ref(trace_class);
	bt_clock_class_put_ref(clock_class);
	if (!made.stream) {
		import_trace_finish(&made);
		return STATUS_NO_MEMORY;
	}
	*out_trace = made;
	return STATUS_OK;
}

static enum status set_field(
	const struct event *event, const struct event_field *row, bt_field *field)
{
	const void *member = (const char *)event + row->offset;
	const char *string;
	uint64_t wide;
	int32_t narrow;

	switch (row->storage) {
	case FIELD_STRING:
		memcpy(&string, member, sizeof(string));
		return bt_field_string_set_value(field, string ? string : "") ==
				       BT_FIELD_STRING_SET_VALUE_STATUS_OK
			       ? STATUS_OK
			       : STATUS_NO_MEMORY;
	case FIELD_BOOL:
		bt_field_integer_unsigned_set_value(field, *(const bool *)member);
		return STATUS_OK;
	case FIELD_U32:
		memcpy(&narrow, member, sizeof(narrow));
		bt_field_integer_unsigned_set_value(field, (uint32_t)narrow);
		return STATUS_OK;
	case FIELD_I32:
	case FIELD_TID:
	case FIELD_WORK:
		memcpy(&narrow, member, sizeof(narrow));
		bt_field_integer_signed_set_value(field, narrow);
		return STATUS_OK;
	case FIELD_STATE:
		memcpy(&wide, member, sizeof(wide));
		bt_field_integer_signed_set_value(field, (int64_t)wide);
		return STATUS_OK;
	case FIELD_U64:
	case FIELD_DURATION:
	case FIELD_TIME:
	default:
		memcpy(&wide, member, sizeof(wide));
		bt_field_integer_unsigned_set_value(field, wide);
		return STATUS_OK;
	}
}

enum status import_trace_message(
	struct import_trace *trace, const struct event *event, bt_message **out_message)
{
	const struct event_fields *row = event_fields_of(event->kind);
	bt_event_class **event_class = &trace->classes[event->kind];
	enum status status = STATUS_OK;
	bt_message *message = NULL;
	bt_field *context;
	bt_field *payload;

	/* Only kinds that occur: what a file has none of is not in the metadata of a copy. */
	if (!*event_class) {
		*event_class = create_event_class(trace, event->kind);
	}
	if (*event_class) {
		message = bt_message_event_create_with_default_clock_snapshot(
			trace->iterator, *event_class, trace->stream, event->time_ns);
	}
	if (!message) {
		return STATUS_NO_MEMORY;
	}
	context = bt_event_borrow_common_context_field(bt_message_event_borrow_event(message));
	bt_field_integer_signed_set_value(
		bt_field_structure_borrow_member_field_by_index(context, 0), event->pid);
	bt_field_integer_signed_set_value(
		bt_field_structure_borrow_member_field_by_index(context, 1), event->tid);
	payload = bt_event_borrow_payload_field(bt_message_event_borrow_event(message));
	for (size_t i = 0; i < EVENT_FIELD_COUNT_MAX && row->fields[i].name; i++) {
		if (status == STATUS_OK) {
			status = set_field(event, &row->fields[i],
				bt_field_structure_borrow_member_field_by_index(payload, i));
		}
	}
	if (status != STATUS_OK) {
		bt_message_put_ref(message);
		return status;
	}
	*out_message = message;
	return STATUS_OK;
}

void import_trace_finish(struct import_trace *trace)
{
	bt_stream_put_ref(trace->stream);
	bt_stream_class_put_ref(trace->stream_class);
	for (size_t i = 0; i < EVENT_KIND_COUNT; i++) {
		bt_event_class_put_ref(trace->classes[i]);
	}
	*trace = (struct import_trace){0};
}
