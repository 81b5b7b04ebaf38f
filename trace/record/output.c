/* SPDX-License-Identifier: MIT */
#include "trace/record/output.h"

#include "trace/base/path.h"
#include "trace/base/recording_mark.h"
#include "trace/record/quantity.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

/* More recordings in one second and one folder than anybody starts. */
#define DEFAULT_COUNT_MAX 100

static bool default_name(char *name, size_t capacity)
{
	time_t now = time(NULL);
	struct tm utc;

	return gmtime_r(&now, &utc) && strftime(name, capacity, "gaptrace-%Y%m%dT%H%M%SZ", &utc);
}

static enum status check_empty(const char *path, struct diag *diag)
{
	DIR *folder = opendir(path);
	const struct dirent *entry;
	bool is_empty = true;

	if (!folder) {
		return diag_set(diag, status_from_errno(errno), "%s: %s", path, strerror(errno));
	}
	while (is_empty && (entry = readdir(folder))) {
		is_empty = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
	}
	(void)closedir(folder);
	return is_empty ? STATUS_OK
			: diag_set(diag, STATUS_EXISTS,
				  "%s is not empty: a recording needs a folder of its own", path);
}

enum status output_free_bytes(const char *path, uint64_t *out_free_bytes, struct diag *diag)
{
	struct statvfs disk;

	if (statvfs(path, &disk) != 0) {
		return diag_set(diag, status_from_errno(errno), "%s: %s", path, strerror(errno));
	}
	*out_free_bytes = (uint64_t)disk.f_bavail * disk.f_frsize;
	return STATUS_OK;
}

static enum status check_room(const char *path, struct diag *diag)
{
	uint64_t free_bytes = 0;
	char have[16];
	enum status status = output_free_bytes(path, &free_bytes, diag);

	if (status != STATUS_OK) {
		return status;
	}
	if (free_bytes < OUTPUT_FREE_BYTES_MIN) {
		quantity_print_bytes(free_bytes, have, sizeof(have));
		return diag_set(diag, STATUS_NO_SPACE,
			"%s: %s free, and a recording needs %llu MiB to start with: choose another "
			"disk with -o",
			path, have, OUTPUT_FREE_BYTES_MIN >> 20);
	}
	return STATUS_OK;
}

/* Recordings that start within one second get numbers. */
static enum status make_default(char *name, size_t capacity, struct diag *diag)
{
	size_t length;

	if (!default_name(name, capacity)) {
		return diag_set(diag, STATUS_INTERNAL, "the time of day has no name");
	}
	length = strlen(name);
	for (int number = 2; mkdir(name, 0777) != 0; number++) {
		if (errno != EEXIST || number > DEFAULT_COUNT_MAX) {
			return diag_set(diag, status_from_errno(errno), "%s cannot be made: %s",
				name, strerror(errno));
		}
		(void)snprintf(name + length, capacity - length, "-%d", number);
	}
	return STATUS_OK;
}

/* Where a file system knows no locks there is none, and two recorders may still collide. */
static int lock_folder(const char *path)
{
	const int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	while (fd >= 0 && flock(fd, LOCK_EX) != 0 && errno == EINTR) {
	}
	return fd;
}

void output_unlock(struct output *output)
{
	if (output->lock_fd >= 0) {
		(void)close(output->lock_fd);
		output->lock_fd = -1;
	}
}

enum status output_prepare(const char *path, struct output *out_output, struct diag *diag)
{
	struct output output = {.lock_fd = -1};
	char reason[PATH_REASON_BYTES];
	char name[64];
	enum status status;

	if (!path) {
		status = make_default(name, sizeof(name), diag);
		if (status != STATUS_OK) {
			return status;
		}
		path = name;
		output.is_created = true;
	} else if (mkdir(path, 0777) == 0) {
		output.is_created = true;
	} else if (errno != EEXIST) {
		/* A name that is too long is wrong use, not large input. */
		status = errno == ENAMETOOLONG ? STATUS_BAD_USE : status_from_errno(errno);
		return diag_set(diag, status, "%s cannot be made: %s", path,
			path_reason(path, errno, reason));
	}
	if (!realpath(path, output.path)) {
		const int error = errno;

		/* As in a folder that was removed: one beside it can be made, and has no name. */
		if (output.is_created) {
			(void)rmdir(path);
		}
		return diag_set(diag, status_from_errno(error), "%s: %s", path, strerror(error));
	}

	output.lock_fd = lock_folder(output.path);
	/* Even one made here: somebody else may have begun to record to it since. */
	status = check_empty(output.path, diag);
	if (status == STATUS_OK && access(output.path, W_OK | X_OK) != 0) {
		status = diag_set(diag, status_from_errno(errno), "%s cannot be written to: %s",
			path, strerror(errno));
	}
	if (status == STATUS_OK) {
		status = check_room(output.path, diag);
	}
	if (status != STATUS_OK) {
		/* Nothing in it is ours. */
		if (output.is_created) {
			(void)rmdir(output.path);
		}
		output_unlock(&output);
		return status;
	}
	*out_output = output;
	return STATUS_OK;
}

void output_abandon(struct output *output)
{
	char inner[PATH_MAX + 8];

	/* The folder was empty, so this is of a session that nobody wrote to. */
	(void)snprintf(inner, sizeof(inner), "%s/ust", output->path);
	(void)rmdir(inner);
	if (output->is_created) {
		(void)rmdir(output->path);
	}
	output_unlock(output);
}

void output_mark_ended(const struct output *output)
{
	static const char text[] = RECORDING_MARK_TEXT;
	char path[PATH_MAX + sizeof("/" RECORDING_MARK_FILE)];
	int file;

	(void)snprintf(path, sizeof(path), "%s/" RECORDING_MARK_FILE, output->path);
	file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (file < 0) {
		return;
	}
	if (write(file, text, sizeof(text) - 1) < 0) {
		/* It is there, and that is what counts. */
	}
	(void)close(file);
}
