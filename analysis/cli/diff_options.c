/* SPDX-License-Identifier: MIT */
#include "analysis/cli/diff_options.h"

#include "analysis/cli/file_arguments.h"
#include "analysis/cli/option.h"
#include "analysis/core/analyzer.h"

#include <getopt.h>
#include <string.h>

static enum status take_percent(const char *name, double *share, struct diag *diag)
{
	if (budget_parse_percent(optarg, share)) {
		return STATUS_OK;
	}
	return diag_set(diag, STATUS_BAD_USE, "%s: '%s' is no percentage; write it like 10%%", name,
		optarg);
}

static enum status take_false_alarms(struct diff_settings *settings, struct diag *diag)
{
	if (budget_parse_false_alarms(optarg, &settings->false_alarms)) {
		return STATUS_OK;
	}
	return diag_set(diag, STATUS_BAD_USE,
		"--false-alarms: '%s' is no percentage from 0.1%% to 50%%", optarg);
}

/* The file's thresholds hold unless an option says otherwise, wherever that stands. */
static enum status take_option(
	int option, char **argv, struct diff_options *options, struct diag *diag)
{
	switch (option) {
	case 'f':
		options->format = write_format_find(optarg);
		return options->format ? STATUS_OK
				       : diag_set(diag, STATUS_BAD_USE,
						 "--format: '%s' is none; there are text, "
						 "markdown, json and junit",
						 optarg);
	case 'o':
		options->output = optarg;
		return *optarg ? STATUS_OK : diag_set(diag, STATUS_BAD_USE, "-o needs a file");
	case 'a':
		return budget_parse_absolute(optarg, &options->settings)
			       ? STATUS_OK
			       : diag_set(diag, STATUS_BAD_USE,
					 "--absolute: '%s' is neither a duration like 1ms nor a "
					 "percentage like 0.5%%",
					 optarg);
	case 'r':
		return take_percent("--relative", &options->settings.relative, diag);
	case 'p':
		return take_percent("--throughput", &options->settings.throughput, diag);
	case 'e':
		return take_false_alarms(&options->settings, diag);
	case 't':
		return option_take_duration("--threshold", optarg, &options->threshold_ns, diag);
	case 'w':
		return work_unit_parse(optarg, &options->work, diag);
	/* load_budget() has taken it. */
	case 'b':
		return STATUS_OK;
	case 'h':
		options->wants_help = true;
		return STATUS_OK;
	default:
		return option_refuse(option, "diff", argv, diag);
	}
}

static const char short_names[] = ":f:o:a:r:p:e:t:w:b:h";
static const struct option names[] = {
	{"format", required_argument, NULL, 'f'},
	{"output", required_argument, NULL, 'o'},
	{"absolute", required_argument, NULL, 'a'},
	{"relative", required_argument, NULL, 'r'},
	{"throughput", required_argument, NULL, 'p'},
	{"false-alarms", required_argument, NULL, 'e'},
	{"threshold", required_argument, NULL, 't'},
	{"work", required_argument, NULL, 'w'},
	{"budget", required_argument, NULL, 'b'},
	{"help", no_argument, NULL, 'h'},
	{0},
};

/* The budget file comes first, so that options overrule the thresholds in it. */
static enum status load_budget(
	int argc, char **argv, struct diff_options *options, struct diag *diag)
{
	const char *path = NULL;
	int option;

	optind = 1;
	while ((option = getopt_long(argc, argv, short_names, names, NULL)) != -1) {
		if (option == 'b' && path) {
			return diag_set(diag, STATUS_BAD_USE, "one --budget is enough");
		}
		path = option == 'b' ? optarg : path;
	}
	return path ? budget_load(path, &options->settings, &options->budget, diag) : STATUS_OK;
}

/* Where "--" stands; argc when it does not. Values of options are never that. */
static int find_separator(int argc, char **argv)
{
	int at = 1;

	while (at < argc && strcmp(argv[at], "--") != 0) {
		at++;
	}
	return at;
}

static enum status check_sides(
	const struct diff_options *options, bool has_separator, struct diag *diag)
{
	if (!has_separator) {
		return diag_set(diag, STATUS_BAD_USE,
			"put -- between the runs of the base and the new ones: gaptrace diff "
			"BASE... -- NEW...");
	}
	if (options->new_count == 0) {
		return diag_set(diag, STATUS_BAD_USE, "there is no new run after --");
	}
	if (options->base_count == 0 && !options->budget) {
		return diag_set(diag, STATUS_BAD_USE,
			"there is nothing to compare with: name a base before --, or a --budget");
	}
	/* Thresholds alone hold nothing: what compares nothing must not be green. */
	if (options->base_count == 0 && options->budget->limit_count == 0) {
		return diag_set(diag, STATUS_BAD_USE,
			"%s: it limits nothing, and there is no base: name one before --, or write "
			"a [limit NAME]",
			options->budget->path);
	}
	if (options->base_count + options->new_count > TABLE_RUN_COUNT_MAX) {
		return diag_set(diag, STATUS_BAD_USE, "more than %d runs", TABLE_RUN_COUNT_MAX);
	}
	return STATUS_OK;
}

static enum status check_names(const struct diff_options *options, struct diag *diag)
{
	const struct {
		const char *const *names;
		size_t count;
	} sides[] = {
		{(const char *const *)options->bases, (size_t)options->base_count},
		{(const char *const *)options->news, (size_t)options->new_count},
		{options->budget ? (const char *const *)&options->budget->path : NULL,
			options->budget ? 1 : 0},
	};
	enum status status = STATUS_OK;

	for (size_t i = 0; i < sizeof(sides) / sizeof(sides[0]) && status == STATUS_OK; i++) {
		status = file_arguments_check(sides[i].names, sides[i].count, diag);
		if (status == STATUS_OK) {
			status = file_arguments_check_output(
				options->output, sides[i].names, sides[i].count, diag);
		}
	}
	return status;
}

enum status diff_options_parse(
	int argc, char **argv, struct diff_options *out_options, struct diag *diag)
{
	const int separator = find_separator(argc, argv);
	enum status status;
	int option;

	*out_options = (struct diff_options){.format = write_format_find("text"),
		.settings = diff_settings_default,
		.threshold_ns = ANALYZER_THRESHOLD_DEFAULT_NS};
	opterr = 0;
	status = load_budget(separator, argv, out_options, diag);
	if (status != STATUS_OK) {
		return status;
	}
	/* Once more over the same words, now with the budget's thresholds in place. */
	optind = 1;
	while ((option = getopt_long(separator, argv, short_names, names, NULL)) != -1) {
		status = take_option(option, argv, out_options, diag);
		if (status != STATUS_OK || out_options->wants_help) {
			return status;
		}
	}
	out_options->bases = argv + optind;
	out_options->base_count = separator - optind;
	out_options->news = argv + separator + 1;
	/* What follows "--" is never an option, whatever it looks like. */
	out_options->new_count = separator < argc ? argc - separator - 1 : 0;
	status = check_sides(out_options, separator < argc, diag);
	return status == STATUS_OK ? check_names(out_options, diag) : status;
}

void diff_options_finish(struct diff_options *options)
{
	budget_destroy(options->budget);
	options->budget = NULL;
}
