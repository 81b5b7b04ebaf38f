/* SPDX-License-Identifier: MIT */
#include "analysis/cli/record_options.h"

#include "analysis/cli/option.h"
#include "trace/record/session.h"

#include <getopt.h>
#include <stddef.h>

enum {
	OPTION_PROFILE = 256,
	OPTION_GPU,
	OPTION_START,
	OPTION_STOP
};

static const struct option long_options[] = {
	{"output", required_argument, NULL, 'o'},
	{"profile", required_argument, NULL, OPTION_PROFILE},
	{"gpu", no_argument, NULL, OPTION_GPU},
	{"start", required_argument, NULL, OPTION_START},
	{"stop", required_argument, NULL, OPTION_STOP},
	{"help", no_argument, NULL, 'h'},
	{NULL, 0, NULL, 0},
};

static enum status check_command(const struct record_options *options, struct diag *diag)
{
	if (!options->command || !options->command[0]) {
		return diag_set(diag, STATUS_BAD_USE,
			"no command to record: gaptrace record [OPTION...] -- COMMAND");
	}
	return STATUS_OK;
}

static enum status check_session(const struct record_options *options, struct diag *diag)
{
	const char *mode = options->mode == RECORD_START ? "--start" : "--stop";

	if (options->command && options->command[0]) {
		return diag_set(diag, STATUS_BAD_USE, "%s takes no command, and '%s' was given",
			mode, options->command[0]);
	}
	if (!session_name_is_valid(options->session)) {
		return diag_set(diag, STATUS_BAD_USE,
			"'%s' cannot be a session's name: letters, digits, '.', '_' and '-', "
			"at most %d",
			options->session, SESSION_NAME_BYTES_MAX - 1);
	}
	if (options->wants_gpu) {
		return diag_set(diag, STATUS_BAD_USE,
			"--gpu works only for a command that is started here: start the daemon "
			"with CUDA_INJECTION64_PATH set");
	}
	if (options->mode == RECORD_STOP && (options->output || options->profile)) {
		return diag_set(diag, STATUS_BAD_USE,
			"--stop takes neither -o nor --profile: the session knows both");
	}
	return STATUS_OK;
}

static enum status take_session(
	struct record_options *options, enum record_mode mode, struct diag *diag)
{
	/* Of either kind: the second would silently win. */
	if (options->session) {
		return diag_set(diag, STATUS_BAD_USE, "one --start or --stop at a time");
	}
	options->mode = mode;
	options->session = optarg;
	return STATUS_OK;
}

static enum status take_option(
	int letter, char **argv, struct record_options *options, struct diag *diag)
{
	switch (letter) {
	case 'o':
		options->output = optarg;
		return *optarg ? STATUS_OK : diag_set(diag, STATUS_BAD_USE, "-o needs a folder");
	case OPTION_PROFILE:
		options->profile = optarg;
		return *optarg ? STATUS_OK
			       : diag_set(diag, STATUS_BAD_USE, "--profile needs a name");
	case OPTION_GPU:
		options->wants_gpu = true;
		return STATUS_OK;
	case OPTION_START:
		return take_session(options, RECORD_START, diag);
	case OPTION_STOP:
		return take_session(options, RECORD_STOP, diag);
	case 'h':
		options->mode = RECORD_HELP;
		return STATUS_OK;
	default:
		return option_refuse(letter, "record", argv, diag);
	}
}

enum status record_options_parse(
	int argc, char **argv, struct record_options *out_options, struct diag *diag)
{
	struct record_options options = {.mode = RECORD_COMMAND};
	enum status status = STATUS_OK;
	int letter;

	optind = 0; /* glibc: forget an earlier parse */
	opterr = 0;
	/* '+': what follows the first word that is no option is the command's. */
	while ((letter = getopt_long(argc, argv, "+:o:h", long_options, NULL)) != -1) {
		status = take_option(letter, argv, &options, diag);
		if (status != STATUS_OK) {
			return status;
		}
		if (options.mode == RECORD_HELP) {
			*out_options = options;
			return STATUS_OK;
		}
	}
	options.command = argv + optind;

	status = options.mode == RECORD_COMMAND ? check_command(&options, diag)
						: check_session(&options, diag);
	if (status != STATUS_OK) {
		return status;
	}
	if (!options.profile) {
		options.profile = RECORD_PROFILE_DEFAULT;
	}
	*out_options = options;
	return STATUS_OK;
}
