/* SPDX-License-Identifier: MIT */
/*
 * Bytes taken for a Kineto trace: whatever they are, events come in order of time, ranges close as
 * they opened, every text is short, and a file that is refused is named.
 */
#include "analysis/core/event_fields.h"
#include "analysis/import/import.h"
#include "trace/base/limits.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool is_true)
{
	if (!is_true) {
		abort();
	}
}

static void check_texts(const struct event *event)
{
	const struct event_field *field = event_fields_of(event->kind)->fields;

	for (; field->name; field++) {
		const char *text;

		if (field->storage == FIELD_STRING) {
			memcpy(&text, (const char *)event + field->offset, sizeof(text));
			require(text && strlen(text) < NAME_BYTES_MAX);
		}
	}
}

static void check_events(struct import_reader *reader)
{
	struct event event;
	uint64_t last_ns = 0;
	int64_t open = 0;
	uint64_t count = 0;
	bool has_event = true;

	while (has_event) {
		require(reader->operations->next(reader, &event, &has_event, NULL) == STATUS_OK);
		if (!has_event) {
			break;
		}
		require(event.time_ns >= last_ns);
		require(count > 0 ||
			(event.kind == EVENT_IMPORT_NOTE && event.note.kind == EVENT_NOTE_SOURCE));
		check_texts(&event);
		open += event.kind == EVENT_SPAN_BEGIN;
		open -= event.kind == EVENT_SPAN_END;
		require(open >= 0);
		require(event.kind != EVENT_SPAN_END || event.span.duration_ns <= event.time_ns);
		require(event.kind != EVENT_GPU_API || event.api.start_ns <= event.api.end_ns);
		last_ns = event.time_ns;
		count++;
	}
	require(open == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO(import_reader_destroy) struct import_reader *reader = NULL;
	struct diag diag = {0};
	char path[64];
	const int fd = memfd_create("kineto", MFD_CLOEXEC);
	enum status status;

	require(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	(void)import_kineto.recognise(
		data, size < IMPORT_HEAD_BYTES_MAX ? size : IMPORT_HEAD_BYTES_MAX);
	status = import_kineto.open(path, &diag, &reader);
	if (status == STATUS_OK) {
		check_events(reader);
	} else {
		require(status == STATUS_BAD_INPUT && strstr(diag.line, path));
	}
	require(close(fd) == 0);
	return 0;
}
