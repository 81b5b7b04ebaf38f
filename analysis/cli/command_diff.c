/* SPDX-License-Identifier: MIT */
/* gaptrace diff: holds runs against a base and a budget, and says whether they are worse. */
#include "analysis/cli/command.h"
#include "analysis/cli/diff_options.h"
#include "analysis/cli/report_request.h"
#include "analysis/report/output.h"
#include "analysis/report/report.h"
#include "trace/base/standard_streams.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct run_list {
	struct run **runs; /* those of the base first */
	uint32_t count;
};

static void help(void)
{
	/* clang-format off */
	(void)printf(
		"usage: gaptrace diff [OPTION...] BASE... -- NEW...\n"
		"       gaptrace diff --budget FILE [OPTION...] -- NEW...\n\n"
		"Compares runs by the idle time of their GPUs per unit of work, cause by cause. A run is\n"
		"a report (gaptrace report --format json), a recording, or a trace of another tool.\n\n"
		"  --format FORMAT    text, markdown, json or junit (text)\n"
		"  --budget FILE      limits that the new runs must keep, and thresholds\n"
		"  --absolute CHANGE  a change counts from here, per unit of work and GPU: 1ms, or a\n"
		"                     share of the time per unit of work (0.5%%)\n"
		"  --relative SHARE   and from this share of the base (10%%)\n"
		"  --throughput SHARE the same of the time per unit of work (5%%)\n"
		"  --false-alarms SHARE\n"
		"                     of comparisons between equals, so many may see a change (1%%)\n"
		"  --threshold DUR    explain gaps of at least this, where it reports itself (1ms)\n"
		"  --work UNIT        count work by this, where it reports itself (partition)\n"
		"  -o, --output FILE  write there, whole or not at all (standard output)\n\n"
		"exit code: 0 no regression, 1 a regression or a broken limit, 2 bad use or input,\n"
		"3 not comparable, 4 a recording that is not to be trusted\n");
	/* clang-format on */
}

/* Reports on a recording or a foreign trace, and takes the report as if it came from a file. */
static enum status run_report(const struct diff_options *options, const char *path,
	struct run **out_run, struct diag *diag)
{
	AUTO(report_data_destroy) struct report_data *data = NULL;
	char *input = (char *)path;
	const struct report_request request = {.threshold_ns = options->threshold_ns,
		.work = options->work,
		.inputs = &input,
		.input_count = 1};
	enum status status = report_request_run(&request, &data, diag);
	char *text = NULL;
	size_t length = 0;
	FILE *stream;

	if (status != STATUS_OK) {
		return status;
	}
	stream = open_memstream(&text, &length);
	if (!stream) {
		return STATUS_NO_MEMORY;
	}
	report_write_json(data, stream);
	status = fclose(stream) == 0 ? run_parse(path, text, length, out_run, diag)
				     : STATUS_NO_MEMORY;
	free(text);
	return status;
}

/* A file that begins like JSON may be a report; all else is for the readers of traces. */
static enum status looks_like_json(const char *path, bool *out_is_json, struct diag *diag)
{
	struct stat facts;
	FILE *file;
	int first;

	if (stat(path, &facts) != 0) {
		return diag_set(diag, status_from_errno(errno), "%s: %s", path, strerror(errno));
	}
	*out_is_json = false;
	if (!S_ISREG(facts.st_mode)) {
		return STATUS_OK;
	}
	if (facts.st_size == 0) {
		return diag_set(diag, STATUS_BAD_INPUT, "%s: the file is empty", path);
	}
	file = fopen(path, "re");
	if (!file) {
		return diag_set(diag, status_from_errno(errno), "%s: %s", path, strerror(errno));
	}
	do {
		first = fgetc(file);
	} while (first == ' ' || first == '\t' || first == '\r' || first == '\n');
	(void)fclose(file);
	/* Kineto's traces begin so, too, and are mostly larger than any report. */
	*out_is_json = first == '{' && facts.st_size <= (off_t)RUN_FILE_BYTES_MAX;
	return STATUS_OK;
}

