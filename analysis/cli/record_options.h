/* SPDX-License-Identifier: MIT */
/* The arguments of `gaptrace record`, understood and checked against one another. */
#pragma once

#include "trace/base/diag.h"
#include "trace/base/status.h"

#include <stdbool.h>

#define RECORD_PROFILE_DEFAULT "full"

enum record_mode {
	RECORD_HELP,
	RECORD_COMMAND,
	RECORD_START,
	RECORD_STOP
};

struct record_options {
	enum record_mode mode;
	const char *session; /* of --start and --stop */
	const char *output;  /* NULL: the default name */
	const char *profile;
	bool wants_gpu;
	char **command; /* NULL-terminated, part of argv */
};

/* argv[0] is "record". Anything wrong is STATUS_BAD_USE and a line in `diag`. */
MUST_CHECK enum status record_options_parse(
	int argc, char **argv, struct record_options *out_options, struct diag *diag);
