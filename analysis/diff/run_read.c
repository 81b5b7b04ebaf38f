/* SPDX-License-Identifier: MIT */
#include "analysis/diff/run_read.h"

#include "analysis/diff/run_check.h"
#include "trace/base/limits.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Names of causes in one table: more than any report writes, which folds what is beyond 1024. */
#define RUN_CAUSE_COUNT_MAX 4096

/* Longer than the report's own limits on names and notes. */
#define RUN_TEXT_BYTES_MAX 4096

/* Notes of a report's trust: it writes at most 64. */
#define RUN_NOTE_COUNT_MAX 256

/* The first failure stays; what is read after it is zero and of no use. */
struct reader {
	const struct run *run;
	struct diag *diag;
	enum status status;
	char place[96]; /* in the document, for messages */
};

static void reader_fail(struct reader *reader, enum status status, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void reader_fail(struct reader *reader, enum status status, const char *format, ...)
{
	char what[256];
	va_list arguments;

	if (reader->status != STATUS_OK) {
		return;
	}
	va_start(arguments, format);
	(void)vsnprintf(what, sizeof(what), format, arguments);
	va_end(arguments);
	reader->status = diag_set(reader->diag, status, "%s: %s%s%s", reader->run->path,
		reader->place, *reader->place ? ": " : "", what);
}

static void reader_enter(struct reader *reader, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void reader_enter(struct reader *reader, const char *format, ...)
{
	va_list arguments;

	if (reader->status != STATUS_OK) {
		return;
	}
	va_start(arguments, format);
	(void)vsnprintf(reader->place, sizeof(reader->place), format, arguments);
	va_end(arguments);
}

static const json_t *get(
	struct reader *reader, const json_t *object, const char *key, json_type type)
{
	static const char *const names[] = {
		[JSON_OBJECT] = "an object",
		[JSON_ARRAY] = "a list",
		[JSON_STRING] = "a text",
		[JSON_INTEGER] = "a whole number",
		[JSON_TRUE] = "true or false",
	};
	const json_t *value = json_object_get(object, key);

	if (!value) {
		reader_fail(reader, STATUS_BAD_INPUT, "there is no \"%s\"", key);
		return NULL;
	}
	if (json_typeof(value) != type && !(type == JSON_TRUE && json_is_boolean(value))) {
		reader_fail(reader, STATUS_BAD_INPUT, "\"%s\" is not %s", key, names[type]);
		return NULL;
	}
	return value;
}

static uint64_t get_count(struct reader *reader, const json_t *object, const char *key)
{
	const json_t *value = get(reader, object, key, JSON_INTEGER);
	const json_int_t number = value ? json_integer_value(value) : 0;

	if (number < 0) {
		reader_fail(reader, STATUS_BAD_INPUT, "\"%s\" is negative", key);
		return 0;
	}
	return (uint64_t)number;
}

static const char *get_text(struct reader *reader, const json_t *object, const char *key)
{
	const json_t *value = get(reader, object, key, JSON_STRING);
	const char *text;

	if (value && json_string_length(value) > RUN_TEXT_BYTES_MAX) {
		reader_fail(reader, STATUS_OVER_LIMIT, "\"%s\" has over %d bytes", key,
			RUN_TEXT_BYTES_MAX);
	}
	text = json_string_value(value);
	return text ? text : "";
}

static bool get_bool(struct reader *reader, const json_t *object, const char *key)
{
	return json_is_true(get(reader, object, key, JSON_TRUE));
}

/* The list and its length, which is 0 when it is missing or longer than `limit`. */
static const json_t *get_list(struct reader *reader, const json_t *object, const char *key,
	uint32_t limit, uint32_t *out_count)
{
	const json_t *list = get(reader, object, key, JSON_ARRAY);
	const size_t count = json_array_size(list);

	*out_count = 0;
	if (count > limit) {
		reader_fail(reader, STATUS_OVER_LIMIT,
			"\"%s\" has %zu entries; at most %u are read", key, count, limit);
		return list;
	}
	*out_count = (uint32_t)count;
	return list;
}

static const json_t *get_entry(struct reader *reader, const json_t *list, uint32_t index)
{
	const json_t *entry = json_array_get(list, index);

	if (!json_is_object(entry)) {
		reader_fail(reader, STATUS_BAD_INPUT, "is not an object");
		return NULL;
	}
	return entry;
}

static void *reader_allocate(struct reader *reader, size_t count, size_t size)
{
	void *memory = calloc(count ? count : 1, size);

	if (!memory) {
		reader_fail(reader, STATUS_NO_MEMORY, "out of memory");
	}
	return memory;
}

static enum cause read_cause_name(struct reader *reader, const char *name)
{
	for (unsigned int cause = 0; cause < CAUSE_COUNT; cause++) {
		if (strcmp(cause_name((enum cause)cause), name) == 0) {
			return (enum cause)cause;
		}
	}
	reader_fail(reader, STATUS_BAD_INPUT,
		"there is no cause '%.40s': is it of a newer gaptrace?", name);
	return CAUSE_UNKNOWN;
}

/* `cause_count` only grows over rows that are whole, so that no name is ever NULL. */
static void read_causes(struct reader *reader, const json_t *object, struct run_usage *usage)
{
	uint32_t count;
	const json_t *list = get_list(reader, object, "causes", RUN_CAUSE_COUNT_MAX, &count);
	char place[sizeof(reader->place)];

	usage->causes = reader_allocate(reader, count, sizeof(*usage->causes));
	(void)snprintf(place, sizeof(place), "%s", reader->place);
	for (uint32_t i = 0; i < count && reader->status == STATUS_OK; i++) {
		struct run_cause *row = &usage->causes[i];
		const json_t *entry;

		reader_enter(reader, "%.60s.causes[%u]", place, i);
		entry = get_entry(reader, list, i);
		row->cause = read_cause_name(reader, get_text(reader, entry, "cause"));
		row->object = get_text(reader, entry, "object");
		row->phase = get_text(reader, entry, "phase");
		row->ns = get_count(reader, entry, "ns");
		row->gap_count = get_count(reader, entry, "gaps");
		if (reader->status == STATUS_OK) {
			usage->cause_count = i + 1;
		}
	}
	reader_enter(reader, "%s", place);
}

/* Between operations, where the report tells that apart: the window's edges are no noise. */
static void read_lengths(struct reader *reader, const json_t *table, struct run_device *device)
{
	static const char *const keys[] = {"p50_ns", "p95_ns", "p99_ns"};
	const json_t *inner = json_object_get(table, "inner");

	device->max_ns = get_count(reader, json_is_object(inner) ? inner : table, "max_ns");
	table = json_object_get(inner, keys[0]) ? inner : table;
	device->has_quantiles = json_object_get(table, keys[0]) != NULL;
	for (uint32_t i = 0; device->has_quantiles && i < RUN_QUANTILE_COUNT; i++) {
		device->quantiles_ns[i] = get_count(reader, table, keys[i]);
	}
}

/* Reports from before it was told have none. */
static void read_split(struct reader *reader, const json_t *table, struct run_device *device)
{
	static const char *const keys[] = {"host_late_ns", "in_call_ns", "after_call_ns"};
	const json_t *split = json_object_get(table, "split");

	device->has_split = json_is_object(split);
	for (uint32_t i = 0; device->has_split && i < RUN_SPLIT_COUNT; i++) {
		device->split_ns[i] = get_count(reader, split, keys[i]);
	}
}

static void read_device(struct reader *reader, const json_t *object, struct run_device *device)
{
	struct run_usage *usage = &device->usage;
	const json_t *index = get(reader, object, "index", JSON_INTEGER);
	const json_t *table = get(reader, object, "kernel_gaps", JSON_OBJECT);
	uint64_t all_ns;

	device->index = index ? json_integer_value(index) : 0;
	device->uuid = get_text(reader, object, "uuid");
	device->name = get_text(reader, object, "name");
	device->backend = get_text(reader, object, "backend");
	device->kernel_count = get_count(reader, object, "kernels");
	usage->busy_ns = get_count(reader, object, "busy_ns");
	usage->copying_ns = get_count(reader, object, "copying_ns");
	usage->gap_ns = get_count(reader, table, "total_ns");
	usage->gap_count = get_count(reader, table, "count");
	all_ns = get_count(reader, table, "all_total_ns");
	if (all_ns < usage->gap_ns) {
		reader_fail(
			reader, STATUS_BAD_INPUT, "kernel_gaps: all gaps are shorter than some");
		return;
	}
	usage->short_ns = all_ns - usage->gap_ns;
	read_lengths(reader, table, device);
	read_split(reader, table, device);
	read_causes(reader, object, usage);
}

static int compare_devices(const void *left, const void *right)
{
	const struct run_device *a = left;
	const struct run_device *b = right;

	return a->index != b->index ? (a->index < b->index ? -1 : 1) : strcmp(a->uuid, b->uuid);
}

/* One threshold for all: a run that explains its GPUs differently is no run of this program. */
static void read_devices(struct reader *reader, const json_t *root, struct run *run)
{
	uint32_t count;
	const json_t *list = get_list(reader, root, "devices", DEVICE_COUNT_MAX, &count);

	run->devices = reader_allocate(reader, count, sizeof(*run->devices));
	for (uint32_t i = 0; i < count && reader->status == STATUS_OK; i++) {
		const json_t *entry;
		const json_t *table;
		uint64_t threshold_ns;

		reader_enter(reader, "devices[%u]", i);
		run->device_count = i + 1;
		entry = get_entry(reader, list, i);
		read_device(reader, entry, &run->devices[i]);
		table = json_object_get(entry, "kernel_gaps");
		threshold_ns = get_count(reader, table, "threshold_ns");
		if (i > 0 && threshold_ns != run->threshold_ns) {
			reader_fail(reader, STATUS_BAD_INPUT, "another threshold than devices[0]");
		}
		run->threshold_ns = threshold_ns;
	}
	reader_enter(reader, "%s", "");
	if (reader->status == STATUS_OK) {
		qsort(run->devices, count, sizeof(*run->devices), compare_devices);
	}
	for (uint32_t i = 1; i < count && reader->status == STATUS_OK; i++) {
		if (compare_devices(&run->devices[i - 1], &run->devices[i]) == 0) {
			reader_fail(reader, STATUS_BAD_INPUT, "device '%.40s' is there twice",
				run->devices[i].uuid);
		}
	}
}

static struct run_usage *find_usage(
	struct reader *reader, const json_t *entry, const struct run *run, struct run_block *block)
{
	const char *uuid = get_text(reader, entry, "uuid");
	const json_t *index = get(reader, entry, "index", JSON_INTEGER);

	for (uint32_t i = 0; i < run->device_count && index; i++) {
		const struct run_device *device = &run->devices[i];

		if (device->index == json_integer_value(index) && device->uuid &&
			strcmp(device->uuid, uuid) == 0) {
			return block->devices ? &block->devices[i] : NULL;
		}
	}
	reader_fail(reader, STATUS_BAD_INPUT, "there is no device '%.40s' in the report", uuid);
	return NULL;
}

/* Busy and gaps are disjoint; what is left of the block is gaps below the threshold. */
static void read_block_device(
	struct reader *reader, const json_t *entry, const struct run *run, struct run_block *block)
{
	const uint64_t length_ns = block->end_ns - block->begin_ns;
	struct run_usage *usage = find_usage(reader, entry, run, block);

	if (!usage) {
		return;
	}
	if (usage->causes) {
		reader_fail(reader, STATUS_BAD_INPUT, "the device is there twice");
		return;
	}
	usage->busy_ns = get_count(reader, entry, "busy_ns");
	usage->copying_ns = get_count(reader, entry, "copying_ns");
	usage->gap_ns = get_count(reader, entry, "gap_ns");
	usage->gap_count = get_count(reader, entry, "gaps");
	if (usage->busy_ns > length_ns || usage->gap_ns > length_ns - usage->busy_ns) {
		reader_fail(reader, STATUS_BAD_INPUT, "busy and gaps are longer than the block");
		return;
	}
	usage->short_ns = length_ns - usage->busy_ns - usage->gap_ns;
	read_causes(reader, entry, usage);
}

static void read_block(struct reader *reader, const json_t *entry, struct run *run, uint32_t index)
{
	struct run_block *block = &run->blocks[index];
	const uint64_t expected_ns =
		index > 0 ? run->blocks[index - 1].end_ns : run->window_begin_ns;
	uint32_t count;
	const json_t *list;

	block->begin_ns = get_count(reader, entry, "begin_ns");
	block->end_ns = get_count(reader, entry, "end_ns");
	block->work = get_count(reader, entry, "work");
	if (block->begin_ns != expected_ns || block->end_ns < block->begin_ns) {
		reader_fail(reader, STATUS_BAD_INPUT, "does not begin where the one before ends");
		return;
	}
	list = get_list(reader, entry, "devices", DEVICE_COUNT_MAX, &count);
	block->devices = reader_allocate(reader, run->device_count, sizeof(*block->devices));
	for (uint32_t i = 0; i < count && reader->status == STATUS_OK; i++) {
		reader_enter(reader, "blocks[%u].devices[%u]", index, i);
		read_block_device(reader, get_entry(reader, list, i), run, block);
	}
}

static void read_blocks(struct reader *reader, const json_t *root, struct run *run)
{
	uint32_t count;
	const json_t *list;

	/* Reports from before there were blocks are good for several runs a side. */
	if (!json_object_get(root, "blocks")) {
		return;
	}
	list = get_list(reader, root, "blocks", RUN_BLOCK_COUNT_MAX, &count);
	run->blocks = reader_allocate(reader, count, sizeof(*run->blocks));
	for (uint32_t i = 0; i < count && reader->status == STATUS_OK; i++) {
		reader_enter(reader, "blocks[%u]", i);
		run->block_count = i + 1;
		read_block(reader, get_entry(reader, list, i), run, i);
	}
	reader_enter(reader, "%s", "");
	if (count > 0 && reader->status == STATUS_OK &&
		run->blocks[count - 1].end_ns != run->window_end_ns) {
		reader_fail(reader, STATUS_BAD_INPUT, "the blocks do not reach the window's end");
	}
}

static void read_work(struct reader *reader, const json_t *root, struct run *run)
{
	const json_t *work = get(reader, root, "work", JSON_OBJECT);

	reader_enter(reader, "work");
	run->work_unit = get_text(reader, work, "unit");
	run->work_name = json_object_get(work, "name") ? get_text(reader, work, "name") : "";
	run->work_count = get_count(reader, work, "count");
	run->jobs_done = get_count(reader, work, "jobs_done");
	run->jobs_failed = get_count(reader, work, "jobs_failed");
	reader_enter(reader, "%s", "");
}

static void read_trust(struct reader *reader, const json_t *root, struct run *run)
{
	const json_t *trust = get(reader, root, "trust", JSON_OBJECT);
	const json_t *notes;

	reader_enter(reader, "trust");
	run->is_trusted = get_bool(reader, trust, "ok");
	notes = get_list(reader, trust, "notes", RUN_NOTE_COUNT_MAX, &run->note_count);
	run->notes = reader_allocate(reader, run->note_count, sizeof(*run->notes));
	for (uint32_t i = 0; i < run->note_count && reader->status == STATUS_OK; i++) {
		run->notes[i] = json_string_value(json_array_get(notes, i));
		if (!run->notes[i]) {
			reader_fail(reader, STATUS_BAD_INPUT, "notes[%u] is not a text", i);
		}
	}
	reader_enter(reader, "%s", "");
}

static void read_window(struct reader *reader, const json_t *root, struct run *run)
{
	const json_t *window = get(reader, root, "window", JSON_OBJECT);

	reader_enter(reader, "window");
	run->window_begin_ns = get_count(reader, window, "begin_ns");
	run->window_end_ns = get_count(reader, window, "end_ns");
	if (run->window_end_ns < run->window_begin_ns) {
		reader_fail(reader, STATUS_BAD_INPUT, "it ends before it begins");
	}
	reader_enter(reader, "%s", "");
}

enum status run_read(struct run *run, struct diag *diag)
{
	const json_t *root = run->document;
	struct reader reader = {.run = run, .diag = diag, .status = STATUS_OK};
	const char *schema = json_string_value(json_object_get(root, "schema"));

	if (!schema || strncmp(schema, "gaptrace.", strlen("gaptrace.")) != 0) {
		return diag_set(diag, STATUS_UNSUPPORTED,
			"%s: no report of gaptrace: make one with gaptrace report --format json",
			run->path);
	}
	if (strncmp(schema, "gaptrace.report/", strlen("gaptrace.report/")) != 0) {
		return diag_set(
			diag, STATUS_BAD_INPUT, "%s: is %.40s, not a report", run->path, schema);
	}
	run->schema = schema;
	run->work_unit = "";
	run->work_name = "";
	if (strcmp(schema, RUN_SCHEMA) != 0) {
		return STATUS_OK;
	}
	run->is_readable = true;
	run->is_simulated = get_bool(&reader, root, "simulated");
	read_window(&reader, root, run);
	read_work(&reader, root, run);
	read_devices(&reader, root, run);
	read_trust(&reader, root, run);
	read_blocks(&reader, root, run);
	return reader.status == STATUS_OK ? run_check(run, diag) : reader.status;
}
