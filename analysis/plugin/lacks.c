/* SPDX-License-Identifier: MIT */
#include "analysis/plugin/lacks.h"

#include "analysis/core/duration.h"
#include "trace/base/array.h"
#include "trace/base/clock.h"
#include "trace/base/diag.h"
#include "trace/base/recording_mark.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* From folder/ust/pid/NAME or folder/ust/uid/N/64-bit up to "ust", beside which the mark lies. */
#define MARK_LEVELS_MAX 4

/* Streams of a channel are numbered by CPU; Linux has no more, and a larger number is damage. */
#define CPU_COUNT_MAX 8192

/* A snapshot writes its streams out one after the other while events go on: one that took longer
 * was not seen on hosts whose CPUs all were busy. */
#define SNAPSHOT_NS NS_PER_S

/* Clocks of the CPUs agree to far less, and between the last event and a stop the session daemon
 * asks each program to stop. */
#define CLOCKS_NS (10 * NS_PER_US)

/* Nobody knows when the events of the last packet were; that long is more than any stop takes. */
#define STOP_NS (10 * NS_PER_S)

/* Files, in order of their trace, channel and stream, then of folder and packets. */
struct file_range {
	const struct plain_files *files;
	const struct plain_file *const *begin;
	const struct plain_file *const *end;
};

/* What is known of one trace. */
struct trace_facts {
	struct file_range range;
	const uint8_t *uuid;
	const struct plain_folder *folder; /* one of them */
	uint64_t begin;
	uint64_t end;
	uint64_t events_begin;  /* of the last packet that has events, of all streams */
	uint64_t channel_count; /* that there are, or that the metadata knows */
	uint64_t stream_count;
	uint64_t cpu_count;
	bool has_empty_files;
	bool has_mark; /* gaptrace record ended the session */
	bool is_ended; /* the session was ended, or stopped, when the last packets were written */
};

static bool is_same_trace(const struct plain_file *a, const struct plain_file *b)
{
	return memcmp(a->key.uuid, b->key.uuid, PLAIN_UUID_BYTES) == 0;
}

static bool is_same_channel(const struct plain_file *a, const struct plain_file *b)
{
	return is_same_trace(a, b) && a->key.class_id == b->key.class_id;
}

static bool is_same_stream(const struct plain_file *a, const struct plain_file *b)
{
	return is_same_channel(a, b) && a->key.stream_id == b->key.stream_id;
}

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_files(const void *left, const void *right)
{
	const struct plain_file *a = *(const struct plain_file *const *)left;
	const struct plain_file *b = *(const struct plain_file *const *)right;
	int order = memcmp(a->key.uuid, b->key.uuid, PLAIN_UUID_BYTES);

	order = order ? order : compare_numbers(a->key.class_id, b->key.class_id);
	order = order ? order : compare_numbers(a->key.stream_id, b->key.stream_id);
	order = order ? order : compare_numbers(a->folder, b->folder);
	order = order ? order : compare_numbers(a->first.sequence, b->first.sequence);
	return order ? order : strcmp(a->path, b->path);
}

static const struct plain_folder *folder_of(
	const struct plain_files *files, const struct plain_file *file)
{
	return &files->folders[file->folder];
}

/* Those at its begin that are alike. */
static struct file_range take(const struct file_range *range,
	bool (*is_alike)(const struct plain_file *a, const struct plain_file *b))
{
	struct file_range taken = *range;

	while (taken.begin < range->end && is_alike(*range->begin, *taken.begin)) {
		taken.begin++;
	}
	return (struct file_range){range->files, range->begin, taken.begin};
}

static bool has_mark_file(const char *folder)
{
	char *path = NULL;
	bool is_found = false;

	if (asprintf(&path, "%s/" RECORDING_MARK_FILE, folder) >= 0) {
		is_found = access(path, F_OK) == 0;
		free(path);
	}
	return is_found;
}

