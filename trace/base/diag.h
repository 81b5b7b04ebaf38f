/* SPDX-License-Identifier: MIT */
/*
 * One line that says what is wrong with an input: file, place and mend. Parsers and openers fill
 * it when they fail; the edge (a main.c, the HTTP API, a plugin component) prints it once.
 */
#pragma once

#include "trace/base/limits.h"
#include "trace/base/status.h"

struct diag {
	char line[DIAG_LINE_BYTES_MAX];
};

/*
 * Formats one line into `diag`, which may be NULL, and gives back `status`, so that a parser can
 * write `return diag_set(...)`. Control characters and what is no UTF-8 become '?'; a line
 * that does not fit ends in "...".
 */
MUST_CHECK enum status diag_set(struct diag *diag, enum status status, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
