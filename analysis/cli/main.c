/* SPDX-License-Identifier: MIT */
#include "analysis/cli/command.h"
#include "trace/base/standard_streams.h"
#include "trace/base/status.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

static int command_help(int argc, char **argv);

/* clang-format off */
static const struct command commands[] = {
	{"record", "[OPTION...] [-- COMMAND]",      "record a command, or a running daemon", command_record},
	{"report", "[OPTION...] INPUT...",          "say why the GPUs of a recording idled", command_report},
	{"diff",   "[OPTION...] BASE... -- NEW...", "say whether runs are worse than others", command_diff},
	{"history", "DB add|list|baseline|trend ...", "keep reports, and find those to compare with", command_history},
	{"help",   "",                              "print this text",                  command_help},
};
/* clang-format on */

static void usage_print(FILE *stream)
{
	(void)fprintf(stream, "usage: gaptrace COMMAND [OPTION...]\n\n");
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		(void)fprintf(stream, "  gaptrace %s%s%s\n      %s\n", commands[i].name,
			*commands[i].usage ? " " : "", commands[i].usage, commands[i].summary);
	}
	(void)fprintf(stream, "\ngaptrace COMMAND --help says more; so do the manual pages.\n");
}

static int command_help(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	usage_print(stdout);
	return standard_streams_finish("gaptrace", 0);
}

static const struct command *command_find(const char *name)
{
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (strcmp(commands[i].name, name) == 0) {
			return &commands[i];
		}
	}
	return NULL;
}

int main(int argc, char **argv)
{
	const struct command *command;

	if (argc < 2) {
		usage_print(stderr);
		return status_exit_code(STATUS_BAD_USE);
	}
	if (strcmp(argv[1], "--version") == 0) {
		(void)printf("gaptrace %s\n", GAPTRACE_VERSION);
		return standard_streams_finish("gaptrace", 0);
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
		return command_help(argc, argv);
	}

	command = command_find(argv[1]);
	if (!command) {
		(void)fprintf(stderr, "gaptrace: no command '%s' (see gaptrace --help)\n", argv[1]);
		return status_exit_code(STATUS_BAD_USE);
	}
	/*
	 * Past a limit on file sizes a write fails like any other, and is told. Not where a command
	 * of the user's would inherit that.
	 */
	if (command->run != command_record) {
		(void)signal(SIGXFSZ, SIG_IGN);
	}
	return command->run(argc - 1, argv + 1);
}
