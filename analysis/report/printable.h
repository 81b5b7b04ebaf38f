/* SPDX-License-Identifier: MIT */
/*
 * Names come from the traced program and may hold anything. On a terminal a control byte can move
 * the cursor or worse, so text output shows every byte that is not plain ASCII as \xNN.
 */
#pragma once

#include <stddef.h>

/* A terminal line of 256 characters, each escaped in four. */
#define PRINTABLE_BYTES_MAX 1024

/*
 * Copies `text` to `out`, escaped, at most `column_max` columns; what is cut ends in "..".
 * Gives `out` back. `column_max` is at least 2 and below PRINTABLE_BYTES_MAX.
 */
const char *printable_copy(const char *text, size_t column_max, char out[PRINTABLE_BYTES_MAX]);
