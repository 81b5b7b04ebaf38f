/* SPDX-License-Identifier: MIT */
#include "prover/log.h"

#include "trace/base/line.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* A path, a reason and some figures; what is longer is cut, never split over two writes. */
#define LOG_LINE_BYTES_MAX 1024

static enum log_level level_shown = LOG_LEVEL_INFO;

void log_set_level(enum log_level level)
{
	level_shown = level;
}

/* "2026-11-30T11:22:33.123456Z " into `line`; gives its length. */
static size_t log_stamp(char *line, size_t byte_count)
{
	struct timeval now;
	struct tm broken_down;
	size_t used = 0;

	(void)gettimeofday(&now, NULL);
	(void)gmtime_r(&now.tv_sec, &broken_down);
	used = strftime(line, byte_count, "%Y-%m-%dT%H:%M:%S", &broken_down);
	used += (size_t)snprintf(line + used, byte_count - used, ".%06ldZ ", (long)now.tv_usec);
	return used;
}

void log_write(enum log_level level, const char *format, ...)
{
	static const char *const names[] = {"error", "warning", "info", "debug"};
	char line[LOG_LINE_BYTES_MAX];
	size_t used = 0;
	va_list arguments;

	if (level > level_shown) {
		return;
	}
	used = log_stamp(line, sizeof(line));
	used += (size_t)snprintf(line + used, sizeof(line) - used, "%s: ", names[level]);
	va_start(arguments, format);
	/* One byte is left for the end of the line. */
	line_format(line + used, sizeof(line) - used - 1, format, arguments);
	va_end(arguments);
	used += strlen(line + used);
	line[used] = '\n';
	/* Nobody can be told that the log cannot be written. */
	if (write(STDERR_FILENO, line, used + 1) < 0) {
		return;
	}
}
