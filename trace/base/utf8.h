/* SPDX-License-Identifier: MIT */
/* What is UTF-8 and what is not: names come from anywhere, and JSON and terminals take no others.
 */
#pragma once

/*
 * How many bytes of valid UTF-8 begin at `text`, which a zero byte ends; 0 when it is none. That
 * byte itself counts as a character.
 */
unsigned int utf8_length(const char *text);
