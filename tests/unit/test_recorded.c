/* SPDX-License-Identifier: MIT */
/* Proves that a recording is judged by its own files, whole, cut at every byte, or incomplete. */
#include "trace/record/recorded.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define METADATA_HEADER_BYTES 37
#define STREAM_HEADER_BYTES   84
#define PACKET_BYTES          128

/* A folder with ust/{metadata,hot_0}; the files are what the test writes. */
struct folder {
	char path[64];
	char metadata[128];
	char stream[128];
};

static void folder_init(struct folder *folder)
{
	char ust[96];

	strcpy(folder->path, "/tmp/test_recorded.XXXXXX");
	assert_non_null(mkdtemp(folder->path));
	(void)snprintf(ust, sizeof(ust), "%s/ust", folder->path);
	assert_int_equal(mkdir(ust, 0700), 0);
	(void)snprintf(folder->metadata, sizeof(folder->metadata), "%s/metadata", ust);
	(void)snprintf(folder->stream, sizeof(folder->stream), "%s/hot_0", ust);
}

static void folder_finish(const struct folder *folder)
{
	char ust[96];

	(void)unlink(folder->metadata);
	(void)unlink(folder->stream);
	(void)snprintf(ust, sizeof(ust), "%s/ust", folder->path);
	(void)rmdir(ust);
	(void)rmdir(folder->path);
}

static void file_write(const char *path, const uint8_t *bytes, size_t length)
{
	FILE *file = fopen(path, "we");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, length, file), length);
	assert_int_equal(fclose(file), 0);
}

/* CTF 1.8, section 7.1: magic, uuid, checksum, content and packet size in bits, five bytes more. */
static size_t metadata_put(uint8_t *at, const char *text, uint32_t packet_bytes)
{
	uint32_t words[] = {0x75d11d57U, 0, 0, 0, 0, 0,
		(uint32_t)(METADATA_HEADER_BYTES + strlen(text)) * 8, packet_bytes * 8};

	memset(at, 0, packet_bytes);
	memcpy(at, words, sizeof(words));
	at[sizeof(words) + 3] = 1;
	at[sizeof(words) + 4] = 8;
	memcpy(at + METADATA_HEADER_BYTES, text, strlen(text));
	return packet_bytes;
}

/* What LTTng-UST writes: magic, uuid, class, instance, then the packet context. */
static size_t stream_put(uint8_t *at, uint64_t sequence, uint64_t discarded, uint64_t content_bytes)
{
	uint32_t magic = 0xc1fc1fc1U;
	uint64_t context[] = {100, 200, content_bytes * 8, PACKET_BYTES * 8, sequence, discarded};

	memset(at, 0, PACKET_BYTES);
	memcpy(at, &magic, sizeof(magic));
	memcpy(at + 32, context, sizeof(context));
	return PACKET_BYTES;
}

static struct recorded inspect(const struct folder *folder)
{
	struct recorded recorded;

	assert_int_equal(recorded_inspect(folder->path, &recorded, NULL), STATUS_OK);
	return recorded;
}

static void whole_files_are_readable_and_counted(void **state)
{
	uint8_t metadata[512];
	uint8_t stream[3 * PACKET_BYTES];
	struct recorded recorded;
	struct folder folder;
	size_t length;

	(void)state;
	folder_init(&folder);
	length = metadata_put(metadata, "trace { };", 128);
	length += metadata_put(metadata + length, "event { };", 128);
	file_write(folder.metadata, metadata, length);
	length = stream_put(stream, 0, 0, PACKET_BYTES);
	length += stream_put(stream + length, 1, 5, STREAM_HEADER_BYTES + 10);
	length += stream_put(stream + length, 4, 7, STREAM_HEADER_BYTES);
	file_write(folder.stream, stream, length);

	recorded = inspect(&folder);
	assert_true(recorded.is_readable);
	assert_int_equal(recorded.bytes, 256 + 3 * PACKET_BYTES);
	assert_int_equal(recorded.stream_count, 1);
	assert_int_equal(recorded.packet_count, 3);
	assert_int_equal(recorded.event_bytes, PACKET_BYTES - STREAM_HEADER_BYTES + 10);
	assert_int_equal(recorded.discarded_events, 7);
	assert_int_equal(recorded.lost_packets, 2);
	folder_finish(&folder);
}

