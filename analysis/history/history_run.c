/* SPDX-License-Identifier: MIT */
#include "analysis/history/history_run.h"

#include "analysis/diff/run.h"
#include "trace/base/hash.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Databases have signed integers of 64 bits. */
#define NUMBER_MAX ((uint64_t)INT64_MAX)

struct text {
	char *bytes;
	size_t length;
	size_t capacity;
};

/* Makes room for more than what there is, and for the end of the text. */
static enum status text_grow(struct text *text)
{
	const size_t capacity = text->capacity ? text->capacity * 2 : 1u << 16;
	char *bytes;

	if (text->length > HISTORY_REPORT_BYTES_MAX) {
		return STATUS_TOO_LARGE;
	}
	if (text->length + 1 < text->capacity) {
		return STATUS_OK;
	}
	bytes = realloc(text->bytes, capacity);
	if (!bytes) {
		return STATUS_NO_MEMORY;
	}
	text->bytes = bytes;
	text->capacity = capacity;
	return STATUS_OK;
}

/* Reads no more than a report can have; what is empty is refused later. */
static enum status read_stream(FILE *stream, char **out_text, size_t *out_length)
{
	struct text text = {NULL, 0, 0};
	enum status status = text_grow(&text);

	while (status == STATUS_OK && !feof(stream) && !ferror(stream)) {
		text.length +=
			fread(text.bytes + text.length, 1, text.capacity - text.length - 1, stream);
		status = text_grow(&text);
	}
	if (status == STATUS_OK && ferror(stream)) {
		status = status_from_errno(errno);
	}
	if (status != STATUS_OK) {
		free(text.bytes);
		return status;
	}
	text.bytes[text.length] = '\0';
	*out_text = text.bytes;
	*out_length = text.length;
	return STATUS_OK;
}

static enum status read_file(
	const char *path, char **out_text, size_t *out_length, struct diag *diag)
{
	const bool is_input = strcmp(path, "-") == 0;
	FILE *stream = is_input ? stdin : fopen(path, "re");
	enum status status;

	if (!stream) {
		return diag_set(diag, status_from_errno(errno), "%s: %s", path, strerror(errno));
	}
	errno = 0;
	status = read_stream(stream, out_text, out_length);
	if (status == STATUS_TOO_LARGE) {
		status = diag_set(diag, status, "%s: over %u MB are no report", path,
			HISTORY_REPORT_BYTES_MAX >> 20);
	} else if (status != STATUS_OK && errno == EISDIR) {
		status = diag_set(diag, STATUS_BAD_INPUT,
			"%s: a directory, not a report; gaptrace report --format json -o FILE "
			"makes one of a recording",
			path);
	} else if (status != STATUS_OK) {
		status = diag_set(diag, status, "%s: %s", path, strerror(errno));
	}
	if (!is_input) {
		(void)fclose(stream);
	}
	return status;
}

static enum status set_number(struct history_run *run, enum store_column column, uint64_t number)
{
	/* More than 292 years or 2^63 things are an error of the report's writer. */
	const uint64_t kept = number < NUMBER_MAX ? number : NUMBER_MAX;

	if (asprintf(&run->values[column], "%" PRIu64, kept) < 0) {
		run->values[column] = NULL;
		return STATUS_NO_MEMORY;
	}
	return STATUS_OK;
}

static enum status set_text(struct history_run *run, enum store_column column, const char *text)
{
	run->values[column] = strdup(text ? text : "");
	return run->values[column] ? STATUS_OK : STATUS_NO_MEMORY;
}

static int compare_devices(const void *left, const void *right)
{
	const struct run_device *const *a = left;
	const struct run_device *const *b = right;
	const int order = strcmp((*a)->name, (*b)->name);

	return order ? order : strcmp((*a)->backend, (*b)->backend);
}

/* "2 x NVIDIA H200 (cuda), 1 x cpu (cpu)": the same whatever their order and UUIDs. */
static enum status set_devices(struct history_run *run, const struct run *report)
{
	const struct run_device **sorted =
		calloc(report->device_count + 1, sizeof(const struct run_device *));
	char *text = NULL;
	size_t size = 0;
	FILE *stream = sorted ? open_memstream(&text, &size) : NULL;
	bool is_whole;

