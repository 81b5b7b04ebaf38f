/* SPDX-License-Identifier: MIT */
#include "analysis/cli/option.h"

#include "analysis/core/duration.h"

#include <getopt.h>

enum status option_refuse(int letter, const char *command, char *const *argv, struct diag *diag)
{
	/* getopt has moved past the word that it did not like. */
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
	uint64_t duration_ns = 0;

	/* Readers of JSON have signed numbers: a longer threshold could not be read back. */
	if (duration_parse(text, &duration_ns) == STATUS_OK && duration_ns <= INT64_MAX) {
		*out_ns = duration_ns;
		return STATUS_OK;
	}
	return diag_set(diag, STATUS_BAD_USE,
		"%s: '%s' is no duration; write it like 10us, 1ms or 2s", option, text);
}
