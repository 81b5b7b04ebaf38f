/* SPDX-License-Identifier: MIT */
#include "analysis/import/cuzk_lines.h"

#include "analysis/import/cuzk_text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Lines of other threads between the two halves of a torn one; more means that the rest is lost. */
#define TORN_LINES_MAX                                                                             \
	16 /* the threads that can write at that moment: two workers for each GPU                  \
	    */

struct cuzk_lines {
	char *paths[CUZK_FILE_COUNT_MAX];
	size_t path_count;
	size_t next_path;
	FILE *file;
	char line[CUZK_LINE_BYTES_MAX];
	char torn[CUZK_LINE_BYTES_MAX]; /* the first half of a torn line, "" when there is none */
	uint32_t since_torn;
	char inner[CUZK_LINE_BYTES_MAX];
	uint64_t process; /* that wrote the last line; 0: not told */
	struct cuzk_line_counts counts;
};

static enum status open_next(struct cuzk_lines *lines, struct diag *diag)
{
	const char *path = lines->paths[lines->next_path++];

	lines->file = fopen(path, "re");
	if (!lines->file) {
		return diag_set(diag, status_from_errno(errno), "%s: %s", path, strerror(errno));
	}
	return STATUS_OK;
}

enum status cuzk_lines_open(
	const char *const *paths, size_t count, struct diag *diag, struct cuzk_lines **out_lines)
{
	AUTO(cuzk_lines_close) struct cuzk_lines *lines = calloc(1, sizeof(*lines));
	enum status status;

	if (!lines) {
		return STATUS_NO_MEMORY;
	}
	if (count > CUZK_FILE_COUNT_MAX) {
		return diag_set(diag, STATUS_BAD_USE, "%zu logs: at most %d are read as one", count,
			CUZK_FILE_COUNT_MAX);
	}
	for (size_t i = 0; i < count; i++) {
		lines->paths[i] = strdup(paths[i]);
		if (!lines->paths[i]) {
			return STATUS_NO_MEMORY;
		}
		lines->path_count++;
	}
	status = cuzk_lines_rewind(lines, diag);
	if (status == STATUS_OK) {
		*out_lines = MOVE(lines);
	}
	return status;
}

enum status cuzk_lines_rewind(struct cuzk_lines *lines, struct diag *diag)
{
	if (lines->file) {
		(void)fclose(lines->file);
		lines->file = NULL;
	}
	lines->next_path = 0;
	lines->torn[0] = '\0';
	lines->counts = (struct cuzk_line_counts){0};
	return lines->path_count > 0 ? open_next(lines, diag) : STATUS_OK;
}

/* What a line begins with when it is one of the daemon's own, whole ones. */
static const char *find_native(const char *line)
{
	const char *timing = strstr(line, "CUZK_TIMING: ");
	const char *ntt = strstr(line, "CUZK_NTT_H: ");

	if (!timing || (ntt && ntt < timing)) {
		return ntt;
	}
	return timing;
}

/* A tracing line: 2026-03-14T10:08:51.982713Z. */
static const char *find_tracing(const char *line)
{
	static const char shape[] = "dddd-dd-ddTdd:dd:dd.ddddddZ ";
	const char *end = line + strlen(line);

	for (; end - line >= (ptrdiff_t)strlen(shape); line++) {
		size_t i = 0;

		while (shape[i] && (shape[i] == 'd' ? line[i] >= '0' && line[i] <= '9'
						    : line[i] == shape[i])) {
			i++;
		}
		if (!shape[i]) {
			return line;
		}
	}
	return NULL;
}

static bool is_timeline(const char *line)
{
	return strncmp(line, "TIMELINE,", strlen("TIMELINE,")) == 0;
}

/* Where a line of another thread begins inside this one; NULL when it is whole. */
static char *find_intruder(char *line)
{
	const char *native = find_native(line);
	const char *tracing = is_timeline(line) ? find_tracing(line) : NULL;
	const char *first = native;

	if (tracing && (!first || tracing < first)) {
		first = tracing;
	}
	return first && first != line ? line + (first - line) : NULL;
}

/* The file ended, or cannot be read on: the next one, if there is one. */
static enum status leave_file(struct cuzk_lines *lines, struct diag *diag)
{
	const bool has_failed = ferror(lines->file) != 0;
	const int error = errno;

	(void)fclose(lines->file);
	lines->file = NULL;
	if (has_failed) {
		return diag_set(diag, STATUS_IO, "%s: %s", lines->paths[lines->next_path - 1],
			strerror(error));
	}
	return lines->next_path < lines->path_count ? open_next(lines, diag) : STATUS_OK;
}

