/* SPDX-License-Identifier: MIT */
#include "analysis/report/output.h"

#include "trace/base/path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static enum status write_stdout(output_writer *write, const void *content, struct diag *diag)
{
	write(content, stdout);
	if (fflush(stdout) != 0 || ferror(stdout)) {
		return diag_set(
			diag, status_from_errno(errno), "standard output: %s", strerror(errno));
	}
	return STATUS_OK;
}

/* Writes, flushes to the disk, and closes; 0 or what went wrong. */
static int write_descriptor(output_writer *write, const void *content, int descriptor)
{
	FILE *stream = fdopen(descriptor, "w");
	int error = 0;

	if (!stream) {
		error = errno;
		(void)close(descriptor);
		return error;
	}
	errno = 0;
	write(content, stream);
	/* Devices and pipes have no disk to be flushed to. */
	if (fflush(stream) != 0 || ferror(stream) ||
		(fsync(descriptor) != 0 && errno != EINVAL && errno != EROFS)) {
		error = errno ? errno : EIO;
	}
	if (fclose(stream) != 0 && error == 0) {
		error = errno;
	}
	return error;
}

/* A place that is missing or forbidden is no fault of the input: it is told apart from that. */
static enum status refuse(const char *path, int error, struct diag *diag)
{
	enum status status = status_from_errno(error);
	char reason[PATH_REASON_BYTES];

	if (status != STATUS_NO_SPACE && status != STATUS_NO_MEMORY) {
		status = STATUS_IO;
	}
	return diag_set(diag, status, "%s: %s; the report was not written", path,
		path_reason(path, error, reason));
}

/* A new file, or one that takes the place, and the permissions, of `existing`. */
static int replace(
	output_writer *write, const void *content, const char *path, const struct stat *existing)
{
	char *temporary = NULL;
	mode_t mask;
	int descriptor;
	int error = 0;

	/* The rename would go round what forbids to write. */
	if (existing && faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) != 0) {
		return errno;
	}
	if (asprintf(&temporary, "%s.XXXXXX", path) < 0) {
		return ENOMEM;
	}
	descriptor = mkostemp(temporary, O_CLOEXEC);
	if (descriptor < 0) {
		error = errno;
	} else {
		mask = umask(0);
		(void)umask(mask);
		(void)fchmod(descriptor, existing ? existing->st_mode & 0777 : 0666 & ~mask);
		error = write_descriptor(write, content, descriptor);
		if (error == 0 && rename(temporary, path) != 0) {
			error = errno;
		}
		if (error != 0) {
			(void)unlink(temporary);
		}
	}
	free(temporary);
	return error;
}

/* A pipe or a device is written to as it is; a rename would replace it. */
static int write_in_place(output_writer *write, const void *content, const char *path)
{
	const int descriptor = open(path, O_WRONLY | O_CLOEXEC);

	return descriptor < 0 ? errno : write_descriptor(write, content, descriptor);
}

enum status output_write(
	output_writer *write, const void *content, const char *path, struct diag *diag)
{
	struct stat existing;
	char *target = NULL;
	bool is_there;
	int error = 0;

	if (!path || strcmp(path, "-") == 0) {
		return write_stdout(write, content, diag);
	}
	is_there = stat(path, &existing) == 0;
	if (is_there && !S_ISREG(existing.st_mode) && !S_ISDIR(existing.st_mode)) {
		error = write_in_place(write, content, path);
	} else {
		/* Behind a symbolic link its target, so that the link stays. */
		target = is_there ? realpath(path, NULL) : NULL;
		error = replace(
			write, content, target ? target : path, is_there ? &existing : NULL);
	}
	free(target);
	return error ? refuse(path, error, diag) : STATUS_OK;
}
