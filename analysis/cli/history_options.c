/* SPDX-License-Identifier: MIT */
#include "analysis/cli/history_options.h"

#include "analysis/cli/option.h"
#include "analysis/core/work_unit.h"
#include "analysis/history/time_text.h"
#include "trace/base/clock.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* More than an hour in front of a locked file is no waiting any more. */
#define WAIT_MAX_NS (3600 * NS_PER_S)

/* Which verbs an option belongs to. */
#define FOR(verb)   (1u << HISTORY_##verb)
#define FOR_FILTERS (FOR(LIST) | FOR(BASELINE) | FOR(TREND))

enum {
	OPTION_HOST = 256,
	OPTION_BUILD,
	OPTION_PROFILE,
	OPTION_TIME,
	OPTION_DEVICES,
	OPTION_WORK,
	OPTION_THRESHOLD,
	OPTION_MARK,
	OPTION_TRUSTED,
	OPTION_SINCE,
	OPTION_UNTIL,
	OPTION_COUNT,
	OPTION_LIKE,
	OPTION_METRIC,
	OPTION_WAIT,
	OPTION_FORMAT = 'f',
	OPTION_OUTPUT = 'o',
	OPTION_HELP = 'h'
};

static const struct option names[] = {
	{"host", required_argument, NULL, OPTION_HOST},
	{"build", required_argument, NULL, OPTION_BUILD},
	{"profile", required_argument, NULL, OPTION_PROFILE},
	{"time", required_argument, NULL, OPTION_TIME},
	{"devices", required_argument, NULL, OPTION_DEVICES},
	{"work", required_argument, NULL, OPTION_WORK},
	{"threshold", required_argument, NULL, OPTION_THRESHOLD},
	{"mark", required_argument, NULL, OPTION_MARK},
	{"trusted", no_argument, NULL, OPTION_TRUSTED},
	{"since", required_argument, NULL, OPTION_SINCE},
	{"until", required_argument, NULL, OPTION_UNTIL},
	{"count", required_argument, NULL, OPTION_COUNT},
	{"like", required_argument, NULL, OPTION_LIKE},
	{"metric", required_argument, NULL, OPTION_METRIC},
	{"wait", required_argument, NULL, OPTION_WAIT},
	{"format", required_argument, NULL, OPTION_FORMAT},
	{"output", required_argument, NULL, OPTION_OUTPUT},
	{"help", no_argument, NULL, OPTION_HELP},
	{0},
};

static const struct {
	int option;
	uint32_t verbs;
} uses[] = {
	{OPTION_HOST, FOR(ADD) | FOR_FILTERS},
	{OPTION_BUILD, FOR(ADD) | FOR_FILTERS},
	{OPTION_PROFILE, FOR(ADD) | FOR_FILTERS},
	{OPTION_TIME, FOR(ADD)},
	{OPTION_DEVICES, FOR_FILTERS},
	{OPTION_WORK, FOR_FILTERS},
	{OPTION_THRESHOLD, FOR_FILTERS},
	{OPTION_MARK, FOR_FILTERS},
	{OPTION_TRUSTED, FOR_FILTERS},
	{OPTION_SINCE, FOR_FILTERS},
	{OPTION_UNTIL, FOR_FILTERS},
	{OPTION_COUNT, FOR_FILTERS},
	{OPTION_LIKE, FOR(BASELINE) | FOR(TREND)},
	{OPTION_METRIC, FOR(TREND)},
	{OPTION_FORMAT, FOR(LIST) | FOR(TREND)},
	{OPTION_OUTPUT, FOR(BASELINE) | FOR(SHOW)},
};

static const char *const verbs[] = {
	[HISTORY_ADD] = "add",
	[HISTORY_LIST] = "list",
	[HISTORY_BASELINE] = "baseline",
	[HISTORY_TREND] = "trend",
	[HISTORY_SHOW] = "show",
	[HISTORY_MARK] = "mark",
	[HISTORY_VERB_COUNT] = "",
};

