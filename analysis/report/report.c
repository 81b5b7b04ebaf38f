/* SPDX-License-Identifier: MIT */
#include "analysis/report/report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct report_format formats[] = {
	{"text", report_write_text},
	{"json", report_write_json},
};

const struct report_format *report_format_find(const char *name)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		if (strcmp(formats[i].name, name) == 0) {
			return &formats[i];
		}
	}
	return NULL;
}

static bool is_before(const struct timeline_device *a, const struct timeline_device *b)
{
	return a->ordinal != b->ordinal ? a->ordinal < b->ordinal : strcmp(a->uuid, b->uuid) < 0;
}

uint32_t report_device_order(const struct report_data *report, uint32_t out_order[DEVICE_COUNT_MAX])
{
	const struct timeline *timeline = analyzer_timeline(report->analyzer);
	uint32_t count = 0;

	for (uint32_t i = 0; i < report_data_device_count(report); i++) {
		uint32_t place = count;

		if (!report->devices[i] || !report->devices[i]->is_used) {
			continue;
		}
		while (place > 0 && is_before(timeline_device(timeline, i),
					    timeline_device(timeline, out_order[place - 1]))) {
			out_order[place] = out_order[place - 1];
			place--;
		}
		out_order[place] = i;
		count++;
	}
	return count;
}

static enum status write_stdout(
	const struct report_data *report, const struct report_format *format, struct diag *diag)
{
	format->write(report, stdout);
	if (fflush(stdout) != 0 || ferror(stdout)) {
		return diag_set(
			diag, status_from_errno(errno), "standard output: %s", strerror(errno));
	}
	return STATUS_OK;
}

/* Writes, flushes to the disk, and closes; 0 or what went wrong. */
static int write_descriptor(
	const struct report_data *report, const struct report_format *format, int descriptor)
{
	FILE *stream = fdopen(descriptor, "w");
	int error = 0;

	if (!stream) {
		error = errno;
		(void)close(descriptor);
		return error;
	}
	errno = 0;
	format->write(report, stream);
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

	if (status != STATUS_NO_SPACE && status != STATUS_NO_MEMORY) {
		status = STATUS_IO;
	}
	return diag_set(diag, status, "%s: %s; the report was not written", path, strerror(error));
}

enum status report_write(const struct report_data *report, const struct report_format *format,
	const char *path, struct diag *diag)
{
	struct stat existing;
	char *temporary = NULL;
	mode_t mask;
	int descriptor;
	int error = 0;

	if (!path || strcmp(path, "-") == 0) {
		return write_stdout(report, format, diag);
	}
	/* A pipe or a device is written to as it is; a rename would replace it. */
	if (stat(path, &existing) == 0 && !S_ISREG(existing.st_mode) &&
		!S_ISDIR(existing.st_mode)) {
		FILE *stream = fopen(path, "w");

		error = stream ? write_descriptor(report, format, dup(fileno(stream))) : errno;
		if (stream) {
			(void)fclose(stream);
		}
		return error ? refuse(path, error, diag) : STATUS_OK;
	}
	if (asprintf(&temporary, "%s.XXXXXX", path) < 0) {
		return STATUS_NO_MEMORY;
	}
	descriptor = mkostemp(temporary, O_CLOEXEC);
	if (descriptor < 0) {
		error = errno;
	} else {
		mask = umask(0);
		(void)umask(mask);
		(void)fchmod(descriptor, 0666 & ~mask);
		error = write_descriptor(report, format, descriptor);
		if (error == 0 && rename(temporary, path) != 0) {
			error = errno;
		}
		if (error != 0) {
			(void)unlink(temporary);
		}
	}
	free(temporary);
	return error ? refuse(path, error, diag) : STATUS_OK;
}
