/* SPDX-License-Identifier: MIT */
#include "analysis/cli/file_arguments.h"

#include <libgen.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum status file_arguments_check(const char *const *inputs, size_t input_count, struct diag *diag)
{
	for (size_t i = 0; i < input_count; i++) {
		if (!*inputs[i]) {
			return diag_set(diag, STATUS_BAD_USE,
				"input %zu of %zu is empty: name a file, or set the variable that "
				"should have one",
				i + 1, input_count);
		}
	}
	return STATUS_OK;
}

static bool is_same_file(const char *left, const char *right)
{
	struct stat a;
	struct stat b;

	return stat(left, &a) == 0 && stat(right, &b) == 0 && S_ISREG(a.st_mode) &&
	       a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static bool has_metadata(const char *folder)
{
	char *path = NULL;
	struct stat facts;
	bool is_there;

	if (asprintf(&path, "%s/metadata", folder) < 0) {
		return false;
	}
	is_there = stat(path, &facts) == 0 && S_ISREG(facts.st_mode);
	free(path);
	return is_there;
}

/* Whether a folder is `input`, or below it; both without links. */
static bool is_below(const char *folder, const char *input)
{
	const size_t length = strlen(input);

	return strncmp(folder, input, length) == 0 &&
	       (folder[length] == '\0' || folder[length] == '/');
}

/* The folder of a trace that a file of `folder` would be one of: of a stream, or of an index. */
static bool is_trace(char *folder)
{
	return has_metadata(folder) ||
	       (strcmp(basename(folder), "index") == 0 && has_metadata(dirname(folder)));
}

/* Whether `output`, or what it links to, would be read as a part of the recording `input`. */
static bool is_in_recording(const char *output, const char *input)
{
	char *target = realpath(output, NULL);
	char *copy = target ? target : strdup(output);
	char *folder = copy ? realpath(dirname(copy), NULL) : NULL;
	char *root = realpath(input, NULL);
	const bool is_in = folder && root && is_below(folder, root) && is_trace(folder);

	free(root);
	free(folder);
	free(copy);
	return is_in;
}

enum status file_arguments_check_output(
	const char *output, const char *const *inputs, size_t input_count, struct diag *diag)
{
	/* "-" is standard output. */
	const bool is_file = output && strcmp(output, "-") != 0;

	for (size_t i = 0; is_file && i < input_count; i++) {
		if (is_same_file(output, inputs[i])) {
			return diag_set(diag, STATUS_BAD_USE,
				"-o %s is what is read, and would be lost: name another file",
				output);
		}
		if (is_in_recording(output, inputs[i])) {
			return diag_set(diag, STATUS_BAD_USE,
				"-o %s is among the streams of the recording, and would be taken "
				"for one: name a file outside of it",
				output);
		}
	}
	return STATUS_OK;
}