void history_options_help(FILE *stream)
{
	/* clang-format off */
	(void)fputs(
		"usage: gaptrace history DB add [OPTION...] REPORT...\n"
		"       gaptrace history DB list [FILTER...] [--format text|csv|json]\n"
		"       gaptrace history DB baseline [FILTER...] [--like REPORT] -o FOLDER\n"
		"       gaptrace history DB trend [FILTER...] [--like REPORT] [--metric METRIC]\n"
		"       gaptrace history DB show [-o FILE] ID\n"
		"       gaptrace history DB mark good|bad|none ID...\n\n"
		"Keeps reports of runs in an SQLite file or on a PostgreSQL server. DB is a path, or\n"
		"postgresql://..., service=..., host=...; REPORT is what gaptrace report --format\n"
		"json wrote, '-' for standard input.\n\n"
		"  --host, --build, --profile TEXT   what add says of the runs, or what is looked for\n"
		"  --time TIME       of add: when it ran, like 2026-11-30T14:05 UTC or @SECONDS (the\n"
		"                    file's own time)\n"
		"  --devices TEXT    as list prints them\n"
		"  --work UNIT       as of gaptrace report\n"
		"  --threshold DUR   of the report\n"
		"  --mark MARK       good, bad or none\n"
		"  --trusted         only runs whose recording is to be trusted\n"
		"  --since, --until TIME\n"
		"  --count N         the newest N (all; of baseline 5)\n"
		"  --like REPORT     runs of this one's devices, work and threshold, without itself\n"
		"                    (of the newest run's)\n"
		"  --metric METRIC   gap, gaps, max, utilisation, throughput, cause:NAME or\n"
		"                    cause:NAME/OBJECT (gap)\n"
		"  --format FORMAT   text, csv or json (text)\n"
		"  -o, --output      a folder for the reports of a baseline, a file for show\n"
		"  --wait DUR        for another who writes, or a server (10s)\n\n"
		"baseline takes trusted runs with work that are not marked bad, and prints their paths.\n"
		"exit code: 0 done, 2 bad use, input or database, 3 no run to compare with\n",
		stream);
	/* clang-format on */
}

static enum status take_time(
	const char *option, const char *text, uint64_t *out_time_s, struct diag *diag)
{
	if (time_text_parse(text, out_time_s) == STATUS_OK) {
		return STATUS_OK;
	}
	return diag_set(diag, STATUS_BAD_USE,
		"--%s: '%s' is no time; write it like 2026-11-30T14:05 (UTC) or @SECONDS", option,
		text);
}

static enum status take_time_text(
	const char *option, const char *text, char out_text[24], struct diag *diag)
{
	uint64_t time_s = 0;
	const enum status status = take_time(option, text, &time_s, diag);

	if (status == STATUS_OK) {
		(void)snprintf(out_text, 24, "%" PRIu64, time_s);
	}
	return status;
}

static enum status take_count(const char *text, uint32_t *out_count, struct diag *diag)
{
	char *end = NULL;
	unsigned long count;

	errno = 0;
	count = isdigit((unsigned char)text[0]) ? strtoul(text, &end, 10) : 0;
	if (count == 0 || errno != 0 || *end || count > UINT32_MAX) {
		return diag_set(diag, STATUS_BAD_USE, "--count: '%s' is no number from 1 on", text);
	}
	*out_count = (uint32_t)count;
	return STATUS_OK;
}

static enum status take_mark(const char *text, const char **out_mark, struct diag *diag)
{
	if (strcmp(text, HISTORY_GOOD) == 0 || strcmp(text, HISTORY_BAD) == 0) {
		*out_mark = text;
		return STATUS_OK;
	}
	*out_mark = "";
	return strcmp(text, "none") == 0
		       ? STATUS_OK
		       : diag_set(diag, STATUS_BAD_USE,
				 "'%s' is no mark; there are good, bad and none", text);
}

