/* SPDX-License-Identifier: MIT */
/* gaptrace history: keeps reports of runs, and finds those that a new one is compared with. */
#include "analysis/cli/command.h"
#include "analysis/cli/file_arguments.h"
#include "analysis/cli/history_options.h"
#include "analysis/cli/history_print.h"
#include "analysis/core/duration.h"
#include "analysis/history/history_kind.h"
#include "analysis/report/output.h"
#include "trace/base/array.h"
#include "trace/base/path.h"
#include "trace/base/standard_streams.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Of docs/regression.md: there is nothing to compare with. */
#define EXIT_NOT_COMPARABLE 3

/* An id is a row number of 64 bits. */
#define ID_DIGITS_MAX 18

struct outcome {
	bool is_output; /* what failed was writing, not reading */
	int exit_code;  /* when nothing failed */
};

/* A file's own time; of standard input, now. */
static uint64_t time_of(const char *path)
{
	struct stat file;

	if (strcmp(path, "-") != 0 && stat(path, &file) == 0 && file.st_mtime > 0) {
		return (uint64_t)file.st_mtime;
	}
	return (uint64_t)time(NULL);
}

static enum status load_runs(
	struct history_options *options, struct history_run **runs, struct diag *diag)
{
	char host[HOST_NAME_MAX + 1] = "";
	struct history_label label = options->label;
	enum status status = STATUS_OK;

	if (!label.host) {
		/* The buffer is zeroed, so that a name that was cut still ends. */
		(void)gethostname(host, sizeof(host) - 1);
		label.host = host;
	}
	for (uint32_t i = 0; i < options->argument_count && status == STATUS_OK; i++) {
		if (!options->has_time) {
			label.time_s = time_of(options->arguments[i]);
		}
		status = history_run_load(options->arguments[i], &label, &runs[i], diag);
	}
	return status;
}

static enum status add(struct store *store, struct history_options *options,
	struct outcome *outcome, struct diag *diag)
{
	const uint32_t count = options->argument_count;
	struct history_run **runs = calloc(count, sizeof(struct history_run *));
	struct history_added *added = calloc(count, sizeof(*added));
	enum status status = runs && added ? STATUS_OK : STATUS_NO_MEMORY;

	(void)outcome;
	if (status == STATUS_OK) {
		status = file_arguments_check((const char *const *)options->arguments, count, diag);
	}
	if (status == STATUS_OK) {
		status = load_runs(options, runs, diag);
	}
	if (status == STATUS_OK) {
		status = history_add(store, runs, count, added, diag);
	}
	for (uint32_t i = 0; i < count && status == STATUS_OK; i++) {
		(void)printf("%" PRId64 "%s\n", added[i].id,
			added[i].is_other   ? " (was there already; its first report is kept, and "
					      "this one has other figures)"
			: added[i].is_known ? " (was there already)"
					    : "");
	}
	for (uint32_t i = 0; runs && i < count; i++) {
		history_run_destroy(runs[i]);
	}
	free(runs);
	free(added);
	return status;
}

static void write_text(const void *content, FILE *stream)
{
	(void)fputs(content, stream);
}

static enum status print_found(void *context, const struct history_found *found)
{
	history_print_run(context, found);
	return STATUS_OK;
}

/*
 * Into memory first: while a query goes on nobody else can write to an SQLite file, and whoever
 * reads our output may be a pager that somebody forgot.
 */
static enum status list(struct store *store, struct history_options *options,
	struct outcome *outcome, struct diag *diag)
{
	struct history_printer printer;
	char *text = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);
	enum status status = stream ? STATUS_OK : STATUS_NO_MEMORY;

	if (status != STATUS_OK) {
		return status;
	}
	history_print_begin(&printer, options->format, stream);
	status = history_find(store, &options->filter, print_found, &printer, diag);
	if (status == STATUS_OK) {
		history_print_end(&printer);
	}
	if (fclose(stream) != 0 && status == STATUS_OK) {
		status = STATUS_NO_MEMORY;
	}
	if (status == STATUS_OK) {
		status = output_write(write_text, text, NULL, diag);
		outcome->is_output = status != STATUS_OK;
	}
	free(text);
	return status;
}

/* Leaves runs of one kind: that of a report, or else of the newest run found. */
static enum status narrow(struct store *store, struct history_options *options,
	struct history_kind *kind, struct diag *diag)
{
	const enum status status =
		options->like ? history_kind_of_report(options->like, kind, diag)
			      : history_kind_of_newest(store, &options->filter, kind, diag);

	history_kind_narrow(kind, &options->filter);
	return status;
}

struct extraction {
	const char *folder;
	struct outcome *outcome;
	struct diag *diag;
	uint64_t count;
};

static enum status extract(void *context, const struct history_found *found)
{
	struct extraction *extraction = context;
	char *path = NULL;
	enum status status;

