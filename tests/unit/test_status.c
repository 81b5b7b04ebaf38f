/* SPDX-License-Identifier: MIT */
/* Proves that every status has a text, an HTTP code and an exit code that agree. */
#include "trace/base/status.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void only_ok_is_success(void **state)
{
	(void)state;
	for (int i = 0; i < STATUS_COUNT; i++) {
		enum status status = (enum status)i;

		assert_non_null(status_text(status));
		assert_true(status_http_code(status) >= 200 && status_http_code(status) < 600);
		assert_int_equal(status_exit_code(status) == 0, status == STATUS_OK);
		assert_int_equal(status_http_code(status) == 200, status == STATUS_OK);
	}
}

static void a_value_outside_the_table_is_internal(void **state)
{
	(void)state;
	assert_string_equal(status_text(STATUS_COUNT), status_text(STATUS_INTERNAL));
}

static void errno_values_translate(void **state)
{
	(void)state;
	assert_int_equal(status_from_errno(0), STATUS_OK);
	assert_int_equal(status_from_errno(ENOENT), STATUS_NOT_FOUND);
	assert_int_equal(status_from_errno(ENOSPC), STATUS_NO_SPACE);
	assert_int_equal(status_from_errno(EACCES), STATUS_PERMISSION);
	assert_int_equal(status_from_errno(EIO), STATUS_IO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_ok_is_success),
		cmocka_unit_test(a_value_outside_the_table_is_internal),
		cmocka_unit_test(errno_values_translate),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
