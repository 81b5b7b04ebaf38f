/* SPDX-License-Identifier: MIT */
#include "analysis/diff/lines.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum status lines_add(struct lines *lines, const char *format, ...)
{
	va_list arguments;
	char *line = NULL;
	int length;

	if (lines->count == LINES_COUNT_MAX) {
		return STATUS_OK;
	}
	va_start(arguments, format);
	length = vasprintf(&line, format, arguments);
	va_end(arguments);
	if (length < 0) {
		return STATUS_NO_MEMORY;
	}
	lines->list[lines->count++] = line;
	return STATUS_OK;
}

void lines_finish(struct lines *lines)
{
	for (uint32_t i = 0; i < lines->count; i++) {
		free(lines->list[i]);
	}
	lines->count = 0;
}
