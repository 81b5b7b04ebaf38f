/* SPDX-License-Identifier: MIT */
#include "analysis/plugin/input.h"

#include "trace/base/array.h"

#include <errno.h>
#include <fts.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A recording is session/ust/uid/N/64-bit or archives/chunk/ust/...: deeper is something else. */
#define DEPTH_MAX 10

static enum status add(struct input_list *list, const char *path)
{
	char *copy;

	list->seen++;
	for (size_t i = 0; i < list->count; i++) {
		if (strcmp(list->paths[i], path) == 0) {
			return STATUS_OK;
		}
	}
	if (!ARRAY_MAKE_ROOM(list->paths, list->count, list->capacity, 8)) {
		return STATUS_NO_MEMORY;
	}
	copy = strdup(path);
	if (!copy) {
		return STATUS_NO_MEMORY;
	}
	list->paths[list->count++] = copy;
	return STATUS_OK;
}

static int compare_names(const FTSENT **left, const FTSENT **right)
{
	return strcmp((*left)->fts_name, (*right)->fts_name);
}

/* One step of the walk through the directories. */
static enum status visit(struct input_list *list, FTS *tree, FTSENT *entry, struct diag *diag)
{
	char *slash;
	enum status status;

	if (entry->fts_level > DEPTH_MAX) {
		(void)fts_set(tree, entry, FTS_SKIP);
		return STATUS_OK;
	}
	switch (entry->fts_info) {
	case FTS_F:
		if (strcmp(entry->fts_name, "metadata") != 0) {
			return STATUS_OK;
		}
		slash = strrchr(entry->fts_path, '/');
		*slash = '\0';
		status = add(list, entry->fts_path);
		*slash = '/';
		return status;
	case FTS_DNR:
	case FTS_ERR:
	case FTS_NS:
		return diag_set(diag, status_from_errno(entry->fts_errno), "%s: %s",
			entry->fts_path, strerror(entry->fts_errno));
	default:
		return STATUS_OK;
	}
}

enum status input_find(struct input_list *list, const char *path, struct diag *diag)
{
	char *const roots[] = {(char *)(uintptr_t)path, NULL};
	const size_t seen_before = list->seen;
	enum status status = STATUS_OK;
	struct stat facts;
	FTSENT *entry;
	FTS *tree;

	if (stat(path, &facts) != 0) {
		return diag_set(diag, status_from_errno(errno), "%s: %s", path, strerror(errno));
	}
	if (!S_ISDIR(facts.st_mode)) {
		return diag_set(diag, STATUS_BAD_INPUT,
			"%s: not a directory; name the directory of a recording", path);
	}
	tree = fts_open(roots, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, compare_names);
	if (!tree) {
		return diag_set(diag, status_from_errno(errno), "%s: %s", path, strerror(errno));
	}
	while (status == STATUS_OK && (entry = fts_read(tree)) != NULL) {
		status = visit(list, tree, entry, diag);
	}
	(void)fts_close(tree);
	if (status == STATUS_OK && list->seen == seen_before) {
		return diag_set(diag, STATUS_BAD_INPUT,
			"%s: no trace below it (a directory with a file `metadata`); make one with "
			"gaptrace record -o DIR -- COMMAND, and name files of other tools "
			"themselves",
			path);
	}
	return status;
}

void input_finish(struct input_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		free(list->paths[i]);
	}
	free(list->paths);
	*list = (struct input_list){0};
}
