/* SPDX-License-Identifier: MIT */
#include "analysis/cli/command.h"

#include <stdio.h>

void command_complain(const char *command, enum status status, const struct diag *diag)
{
	(void)fprintf(stderr, "gaptrace %s: %s\n", command,
		diag->line[0] ? diag->line : status_text(status));
}

int command_exit_code(enum status status)
{
	/* docs/man: whatever is wrong with what a user gave is exit code 2; the rest is
	 * sysexits(3)'s. */
	switch ((int)status) {
	case STATUS_BAD_INPUT:
	case STATUS_BAD_USE:
	case STATUS_NOT_FOUND:
	case STATUS_PERMISSION:
	case STATUS_OVER_LIMIT:
	case STATUS_TOO_LARGE:
	case STATUS_UNSUPPORTED:
		return status_exit_code(STATUS_BAD_USE);
	default:
		return status_exit_code(status);
	}
}
