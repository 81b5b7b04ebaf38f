/* SPDX-License-Identifier: MIT */
#include "trace/record/recorded.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* CTF 1.8: metadata in packets, and streams in packets with the header that LTTng-UST writes. */
#define METADATA_MAGIC 0x75d11d57U
#define STREAM_MAGIC   0xc1fc1fc1U
/* The end of a whole metadata text is the end of a declaration. */
#define METADATA_PACKET_BYTES_MAX (1ULL << 24)

struct metadata_packet {
	uint32_t magic;
	uint8_t uuid[16];
	uint32_t checksum;
	uint32_t content_bits;
	uint32_t packet_bits;
	uint8_t compression;
	uint8_t encryption;
	uint8_t checksum_scheme;
	uint8_t major;
	uint8_t minor;
} __attribute__((packed));

struct stream_packet {
	uint32_t magic;
	uint8_t uuid[16];
	uint32_t stream_class;
	uint64_t stream_instance;
	uint64_t begin_ns;
	uint64_t end_ns;
	uint64_t content_bits;
	uint64_t packet_bits;
	uint64_t sequence;
	uint64_t discarded_events; /* since the stream began */
	uint32_t cpu;
} __attribute__((packed));

struct inspection {
	struct recorded *recorded;
	size_t root_bytes; /* of the folder's own path, to be left out of messages */
};

static void problem_set(struct inspection *inspection, const char *path, const char *what)
{
	struct recorded *recorded = inspection->recorded;

	if (recorded->is_readable) {
		recorded->is_readable = diag_set(&recorded->problem, STATUS_BAD_INPUT, "%s %s",
						path + inspection->root_bytes, what) == STATUS_OK;
	}
}

/* Braces outside strings and comments would need a parser; LTTng writes none inside them. */
static int64_t open_braces(const char *text, size_t length)
{
	int64_t depth = 0;

	for (size_t i = 0; i < length; i++) {
		depth += (text[i] == '{') - (text[i] == '}');
	}
	return depth;
}

/* Every packet whole and the text at the end of a declaration; else babeltrace2 refuses it all. */
static void metadata_inspect(struct inspection *inspection, const char *path, off_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int64_t depth = 0;
	off_t at = 0;

	for (;;) {
		struct metadata_packet packet;
		ssize_t length = fd < 0 ? -1 : pread(fd, &packet, sizeof(packet), at);
		size_t text_bytes;
		char *text;

		if (length == 0 && at > 0 && depth == 0) {
			break;
		}
		if (length != (ssize_t)sizeof(packet)) {
			problem_set(inspection, path,
				fd < 0                   ? "cannot be opened"
				: length == 0 && at == 0 ? "is empty"
							 : "is cut short");
			break;
		}
		if (packet.magic != METADATA_MAGIC || packet.content_bits / 8 < sizeof(packet) ||
			packet.packet_bits < packet.content_bits ||
			packet.packet_bits / 8 > METADATA_PACKET_BYTES_MAX) {
			problem_set(inspection, path, "is damaged");
			break;
		}
		text_bytes = packet.content_bits / 8 - sizeof(packet);
		text = malloc(text_bytes + 1);
		if (!text || packet.packet_bits / 8 > (uint64_t)(size - at) ||
			pread(fd, text, text_bytes, at + (off_t)sizeof(packet)) !=
				(ssize_t)text_bytes) {
			free(text);
			problem_set(inspection, path, "is cut short");
			break;
		}
		depth += open_braces(text, text_bytes);
		free(text);
		at += packet.packet_bits / 8;
	}
	if (fd >= 0) {
		(void)close(fd);
	}
}

/* Adds up one stream: what was discarded stands in its last packet, lost packets in the numbers. */
static void stream_inspect(struct inspection *inspection, const char *path, off_t size)
{
	struct recorded *recorded = inspection->recorded;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stream_packet last = {.discarded_events = 0};
	bool has_packet = false;
	off_t at = 0;

	while (at < size) {
		struct stream_packet packet = {.packet_bits = 0};
		ssize_t length = fd < 0 ? -1 : pread(fd, &packet, sizeof(packet), at);
		uint64_t packet_bytes = packet.packet_bits / 8;

		if (length != (ssize_t)sizeof(packet) || packet.magic != STREAM_MAGIC ||
			packet.content_bits / 8 < sizeof(packet) ||
			packet.content_bits > packet.packet_bits ||
			packet_bytes > (uint64_t)(size - at)) {
			problem_set(inspection, path,
				fd < 0 ? "cannot be opened" : "ends inside a packet");
			break;
		}
		if (has_packet && packet.sequence > last.sequence + 1) {
			recorded->lost_packets += packet.sequence - last.sequence - 1;
		}
		recorded->packet_count++;
		recorded->event_bytes += packet.content_bits / 8 - sizeof(packet);
		last = packet;
		has_packet = true;
		at += (off_t)packet_bytes;
	}
	recorded->discarded_events += last.discarded_events;
	recorded->stream_count++;
	if (fd >= 0) {
		(void)close(fd);
	}
}

/* ust/uid/<uid>/64-bit/{metadata,hot_0,hot_1,...,index/}: the index repeats what streams say. */
static void file_inspect(struct inspection *inspection, const FTSENT *file)
{
	struct stat metadata;
	char path[4096];

	inspection->recorded->bytes += (uint64_t)file->fts_statp->st_size;
	if (strcmp(file->fts_parent->fts_name, "index") == 0) {
		return;
	}
	if (strcmp(file->fts_name, "metadata") == 0) {
		metadata_inspect(inspection, file->fts_accpath, file->fts_statp->st_size);
		return;
	}
	stream_inspect(inspection, file->fts_accpath, file->fts_statp->st_size);
	if (snprintf(path, sizeof(path), "%.*s/metadata",
		    (int)(file->fts_pathlen - file->fts_namelen - 1),
		    file->fts_path) < (int)sizeof(path) &&
		stat(path, &metadata) != 0) {
		problem_set(inspection, path, "is missing");
	}
}

enum status recorded_inspect(const char *path, struct recorded *out_recorded, struct diag *diag)
{
	struct recorded recorded = {.is_readable = true};
	struct inspection inspection = {.recorded = &recorded, .root_bytes = strlen(path) + 1};
	char *const roots[] = {(char *)(uintptr_t)path, NULL};
	FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	const FTSENT *entry;

	if (!walk) {
		return diag_set(diag, status_from_errno(errno), "%s: %s", path, strerror(errno));
	}
	while ((entry = fts_read(walk))) {
		if (entry->fts_info == FTS_F) {
			file_inspect(&inspection, entry);
		} else if (entry->fts_info == FTS_NS || entry->fts_info == FTS_ERR ||
			   entry->fts_info == FTS_DNR) {
			int error = entry->fts_errno;

			(void)fts_close(walk);
			return diag_set(
				diag, status_from_errno(error), "%s: %s", path, strerror(error));
		}
	}
	(void)fts_close(walk);
	*out_recorded = recorded;
	return STATUS_OK;
}
