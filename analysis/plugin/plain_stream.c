/* SPDX-License-Identifier: MIT */
#include "analysis/plugin/plain_stream.h"

#include "analysis/plugin/plain_class.h"

#include <assert.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* A class number of its own in the header says that a longer header follows. */
#define EXTENDED_ID 65535

/* Pages that were read are given back in such pieces: they are the kernel's to keep, not ours. */
#define RETURN_BYTES (256u << 10)

struct plain_stream {
	const struct plain_file **files;
	size_t file_count;
	size_t next_file;
	struct decoder *decoder; /* borrowed */
	size_t clock;            /* of the decoder */
	struct plain_class *classes;
	uint64_t class_count; /* the highest number and one */

	const uint8_t *map; /* of the current file; NULL: none */
	size_t map_bytes;
	size_t returned_bytes; /* given back so far */
	size_t next_packet;    /* where it begins in the map */
	const uint8_t *at;     /* the next event */
	const uint8_t *end;    /* of the packet's content */
	uint64_t clock_value;  /* of the latest event */

	struct plain_event event;
};

static void unmap(struct plain_stream *plain)
{
	if (plain->map) {
		(void)munmap((void *)(uintptr_t)plain->map, plain->map_bytes);
		plain->map = NULL;
	}
}

static enum plain_result broken(
	const struct plain_stream *plain, struct diag *diag, const char *what)
{
	const enum status status = diag_set(
		diag, STATUS_BAD_INPUT, "%s: %s", plain->files[plain->next_file - 1]->path, what);

	return status == STATUS_OK ? PLAIN_EVENT : PLAIN_BROKEN;
}

static enum plain_result open_file(struct plain_stream *plain, struct diag *diag)
{
	const char *path = plain->files[plain->next_file++]->path;
	const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
	struct stat facts;
	void *map = MAP_FAILED;

	if (descriptor >= 0 && fstat(descriptor, &facts) == 0 && facts.st_size > 0) {
		map = mmap(NULL, (size_t)facts.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
	}
	if (map == MAP_FAILED) {
		const char *reason = strerror(errno);

		if (descriptor >= 0) {
			(void)close(descriptor);
		}
		return broken(plain, diag, reason);
	}
	(void)close(descriptor);
	plain->map = map;
	plain->map_bytes = (size_t)facts.st_size;
	plain->returned_bytes = 0;
	plain->next_packet = 0;
	return PLAIN_EVENT;
}

/* Gives back what lies before the next event; the kernel has it again when it is asked for. */
static void return_pages(struct plain_stream *plain)
{
	const size_t read_bytes = (size_t)(plain->at - plain->map);
	const size_t done_bytes = read_bytes / RETURN_BYTES * RETURN_BYTES;

	if (read_bytes - plain->returned_bytes >= RETURN_BYTES) {
		(void)madvise((void *)(uintptr_t)(plain->map + plain->returned_bytes),
			done_bytes - plain->returned_bytes, MADV_DONTNEED);
		plain->returned_bytes = done_bytes;
	}
}

/* Leaves a file that is done; opens the next one when none is open. END: there is no next one. */
static enum plain_result advance_file(struct plain_stream *plain, struct diag *diag)
{
	if (plain->map && plain->next_packet == plain->map_bytes) {
		unmap(plain);
		plain->at = NULL;
		plain->end = NULL;
	}
	if (plain->map) {
		return PLAIN_EVENT;
	}
	return plain->next_file == plain->file_count ? PLAIN_END : open_file(plain, diag);
}

/* Goes on to the next packet that has events. */
static enum plain_result open_packet(struct plain_stream *plain, struct diag *diag)
{
	enum plain_result result = PLAIN_EVENT;

