/* SPDX-License-Identifier: MIT */
#include "analysis/plugin/derived_trace.h"

#include "analysis/core/walk.h"
#include "analysis/plugin/cycles.h"
#include "trace/base/clock.h"

#include <stdio.h>
#include <string.h>

/* "lock tracker > pool blocking": as much of a chain of waits as is worth a field. */
#define VIA_BYTES_MAX 1024

enum field_type {
	TYPE_UNSIGNED,
	TYPE_SIGNED,
	TYPE_STRING
};

struct field_row {
	const char *name;
	enum field_type type;
};

/* In the order of the values that derived_trace_gap writes. */
static const struct field_row gap_fields[] = {
	{"device", TYPE_SIGNED},
	{"uuid", TYPE_STRING},
	{"layer", TYPE_STRING},
	{"edge", TYPE_STRING},
	{"begin_ns", TYPE_UNSIGNED},
	{"end_ns", TYPE_UNSIGNED},
	{"duration_ns", TYPE_UNSIGNED},
	{"parts", TYPE_UNSIGNED},
};

/* In the order of the values that derived_trace_part writes. */
static const struct field_row part_fields[] = {
	{"device", TYPE_SIGNED},
	{"gap_begin_ns", TYPE_UNSIGNED},
	{"from_ns", TYPE_UNSIGNED},
	{"to_ns", TYPE_UNSIGNED},
	{"duration_ns", TYPE_UNSIGNED},
	{"cause", TYPE_STRING},
	{"object", TYPE_STRING},
	{"phase", TYPE_STRING},
	{"thread_tid", TYPE_SIGNED},
	{"thread", TYPE_STRING},
	{"holder_tid", TYPE_SIGNED},
	{"holder", TYPE_STRING},
	{"via", TYPE_STRING},
	{"job", TYPE_UNSIGNED},
	{"partition", TYPE_SIGNED},
};

#define ROW_COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))

struct field_value {
	uint64_t number; /* signed numbers too */
	const char *string;
};

static bt_clock_class *create_clock_class(bt_self_component *self, const bt_clock_class *original)
{
	bt_clock_class *clock_class = bt_clock_class_create(self);
	int64_t seconds = 0;
	uint64_t cycles = 0;
	bt_uuid uuid;

	if (!clock_class) {
		return NULL;
	}
	bt_clock_class_set_frequency(clock_class, NS_PER_S);
	if (!original) {
		return clock_class;
	}
	bt_clock_class_get_offset(original, &seconds, &cycles);
	bt_clock_class_set_offset(
		clock_class, seconds, cycles_to_ns(cycles, bt_clock_class_get_frequency(original)));
	bt_clock_class_set_origin_is_unix_epoch(
		clock_class, bt_clock_class_origin_is_unix_epoch(original));
	uuid = bt_clock_class_get_uuid(original);
	if (uuid) {
		bt_clock_class_set_uuid(clock_class, uuid);
	}
	if (bt_clock_class_get_name(original)) {
		(void)bt_clock_class_set_name(clock_class, bt_clock_class_get_name(original));
	}
	return clock_class;
}

static bt_field_class *create_field_class(bt_trace_class *trace_class, enum field_type type)
{
	switch (type) {
	case TYPE_UNSIGNED:
		return bt_field_class_integer_unsigned_create(trace_class);
	case TYPE_SIGNED:
		return bt_field_class_integer_signed_create(trace_class);
	case TYPE_STRING:
		return bt_field_class_string_create(trace_class);
	}
	return NULL;
}

static bt_event_class *create_event_class(bt_trace_class *trace_class,
	bt_stream_class *stream_class, const char *name, const struct field_row *rows,
	size_t row_count)
{
	bt_field_class *payload = bt_field_class_structure_create(trace_class);
	bt_event_class *event_class = bt_event_class_create(stream_class);
	bool is_good = payload && event_class;

	for (size_t i = 0; is_good && i < row_count; i++) {
		bt_field_class *field_class = create_field_class(trace_class, rows[i].type);

		is_good = field_class &&
			  bt_field_class_structure_append_member(payload, rows[i].name,
				  field_class) == BT_FIELD_CLASS_STRUCTURE_APPEND_MEMBER_STATUS_OK;
		bt_field_class_put_ref(field_class);
	}
	is_good = is_good &&
		  bt_event_class_set_name(event_class, name) == BT_EVENT_CLASS_SET_NAME_STATUS_OK &&
		  bt_event_class_set_payload_field_class(event_class, payload) ==
			  BT_EVENT_CLASS_SET_FIELD_CLASS_STATUS_OK;
	bt_field_class_put_ref(payload);
	if (!is_good) {
		bt_event_class_put_ref(event_class);
		return NULL;
	}
	return event_class;
}

static bt_stream_class *create_stream_class(
	bt_trace_class *trace_class, const bt_clock_class *clock_class)
{
	bt_stream_class *stream_class = bt_stream_class_create(trace_class);

	if (stream_class && bt_stream_class_set_default_clock_class(
				    stream_class, (bt_clock_class *)(uintptr_t)clock_class) !=
				    BT_STREAM_CLASS_SET_DEFAULT_CLOCK_CLASS_STATUS_OK) {
		bt_stream_class_put_ref(stream_class);
		return NULL;
	}
	return stream_class;
}

