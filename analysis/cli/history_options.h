/* SPDX-License-Identifier: MIT */
/* The command line of `gaptrace history`. */
#pragma once

#include "analysis/history/history.h"
#include "analysis/history/trend.h"

/* The newest so many runs are a baseline: enough for a distribution, few enough to be recent. */
#define HISTORY_BASELINE_COUNT 5

enum history_verb {
	HISTORY_ADD,
	HISTORY_LIST,
	HISTORY_BASELINE,
	HISTORY_TREND,
	HISTORY_SHOW,
	HISTORY_MARK,
	HISTORY_VERB_COUNT
};

enum history_format {
	HISTORY_TEXT,
	HISTORY_CSV,
	HISTORY_JSON
};

struct history_options {
	struct store_target target;
	enum history_verb verb;
	bool wants_help;
	bool has_time;
	struct history_label label;
	struct history_filter filter;
	enum history_format format;
	struct trend_metric metric;
	const char *like;   /* a report whose kind is meant */
	const char *output; /* NULL: standard output */
	const char *mark;
	char **arguments;
	uint32_t argument_count;
	/* What the filter's texts point to. */
	char since_s[24];
	char until_s[24];
	char threshold_ns[24];
};

/* `options` stays where it is: parts of it point to others. */
MUST_CHECK enum status history_options_parse(
	int argc, char **argv, struct history_options *options, struct diag *diag);

void history_options_help(FILE *stream);
