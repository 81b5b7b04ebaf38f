/* SPDX-License-Identifier: MIT */
#include "analysis/import/event_sorter_runs.h"

#include "analysis/import/event_sorter_record.h"
#include "trace/base/array.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Written at once: large enough that the cost of a call does not show. */
#define WRITE_BYTES (1u << 20)

/* Read at once of each run, whatever their number: less would be a call for every few records. */
#define READ_BYTES_MIN 8192

struct run {
	off_t next; /* of the file: what has not been read yet */
	off_t end;
	unsigned char *bytes;
	size_t size;
	size_t used;
};

struct event_sorter_runs {
	int fd;
	char folder[PATH_MAX];
	struct run *runs;
	size_t run_count;
	size_t run_capacity;
	unsigned char *bytes; /* of the run that is written, or of all that are read */
	size_t used_bytes;
	size_t read_bytes; /* of each run */
	off_t written;
	size_t *heap; /* runs that have a record, the first one's earliest */
	size_t heap_count;
	bool has_given; /* the record of the first run was given out */
};

/* The file has no name from the start where the file system can do that. */
static int open_unlinked(const char *folder)
{
	char path[PATH_MAX];
	int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)) {
		return fd;
	}
	if (snprintf(path, sizeof(path), "%s/gaptrace.XXXXXX", folder) >= (int)sizeof(path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0) {
		(void)unlink(path);
	}
	return fd;
}

static enum status file_failed(
	const struct event_sorter_runs *runs, const char *what, struct diag *diag)
{
	const int error = errno;

	return diag_set(diag, status_from_errno(error),
		"%s: %s the events while they are sorted: %s; set TMPDIR to a folder with room",
		runs->folder, what, strerror(error));
}

enum status event_sorter_runs_create(struct event_sorter_runs **out_runs, struct diag *diag)
{
	AUTO(event_sorter_runs_destroy) struct event_sorter_runs *runs = calloc(1, sizeof(*runs));
	const char *folder = getenv("TMPDIR");

	if (!runs) {
		return STATUS_NO_MEMORY;
	}
	runs->fd = -1;
	(void)snprintf(
		runs->folder, sizeof(runs->folder), "%s", folder && *folder ? folder : "/tmp");
	runs->bytes = malloc(WRITE_BYTES);
	if (!runs->bytes) {
		return STATUS_NO_MEMORY;
	}
	runs->fd = open_unlinked(runs->folder);
	if (runs->fd < 0) {
		return file_failed(runs, "cannot make a file for", diag);
	}
	*out_runs = MOVE(runs);
	return STATUS_OK;
}

void event_sorter_runs_destroy(struct event_sorter_runs *runs)
{
	if (!runs) {
		return;
	}
	if (runs->fd >= 0) {
		(void)close(runs->fd);
	}
	free(runs->runs);
	free(runs->bytes);
	free(runs->heap);
	free(runs);
}

enum status event_sorter_runs_begin(struct event_sorter_runs *runs)
{
	if (!ARRAY_MAKE_ROOM(runs->runs, runs->run_count, runs->run_capacity, 16)) {
		return STATUS_NO_MEMORY;
	}
	runs->runs[runs->run_count++] = (struct run){.next = runs->written};
	return STATUS_OK;
}

static enum status flush(struct event_sorter_runs *runs, struct diag *diag)
{
	size_t done = 0;

	while (done < runs->used_bytes) {
		const ssize_t written = pwrite(
			runs->fd, runs->bytes + done, runs->used_bytes - done, runs->written);

		if (written < 0 && errno == EINTR) {
			continue;
		}
		if (written <= 0) {
			return file_failed(runs, "cannot write", diag);
		}
		done += (size_t)written;
		runs->written += written;
	}
	runs->used_bytes = 0;
	return STATUS_OK;
}

enum status event_sorter_runs_write(
	struct event_sorter_runs *runs, const unsigned char *record, size_t size, struct diag *diag)
{
	assert(size <= EVENT_RECORD_BYTES_MAX);
	if (WRITE_BYTES - runs->used_bytes < size) {
		const enum status status = flush(runs, diag);

		if (status != STATUS_OK) {
			return status;
		}
	}
	memcpy(runs->bytes + runs->used_bytes, record, size);
	runs->used_bytes += size;
	return STATUS_OK;
}

enum status event_sorter_runs_end(struct event_sorter_runs *runs, struct diag *diag)
{
	const enum status status = flush(runs, diag);

	runs->runs[runs->run_count - 1].end = runs->written;
	return status;
}

