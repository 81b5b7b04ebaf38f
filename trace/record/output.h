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
	int lock_fd;         /* -1: none, or none any more */
};

/*
 * Makes the folder, or takes an empty one; `path` NULL means gaptrace-<UTC time> in the current
 * folder. Checks that it can be written to and has OUTPUT_FREE_BYTES_MIN. The folder is locked
 * until output_unlock, by when something must be in it: another recorder waits, and then finds it
 * not empty.
 */
MUST_CHECK enum status output_prepare(
	const char *path, struct output *out_output, struct diag *diag);

void output_unlock(struct output *output);

/* Unlocks; removes the folder again if it was made here and no program wrote to it. */
void output_abandon(struct output *output);

/* Leaves the mark that the session was ended well. Without it a reader trusts what there is, so
 * that a mark that cannot be made is no failure. */
void output_mark_ended(const struct output *output);

MUST_CHECK enum status output_free_bytes(
	const char *path, uint64_t *out_free_bytes, struct diag *diag);