	if (!stream) {
		free(sorted);
		return STATUS_NO_MEMORY;
	}
	for (uint32_t i = 0; i < report->device_count; i++) {
		sorted[i] = &report->devices[i];
	}
	qsort(sorted, report->device_count, sizeof(const struct run_device *), compare_devices);
	for (uint32_t i = 0, same = 1; i < report->device_count; i++) {
		if (i + 1 < report->device_count &&
			compare_devices(&sorted[i], &sorted[i + 1]) == 0) {
			same++;
			continue;
		}
		(void)fprintf(stream, "%s%u x %s (%s)", size || i >= same ? ", " : "", same,
			sorted[i]->name, sorted[i]->backend);
		same = 1;
	}
	is_whole = !ferror(stream);
	is_whole = fclose(stream) == 0 && is_whole;
	free(sorted);
	if (!is_whole) {
		free(text);
		return STATUS_NO_MEMORY;
	}
	run->values[STORE_COLUMN_DEVICES] = text;
	return STATUS_OK;
}

static uint64_t hash_number(uint64_t hash, uint64_t number)
{
	return hash_bytes(hash, &number, sizeof(number));
}

/* With its end, so that "ab", "c" is not "a", "bc". */
static uint64_t hash_text(uint64_t hash, const char *text)
{
	return hash_bytes(hash, text, strlen(text) + 1);
}

/* What makes a run the same however its file is laid out or named. */
static uint64_t hash_run(uint64_t hash, const struct run *report)
{
	hash = hash_number(hash, report->window_begin_ns);
	hash = hash_number(hash, report->window_end_ns);
	hash = hash_number(hash, report->threshold_ns);
	hash = hash_number(hash, report->work_count);
	hash = hash_text(hash, report->work_unit);
	hash = hash_text(hash, report->work_name);
	for (uint32_t i = 0; i < report->device_count; i++) {
		const struct run_device *device = &report->devices[i];

		hash = hash_text(hash, device->uuid);
		hash = hash_number(hash, device->kernel_count);
		hash = hash_number(hash, device->usage.busy_ns);
		hash = hash_number(hash, device->usage.gap_ns);
	}
	return hash;
}

static enum status set_fingerprint(struct history_run *run, const struct run *report)
{
	/* Of 128 bits: two different runs never meet by chance. */
	const uint64_t first = hash_run(HASH_START, report);
	const uint64_t second = hash_run(first ^ 0x9e3779b97f4a7c15ULL, report);

	if (asprintf(&run->values[STORE_COLUMN_FINGERPRINT], "%016" PRIx64 "%016" PRIx64, first,
		    second) < 0) {
		run->values[STORE_COLUMN_FINGERPRINT] = NULL;
		return STATUS_NO_MEMORY;
	}
	return STATUS_OK;
}

static uint64_t hash_usage(uint64_t hash, const struct run_usage *usage)
{
	hash = hash_number(hash, usage->busy_ns);
	hash = hash_number(hash, usage->copying_ns);
	hash = hash_number(hash, usage->gap_ns);
	hash = hash_number(hash, usage->gap_count);
	for (uint32_t i = 0; i < usage->cause_count; i++) {
		const struct run_cause *cause = &usage->causes[i];

		hash = hash_number(hash, (uint64_t)cause->cause);
		hash = hash_text(hash, cause->object);
		hash = hash_text(hash, cause->phase);
		hash = hash_number(hash, cause->ns);
		hash = hash_number(hash, cause->gap_count);
	}
	return hash;
}

static uint64_t hash_figures(const struct run *report)
{
	uint64_t hash = hash_number(HASH_START, report->is_trusted);

	for (uint32_t i = 0; i < report->device_count; i++) {
		hash = hash_usage(hash, &report->devices[i].usage);
	}
	for (uint32_t i = 0; i < report->block_count; i++) {
		const struct run_block *block = &report->blocks[i];

		hash = hash_number(hash, block->begin_ns);
		hash = hash_number(hash, block->end_ns);
		hash = hash_number(hash, block->work);
		for (uint32_t d = 0; d < report->device_count; d++) {
			hash = hash_usage(hash, &block->devices[d]);
		}
	}
	return hash;
}

uint64_t history_run_figures(const char *report)
{
	AUTO(run_destroy) struct run *run = NULL;

	return run_parse("", report, strlen(report), &run, NULL) == STATUS_OK && run->is_readable
		       ? hash_figures(run)
		       : 0;
}

