/* SPDX-License-Identifier: MIT */
/*
 * The subcommands of `gaptrace`, one file each, named in the table of main.c. A command gets its
 * own arguments (argv[0] is its name), prints its own errors, and gives the exit code.
 */
#pragma once

#include "trace/base/diag.h"

struct command {
	const char *name;
	const char *usage;
	const char *summary;
	int (*run)(int argc, char **argv);
};

/* One line on standard error: what the diag says, else what the status means. */
void command_complain(const char *command, enum status status, const struct diag *diag);

/*
 * The exit code of a command that reads recordings and reports: whatever is wrong with the use or
 * the input is 2, as the manual promises.
 */
int command_exit_code(enum status status);

int command_record(int argc, char **argv);
int command_report(int argc, char **argv);
int command_diff(int argc, char **argv);
int command_history(int argc, char **argv);
