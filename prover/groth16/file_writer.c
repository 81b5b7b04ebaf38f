/* SPDX-License-Identifier: MIT */
#include "prover/groth16/file_writer.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

/* Sixteen random names that all exist are no accident. */
#define BUFFER_BYTES      65536
#define NAME_ATTEMPTS_MAX 16

struct file_writer {
	char *path;
	char *temporary_path; /* NULL once there is no such file any more */
	int fd;
	int error; /* the first errno */
	size_t filled;
	uint8_t buffer[BUFFER_BYTES];
};

static int open_temporary(const char *path, bool is_private, char **out_temporary_path)
{
	for (int attempt = 0; attempt < NAME_ATTEMPTS_MAX; attempt++) {
		unsigned long long token;
		char *temporary_path;
		int fd;

		if (getrandom(&token, sizeof(token), 0) != (ssize_t)sizeof(token)) {
			return -1;
		}
		if (asprintf(&temporary_path, "%s.%016llx.part", path, token) < 0) {
			errno = ENOMEM;
			return -1;
		}
		/* In the target's folder, so that rename() does not cross file systems. */
		fd = open(temporary_path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
			is_private ? 0600 : 0666);
		if (fd >= 0) {
			*out_temporary_path = temporary_path;
			return fd;
		}
		free(temporary_path);
		if (errno != EEXIST) {
			return -1;
		}
	}
	return -1;
}

/*
 * Where to write: behind a symbolic link its target, so that the link stays. What is there must be
 * a regular file: a rename would replace a device or a pipe by a file.
 */
static enum status resolve(const char *path, struct diag *diag, char **out_path)
{
	struct stat facts;
	char *resolved;

	if (stat(path, &facts) == 0 && !S_ISREG(facts.st_mode)) {
		return diag_set(diag, STATUS_BAD_USE,
			"%s: cannot be written: not a regular file; name a new file", path);
	}
	resolved = realpath(path, NULL);
	if (!resolved) {
		resolved = strdup(path);
	}
	if (!resolved) {
		return diag_set(diag, STATUS_NO_MEMORY, "%s: out of memory", path);
	}
	*out_path = resolved;
	return STATUS_OK;
}

enum status file_writer_create(
	const char *path, bool is_private, struct diag *diag, struct file_writer **out_writer)
{
	AUTO(file_writer_destroy) struct file_writer *writer = NULL;
	enum status status;

	assert(path && out_writer);

	writer = malloc(sizeof(*writer));
	if (!writer) {
		return diag_set(diag, STATUS_NO_MEMORY, "%s: out of memory", path);
	}
	*writer = (struct file_writer){.fd = -1};
	status = resolve(path, diag, &writer->path);
	if (status != STATUS_OK) {
		return status;
	}
	writer->fd = open_temporary(writer->path, is_private, &writer->temporary_path);
	if (writer->fd < 0) {
		return diag_set(diag, status_from_errno(errno), "%s: cannot be written: %s", path,
			strerror(errno));
	}
	*out_writer = MOVE(writer);
	return STATUS_OK;
}

static void flush(struct file_writer *writer)
{
	size_t written = 0;

	assert(writer);

	while (written < writer->filled && writer->error == 0) {
		ssize_t put = write(writer->fd, writer->buffer + written, writer->filled - written);

		if (put >= 0) {
			written += (size_t)put;
		} else if (errno != EINTR) {
			writer->error = errno;
		}
	}
	writer->filled = 0;
}

void file_writer_put(struct file_writer *writer, const void *bytes, size_t count)
{
	const uint8_t *next = bytes;

	assert(writer);

	/* Writers do not look at each put: the first error is told by file_writer_commit(). */
	while (count > 0 && writer->error == 0) {
		size_t part = BUFFER_BYTES - writer->filled;

		part = part < count ? part : count;
		memcpy(writer->buffer + writer->filled, next, part);
		writer->filled += part;
		next += part;
		count -= part;
		if (writer->filled == BUFFER_BYTES) {
			flush(writer);
		}
	}
}

void file_writer_put_u32(struct file_writer *writer, uint32_t value)
{
	const uint8_t bytes[4] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16),
		(uint8_t)(value >> 24)};

	file_writer_put(writer, bytes, sizeof(bytes));
}

void file_writer_put_u64(struct file_writer *writer, uint64_t value)
{
	file_writer_put_u32(writer, (uint32_t)value);
	file_writer_put_u32(writer, (uint32_t)(value >> 32));
}

enum status file_writer_commit(struct file_writer *writer, struct diag *diag)
{
	flush(writer);
	/* Some file systems find out only now that there is no space. */
	if (writer->error == 0 && fsync(writer->fd) != 0) {
		writer->error = errno;
	}
	if (close(writer->fd) != 0 && writer->error == 0) {
		writer->error = errno;
	}
	writer->fd = -1;
	if (writer->error == 0 && rename(writer->temporary_path, writer->path) != 0) {
		writer->error = errno;
	}
	if (writer->error != 0) {
		return diag_set(diag, status_from_errno(writer->error),
			"%s: cannot be written: %s; nothing was changed", writer->path,
			strerror(writer->error));
	}
	free(writer->temporary_path);
	writer->temporary_path = NULL;
	return STATUS_OK;
}

void file_writer_destroy(struct file_writer *writer)
{
	if (!writer) {
		return;
	}
	if (writer->fd >= 0) {
		(void)close(writer->fd);
	}
	/* Not committed: nothing is left behind. */
	if (writer->temporary_path) {
		(void)unlink(writer->temporary_path);
	}
	free(writer->temporary_path);
	free(writer->path);
	/* A witness may have gone through the buffer. */
	explicit_bzero(writer->buffer, sizeof(writer->buffer));
	free(writer);
}

enum status file_writer_write_text(const char *path, const char *text, struct diag *diag)
{
	AUTO(file_writer_destroy) struct file_writer *writer = NULL;
	enum status status = file_writer_create(path, false, diag, &writer);

	if (status != STATUS_OK) {
		return status;
	}
	file_writer_put(writer, text, strlen(text));
	return file_writer_commit(writer, diag);
}