	while (result == PLAIN_EVENT && plain->at == plain->end) {
		struct plain_packet packet;
		size_t left;

		result = advance_file(plain, diag);
		if (result != PLAIN_EVENT) {
			break;
		}
		left = plain->map_bytes - plain->next_packet;
		if (left < PLAIN_PACKET_HEADER_BYTES ||
			!plain_packet_parse(plain->map + plain->next_packet, &packet) ||
			packet.packet_bytes > left) {
			return broken(plain, diag, "a packet changed while it was read");
		}
		plain->at = plain->map + plain->next_packet + PLAIN_PACKET_HEADER_BYTES;
		plain->end = plain->map + plain->next_packet + packet.content_bytes;
		plain->next_packet += packet.packet_bytes;
		plain->clock_value = packet.begin;
	}
	return result;
}

static uint64_t get_integer(const uint8_t *bytes, const struct plain_step *step)
{
	uint64_t value;
	uint32_t word;
	uint16_t half;

	switch (step->bytes) {
	case 8:
		memcpy(&value, bytes, sizeof(value));
		return le64toh(value);
	case 4:
		memcpy(&word, bytes, sizeof(word));
		word = le32toh(word);
		return step->is_signed ? (uint64_t)(int64_t)(int32_t)word : word;
	case 2:
		memcpy(&half, bytes, sizeof(half));
		half = le16toh(half);
		return step->is_signed ? (uint64_t)(int64_t)(int16_t)half : half;
	default:
		return step->is_signed ? (uint64_t)(int64_t)(int8_t)bytes[0] : bytes[0];
	}
}

static bool take(struct plain_stream *plain, void *value, size_t bytes)
{
	if ((size_t)(plain->end - plain->at) < bytes) {
		return false;
	}
	memcpy(value, plain->at, bytes);
	plain->at += bytes;
	return true;
}

/* The class's number and the time; NULL when they cannot be. */
static const struct plain_class *read_header(struct plain_stream *plain)
{
	uint16_t short_id;
	uint32_t id;
	uint32_t low;
	uint64_t value;

	if (!take(plain, &short_id, sizeof(short_id))) {
		return NULL;
	}
	id = le16toh(short_id);
	if (id == EXTENDED_ID) {
		if (!take(plain, &id, sizeof(id)) || !take(plain, &value, sizeof(value))) {
			return NULL;
		}
		id = le32toh(id);
		plain->clock_value = le64toh(value);
	} else {
		if (!take(plain, &low, sizeof(low))) {
			return NULL;
		}
		/* The lower half of a time that is less than one round ahead of the last. */
		plain->clock_value += (uint32_t)(le32toh(low) - (uint32_t)plain->clock_value);
	}
	return id < plain->class_count && plain->classes[id].class ? &plain->classes[id] : NULL;
}

static bool read_string(
	struct plain_stream *plain, const struct plain_step *step, struct event *event)
{
	const char *string = (const char *)plain->at;
	const char *nul = memchr(string, '\0', (size_t)(plain->end - plain->at));

	if (!nul) {
		return false;
	}
	plain->at = (const uint8_t *)nul + 1;
	if (step->target == PLAIN_FIELD) {
		decode_class_put_string(step->reader, string, event);
	}
	return true;
}

static bool read_step(struct plain_stream *plain, const struct plain_class *class,
	const struct plain_step *step, struct event *event)
{
	uint64_t value;

	if (step->bytes == 0) {
		return read_string(plain, step, event);
	}
	if ((size_t)(plain->end - plain->at) < step->bytes) {
		return false;
	}
	if (step->target != PLAIN_SKIP) {
		value = get_integer(plain->at, step);
		if (step->target == PLAIN_FIELD) {
			decode_class_put(class->class, step->reader, value, event);
		} else if (step->target == PLAIN_PID) {
			event->pid = (int32_t)value;
		} else {
			event->tid = (int32_t)value;
		}
	}
	plain->at += step->bytes;
	return true;
}

enum plain_result plain_stream_next(struct plain_stream *plain, struct diag *diag)
{
	struct plain_event *read = &plain->event;
	const struct plain_class *class;
	enum plain_result result = PLAIN_EVENT;

