/* SPDX-License-Identifier: MIT */
/* What the parts of the nsys reader share: one row of a table becomes one event, or none. */
#pragma once

#include "analysis/import/import.h"
#include "analysis/import/nsys_database.h"
#include "analysis/import/nsys_devices.h"
#include "analysis/import/nsys_names.h"
#include "analysis/import/nsys_notes.h"
#include "analysis/import/nsys_table.h"

/* Stamps beyond 73 years either way are none; sums and differences of two others never wrap. */
#define NSYS_STAMP_MAX (INT64_C(1) << 61)

struct nsys_events;
struct nsys_ranges;

/* A table that is read row by row beside the others. */
struct nsys_stream {
	const struct nsys_source *source;
	struct nsys_table table;
	bool has_row;
	int64_t start;          /* of that row, as in the file */
	uint64_t useless_count; /* rows without a start, an end, a thread or a device */
	uint64_t endless_count; /* rows whose end is not in the file */
};

struct nsys_reader {
	struct import_reader reader;
	struct nsys_database database;
	struct nsys_names *names;
	struct nsys_notes notes;
	struct nsys_devices devices;
	struct nsys_events *events;
	struct nsys_ranges *ranges;
	struct nsys_stream *streams; /* one per source */
	struct nsys_table threads;   /* ThreadNames */
	struct nsys_stream *current; /* its row was told: the next call goes on in it */
	int64_t base;                /* the file's time that is 0 here */
	int64_t capture_end;         /* as in the file */
	bool has_capture_end;
	uint64_t time_ns; /* of the last event */
	bool has_held;    /* an operation waits until its device is told */
	struct event held;
	int stage;
	uint64_t cut_count; /* of texts that are not in StringIds */
	/* A text of the file, and a name made of it: both of one event. */
	char clean_text[NSYS_NAME_BYTES_MAX + 1];
	char text[2 * NSYS_NAME_BYTES_MAX];
};

/* Makes `event` (zero but for time_ns) from the stream's row. *out_has_event is false for a row
 * that is none: then it was counted. */
typedef enum status (*nsys_convert)(struct nsys_reader *reader, struct nsys_stream *stream,
	struct event *event, bool *out_has_event);

struct nsys_source {
	struct nsys_shape shape;
	uint32_t needed;  /* bits of columns without which the table is useless */
	bool is_device;   /* of operations of a device */
	const char *what; /* the evidence that is missing without it; NULL: then there was none */
	nsys_convert convert;
};

/* The order among rows of one instant is that of this list. */
enum nsys_source_index {
	NSYS_RANGES,
	NSYS_SCHED,
	NSYS_OS_CALLS,
	NSYS_CALLS,
	NSYS_OVERHEADS,
	NSYS_CUDA_OVERHEADS,
	NSYS_SYNCS,
	NSYS_GRAPHS,
	NSYS_KERNELS,
	NSYS_COPIES,
	NSYS_MEMSETS,
	NSYS_SOURCE_COUNT
};

extern const struct nsys_source nsys_operation_sources[4]; /* NSYS_GRAPHS on */
extern const struct nsys_source nsys_host_sources[6];      /* NSYS_SCHED on */
extern const struct nsys_source nsys_range_source;

/* From a globalTid or globalPid. */
static inline int32_t nsys_pid(uint64_t global)
{
	return (int32_t)(global >> 24 & 0xffffff);
}

static inline int32_t nsys_tid(uint64_t global)
{
	return (int32_t)(global & 0xffffff);
}

/* The text of a column that holds a number of StringIds, or the text itself. "" for neither. One
 * clean line, never longer than a name may be. */
MUST_CHECK enum status nsys_reader_name(struct nsys_reader *reader, const struct nsys_table *table,
	int column, const char **out_name);

/* When the row ended. One that has no end ended with the capture; false when that is not known
 * or the value is no time. An end before the start is given as it is, 0 at least. */
bool nsys_reader_end(
	struct nsys_reader *reader, struct nsys_stream *stream, int column, uint64_t *out_end_ns);

typedef enum status (*nsys_use_row)(
	struct nsys_reader *reader, const struct nsys_table *table, void *context);

/* Hands every row of a small table that has all its columns to `use`; damage becomes a note. */
MUST_CHECK enum status nsys_rows_each(struct nsys_reader *reader, const struct nsys_shape *shape,
	nsys_use_row use, void *context, struct diag *diag);
/* That a table which was read is damaged, if it is. */
MUST_CHECK enum status nsys_rows_note_damage(
	struct nsys_reader *reader, const struct nsys_table *table);

/* Facts of the file: what it is, since when it counts, what it lacks, what nsys said of it. */
MUST_CHECK enum status nsys_facts_read(struct nsys_reader *reader, struct diag *diag);
/* What was found while reading: as notes. */
MUST_CHECK enum status nsys_facts_close(struct nsys_reader *reader);