/* What is left of a line that is too long, or holds zeros, is not read. Counts both. */
static void skip_rest(struct cuzk_lines *lines, size_t length)
{
	int c = EOF;

	if (length + 1 < sizeof(lines->line)) {
		lines->counts.zeroed++;
		return;
	}
	lines->counts.cut++;
	do {
		c = fgetc(lines->file);
	} while (c != EOF && c != '\n');
}

/*
 * One line of the files as it stands; *out_has_line is false at the end. A last line without its
 * end was being written: its numbers may lack digits.
 */
static enum status read_line(struct cuzk_lines *lines, bool *out_has_line, struct diag *diag)
{
	size_t length = 0;

	*out_has_line = false;
	while (lines->file) {
		const bool has_line = fgets(lines->line, sizeof(lines->line), lines->file) != NULL;
		enum status status = STATUS_OK;

		length = has_line ? strlen(lines->line) : 0;
		if (has_line &&
			(!feof(lines->file) || (length && lines->line[length - 1] == '\n'))) {
			break;
		}
		lines->counts.torn += has_line;
		status = leave_file(lines, diag);
		if (status != STATUS_OK) {
			return status;
		}
	}
	if (!lines->file) {
		return STATUS_OK;
	}
	*out_has_line = true;
	lines->counts.lines++;
	if (length == 0 || lines->line[length - 1] != '\n') {
		skip_rest(lines, length);
	}
	cuzk_text_clean(lines->line);
	length = cuzk_text_prefix(lines->line, &lines->process);
	memmove(lines->line, lines->line + length, strlen(lines->line + length) + 1);
	return STATUS_OK;
}

static void give_up_torn(struct cuzk_lines *lines)
{
	lines->counts.torn += lines->torn[0] != '\0';
	lines->torn[0] = '\0';
}

/* Puts the rest of a torn line behind its first half. */
static void join(struct cuzk_lines *lines)
{
	const size_t length = strlen(lines->torn);

	(void)snprintf(lines->torn + length, sizeof(lines->torn) - length, "%s", lines->line);
	(void)snprintf(lines->line, sizeof(lines->line), "%s", lines->torn);
	lines->torn[0] = '\0';
}

/* Keeps the half before the intruder and gives the intruder. */
static char *split(struct cuzk_lines *lines, char *intruder)
{
	(void)snprintf(lines->inner, sizeof(lines->inner), "%s", intruder);
	*intruder = '\0';
	(void)snprintf(lines->torn, sizeof(lines->torn), "%s", lines->line);
	lines->since_torn = 0;
	return lines->inner;
}

enum status cuzk_lines_next(struct cuzk_lines *lines, char **out_line, struct diag *diag)
{
	bool has_line = false;
	bool is_joined = false;
	char *intruder;
	const enum status status = read_line(lines, &has_line, diag);

	*out_line = NULL;
	if (status != STATUS_OK || !has_line) {
		give_up_torn(lines);
		return status;
	}
	if (lines->torn[0]) {
		const bool is_whole = is_timeline(lines->line) ||
				      find_native(lines->line) == lines->line ||
				      find_tracing(lines->line) == lines->line;

		if (is_timeline(lines->line) || lines->since_torn++ == TORN_LINES_MAX) {
			give_up_torn(lines);
		} else if (!is_whole) {
			join(lines);
			is_joined = true;
		}
	}
	intruder = find_intruder(lines->line);
	if (intruder && is_timeline(lines->line)) {
		*out_line = split(lines, intruder);
		return STATUS_OK;
	}
	lines->counts.mended += is_joined;
	*out_line = lines->line;
	return STATUS_OK;
}

uint64_t cuzk_lines_process(const struct cuzk_lines *lines)
{
	return lines->process;
}

size_t cuzk_lines_file(const struct cuzk_lines *lines)
{
	return lines->next_path - 1;
}

const char *cuzk_lines_path(const struct cuzk_lines *lines, size_t file)
{
	return lines->paths[file];
}

struct cuzk_line_counts cuzk_lines_counts(const struct cuzk_lines *lines)
{
	return lines->counts;
}

void cuzk_lines_close(struct cuzk_lines *lines)
{
	if (!lines) {
		return;
	}
	if (lines->file) {
		(void)fclose(lines->file);
	}
	for (size_t i = 0; i < lines->path_count; i++) {
		free(lines->paths[i]);
	}
	free(lines);
}
