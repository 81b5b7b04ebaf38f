/* SPDX-License-Identifier: MIT */
/* Small words of the daemon's log: numbers, and `key=value` as the daemon writes them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Text of a line, not ended by a zero. */
struct cuzk_word {
	const char *text;
	size_t length;
};

/* A decimal number that `text` begins with, of at most 12 digits; gives its end, NULL when none. */
const char *cuzk_text_number(const char *text, uint64_t *out_value);

/*
 * The value of `key` in "a=1 b=Some(3) c=\"text\" d=x-[1 2]", without quotes and Some(). Keys begin
 * the text or follow a blank, a comma or a brace. False when it is not there.
 */
bool cuzk_text_value(const char *text, const char *key, struct cuzk_word *out_value);

/* The same for a whole number, which may carry the unit `ms`. */
bool cuzk_text_unsigned(const char *text, const char *key, uint64_t *out_value);

/*
 * How much of a line a collector of logs put before the daemon's own: journalctl, a kubelet,
 * docker. The process is the one that journalctl names there; 0 when nobody does.
 */
size_t cuzk_text_prefix(const char *line, uint64_t *out_process);

/* Takes terminal colours (ESC [ ... letter) and line ends out of a line, in place. */
void cuzk_text_clean(char *line);
