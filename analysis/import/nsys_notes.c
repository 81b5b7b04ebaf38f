/* SPDX-License-Identifier: MIT */
#include "analysis/import/nsys_notes.h"

#include "trace/base/line.h"

#include <stdarg.h>
#include <stdlib.h>

enum status nsys_notes_add(struct nsys_notes *notes, enum event_note_kind kind, uint64_t count,
	const char *format, ...)
{
	struct nsys_note *note;
	va_list arguments;

	if (!notes->notes) {
		notes->notes = calloc(NSYS_NOTE_COUNT_MAX, sizeof(*notes->notes));
		if (!notes->notes) {
			return STATUS_NO_MEMORY;
		}
	}
	if (notes->count == NSYS_NOTE_COUNT_MAX) {
		notes->left_out++;
		return STATUS_OK;
	}
	note = &notes->notes[notes->count++];
	note->kind = kind;
	note->count = count;
	va_start(arguments, format);
	line_format(note->text, sizeof(note->text), format, arguments);
	va_end(arguments);
	return STATUS_OK;
}

bool nsys_notes_next(struct nsys_notes *notes, uint64_t time_ns, struct event *out_event)
{
	const struct nsys_note *note;

	if (notes->told == notes->count) {
		return false;
	}
	note = &notes->notes[notes->told++];
	*out_event = (struct event){
		.kind = EVENT_IMPORT_NOTE,
		.time_ns = time_ns,
		.note = {.kind = note->kind, .text = note->text, .count = note->count},
	};
	return true;
}

void nsys_notes_finish(struct nsys_notes *notes)
{
	free(notes->notes);
	*notes = (struct nsys_notes){0};
}
