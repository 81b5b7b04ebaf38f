/* SPDX-License-Identifier: MIT */
#include "analysis/import/kineto_bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

/* Large enough that system calls and the listener's entry do not show; small against any cache. */
#define INPUT_BYTES  65536
#define OUTPUT_BYTES 262144

/* zlib's windowBits for a gzip wrapper around the largest window. */
#define GZIP_WINDOW_BITS (15 + 16)

struct kineto_bytes {
	char *path;
	int fd;
	bool is_gzip;
	bool is_in_member;
	bool has_ended;
	uint64_t read_bytes; /* of the file */
	const char *problem;
	z_stream stream;
	unsigned char input[INPUT_BYTES];
	unsigned char output[OUTPUT_BYTES];
};

bool kineto_bytes_is_gzip(const unsigned char *head, size_t size)
{
	return size >= 3 && head[0] == 0x1f && head[1] == 0x8b && head[2] == Z_DEFLATED;
}

size_t kineto_bytes_inflate_head(
	const unsigned char *head, size_t size, unsigned char *out_text, size_t text_size)
{
	z_stream stream = {
		.next_in = (unsigned char *)(uintptr_t)head,
		.avail_in = (uInt)size,
	};

	stream.next_out = out_text;
	stream.avail_out = (uInt)text_size;
	if (inflateInit2(&stream, GZIP_WINDOW_BITS) != Z_OK) {
		return 0;
	}
	/* Damage further on does not matter here: what came out so far is looked at. */
	(void)inflate(&stream, Z_SYNC_FLUSH);
	(void)inflateEnd(&stream);
	return text_size - stream.avail_out;
}

/* Reads on into the input; *out_size is 0 at the end of the file. */
static enum status read_file(struct kineto_bytes *bytes, size_t *out_size, struct diag *diag)
{
	ssize_t got;

	do {
		got = read(bytes->fd, bytes->input, sizeof(bytes->input));
	} while (got < 0 && errno == EINTR);
	if (got < 0) {
		return diag_set(diag, status_from_errno(errno), "%s: cannot be read: %s",
			bytes->path, strerror(errno));
	}
	bytes->read_bytes += (uint64_t)got;
	bytes->stream.next_in = bytes->input;
	bytes->stream.avail_in = (uInt)got;
	*out_size = (size_t)got;
	return STATUS_OK;
}

enum status kineto_bytes_open(const char *path, struct diag *diag, struct kineto_bytes **out_bytes)
{
	AUTO(kineto_bytes_close) struct kineto_bytes *bytes = calloc(1, sizeof(*bytes));
	enum status status;
	size_t size = 0;

	if (!bytes) {
		return STATUS_NO_MEMORY;
	}
	bytes->fd = -1;
	bytes->path = strdup(path);
	if (!bytes->path) {
		return STATUS_NO_MEMORY;
	}
	bytes->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (bytes->fd < 0) {
		return diag_set(diag, status_from_errno(errno), "%s: cannot be opened: %s", path,
			strerror(errno));
	}
	status = read_file(bytes, &size, diag);
	if (status != STATUS_OK) {
		return status;
	}
	if (kineto_bytes_is_gzip(bytes->input, size)) {
		if (inflateInit2(&bytes->stream, GZIP_WINDOW_BITS) != Z_OK) {
			return STATUS_NO_MEMORY;
		}
		bytes->is_gzip = true;
		bytes->is_in_member = true;
	}
	*out_bytes = MOVE(bytes);
	return STATUS_OK;
}

void kineto_bytes_close(struct kineto_bytes *bytes)
{
	if (!bytes) {
		return;
	}
	if (bytes->is_gzip) {
		(void)inflateEnd(&bytes->stream);
	}
	if (bytes->fd >= 0) {
		(void)close(bytes->fd);
	}
	free(bytes->path);
	free(bytes);
}

/* After a member: another one, or padding and whatever else may follow, which is no text. */
static bool begin_member(struct kineto_bytes *bytes)
{
	if (bytes->stream.next_in[0] != 0x1f || inflateReset(&bytes->stream) != Z_OK) {
		bytes->has_ended = true;
		return false;
	}
	bytes->is_in_member = true;
	return true;
}

static void inflate_some(struct kineto_bytes *bytes)
{
	const int result = inflate(&bytes->stream, Z_NO_FLUSH);

	if (result == Z_STREAM_END) {
		bytes->is_in_member = false;
	} else if (result != Z_OK && result != Z_BUF_ERROR) {
		bytes->problem = "the gzip data is damaged";
		bytes->has_ended = true;
	}
}

/* What the inflation needs next: more of the file, or that its end is taken note of. */
static enum status refill(struct kineto_bytes *bytes, struct diag *diag)
{
	size_t size = bytes->stream.avail_in;
	enum status status = STATUS_OK;

	if (size == 0) {
		status = read_file(bytes, &size, diag);
	}
	if (status == STATUS_OK && size == 0) {
		bytes->has_ended = true;
		bytes->problem = bytes->is_in_member ? "the gzip data is cut off" : NULL;
	}
	return status;
}

static enum status read_gzip(struct kineto_bytes *bytes, const unsigned char **out_chunk,
	size_t *out_size, struct diag *diag)
{
	enum status status = STATUS_OK;

	bytes->stream.next_out = bytes->output;
	bytes->stream.avail_out = sizeof(bytes->output);
	while (status == STATUS_OK && !bytes->has_ended &&
		bytes->stream.avail_out == sizeof(bytes->output)) {
		status = refill(bytes, diag);
		if (status == STATUS_OK && !bytes->has_ended &&
			(bytes->is_in_member || begin_member(bytes))) {
			inflate_some(bytes);
		}
	}
	*out_chunk = bytes->output;
	*out_size = sizeof(bytes->output) - bytes->stream.avail_out;
	return status;
}

enum status kineto_bytes_read(struct kineto_bytes *bytes, const unsigned char **out_chunk,
	size_t *out_size, struct diag *diag)
{
	enum status status = STATUS_OK;

	if (bytes->is_gzip) {
		return read_gzip(bytes, out_chunk, out_size, diag);
	}
	if (bytes->stream.avail_in == 0) {
		size_t size = 0;

		status = read_file(bytes, &size, diag);
	}
	*out_chunk = bytes->stream.next_in;
	*out_size = bytes->stream.avail_in;
	bytes->stream.avail_in = 0;
	return status;
}

const char *kineto_bytes_problem(const struct kineto_bytes *bytes, uint64_t *out_offset)
{
	*out_offset = bytes->read_bytes - bytes->stream.avail_in;
	return bytes->problem;
}
