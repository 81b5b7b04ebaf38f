/* SPDX-License-Identifier: MIT */
#include "trace/base/line.h"

#include "trace/base/utf8.h"

#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* What moves a cursor or ends a line; U+0080 to U+009F do on terminals that know them. */
static bool is_control(const char *c)
{
	const unsigned char first = (unsigned char)c[0];

	return first < ' ' || first == 0x7f || (first == 0xc2 && (unsigned char)c[1] < 0xa0);
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
	/* Half a character that the cut left behind is none, either. */
	for (char *c = line; *c;) {
		const unsigned int valid_bytes = utf8_length(c);
		const unsigned int byte_count = valid_bytes > 0 ? valid_bytes : 1;

		if (valid_bytes == 0 || is_control(c)) {
			memset(c, '?', byte_count);
		}
		c += byte_count;
	}
}
