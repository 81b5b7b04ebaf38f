/* SPDX-License-Identifier: MIT */
#include "analysis/plugin/decode.h"

#include "analysis/plugin/cycles.h"
#include "analysis/plugin/event_fields.h"
#include "trace/base/clock.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Offsets of clocks of one boot differ by what two readings of the wall clock differ. */
#define SAME_CLOCK_NS NS_PER_MS

#define NO_INDEX UINT64_MAX

/* One field of a class that the recording has. */
struct reader {
	uint64_t index;
	enum field_storage storage;
	bool is_signed;
	size_t offset;
};

/* How times of one clock class become times of the first one. */
struct clock {
	const bt_clock_class *clock_class; /* a reference; NULL: a stream without a clock */
	bool is_plain;                     /* the value is the time */
	uint64_t frequency;
	int64_t delta_ns;
};

struct class_entry {
	const bt_event_class *event_class; /* a reference, so that the address stays its own */
	enum decode_result result;
	enum event_kind kind;
	struct event empty; /* what an event is before its fields are read */
	struct reader readers[EVENT_FIELD_COUNT_MAX];
	uint32_t reader_count;
	uint64_t pid_index; /* in the common context */
	uint64_t tid_index;
	bool is_tid_signed;
	bool is_pid_signed;
	int32_t pid; /* of the trace's environment, 0 when it has none */
	bool has_clock;
	size_t clock_index;
	int64_t delta_ns; /* for fields that are times */
};

struct decoder {
	struct class_entry **table; /* open addressing; a power of two of places */
	size_t capacity;
	size_t count;
	struct clock *clocks;
	size_t clock_count;
	const bt_clock_class *first_clock_class;
};

enum status decoder_create(struct decoder **out_decoder)
{
	AUTO(decoder_destroy) struct decoder *decoder = calloc(1, sizeof(*decoder));

	if (!decoder) {
		return STATUS_NO_MEMORY;
	}
	decoder->capacity = 128;
	decoder->table = calloc(decoder->capacity, sizeof(struct class_entry *));
	if (!decoder->table) {
		return STATUS_NO_MEMORY;
	}
	*out_decoder = MOVE(decoder);
	return STATUS_OK;
}

static size_t place_of(const struct decoder *decoder, const bt_event_class *event_class)
{
	const uint64_t hash = ((uint64_t)(uintptr_t)event_class >> 4) * 0x9e3779b97f4a7c15ULL;
	size_t place = (size_t)(hash >> 32) & (decoder->capacity - 1);

	while (decoder->table[place] && decoder->table[place]->event_class != event_class) {
		place = (place + 1) & (decoder->capacity - 1);
	}
	return place;
}

static enum status grow(struct decoder *decoder)
{
	struct class_entry **old = decoder->table;
	const size_t old_capacity = decoder->capacity;
	struct class_entry **table;

	if (decoder->count * 2 < decoder->capacity) {
		return STATUS_OK;
	}
	table = calloc(old_capacity * 2, sizeof(struct class_entry *));
	if (!table) {
		return STATUS_NO_MEMORY;
	}
	decoder->table = table;
	decoder->capacity = old_capacity * 2;
	for (size_t i = 0; i < old_capacity; i++) {
		if (old[i]) {
			decoder->table[place_of(decoder, old[i]->event_class)] = old[i];
		}
	}
	free(old);
	return STATUS_OK;
}

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

