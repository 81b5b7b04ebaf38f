/* SPDX-License-Identifier: MIT */
/* What the file says of itself and of its recording, and what can be said of the file. */
#include "analysis/import/nsys_ranges.h"
#include "analysis/import/nsys_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Warnings of nsys that are told; a report that has more says how many more. */
#define DIAGNOSTIC_COUNT_MAX 100

#define VERSION_BYTES 64

/* The schemas this reader was held against. Others are read by the names of their columns. */
#define SCHEMA_MAJOR     3
#define SCHEMA_MINOR_MIN 20
#define SCHEMA_MINOR_MAX 25

struct versions {
	char product[VERSION_BYTES];
	char schema[VERSION_BYTES];
};

static enum status use_version(
	struct nsys_reader *reader, const struct nsys_table *table, void *context)
{
	struct versions *versions = context;
	const char *name = nsys_table_text(table, 0);
	const char *value = nsys_table_text(table, 1);
	char *to;

	(void)reader;
	if (name && value) {
		to = strcmp(name, "EXPORT_SCHEMA_VERSION") == 0 ? versions->schema
								: versions->product;
		(void)snprintf(to, VERSION_BYTES, "%s", value);
	}
	return STATUS_OK;
}

static enum status note_versions(struct nsys_reader *reader, struct diag *diag)
{
	static const struct nsys_shape shape = {
		.table = "META_DATA_EXPORT",
		.columns = {"name", "value"},
		.only = "name IN ('EXPORT_SCHEMA_VERSION','EXPORT_PRODUCT_VERSION')",
	};
	struct versions versions = {.product = ""};
	char *rest = NULL;
	long major;
	long minor;
	enum status status = nsys_rows_each(reader, &shape, use_version, &versions, diag);

	if (status == STATUS_OK) {
		status = nsys_notes_add(&reader->notes, EVENT_NOTE_SOURCE, 0,
			"Nsight Systems%s%s, exported to SQLite with schema %s",
			versions.product[0] ? " " : "", versions.product,
			versions.schema[0] ? versions.schema : "unknown");
	}
	major = strtol(versions.schema, &rest, 10);
	minor = rest && *rest == '.' ? strtol(rest + 1, NULL, 10) : -1;
	if (status == STATUS_OK &&
		(major != SCHEMA_MAJOR || minor < SCHEMA_MINOR_MIN || minor > SCHEMA_MINOR_MAX)) {
		status = nsys_notes_add(&reader->notes, EVENT_NOTE_FACT, 0,
			"this schema is not one of %d.%d to %d.%d: read by the names of its "
			"columns",
			SCHEMA_MAJOR, SCHEMA_MINOR_MIN, SCHEMA_MAJOR, SCHEMA_MINOR_MAX);
	}
	return status;
}

static enum status use_epoch(
	struct nsys_reader *reader, const struct nsys_table *table, void *context)
{
	int64_t epoch;

	(void)context;
	if (nsys_table_integer(table, 0, &epoch) && epoch > 0 && epoch < NSYS_STAMP_MAX) {
		reader->reader.has_epoch = true;
		reader->reader.epoch_ns = (uint64_t)epoch;
	}
	return STATUS_OK;
}

static enum status use_duration(
	struct nsys_reader *reader, const struct nsys_table *table, void *context)
{
	int64_t duration;

	(void)context;
	if (nsys_table_integer(table, 0, &duration) && duration > 0 && duration < NSYS_STAMP_MAX) {
		reader->has_capture_end = true;
		reader->capture_end = duration;
	}
	return STATUS_OK;
}

/* nsys warns that there might be losses whenever a capture ends before its program does; only
 * what it says to be lost is. */
static bool says_lost(const char *text)
{
	static const char *const words[] = {"lost", "dropped", "discarded", "overflow",
		"not collected", "incomplete", "missed"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcasestr(text, words[i])) {
			return true;
		}
	}
	return false;
}

/* The number in a text that has just one, 0 in others: nobody knows what they count. */
static uint64_t only_number(const char *text)
{
	static const char digits[] = "0123456789";
	const char *number = text + strcspn(text, digits);
	const size_t length = strspn(number, digits);
	const char *rest = number + length;

	return length > 0 && length < 19 && rest[strcspn(rest, digits)] == '\0'
		       ? strtoull(number, NULL, 10)
		       : 0;
}

struct diagnostics {
	uint64_t count;
	bool is_loss_left_out; /* some of those that are not told say that something is lost */
};

static enum status use_diagnostic(
	struct nsys_reader *reader, const struct nsys_table *table, void *context)
{
	struct diagnostics *diagnostics = context;
	const char *text = nsys_table_text(table, 2);
	const bool is_lost = text && says_lost(text);

	if (!text) {
		return STATUS_OK;
	}
	if (++diagnostics->count > DIAGNOSTIC_COUNT_MAX) {
		diagnostics->is_loss_left_out |= is_lost;
		return STATUS_OK;
	}
	return nsys_notes_add(&reader->notes, is_lost ? EVENT_NOTE_LOST : EVENT_NOTE_FACT,
		is_lost ? only_number(text) : 0, "nsys: %s", text);
}

