/* SPDX-License-Identifier: MIT */
/* What the reader of Kineto traces makes of a text, kept so that a test can look at all of it. */
#pragma once

#include "analysis/import/import.h"

#include <stddef.h>

struct kineto_reading {
	char path[64]; /* of the file that was written, removed by kineto_reading_finish */
	enum status status;
	struct diag diag;
	struct event *events; /* with texts of their own */
	size_t count;
	bool has_epoch;
	uint64_t epoch_ns;
};

/* Writes `size` bytes to a file and reads them; checks that events come in order of time. */
struct kineto_reading kineto_reading_of(const void *bytes, size_t size);

struct kineto_reading kineto_reading_of_text(const char *text);

/* Events of `kind`, and the one of them with number `index`; NULL when there are not so many. */
size_t kineto_reading_count(const struct kineto_reading *reading, enum event_kind kind);
const struct event *kineto_reading_get(
	const struct kineto_reading *reading, enum event_kind kind, size_t index);

/* The first note of that kind whose text contains `part`, or NULL. */
const struct event *kineto_reading_note(
	const struct kineto_reading *reading, enum event_note_kind kind, const char *part);

/* `text` as one member of a gzip file; the caller frees it. */
unsigned char *kineto_reading_gzip(const char *text, size_t size, size_t *out_size);

void kineto_reading_finish(struct kineto_reading *reading);
