/* SPDX-License-Identifier: MIT */
#include "trace/base/line.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

void line_format(char *line, size_t line_bytes, const char *format, va_list arguments)
{
	int length;

	assert(line_bytes >= 4);
	length = vsnprintf(line, line_bytes, format, arguments);
	if (length < 0) {
		line[0] = '\0';
	} else if ((size_t)length >= line_bytes) {
		memcpy(line + line_bytes - 4, "...", 4);
	}
	for (char *c = line; *c; c++) {
		if ((unsigned char)*c < ' ' || *c == 0x7f) {
			*c = '?';
		}
	}
}
