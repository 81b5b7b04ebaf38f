/* SPDX-License-Identifier: MIT */
#include "trace/base/line.h"

#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* U+0080 to U+009F in UTF-8, which some terminals obey as they obey escape sequences. */
static bool is_control_pair(const char *c)
{
	return (unsigned char)c[0] == 0xc2 && (unsigned char)c[1] >= 0x80 &&
	       (unsigned char)c[1] < 0xa0;
}

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
		} else if (is_control_pair(c)) {
			c[0] = '?';
			c[1] = '?';
		}
	}
}