static enum status note_diagnostics(struct nsys_reader *reader, struct diag *diag)
{
	static const struct nsys_shape shape = {
		.table = "DIAGNOSTIC_EVENT",
		.columns = {"timestamp", "severity", "text"},
		.only = "severity IN (2,3)", /* warnings and errors */
	};
	struct diagnostics diagnostics = {0};
	enum status status = nsys_rows_each(reader, &shape, use_diagnostic, &diagnostics, diag);

	if (status == STATUS_OK && diagnostics.count > DIAGNOSTIC_COUNT_MAX) {
		status = nsys_notes_add(&reader->notes,
			diagnostics.is_loss_left_out ? EVENT_NOTE_LOST : EVENT_NOTE_FACT, 0,
			"nsys: %llu more warnings",
			(unsigned long long)(diagnostics.count - DIAGNOSTIC_COUNT_MAX));
	}
	return status;
}

/* What of a table could not be read, and what it lacks. */
static enum status note_table(struct nsys_reader *reader, const struct nsys_table *table)
{
	enum status status = STATUS_OK;

	if (table->state == NSYS_TABLE_USELESS) {
		return nsys_notes_add(&reader->notes, EVENT_NOTE_UNREADABLE, 0, "%s: %s; not read",
			table->shape->table, table->fault);
	}
	for (int column = 0; column < NSYS_COLUMNS_MAX && status == STATUS_OK; column++) {
		if (table->missing >> column & 1) {
			status = nsys_notes_add(&reader->notes, EVENT_NOTE_FACT, 0,
				"%s: no column '%s'", table->shape->table,
				table->shape->columns[column]);
		}
	}
	return status;
}

/* Which tables there are: what is not there cannot be a cause. nsys writes no empty tables, so
 * that without one of operations there were none. */
static enum status note_tables(struct nsys_reader *reader)
{
	char absent[NSYS_NOTE_BYTES_MAX] = "";
	size_t used = 0;
	bool has_device = false;
	enum status status = STATUS_OK;

	for (int i = 0; i < NSYS_SOURCE_COUNT && status == STATUS_OK; i++) {
		const struct nsys_stream *stream = &reader->streams[i];

		if (stream->table.state == NSYS_TABLE_ABSENT && stream->source->what) {
			used += (size_t)snprintf(absent + used, sizeof(absent) - used, "%s%s",
				used > 0 ? ", " : "", stream->source->what);
		}
		status = note_table(reader, &stream->table);
		has_device |= stream->source->is_device && stream->has_row;
	}
	if (status == STATUS_OK && used > 0) {
		status = nsys_notes_add(
			&reader->notes, EVENT_NOTE_FACT, 0, "not in the file: %s", absent);
	}
	if (status == STATUS_OK && !has_device) {
		status = nsys_notes_add(&reader->notes, EVENT_NOTE_FACT, 0,
			"no operation of a GPU in the file: "
			"was it recorded with --trace=cuda, and did the capture meet any?");
	}
	if (status == STATUS_OK && has_device && !reader->streams[NSYS_KERNELS].has_row &&
		!reader->streams[NSYS_GRAPHS].has_row) {
		status = nsys_notes_add(&reader->notes, EVENT_NOTE_FACT, 0,
			"no kernels in the file, only copies or memsets");
	}
	return status;
}

static enum status note_file(struct nsys_reader *reader)
{
	const struct nsys_database *database = &reader->database;
	const uint64_t whole_bytes = database->file_bytes + database->missing_bytes;
	enum status status = STATUS_OK;

	if (database->missing_bytes > 0) {
		status = nsys_notes_add(&reader->notes, EVENT_NOTE_UNREADABLE, 0,
			"the file was cut: %llu of %llu bytes are missing",
			(unsigned long long)database->missing_bytes,
			(unsigned long long)whole_bytes);
	}
	if (status == STATUS_OK && database->is_partial) {
		status = nsys_notes_add(&reader->notes, EVENT_NOTE_UNREADABLE, 0,
			"the list of tables is damaged: tables may be missing");
	}
	if (status == STATUS_OK && database->has_log) {
		status = nsys_notes_add(&reader->notes, EVENT_NOTE_UNREADABLE, 0,
			"a program that wrote to the file left rows in its -wal file, which are "
			"not read: open it with sqlite3 once");
	}
	if (status == STATUS_OK && database->has_journal) {
		status = nsys_notes_add(&reader->notes, EVENT_NOTE_UNREADABLE, 0,
			"whoever wrote the file has not ended, or died over it: a -journal file "
			"lies beside it; export the report again");
	}
	if (status == STATUS_OK && !nsys_names_has_table(reader->names)) {
		status = nsys_notes_add(&reader->notes, EVENT_NOTE_UNREADABLE, 0,
			"StringIds: not there or without its key: names are missing");
	}
	if (status == STATUS_OK && reader->base < 0) {
		status = nsys_notes_add(&reader->notes, EVENT_NOTE_FACT, 0,
			"time 0 is that of the first row, %lld ns before the capture's",
			(long long)-reader->base);
	}
	return status;
}

