/* SPDX-License-Identifier: MIT */
/*
 * The log of the proving daemon cuzk: standard output and standard error, merged or as several
 * files. It is read twice: for its clocks and its GPUs, then for its events, which a sorter puts in
 * order.
 *
 * What it cannot tell: when a GPU worked. GPU_START to GPU_END holds the hop to another thread, the
 * wait for the GPU mutex, uploads, the wait for the prep thread and the CPU's part of the proof as
 * well; a run that claimed nine tenths of the time had kernels in less than half of it. Times are
 * rounded to milliseconds.
 */
#include "analysis/import/cuzk_log.h"

#include "analysis/import/cuzk_reader.h"
#include "trace/base/clock.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Events of some 200,000 lines; more go to the disk. */
#define SORTER_BYTES (32u << 20)

/* Kinds of lines. */
enum file_kind {
	FILE_TIMELINE = 1 << 0,
	FILE_TRACING = 1 << 1,
};

static void destroy(struct import_reader *base)
{
	struct cuzk_reader *reader = (struct cuzk_reader *)base;

	cuzk_lines_close(reader->lines);
	cuzk_clock_destroy(reader->clock);
	event_sorter_destroy(reader->sorter);
	cuzk_work_finish(&reader->work);
	free(reader);
}

static void take_gpu(struct cuzk_reader *reader, const struct cuzk_tracing *tracing)
{
	struct cuzk_worker *worker = cuzk_reader_worker(reader, tracing->worker);

	if (worker && tracing->gpu >= 0 && tracing->gpu < DEVICE_COUNT_MAX) {
		worker->has_gpu = true;
		worker->gpu = tracing->gpu;
	}
}

/* Takes note of a kind of line: whether the file that is read has both. */
static bool has_both(struct cuzk_reader *reader, uint32_t kind)
{
	const size_t file = cuzk_lines_file(reader->lines);

	if (reader->kinds_file != file) {
		reader->kinds_file = file;
		reader->kinds = 0;
	}
	reader->kinds |= kind;
	return reader->kinds == (FILE_TIMELINE | FILE_TRACING);
}

/* The daemon began anew: what it told before is not read. */
static void begin_anew(struct cuzk_reader *reader)
{
	cuzk_clock_restart(reader->clock);
	for (size_t i = 0; i < CUZK_WORKER_COUNT_MAX; i++) {
		reader->workers[i].is_seen = false;
	}
	reader->anew_file = cuzk_lines_file(reader->lines);
	/* When its first line ends the file before, this one begins with it. */
	reader->anew_line = reader->starts.line >= reader->file_line
				    ? reader->starts.line - reader->file_line + 1
				    : 1;
	reader->counts.timeline = 1;
	reader->counts.bad_timeline = 0;
	reader->first_ns = reader->starts.time_ms * NS_PER_MS;
	reader->first_utc_ns = reader->enqueued_ns;
}

/* First reading: one TIMELINE line. */
static enum status survey_timeline(struct cuzk_reader *reader, const struct cuzk_timeline *timeline)
{
	struct cuzk_worker *worker = NULL;

	if (cuzk_starts_add(&reader->starts, reader->line, timeline->time_ms)) {
		begin_anew(reader);
	}
	cuzk_turns_add(&reader->turns, cuzk_lines_process(reader->lines));
	reader->is_merged |= has_both(reader, FILE_TIMELINE);
	if (reader->starts.is_doubtful) {
		return STATUS_OK; /* a new beginning's first line, or a damaged one */
	}
	reader->enqueued_ns = CUZK_NO_TIME;
	if (reader->counts.timeline++ == 0 || timeline->time_ms * NS_PER_MS < reader->first_ns) {
		reader->first_ns = timeline->time_ms * NS_PER_MS;
	}
	if (timeline->worker != CUZK_NONE) {
		worker = cuzk_reader_worker(reader, timeline->worker);
	}
	if (worker) {
		worker->is_seen = true;
	}
	return cuzk_clock_add_timeline(reader->clock, timeline);
}

static void take_date(struct cuzk_dates *dates, uint64_t utc_ns)
{
	if (dates->first_ns == 0) {
		dates->first_ns = utc_ns;
	}
	dates->last_ns = utc_ns;
}