	if (plain->at == plain->end) {
		result = open_packet(plain, diag);
	}
	if (result != PLAIN_EVENT) {
		return result;
	}
	return_pages(plain);
	class = read_header(plain);
	if (!class) {
		return broken(plain, diag, "an event of no known class");
	}
	read->result = class->class->result;
	read->event = class->class->empty;
	read->event.pid = class->class->pid;
	for (uint32_t i = 0; i < class->step_count; i++) {
		if (!read_step(plain, class, &class->steps[i], &read->event)) {
			return broken(plain, diag, "an event that is cut short");
		}
	}
	read->event.time_ns = decoder_clock_ns(plain->decoder, plain->clock, plain->clock_value);
	read->has_thread = read->event.tid != 0 && read->event.pid != 0;
	return PLAIN_EVENT;
}

const struct plain_event *plain_stream_event(const struct plain_stream *plain)
{
	return &plain->event;
}

uint64_t plain_stream_end(const struct plain_stream *plain)
{
	return plain->files[plain->file_count - 1]->last.end;
}

/* The classes of the stream; `out_is_plain` false when one cannot be read here. */
static enum status init_classes(
	struct plain_stream *plain, const bt_stream *stream, bool *out_is_plain)
{
	const bt_stream_class *stream_class = bt_stream_borrow_class_const(stream);
	const uint64_t count = bt_stream_class_get_event_class_count(stream_class);
	enum status status = STATUS_OK;

	*out_is_plain = false;
	for (uint64_t i = 0; i < count; i++) {
		const uint64_t id = bt_event_class_get_id(
			bt_stream_class_borrow_event_class_by_index_const(stream_class, i));

		if (id >= EXTENDED_ID) {
			return STATUS_OK;
		}
		plain->class_count = id >= plain->class_count ? id + 1 : plain->class_count;
	}
	plain->classes = calloc(plain->class_count + 1, sizeof(*plain->classes));
	if (!plain->classes) {
		return STATUS_NO_MEMORY;
	}
	for (uint64_t i = 0; i < count; i++) {
		const bt_event_class *event_class =
			bt_stream_class_borrow_event_class_by_index_const(stream_class, i);
		const struct decode_class *class = NULL;

		status = decoder_class(plain->decoder, event_class, stream, &class);
		if (status != STATUS_OK ||
			!plain_class_init(&plain->classes[bt_event_class_get_id(event_class)],
				class, stream_class)) {
			return status;
		}
	}
	*out_is_plain = true;
	return STATUS_OK;
}

static bool find_key(const bt_stream *stream, struct plain_key *out_key)
{
	bt_uuid uuid = bt_trace_get_uuid(bt_stream_borrow_trace_const(stream));

	*out_key = (struct plain_key){
		.class_id = bt_stream_class_get_id(bt_stream_borrow_class_const(stream)),
		.stream_id = bt_stream_get_id(stream),
	};
	if (uuid) {
		memcpy(out_key->uuid, uuid, PLAIN_UUID_BYTES);
	}
	return uuid != NULL;
}

enum status plain_stream_open(const struct plain_files *files, const bt_stream *stream,
	struct decoder *decoder, struct plain_stream **out_plain)
{
	const bt_clock_class *clock_class = bt_stream_class_borrow_default_clock_class_const(
		bt_stream_borrow_class_const(stream));
	AUTO(plain_stream_close) struct plain_stream *plain = NULL;
	enum status status;
	struct plain_key key;
	bool is_plain = false;

	*out_plain = NULL;
	if (!clock_class || !find_key(stream, &key)) {
		return STATUS_OK;
	}
	plain = calloc(1, sizeof(*plain));
	if (!plain) {
		return STATUS_NO_MEMORY;
	}
	plain->decoder = decoder;
	status = decoder_clock(decoder, clock_class, &plain->clock);
	if (status == STATUS_OK) {
		status = plain_files_find(files, &key, &plain->files, &plain->file_count);
	}
	if (status == STATUS_OK && plain->file_count > 0) {
		status = init_classes(plain, stream, &is_plain);
	}
	if (status == STATUS_OK && is_plain) {
		*out_plain = MOVE(plain);
	}
	return status;
}

void plain_stream_close(struct plain_stream *plain)
{
	if (!plain) {
		return;
	}
	unmap(plain);
	free(plain->classes);
	free(plain->files);
	free(plain);
}
