/* SPDX-License-Identifier: MIT */
/* Whatever run_parse() accepts adds up, and can be compared and written in every format; whatever
 * it refuses has a line that says why. */
#include "analysis/diff/write.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool is_true)
{
	if (!is_true) {
		abort();
	}
}

static void check(const struct run *run)
{
	uint64_t end_ns = run->window_begin_ns;

	require(run->window_begin_ns <= run->window_end_ns);
	for (uint32_t i = 0; i < run->block_count; i++) {
		require(run->blocks[i].begin_ns == end_ns && run->blocks[i].end_ns >= end_ns);
		end_ns = run->blocks[i].end_ns;
	}
	require(run->block_count == 0 || end_ns == run->window_end_ns);
}

static void write_all(const struct diff *diff)
{
	static const char *const names[] = {"text", "markdown", "json", "junit"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char *text = NULL;
		size_t length = 0;
		FILE *stream = open_memstream(&text, &length);

		require(stream != NULL);
		write_format_find(names[i])->write(diff, stream);
		require(fclose(stream) == 0 && length > 0);
		free(text);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct diag diag = {""};
	struct run *run = NULL;
	struct diff *diff = NULL;
	const struct run *runs[2];
	const struct diff_request request = {
		.runs = runs, .run_count = 2, .base_count = 1, .settings = &diff_settings_default};

	if (run_parse("run.json", (const char *)data, size, &run, &diag) != STATUS_OK) {
		require(!run && *diag.line);
		return 0;
	}
	check(run);
	runs[0] = run;
	runs[1] = run;
	if (diff_create(&request, &diff, &diag) == STATUS_OK) {
		require(diff->outcome != DIFF_WORSE);
		write_all(diff);
	} else {
		require(*diag.line);
	}
	diff_destroy(diff);
	run_destroy(run);
	return 0;
}