/* First reading: one line. */
static enum status survey_line(struct cuzk_reader *reader, char *line)
{
	struct cuzk_timeline timeline;
	struct cuzk_tracing tracing;

	reader->line++;
	switch (cuzk_timeline_parse(line, &timeline)) {
	case CUZK_TIMELINE_OK:
		return survey_timeline(reader, &timeline);
	case CUZK_TIMELINE_BAD:
		reader->counts.bad_timeline++;
		return STATUS_OK;
	case CUZK_TIMELINE_OTHER:
		break;
	}
	if (!cuzk_tracing_parse(line, &tracing)) {
		reader->counts.json += cuzk_tracing_is_json(line);
		return STATUS_OK;
	}
	take_date(&reader->dates[cuzk_lines_file(reader->lines)], tracing.utc_ns);
	if (reader->counts.tracing++ == 0 || tracing.utc_ns < reader->first_utc_ns) {
		reader->first_utc_ns = tracing.utc_ns;
	}
	if (tracing.worker != CUZK_NONE) {
		take_gpu(reader, &tracing);
	}
	reader->has_enqueued |= tracing.message == CUZK_TRACING_ENQUEUED;
	reader->is_merged |= has_both(reader, FILE_TRACING);
	if (tracing.message == CUZK_TRACING_ENQUEUED && tracing.utc_ns < reader->enqueued_ns) {
		reader->enqueued_ns = tracing.utc_ns;
	}
	reader->has_returns |= tracing.message == CUZK_TRACING_START_RETURNED;
	return cuzk_clock_add_tracing(reader->clock, &tracing);
}

/* What the first reading found out about the two clocks. */
static void conclude_clocks(struct cuzk_reader *reader)
{
	uint64_t first_ns;

	reader->has_tracing_only = reader->counts.timeline == 0;
	if (reader->has_tracing_only) {
		reader->reader.has_epoch = true;
		reader->reader.epoch_ns = reader->first_utc_ns;
		return;
	}
	reader->reader.has_epoch = cuzk_clock_epoch(reader->clock, &reader->reader.epoch_ns);
	if (!reader->reader.has_epoch) {
		reader->has_returns = false; /* tracing lines will not be used: they tell nothing */
	} else if (reader->first_utc_ns != CUZK_NO_TIME &&
		   cuzk_clock_time(reader->clock, reader->first_utc_ns, &first_ns) &&
		   first_ns < reader->first_ns) {
		reader->first_ns = first_ns;
	}
}

static enum status survey(struct cuzk_reader *reader, const char *path, struct diag *diag)
{
	enum status status = STATUS_OK;
	char *line = NULL;
	size_t file = 0;
	bool are_gpus_known = true;

	reader->file_line = 1;
	do {
		status = cuzk_lines_next(reader->lines, &line, diag);
		if (cuzk_lines_file(reader->lines) != file) {
			file = cuzk_lines_file(reader->lines);
			reader->file_line = reader->line + 1;
		}
		if (status == STATUS_OK && line) {
			status = survey_line(reader, line);
		}
	} while (status == STATUS_OK && line);
	if (status == STATUS_OK) {
		status = cuzk_files_check(reader->lines, reader->dates, file + 1, diag);
	}
	if (status == STATUS_OK && cuzk_turns_are_mixed(&reader->turns)) {
		status = diag_set(diag, STATUS_BAD_INPUT,
			"%s: processes %" PRIu64 " and %" PRIu64
			" write by turns, so that it is of several daemons: give the lines of one "
			"of them (journalctl _PID=%" PRIu64 ")",
			path, reader->turns.before, reader->turns.last, reader->turns.last);
	}
	if (status != STATUS_OK) {
		return status;
	}
	if (reader->counts.timeline == 0 && reader->counts.tracing == 0) {
		return diag_set(diag, STATUS_BAD_INPUT, "%s: no %s", path,
			reader->counts.json > 0
				? "line of cuzk's log but JSON, which is not read: give the "
				  "daemon's own text form, and its standard error"
				: "line of cuzk's log that has a time: give what the daemon wrote "
				  "to its standard output and standard error");
	}
	for (int i = 0; i < CUZK_WORKER_COUNT_MAX; i++) {
		are_gpus_known &= !reader->workers[i].is_seen || reader->workers[i].has_gpu;
	}
	reader->are_gpus_known = are_gpus_known;
	conclude_clocks(reader);
	return STATUS_OK;
}

