/* SPDX-License-Identifier: MIT */
/*
 * The subcommands of `gaptrace`, one file each, named in the table of main.c. A command gets its
 * own arguments (argv[0] is its name), prints its own errors, and gives the exit code.
 */
#pragma once

struct command {
	const char *name;
	const char *usage;
	const char *summary;
	int (*run)(int argc, char **argv);
};

int command_record(int argc, char **argv);
int command_report(int argc, char **argv);
int command_diff(int argc, char **argv);
int command_history(int argc, char **argv);
