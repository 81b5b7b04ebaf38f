/* SPDX-License-Identifier: MIT */
/*
 * Bytes taken for metadata and for a stream file: neither is read past its end, and what is called
 * plain is a chain of packets that lie inside the file. Whatever they say, a look for what is
 * missing ends.
 */
#include "analysis/plugin/lacks.h"
#include "analysis/plugin/plain_files.h"
#include "analysis/plugin/plain_metadata.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool is_true)
{
	if (!is_true) {
		abort();
	}
}

static void file_write(const char *path, const uint8_t *data, size_t size)
{
	FILE *file = fopen(path, "we");

	require(file && fwrite(data, 1, size, file) == size && fclose(file) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char folder[] = "/tmp/fuzz_plain.XXXXXX";
	char metadata[64];
	char stream[64];
	struct plain_files files = {0};
	struct analyzer *analyzer = NULL;
	struct lacks lacks = {0};
	const struct plain_file **found = NULL;
	size_t count = 0;
	uint64_t class_count;
	bool is_plain;

	require(plain_metadata_check(data, size, &is_plain, &class_count) == STATUS_OK);
	require(mkdtemp(folder));
	(void)snprintf(metadata, sizeof(metadata), "%s/metadata", folder);
	(void)snprintf(stream, sizeof(stream), "%s/all_0", folder);
	file_write(metadata, data, size);
	file_write(stream, data, size);
	require(plain_files_scan(&files, folder, folder) == STATUS_OK);
	require(files.count <= 1);
	for (size_t i = 0; i < files.count; i++) {
		require(plain_files_find(&files, &files.files[i].key, &found, &count) == STATUS_OK);
		require(count == (files.files[i].is_plain && !files.is_odd));
		free(found);
	}
	require(analyzer_create(0, &(struct analyzer_listener){0}, &analyzer) == STATUS_OK);
	require(lacks_find(&lacks, &files, analyzer) == STATUS_OK);
	/* The end of the one stream, and other streams. */
	require(lacks.count <= 2);
	lacks_finish(&lacks);
	analyzer_destroy(analyzer);
	plain_files_finish(&files);
	require(unlink(metadata) == 0 && unlink(stream) == 0 && rmdir(folder) == 0);
	return 0;
}