/* Beside the "ust" that the folder of streams lies in: further up it is another recording's. A
 * chunk of a rotated session lies in "archives", has none and ends before the session does. */
static bool find_mark(const char *folder)
{
	char *path = realpath(folder, NULL);
	bool is_found = false;
	bool is_above = false;

	/* The root is an empty path then. */
	for (int level = 0; path && *path && level < MARK_LEVELS_MAX && !is_above; level++) {
		char *slash = strrchr(path, '/');

		is_above = strcmp(slash, "/ust") == 0;
		*slash = '\0';
	}
	if (is_above) {
		is_found = has_mark_file(path);
	}
	free(path);
	return is_found;
}

/* Only a stop, and a snapshot, make a packet in which not even time passed: what is written out at
 * intervals has events, or was begun before. A snapshot is not of one time, least of all where many
 * streams go to a slow disk. */
static bool ends_with_stop(const struct plain_file *file)
{
	return file->is_whole && file->last.begin == file->last.end &&
	       file->last.content_bytes == PLAIN_PACKET_HEADER_BYTES;
}

static void look_at_folders(struct trace_facts *trace)
{
	const struct plain_files *files = trace->range.files;

	for (size_t i = 0; i < files->folder_count; i++) {
		const struct plain_folder *folder = &files->folders[i];

		if (folder->is_plain && memcmp(folder->uuid, trace->uuid, PLAIN_UUID_BYTES) == 0) {
			trace->has_mark |= find_mark(folder->name);
			trace->has_empty_files |= folder->has_empty_files;
			trace->channel_count = folder->class_count > trace->channel_count
						       ? folder->class_count
						       : trace->channel_count;
		}
	}
}

static void look_at(struct trace_facts *trace, const struct file_range *range)
{
	bool is_stopped = false;
	bool is_overwritten = false; /* as the buffers are that snapshots are made of */

	*trace = (struct trace_facts){
		.range = *range,
		.uuid = (*range->begin)->key.uuid,
		.folder = folder_of(range->files, *range->begin),
		.begin = UINT64_MAX,
	};
	look_at_folders(trace);
	for (const struct plain_file *const *at = range->begin; at < range->end; at++) {
		const struct plain_file *file = *at;

		trace->begin = file->first.begin < trace->begin ? file->first.begin : trace->begin;
		trace->end = file->last.end > trace->end ? file->last.end : trace->end;
		if (file->has_events && file->events_begin > trace->events_begin) {
			trace->events_begin = file->events_begin;
		}
	}
	for (const struct plain_file *const *at = range->begin; at < range->end; at++) {
		is_stopped |= ends_with_stop(*at) && trace->end - (*at)->last.end <= SNAPSHOT_NS;
		is_overwritten |= (*at)->first.sequence != 0;
	}
	trace->is_ended = trace->has_mark || (is_stopped && !is_overwritten);
}

static enum status add_lack(
	struct lacks *lacks, const struct trace_facts *trace, uint64_t begin, uint64_t end)
{
	struct lack *lack;

	if (!ARRAY_MAKE_ROOM(lacks->lacks, lacks->count, lacks->capacity, 4)) {
		return STATUS_NO_MEMORY;
	}
	lack = &lacks->lacks[lacks->count++];
	*lack = (struct lack){.begin = begin, .end = end};
	memcpy(lack->uuid, trace->uuid, sizeof(lack->uuid));
	return STATUS_OK;
}

static enum status tell(struct analyzer *analyzer, const struct plain_folder *folder,
	const char *format, ...) __attribute__((format(printf, 3, 4)));

static enum status tell(
	struct analyzer *analyzer, const struct plain_folder *folder, const char *format, ...)
{
	enum status status = STATUS_NO_MEMORY;
	char *line = NULL;
	char *text = NULL;
	va_list arguments;

	va_start(arguments, format);
	/* NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): va_start is right above. */
	if (vasprintf(&text, format, arguments) < 0) {
		text = NULL;
	}
	va_end(arguments);
	if (text && asprintf(&line, "%s%s", folder->name, text) >= 0) {
		status = analyzer_add_unreadable(analyzer, line);
		free(line);
	}
	free(text);
	return status;
}