enum status nsys_facts_read(struct nsys_reader *reader, struct diag *diag)
{
	static const struct nsys_shape epoch = {
		.table = "TARGET_INFO_SESSION_START_TIME",
		.columns = {"utcEpochNs"},
	};
	static const struct nsys_shape duration = {
		.table = "ANALYSIS_DETAILS",
		.columns = {"duration"},
	};
	enum status status = note_versions(reader, diag);

	if (status == STATUS_OK) {
		status = nsys_rows_each(reader, &epoch, use_epoch, NULL, diag);
	}
	if (status == STATUS_OK) {
		status = nsys_rows_each(reader, &duration, use_duration, NULL, diag);
	}
	if (status == STATUS_OK) {
		status = note_file(reader);
	}
	if (status == STATUS_OK) {
		status = note_tables(reader);
	}
	return status == STATUS_OK ? note_diagnostics(reader, diag) : status;
}

static enum status close_stream(struct nsys_reader *reader, const struct nsys_stream *stream)
{
	const struct nsys_table *table = &stream->table;
	enum status status = STATUS_OK;

	if (table->state != NSYS_TABLE_USELESS) {
		status = nsys_rows_note_damage(reader, table);
	}
	if (status == STATUS_OK && stream->useless_count > 0) {
		status = nsys_notes_add(&reader->notes, EVENT_NOTE_LOST, stream->useless_count,
			"%s: %llu rows without a usable time, thread or device left out",
			table->shape->table, (unsigned long long)stream->useless_count);
	}
	if (status == STATUS_OK && stream->endless_count > 0) {
		status = nsys_notes_add(&reader->notes, EVENT_NOTE_FACT, 0,
			"%s: %llu rows have no end: %s", table->shape->table,
			(unsigned long long)stream->endless_count,
			reader->has_capture_end ? "taken as lasting until the capture's"
						: "left out, since the capture's is not known");
	}
	return status;
}

static enum status close_ranges(struct nsys_reader *reader)
{
	const struct nsys_range_counts counts = nsys_ranges_counts(reader->ranges);
	const struct {
		uint64_t count;
		enum event_note_kind kind;
		const char *text;
	} lines[] = {
		{counts.marks, EVENT_NOTE_FACT, "NVTX marks, which last no time: left out"},
		{counts.across_threads, EVENT_NOTE_FACT,
			"NVTX ranges that end on another thread: left out"},
		{counts.overlapping, EVENT_NOTE_FACT,
			"NVTX start/end ranges that do not nest in their thread's: left out"},
		{counts.crossing, EVENT_NOTE_FACT,
			"NVTX push/pop ranges end after the one they began in"},
		{counts.unended, EVENT_NOTE_FACT, "NVTX ranges have no end"},
		{counts.too_many, EVENT_NOTE_LOST, "NVTX ranges too many at once: left out"},
	};
	enum status status = STATUS_OK;

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]) && status == STATUS_OK; i++) {
		if (lines[i].count > 0) {
			status = nsys_notes_add(&reader->notes, lines[i].kind,
				lines[i].kind == EVENT_NOTE_LOST ? lines[i].count : 0, "%llu %s",
				(unsigned long long)lines[i].count, lines[i].text);
		}
	}
	return status;
}

static enum status close_names(struct nsys_reader *reader)
{
	const uint64_t cut = nsys_names_cut_count(reader->names) + reader->cut_count;
	const uint64_t unknown = nsys_names_unknown_count(reader->names);
	enum status status = STATUS_OK;

	if (cut > 0) {
		status = nsys_notes_add(&reader->notes, EVENT_NOTE_FACT, 0,
			"%llu names are longer than %d bytes: cut", (unsigned long long)cut,
			NSYS_NAME_BYTES_MAX);
	}
	if (status == STATUS_OK && unknown > 0 && nsys_names_has_table(reader->names)) {
		status = nsys_notes_add(&reader->notes, EVENT_NOTE_FACT, 0,
			"%llu names are not in StringIds", (unsigned long long)unknown);
	}
	return status;
}

enum status nsys_facts_close(struct nsys_reader *reader)
{
	enum status status = close_names(reader);

	for (int i = 0; i < NSYS_SOURCE_COUNT && status == STATUS_OK; i++) {
		status = close_stream(reader, &reader->streams[i]);
	}
	if (status == STATUS_OK && reader->devices.was_assumed) {
		status = nsys_notes_add(&reader->notes, EVENT_NOTE_FACT, 0,
			"the file does not say which GPU a process calls device N: "
			"taken for the machine's GPU N");
	}
	if (status == STATUS_OK && nsys_database_has_changed(&reader->database)) {
		status = nsys_notes_add(&reader->notes, EVENT_NOTE_UNREADABLE, 0,
			"the file was written to while it was read: wait for its end");
	}
	if (status == STATUS_OK) {
		status = nsys_rows_note_damage(reader, &reader->threads);
	}
	return status == STATUS_OK ? close_ranges(reader) : status;
}