	if (asprintf(&path, "%s/run-%s.json", extraction->folder, found->id) < 0) {
		return STATUS_NO_MEMORY;
	}
	status = output_write(
		write_text, found->values[STORE_COLUMN_REPORT], path, extraction->diag);
	if (status == STATUS_OK) {
		extraction->count++;
		(void)printf("%s\n", path);
	} else {
		extraction->outcome->is_output = true;
	}
	free(path);
	return status;
}

static const char *or_any(const char *text)
{
	return text ? text : "*";
}

/*
 * What was looked for, so that a wrong label is seen; names of devices are another program's. Where
 * there is no run at all to take the kind from, only what the user asked for is known.
 */
static void say_none(const struct history_filter *filter)
{
	struct diag line = {"no good run to compare with"};
	const char *work_name = filter->work_name ? filter->work_name : "";
	char threshold[DURATION_TEXT_BYTES] = "*";
	enum status status;

	if (filter->threshold_ns) {
		(void)duration_format(strtoull(filter->threshold_ns, NULL, 10), threshold);
	}
	status = diag_set(&line, STATUS_NOT_FOUND,
		"no good run to compare with: devices '%s', host '%s', profile '%s', work %s%s%s, "
		"threshold %s%s%s",
		or_any(filter->devices), or_any(filter->host), or_any(filter->profile),
		or_any(filter->work_unit), *work_name ? ":" : "", work_name, threshold,
		filter->simulated && filter->simulated[0] == '1' ? ", simulated" : "",
		filter->not_fingerprint ? ", other than that run itself" : "");
	command_complain("history", status, &line);
}

static enum status baseline(struct store *store, struct history_options *options,
	struct outcome *outcome, struct diag *diag)
{
	struct extraction extraction = {
		.folder = options->output, .outcome = outcome, .diag = diag};
	struct history_kind kind = {0};
	char reason[PATH_REASON_BYTES];
	enum status status;

	/* Good runs: docs/history.md. */
	options->filter.is_trusted = true;
	options->filter.is_not_bad = true;
	options->filter.has_work = true;
	status = narrow(store, options, &kind, diag);
	options->filter.limit =
		options->filter.limit ? options->filter.limit : HISTORY_BASELINE_COUNT;
	options->filter.wants_report = true;
	if (status == STATUS_OK && mkdir(options->output, 0777) != 0 && errno != EEXIST) {
		outcome->is_output = true;
		status = diag_set(diag, STATUS_IO, "%s: %s", options->output,
			path_reason(options->output, errno, reason));
	}
	if (status == STATUS_OK) {
		status = history_find(store, &options->filter, extract, &extraction, diag);
	}
	if (status == STATUS_OK && extraction.count == 0) {
		say_none(&options->filter);
		outcome->exit_code = EXIT_NOT_COMPARABLE;
	}
	history_kind_finish(&kind);
	return status;
}

struct series {
	const struct trend_metric *metric;
	struct diag *diag;
	struct trend_point *points;
	uint32_t count;
	uint32_t capacity;
};

static enum status take_point(void *context, const struct history_found *found)
{
	struct series *series = context;
	struct trend_point point = {
		.id = strtoll(found->id, NULL, 10),
		.time_s = strtoull(found->values[STORE_COLUMN_TIME_S], NULL, 10),
		.is_bad = strcmp(found->values[STORE_COLUMN_MARK], HISTORY_BAD) == 0,
	};
	const enum status status = trend_value(series->metric, found, &point.value, series->diag);

	if (status != STATUS_OK) {
		return status;
	}
	if (!ARRAY_MAKE_ROOM(series->points, series->count, series->capacity, 64)) {
		return STATUS_NO_MEMORY;
	}
	series->points[series->count++] = point;
	return STATUS_OK;
}

/* The database gives the newest first, a plot begins with the oldest. */
static void turn_round(struct series *series)
{
	for (uint32_t i = 0; i < series->count / 2; i++) {
		const struct trend_point point = series->points[i];

		series->points[i] = series->points[series->count - 1 - i];
		series->points[series->count - 1 - i] = point;
	}
}

/* A name that no run has looks like a cause that was cured long ago. */
static void say_absent(const struct series *series)
{
	if (series->count == 0 || series->metric->kind != TREND_CAUSE) {
		return;
	}
	for (uint32_t i = 0; i < series->count; i++) {
		if (!(series->points[i].value == 0)) {
			return;
		}
	}
	(void)fprintf(stderr,
		"gaptrace history: no run here lost time to %s%s%s; is it spelt as in a "
		"report "
		"('show ID')?\n",
		cause_name(series->metric->cause), series->metric->object[0] ? "/" : "",
		series->metric->object);
}

static enum status trend(struct store *store, struct history_options *options,
	struct outcome *outcome, struct diag *diag)
{
	struct series series = {.metric = &options->metric, .diag = diag};
	struct history_kind kind = {0};
	char unit[TREND_UNIT_BYTES];
	enum status status = narrow(store, options, &kind, diag);

