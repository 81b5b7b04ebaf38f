/* SPDX-License-Identifier: MIT */
#include "tests/unit/kineto_reading.h"

#include "analysis/core/event_fields.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include <cmocka.h>

/* Gives the event's texts copies of their own, or frees those. */
static void own_texts(struct event *event, bool is_owned)
{
	const struct event_field *field = event_fields_of(event->kind)->fields;

	for (; field->name; field++) {
		char *place = (char *)event + field->offset;
		char *text;

		if (field->storage != FIELD_STRING) {
			continue;
		}
		memcpy(&text, place, sizeof(text));
		if (is_owned) {
			free(text);
			continue;
		}
		assert_non_null(text);
		text = strdup(text);
		assert_non_null(text);
		memcpy(place, &text, sizeof(text));
	}
}

static void read_events(struct kineto_reading *reading, struct import_reader *reader)
{
	size_t capacity = 0;
	bool has_event = true;

	while (has_event) {
		if (reading->count == capacity) {
			capacity = capacity ? capacity * 2 : 64;
			reading->events =
				realloc(reading->events, capacity * sizeof(*reading->events));
			assert_non_null(reading->events);
		}
		struct event *event = &reading->events[reading->count];

		assert_int_equal(
			reader->operations->next(reader, event, &has_event, &reading->diag),
			STATUS_OK);
		if (has_event) {
			own_texts(event, false);
			assert_true(reading->count == 0 || event->time_ns >= event[-1].time_ns);
			reading->count++;
		}
	}
}

struct kineto_reading kineto_reading_of(const void *bytes, size_t size)
{
	struct kineto_reading reading = {.path = "/tmp/kineto_reading.XXXXXX"};
	struct import_reader *reader = NULL;
	const int fd = mkstemp(reading.path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, size), (ssize_t)size);
	assert_int_equal(close(fd), 0);
	reading.status = import_kineto.open(reading.path, &reading.diag, &reader);
	if (reading.status == STATUS_OK) {
		reading.has_epoch = reader->has_epoch;
		reading.epoch_ns = reader->epoch_ns;
		read_events(&reading, reader);
		assert_int_equal(reading.events[0].kind, EVENT_IMPORT_NOTE);
		assert_int_equal(reading.events[0].note.kind, EVENT_NOTE_SOURCE);
	}
	import_reader_destroy(reader);
	return reading;
}

struct kineto_reading kineto_reading_of_text(const char *text)
{
	return kineto_reading_of(text, strlen(text));
}

size_t kineto_reading_count(const struct kineto_reading *reading, enum event_kind kind)
{
	size_t count = 0;

	for (size_t i = 0; i < reading->count; i++) {
		count += reading->events[i].kind == kind;
	}
	return count;
}

const struct event *kineto_reading_get(
	const struct kineto_reading *reading, enum event_kind kind, size_t index)
{
	for (size_t i = 0; i < reading->count; i++) {
		if (reading->events[i].kind == kind && index-- == 0) {
			return &reading->events[i];
		}
	}
	return NULL;
}

const struct event *kineto_reading_note(
	const struct kineto_reading *reading, enum event_note_kind kind, const char *part)
{
	for (size_t i = 0; i < reading->count; i++) {
		const struct event *event = &reading->events[i];

		if (event->kind == EVENT_IMPORT_NOTE && event->note.kind == kind &&
			strstr(event->note.text, part)) {
			return event;
		}
	}
	return NULL;
}

unsigned char *kineto_reading_gzip(const char *text, size_t size, size_t *out_size)
{
	z_stream stream = {.next_in = (unsigned char *)(uintptr_t)text, .avail_in = (uInt)size};
	const size_t room = size + size / 10 + 256;
	unsigned char *bytes = malloc(room);

	assert_non_null(bytes);
	stream.next_out = bytes;
	stream.avail_out = (uInt)room;
	assert_int_equal(
		deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
	assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
	*out_size = room - stream.avail_out;
	assert_int_equal(deflateEnd(&stream), Z_OK);
	return bytes;
}

void kineto_reading_finish(struct kineto_reading *reading)
{
	for (size_t i = 0; i < reading->count; i++) {
		own_texts(&reading->events[i], true);
	}
	free(reading->events);
	assert_int_equal(unlink(reading->path), 0);
	*reading = (struct kineto_reading){0};
}