/* The member of that name, NO_INDEX when there is none. */
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
	return NO_INDEX;
}

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
static bool resolve_fields(struct class_entry *entry, const struct event_fields *fields)
{
	const bt_field_class *payload =
		bt_event_class_borrow_payload_field_class_const(entry->event_class);

	for (uint32_t i = 0; i < EVENT_FIELD_COUNT_MAX && fields->fields[i].name; i++) {
		const struct event_field *field = &fields->fields[i];
		bt_field_class_type type = BT_FIELD_CLASS_TYPE_STRING;
		const uint64_t index = find_member(payload, field->name, &type);
		const bool fits = field->storage == FIELD_STRING
					  ? type == BT_FIELD_CLASS_TYPE_STRING
					  : is_integer(type);

		set_empty(&entry->empty, field);
		if (index != NO_INDEX && fits) {
			entry->readers[entry->reader_count++] = (struct reader){
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
		entry->empty.span.name = fields->span_name;
	}
	return true;
}

static void resolve_context(struct class_entry *entry, const bt_stream *stream)
{
	const bt_field_class *context =
		bt_stream_class_borrow_event_common_context_field_class_const(
			bt_stream_borrow_class_const(stream));
	const bt_value *pid = bt_trace_borrow_environment_entry_value_by_name_const(
		bt_stream_borrow_trace_const(stream), "vpid");
	bt_field_class_type type = BT_FIELD_CLASS_TYPE_STRING;

	entry->pid_index = find_member(context, "vpid", &type);
	entry->is_pid_signed = !is_unsigned(type);
	if (entry->pid_index != NO_INDEX && !is_integer(type)) {
		entry->pid_index = NO_INDEX;
	}
	entry->tid_index = find_member(context, "vtid", &type);
	entry->is_tid_signed = !is_unsigned(type);
	if (entry->tid_index != NO_INDEX && !is_integer(type)) {
		entry->tid_index = NO_INDEX;
	}
	if (pid && bt_value_is_signed_integer(pid)) {
		entry->pid = (int32_t)bt_value_integer_signed_get(pid);
	} else if (pid && bt_value_is_unsigned_integer(pid)) {
		entry->pid = (int32_t)bt_value_integer_unsigned_get(pid);
	}
}

static void resolve_kind(struct class_entry *entry)
{
	/* What filter.gaptrace.gaps makes may lie beside the recording; it is no input. */
	static const char *const derived[] = {"gaptrace:gap", "gaptrace:gap_part"};
	const char *name = bt_event_class_get_name(entry->event_class);

	entry->result = DECODE_FOREIGN;
	if (!name || strncmp(name, GAPTRACE_PROVIDER, strlen(GAPTRACE_PROVIDER)) != 0) {
		return;
	}
	for (int kind = 0; kind < EVENT_KIND_COUNT; kind++) {
		const struct event_fields *fields = event_fields_of((enum event_kind)kind);

		if (fields->name && strcmp(fields->name, name) == 0) {
			entry->kind = (enum event_kind)kind;
			entry->empty.kind = entry->kind;
			entry->result =
				resolve_fields(entry, fields) ? DECODE_EVENT : DECODE_UNKNOWN;
			return;
		}
	}
	for (size_t i = 0; i < sizeof(derived) / sizeof(derived[0]); i++) {
		if (strcmp(derived[i], name) == 0) {
			return;
		}
	}
	if (strncmp(name, GAPTRACE_PROVIDER ":", strlen(GAPTRACE_PROVIDER ":")) == 0 ||
		strncmp(name, GAPTRACE_GPU_PROVIDER ":", strlen(GAPTRACE_GPU_PROVIDER ":")) == 0) {
		entry->result = DECODE_UNKNOWN;
	}
}

/* Nanoseconds from the origin at which a clock class reads 0; wraps where no real clock is. */
static uint64_t offset_ns(const bt_clock_class *clock_class)
{
	int64_t seconds = 0;
	uint64_t cycles = 0;

	bt_clock_class_get_offset(clock_class, &seconds, &cycles);
	return (uint64_t)seconds * NS_PER_S +
	       cycles_to_ns(cycles, bt_clock_class_get_frequency(clock_class));
}

static bool is_same_clock(const bt_clock_class *a, const bt_clock_class *b, int64_t apart_ns)
{
	bt_uuid a_uuid = bt_clock_class_get_uuid(a);
	bt_uuid b_uuid = bt_clock_class_get_uuid(b);

	if (a_uuid && b_uuid) {
		return memcmp(a_uuid, b_uuid, 16) == 0;
	}
	return apart_ns < (int64_t)SAME_CLOCK_NS && apart_ns > -(int64_t)SAME_CLOCK_NS;
}

static const struct clock *clock_of(struct decoder *decoder, const bt_clock_class *clock_class)
{
	struct clock *clocks;
	struct clock *clock;
	int64_t apart_ns;

	for (size_t i = 0; i < decoder->clock_count; i++) {
		if (decoder->clocks[i].clock_class == clock_class) {
			return &decoder->clocks[i];
		}
	}
	clocks = reallocarray(decoder->clocks, decoder->clock_count + 1, sizeof(*clocks));
	if (!clocks) {
		return NULL;
	}
	decoder->clocks = clocks;
	clock = &clocks[decoder->clock_count++];
	bt_clock_class_get_ref(clock_class);
	*clock = (struct clock){
		.clock_class = clock_class, .frequency = bt_clock_class_get_frequency(clock_class)};
	if (!decoder->first_clock_class) {
		decoder->first_clock_class = clock_class;
	}
	apart_ns = (int64_t)(offset_ns(clock_class) - offset_ns(decoder->first_clock_class));
	if (!is_same_clock(clock_class, decoder->first_clock_class, apart_ns)) {
		clock->delta_ns = apart_ns;
	}
	clock->is_plain = clock->frequency == NS_PER_S && clock->delta_ns == 0;
	return clock;
}

static inline uint64_t clock_time_ns(const struct clock *clock, uint64_t value)
{
	if (clock->is_plain) {
		return value;
	}
	return cycles_to_ns(value, clock->frequency) + (uint64_t)clock->delta_ns;
}

uint64_t decoder_time_ns(struct decoder *decoder, const bt_clock_snapshot *snapshot)
{
	const struct clock *clock =
		clock_of(decoder, bt_clock_snapshot_borrow_clock_class_const(snapshot));

	return clock ? clock_time_ns(clock, bt_clock_snapshot_get_value(snapshot)) : 0;
}

enum status decoder_clock(
	struct decoder *decoder, const bt_clock_class *clock_class, size_t *out_clock)
{
	const struct clock *clock = clock_of(decoder, clock_class);

	if (!clock) {
		return STATUS_NO_MEMORY;
	}
	*out_clock = (size_t)(clock - decoder->clocks);
	return STATUS_OK;
}

uint64_t decoder_clock_ns(const struct decoder *decoder, size_t clock, uint64_t value)
{
	return clock_time_ns(&decoder->clocks[clock], value);
}

const bt_clock_class *decoder_clock_class(const struct decoder *decoder)
{
	return decoder->first_clock_class;
}

static enum status resolve(
	struct decoder *decoder, const bt_event *event, struct class_entry **out_entry)
{
	const bt_event_class *event_class = bt_event_borrow_class_const(event);
	const bt_stream *stream = bt_event_borrow_stream_const(event);
	const bt_clock_class *clock_class = bt_stream_class_borrow_default_clock_class_const(
		bt_stream_borrow_class_const(stream));
	struct class_entry *entry;
	enum status status = grow(decoder);

	if (status != STATUS_OK) {
		return status;
	}
	entry = calloc(1, sizeof(*entry));
	if (!entry) {
		return STATUS_NO_MEMORY;
	}
	if (clock_class) {
		const struct clock *clock = clock_of(decoder, clock_class);

		if (!clock) {
			free(entry);
			return STATUS_NO_MEMORY;
		}
		entry->has_clock = true;
		entry->clock_index = (size_t)(clock - decoder->clocks);
		entry->delta_ns = clock->delta_ns;
	}
	entry->event_class = event_class;
	bt_event_class_get_ref(event_class);
	resolve_context(entry, stream);
	resolve_kind(entry);
	decoder->table[place_of(decoder, event_class)] = entry;
	decoder->count++;
	*out_entry = entry;
	return STATUS_OK;
}

/* An integer as 64 bits, whatever its sign. */
static uint64_t read_integer(const bt_field *field, bool is_signed)
{
	return is_signed ? (uint64_t)bt_field_integer_signed_get_value(field)
			 : bt_field_integer_unsigned_get_value(field);
}

static void read_field(const struct class_entry *entry, const struct reader *reader,
	const bt_field *payload, struct event *event)
{
	const bt_field *field =
		bt_field_structure_borrow_member_field_by_index_const(payload, reader->index);
	char *target = (char *)event + reader->offset;
	const char *string;
	uint64_t value;
	uint32_t narrow;

	if (reader->storage == FIELD_STRING) {
		string = bt_field_string_get_value(field);
		/* What LTTng writes for a null pointer. */
		if (string[0] == '(' && strcmp(string, "(null)") == 0) {
			string = "";
		}
		*(const char **)(void *)target = string;
		return;
	}
	value = read_integer(field, reader->is_signed);
	switch (reader->storage) {
	case FIELD_TIME:
		value += (uint64_t)entry->delta_ns;
		memcpy(target, &value, sizeof(value));
		return;
	case FIELD_U64:
	case FIELD_DURATION:
		memcpy(target, &value, sizeof(value));
		return;
	case FIELD_BOOL:
		*(bool *)(void *)target = value != 0;
		return;
	case FIELD_U32:
	case FIELD_I32:
	case FIELD_WORK:
	case FIELD_STRING:
		narrow = (uint32_t)value;
		memcpy(target, &narrow, sizeof(narrow));
		return;
	}
}

static int32_t read_id(const bt_field *context, uint64_t index, bool is_signed)
{
	return (int32_t)read_integer(
		bt_field_structure_borrow_member_field_by_index_const(context, index), is_signed);
}

enum status decoder_decode(struct decoder *decoder, const bt_message *message,
	const uint64_t *time_ns, struct event *out_event, bool *out_has_thread,
	enum decode_result *out_result)
{
	const bt_event *event = bt_message_event_borrow_event_const(message);
	const bt_event_class *event_class = bt_event_borrow_class_const(event);
	struct class_entry *entry = decoder->table[place_of(decoder, event_class)];
	const bt_field *payload;
	const bt_field *context;

	if (!entry) {
		const enum status status = resolve(decoder, event, &entry);

		if (status != STATUS_OK) {
			return status;
		}
	}
	*out_result = entry->result;
	if (entry->result != DECODE_EVENT) {
		return STATUS_OK;
	}

	*out_event = entry->empty;
	if (time_ns) {
		out_event->time_ns = *time_ns;
	} else if (entry->has_clock) {
		out_event->time_ns = clock_time_ns(&decoder->clocks[entry->clock_index],
			bt_clock_snapshot_get_value(
				bt_message_event_borrow_default_clock_snapshot_const(message)));
	}
	out_event->pid = entry->pid;
	context = bt_event_borrow_common_context_field_const(event);
	if (context && entry->pid_index != NO_INDEX) {
		out_event->pid = read_id(context, entry->pid_index, entry->is_pid_signed);
	}
	if (context && entry->tid_index != NO_INDEX) {
		out_event->tid = read_id(context, entry->tid_index, entry->is_tid_signed);
	}
	*out_has_thread = out_event->tid != 0 && out_event->pid != 0;

	payload = bt_event_borrow_payload_field_const(event);
	for (uint32_t i = 0; i < entry->reader_count; i++) {
		read_field(entry, &entry->readers[i], payload, out_event);
	}
	return STATUS_OK;
}

void decoder_destroy(struct decoder *decoder)
{
	if (!decoder) {
		return;
	}
	for (size_t i = 0; i < decoder->capacity && decoder->table; i++) {
		if (decoder->table[i]) {
			bt_event_class_put_ref(decoder->table[i]->event_class);
			free(decoder->table[i]);
		}
	}
	for (size_t i = 0; i < decoder->clock_count; i++) {
		bt_clock_class_put_ref(decoder->clocks[i].clock_class);
	}
	free(decoder->clocks);
	free(decoder->table);
	free(decoder);
}
