/* SPDX-License-Identifier: MIT */
/*
 * Readers of traces that other tools recorded. A reader gives the engine's events one by one, in
 * order of time, from a file that it never holds in memory whole. What the file cannot tell, or
 * where it is damaged, comes as notes among the events, never as silence.
 *
 * The order: an operation of a device, a call, and a call of the system come at their start
 * (`time_ns` equals `start_ns`); a range as span_begin and span_end at its two ends; a thread's
 * name as a `state` (subject thread), a device's facts before its first operation. The first event
 * is a note of kind SOURCE. Watermarks are made by import_set and not by readers.
 */
#pragma once

#include "analysis/core/event.h"
#include "trace/base/cleanup.h"
#include "trace/base/diag.h"
#include "trace/base/status.h"

#include <stddef.h>

/* How much of a file a format may look at to know its own: past any header or first record. */
#define IMPORT_HEAD_BYTES_MAX 65536

struct import_reader;

struct import_reader_operations {
	/*
	 * Gives the next event; its strings are valid until the next call. *out_has_event is false
	 * at the end. A file that is damaged further on ends with a note, not with an error: errors
	 * are NO_MEMORY, IO and the like.
	 */
	enum status (*next)(struct import_reader *reader, struct event *out_event,
		bool *out_has_event, struct diag *diag);
	void (*destroy)(struct import_reader *reader);
};

/* What every reader begins with. */
struct import_reader {
	const struct import_reader_operations *operations;
	bool has_epoch;
	uint64_t epoch_ns; /* of the reader's time 0, since 1970: aligns several files of one job */
};

struct import_format {
	const char *name; /* of the component class source.gaptrace.<name> */
	const char *what; /* for people: "Nsight Systems (nsys export --type sqlite)" */
	/* Whether a file that begins with `head` is of this format; cheap, and never wrong for the
	 * files of another one. */
	bool (*recognise)(const unsigned char *head, size_t size);
	/* Gives a reader of the file; BAD_INPUT with file, place and mend when it is none. */
	enum status (*open)(const char *path, struct diag *diag, struct import_reader **out_reader);
	/* The same of several files that are parts of one; NULL when each file stands for itself.
	 */
	enum status (*open_together)(const char *const *paths, size_t count, struct diag *diag,
		struct import_reader **out_reader);
};

extern const struct import_format import_nsys;
extern const struct import_format import_kineto;
extern const struct import_format import_cuzk_log;

/* Accepts NULL. */
void import_reader_destroy(struct import_reader *reader);
DEFINE_AUTO(struct import_reader, import_reader_destroy)
