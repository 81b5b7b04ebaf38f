/* SPDX-License-Identifier: MIT */
/* Where a report goes: a file that appears whole or not at all, a pipe, or standard output. */
#pragma once

#include "trace/base/diag.h"

#include <stdio.h>

/* Writes `content` to the stream; errors stay in the stream (ferror). */
typedef void output_writer(const void *content, FILE *stream);

/*
 * Writes to `path` by a temporary file and a rename; to standard output when it is NULL or "-". A
 * symbolic link, and the permissions of a file that is replaced, stay.
 * A failure of the place is IO or NO_SPACE, never bad input.
 */
MUST_CHECK enum status output_write(
	output_writer *write, const void *content, const char *path, struct diag *diag);