static bool time_of(struct cuzk_reader *reader, uint64_t utc_ns, uint64_t *out_time_ns)
{
	if (reader->has_tracing_only) {
		*out_time_ns = utc_ns - reader->first_utc_ns;
		return true;
	}
	return cuzk_clock_time(reader->clock, utc_ns, out_time_ns);
}

/* Second reading: one line. */
static enum status add_line(struct cuzk_reader *reader, char *line, struct diag *diag)
{
	struct cuzk_timeline timeline;
	struct cuzk_tracing tracing;
	uint64_t time_ns;

	reader->line++;
	if (reader->line < reader->starts.line && !cuzk_tracing_parse(line, &tracing)) {
		reader->counts.of_other_starts++;
		return STATUS_OK;
	}
	switch (cuzk_timeline_parse(line, &timeline)) {
	case CUZK_TIMELINE_OK:
		if (cuzk_starts_is_odd(&reader->starts, reader->line)) {
			reader->counts.bad_timeline++;
			return STATUS_OK;
		}
		return cuzk_step_add(reader, &timeline, diag);
	case CUZK_TIMELINE_BAD:
		return STATUS_OK;
	case CUZK_TIMELINE_OTHER:
		break;
	}
	if (cuzk_native_add(&reader->native, line) || !cuzk_tracing_parse(line, &tracing)) {
		return STATUS_OK;
	}
	if (!time_of(reader, tracing.utc_ns, &time_ns)) {
		if (cuzk_clock_is_set(reader->clock, tracing.utc_ns)) {
			reader->counts.while_set++;
		} else {
			reader->counts.untimed++;
		}
		return STATUS_OK;
	}
	return cuzk_message_add(reader, &tracing, time_ns, diag);
}

/* One device for each GPU that workers were said to have; one for all when that is not known. */
static enum status add_devices(struct cuzk_reader *reader, struct diag *diag)
{
	uint64_t told = 0;
	enum status status = STATUS_OK;
	struct event event = {
		.kind = EVENT_GPU_DEVICE,
		.device = {.backend = GAPTRACE_BACKEND_LOG, .uuid = "", .link = ""},
	};

	for (int i = 0; i < CUZK_WORKER_COUNT_MAX && status == STATUS_OK; i++) {
		const struct cuzk_worker *worker = &reader->workers[i];
		const int32_t gpu = reader->are_gpus_known ? worker->gpu : 0;

		if (!worker->is_seen || told & 1ULL << gpu) {
			continue;
		}
		told |= 1ULL << gpu;
		event.device.device = gpu;
		event.device.name = reader->are_gpus_known
					    ? "GPU of cuzk (claimed by its log)"
					    : "all GPUs of cuzk (the log does not say which worker "
					      "has which)";
		status = cuzk_emit(reader, &event, 1, diag);
	}
	return status;
}

static enum status sort(struct cuzk_reader *reader, struct diag *diag)
{
	size_t file = 0;
	char *line = NULL;
	enum status status = event_sorter_create(SORTER_BYTES, &reader->sorter);

	/* What is told of the log as a whole comes before its first line. */
	reader->line = 0;
	if (status == STATUS_OK) {
		status = cuzk_lines_rewind(reader->lines, diag);
	}
	if (status == STATUS_OK) {
		status = cuzk_notes_first(reader, diag);
	}
	if (status == STATUS_OK) {
		status = add_devices(reader, diag);
	}
	for (int i = 0; i < CUZK_WORKER_COUNT_MAX; i++) {
		reader->workers[i].free_ns = reader->first_ns;
	}
	do {
		if (status == STATUS_OK) {
			status = cuzk_lines_next(reader->lines, &line, diag);
		}
		if (status == STATUS_OK && line && cuzk_lines_file(reader->lines) != file) {
			file = cuzk_lines_file(reader->lines);
			cuzk_native_cut(&reader->native);
		}
		if (status == STATUS_OK && line) {
			status = add_line(reader, line, diag);
		}
	} while (status == STATUS_OK && line);
	cuzk_native_cut(&reader->native);
	if (status == STATUS_OK) {
		status = cuzk_messages_end(reader, diag);
	}
	if (status == STATUS_OK) {
		status = cuzk_notes_last(reader, diag);
	}
	return status == STATUS_OK ? event_sorter_finish(reader->sorter, diag) : status;
}