static const char *name_of(const struct plain_file *file)
{
	const char *slash = strrchr(file->path, '/');

	return slash ? slash + 1 : file->path;
}

/* A stream's last file; NULL when nobody knows where the stream ends. */
static const struct plain_file *find_last(const struct file_range *stream)
{
	const struct plain_file *last = *stream->begin;

	for (const struct plain_file *const *at = stream->begin; at < stream->end; at++) {
		if (!(*at)->is_whole) {
			return NULL;
		}
		last = (*at)->last.end > last->last.end ? *at : last;
	}
	return last;
}

/* When a session is stopped, its programs stop first, and then each of its streams is written out,
 * also one without events: none ends before an event of another. */
static bool is_cut(const struct trace_facts *trace, uint64_t end)
{
	const uint64_t slack_ns = trace->has_mark ? CLOCKS_NS : SNAPSHOT_NS;

	return (trace->events_begin > end && trace->events_begin - end > slack_ns) ||
	       trace->end - end > STOP_NS;
}

static enum status find_cut(struct lacks *lacks, const struct trace_facts *trace,
	const struct file_range *stream, struct analyzer *analyzer)
{
	const struct plain_file *last = find_last(stream);
	char length[DURATION_TEXT_BYTES];
	enum status status;

	if (!last || !is_cut(trace, last->last.end)) {
		return STATUS_OK;
	}
	status = tell(analyzer, folder_of(stream->files, last),
		"/%s: ends %s before the recording does: its last packets are not there; copy the "
		"recording again, with all its files",
		name_of(last), duration_format(trace->end - last->last.end, length));
	return status == STATUS_OK ? add_lack(lacks, trace, last->last.end, trace->end) : status;
}

/* In one folder no two files have the same packets; snapshots of one session do. */
static enum status find_doubles(const struct file_range *stream, struct analyzer *analyzer)
{
	enum status status = STATUS_OK;

	for (const struct plain_file *const *at = stream->begin + 1;
		at < stream->end && status == STATUS_OK; at++) {
		if (at[0]->folder == at[-1]->folder &&
			at[0]->first.sequence <= at[-1]->last.sequence) {
			status = tell(analyzer, folder_of(stream->files, at[0]),
				"/%s: has packets that %s has, too: one was copied over another, "
				"or beside it; copy the recording again, file by file",
				name_of(at[0]), name_of(at[-1]));
		}
	}
	return status;
}

/* Each channel has a stream, and so a file, for each CPU, from its beginning on. */
static enum status find_missing(
	struct lacks *lacks, const struct trace_facts *trace, struct analyzer *analyzer)
{
	const uint64_t whole_count = trace->channel_count * trace->cpu_count;
	enum status status = STATUS_OK;

	/* While a session runs, a stream may have had nothing to write. */
	if (trace->stream_count >= whole_count || trace->cpu_count > CPU_COUNT_MAX ||
		trace->range.files->is_odd || (trace->has_empty_files && !trace->is_ended)) {
		return STATUS_OK;
	}
	/* Of a mended copy it was said which stream is not whole. */
	if (!trace->folder->is_mended) {
		status = tell(analyzer, trace->folder,
			": %" PRIu64 " of its %" PRIu64
			" streams are not there (a channel has one for each CPU); copy the "
			"recording again, with all its files",
			whole_count - trace->stream_count, whole_count);
	}
	return status == STATUS_OK ? add_lack(lacks, trace, trace->begin, trace->end) : status;
}

static enum status look_through(
	struct lacks *lacks, const struct file_range *range, struct analyzer *analyzer)
{
	struct file_range left = *range;
	uint64_t channel_count = 0;
	struct trace_facts trace;
	enum status status = STATUS_OK;

