/* SPDX-License-Identifier: MIT */
/* Reads whatever the user named into an analyzer: recordings, or files that other tools wrote. */
#pragma once

#include "analysis/plugin/feed.h"
#include "trace/base/diag.h"

/*
 * Directories are recordings and files are traces of other tools, each recognised by its content.
 * BAD_INPUT with one line when they are mixed, since their clocks cannot be compared, or when one
 * is of no known kind; what cannot be read of a good one becomes a note.
 */
MUST_CHECK enum status input_read(
	const char *const *paths, size_t count, struct feed *feed, struct diag *diag);
