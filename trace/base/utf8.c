/* SPDX-License-Identifier: MIT */
#include "trace/base/utf8.h"

unsigned int utf8_length(const char *text)
{
	const unsigned char *bytes = (const unsigned char *)text;
	const unsigned char first = bytes[0];
	const unsigned int length = first < 0x80                     ? 1
				    : first >= 0xc2 && first <= 0xdf ? 2
				    : first >= 0xe0 && first <= 0xef ? 3
				    : first >= 0xf0 && first <= 0xf4 ? 4
								     : 0;

	for (unsigned int i = 1; i < length; i++) {
		if ((bytes[i] & 0xc0) != 0x80) {
			return 0;
		}
	}
	/* Overlong forms, surrogates, and beyond the last code point. */
	if ((first == 0xe0 && bytes[1] < 0xa0) || (first == 0xed && bytes[1] > 0x9f) ||
		(first == 0xf0 && bytes[1] < 0x90) || (first == 0xf4 && bytes[1] > 0x8f)) {
		return 0;
	}
	return length;
}

size_t utf8_clip(const char *text, size_t size, size_t limit)
{
	size_t clipped = limit;

	if (size <= limit) {
		return size;
	}
	/* Up to three bytes of a character may lie before the cut. */
	while (clipped > limit - 3 && ((unsigned char)text[clipped] & 0xc0) == 0x80) {
		clipped--;
	}
	return clipped;
}
