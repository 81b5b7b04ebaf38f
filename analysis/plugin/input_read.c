/* SPDX-License-Identifier: MIT */
#include "analysis/plugin/input_read.h"

#include "analysis/import/import_files.h"
#include "analysis/plugin/graph.h"
#include "analysis/plugin/input.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

static enum status read_recordings(
	const char *const *paths, size_t count, struct feed *feed, struct diag *diag)
{
	struct input_list inputs = {0};
	enum status status = STATUS_OK;

	for (size_t i = 0; i < count && status == STATUS_OK; i++) {
		status = input_find(&inputs, paths[i], diag);
	}
	if (status == STATUS_OK) {
		status = graph_read(&inputs, feed, diag);
	}
	input_finish(&inputs);
	return status;
}

/*
 * Events go straight into the engine; under the babeltrace2 command the same set of files feeds
 * source.gaptrace.*, and a test holds the two reports against one another.
 */
static enum status read_files(
	const char *const *paths, size_t count, struct feed *feed, struct diag *diag)
{
	AUTO(import_set_destroy) struct import_set *set = NULL;
	enum status status = import_files_open(paths, count, NULL, diag, &set);
	bool has_event = true;
	struct event event;

	while (status == STATUS_OK) {
		status = import_set_next(set, &event, &has_event, diag);
		if (status != STATUS_OK || !has_event) {
			break;
		}
		status = feed_event(feed, &event, event.pid != 0 && event.tid != 0, DECODE_EVENT);
	}
	return status;
}

/* Whether a path is a directory, and so a recording. */
static enum status find_kind(const char *path, bool *out_is_directory, struct diag *diag)
{
	struct stat facts;

	if (stat(path, &facts) != 0) {
		return diag_set(diag, status_from_errno(errno), "%s: %s", path, strerror(errno));
	}
	*out_is_directory = S_ISDIR(facts.st_mode);
	return STATUS_OK;
}

enum status input_read(const char *const *paths, size_t count, struct feed *feed, struct diag *diag)
{
	bool is_first_directory = true;

	for (size_t i = 0; i < count; i++) {
		bool is_directory = true;
		const enum status status = find_kind(paths[i], &is_directory, diag);

		if (status != STATUS_OK) {
			return status;
		}
		if (i == 0) {
			is_first_directory = is_directory;
		}
		if (is_directory != is_first_directory) {
			return diag_set(diag, STATUS_BAD_INPUT,
				"%s is %s and %s is %s: their clocks cannot be compared; make a "
				"report of each",
				paths[0], is_directory ? "a file" : "a recording", paths[i],
				is_directory ? "a recording" : "a file");
		}
	}
	return is_first_directory ? read_recordings(paths, count, feed, diag)
				  : read_files(paths, count, feed, diag);
}
