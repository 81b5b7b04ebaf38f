/* SPDX-License-Identifier: MIT */
#include "analysis/plugin/salvage.h"

#include "analysis/plugin/index_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* CTF 1.8's magic number, in the byte order of the machine that recorded; LTTng writes its own. */
#define PACKET_MAGIC 0xc1fc1fc1U

/* A failure of the place for the copy, which has a mend, and not of what is copied. */
#define NO_COPY "damaged, and no copy can be made; set TMPDIR: %s: %s"

/* What LTTng 2.x puts before the events of each packet, without padding. */
struct packet_header {
	uint32_t magic;
	uint8_t uuid[16];
	uint32_t stream_class;
	uint64_t stream;
	uint64_t begin_ns;
	uint64_t end_ns;
	uint64_t content_bits;
	uint64_t packet_bits;
} __attribute__((packed));

/* Where the whole packets of a stream end, and what is known of the one that is cut. */
static enum status scan(int file, const char *path, struct salvage_cut *cut, struct diag *diag)
{
	struct packet_header header;
	struct stat facts;
	uint64_t at = 0;
	uint64_t size;

	*cut = (struct salvage_cut){.path = path};
	if (fstat(file, &facts) != 0) {
		return diag_set(diag, status_from_errno(errno), "%s: %s", path, strerror(errno));
	}
	size = (uint64_t)facts.st_size;
	while (at < size) {
		const ssize_t got = pread(file, &header, sizeof(header), (off_t)at);
		uint64_t bytes;

		if (got != (ssize_t)sizeof(header) || header.magic != PACKET_MAGIC) {
			break;
		}
		bytes = header.packet_bits / 8;
		if (bytes < sizeof(header) || bytes > size - at) {
			/* What the packet says it holds, from the end of the one before, is what
			 * was lost. */
			cut->has_range = cut->begin_ns < header.end_ns;
			cut->end_ns = header.end_ns;
			break;
		}
		at += bytes;
		cut->begin_ns = header.end_ns;
	}
	cut->kept_bytes = at;
	cut->lost_bytes = size - at;
	return STATUS_OK;
}

/* A disk that is full takes what it can, and only the next write says why. */
static bool write_all(int to, const char *bytes, size_t count)
{
	while (count > 0) {
		const ssize_t put = write(to, bytes, count);

		if (put <= 0) {
			return false;
		}
		bytes += put;
		count -= (size_t)put;
	}
	return true;
}

/* NOLINTNEXTLINE(bugprone-easily-swappable-parameters): as copy_file_range has them. */
static enum status copy_bytes(int from, int to, uint64_t count)
{
	char buffer[65536];
	off_t offset = 0;

	while (count > 0) {
		const size_t chunk = count < sizeof(buffer) ? (size_t)count : sizeof(buffer);
		ssize_t got;

		errno = 0;
		got = pread(from, buffer, chunk, offset);

		if (got <= 0 || !write_all(to, buffer, (size_t)got)) {
			return errno ? status_from_errno(errno) : STATUS_IO;
		}
		offset += got;
		count -= (uint64_t)got;
	}
	return STATUS_OK;
}

static enum status copy_file(int file, uint64_t count, const char *target, struct diag *diag)
{
	const int copy = open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	enum status status;

	if (copy < 0) {
		return diag_set(diag, status_from_errno(errno), NO_COPY, target, strerror(errno));
	}
	status = copy_bytes(file, copy, count);
	if (close(copy) != 0 && status == STATUS_OK) {
		status = status_from_errno(errno);
	}
	return status == STATUS_OK ? STATUS_OK
				   : diag_set(diag, status, NO_COPY, target, status_text(status));
}