static enum status next(
	struct import_reader *base, struct event *out_event, bool *out_has_event, struct diag *diag)
{
	struct cuzk_reader *reader = (struct cuzk_reader *)base;
	uint64_t order;

	if (!reader->is_sorted) {
		const enum status status = sort(reader, diag);

		if (status != STATUS_OK) {
			return status;
		}
		reader->is_sorted = true;
	}
	return event_sorter_next(reader->sorter, out_event, &order, out_has_event, diag);
}

static const struct import_reader_operations operations = {.next = next, .destroy = destroy};

enum status cuzk_log_open(const char *const *paths, size_t count, struct diag *diag,
	struct import_reader **out_reader)
{
	struct cuzk_reader *reader = NULL;
	const char *ordered[CUZK_FILE_COUNT_MAX];
	enum status status;

	if (count > CUZK_FILE_COUNT_MAX) {
		return diag_set(diag, STATUS_OVER_LIMIT, "%zu logs: at most %d are read as one",
			count, CUZK_FILE_COUNT_MAX);
	}
	reader = calloc(1, sizeof(*reader));

	if (!reader) {
		return STATUS_NO_MEMORY;
	}
	reader->reader.operations = &operations;
	reader->budget_wait_ns = CUZK_NO_TIME;
	reader->enqueued_ns = CUZK_NO_TIME;
	reader->finalizer = (struct cuzk_finalizer){.partition = GAPTRACE_NONE,
		.assembled_ns = CUZK_NO_TIME,
		.checked_ns = CUZK_NO_TIME};
	status = cuzk_work_init(&reader->work);
	if (status == STATUS_OK) {
		status = cuzk_clock_create(&reader->clock);
	}
	if (status == STATUS_OK) {
		memcpy(ordered, paths, count * sizeof(ordered[0]));
		cuzk_files_order(ordered, count);
		status = cuzk_lines_open(ordered, count, diag, &reader->lines);
	}
	if (status == STATUS_OK) {
		status = survey(reader, paths[0], diag);
	}
	if (status != STATUS_OK) {
		destroy(&reader->reader);
		return status;
	}
	*out_reader = &reader->reader;
	return STATUS_OK;
}

static enum status open_one(const char *path, struct diag *diag, struct import_reader **out_reader)
{
	return cuzk_log_open(&path, 1, diag, out_reader);
}

/* A line of the daemon within the head. */
static bool is_ours(const char *line)
{
	struct cuzk_tracing tracing;

	return strncmp(line, "TIMELINE,", strlen("TIMELINE,")) == 0 || cuzk_tracing_is_json(line) ||
	       strncmp(line, "CUZK_TIMING: ", strlen("CUZK_TIMING: ")) == 0 ||
	       strncmp(line, "CUZK_NTT_H: ", strlen("CUZK_NTT_H: ")) == 0 ||
	       (cuzk_tracing_parse(line, &tracing) && strstr(line, " cuzk_") != NULL);
}

static bool recognise(const unsigned char *head, size_t size)
{
	/* A host that lost its power leaves zeros where lines were to be. */
	const unsigned char *zero = memchr(head, '\0', size);
	char line[CUZK_LINE_BYTES_MAX];
	size_t at = 0;

	size = zero ? (size_t)(zero - head) : size;
	while (at < size) {
		uint64_t process;
		size_t prefix;
		const unsigned char *end = memchr(head + at, '\n', size - at);
		const size_t length = end ? (size_t)(end - head) - at : size - at;

		(void)snprintf(line, sizeof(line), "%.*s",
			(int)(length < sizeof(line) ? length : sizeof(line) - 1), head + at);
		cuzk_text_clean(line);
		prefix = cuzk_text_prefix(line, &process);
		if (is_ours(line + prefix)) {
			return true;
		}
		at += length + 1;
	}
	return false;
}

const struct import_format import_cuzk_log = {
	.name = "cuzk-log",
	.what = "log of cuzk (standard output and standard error)",
	.recognise = recognise,
	.open = open_one,
	.open_together = cuzk_log_open,
};