	(void)outcome;
	options->filter.wants_report = trend_needs_report(&options->metric);
	/* A trend shows the run itself, too. */
	options->filter.not_fingerprint = NULL;
	if (status == STATUS_OK) {
		status = history_find(store, &options->filter, take_point, &series, diag);
	}
	if (status == STATUS_OK) {
		turn_round(&series);
		trend_unit(&options->metric,
			options->filter.work_unit ? options->filter.work_unit : "unit", unit);
		history_print_trend(options->format, series.points, series.count, unit, stdout);
		say_absent(&series);
	}
	free(series.points);
	history_kind_finish(&kind);
	return status;
}

static enum status check_ids(char *const *ids, uint32_t count, struct diag *diag)
{
	for (uint32_t i = 0; i < count; i++) {
		const size_t length = strlen(ids[i]);

		if (length == 0 || length > ID_DIGITS_MAX ||
			strspn(ids[i], "0123456789") != length) {
			return diag_set(diag, STATUS_BAD_USE,
				"'%s' is no id of a run; list shows them", ids[i]);
		}
	}
	return STATUS_OK;
}

/* Kept until the query is over, for the same reason as a list is. */
static enum status take_report(void *context, const struct history_found *found)
{
	char **report = context;

	free(*report);
	*report = strdup(found->values[STORE_COLUMN_REPORT]);
	return *report ? STATUS_OK : STATUS_NO_MEMORY;
}

static enum status show(struct store *store, struct history_options *options,
	struct outcome *outcome, struct diag *diag)
{
	char *report = NULL;
	const char *const database[] = {options->target.name};
	enum status status = check_ids(options->arguments, 1, diag);

	if (status == STATUS_OK) {
		status = file_arguments_check_output(options->output, database, 1, diag);
	}
	options->filter.id = options->arguments[0];
	options->filter.wants_report = true;
	if (status == STATUS_OK) {
		status = history_find(store, &options->filter, take_report, &report, diag);
	}
	if (status == STATUS_OK && !report) {
		status = diag_set(
			diag, STATUS_NOT_FOUND, "there is no run %s", options->arguments[0]);
	} else if (status == STATUS_OK) {
		status = output_write(write_text, report, options->output, diag);
		outcome->is_output = status != STATUS_OK;
	}
	free(report);
	return status;
}

static enum status mark(struct store *store, struct history_options *options,
	struct outcome *outcome, struct diag *diag)
{
	char **ids = options->arguments + 1;
	const uint32_t count = options->argument_count - 1;
	const enum status status = check_ids(ids, count, diag);

	(void)outcome;
	return status == STATUS_OK
		       ? history_mark(store, (const char *const *)ids, count, options->mark, diag)
		       : status;
}

/* Whatever is wrong with the use, a report or the database is exit code 2, as the manual promises.
 */
static int exit_code(enum status status, const struct outcome *outcome)
{
	if (status == STATUS_OK) {
		return outcome->exit_code;
	}
	if (outcome->is_output || status == STATUS_NO_MEMORY || status == STATUS_INTERNAL) {
		return status_exit_code(status);
	}
	return status_exit_code(STATUS_BAD_USE);
}

static enum status run(struct history_options *options, struct outcome *outcome, struct diag *diag)
{
	typedef enum status verb_function(struct store * store, struct history_options * options,
		struct outcome * outcome, struct diag * diag);
	static verb_function *const functions[] = {
		[HISTORY_ADD] = add,
		[HISTORY_LIST] = list,
		[HISTORY_BASELINE] = baseline,
		[HISTORY_TREND] = trend,
		[HISTORY_SHOW] = show,
		[HISTORY_MARK] = mark,
	};
	AUTO(store_close) struct store *store = NULL;
	enum status status = store_open(&options->target, &store, diag);

	if (status == STATUS_OK) {
		status = functions[options->verb](store, options, outcome, diag);
	}
	if ((fflush(stdout) != 0 || ferror(stdout)) && status == STATUS_OK) {
		outcome->is_output = true;
		status = diag_set(
			diag, status_from_errno(errno), "standard output: %s", strerror(errno));
	}
	return status;
}

int command_history(int argc, char **argv)
{
	struct diag diag = {""};
	struct outcome outcome = {false, 0};
	struct history_options options;
	enum status status = history_options_parse(argc, argv, &options, &diag);

	if (status == STATUS_OK && options.wants_help) {
		history_options_help(stdout);
		return standard_streams_finish("gaptrace history", 0);
	}
	if (status == STATUS_OK) {
		status = run(&options, &outcome, &diag);
	}
	if (status != STATUS_OK) {
		command_complain("history", status, &diag);
	}
	return exit_code(status, &outcome);
}