static enum status set_figures(struct history_run *run, const struct run *report)
{
	const uint64_t window_ns = report->window_end_ns > report->window_begin_ns
					   ? report->window_end_ns - report->window_begin_ns
					   : 0;
	struct run_usage sum = {0};
	uint64_t max_ns = 0;
	enum status status = STATUS_OK;

	for (uint32_t i = 0; i < report->device_count; i++) {
		const struct run_device *device = &report->devices[i];

		sum.busy_ns += device->usage.busy_ns;
		sum.copying_ns += device->usage.copying_ns;
		sum.gap_ns += device->usage.gap_ns;
		sum.gap_count += device->usage.gap_count;
		max_ns = device->max_ns > max_ns ? device->max_ns : max_ns;
	}
	const struct {
		enum store_column column;
		uint64_t number;
	} figures[] = {
		{STORE_COLUMN_DEVICE_COUNT, report->device_count},
		{STORE_COLUMN_THRESHOLD_NS, report->threshold_ns},
		{STORE_COLUMN_SIMULATED, report->is_simulated},
		{STORE_COLUMN_TRUSTED, report->is_trusted},
		{STORE_COLUMN_WORK_COUNT, report->work_count},
		{STORE_COLUMN_WINDOW_NS, window_ns},
		{STORE_COLUMN_BUSY_NS, sum.busy_ns},
		{STORE_COLUMN_COPYING_NS, sum.copying_ns},
		{STORE_COLUMN_GAP_NS, sum.gap_ns},
		{STORE_COLUMN_GAPS, sum.gap_count},
		{STORE_COLUMN_MAX_GAP_NS, max_ns},
	};

	for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]) && status == STATUS_OK; i++) {
		status = set_number(run, figures[i].column, figures[i].number);
	}
	return status;
}

static enum status set_texts(
	struct history_run *run, const struct run *report, const struct history_label *label)
{
	const struct {
		enum store_column column;
		const char *text;
	} texts[] = {
		{STORE_COLUMN_HOST, label->host},
		{STORE_COLUMN_BUILD, label->build},
		{STORE_COLUMN_PROFILE, label->profile},
		{STORE_COLUMN_MARK, ""},
		{STORE_COLUMN_WORK_UNIT, report->work_unit},
		{STORE_COLUMN_WORK_NAME, report->work_name},
	};
	enum status status = STATUS_OK;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]) && status == STATUS_OK; i++) {
		status = set_text(run, texts[i].column, texts[i].text);
	}
	if (status == STATUS_OK) {
		status = set_number(run, STORE_COLUMN_TIME_S, label->time_s);
	}
	if (status == STATUS_OK) {
		status = set_number(run, STORE_COLUMN_ADDED_S, (uint64_t)time(NULL));
	}
	return status;
}

enum status history_run_load(const char *path, const struct history_label *label,
	struct history_run **out_run, struct diag *diag)
{
	AUTO(history_run_destroy) struct history_run *run = calloc(1, sizeof(*run));
	AUTO(run_destroy) struct run *report = NULL;
	size_t length = 0;
	enum status status;

	if (!run) {
		return STATUS_NO_MEMORY;
	}
	status = read_file(path, &run->values[STORE_COLUMN_REPORT], &length, diag);
	if (status == STATUS_OK) {
		status = run_parse(path, run->values[STORE_COLUMN_REPORT], length, &report, diag);
	}
	if (status == STATUS_OK && !report->is_readable) {
		return diag_set(diag, STATUS_UNSUPPORTED,
			"%s: a report of schema %s; this gaptrace knows " RUN_SCHEMA, path,
			report->schema);
	}
	if (status == STATUS_OK) {
		status = set_texts(run, report, label);
	}
	if (status == STATUS_OK) {
		status = set_devices(run, report);
	}
	if (status == STATUS_OK) {
		status = set_fingerprint(run, report);
	}
	if (status == STATUS_OK) {
		status = set_figures(run, report);
	}
	if (status == STATUS_OK) {
		run->figures = hash_figures(report);
		*out_run = MOVE(run);
	}
	return status;
}

void history_run_destroy(struct history_run *run)
{
	if (!run) {
		return;
	}
	for (int i = 0; i < STORE_COLUMN_COUNT; i++) {
		free(run->values[i]);
	}
	free(run);
}
