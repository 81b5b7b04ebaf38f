/* SPDX-License-Identifier: MIT */
#include "analysis/plugin/decode_class.h"

#include <stdlib.h>

static bool is_unsigned(bt_field_class_type type)
{
	return type == BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER ||
	       type == BT_FIELD_CLASS_TYPE_UNSIGNED_ENUMERATION;
}

static bool is_integer(bt_field_class_type type)
{
	return is_unsigned(type) || type == BT_FIELD_CLASS_TYPE_SIGNED_INTEGER ||
	       type == BT_FIELD_CLASS_TYPE_SIGNED_ENUMERATION;
}

/* The member of that name, DECODE_NO_INDEX when there is none. */
static uint64_t find_member(
	const bt_field_class *structure, const char *name, bt_field_class_type *out_type)
{
	const uint64_t count = structure ? bt_field_class_structure_get_member_count(structure) : 0;

	for (uint64_t i = 0; i < count; i++) {
		const bt_field_class_structure_member *member =
			bt_field_class_structure_borrow_member_by_index_const(structure, i);

		if (strcmp(bt_field_class_structure_member_get_name(member), name) == 0) {
			*out_type = bt_field_class_get_type(
				bt_field_class_structure_member_borrow_field_class_const(member));
			return i;
		}
	}
	return DECODE_NO_INDEX;
}

/* What a field is in a recording by a library that did not have it yet. */
static void set_empty(struct event *event, const struct event_field *field)
{
	char *target = (char *)event + field->offset;
	const uint64_t unknown = GAPTRACE_UNKNOWN;
	const int32_t none = GAPTRACE_NONE;

	if (field->storage == FIELD_DURATION) {
		memcpy(target, &unknown, sizeof(unknown));
	} else if (field->storage == FIELD_WORK) {
		memcpy(target, &none, sizeof(none));
	} else if (field->storage == FIELD_STRING) {
		*(const char **)(void *)target = "";
	}
}

/* Finds the fields of an event class of ours; false when a required one is missing. */
static bool resolve_fields(struct decode_class *class, const struct event_fields *fields)
{
	const bt_field_class *payload =
		bt_event_class_borrow_payload_field_class_const(class->event_class);

	for (uint32_t i = 0; i < EVENT_FIELD_COUNT_MAX && fields->fields[i].name; i++) {
		const struct event_field *field = &fields->fields[i];
		bt_field_class_type type = BT_FIELD_CLASS_TYPE_STRING;
		const uint64_t index = find_member(payload, field->name, &type);
		const bool fits = field->storage == FIELD_STRING
					  ? type == BT_FIELD_CLASS_TYPE_STRING
					  : is_integer(type);

		set_empty(&class->empty, field);
		if (index != DECODE_NO_INDEX && fits) {
			class->readers[class->reader_count++] = (struct decode_reader){
				.index = index,
				.storage = field->storage,
				.is_signed = !is_unsigned(type),
				.offset = field->offset,
			};
		} else if (field->is_required) {
			return false;
		}
	}
	if (fields->span_name) {
		class->empty.span.name = fields->span_name;
	}
	return true;
}

static void resolve_context(struct decode_class *class, const bt_stream *stream)
{
	const bt_field_class *context =
		bt_stream_class_borrow_event_common_context_field_class_const(
			bt_stream_borrow_class_const(stream));
	const bt_value *pid = bt_trace_borrow_environment_entry_value_by_name_const(
		bt_stream_borrow_trace_const(stream), "vpid");
	bt_field_class_type type = BT_FIELD_CLASS_TYPE_STRING;

	class->pid_index = find_member(context, "vpid", &type);
	class->is_pid_signed = !is_unsigned(type);
	if (class->pid_index != DECODE_NO_INDEX && !is_integer(type)) {
		class->pid_index = DECODE_NO_INDEX;
	}
	class->tid_index = find_member(context, "vtid", &type);
	class->is_tid_signed = !is_unsigned(type);
	if (class->tid_index != DECODE_NO_INDEX && !is_integer(type)) {
		class->tid_index = DECODE_NO_INDEX;
	}
	/* With buffers per process the process stands in the environment of the trace. */
	if (pid && bt_value_is_signed_integer(pid)) {
		class->pid = (int32_t)bt_value_integer_signed_get(pid);
	} else if (pid && bt_value_is_unsigned_integer(pid)) {
		class->pid = (int32_t)bt_value_integer_unsigned_get(pid);
	}
}

static bool has_prefix(const char *name, const char *prefix)
{
	return strncmp(name, prefix, strlen(prefix)) == 0;
}

/* The kind of that name; EVENT_KIND_COUNT when there is none. */
static enum event_kind find_kind(const char *name)
{
	int kind = 0;

	/* Before Linux 4.3 there is no sched_waking, and new threads have an event of their own. */
	if (strcmp(name, "sched_wakeup") == 0 || strcmp(name, "sched_wakeup_new") == 0) {
		return EVENT_SCHED_WAKING;
	}
	while (kind < EVENT_KIND_COUNT &&
		strcmp(event_fields_of((enum event_kind)kind)->name, name) != 0) {
		kind++;
	}
	return (enum event_kind)kind;
}

/* What filter.gaptrace.gaps makes may lie beside the recording; it is no input. */
static bool is_derived(const char *name)
{
	return strcmp(name, "gaptrace:gap") == 0 || strcmp(name, "gaptrace:gap_part") == 0;
}

static void resolve_kind(struct decode_class *class)
{
	const char *name = bt_event_class_get_name(class->event_class);
	const char *known = name ? name : "";
	const bool is_ours = has_prefix(known, GAPTRACE_PROVIDER ":") ||
			     has_prefix(known, GAPTRACE_GPU_PROVIDER ":");

	class->kind = find_kind(known);
	class->result = is_ours ? DECODE_UNKNOWN : DECODE_FOREIGN;
	if (is_derived(known)) {
		class->result = DECODE_DERIVED;
	}
	if (class->kind != EVENT_KIND_COUNT) {
		class->empty.kind = class->kind;
		class->result = resolve_fields(class, event_fields_of(class->kind))
					? DECODE_EVENT
					: DECODE_UNKNOWN;
	}
}

enum status decode_class_create(
	const bt_event_class *event_class, const bt_stream *stream, struct decode_class **out_class)
{
	struct decode_class *class = calloc(1, sizeof(*class));

	if (!class) {
		return STATUS_NO_MEMORY;
	}
	class->event_class = event_class;
	bt_event_class_get_ref(event_class);
	resolve_context(class, stream);
	resolve_kind(class);
	*out_class = class;
	return STATUS_OK;
}

void decode_class_destroy(struct decode_class *class)
{
	if (class) {
		bt_event_class_put_ref(class->event_class);
		free(class);
	}
}
