/* SPDX-License-Identifier: MIT */
#include "analysis/plugin/plain_files.h"

#include "analysis/plugin/plain_metadata.h"
#include "trace/base/array.h"
#include "trace/base/regular_file.h"

#include <dirent.h>
#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PACKET_MAGIC 0xc1fc1fc1u

/* Real metadata is far smaller. */
#define METADATA_BYTES_MAX (64u << 20)

static uint32_t get_u32(const uint8_t *bytes)
{
	uint32_t value;

	memcpy(&value, bytes, sizeof(value));
	return le32toh(value);
}

static uint64_t get_u64(const uint8_t *bytes)
{
	uint64_t value;

	memcpy(&value, bytes, sizeof(value));
	return le64toh(value);
}

/* LTTng's packet header and context, without padding: magic 0, UUID 4, class 20, stream 24, begin
 * 32, end 40, content 48 and packet 56 in bits, sequence 64, events lost so far 72, CPU 80. */
bool plain_packet_parse(
	const uint8_t header[PLAIN_PACKET_HEADER_BYTES], struct plain_packet *out_packet)
{
	const uint64_t content_bits = get_u64(header + 48);
	const uint64_t packet_bits = get_u64(header + 56);

	memcpy(out_packet->key.uuid, header + 4, PLAIN_UUID_BYTES);
	out_packet->key.class_id = get_u32(header + 20);
	out_packet->key.stream_id = get_u64(header + 24);
	out_packet->begin = get_u64(header + 32);
	out_packet->end = get_u64(header + 40);
	out_packet->content_bytes = content_bits / 8;
	out_packet->packet_bytes = packet_bits / 8;
	out_packet->sequence = get_u64(header + 64);
	out_packet->discarded_events = get_u64(header + 72);
	return get_u32(header) == PACKET_MAGIC && content_bits % 8 == 0 && packet_bits % 8 == 0 &&
	       out_packet->content_bytes >= PLAIN_PACKET_HEADER_BYTES &&
	       out_packet->content_bytes <= out_packet->packet_bytes &&
	       out_packet->begin <= out_packet->end;
}

static bool is_same_key(const struct plain_key *a, const struct plain_key *b)
{
	return memcmp(a->uuid, b->uuid, PLAIN_UUID_BYTES) == 0 && a->class_id == b->class_id &&
	       a->stream_id == b->stream_id;
}

/* Nothing was lost between two packets. */
static bool follows(const struct plain_packet *before, const struct plain_packet *packet)
{
	return is_same_key(&before->key, &packet->key) &&
	       packet->sequence == before->sequence + 1 && packet->begin >= before->end;
}

/* Of a header that was read whole, whatever it says. */
static bool is_endless(const uint8_t header[PLAIN_PACKET_HEADER_BYTES])
{
	return get_u32(header) == PACKET_MAGIC && get_u64(header + 56) / 8 == 0;
}

/* No recorder writes such a file: another one was put behind it. */
static bool goes_back(const struct plain_packet *before, const struct plain_packet *packet)
{
	return !is_same_key(&before->key, &packet->key) || packet->sequence <= before->sequence;
}

/* Looks at the header of each packet; false when the file is not plain. What has losses is not:
 * babeltrace2 tells of them. */
static bool scan_packets(
	struct plain_files *files, int descriptor, uint64_t size, struct plain_file *file)
{
	uint64_t offset = 0;
	bool is_plain = true;

	while (offset < size) {
		uint8_t header[PLAIN_PACKET_HEADER_BYTES];
		struct plain_packet packet;

		if (pread(descriptor, header, sizeof(header), (off_t)offset) !=
			(ssize_t)sizeof(header)) {
			return false;
		}
		files->is_endless |= is_endless(header);
		if (!plain_packet_parse(header, &packet) || packet.packet_bytes > size - offset) {
			return false;
		}
		if (offset > 0 && goes_back(&file->last, &packet)) {
			file->goes_back = true;
			return false;
		}
		is_plain = is_plain && packet.discarded_events == 0 &&
			   (offset == 0 || follows(&file->last, &packet));
		if (offset == 0) {
			file->first = packet;
		}
		if (packet.content_bytes > PLAIN_PACKET_HEADER_BYTES) {
			file->has_events = true;
			file->events_begin = packet.begin;
		}
		file->last = packet;
		offset += packet.packet_bytes;
	}
	file->is_whole = true;
	return is_plain;
}

static enum status add_file(struct plain_files *files, const struct plain_file *file)
{
	if (!ARRAY_MAKE_ROOM(files->files, files->count, files->capacity, 16)) {
		return STATUS_NO_MEMORY;
	}
	files->files[files->count++] = *file;
	return STATUS_OK;
}

static enum status scan_file(struct plain_files *files, const char *path)
{
	struct plain_folder *folder = &files->folders[files->folder_count - 1];
	const bool is_plain_trace = folder->is_plain;
	struct stat facts;
	const int descriptor = regular_file_open(path, &facts);
	struct plain_file file = {.folder = files->folder_count - 1};
	uint8_t header[PLAIN_PACKET_HEADER_BYTES];
	struct plain_packet packet;
	enum status status = STATUS_OK;