static enum status load(const struct diff_options *options, const char *path, struct run **out_run,
	struct diag *diag)
{
	struct diag foreign = {""};
	bool is_json = false;
	enum status status = looks_like_json(path, &is_json, diag);

	if (status != STATUS_OK) {
		return status;
	}
	if (!is_json) {
		return run_report(options, path, out_run, diag);
	}
	status = run_load(path, out_run, diag);
	if (status != STATUS_UNSUPPORTED) {
		return status;
	}
	/* JSON, but no report: a trace of another tool, or nothing that we know. */
	status = run_report(options, path, out_run, &foreign);
	return status == STATUS_BAD_INPUT || status == STATUS_UNSUPPORTED
		       ? STATUS_BAD_INPUT
		       : diag_set(diag, status, "%s", foreign.line);
}

static enum status load_all(
	const struct diff_options *options, struct run_list *list, struct diag *diag)
{
	const int count = options->base_count + options->new_count;
	enum status status = STATUS_OK;

	list->runs = calloc((size_t)count, sizeof(struct run *));
	if (!list->runs) {
		return STATUS_NO_MEMORY;
	}
	for (int i = 0; i < count && status == STATUS_OK; i++) {
		status = load(options,
			i < options->base_count ? options->bases[i]
						: options->news[i - options->base_count],
			&list->runs[list->count], diag);
		list->count += status == STATUS_OK;
	}
	return status;
}

static void list_finish(struct run_list *list)
{
	for (uint32_t i = 0; i < list->count; i++) {
		run_destroy(list->runs[i]);
	}
	free(list->runs);
}

struct writing {
	const struct diff *diff;
	const struct write_format *format;
};

static void write_diff(const void *content, FILE *stream)
{
	const struct writing *writing = content;

	writing->format->write(writing->diff, stream);
}

struct ending {
	enum diff_outcome outcome;
	bool is_output; /* what failed was writing, not reading */
};

static enum status compare(
	const struct diff_options *options, struct ending *ending, struct diag *diag)
{
	AUTO(diff_destroy) struct diff *diff = NULL;
	struct run_list list = {0};
	enum status status = load_all(options, &list, diag);

	if (status == STATUS_OK) {
		const struct diff_request request = {.runs = (const struct run *const *)list.runs,
			.run_count = list.count,
			.base_count = (uint32_t)options->base_count,
			.settings = &options->settings,
			.budget = options->budget};

		status = diff_create(&request, &diff, diag);
	}
	if (status == STATUS_OK) {
		const struct writing writing = {.diff = diff, .format = options->format};

		/* From here on a failure is one of writing. */
		ending->is_output = true;
		ending->outcome = diff->outcome;
		status = output_write(write_diff, &writing, options->output, diag);
	}
	list_finish(&list);
	return status;
}

/* Whatever is wrong with the use or with what is read is exit code 2, as the manual promises. */
static int exit_code(enum status status, const struct ending *ending)
{
	if (status == STATUS_OK) {
		return (int)ending->outcome;
	}
	if (ending->is_output || status == STATUS_NO_MEMORY || status == STATUS_INTERNAL) {
		return command_exit_code(status);
	}
	return status_exit_code(STATUS_BAD_USE);
}

int command_diff(int argc, char **argv)
{
	struct diag diag = {""};
	struct diff_options options;
	struct ending ending = {.outcome = DIFF_NOT_COMPARABLE};
	enum status status = diff_options_parse(argc, argv, &options, &diag);

	if (status == STATUS_OK && options.wants_help) {
		help();
		diff_options_finish(&options);
		return standard_streams_finish("gaptrace diff", 0);
	}
	if (status == STATUS_OK) {
		status = compare(&options, &ending, &diag);
	}
	if (status != STATUS_OK) {
		command_complain("diff", status, &diag);
	}
	diff_options_finish(&options);
	return exit_code(status, &ending);
}
