/* SPDX-License-Identifier: MIT */
/*
 * What CUDA's errors mean to the backend, and the lines that tell of them. An error is a
 * cudaError_t, of which this header knows nothing.
 */
#pragma once

#include "trace/base/cleanup.h"
#include "trace/base/diag.h"
#include "trace/base/status.h"

#include <stdbool.h>

MUST_CHECK enum status runtime_error_status(int error);

/* True of what leaves the process in a state in which all further work on the device gives the same
 * error. */
bool runtime_error_is_sticky(int error);

enum runtime_line_state {
	RUNTIME_LINE_NONE,
	RUNTIME_LINE_BUSY,
	RUNTIME_LINE_KEPT
};

/* A line that any thread may keep, the first one's until it is taken. Begins as zeros. Atomic,
 * since a lock here would be one that no trace shows. */
struct runtime_line {
	int state; /* of enum runtime_line_state */
	char text[160];
};

/* "CALL: NAME: what it means", unless there is a line already. */
void runtime_line_keep(struct runtime_line *line, int error, const char *call);
/* False, and an empty line, when there is none. */
bool runtime_line_read(const struct runtime_line *line, struct diag *out_words);
/* The same, and from then on there is none. */
bool runtime_line_take(struct runtime_line *line, struct diag *out_words);
