/* SPDX-License-Identifier: MIT */
/* Proves that a diagnosis is always one clean line, however hostile the names in it. */
#include "trace/base/diag.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void control_characters_do_not_reach_the_terminal(void **state)
{
	struct diag diag;

	(void)state;
	assert_int_equal(
		diag_set(&diag, STATUS_BAD_INPUT, "a\nb\x1b[31m%s", "\x7f"), STATUS_BAD_INPUT);
	assert_string_equal(diag.line, "a?b?[31m?");
}

static void a_long_line_ends_in_dots(void **state)
{
	struct diag diag;
	char name[2 * DIAG_LINE_BYTES_MAX];

	(void)state;
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	assert_int_equal(diag_set(&diag, STATUS_IO, "%s", name), STATUS_IO);
	assert_int_equal(strlen(diag.line), DIAG_LINE_BYTES_MAX - 1);
	assert_string_equal(diag.line + DIAG_LINE_BYTES_MAX - 4, "...");
}

static void nobody_needs_to_listen(void **state)
{
	(void)state;
	assert_int_equal(diag_set(NULL, STATUS_IO, "x"), STATUS_IO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(control_characters_do_not_reach_the_terminal),
		cmocka_unit_test(a_long_line_ends_in_dots),
		cmocka_unit_test(nobody_needs_to_listen),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
