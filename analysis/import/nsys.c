/* SPDX-License-Identifier: MIT */
/*
 * Reads what Nsight Systems recorded, from the SQLite file of `nsys export`. Each table is read in
 * order of time by one statement; the rows of all of them are merged here.
 */
#include "analysis/import/nsys_events.h"
#include "analysis/import/nsys_ranges.h"
#include "analysis/import/nsys_reader.h"
#include "trace/base/line.h"
#include "trace/base/utf8.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum stage {
	STAGE_FACTS,
	STAGE_THREADS,
	STAGE_ROWS,
	STAGE_CLOSING,
	STAGE_ENDED,
};

enum thread_column {
	THREAD_ID,
	THREAD_NAME,
};

static const struct nsys_shape threads_shape = {
	.table = "ThreadNames",
	.columns = {"globalTid", "nameId"},
};

static const struct nsys_source *source_at(int index)
{
	if (index == NSYS_RANGES) {
		return &nsys_range_source;
	}
	return index < NSYS_GRAPHS ? &nsys_host_sources[index - NSYS_SCHED]
				   : &nsys_operation_sources[index - NSYS_GRAPHS];
}

enum status nsys_reader_name(struct nsys_reader *reader, const struct nsys_table *table, int column,
	const char **out_name)
{
	const char *text;
	size_t size;
	size_t clipped;
	int64_t id;

	if (nsys_table_integer(table, column, &id)) {
		return nsys_names_get(reader->names, id, out_name);
	}
	text = nsys_table_text(table, column);
	text = text ? text : "";
	size = strlen(text);
	clipped = utf8_clip(text, size, NSYS_NAME_BYTES_MAX);
	reader->cut_count += clipped < size;
	memcpy(reader->clean_text, text, clipped);
	reader->clean_text[clipped] = '\0';
	line_clean(reader->clean_text, clipped);
	*out_name = reader->clean_text;
	return STATUS_OK;
}

static bool is_stamp(int64_t value)
{
	return value > -NSYS_STAMP_MAX && value < NSYS_STAMP_MAX;
}

bool nsys_reader_end(
	struct nsys_reader *reader, struct nsys_stream *stream, int column, uint64_t *out_end_ns)
{
	int64_t end;

	if (nsys_table_is_null(&stream->table, column)) {
		stream->endless_count++;
		if (!reader->has_capture_end || reader->capture_end < stream->start) {
			return false;
		}
		end = reader->capture_end;
	} else if (!nsys_table_integer(&stream->table, column, &end) || !is_stamp(end)) {
		return false;
	}
	*out_end_ns = end > reader->base ? (uint64_t)(end - reader->base) : 0;
	return true;
}

/* Goes to the next row of a stream that has a start. */
static enum status advance(
	struct nsys_reader *reader, struct nsys_stream *stream, struct diag *diag)
{
	enum status status = STATUS_OK;

	stream->has_row = false;
	while (!stream->has_row && stream->table.state == NSYS_TABLE_OPEN) {
		status = nsys_table_step(&reader->database, &stream->table, diag);
		if (status != STATUS_OK || stream->table.state != NSYS_TABLE_OPEN) {
			return status;
		}
		stream->has_row = nsys_table_integer(&stream->table, 0, &stream->start) &&
				  is_stamp(stream->start);
		stream->useless_count += !stream->has_row;
	}
	return status;
}

static enum status open_streams(struct nsys_reader *reader, struct diag *diag, bool *out_has_table)
{
	enum status status = STATUS_OK;

	*out_has_table = false;
	reader->streams = calloc(NSYS_SOURCE_COUNT, sizeof(*reader->streams));
	if (!reader->streams) {
		return STATUS_NO_MEMORY;
	}
	for (int i = 0; i < NSYS_SOURCE_COUNT && status == STATUS_OK; i++) {
		struct nsys_stream *stream = &reader->streams[i];

		stream->source = source_at(i);
		status = nsys_table_open(&reader->database, &stream->source->shape,
			stream->source->needed, &stream->table);
		*out_has_table |= stream->table.state != NSYS_TABLE_ABSENT;
	}
	for (int i = 0; i < NSYS_SOURCE_COUNT && status == STATUS_OK; i++) {
		struct nsys_stream *stream = &reader->streams[i];

		status = advance(reader, stream, diag);
		if (stream->has_row && stream->start < reader->base) {
			reader->base = stream->start;
		}
	}
	return status;
}

/* The stream whose row comes next; of those of one instant the first in the list. */
static struct nsys_stream *earliest(const struct nsys_reader *reader)
{
	struct nsys_stream *first = NULL;

	for (int i = 0; i < NSYS_SOURCE_COUNT; i++) {
		struct nsys_stream *stream = &reader->streams[i];

		if (stream->has_row && (!first || stream->start < first->start)) {
			first = stream;
		}
	}
	return first;
}

