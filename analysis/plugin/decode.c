/* SPDX-License-Identifier: MIT */
#include "analysis/plugin/decode.h"

#include "analysis/plugin/cycles.h"
#include "trace/base/clock.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Offsets of clocks of one boot differ by what two readings of the wall clock differ. */
#define SAME_CLOCK_NS NS_PER_MS

/* How times of one clock class become times of the first one. */
struct clock {
	const bt_clock_class *clock_class; /* a reference; NULL: a stream without a clock */
	bool is_plain;                     /* the value is the time */
	uint64_t frequency;
	int64_t delta_ns;
};

struct decoder {
	struct decode_class **table; /* open addressing; a power of two of places */
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
	decoder->table = calloc(decoder->capacity, sizeof(struct decode_class *));
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
	struct decode_class **old = decoder->table;
	const size_t old_capacity = decoder->capacity;
	struct decode_class **table;

	if (decoder->count * 2 < decoder->capacity) {
		return STATUS_OK;
	}
	table = calloc(old_capacity * 2, sizeof(struct decode_class *));
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

static enum status resolve(struct decoder *decoder, const bt_event_class *event_class,
	const bt_stream *stream, struct decode_class **out_class)
{
	const bt_clock_class *clock_class = bt_stream_class_borrow_default_clock_class_const(
		bt_stream_borrow_class_const(stream));
	struct decode_class *class = NULL;
	const struct clock *clock = NULL;
	enum status status = grow(decoder);

	if (status == STATUS_OK && clock_class) {
		clock = clock_of(decoder, clock_class);
		status = clock ? STATUS_OK : STATUS_NO_MEMORY;
	}
	if (status == STATUS_OK) {
		status = decode_class_create(event_class, stream, &class);
	}
	if (status != STATUS_OK) {
		return status;
	}
	if (clock) {
		class->has_clock = true;
		class->clock_index = (size_t)(clock - decoder->clocks);
		class->delta_ns = clock->delta_ns;
	}
	decoder->table[place_of(decoder, event_class)] = class;
	decoder->count++;
	*out_class = class;
	return STATUS_OK;
}

enum status decoder_class(struct decoder *decoder, const bt_event_class *event_class,
	const bt_stream *stream, const struct decode_class **out_class)
{
	struct decode_class *class = decoder->table[place_of(decoder, event_class)];
	const enum status status =
		class ? STATUS_OK : resolve(decoder, event_class, stream, &class);

	if (status == STATUS_OK) {
		*out_class = class;
	}
	return status;
}

/* An integer as 64 bits, whatever its sign. */
static uint64_t read_integer(const bt_field *field, bool is_signed)
{
	return is_signed ? (uint64_t)bt_field_integer_signed_get_value(field)
			 : bt_field_integer_unsigned_get_value(field);
}

/*
 * Babeltrace 2.0's CTF source forgets the terminator of an empty string, so that the text of an
 * earlier event shines through; the length is right.
 */
static const char *read_string(const bt_field *field)
{
	return bt_field_string_get_length(field) > 0 ? bt_field_string_get_value(field) : "";
}

static void read_field(const struct decode_class *class, const struct decode_reader *reader,
	const bt_field *payload, struct event *event)
{
	const bt_field *field =
		bt_field_structure_borrow_member_field_by_index_const(payload, reader->index);

	if (reader->storage == FIELD_STRING) {
		decode_class_put_string(reader, read_string(field), event);
	} else {
		decode_class_put(class, reader, read_integer(field, reader->is_signed), event);
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
	struct decode_class *class = decoder->table[place_of(decoder, event_class)];
	const bt_field *payload;
	const bt_field *context;

	if (!class) {
		const enum status status =
			resolve(decoder, event_class, bt_event_borrow_stream_const(event), &class);

		if (status != STATUS_OK) {
			return status;
		}
	}
	*out_result = class->result;
	if (class->result != DECODE_EVENT) {
		return STATUS_OK;
	}

	*out_event = class->empty;
	if (time_ns) {
		out_event->time_ns = *time_ns;
	} else if (class->has_clock) {
		out_event->time_ns = clock_time_ns(&decoder->clocks[class->clock_index],
			bt_clock_snapshot_get_value(
				bt_message_event_borrow_default_clock_snapshot_const(message)));
	}
	out_event->pid = class->pid;
	context = bt_event_borrow_common_context_field_const(event);
	if (context && class->pid_index != DECODE_NO_INDEX) {
		out_event->pid = read_id(context, class->pid_index, class->is_pid_signed);
	}
	if (context && class->tid_index != DECODE_NO_INDEX) {
		out_event->tid = read_id(context, class->tid_index, class->is_tid_signed);
	}
	*out_has_thread = out_event->tid != 0 && out_event->pid != 0;

	payload = bt_event_borrow_payload_field_const(event);
	for (uint32_t i = 0; i < class->reader_count; i++) {
		read_field(class, &class->readers[i], payload, out_event);
	}
	return STATUS_OK;
}

void decoder_destroy(struct decoder *decoder)
{
	if (!decoder) {
		return;
	}
	for (size_t i = 0; i < decoder->capacity && decoder->table; i++) {
		decode_class_destroy(decoder->table[i]);
	}
	for (size_t i = 0; i < decoder->clock_count; i++) {
		bt_clock_class_put_ref(decoder->clocks[i].clock_class);
	}
	free(decoder->clocks);
	free(decoder->table);
	free(decoder);
}