static enum status take_format(const char *text, enum history_format *out_format, struct diag *diag)
{
	static const char *const formats[] = {
		[HISTORY_TEXT] = "text", [HISTORY_CSV] = "csv", [HISTORY_JSON] = "json"};

	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		if (strcmp(formats[i], text) == 0) {
			*out_format = (enum history_format)i;
			return STATUS_OK;
		}
	}
	return diag_set(
		diag, STATUS_BAD_USE, "--format: '%s' is none; there are text, csv and json", text);
}

static enum status take_work(struct history_options *options, struct diag *diag)
{
	struct work_unit unit;
	const enum status status = work_unit_parse(optarg, &unit, diag);

	if (status == STATUS_OK) {
		const char *colon = strchr(optarg, ':');

		options->filter.work_unit = work_unit_kind_name(&unit);
		/* As the database has it: the unit's kind and its name apart. */
		options->filter.work_name = colon ? colon + 1 : "";
	}
	return status;
}

static enum status take_threshold(struct history_options *options, struct diag *diag)
{
	uint64_t threshold_ns = 0;
	const enum status status = option_take_duration("--threshold", optarg, &threshold_ns, diag);

	(void)snprintf(
		options->threshold_ns, sizeof(options->threshold_ns), "%" PRIu64, threshold_ns);
	options->filter.threshold_ns = options->threshold_ns;
	return status;
}

static enum status take_wait(struct history_options *options, struct diag *diag)
{
	uint64_t wait_ns = 0;
	const enum status status = option_take_duration("--wait", optarg, &wait_ns, diag);

	if (status == STATUS_OK && wait_ns > WAIT_MAX_NS) {
		return diag_set(diag, STATUS_BAD_USE, "--wait: more than an hour is too long");
	}
	options->target.wait_ms = (uint32_t)(wait_ns / NS_PER_MS);
	return status;
}

/* What runs are looked for. */
static enum status take_filter(int option, struct history_options *options, struct diag *diag)
{
	struct history_filter *filter = &options->filter;

	switch (option) {
	case OPTION_DEVICES:
		filter->devices = optarg;
		return STATUS_OK;
	case OPTION_WORK:
		return take_work(options, diag);
	case OPTION_THRESHOLD:
		return take_threshold(options, diag);
	case OPTION_MARK:
		return take_mark(optarg, &filter->mark, diag);
	case OPTION_TRUSTED:
		filter->is_trusted = true;
		return STATUS_OK;
	case OPTION_SINCE:
		filter->since_s = options->since_s;
		return take_time_text("since", optarg, options->since_s, diag);
	case OPTION_UNTIL:
		filter->until_s = options->until_s;
		return take_time_text("until", optarg, options->until_s, diag);
	default:
		return take_count(optarg, &filter->limit, diag);
	}
}

static enum status take_option(int option, struct history_options *options, struct diag *diag)
{
	switch (option) {
	case OPTION_HOST:
		options->label.host = optarg;
		options->filter.host = optarg;
		return STATUS_OK;
	case OPTION_BUILD:
		options->label.build = optarg;
		options->filter.build = optarg;
		return STATUS_OK;
	case OPTION_PROFILE:
		options->label.profile = optarg;
		options->filter.profile = optarg;
		return STATUS_OK;
	case OPTION_TIME:
		options->has_time = true;
		return take_time("time", optarg, &options->label.time_s, diag);
	case OPTION_LIKE:
		options->like = optarg;
		return STATUS_OK;
	case OPTION_METRIC:
		return trend_metric_parse(optarg, &options->metric, diag);
	case OPTION_WAIT:
		return take_wait(options, diag);
	case OPTION_FORMAT:
		return take_format(optarg, &options->format, diag);
	case OPTION_OUTPUT:
		options->output = optarg;
		return *optarg ? STATUS_OK : diag_set(diag, STATUS_BAD_USE, "-o needs a name");
	case OPTION_HELP:
		options->wants_help = true;
		return STATUS_OK;
	default:
		return take_filter(option, options, diag);
	}
}

