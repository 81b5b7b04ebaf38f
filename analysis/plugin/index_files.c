/* SPDX-License-Identifier: MIT */
#include "analysis/plugin/index_files.h"

#include <dirent.h>
#include <endian.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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

/* The packets that the index names follow one another and lie in the stream. */
static bool fits(FILE *index, uint64_t stream_bytes)
{
	struct index_header header;
	char bytes[ENTRY_BYTES_MAX];
	struct index_entry entry;
	size_t entry_bytes = 0;
	size_t got = 0;
	uint64_t at = 0;

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
			packet_bytes > stream_bytes - at) {
			return false;
		}
		at += packet_bytes;
	}
	return got == 0 && !ferror(index);
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
	index = fopen(path, "re");
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
