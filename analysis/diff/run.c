/* SPDX-License-Identifier: MIT */
#include "analysis/diff/run.h"

#include "analysis/diff/run_read.h"

#include <assert.h>
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A file, with what may still be read of it. */
struct source {
	FILE *file;
	size_t left_bytes;
	bool is_too_large;
	int error;
};

static size_t read_some(void *buffer, size_t length, void *user)
{
	struct source *source = user;
	const size_t wanted = length < source->left_bytes + 1 ? length : source->left_bytes + 1;
	const size_t got = fread(buffer, 1, wanted, source->file);

	if (ferror(source->file)) {
		source->error = errno;
		return (size_t)-1;
	}
	if (got > source->left_bytes) {
		source->is_too_large = true;
		return (size_t)-1;
	}
	source->left_bytes -= got;
	return got;
}

/* Takes the document, which the run owns from here on, whatever comes out. */
static enum status run_create(
	const char *path, json_t *document, struct run **out_run, struct diag *diag)
{
	AUTO(run_destroy) struct run *run = calloc(1, sizeof(*run));
	enum status status;

	if (!run) {
		json_decref(document);
		return STATUS_NO_MEMORY;
	}
	run->document = document;
	run->path = strdup(path);
	if (!run->path) {
		return STATUS_NO_MEMORY;
	}
	status = run_read(run, diag);
	if (status == STATUS_OK) {
		*out_run = MOVE(run);
	}
	return status;
}

static enum status refuse_syntax(const char *path, const json_error_t *error, struct diag *diag)
{
	const enum json_error_code code = json_error_code(error);

	if (code == json_error_out_of_memory) {
		return STATUS_NO_MEMORY;
	}
	return diag_set(diag, STATUS_BAD_INPUT, "%s:%d:%d: %s%s", path, error->line, error->column,
		code == json_error_premature_end_of_input ? "the file ends too early" : "no JSON: ",
		code == json_error_premature_end_of_input ? "" : error->text);
}

enum status run_load(const char *path, struct run **out_run, struct diag *diag)
{
	struct source source = {.left_bytes = RUN_FILE_BYTES_MAX};
	json_error_t error = {0};
	json_t *document;

	source.file = fopen(path, "re");
	if (!source.file) {
		return diag_set(diag, status_from_errno(errno), "%s: %s", path, strerror(errno));
	}
	document = json_load_callback(read_some, &source, JSON_REJECT_DUPLICATES, &error);
	(void)fclose(source.file);
	if (source.is_too_large) {
		json_decref(document);
		return diag_set(diag, STATUS_TOO_LARGE, "%s: over %u MB are no report", path,
			RUN_FILE_BYTES_MAX >> 20);
	}
	if (source.error) {
		json_decref(document);
		return diag_set(diag, status_from_errno(source.error), "%s: %s", path,
			strerror(source.error));
	}
	if (!document) {
		return refuse_syntax(path, &error, diag);
	}
	return run_create(path, document, out_run, diag);
}

enum status run_parse(
	const char *path, const char *text, size_t length, struct run **out_run, struct diag *diag)
{
	json_error_t error = {0};
	json_t *document = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);

	if (!document) {
		return refuse_syntax(path, &error, diag);
	}
	return run_create(path, document, out_run, diag);
}

bool run_is_same(const struct run *left, const struct run *right)
{
	if (!left->is_readable || !right->is_readable ||
		left->window_begin_ns != right->window_begin_ns ||
		left->window_end_ns != right->window_end_ns ||
		left->work_count != right->work_count ||
		left->device_count != right->device_count) {
		return false;
	}
	/* Two runs never agree in all of these to the nanosecond; two reports on one run do. */
	for (uint32_t i = 0; i < left->device_count; i++) {
		const struct run_device *a = &left->devices[i];
		const struct run_device *b = &right->devices[i];

		if (strcmp(a->uuid, b->uuid) != 0 || a->usage.busy_ns != b->usage.busy_ns ||
			a->usage.copying_ns != b->usage.copying_ns) {
			return false;
		}
	}
	return true;
}

/* Traces of other tools may have no UUIDs, or one for all: what several have names none of them. */
static bool find_device(const struct run *run, const char *uuid, uint32_t *out_index)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < run->device_count; i++) {
		if (strcmp(run->devices[i].uuid, uuid) == 0) {
			*out_index = i;
			count++;
		}
	}
	return count == 1;
}

uint32_t run_device_at(const struct run *run, const struct run *reference, uint32_t slot)
{
	uint32_t index = slot;
	uint32_t other;

	assert(slot < reference->device_count && run->device_count == reference->device_count);
	for (uint32_t i = 0; i < reference->device_count; i++) {
		if (!find_device(run, reference->devices[i].uuid, &other)) {
			return slot;
		}
		index = i == slot ? other : index;
	}
	return index;
}

void run_destroy(struct run *run)
{
	if (!run) {
		return;
	}
	for (uint32_t i = 0; i < run->block_count; i++) {
		for (uint32_t d = 0; run->blocks[i].devices && d < run->device_count; d++) {
			free(run->blocks[i].devices[d].causes);
		}
		free(run->blocks[i].devices);
	}
	for (uint32_t i = 0; i < run->device_count; i++) {
		free(run->devices[i].usage.causes);
	}
	free(run->blocks);
	free(run->devices);
	free(run->notes);
	json_decref(run->document);
	free(run->path);
	free(run);
}
