/* SPDX-License-Identifier: MIT */
/* gaptrace report: reads recordings and writes why their GPUs idled. */
#include "analysis/cli/command.h"
#include "analysis/cli/file_arguments.h"
#include "analysis/cli/option.h"
#include "analysis/cli/report_request.h"
#include "analysis/report/report.h"
#include "trace/base/standard_streams.h"

#include <getopt.h>
#include <stdio.h>

struct options {
	uint64_t threshold_ns;
	struct work_unit work;
	const struct report_format *format;
	const char *output; /* NULL: standard output */
	char **inputs;
	int input_count;
	bool wants_help;
};

static void help(void)
{
	/* clang-format off */
	(void)printf(
		"usage: gaptrace report [--threshold DUR] [--work UNIT] [--format text|json] [-o FILE] INPUT...\n\n"
		"Reads the recordings below each INPUT directory, or INPUT files that other tools wrote\n"
		"(exports of Nsight Systems, traces of Kineto, logs of cuzk), and reports, for every GPU, how\n"
		"long it was busy, copying and idle, its gaps, and what each of them is charged to.\n\n"
		"  --threshold DUR   explain gaps of at least this, such as 10us, 1ms, 2s (1ms)\n"
		"  --format FORMAT   text or json (text)\n"
		"  --work UNIT       the work: ends of span:NAME, kernel:NAME or event:NAME, not\n"
		"                    partitions proved; NAME may be a pattern, as in kernel:'*fwd*'\n"
		"  -o, --output FILE write there, whole or not at all (standard output)\n\n"
		"exit code: 0 a report, 2 bad use or input, 4 a report that is not to be trusted\n");
	/* clang-format on */
}

static enum status take_option(int option, char **argv, struct options *options, struct diag *diag)
{
	switch (option) {
	case 't':
		return option_take_duration("--threshold", optarg, &options->threshold_ns, diag);
	case 'f':
		options->format = report_format_find(optarg);
		if (options->format) {
			return STATUS_OK;
		}
		return diag_set(diag, STATUS_BAD_USE,
			"--format: '%s' is none; there are text and json", optarg);
	case 'w':
		return work_unit_parse(optarg, &options->work, diag);
	case 'o':
		options->output = optarg;
		return *optarg ? STATUS_OK : diag_set(diag, STATUS_BAD_USE, "-o needs a file");
	case 'h':
		options->wants_help = true;
		return STATUS_OK;
	default:
		return option_refuse(option, "report", argv, diag);
	}
}

static enum status parse(int argc, char **argv, struct options *options, struct diag *diag)
{
	static const struct option names[] = {
		{"threshold", required_argument, NULL, 't'},
		{"format", required_argument, NULL, 'f'},
		{"work", required_argument, NULL, 'w'},
		{"output", required_argument, NULL, 'o'},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	enum status status;
	int option;

	*options = (struct options){.threshold_ns = ANALYZER_THRESHOLD_DEFAULT_NS,
		.format = report_format_find("text")};
	opterr = 0;
	optind = 1;
	while ((option = getopt_long(argc, argv, ":t:f:w:o:h", names, NULL)) != -1) {
		status = take_option(option, argv, options, diag);

		if (status != STATUS_OK || options->wants_help) {
			return status;
		}
	}
	options->inputs = argv + optind;
	options->input_count = argc - optind;
	if (options->input_count == 0) {
		return diag_set(diag, STATUS_BAD_USE,
			"name the directory of a recording, or the file of another tool's trace "
			"(see gaptrace report --help)");
	}
	status = file_arguments_check(
		(const char *const *)options->inputs, (size_t)options->input_count, diag);
	return status == STATUS_OK ? file_arguments_check_output(options->output,
					     (const char *const *)options->inputs,
					     (size_t)options->input_count, diag)
				   : status;
}

static enum status report(const struct options *options, struct diag *diag, bool *out_is_trusted)
{
	AUTO(report_data_destroy) struct report_data *data = NULL;
	const struct report_request request = {.threshold_ns = options->threshold_ns,
		.work = options->work,
		.inputs = options->inputs,
		.input_count = options->input_count};
	enum status status = report_request_run(&request, &data, diag);

	if (status == STATUS_OK) {
		/* Written also when it is not to be trusted: the report says why, and the exit
		 * code that it is so. */
		status = report_write(data, options->format, options->output, diag);
		*out_is_trusted = analyzer_trust(data->analyzer)->ok;
	}
	return status;
}

int command_report(int argc, char **argv)
{
	struct diag diag = {""};
	struct options options;
	bool is_trusted = true;
	enum status status = parse(argc, argv, &options, &diag);

	if (status == STATUS_OK && options.wants_help) {
		help();
		return standard_streams_finish("gaptrace report", 0);
	}
	if (status == STATUS_OK) {
		status = report(&options, &diag, &is_trusted);
	}
	if (status != STATUS_OK) {
		command_complain("report", status, &diag);
		return command_exit_code(status);
	}
	if (!is_trusted) {
		(void)fprintf(stderr, "gaptrace report: the recording is not to be trusted; the "
				      "report says why\n");
		return status_exit_code(STATUS_UNTRUSTED);
	}
	return 0;
}
