/* SPDX-License-Identifier: MIT */
/*
 * One line of text for a person. Names in it come from anywhere: a control byte could move a
 * terminal's cursor or begin a second line, a mark of direction turn round what is read, and JSON
 * holds nothing but UTF-8, so each byte of such a character, or of none, becomes '?'.
 */
#pragma once

#include <stdarg.h>
#include <stddef.h>

/* Formats into `line`; what does not fit its `line_bytes` (at least 4) ends in "...". */
void line_format(char *line, size_t line_bytes, const char *format, va_list arguments)
	__attribute__((format(printf, 3, 0)));

/* The same for a text that is there, in place: `size` bytes, zeros among them, and one behind. */
void line_clean(char *text, size_t size);
