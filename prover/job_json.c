/* SPDX-License-Identifier: MIT */
#include "prover/job_json.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct reader {
	const struct pipeline *pipeline;
	struct diag *diag;
	json_t *root;
};

static void json_free(json_t **value)
{
	json_decref(*value);
}

/* A misspelt field would otherwise be a default in silence. */
static enum status check_fields(struct reader *reader)
{
	static const char *const known[] = {
		"kind", "partitions", "priority", "seed", "secrets", "key", "witnesses"};
	const char *name = NULL;
	json_t *value = NULL;

	json_object_foreach(reader->root, name, value)
	{
		bool is_known = false;

		for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
			is_known = is_known || strcmp(known[i], name) == 0;
		}
		if (!is_known) {
			return diag_set(reader->diag, STATUS_BAD_INPUT,
				"field '%s' is not known; the fields are kind, partitions, "
				"priority, seed, secrets, key, witnesses",
				name);
		}
	}
	return STATUS_OK;
}

static enum status read_kind(struct reader *reader, struct job_request *request)
{
	const char *word = json_string_value(json_object_get(reader->root, "kind"));

	if (!word || !job_kind_find(word, &request->kind)) {
		return diag_set(reader->diag, STATUS_BAD_INPUT,
			"field 'kind' must be \"merkle\", \"squaring\" or \"files\"");
	}
	return STATUS_OK;
}

static enum status read_priority(struct reader *reader, struct job_request *request)
{
	json_t *value = json_object_get(reader->root, "priority");

	request->priority = JOB_PRIORITY_NORMAL;
	if (value && (!json_is_string(value) ||
			     !job_priority_find(json_string_value(value), &request->priority))) {
		return diag_set(reader->diag, STATUS_BAD_INPUT,
			"field 'priority' must be \"low\", \"normal\", \"high\" or \"critical\"");
	}
	return STATUS_OK;
}

static enum status read_partitions(struct reader *reader, struct job_request *request)
{
	json_t *value = json_object_get(reader->root, "partitions");
	uint64_t maximum = reader->pipeline->config.daemon.partitions_max;
	json_int_t count = 1;

	if (value && !json_is_integer(value)) {
		return diag_set(reader->diag, STATUS_BAD_INPUT,
			"field 'partitions' must be a whole number");
	}
	if (value) {
		count = json_integer_value(value);
	} else if (request->kind == JOB_FILES) {
		/* Of files the witnesses tell how many partitions there are. */
		count = (json_int_t)json_array_size(json_object_get(reader->root, "witnesses"));
		if (count == 0) {
			return diag_set(reader->diag, STATUS_BAD_INPUT,
				"field 'witnesses' must name a file for each partition");
		}
	}
	if (count < 1) {
		return diag_set(
			reader->diag, STATUS_BAD_INPUT, "field 'partitions' must be at least 1");
	}
	/* Before anything is allocated by the count. */
	if ((uint64_t)count > maximum) {
		return diag_set(reader->diag, STATUS_TOO_LARGE,
			"%" PRIu64 " partitions are more than the %" PRIu64
			" that a job may have; see [daemon] partitions_max",
			(uint64_t)count, maximum);
	}
	request->partition_count = (uint32_t)count;
	return STATUS_OK;
}

static enum status read_seed(struct reader *reader, struct job_request *request)
{
	json_t *value = json_object_get(reader->root, "seed");

	if (value && (!json_is_integer(value) || json_integer_value(value) < 0)) {
		return diag_set(reader->diag, STATUS_BAD_INPUT,
			"field 'seed' must be a whole number that is not negative");
	}
	/* Of NULL it is 0, the default. */
	request->seed = (uint64_t)json_integer_value(value);
	return STATUS_OK;
}

static int hex_digit(char digit)
{
	if (digit >= '0' && digit <= '9') {
		return digit - '0';
	}
	if (digit >= 'a' && digit <= 'f') {
		return digit - 'a' + 10;
	}
	return -1;
}

static bool decode_hex(const char *text, uint8_t *bytes, uint32_t byte_count)
{
	if (strlen(text) != 2 * (size_t)byte_count) {
		return false;
	}
	for (uint32_t i = 0; i < byte_count; i++) {
		int high = hex_digit(text[2 * i]);
		int low = hex_digit(text[2 * i + 1]);

		if (high < 0 || low < 0) {
			return false;
		}
		bytes[i] = (uint8_t)(high * 16 + low);
	}
	return true;
}

static enum status read_secrets(struct reader *reader, struct job_request *request)
{
	json_t *list = json_object_get(reader->root, "secrets");
	uint32_t byte_count =
		srs_manager_secret_bytes(reader->pipeline->srs_manager, request->kind);

	if (!list) {
		return STATUS_OK;
	}
	if (request->kind == JOB_FILES || json_array_size(list) != request->partition_count) {
		return diag_set(reader->diag, STATUS_BAD_INPUT,
			"field 'secrets' must hold one string for each partition of a built-in "
			"circuit");
	}
	request->secret_bytes = byte_count;
	request->secrets = calloc(request->partition_count, byte_count);
	if (!request->secrets) {
		return diag_set(reader->diag, STATUS_NO_MEMORY, "out of memory");
	}
	for (uint32_t i = 0; i < request->partition_count; i++) {
		const char *text = json_string_value(json_array_get(list, i));

		if (!text ||
			!decode_hex(text, request->secrets + (size_t)i * byte_count, byte_count)) {
			return diag_set(reader->diag, STATUS_BAD_INPUT,
				"field 'secrets' [%u] must be %u lower-case hexadecimal digits", i,
				2 * byte_count);
		}
	}
	return STATUS_OK;
}

