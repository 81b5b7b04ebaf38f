/* SPDX-License-Identifier: MIT */
#include "tests/unit/report_reading.h"

#include "analysis/report/report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A hundred columns are what the lines are laid out for. */
static void assert_fits_a_terminal(const char *text)
{
	while (*text != '\0') {
		const size_t length = strcspn(text, "\n");

		if (length > 100) {
			fail_msg("%zu columns: %.*s", length, (int)length, text);
		}
		text += length + (text[length] == '\n');
	}
}

char *report_reading_text(const struct report_data *report, const char *format)
{
	char *text = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);

	report_format_find(format)->write(report, stream);
	assert_int_equal(fclose(stream), 0);
	if (strcmp(format, "text") == 0) {
		assert_fits_a_terminal(text);
	}
	return text;
}

json_t *report_reading_json(const struct report_data *report)
{
	char *text = report_reading_text(report, "json");
	json_error_t error;
	json_t *document = json_loads(text, 0, &error);

	if (!document) {
		fail_msg("%s: %s", error.text, text);
	}
	free(text);
	return document;
}
