/* SPDX-License-Identifier: MIT */
/*
 * The stream files of a recording's traces, by the stream they belong to, and whether they are
 * whole and plain (plain_metadata.h): without a single lost event or packet, in order, not cut.
 */
#pragma once

#include "trace/base/cleanup.h"
#include "trace/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PLAIN_UUID_BYTES 16

/* In each packet, in front of its events. */
#define PLAIN_PACKET_HEADER_BYTES 84

/* Which stream of which trace. */
struct plain_key {
	uint8_t uuid[PLAIN_UUID_BYTES];
	uint64_t class_id;
	uint64_t stream_id;
};

/* What the header of a packet says. */
struct plain_packet {
	struct plain_key key;
	uint64_t begin; /* on the trace's clock */
	uint64_t end;
	uint64_t content_bytes;
	uint64_t packet_bytes;
	uint64_t sequence;
	uint64_t discarded_events;
};

/* The folder of a trace. */
struct plain_folder {
	char *name;    /* what the user calls it; of a mended copy the folder it was made of */
	bool is_plain; /* its metadata: else nothing of the next is known */
	uint8_t uuid[PLAIN_UUID_BYTES]; /* of its metadata */
	uint64_t class_count;           /* channels */
	bool has_empty_files;
	bool is_mended; /* a copy, of which the user was told what it lacks */
};

struct plain_file {
	char *path;
	size_t folder; /* of plain_files.folders */
	bool is_plain;
	bool is_whole;  /* `last` is the last packet of the file */
	bool goes_back; /* a packet is of another stream, or not later than the one before it */
	bool has_events;
	uint64_t events_begin; /* of the last packet that has events */
	struct plain_key key;
	struct plain_packet first;
	struct plain_packet last;
};

struct plain_files {
	struct plain_file *files;
	size_t count;
	size_t capacity;
	struct plain_folder *folders;
	size_t folder_count;
	size_t folder_capacity;
	bool is_odd;     /* a file was there whose stream cannot be told */
	bool is_endless; /* a packet has no length: babeltrace2 would read it again and again */
};

/* Reads a header; false when it is none, or says what cannot be. */
bool plain_packet_parse(
	const uint8_t header[PLAIN_PACKET_HEADER_BYTES], struct plain_packet *out_packet);

/* Whether the trace in `folder` has a packet without a length. Such a file is no end to read. */
bool plain_files_are_endless(const char *folder);

/* Adds the files of the trace in `folder`, which the user calls `name`; what cannot be read is not
 * plain. NO_MEMORY. */
MUST_CHECK enum status plain_files_scan(
	struct plain_files *files, const char *folder, const char *name);

/*
 * Gives the files of a stream in order, the caller frees the array; none when there is none, or
 * when one of them or their sequence is not plain. NO_MEMORY.
 */
MUST_CHECK enum status plain_files_find(const struct plain_files *files,
	const struct plain_key *key, const struct plain_file ***out_files, size_t *out_count);

void plain_files_finish(struct plain_files *files);
