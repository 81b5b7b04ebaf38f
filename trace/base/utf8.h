/* SPDX-License-Identifier: MIT */
/* What is UTF-8 and what is not: names come from anywhere, and JSON and terminals take no others.
 */
#pragma once

#include <stddef.h>

/*
 * How many bytes of valid UTF-8 begin at `text`, which a zero byte ends; 0 when it is none. That
 * byte itself counts as a character.
 */
unsigned int utf8_length(const char *text);

/* How many of `size` bytes are kept of at most `limit`, which is 4 or more: never half of a
 * character, unless the text is no UTF-8. */
size_t utf8_clip(const char *text, size_t size, size_t limit);
