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

/* First reading: one line. */
static enum status survey_line(struct cuzk_reader *reader, char *line)
{
	struct cuzk_timeline timeline;
	struct cuzk_tracing tracing;
	struct cuzk_worker *worker;

	switch (cuzk_timeline_parse(line, &timeline)) {
	case CUZK_TIMELINE_OK:
		if (reader->counts.timeline++ == 0 ||
			timeline.time_ms * NS_PER_MS < reader->first_ns) {
			reader->first_ns = timeline.time_ms * NS_PER_MS;
		}
		worker = timeline.worker == CUZK_NONE ? NULL
						      : cuzk_reader_worker(reader, timeline.worker);
		if (worker) {
			worker->is_seen = true;
		}
		return cuzk_clock_add_timeline(reader->clock, &timeline);
	case CUZK_TIMELINE_BAD:
		reader->counts.bad_timeline++;
		return STATUS_OK;
	case CUZK_TIMELINE_OTHER:
		break;
	}
	if (!cuzk_tracing_parse(line, &tracing)) {
		return STATUS_OK;
	}
	if (reader->counts.tracing++ == 0 || tracing.utc_ns < reader->first_utc_ns) {
		reader->first_utc_ns = tracing.utc_ns;
	}
	if (tracing.worker != CUZK_NONE) {
		take_gpu(reader, &tracing);
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
	} else if (cuzk_clock_time(reader->clock, reader->first_utc_ns, &first_ns) &&
		   first_ns < reader->first_ns) {
		reader->first_ns = first_ns;
	}
}

static enum status survey(struct cuzk_reader *reader, const char *path, struct diag *diag)
{
	enum status status = STATUS_OK;
	char *line = NULL;
	bool are_gpus_known = true;

	do {
		status = cuzk_lines_next(reader->lines, &line, diag);
		if (status == STATUS_OK && line) {
			status = survey_line(reader, line);
		}
	} while (status == STATUS_OK && line);
	if (status != STATUS_OK) {
		return status;
	}
	if (reader->counts.timeline == 0 && reader->counts.tracing == 0) {
		return diag_set(diag, STATUS_BAD_INPUT,
			"%s: no line of cuzk's log: give what the daemon wrote to its standard "
			"output and standard error",
			path);
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
	switch (cuzk_timeline_parse(line, &timeline)) {
	case CUZK_TIMELINE_OK:
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
		reader->counts.untimed++;
		return STATUS_OK;
	}
	return cuzk_message_add(reader, &tracing, time_ns, diag);
}

/* Claims that never ended: nobody knows what the GPU did from there on. */
static enum status add_open_claims(struct cuzk_reader *reader, struct diag *diag)
{
	enum status status = STATUS_OK;

	for (size_t i = 0; i < CUZK_PARTITION_COUNT && status == STATUS_OK; i++) {
		const struct cuzk_partition *partition = &reader->work.partitions[i];

		if (partition->job == 0 || partition->started_ns == CUZK_NO_TIME) {
			continue;
		}
		reader->counts.starts_without_end++;
	}
	if (reader->counts.starts_without_end > 0) {
		status = cuzk_emit_note(reader, EVENT_NOTE_FACT, reader->last_ns, 0, diag,
			"%" PRIu64
			" proofs have a GPU_START and no GPU_END (they failed, or the log ends "
			"before): what the GPU did for them is not in the times below",
			reader->counts.starts_without_end);
	}
	return status;
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

static enum status add_first_notes(struct cuzk_reader *reader, struct diag *diag)
{
	const uint64_t pairs = cuzk_clock_pair_count(reader->clock);
	enum status status = cuzk_emit_note(reader, EVENT_NOTE_SOURCE, reader->first_ns, 0, diag,
		"log of cuzk: %" PRIu64 " TIMELINE and %" PRIu64 " tracing lines",
		reader->counts.timeline, reader->counts.tracing);

	if (status == STATUS_OK && reader->counts.timeline > 0) {
		status = cuzk_emit_note(reader, EVENT_NOTE_FACT, reader->first_ns, 0, diag,
			"device times are claimed by the log, not measured: between GPU_START and "
			"GPU_END a GPU may have waited for the GPU mutex, uploads, the prep thread "
			"and the CPU's part of the proof; busy is an upper bound");
	}
	if (status == STATUS_OK && reader->counts.timeline == 0) {
		status = cuzk_emit_note(reader, EVENT_NOTE_FACT, reader->first_ns, 0, diag,
			"no TIMELINE lines (standard error): nothing tells when a GPU worked");
	}
	if (status == STATUS_OK && reader->counts.timeline > 0 && reader->counts.tracing == 0) {
		status = cuzk_emit_note(reader, EVENT_NOTE_FACT, reader->first_ns, 0, diag,
			"no tracing lines (standard output): locks, trims, and when jobs come and "
			"end are not seen");
	}
	if (status == STATUS_OK && reader->counts.timeline > 0 && reader->counts.tracing > 0) {
		status =
			pairs > 0
				? cuzk_emit_note(reader, EVENT_NOTE_FACT, reader->first_ns, 0, diag,
					  "the clocks of TIMELINE and tracing lines were matched "
					  "by %" PRIu64 " pairs of lines, to some milliseconds",
					  pairs)
				: cuzk_emit_note(reader, EVENT_NOTE_FACT, reader->first_ns, 0, diag,
					  "no tracing line could be matched with a TIMELINE line, "
					  "so "
					  "their clock is not known and they are not used");
	}
	return status;
}

static enum status add_last_notes(struct cuzk_reader *reader, struct diag *diag)
{
	const struct cuzk_line_counts lines = cuzk_lines_counts(reader->lines);
	const struct cuzk_native *native = &reader->native;
	enum status status = add_open_claims(reader, diag);