/* An existing file under the root, whatever links and dots the name goes through. */
static enum status resolve_path(
	struct reader *reader, const char *field, const json_t *value, char **out_path)
{
	const char *root = reader->pipeline->config.jobs.file_root;
	const char *name = json_string_value(value);
	char joined[PATH_MAX];
	char resolved[PATH_MAX];
	char resolved_root[PATH_MAX];
	size_t length = 0;

	if (!name || name[0] == '\0') {
		return diag_set(reader->diag, STATUS_BAD_INPUT,
			"field '%s' must name a file under the configured root", field);
	}
	/* Before the file system is asked, so that an absolute path tells nothing about it. */
	if (name[0] == '/' ||
		(size_t)snprintf(joined, sizeof(joined), "%s/%s", root, name) >= sizeof(joined)) {
		return diag_set(reader->diag, STATUS_PERMISSION,
			"field '%s': '%s' must be relative to the configured root", field, name);
	}
	if (!realpath(root, resolved_root)) {
		return diag_set(reader->diag, STATUS_UNAVAILABLE,
			"the configured root of files cannot be read: %s", strerror(errno));
	}
	if (!realpath(joined, resolved)) {
		/* What lies outside the root must not be told apart from what does not exist. */
		return diag_set(
			reader->diag, STATUS_NOT_FOUND, "field '%s': no file '%s'", field, name);
	}
	length = strlen(resolved_root);
	if (strncmp(resolved, resolved_root, length) != 0 ||
		/* /root2 is not below /root; and below / is everything. */
		(length > 1 && resolved[length] != '/')) {
		return diag_set(
			reader->diag, STATUS_NOT_FOUND, "field '%s': no file '%s'", field, name);
	}
	*out_path = strdup(resolved);
	return *out_path ? STATUS_OK : STATUS_NO_MEMORY;
}

static enum status read_files(struct reader *reader, struct job_request *request)
{
	json_t *witnesses = json_object_get(reader->root, "witnesses");
	enum status status = STATUS_OK;

	if (request->kind != JOB_FILES) {
		if (witnesses || json_object_get(reader->root, "key")) {
			return diag_set(reader->diag, STATUS_BAD_INPUT,
				"fields 'key' and 'witnesses' belong to jobs of kind \"files\"");
		}
		return STATUS_OK;
	}
	if (reader->pipeline->config.jobs.file_root[0] == '\0') {
		return diag_set(reader->diag, STATUS_NOT_FOUND,
			"jobs of kind 'files' are not served here; see [jobs] file_root");
	}
	if (json_array_size(witnesses) != request->partition_count) {
		return diag_set(reader->diag, STATUS_BAD_INPUT,
			"field 'witnesses' must hold one file for each of %u partitions",
			request->partition_count);
	}
	status = resolve_path(
		reader, "key", json_object_get(reader->root, "key"), &request->key_path);
	if (status != STATUS_OK) {
		return status;
	}
	request->witness_paths = calloc(request->partition_count, sizeof(char *));
	if (!request->witness_paths) {
		return diag_set(reader->diag, STATUS_NO_MEMORY, "out of memory");
	}
	for (uint32_t i = 0; i < request->partition_count && status == STATUS_OK; i++) {
		status = resolve_path(reader, "witnesses", json_array_get(witnesses, i),
			&request->witness_paths[i]);
	}
	return status;
}

static enum status read_request(struct reader *reader, struct job_request *request)
{
	/* In this order: what later steps allow depends on the kind and the count. */
	enum status (*const steps[])(struct reader *, struct job_request *) = {
		read_kind, read_priority, read_partitions, read_seed, read_secrets, read_files};
	enum status status = check_fields(reader);

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]) && status == STATUS_OK; i++) {
		status = steps[i](reader, request);
	}
	return status;
}

enum status job_json_parse(const struct pipeline *pipeline, const char *text, size_t size,
	struct diag *diag, struct job_request *out_request)
{
	json_error_t error;
	__attribute__((cleanup(json_free))) json_t *root =
		json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
	struct reader reader = {.pipeline = pipeline, .diag = diag, .root = root};
	struct job_request request = {.partition_count = 0};
	enum status status = STATUS_OK;

	assert(pipeline && out_request);

	if (!root) {
		return diag_set(diag, STATUS_BAD_INPUT, "body: line %d, column %d: %s", error.line,
			error.column, error.text);
	}
	if (!json_is_object(root)) {
		return diag_set(diag, STATUS_BAD_INPUT, "body: must be a JSON object");
	}
	status = read_request(&reader, &request);
	if (status != STATUS_OK) {
		/* Whatever the steps had filled in. */
		job_request_finish(&request);
		return status;
	}
	*out_request = request;
	return STATUS_OK;
}