	look_at(&trace, range);
	while (left.begin < left.end && status == STATUS_OK) {
		const struct file_range stream = take(&left, is_same_stream);
		const struct plain_file *file = *stream.begin;

		channel_count +=
			stream.begin == range->begin || !is_same_channel(stream.begin[-1], file);
		trace.stream_count++;
		if (file->key.stream_id >= trace.cpu_count) {
			trace.cpu_count = file->key.stream_id + 1;
		}
		status = find_doubles(&stream, analyzer);
		if (status == STATUS_OK && trace.is_ended) {
			status = find_cut(lacks, &trace, &stream, analyzer);
		}
		left.begin = stream.end;
	}
	if (channel_count > trace.channel_count) {
		trace.channel_count = channel_count;
	}
	return status == STATUS_OK ? find_missing(lacks, &trace, analyzer) : status;
}

/* Gives those whose places are known, of their own trace, in order; tells of the others. */
static enum status sort_out(const struct plain_files *files, struct analyzer *analyzer,
	const struct plain_file **sorted, size_t *out_count)
{
	enum status status = STATUS_OK;
	size_t count = 0;

	for (size_t i = 0; i < files->count && status == STATUS_OK; i++) {
		const struct plain_file *file = &files->files[i];
		const struct plain_folder *folder = folder_of(files, file);

		if (!folder->is_plain) {
			continue;
		}
		if (memcmp(folder->uuid, file->key.uuid, PLAIN_UUID_BYTES) == 0) {
			sorted[count++] = file;
			continue;
		}
		/* Babeltrace 2.0 passes over it. */
		status = tell(analyzer, folder,
			"/%s: of another recording, by the number in its packets, and not read; "
			"copy the recording again, file by file",
			name_of(file));
	}
	qsort(sorted, count, sizeof(const struct plain_file *), compare_files);
	*out_count = count;
	return status;
}

enum status lacks_find(
	struct lacks *lacks, const struct plain_files *files, struct analyzer *analyzer)
{
	const struct plain_file **sorted =
		calloc(files->count + 1, sizeof(const struct plain_file *));
	struct file_range left = {.files = files, .begin = sorted, .end = sorted};
	enum status status = STATUS_NO_MEMORY;
	size_t count = 0;

	if (sorted) {
		status = sort_out(files, analyzer, sorted, &count);
		left.end += count;
	}
	while (status == STATUS_OK && left.begin < left.end) {
		const struct file_range trace = take(&left, is_same_trace);

		status = look_through(lacks, &trace, analyzer);
		left.begin = trace.end;
	}
	free(sorted);
	return status;
}

enum status lacks_enter(struct lacks *lacks, struct decoder *decoder, const bt_stream *stream,
	struct analyzer *analyzer)
{
	const bt_clock_class *clock_class = bt_stream_class_borrow_default_clock_class_const(
		bt_stream_borrow_class_const(stream));
	bt_uuid uuid = bt_trace_get_uuid(bt_stream_borrow_trace_const(stream));
	enum status status = STATUS_OK;
	size_t clock = 0;

	for (size_t i = 0; i < lacks->count && uuid && clock_class && status == STATUS_OK; i++) {
		struct lack *lack = &lacks->lacks[i];
		struct analyzer_loss loss = {
			.kind = ANALYZER_LOST_PACKETS, .count = 1, .has_range = true};

		if (lack->is_told || memcmp(lack->uuid, uuid, PLAIN_UUID_BYTES) != 0) {
			continue;
		}
		lack->is_told = true;
		status = decoder_clock(decoder, clock_class, &clock);
		if (status == STATUS_OK) {
			loss.begin_ns = decoder_clock_ns(decoder, clock, lack->begin);
			loss.end_ns = decoder_clock_ns(decoder, clock, lack->end);
			status = analyzer_add_loss(analyzer, &loss);
		}
	}
	return status;
}

void lacks_finish(struct lacks *lacks)
{
	free(lacks->lacks);
	*lacks = (struct lacks){0};
}
