/* SPDX-License-Identifier: MIT */
/* malloc_trim, the memory budget, and large buffers. */
#include "gaptrace/gaptrace.h"
#include "trace/base/clock.h"
#include "trace/emit/host_guard.h"
#include "trace/emit/nvtx_range.h"
#include "trace/emit/tracepoints.h"

#include <fcntl.h>
#include <malloc.h>
#include <stdlib.h>
#include <unistd.h>

/* Seven numbers of pages. */
#define STATM_BYTES_MAX 160

/* Resident bytes of this process, GAPTRACE_UNKNOWN where /proc is missing. */
static uint64_t resident_bytes(void)
{
	char text[STATM_BYTES_MAX];
	uint64_t bytes = GAPTRACE_UNKNOWN;
	struct host_guard guard = host_guard_begin();
	int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);

	if (fd >= 0) {
		ssize_t length = read(fd, text, sizeof(text) - 1);
		char *resident = text;

		text[length > 0 ? length : 0] = '\0';
		while (*resident && *resident != ' ') {
			resident++;
		}
		if (*resident == ' ') {
			bytes = strtoull(resident, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE);
		}
		(void)close(fd);
	}
	host_guard_end(&guard);
	return bytes;
}

int gaptrace_malloc_trim(size_t pad_bytes)
{
	struct sample_trim trim = {GAPTRACE_UNKNOWN, GAPTRACE_UNKNOWN, GAPTRACE_UNKNOWN, 0};
	uint64_t begin_ns = 0;

	/* Reading /proc takes some microseconds, so it stays outside the measured call. */
	if (WANTED(malloc_trim_end)) {
		trim.rss_before_bytes = resident_bytes();
	}
	if (WANTED(malloc_trim_begin)) {
		EMIT(malloc_trim_begin);
	}
	/* Not before the event: what emitting took is none of the trim's time. */
	if (WANTED(malloc_trim_end)) {
		begin_ns = clock_now_ns();
	}
	nvtx_range_push(NVTX_RANGE_MEMORY, "malloc_trim");
	trim.returned = malloc_trim(pad_bytes);
	nvtx_range_pop();
	if (WANTED(malloc_trim_end)) {
		trim.duration_ns = begin_ns ? clock_now_ns() - begin_ns : GAPTRACE_UNKNOWN;
		trim.rss_after_bytes = resident_bytes();
		EMIT(malloc_trim_end, &trim);
	}
	return trim.returned;
}

void gaptrace_budget_reserve(const struct gaptrace_budget *sample)
{
	if (WANTED(budget_reserve)) {
		EMIT(budget_reserve, sample);
	}
}

void gaptrace_budget_release(const struct gaptrace_budget *sample)
{
	if (WANTED(budget_release)) {
		EMIT(budget_release, sample);
	}
}

void gaptrace_buffer_alloc(const struct gaptrace_buffer *buffer)
{
	if (WANTED(buffer_alloc)) {
		EMIT(buffer_alloc, buffer);
	}
}

void gaptrace_buffer_free(const struct gaptrace_buffer *buffer)
{
	if (WANTED(buffer_free)) {
		EMIT(buffer_free, buffer);
	}
}