/* One declaration over two packets: only the end of the second is an end. */
static void metadata_cut_anywhere_is_not_readable(void **state)
{
	uint8_t metadata[256];
	size_t length = metadata_put(metadata, "event { fields := {", 128);
	struct folder folder;

	(void)state;
	length += metadata_put(metadata + length, "}; };", 128);
	folder_init(&folder);
	for (size_t cut = 0; cut < length; cut++) {
		struct recorded recorded;

		file_write(folder.metadata, metadata, cut);
		recorded = inspect(&folder);
		assert_false(recorded.is_readable);
		assert_non_null(strstr(
			recorded.problem.line, cut ? "ust/metadata is cut short" : "is empty"));
	}
	file_write(folder.metadata, metadata, length);
	assert_true(inspect(&folder).is_readable);
	folder_finish(&folder);
}

static void a_stream_cut_inside_a_packet_is_not_readable(void **state)
{
	uint8_t metadata[128];
	uint8_t stream[2 * PACKET_BYTES];
	size_t length = stream_put(stream, 0, 0, PACKET_BYTES);
	struct folder folder;

	(void)state;
	length += stream_put(stream + length, 1, 0, PACKET_BYTES);
	folder_init(&folder);
	file_write(folder.metadata, metadata, metadata_put(metadata, "trace { };", 128));
	for (size_t cut = 0; cut <= length; cut++) {
		struct recorded recorded;

		file_write(folder.stream, stream, cut);
		recorded = inspect(&folder);
		assert_int_equal(recorded.is_readable, cut % PACKET_BYTES == 0);
		assert_int_equal(recorded.packet_count, cut / PACKET_BYTES);
	}
	folder_finish(&folder);
}

static void bytes_that_are_no_packet_are_not_readable(void **state)
{
	uint8_t metadata[128];
	uint8_t stream[PACKET_BYTES];
	struct recorded recorded;
	struct folder folder;

	(void)state;
	folder_init(&folder);
	(void)metadata_put(metadata, "trace { };", 128);
	(void)stream_put(stream, 0, 0, PACKET_BYTES);
	file_write(folder.metadata, metadata, sizeof(metadata));
	memset(stream + 56, 0, 8); /* a packet of no bytes would never end */
	file_write(folder.stream, stream, sizeof(stream));
	assert_false(inspect(&folder).is_readable);

	memset(metadata + 28, 0xff, 4);
	file_write(folder.metadata, metadata, sizeof(metadata));
	recorded = inspect(&folder);
	assert_false(recorded.is_readable);
	folder_finish(&folder);
}

static void streams_without_metadata_are_not_readable(void **state)
{
	uint8_t stream[PACKET_BYTES];
	struct recorded recorded;
	struct folder folder;

	(void)state;
	folder_init(&folder);
	file_write(folder.stream, stream, stream_put(stream, 0, 0, PACKET_BYTES));
	recorded = inspect(&folder);
	assert_false(recorded.is_readable);
	assert_non_null(strstr(recorded.problem.line, "metadata is missing"));
	folder_finish(&folder);
}

static void an_empty_folder_has_nothing_and_a_missing_one_fails(void **state)
{
	struct recorded recorded;
	struct folder folder;
	struct diag diag = {.line = ""};

	(void)state;
	folder_init(&folder);
	recorded = inspect(&folder);
	assert_true(recorded.is_readable);
	assert_int_equal(recorded.stream_count, 0);
	folder_finish(&folder);
	assert_int_equal(recorded_inspect(folder.path, &recorded, &diag), STATUS_NOT_FOUND);
	assert_non_null(strstr(diag.line, folder.path));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_files_are_readable_and_counted),
		cmocka_unit_test(metadata_cut_anywhere_is_not_readable),
		cmocka_unit_test(a_stream_cut_inside_a_packet_is_not_readable),
		cmocka_unit_test(bytes_that_are_no_packet_are_not_readable),
		cmocka_unit_test(streams_without_metadata_are_not_readable),
		cmocka_unit_test(an_empty_folder_has_nothing_and_a_missing_one_fails),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
