/* SPDX-License-Identifier: MIT */
/* Durations are read as people write them and refused when they are not. */
#include "analysis/core/duration.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void units_and_fractions_are_read(void **state)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} rows[] = {{"0ns", 0}, {"0", 0}, {"0.0", 0}, {"10us", 10000}, {"1ms", 1000000},
		{"2s", 2000000000}, {"1.5ms", 1500000}, {"2min", 120000000000}, {"0.1us", 100},
		{"18446744073709551615ns", UINT64_MAX}};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t ns = 1;

		assert_int_equal(duration_parse(rows[i].text, &ns), STATUS_OK);
		assert_int_equal(ns, rows[i].ns);
	}
}

static void what_is_no_duration_is_refused(void **state)
{
	static const char *const bad[] = {"", "1", "ms", "-1ms", "+1ms", "1 ms", "1msx", ".5ms",
		"1.ms", "1.2.3ms", "1e3ms", "1MS", "0x1ms", " 1ms"};
	uint64_t ns = 42;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(duration_parse(bad[i], &ns), STATUS_BAD_INPUT);
	}
	assert_int_equal(duration_parse("18446744073709551616ns", &ns), STATUS_TOO_LARGE);
	assert_int_equal(duration_parse("99999999999s", &ns), STATUS_TOO_LARGE);
	assert_int_equal(ns, 42);
}

static void four_digits_are_written(void **state)
{
	char text[DURATION_TEXT_BYTES];

	(void)state;
	assert_string_equal(duration_format(0, text), "0 ns");
	assert_string_equal(duration_format(999, text), "999 ns");
	assert_string_equal(duration_format(12345, text), "12.35 us");
	assert_string_equal(duration_format(1234567, text), "1.235 ms");
	assert_string_equal(duration_format(123456789012, text), "123.5 s");
	assert_string_equal(duration_format(UINT64_MAX, text), "18446744074 s");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(units_and_fractions_are_read),
		cmocka_unit_test(what_is_no_duration_is_refused),
		cmocka_unit_test(four_digits_are_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
