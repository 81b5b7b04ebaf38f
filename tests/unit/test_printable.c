/* SPDX-License-Identifier: MIT */
/* Hostile names cannot reach the terminal, and no name is wider than its column. */
#include "analysis/report/printable.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void plain_text_stays(void **state)
{
	char out[PRINTABLE_BYTES_MAX];

	(void)state;
	assert_string_equal(printable_copy("gpu_mutex 0", 40, out), "gpu_mutex 0");
	assert_string_equal(printable_copy("", 2, out), "");
}

static void every_other_byte_is_escaped(void **state)
{
	(void)state;
	for (int byte = 1; byte < 256; byte++) {
		const char text[2] = {(char)byte, '\0'};
		char out[PRINTABLE_BYTES_MAX];

		printable_copy(text, 20, out);
		for (const char *c = out; *c; c++) {
			assert_true(*c >= 0x20 && *c < 0x7f);
		}
		assert_int_equal(strlen(out), byte >= 0x20 && byte < 0x7f ? 1 : 4);
	}
}

static void what_is_cut_says_so(void **state)
{
	char out[PRINTABLE_BYTES_MAX];

	(void)state;
	for (size_t width = 2; width < 30; width++) {
		printable_copy("abc\033[31mdefghijklmnopqrstuvwxyz", width, out);
		assert_true(strlen(out) <= width);
		assert_string_equal(out + strlen(out) - 2, "..");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_text_stays),
		cmocka_unit_test(every_other_byte_is_escaped),
		cmocka_unit_test(what_is_cut_says_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
