/* SPDX-License-Identifier: MIT */
/*
 * Bytes taken for a metadata file and for a stream: the walk over them ends, counts no more than
 * there is, and names the file when it refuses it.
 */
#include "trace/record/recorded.h"

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
	char folder[] = "/tmp/fuzz_recorded.XXXXXX";
	char metadata[64];
	char stream[64];
	struct recorded recorded;

	require(mkdtemp(folder));
	(void)snprintf(metadata, sizeof(metadata), "%s/metadata", folder);
	(void)snprintf(stream, sizeof(stream), "%s/hot_0", folder);
	file_write(metadata, data, size);
	file_write(stream, data, size);

	require(recorded_inspect(folder, &recorded, NULL) == STATUS_OK);
	require(recorded.bytes == 2 * size && recorded.stream_count == 1);
	require(recorded.event_bytes <= size);
	require(recorded.is_readable || *recorded.problem.line);

	(void)unlink(metadata);
	(void)unlink(stream);
	(void)rmdir(folder);
	return 0;
}
