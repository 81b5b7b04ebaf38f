/* SPDX-License-Identifier: MIT */
/*
 * Bytes taken for files of one job, split at a mark: whatever they are, they are refused in one
 * line, or make a report whose parts add up and whose JSON another library reads.
 */
#include "analysis/import/import_files.h"
#include "analysis/report/report.h"

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MARK           "\n--- next file ---\n"
#define FILE_COUNT_MAX 4 /* of one input: enough for every way of bringing two together */
#define PATH_BYTES     64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool is_true)
{
	if (!is_true) {
		abort();
	}
}

struct files {
	int descriptors[FILE_COUNT_MAX];
	char texts[FILE_COUNT_MAX][PATH_BYTES];
	const char *paths[FILE_COUNT_MAX];
	size_t count;
};

static void add_file(struct files *files, const uint8_t *data, size_t size)
{
	const int descriptor = memfd_create("import", MFD_CLOEXEC);
	char *path = files->texts[files->count];

	require(descriptor >= 0 && write(descriptor, data, size) == (ssize_t)size);
	(void)snprintf(path, PATH_BYTES, "/proc/self/fd/%d", descriptor);
	files->descriptors[files->count] = descriptor;
	files->paths[files->count++] = path;
}

static void split(struct files *files, const uint8_t *data, size_t size)
{
	const size_t mark_size = strlen(MARK);

	while (files->count + 1 < FILE_COUNT_MAX) {
		const uint8_t *mark = memmem(data, size, MARK, mark_size);

		if (!mark) {
			break;
		}
		add_file(files, data, (size_t)(mark - data));
		size -= (size_t)(mark - data) + mark_size;
		data = mark + mark_size;
	}
	add_file(files, data, size);
}

static void check_json(const struct report_data *report)
{
	char *text = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);
	json_error_t error;
	json_t *document;

	require(stream);
	report_write_json(report, stream);
	require(fclose(stream) == 0);
	document = json_loads(text, 0, &error);
	require(document);
	json_decref(document);
	free(text);
}

static void check_text(const struct report_data *report)
{
	char *text = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);

	require(stream);
	report_write_text(report, stream);
	require(fclose(stream) == 0);
	for (size_t i = 0; i < size; i++) {
		require(text[i] == '\n' || (text[i] >= ' ' && text[i] != 0x7f));
	}
	free(text);
}

static void read_events(struct import_set *set, struct report_data *report)
{
	uint64_t last_ns = 0;
	bool has_event = true;
	struct event event;

	for (;;) {
		const enum status status = import_set_next(set, &event, &has_event, NULL);

		/* Of one recording twice, what came before that was seen is a report all the same.
		 */
		if (status == STATUS_BAD_USE) {
			return;
		}
		require(status == STATUS_OK);
		if (!has_event) {
			return;
		}
		require(event.time_ns >= last_ns);
		last_ns = event.time_ns;
		require(analyzer_add(report->analyzer, &event) == STATUS_OK);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO(import_set_destroy) struct import_set *set = NULL;
	struct files files = {.count = 0};
	struct report_data *report = NULL;
	struct diag diag = {""};

	split(&files, data, size);
	if (import_files_open(files.paths, files.count, NULL, &diag, &set) == STATUS_OK) {
		require(report_data_create(1000, &report) == STATUS_OK);
		read_events(set, report);
		require(report_data_end(report) == STATUS_OK);
		require(analyzer_trust(report->analyzer)->internal_errors == 0);
		check_json(report);
		check_text(report);
		report_data_destroy(report);
	} else {
		require(strstr(diag.line, "/proc/self/fd/"));
	}
	for (size_t i = 0; i < files.count; i++) {
		require(close(files.descriptors[i]) == 0);
	}
	return 0;
}