	if (descriptor < 0) {
		/* What is no file, as the folder of the indexes, babeltrace2 passes over. */
		files->is_odd |= errno != EINVAL;
	} else if (facts.st_size > 0) {
		const ssize_t got = pread(descriptor, header, sizeof(header), 0);

		if (got == (ssize_t)sizeof(header) && plain_packet_parse(header, &packet)) {
			file.key = packet.key;
			file.is_plain = is_plain_trace && scan_packets(files, descriptor,
								  (uint64_t)facts.st_size, &file);
			file.path = strdup(path);
			status = file.path ? add_file(files, &file) : STATUS_NO_MEMORY;
		} else {
			files->is_odd = true;
			files->is_endless |= is_plain_trace && got == (ssize_t)sizeof(header) &&
					     is_endless(header);
		}
	} else {
		folder->has_empty_files = true;
	}
	if (descriptor >= 0) {
		(void)close(descriptor);
	}
	if (status != STATUS_OK) {
		free(file.path);
	}
	return status;
}

/* A file that cannot be read makes no plain trace. */
static enum status check_metadata(const char *path, struct plain_folder *folder)
{
	struct stat facts;
	const int descriptor = regular_file_open(path, &facts);
	enum status status = STATUS_OK;
	char *bytes = NULL;

	if (descriptor < 0) {
		return STATUS_OK;
	}
	if (facts.st_size > 0 && facts.st_size <= METADATA_BYTES_MAX) {
		bytes = malloc((size_t)facts.st_size);
		status = bytes ? STATUS_OK : STATUS_NO_MEMORY;
	}
	if (bytes && pread(descriptor, bytes, (size_t)facts.st_size, 0) == facts.st_size) {
		status = plain_metadata_check(
			bytes, (size_t)facts.st_size, &folder->is_plain, &folder->class_count);
	}
	/* Its packets begin as those of streams do. */
	if (status == STATUS_OK && folder->is_plain) {
		memcpy(folder->uuid, bytes + 4, sizeof(folder->uuid));
	}
	free(bytes);
	(void)close(descriptor);
	return status;
}

static enum status add_folder(struct plain_files *files, const char *folder, const char *name)
{
	struct plain_folder added = {.is_mended = strcmp(folder, name) != 0};
	enum status status;
	char *path = NULL;

	if (!ARRAY_MAKE_ROOM(files->folders, files->folder_count, files->folder_capacity, 4) ||
		asprintf(&path, "%s/metadata", folder) < 0) {
		return STATUS_NO_MEMORY;
	}
	status = check_metadata(path, &added);
	free(path);
	added.name = status == STATUS_OK ? strdup(name) : NULL;
	if (status == STATUS_OK && !added.name) {
		status = STATUS_NO_MEMORY;
	}
	if (status == STATUS_OK) {
		files->folders[files->folder_count++] = added;
	}
	return status;
}

enum status plain_files_scan(struct plain_files *files, const char *folder, const char *name)
{
	DIR *directory = opendir(folder);
	enum status status = STATUS_OK;
	const struct dirent *entry;
	char *path = NULL;

	if (!directory) {
		files->is_odd = true;
		return STATUS_OK;
	}
	status = add_folder(files, folder, name);
	while (status == STATUS_OK && (entry = readdir(directory)) != NULL) {
		if (entry->d_name[0] == '.' || strcmp(entry->d_name, "metadata") == 0) {
			continue;
		}
		if (asprintf(&path, "%s/%s", folder, entry->d_name) < 0) {
			status = STATUS_NO_MEMORY;
			break;
		}
		status = scan_file(files, path);
		free(path);
	}
	(void)closedir(directory);
	return status;
}

bool plain_files_are_endless(const char *folder)
{
	struct plain_files files = {0};
	/* Without the memory to look, what follows will say so. */
	const bool is_endless =
		plain_files_scan(&files, folder, folder) == STATUS_OK && files.is_endless;

	plain_files_finish(&files);
	return is_endless;
}

static int compare_files(const void *left, const void *right)
{
	const struct plain_file *const *a = left;
	const struct plain_file *const *b = right;

	return ((*a)->first.sequence > (*b)->first.sequence) -
	       ((*a)->first.sequence < (*b)->first.sequence);
}

enum status plain_files_find(const struct plain_files *files, const struct plain_key *key,
	const struct plain_file ***out_files, size_t *out_count)
{
	const struct plain_file **found =
		calloc(files->count + 1, sizeof(const struct plain_file *));
	/* A file that could not be looked at may be of any stream. */
	bool is_plain = !files->is_odd;
	size_t count = 0;

	if (!found) {
		return STATUS_NO_MEMORY;
	}
	for (size_t i = 0; i < files->count && is_plain; i++) {
		if (is_same_key(&files->files[i].key, key)) {
			is_plain = files->files[i].is_plain;
			found[count++] = &files->files[i];
		}
	}
	/* A stream of a rotated recording lies in several files. */
	qsort(found, count, sizeof(const struct plain_file *), compare_files);
	for (size_t i = 1; i < count && is_plain; i++) {
		is_plain = follows(&found[i - 1]->last, &found[i]->first);
	}
	*out_files = found;
	*out_count = is_plain ? count : 0;
	return STATUS_OK;
}

void plain_files_finish(struct plain_files *files)
{
	for (size_t i = 0; i < files->count; i++) {
		free(files->files[i].path);
	}
	for (size_t i = 0; i < files->folder_count; i++) {
		free(files->folders[i].name);
	}
	free(files->folders);
	free(files->files);
	*files = (struct plain_files){0};
}
