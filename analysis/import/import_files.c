/* SPDX-License-Identifier: MIT */
#include "analysis/import/import_files.h"

#include "analysis/import/import_format.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

struct identity {
	dev_t device;
	ino_t inode;
	off_t size;
};

/* Whether both files hold the same bytes; false when that cannot be told. */
static bool is_copy(const char *left_path, const char *right_path)
{
	FILE *left = fopen(left_path, "re");
	FILE *right = fopen(right_path, "re");
	bool is_same = left && right;
	char left_bytes[8192];
	char right_bytes[sizeof(left_bytes)];
	size_t size = sizeof(left_bytes);

	while (is_same && size == sizeof(left_bytes)) {
		size = fread(left_bytes, 1, sizeof(left_bytes), left);
		is_same = fread(right_bytes, 1, sizeof(right_bytes), right) == size &&
			  memcmp(left_bytes, right_bytes, size) == 0;
	}
	is_same = is_same && !ferror(left) && !ferror(right);
	if (left) {
		(void)fclose(left);
	}
	if (right) {
		(void)fclose(right);
	}
	return is_same;
}

/* What has no bytes of its own would keep its reader waiting, or give them only once; the same file
 * twice would count everything twice. */
static enum status check_file(const char *const *paths, size_t index,
	struct identity identities[IMPORT_FILE_COUNT_MAX], struct diag *diag)
{
	struct stat facts;

	if (stat(paths[index], &facts) != 0) {
		return diag_set(
			diag, status_from_errno(errno), "%s: %s", paths[index], strerror(errno));
	}
	if (!S_ISREG(facts.st_mode)) {
		return diag_set(diag, STATUS_BAD_INPUT, "%s: %s", paths[index],
			S_ISDIR(facts.st_mode) ? "a directory: name its files"
					       : "neither a file nor a directory, and what is "
						 "read has to be one");
	}
	identities[index] = (struct identity){facts.st_dev, facts.st_ino, facts.st_size};
	for (size_t i = 0; i < index; i++) {
		if (identities[i].device == facts.st_dev && identities[i].inode == facts.st_ino) {
			return diag_set(diag, STATUS_BAD_USE,
				"%s and %s are the same file: name it once", paths[i],
				paths[index]);
		}
		if (identities[i].size == facts.st_size && facts.st_size > 0 &&
			is_copy(paths[i], paths[index])) {
			return diag_set(diag, STATUS_BAD_USE,
				"%s and %s are copies of one file: name one of them", paths[i],
				paths[index]);
		}
	}
	return STATUS_OK;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* The last part of the path, or all of it when another file has the same last part. */
static const char *name_of(const char *const *paths, size_t count, size_t index)
{
	const char *name = base_name(paths[index]);

	for (size_t i = 0; i < count; i++) {
		if (i != index && strcmp(base_name(paths[i]), name) == 0) {
			return paths[index];
		}
	}
	return name;
}

/* The files of the same format as number `index`; none when an earlier one is. */
static size_t find_parts(const char *const *paths, size_t count, size_t index,
	const struct import_format *const *formats, const char *out_parts[IMPORT_FILE_COUNT_MAX])
{
	size_t part_count = 0;

	for (size_t i = 0; i < count; i++) {
		if (formats[i] == formats[index]) {
			out_parts[part_count++] = paths[i];
		}
	}
	return out_parts[0] == paths[index] ? part_count : 0;
}

/*
 * Opens the file, or all files of its format when they are parts of one: then the first stands for
 * them, and the others give no reader.
 */
static enum status open_reader(const char *const *paths, size_t count, size_t index,
	const struct import_format *const *formats, struct diag *diag,
	struct import_reader **out_reader)
{
	const char *parts[IMPORT_FILE_COUNT_MAX];
	size_t part_count;

	if (!formats[index]->open_together) {
		return formats[index]->open(paths[index], diag, out_reader);
	}
	part_count = find_parts(paths, count, index, formats, parts);
	return part_count > 0 ? formats[index]->open_together(parts, part_count, diag, out_reader)
			      : STATUS_OK;
}

enum status import_files_open(const char *const *paths, size_t count,
	const struct import_format *format, struct diag *diag, struct import_set **out_set)
{
	AUTO(import_set_destroy) struct import_set *set = NULL;
	const struct import_format *formats[IMPORT_FILE_COUNT_MAX];
	struct identity identities[IMPORT_FILE_COUNT_MAX] = {0};
	enum status status = import_set_create(&set);

	if (count > IMPORT_FILE_COUNT_MAX) {
		return diag_set(diag, STATUS_OVER_LIMIT, "%zu files: a report takes at most %d",
			count, IMPORT_FILE_COUNT_MAX);
	}
	for (size_t i = 0; i < count && status == STATUS_OK; i++) {
		formats[i] = format;
		status = check_file(paths, i, identities, diag);
		if (status == STATUS_OK && !format) {
			status = import_format_recognise(paths[i], diag, &formats[i]);
		}
	}
	for (size_t i = 0; i < count && status == STATUS_OK; i++) {
		AUTO(import_reader_destroy) struct import_reader *reader = NULL;

		status = open_reader(paths, count, i, formats, diag, &reader);
		if (status == STATUS_OK && reader) {
			status = import_set_add(set, name_of(paths, count, i), &reader);
		}
	}
	if (status == STATUS_OK) {
		*out_set = MOVE(set);
	}
	return status;
}
