/* SPDX-License-Identifier: MIT */
#include "analysis/cli/option.h"

#include "analysis/core/duration.h"

#include <getopt.h>

enum status option_refuse(int letter, const char *command, char *const *argv, struct diag *diag)
{
	const char *option = argv[optind - 1];

	if (letter == ':') {
		return diag_set(diag, STATUS_BAD_USE, "option %s needs a value", option);
	}
	return diag_set(diag, STATUS_BAD_USE, "there is no option %s (see gaptrace %s --help)",
		option, command);
}

enum status option_take_duration(
	const char *option, const char *text, uint64_t *out_ns, struct diag *diag)
{
	if (duration_parse(text, out_ns) == STATUS_OK) {
		return STATUS_OK;
	}
	return diag_set(diag, STATUS_BAD_USE,
		"%s: '%s' is no duration; write it like 10us, 1ms or 2s", option, text);
}
