/* SPDX-License-Identifier: MIT */
/* Any text as the daemon's log: events in order of time, or a clear refusal. */
#include "analysis/import/cuzk_log.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static void read_all(struct import_reader *reader)
{
	struct diag diag = {""};
	struct event event;
	uint64_t last_ns = 0;
	bool has_event = false;

	do {
		if (reader->operations->next(reader, &event, &has_event, &diag) != STATUS_OK) {
			abort();
		}
		if (has_event && event.time_ns < last_ns) {
			abort();
		}
		last_ns = has_event ? event.time_ns : last_ns;
	} while (has_event);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	AUTO(import_reader_destroy) struct import_reader *reader = NULL;
	const int file = memfd_create("log", MFD_CLOEXEC);
	struct diag diag = {""};
	char path[64];
	const char *name = path;

	(void)import_cuzk_log.recognise(data, size);
	if (file < 0 || write(file, data, size) != (ssize_t)size) {
		abort();
	}
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	if (cuzk_log_open(&name, 1, &diag, &reader) == STATUS_OK) {
		read_all(reader);
	} else if (diag.line[0] == '\0') {
		abort();
	}
	(void)close(file);
	return 0;
}
