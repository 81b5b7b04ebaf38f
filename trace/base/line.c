/* SPDX-License-Identifier: MIT */
#include "trace/base/line.h"

#include "trace/base/utf8.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* What moves a cursor or ends a line; U+0080 to U+009F do on terminals that know them. */
static bool is_control(const unsigned char *c)
{
	return c[0] < ' ' || c[0] == 0x7f || (c[0] == 0xc2 && c[1] < 0xa0) ||
	       (c[0] == 0xe2 && c[1] == 0x80 && (c[2] == 0xa8 || c[2] == 0xa9));
}

/* Marks and brackets of direction: U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069. */
static bool is_direction(const unsigned char *c)
{
	return (c[0] == 0xd8 && c[1] == 0x9c) ||
	       (c[0] == 0xe2 && c[1] == 0x80 &&
		       (c[2] == 0x8e || c[2] == 0x8f || (c[2] >= 0xaa && c[2] <= 0xae))) ||
	       (c[0] == 0xe2 && c[1] == 0x81 && c[2] >= 0xa6 && c[2] <= 0xa9);
}

/* How many plain ASCII bytes come first, eight at a time: nearly all names are nothing else. */
static size_t plain_bytes(const char *text, size_t size)
{
	const uint64_t ones = 0x0101010101010101ULL;
	const uint64_t highs = ones << 7;
	size_t i = 0;
	uint64_t word;
	uint64_t delete;

	for (; size - i >= sizeof(word); i += sizeof(word)) {
		memcpy(&word, text + i, sizeof(word));
		delete = word ^ ones * 0x7f;
		/* A byte below a number borrows from its own highest bit. */
		if ((word | (word - ones * ' ') | (delete - ones)) & highs) {
			break;
		}
	}
	return i;
}

/* What a line cannot have is replaced, byte by byte; the length of the character there. */
static unsigned int clean_character(char *text)
{
	const unsigned int valid_bytes = utf8_length(text);
	const unsigned int byte_count = valid_bytes > 0 ? valid_bytes : 1;
	const unsigned char *c = (const unsigned char *)text;

	if (valid_bytes == 0 || is_control(c) || is_direction(c)) {
		memset(text, '?', byte_count);
	}
	return byte_count;
}

void line_clean(char *text, size_t size)
{
	size_t i = plain_bytes(text, size);

	while (i < size) {
		/* Short names, and the ends of long ones, come here whole, and most are plain. */
		if (text[i] >= ' ' && text[i] < 0x7f) {
			i++;
		} else {
			i += clean_character(text + i);
		}
	}
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
	line_clean(line, strlen(line));
}
