/* SPDX-License-Identifier: MIT */
/*
 * Writes the report of a run that never was to standard output, for gaptrace diff to be tried on:
 *   diff_run_maker SEED UNITS LOCK_SCALE [KEY=VALUE...]
 */
#include "tests/unit/diff_runs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void take(struct diff_run_plan *plan, const char *word)
{
	if (strncmp(word, "name=", 5) == 0) {
		plan->name = word + 5;
	} else if (strncmp(word, "unit=", 5) == 0) {
		plan->unit = word + 5;
	} else if (strncmp(word, "gpus=", 5) == 0) {
		plan->device_count = (uint32_t)strtoul(word + 5, NULL, 10);
	} else if (strcmp(word, "blocks=no") == 0) {
		plan->has_no_blocks = true;
	} else if (strcmp(word, "trusted=no") == 0) {
		plan->is_untrusted = true;
	} else {
		(void)fprintf(stderr, "diff_run_maker: what is '%s'?\n", word);
		exit(2);
	}
}

int main(int argc, char **argv)
{
	struct diff_run_plan plan = {.memory = 0.3};
	char *text;

	if (argc < 4) {
		(void)fprintf(
			stderr, "usage: diff_run_maker SEED UNITS LOCK_SCALE [KEY=VALUE...]\n");
		return 2;
	}
	plan.seed = strtoull(argv[1], NULL, 10);
	plan.unit_count = (uint32_t)strtoul(argv[2], NULL, 10);
	plan.lock_scale = strtod(argv[3], NULL);
	for (int i = 4; i < argc; i++) {
		take(&plan, argv[i]);
	}
	text = diff_run_json(&plan);
	(void)fputs(text, stdout);
	free(text);
	return fflush(stdout) == 0 ? 0 : 1;
}
