/* SPDX-License-Identifier: MIT */
/* Which part of a path is why it cannot be opened or made: errno names none. */
#pragma once

#include <limits.h>
#include <stdbool.h>

/* A path and some words. */
#define PATH_REASON_BYTES (PATH_MAX + 32)

/* Whether all folders on the way to `path` are there, as far as this user may see. Keeps errno. */
bool path_has_folders(const char *path);

/*
 * What `error`, a value of errno, means for `path`: "x is no folder", "there is no folder x", or
 * the system's text when the path itself is at fault. Gives `out_text` back. Keeps errno.
 */
const char *path_reason(const char *path, int error, char out_text[PATH_REASON_BYTES]);
