/* SPDX-License-Identifier: MIT */
/*
 * What the user named, as traces: every directory below the named ones that holds a CTF `metadata`
 * file. What cannot be read is left out and said.
 */
#pragma once

#include "trace/base/cleanup.h"
#include "trace/base/diag.h"
#include "trace/base/status.h"

#include <stddef.h>

struct input_list {
	char **paths; /* directories with a metadata file, sorted */
	size_t count;
	size_t capacity;
	size_t seen; /* with those that were there already */
};

/*
 * Adds the traces at and below `path`. NOT_FOUND or PERMISSION with a line when there is nothing
 * to read there, BAD_INPUT when it holds no trace.
 */
MUST_CHECK enum status input_find(struct input_list *list, const char *path, struct diag *diag);

void input_finish(struct input_list *list);
