/* SPDX-License-Identifier: MIT */
#include "analysis/plugin/index_files.h"

#include "trace/base/regular_file.h"

#include <dirent.h>
#include <endian.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define INDEX_MAGIC  0xc1f1dcc1u
#define INDEX_SUFFIX ".idx"

/* An entry has more behind these, and newer versions may add to it. */
struct index_entry {
	uint64_t offset_be;
	uint64_t packet_bits_be;
};

/* Of lttng-tools 2.13 they have 72 bytes; far more is damage. */
#define ENTRY_BYTES_MAX 4096

struct index_header {
	uint32_t magic_be;
	uint32_t major_be;
	uint32_t minor_be;
	uint32_t entry_bytes_be;
};

/* What an index says of its stream, and how much of that is there. */
struct extent {
	uint64_t packet_count;
	uint64_t there_count; /* whole packets that the stream has room for */
	uint64_t there_bytes;
};

static FILE *open_index(const char *path)
{
	const int descriptor = regular_file_open(path, NULL);
	FILE *index = descriptor < 0 ? NULL : fdopen(descriptor, "r");

	if (descriptor >= 0 && !index) {
		(void)close(descriptor);
	}
	return index;
}

/* Whether the packets that the index names follow one another. */
static bool read_extent(FILE *index, uint64_t stream_bytes, struct extent *extent)
{
	struct index_header header;
	char bytes[ENTRY_BYTES_MAX];
	struct index_entry entry;
	size_t entry_bytes = 0;
	size_t got = 0;
	uint64_t at = 0;

	*extent = (struct extent){0};
	if (fread(&header, sizeof(header), 1, index) != 1) {
		return false;
	}
	entry_bytes = be32toh(header.entry_bytes_be);
	if (be32toh(header.magic_be) != INDEX_MAGIC || entry_bytes < sizeof(entry) ||
		entry_bytes > sizeof(bytes)) {
		return false;
	}
	while ((got = fread(bytes, 1, entry_bytes, index)) == entry_bytes) {
		uint64_t packet_bytes;

		memcpy(&entry, bytes, sizeof(entry));
		packet_bytes = be64toh(entry.packet_bits_be) / 8;
		if (be64toh(entry.offset_be) != at || packet_bytes == 0 ||
			packet_bytes > UINT64_MAX - at) {
			return false;
		}
		at += packet_bytes;
		extent->packet_count++;
		if (at <= stream_bytes) {
			extent->there_count++;
			extent->there_bytes = at;
		}
	}
	return got == 0 && !ferror(index);
}

/* An index whose packets all lie in the stream. */
static bool fits(FILE *index, uint64_t stream_bytes)
{
	struct extent extent;

	return read_extent(index, stream_bytes, &extent) &&
	       extent.there_count == extent.packet_count;
}

static bool is_damaged(const char *trace, const char *name)
{
	const size_t length = strlen(name);
	const size_t suffix = strlen(INDEX_SUFFIX);
	struct stat facts;
	char *path = NULL;
	FILE *index = NULL;
	bool is_good = false;

	if (length <= suffix || strcmp(name + length - suffix, INDEX_SUFFIX) != 0) {
		return false;
	}
	if (asprintf(&path, "%s/%.*s", trace, (int)(length - suffix), name) < 0) {
		return true;
	}
	/* The index of a stream that is missing is never opened. */
	is_good = stat(path, &facts) != 0;
	free(path);
	if (is_good) {
		return false;
	}
	if (asprintf(&path, "%s/index/%s", trace, name) < 0) {
		return true;
	}
	index = open_index(path);
	free(path);
	if (!index) {
		return true;
	}
	is_good = fits(index, (uint64_t)facts.st_size);
	(void)fclose(index);
	return !is_good;
}

bool index_files_are_damaged(const char *trace)
{
	const struct dirent *entry;
	DIR *entries = NULL;
	char *path = NULL;
	bool is_any = false;

	if (asprintf(&path, "%s/index", trace) < 0) {
		return true;
	}
	entries = opendir(path);
	free(path);
	while (entries && !is_any && (entry = readdir(entries)) != NULL) {
		is_any = is_damaged(trace, entry->d_name);
	}
	if (entries) {
		(void)closedir(entries);
	}
	return is_any;
}

/* Of one index: tells when its stream ends with a whole packet, before those that are still named;
 * a stream that is cut within one is mended, and told, elsewhere. */
static enum status look_for_missing(
	const char *trace, const char *name, const struct index_files_listener *listener)
{
	const size_t length = strlen(name);
	const size_t suffix = strlen(INDEX_SUFFIX);
	struct extent extent = {0};
	struct stat facts = {0};
	char *stream = NULL;
	char *path = NULL;
	FILE *index = NULL;
	uint64_t stream_bytes = 0;
	enum status status = STATUS_OK;

	if (length <= suffix || strcmp(name + length - suffix, INDEX_SUFFIX) != 0) {
		return STATUS_OK;
	}
	if (asprintf(&stream, "%s/%.*s", trace, (int)(length - suffix), name) < 0) {
		return STATUS_NO_MEMORY;
	}
	if (asprintf(&path, "%s/index/%s", trace, name) < 0) {
		free(stream);
		return STATUS_NO_MEMORY;
	}
	if (stat(stream, &facts) == 0 && S_ISREG(facts.st_mode)) {
		stream_bytes = (uint64_t)facts.st_size;
	}
	index = open_index(path);
	if (index && read_extent(index, stream_bytes, &extent) &&
		extent.there_count < extent.packet_count && extent.there_bytes == stream_bytes) {
		status = listener->missing(
			listener->context, stream, extent.packet_count - extent.there_count);
	}
	if (index) {
		(void)fclose(index);
	}
	free(stream);
	free(path);
	return status;
}

enum status index_files_each_missing(const char *trace, const struct index_files_listener *listener)
{
	enum status status = STATUS_OK;
	const struct dirent *entry;
	DIR *entries = NULL;
	char *path = NULL;

	if (asprintf(&path, "%s/index", trace) < 0) {
		return STATUS_NO_MEMORY;
	}
	entries = opendir(path);
	free(path);
	while (entries && status == STATUS_OK && (entry = readdir(entries)) != NULL) {
		status = look_for_missing(trace, entry->d_name, listener);
	}
	if (entries) {
		(void)closedir(entries);
	}
	return status;
}
