/* SPDX-License-Identifier: MIT */
/* What the options of all commands have in common; each parses its own with getopt_long(3). */
#pragma once

#include "trace/base/diag.h"

#include <stdint.h>

/* Says what was wrong where getopt_long(3) gave ':' or '?'; BAD_USE. */
MUST_CHECK enum status option_refuse(
	int letter, const char *command, char *const *argv, struct diag *diag);

/* Takes the value of `option`, such as "--threshold", as a duration. */
MUST_CHECK enum status option_take_duration(
	const char *option, const char *text, uint64_t *out_ns, struct diag *diag);