/* Refuses what is none of nsys's exports, with what it is. */
static enum status check_tables(
	struct nsys_database *database, bool has_table, const char *path, struct diag *diag)
{
	if (!has_table && database->has_log) {
		return diag_set(diag, STATUS_BAD_INPUT,
			"%s: tables: none but in %s-wal, which is not read: open the file with "
			"sqlite3 once",
			path, path);
	}
	if (!has_table) {
		return diag_set(diag, STATUS_BAD_INPUT,
			"%s: tables: none of those that nsys export --type sqlite makes; "
			"give a file made by it",
			path);
	}
	/* Its tables have the same names, but count kinds of memory as CUPTI does. */
	if (nsys_database_has_table(database, "StringTable") &&
		!nsys_database_has_table(database, "StringIds")) {
		return diag_set(diag, STATUS_BAD_INPUT,
			"%s: it seems to be of nvprof or the Visual Profiler, which is not read: "
			"record with nsys profile",
			path);
	}
	return STATUS_OK;
}

static enum status open_parts(struct nsys_reader *reader, const char *path, struct diag *diag)
{
	const struct nsys_stream *first;
	bool has_table = false;
	enum status status = nsys_database_open(&reader->database, path, diag);

	if (status == STATUS_OK) {
		status = nsys_names_create(&reader->database, &reader->names);
	}
	if (status == STATUS_OK) {
		status = nsys_ranges_create(&reader->ranges);
	}
	if (status == STATUS_OK) {
		status = open_streams(reader, diag, &has_table);
	}
	if (status == STATUS_OK) {
		status = check_tables(&reader->database, has_table, path, diag);
	}
	if (status == STATUS_OK) {
		status = nsys_events_create(&reader->database, &reader->events);
	}
	/* Its first note is what the file is. */
	if (status == STATUS_OK) {
		status = nsys_facts_read(reader, diag);
	}
	if (status == STATUS_OK) {
		status = nsys_devices_read(reader, diag);
	}
	if (status == STATUS_OK) {
		status = nsys_ranges_read_domains(reader, diag);
	}
	if (status == STATUS_OK) {
		status = nsys_table_open(&reader->database, &threads_shape, 3, &reader->threads);
	}
	if (status == STATUS_OK) {
		first = earliest(reader);
		reader->time_ns = first ? (uint64_t)(first->start - reader->base) : 0;
		reader->reader.epoch_ns += (uint64_t)reader->base;
	}
	return status;
}

/* A device is told before its first operation, which waits for the next call. */
static bool hold_operation(struct nsys_reader *reader, struct nsys_stream *stream,
	const struct event_operation *operation, struct event *event, bool *out_has_event)
{
	struct nsys_device_pair *pair =
		nsys_devices_get(&reader->devices, event->pid, operation->device);
	const struct nsys_gpu *gpu;

	if (!pair) {
		stream->useless_count++;
		*out_has_event = false;
		return false;
	}
	if (pair->is_told) {
		return false;
	}
	pair->is_told = true;
	reader->held = *event;
	reader->has_held = true;
	gpu = nsys_devices_gpu(&reader->devices, pair);
	*event = (struct event){
		.kind = EVENT_GPU_DEVICE,
		.time_ns = reader->held.time_ns,
		.pid = reader->held.pid,
		.device = {.device = pair->ordinal,
			.backend = GAPTRACE_BACKEND_CUDA,
			.uuid = nsys_devices_uuid(gpu, pair),
			.name = gpu ? gpu->name : "",
			.link = gpu ? gpu->link : ""},
	};
	return true;
}

static enum status read_row(
	struct nsys_reader *reader, struct nsys_stream *stream, struct event *event, bool *out_has)
{
	enum status status;

	reader->current = stream;
	*event = (struct event){.time_ns = (uint64_t)(stream->start - reader->base)};
	status = stream->source->convert(reader, stream, event, out_has);
	if (status == STATUS_OK && *out_has && stream->source->is_device) {
		(void)hold_operation(reader, stream,
			event->kind == EVENT_GPU_KERNEL ? &event->kernel.operation
							: &event->copy.operation,
			event, out_has);
	}
	return status;
}

/* The end of a range or a row, whichever is first. *out_is_end when neither is left. */
static enum status take_one(
	struct nsys_reader *reader, struct event *event, bool *out_has, bool *out_is_end)
{
	struct nsys_stream *stream = earliest(reader);
	uint64_t end_ns;

	if (nsys_ranges_next_end(reader->ranges, &end_ns) &&
		(!stream || end_ns <= (uint64_t)(stream->start - reader->base))) {
		nsys_ranges_end(reader->ranges, event);
		*out_has = true;
		return STATUS_OK;
	}
	*out_is_end = stream == NULL;
	return stream ? read_row(reader, stream, event, out_has) : STATUS_OK;
}

/* The next event of the tables; rows that are none are passed over. */
static enum status next_row(
	struct nsys_reader *reader, struct event *event, bool *out_has, struct diag *diag)
{
	enum status status = STATUS_OK;
	bool is_end = false;

