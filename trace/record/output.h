/* SPDX-License-Identifier: MIT */
/* The folder a recording goes to, and the room on its disk. */
#pragma once

#include "trace/base/diag.h"
#include "trace/base/status.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

/* Less than this free and a recording does not start: seconds of a busy service. */
#define OUTPUT_FREE_BYTES_MIN (64ULL << 20)

struct output {
	char path[PATH_MAX]; /* absolute */
	bool is_created;     /* here, and not by the user */
};

/*
 * Makes the folder, or takes an empty one; `path` NULL means gaptrace-<UTC time> in the current
 * folder. Checks that it can be written to and has OUTPUT_FREE_BYTES_MIN.
 */
MUST_CHECK enum status output_prepare(
	const char *path, struct output *out_output, struct diag *diag);

/* Removes the folder again if it was made here and nothing came into it. */
void output_abandon(const struct output *output);

MUST_CHECK enum status output_free_bytes(
	const char *path, uint64_t *out_free_bytes, struct diag *diag);
