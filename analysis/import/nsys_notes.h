/* SPDX-License-Identifier: MIT */
/* What is to be said about the file, until the reader's next call hands it out. */
#pragma once

#include "analysis/core/event.h"
#include "trace/base/cleanup.h"
#include "trace/base/status.h"

#include <stddef.h>

/* Notes of one file: a page or two of a report. More are counted in the last one. */
#define NSYS_NOTE_COUNT_MAX 200

/* A line that a person reads. */
#define NSYS_NOTE_BYTES_MAX 400

struct nsys_note {
	enum event_note_kind kind;
	uint64_t count;
	char text[NSYS_NOTE_BYTES_MAX];
};

struct nsys_notes {
	struct nsys_note *notes;
	size_t count;
	size_t told;
	uint64_t left_out;
};

/* Adds a line, as line_format() writes it. */
MUST_CHECK enum status nsys_notes_add(struct nsys_notes *notes, enum event_note_kind kind,
	uint64_t count, const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Gives the next one as an event of that time; false when all were told. */
bool nsys_notes_next(struct nsys_notes *notes, uint64_t time_ns, struct event *out_event);

void nsys_notes_finish(struct nsys_notes *notes);