enum status derived_trace_create(bt_self_message_iterator *iterator,
	const bt_clock_class *clock_class, const struct walk *walk, struct derived_trace *out_trace)
{
	bt_self_component *self = bt_self_message_iterator_borrow_component(iterator);
	struct derived_trace made = {.iterator = iterator, .walk = walk};
	bt_clock_class *own_clock = create_clock_class(self, clock_class);
	bt_trace_class *trace_class = bt_trace_class_create(self);
	bt_stream_class *stream_class =
		trace_class && own_clock ? create_stream_class(trace_class, own_clock) : NULL;
	bt_trace *trace = NULL;

	if (stream_class) {
		made.gap_class = create_event_class(trace_class, stream_class, "gaptrace:gap",
			gap_fields, ROW_COUNT(gap_fields));
		made.part_class = create_event_class(trace_class, stream_class, "gaptrace:gap_part",
			part_fields, ROW_COUNT(part_fields));
		trace = bt_trace_create(trace_class);
	}
	if (trace && made.gap_class && made.part_class &&
		bt_trace_set_name(trace, "gaps") == BT_TRACE_SET_NAME_STATUS_OK) {
		made.stream = bt_stream_create(stream_class, trace);
	}
	/* The stream holds its trace, and the trace its class. */
	bt_trace_put_ref(trace);
	bt_stream_class_put_ref(stream_class);
	bt_trace_class_put_ref(trace_class);
	bt_clock_class_put_ref(own_clock);
	if (!made.stream) {
		derived_trace_finish(&made);
		return STATUS_NO_MEMORY;
	}
	*out_trace = made;
	return STATUS_OK;
}

static enum status create_message(const struct derived_trace *trace,
	const bt_event_class *event_class, uint64_t time_ns, bt_message **out_message)
{
	*out_message = bt_message_event_create_with_default_clock_snapshot(
		trace->iterator, event_class, trace->stream, time_ns);
	return *out_message ? STATUS_OK : STATUS_NO_MEMORY;
}

/* Never empty: babeltrace2 2.0 shows an earlier event's text where it reads an empty one back. */
static const char *or_dash(const char *text)
{
	return text && text[0] != '\0' ? text : "-";
}

static enum status fill(bt_message *message, const struct field_row *rows, size_t row_count,
	const struct field_value *values)
{
	bt_field *payload = bt_event_borrow_payload_field(bt_message_event_borrow_event(message));

	for (size_t i = 0; i < row_count; i++) {
		bt_field *field =
			bt_field_structure_borrow_member_field_by_index(payload, (uint64_t)i);

		if (rows[i].type == TYPE_UNSIGNED) {
			bt_field_integer_unsigned_set_value(field, values[i].number);
		} else if (rows[i].type == TYPE_SIGNED) {
			bt_field_integer_signed_set_value(field, (int64_t)values[i].number);
		} else if (bt_field_string_set_value(field, or_dash(values[i].string)) !=
			   BT_FIELD_STRING_SET_VALUE_STATUS_OK) {
			return STATUS_NO_MEMORY;
		}
	}
	return STATUS_OK;
}

#define SIGNED(value) ((uint64_t)(int64_t)(value))

enum status derived_trace_gap(const struct derived_trace *trace, uint64_t time_ns,
	const struct derived_gap *gap, bt_message **out_message)
{
	static const char *const edges[] = {[GAP_INNER] = "inner",
		[GAP_BEFORE_FIRST] = "before_first",
		[GAP_AFTER_LAST] = "after_last",
		[GAP_SILENT] = "silent"};
	const struct field_value values[ROW_COUNT(gap_fields)] = {
		{.number = SIGNED(gap->device->ordinal)},
		{.string = gap->device->uuid},
		{.string = gap->layer == SWEEP_KERNEL ? "kernel" : "anything"},
		{.string = edges[gap->gap->edge]},
		{.number = gap->gap->begin_ns},
		{.number = gap->gap->end_ns},
		{.number = gap->gap->end_ns - gap->gap->begin_ns},
		{.number = gap->part_count},
	};
	enum status status = create_message(trace, trace->gap_class, time_ns, out_message);

	if (status == STATUS_OK) {
		status = fill(*out_message, gap_fields, ROW_COUNT(gap_fields), values);
	}
	return status;
}

static void join_via(const struct gap_part *part, char out_text[VIA_BYTES_MAX])
{
	size_t used = 0;

	out_text[0] = '\0';
	for (uint32_t i = 0; i < part->via_count && used < VIA_BYTES_MAX; i++) {
		const int length = snprintf(out_text + used, VIA_BYTES_MAX - used, "%s%s %s",
			i ? " > " : "", gap_via_kind_name(part->via[i].kind), part->via[i].object);

		used += length > 0 ? (size_t)length : 0;
	}
}

enum status derived_trace_part(const struct derived_trace *trace, uint64_t time_ns,
	const struct derived_gap *gap, const struct gap_part *part, bt_message **out_message)
{
	char via[VIA_BYTES_MAX];
	const struct field_value values[ROW_COUNT(part_fields)] = {
		{.number = SIGNED(gap->device->ordinal)},
		{.number = gap->gap->begin_ns},
		{.number = part->from_ns},
		{.number = part->to_ns},
		{.number = part->to_ns - part->from_ns},
		{.string = cause_name(part->cause)},
		{.string = part->object},
		{.string = part->phase},
		{.number = SIGNED(part->thread_tid)},
		{.string = walk_thread_name(trace->walk, part->thread_tid)},
		{.number = SIGNED(part->holder_tid)},
		{.string = walk_thread_name(trace->walk, part->holder_tid)},
		{.string = via},
		{.number = part->job},
		{.number = SIGNED(part->partition)},
	};
	enum status status = create_message(trace, trace->part_class, time_ns, out_message);

	join_via(part, via);
	if (status == STATUS_OK) {
		status = fill(*out_message, part_fields, ROW_COUNT(part_fields), values);
	}
	return status;
}

void derived_trace_finish(struct derived_trace *trace)
{
	bt_stream_put_ref(trace->stream);
	bt_event_class_put_ref(trace->gap_class);
	bt_event_class_put_ref(trace->part_class);
	*trace = (struct derived_trace){0};
}