/* Moves what is left of the run to the front of its buffer and reads on behind it. */
static enum status refill(struct event_sorter_runs *runs, struct run *run, struct diag *diag)
{
	memmove(run->bytes, run->bytes + run->used, run->size - run->used);
	run->size -= run->used;
	run->used = 0;
	while (run->next < run->end && run->size < runs->read_bytes) {
		const size_t room = runs->read_bytes - run->size;
		const size_t rest = (size_t)(run->end - run->next);
		const ssize_t got = pread(
			runs->fd, run->bytes + run->size, room < rest ? room : rest, run->next);

		if (got < 0 && errno == EINTR) {
			continue;
		}
		if (got <= 0) {
			errno = got == 0 ? EIO : errno;
			return file_failed(runs, "cannot read back", diag);
		}
		run->size += (size_t)got;
		run->next += got;
	}
	return STATUS_OK;
}

static struct event_record head_of(const struct event_sorter_runs *runs, size_t run)
{
	struct event_record record;

	memcpy(&record, runs->runs[run].bytes + runs->runs[run].used, sizeof(record));
	return record;
}

static bool is_before(const struct event_sorter_runs *runs, size_t left, size_t right)
{
	const struct event_record a = head_of(runs, left);
	const struct event_record b = head_of(runs, right);

	if (a.time_ns != b.time_ns) {
		return a.time_ns < b.time_ns;
	}
	if (a.order != b.order) {
		return a.order < b.order;
	}
	return left < right; /* the earlier run was added first */
}

static void sift_down(struct event_sorter_runs *runs, size_t i)
{
	size_t *heap = runs->heap;

	for (;;) {
		size_t child = 2 * i + 1;

		if (child >= runs->heap_count) {
			return;
		}
		if (child + 1 < runs->heap_count && is_before(runs, heap[child + 1], heap[child])) {
			child++;
		}
		if (!is_before(runs, heap[child], heap[i])) {
			return;
		}
		const size_t moved = heap[i];

		heap[i] = heap[child];
		heap[child] = moved;
		i = child;
	}
}

enum status event_sorter_runs_start(
	struct event_sorter_runs *runs, size_t memory_bytes, struct diag *diag)
{
	runs->read_bytes = memory_bytes / runs->run_count;
	if (runs->read_bytes < READ_BYTES_MIN) {
		runs->read_bytes = READ_BYTES_MIN;
	}
	free(runs->bytes);
	runs->bytes = malloc(runs->read_bytes * runs->run_count);
	runs->heap = calloc(runs->run_count, sizeof(*runs->heap));
	if (!runs->bytes || !runs->heap) {
		return STATUS_NO_MEMORY;
	}
	for (size_t i = 0; i < runs->run_count; i++) {
		enum status status;

		runs->runs[i].bytes = runs->bytes + i * runs->read_bytes;
		status = refill(runs, &runs->runs[i], diag);
		if (status != STATUS_OK) {
			return status;
		}
		if (runs->runs[i].size > 0) {
			runs->heap[runs->heap_count++] = i;
		}
	}
	for (size_t i = runs->heap_count / 2; i-- > 0;) {
		sift_down(runs, i);
	}
	return STATUS_OK;
}

/* Takes the record that was given out from the first run. */
static enum status advance(struct event_sorter_runs *runs, struct diag *diag)
{
	struct run *run = &runs->runs[runs->heap[0]];

	run->used += head_of(runs, runs->heap[0]).size;
	if (run->size - run->used < EVENT_RECORD_BYTES_MAX && run->next < run->end) {
		const enum status status = refill(runs, run, diag);

		if (status != STATUS_OK) {
			return status;
		}
	}
	if (run->used == run->size) {
		runs->heap[0] = runs->heap[--runs->heap_count];
	}
	sift_down(runs, 0);
	return STATUS_OK;
}

enum status event_sorter_runs_next(
	struct event_sorter_runs *runs, const unsigned char **out_record, struct diag *diag)
{
	if (runs->has_given) {
		const enum status status = advance(runs, diag);

		runs->has_given = false;
		if (status != STATUS_OK) {
			return status;
		}
	}
	if (runs->heap_count == 0) {
		*out_record = NULL;
		return STATUS_OK;
	}
	runs->has_given = true;
	*out_record = runs->runs[runs->heap[0]].bytes + runs->runs[runs->heap[0]].used;
	return STATUS_OK;
}

size_t event_sorter_runs_count(const struct event_sorter_runs *runs)
{
	return runs->run_count;
}
