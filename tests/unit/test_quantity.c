/* SPDX-License-Identifier: MIT */
/* Proves that sizes and durations are taken only in the forms the manual names, without overflow.
 */
#include "trace/record/quantity.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void sizes_take_k_m_and_g(void **state)
{
	uint64_t bytes = 0;

	(void)state;
	assert_true(quantity_parse_bytes("4096", &bytes) && bytes == 4096);
	assert_true(quantity_parse_bytes("64K", &bytes) && bytes == 65536);
	assert_true(quantity_parse_bytes("4M", &bytes) && bytes == 4194304);
	assert_true(quantity_parse_bytes("2G", &bytes) && bytes == 2147483648ULL);
}

static void durations_need_a_unit(void **state)
{
	uint64_t us = 0;

	(void)state;
	assert_true(quantity_parse_us("10us", &us) && us == 10);
	assert_true(quantity_parse_us("500ms", &us) && us == 500000);
	assert_true(quantity_parse_us("2s", &us) && us == 2000000);
	assert_false(quantity_parse_us("2", &us));
	assert_false(quantity_parse_us("2h", &us));
}

static void anything_else_is_refused(void **state)
{
	static const char *const wrong[] = {"", "K", "-1", "+1", " 1", "1 K", "1.5M", "0x10", "1KB",
		"1k", "99999999999999999999", "18446744073709551615G"};
	uint64_t bytes = 77;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_false(quantity_parse_bytes(wrong[i], &bytes));
	}
	assert_false(quantity_parse_count("1K", &bytes));
}

static void sizes_print_with_one_decimal(void **state)
{
	char text[16];

	(void)state;
	quantity_print_bytes(1023, text, sizeof(text));
	assert_string_equal(text, "1023 B");
	quantity_print_bytes(1536, text, sizeof(text));
	assert_string_equal(text, "1.5 KiB");
	quantity_print_bytes(UINT64_MAX, text, sizeof(text));
	assert_string_equal(text, "16777216.0 TiB");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_take_k_m_and_g),
		cmocka_unit_test(durations_need_a_unit),
		cmocka_unit_test(anything_else_is_refused),
		cmocka_unit_test(sizes_print_with_one_decimal),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