	if (status == STATUS_OK && native->lines > 0) {
		status = cuzk_emit_note(reader, EVENT_NOTE_FACT, reader->last_ns, 0, diag,
			"%" PRIu64 " of %" PRIu64
			" claims are narrowed by CUZK_TIMING lines; %" PRIu64 " calls of %" PRIu64
			" could not be told from others and were not used",
			reader->counts.narrowed, reader->counts.claims,
			native->broken + native->unjoined, native->whole + native->broken);
	}
	if (status == STATUS_OK && lines.mended + lines.torn + lines.cut > 0) {
		status = cuzk_emit_note(reader, EVENT_NOTE_FACT, reader->last_ns, 0, diag,
			"%" PRIu64 " torn lines were put together, %" PRIu64
			" could not be; %" PRIu64 " were too long",
			lines.mended, lines.torn, lines.cut);
	}
	if (status == STATUS_OK && reader->counts.bad_timeline > 0) {
		status = cuzk_emit_note(reader, EVENT_NOTE_UNREADABLE, reader->last_ns, 0, diag,
			"%" PRIu64 " TIMELINE lines do not parse", reader->counts.bad_timeline);
	}
	if (status == STATUS_OK && reader->counts.of_other_workers > 0) {
		status = cuzk_emit_note(reader, EVENT_NOTE_UNREADABLE, reader->last_ns, 0, diag,
			"%" PRIu64 " lines are of workers beyond the first %d and were left out",
			reader->counts.of_other_workers, CUZK_WORKER_COUNT_MAX);
	}
	if (status == STATUS_OK && reader->counts.untimed > 0 &&
		cuzk_clock_pair_count(reader->clock) > 0) {
		status = cuzk_emit_note(reader, EVENT_NOTE_FACT, reader->last_ns, 0, diag,
			"%" PRIu64 " tracing lines are older than the engine and were left out",
			reader->counts.untimed);
	}
	return status;
}

static enum status sort(struct cuzk_reader *reader, struct diag *diag)
{
	size_t file = 0;
	char *line = NULL;
	enum status status = event_sorter_create(SORTER_BYTES, &reader->sorter);

	if (status == STATUS_OK) {
		status = cuzk_lines_rewind(reader->lines, diag);
	}
	if (status == STATUS_OK) {
		status = add_first_notes(reader, diag);
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
		status = add_last_notes(reader, diag);
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
	struct cuzk_reader *reader = calloc(1, sizeof(*reader));
	enum status status;

	if (!reader) {
		return STATUS_NO_MEMORY;
	}
	reader->reader.operations = &operations;
	reader->budget_wait_ns = CUZK_NO_TIME;
	reader->finalizer = (struct cuzk_finalizer){.partition = GAPTRACE_NONE,
		.assembled_ns = CUZK_NO_TIME,
		.checked_ns = CUZK_NO_TIME};
	status = cuzk_work_init(&reader->work);
	if (status == STATUS_OK) {
		status = cuzk_clock_create(&reader->clock);
	}
	if (status == STATUS_OK) {
		status = cuzk_lines_open(paths, count, diag, &reader->lines);
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

	return strncmp(line, "TIMELINE,", strlen("TIMELINE,")) == 0 ||
	       strncmp(line, "CUZK_TIMING: ", strlen("CUZK_TIMING: ")) == 0 ||
	       strncmp(line, "CUZK_NTT_H: ", strlen("CUZK_NTT_H: ")) == 0 ||
	       (cuzk_tracing_parse(line, &tracing) && strstr(line, " cuzk_") != NULL);
}

static bool recognise(const unsigned char *head, size_t size)
{
	char line[CUZK_LINE_BYTES_MAX];
	size_t at = 0;

	if (memchr(head, '\0', size) || size == 0 || head[0] == '{' || head[0] == '[') {
		return false;
	}
	while (at < size) {
		const unsigned char *end = memchr(head + at, '\n', size - at);
		const size_t length = end ? (size_t)(end - head) - at : size - at;

		(void)snprintf(line, sizeof(line), "%.*s",
			(int)(length < sizeof(line) ? length : sizeof(line) - 1), head + at);
		cuzk_text_clean(line);
		if (is_ours(line)) {
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
