/* SPDX-License-Identifier: MIT */
#include "prover/groth16/file_bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static enum status fail_with_errno(
	const char *path, const char *action, int error, struct diag *diag)
{
	return diag_set(diag, status_from_errno(error), "%s: cannot be %s: %s", path, action,
		strerror(error));
}

static enum status read_all(
	int fd, const char *path, uint64_t count, struct diag *diag, uint8_t *bytes)
{
	uint64_t filled = 0;

	while (filled < count) {
		ssize_t got = read(fd, bytes + filled, count - filled);

		if (got < 0 && errno == EINTR) {
			continue;
		}
		if (got < 0) {
			return fail_with_errno(path, "read", errno, diag);
		}
		/* fstat's size was right when it was asked. */
		if (got == 0) {
			return diag_set(diag, STATUS_IO,
				"%s: became shorter while it was read; try again", path);
		}
		filled += (uint64_t)got;
	}
	return STATUS_OK;
}

static enum status read_open_file(int fd, const char *path, uint64_t limit_bytes, struct diag *diag,
	uint8_t **out_bytes, uint64_t *out_count)
{
	struct stat facts;
	uint64_t count;
	uint8_t *bytes;
	enum status status;

	if (fstat(fd, &facts) != 0) {
		return fail_with_errno(path, "read", errno, diag);
	}
	/* Of a pipe or device the size says nothing. */
	if (!S_ISREG(facts.st_mode)) {
		return diag_set(diag, STATUS_BAD_INPUT, "%s: not a regular file", path);
	}
	count = (uint64_t)facts.st_size;
	if (count > limit_bytes) {
		return diag_set(diag, STATUS_TOO_LARGE,
			"%s: %llu bytes, more than the %llu that such a file may have", path,
			(unsigned long long)count, (unsigned long long)limit_bytes);
	}
	bytes = malloc(count ? count : 1);
	if (!bytes) {
		return diag_set(diag, STATUS_NO_MEMORY, "%s: no memory for its %llu bytes", path,
			(unsigned long long)count);
	}
	status = read_all(fd, path, count, diag, bytes);
	if (status != STATUS_OK) {
		free(bytes);
		return status;
	}
	*out_bytes = bytes;
	*out_count = count;
	return STATUS_OK;
}

enum status file_bytes_read(const char *path, uint64_t limit_bytes, struct diag *diag,
	uint8_t **out_bytes, uint64_t *out_count)
{
	/* O_NONBLOCK: a FIFO without a writer is refused and not waited for. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	enum status status;

	if (fd < 0) {
		return fail_with_errno(path, "opened", errno, diag);
	}
	status = read_open_file(fd, path, limit_bytes, diag, out_bytes, out_count);
	(void)close(fd);
	return status;
}