/* Links or shortens one file of the trace; counts the shortened ones. */
static enum status take_file(const char *path, const char *target, bool is_metadata,
	const struct salvage_listener *listener, uint32_t *cut_count, struct diag *diag)
{
	const int file = open(path, O_RDONLY | O_CLOEXEC);
	struct salvage_cut cut = {.path = path};
	enum status status = STATUS_OK;

	if (file < 0) {
		return diag_set(diag, status_from_errno(errno), "%s cannot be read: %s", path,
			strerror(errno));
	}
	if (!is_metadata) {
		status = scan(file, path, &cut, diag);
	}
	if (status == STATUS_OK && cut.lost_bytes > 0) {
		(*cut_count)++;
		/* A stream without one whole packet is left out. */
		if (cut.kept_bytes > 0) {
			status = copy_file(file, cut.kept_bytes, target, diag);
		}
		if (status == STATUS_OK) {
			status = listener->cut(listener->context, &cut);
		}
	} else if (status == STATUS_OK && symlink(path, target) != 0) {
		status = diag_set(diag, status_from_errno(errno), NO_COPY, target, strerror(errno));
	}
	(void)close(file);
	return status;
}

static enum status take_entry(const char *trace, const char *name, const char *directory,
	const struct salvage_listener *listener, uint32_t *cut_count, struct diag *diag)
{
	enum status status = STATUS_OK;
	char *path = NULL;
	char *target = NULL;
	struct stat facts;

	if (asprintf(&path, "%s/%s", trace, name) < 0) {
		return STATUS_NO_MEMORY;
	}
	if (asprintf(&target, "%s/%s", directory, name) < 0) {
		free(path);
		return STATUS_NO_MEMORY;
	}
	/* Files only: without the folder of index files babeltrace2 finds the packets itself, so
	 * that a damaged index does not matter. */
	if (stat(path, &facts) == 0 && S_ISREG(facts.st_mode)) {
		status = take_file(
			path, target, strcmp(name, "metadata") == 0, listener, cut_count, diag);
	}
	free(target);
	free(path);
	return status;
}

static enum status take_all(const char *trace, const char *directory,
	const struct salvage_listener *listener, uint32_t *cut_count, struct diag *diag)
{
	DIR *entries = opendir(trace);
	const struct dirent *entry;
	enum status status = STATUS_OK;

	if (!entries) {
		return diag_set(diag, status_from_errno(errno), "%s: %s", trace, strerror(errno));
	}
	while (status == STATUS_OK && (entry = readdir(entries)) != NULL) {
		if (entry->d_name[0] != '.') {
			status = take_entry(
				trace, entry->d_name, directory, listener, cut_count, diag);
		}
	}
	(void)closedir(entries);
	return status;
}

enum status salvage_make(const char *trace, const struct salvage_listener *listener,
	struct salvage *out_salvage, struct diag *diag)
{
	const char *folder = getenv("TMPDIR");
	char *absolute = realpath(trace, NULL);
	struct salvage salvage = {.directory = NULL};
	uint32_t cut_count = 0;
	enum status status;

	if (!absolute) {
		return diag_set(diag, status_from_errno(errno), "%s: %s", trace, strerror(errno));
	}
	if (asprintf(&salvage.directory, "%s/gaptrace-report.XXXXXX", folder ? folder : "/tmp") <
		0) {
		free(absolute);
		return STATUS_NO_MEMORY;
	}
	if (!mkdtemp(salvage.directory)) {
		status = diag_set(diag, status_from_errno(errno), NO_COPY, salvage.directory,
			strerror(errno));
		free(salvage.directory);
		free(absolute);
		return status;
	}
	salvage_guard_start(salvage.directory, &salvage.guard);
	status = take_all(absolute, salvage.directory, listener, &cut_count, diag);
	free(absolute);
	if (status == STATUS_OK && cut_count == 0 && !index_files_are_damaged(trace)) {
		status = STATUS_NOT_FOUND;
	}
	if (status != STATUS_OK) {
		salvage_remove(&salvage);
		return status;
	}
	*out_salvage = salvage;
	return STATUS_OK;
}

void salvage_remove(struct salvage *salvage)
{
	if (!salvage->directory) {
		return;
	}
	salvage_guard_clear(salvage->directory);
	salvage_guard_stop(&salvage->guard);
	free(salvage->directory);
	*salvage = (struct salvage){.directory = NULL};
}