	*out_has = reader->has_held;
	if (reader->has_held) {
		*event = reader->held;
		reader->has_held = false;
		return STATUS_OK;
	}
	while (!*out_has && !is_end && status == STATUS_OK) {
		if (reader->current) {
			status = advance(reader, reader->current, diag);
			reader->current = NULL;
		}
		if (status == STATUS_OK) {
			status = take_one(reader, event, out_has, &is_end);
		}
	}
	return status;
}

static enum status next_thread(
	struct nsys_reader *reader, struct event *event, bool *out_has, struct diag *diag)
{
	enum status status = STATUS_OK;
	const char *name = NULL;
	int64_t thread;

	*out_has = false;
	while (!*out_has && reader->threads.state == NSYS_TABLE_OPEN) {
		status = nsys_table_step(&reader->database, &reader->threads, diag);
		if (status != STATUS_OK || reader->threads.state != NSYS_TABLE_OPEN) {
			return status;
		}
		if (!nsys_table_integer(&reader->threads, THREAD_ID, &thread)) {
			continue;
		}
		nsys_names_trim(reader->names);
		status = nsys_reader_name(reader, &reader->threads, THREAD_NAME, &name);
		if (status != STATUS_OK) {
			return status;
		}
		*out_has = name[0] != '\0';
	}
	if (*out_has) {
		*event = (struct event){
			.kind = EVENT_STATE,
			.time_ns = reader->time_ns,
			.pid = nsys_pid((uint64_t)thread),
			.tid = nsys_tid((uint64_t)thread),
			.state = {.subject = GAPTRACE_STATE_THREAD,
				.name = name,
				.work = {.partition = GAPTRACE_NONE, .device = GAPTRACE_NONE},
				.tid = nsys_tid((uint64_t)thread)},
		};
	}
	return status;
}

static enum status next_of_stage(
	struct nsys_reader *reader, struct event *event, bool *out_has, struct diag *diag)
{
	switch (reader->stage) {
	case STAGE_THREADS:
		return next_thread(reader, event, out_has, diag);
	case STAGE_ROWS:
		if (!reader->has_held) {
			nsys_names_trim(reader->names);
		}
		return next_row(reader, event, out_has, diag);
	case STAGE_FACTS:
	case STAGE_CLOSING:
	case STAGE_ENDED:
	default:
		*out_has = nsys_notes_next(&reader->notes, reader->time_ns, event);
		return STATUS_OK;
	}
}

static enum status next_stage(struct nsys_reader *reader)
{
	reader->stage++;
	return reader->stage == STAGE_CLOSING ? nsys_facts_close(reader) : STATUS_OK;
}

static enum status next_event(
	struct import_reader *base, struct event *out_event, bool *out_has_event, struct diag *diag)
{
	struct nsys_reader *reader = (struct nsys_reader *)base;
	struct event event;
	bool has_event = false;
	enum status status = STATUS_OK;

	while (!has_event && reader->stage < STAGE_ENDED && status == STATUS_OK) {
		status = next_of_stage(reader, &event, &has_event, diag);
		if (status == STATUS_OK && !has_event) {
			status = next_stage(reader);
		}
	}
	if (status != STATUS_OK) {
		return status;
	}
	if (has_event) {
		assert(event.time_ns >= reader->time_ns);
		reader->time_ns = event.time_ns;
		*out_event = event;
	}
	*out_has_event = has_event;
	return STATUS_OK;
}

static void destroy(struct import_reader *base)
{
	struct nsys_reader *reader = (struct nsys_reader *)base;

	for (int i = 0; reader->streams && i < NSYS_SOURCE_COUNT; i++) {
		nsys_table_close(&reader->streams[i].table);
	}
	free(reader->streams);
	nsys_table_close(&reader->threads);
	nsys_names_destroy(reader->names);
	nsys_events_destroy(reader->events);
	nsys_ranges_destroy(reader->ranges);
	nsys_notes_finish(&reader->notes);
	nsys_database_close(&reader->database);
	free(reader);
}

static const struct import_reader_operations operations = {
	.next = next_event,
	.destroy = destroy,
};

static enum status open_reader(
	const char *path, struct diag *diag, struct import_reader **out_reader)
{
	struct nsys_reader *reader = calloc(1, sizeof(*reader));
	enum status status;

	if (!reader) {
		return STATUS_NO_MEMORY;
	}
	reader->reader.operations = &operations;
	status = open_parts(reader, path, diag);
	if (status != STATUS_OK) {
		destroy(&reader->reader);
		return status;
	}
	*out_reader = &reader->reader;
	return STATUS_OK;
}

/* Any SQLite file: whether it has nsys's tables stands far behind its head. */
static bool recognise(const unsigned char *head, size_t size)
{
	return size >= 16 && memcmp(head, "SQLite format 3", 16) == 0;
}

const struct import_format import_nsys = {
	.name = "nsys",
	.what = "Nsight Systems (nsys export --type sqlite)",
	.recognise = recognise,
	.open = open_reader,
};