static bool is_of_verb(int option, enum history_verb verb)
{
	for (size_t i = 0; i < sizeof(uses) / sizeof(uses[0]); i++) {
		if (uses[i].option == option) {
			return (uses[i].verbs >> verb & 1) != 0;
		}
	}
	return true; /* --wait and --help are of all */
}

static enum status find_verb(const char *name, enum history_verb *out_verb, struct diag *diag)
{
	for (size_t i = 0; i < HISTORY_VERB_COUNT; i++) {
		if (strcmp(verbs[i], name) == 0) {
			*out_verb = (enum history_verb)i;
			return STATUS_OK;
		}
	}
	return diag_set(diag, STATUS_BAD_USE,
		"there is no '%s'; there are add, list, baseline, trend, show and mark", name);
}

static enum status check_arguments(struct history_options *options, struct diag *diag)
{
	const uint32_t count = options->argument_count;

	switch (options->verb) {
	case HISTORY_ADD:
		return count > 0 ? STATUS_OK : diag_set(diag, STATUS_BAD_USE, "add: name a report");
	case HISTORY_SHOW:
		return count == 1 ? STATUS_OK
				  : diag_set(diag, STATUS_BAD_USE, "show: name one run by its id");
	case HISTORY_MARK:
		return count > 1 ? take_mark(options->arguments[0], &options->mark, diag)
				 : diag_set(diag, STATUS_BAD_USE,
					   "mark: say good, bad or none, and the ids of runs");
	case HISTORY_BASELINE:
		if (!options->output) {
			return diag_set(diag, STATUS_BAD_USE,
				"baseline: name a folder for the reports with -o");
		}
		break;
	case HISTORY_LIST:
	case HISTORY_TREND:
	case HISTORY_VERB_COUNT:
		break;
	}
	return count == 0 ? STATUS_OK
			  : diag_set(diag, STATUS_BAD_USE, "%s: '%s' is one argument too many",
				    verbs[options->verb], options->arguments[0]);
}

static enum status parse_options(
	int argc, char **argv, struct history_options *options, struct diag *diag)
{
	int option;

	opterr = 0;
	optind = 1;
	while ((option = getopt_long(argc, argv, ":f:o:h", names, NULL)) != -1) {
		enum status status;

		if (option == ':' || option == '?') {
			return option_refuse(option, "history", argv, diag);
		}
		if (!is_of_verb(option, options->verb)) {
			/* The option as it was typed: its value may be a word of its own. */
			return diag_set(diag, STATUS_BAD_USE, "%s is no option of %s",
				optarg && optind >= 2 && argv[optind - 1] == optarg
					? argv[optind - 2]
					: argv[optind - 1],
				verbs[options->verb]);
		}
		status = take_option(option, options, diag);
		if (status != STATUS_OK || options->wants_help) {
			return status;
		}
	}
	options->arguments = argv + optind;
	options->argument_count = (uint32_t)(argc - optind);
	return check_arguments(options, diag);
}

static bool is_help(const char *argument)
{
	return strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0;
}

enum status history_options_parse(
	int argc, char **argv, struct history_options *options, struct diag *diag)
{
	enum status status;

	*options = (struct history_options){.target.wait_ms = STORE_WAIT_DEFAULT_MS};
	/* Before there is a verb getopt cannot be asked: its options follow the verb. */
	for (int i = 1; i < argc && i < 3; i++) {
		if (is_help(argv[i])) {
			options->wants_help = true;
			return STATUS_OK;
		}
	}
	if (argc < 3) {
		return diag_set(diag, STATUS_BAD_USE,
			"name a database and what to do (see gaptrace history --help)");
	}
	options->target.name = argv[1];
	status = find_verb(argv[2], &options->verb, diag);
	if (status != STATUS_OK) {
		return status;
	}
	/* Who only reads needs no right to write, and makes no file where there is none. */
	options->target.mode = options->verb == HISTORY_ADD || options->verb == HISTORY_MARK
				       ? STORE_WRITE
				       : STORE_READ;
	/* The verb stands where getopt expects the program's name. */
	return parse_options(argc - 2, argv + 2, options, diag);
}
