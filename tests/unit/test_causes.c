/* SPDX-License-Identifier: MIT */
/* Proves that the closed list of causes is the one that docs/causes.md explains and reports have.
 */
#include "analysis/core/causes.h"

#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define LINE_BYTES 512

/* Headings of the page that are about the rules, not about one cause. */
static const char *const other_headings[] = {"Words of a part", "The rules"};

static bool is_cause(const char *heading)
{
	for (int cause = 0; cause < CAUSE_COUNT; cause++) {
		if (strcmp(cause_name((enum cause)cause), heading) == 0) {
			return true;
		}
	}
	return false;
}

static void every_cause_has_one_heading_and_no_heading_lacks_its_cause(void **state)
{
	FILE *page = fopen(SOURCE_DIR "/docs/causes.md", "r");
	unsigned int heading_count = 0;
	char line[LINE_BYTES];

	(void)state;
	assert_non_null(page);
	while (fgets(line, sizeof(line), page)) {
		line[strcspn(line, "\n")] = '\0';
		if (strncmp(line, "## ", 3) != 0) {
			continue;
		}
		if (strcmp(line + 3, other_headings[0]) == 0 ||
			strcmp(line + 3, other_headings[1]) == 0) {
			continue;
		}
		if (!is_cause(line + 3)) {
			fail_msg("no cause is called '%s'", line + 3);
		}
		heading_count++;
	}
	(void)fclose(page);
	assert_int_equal(heading_count, CAUSE_COUNT);
}

static void the_schema_of_reports_lists_every_cause(void **state)
{
	/* Its largest number is that of 64 bits without a sign, which is no integer of jansson's.
	 */
	json_t *schema = json_load_file(
		SOURCE_DIR "/docs/report.schema.json", JSON_DECODE_INT_AS_REAL, NULL);
	const json_t *list = json_object_get(
		json_object_get(json_object_get(schema, "definitions"), "cause"), "enum");

	(void)state;
	assert_int_equal(json_array_size(list), CAUSE_COUNT);
	for (size_t i = 0; i < CAUSE_COUNT; i++) {
		assert_string_equal(
			json_string_value(json_array_get(list, i)), cause_name((enum cause)i));
	}
	json_decref(schema);
}

static void every_cause_has_a_meaning_and_a_remedy(void **state)
{
	(void)state;
	for (int cause = 0; cause < CAUSE_COUNT; cause++) {
		assert_true(strlen(cause_name((enum cause)cause)) > 0);
		assert_true(strlen(cause_meaning((enum cause)cause)) > 0);
		assert_true(strlen(cause_remedy((enum cause)cause)) > 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_cause_has_one_heading_and_no_heading_lacks_its_cause),
		cmocka_unit_test(the_schema_of_reports_lists_every_cause),
		cmocka_unit_test(every_cause_has_a_meaning_and_a_remedy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
