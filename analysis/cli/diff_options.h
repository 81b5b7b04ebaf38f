/* SPDX-License-Identifier: MIT */
/* The command line of gaptrace diff. */
#pragma once

#include "analysis/core/work_unit.h"
#include "analysis/diff/write.h"
#include "trace/base/diag.h"

struct diff_options {
	const struct write_format *format;
	const char *output;    /* NULL: standard output */
	struct budget *budget; /* NULL: none; the options' own */
	struct diff_settings settings;
	uint64_t threshold_ns; /* of what is reported on here */
	struct work_unit work;
	char **bases;
	int base_count;
	char **news;
	int new_count;
	bool wants_help;
};

/* Reads the command line; BAD_USE with a line when it is wrong. To be finished in any case. */
MUST_CHECK enum status diff_options_parse(
	int argc, char **argv, struct diff_options *out_options, struct diag *diag);

void diff_options_finish(struct diff_options *options);
