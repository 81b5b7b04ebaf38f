/* SPDX-License-Identifier: MIT */
/* Proves that decimal microseconds become nanoseconds without the loss that a double would bring.
 */
#include "analysis/import/kineto_number.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void times_are_exact(void **state)
{
	static const struct {
		const char *text;
		int64_t ns;
	} cases[] = {
		{"0", 0},
		{"12", 12000},
		{"1695835542514261", 1695835542514261000},
		/* A double has 0.25 us here. */
		{"1751410836000000.001", 1751410836000000001},
		{"4203669604595.407", 4203669604595407},
		{"1.1", 1100},
		{"3.013", 3013},
		{"-5.25", -5250},
		{"+7", 7000},
		{".5", 500},
		{"2.", 2000},
		{"40.95999999999998", 40960},
		{"0.0004", 0},
		{"0.0005", 1},
		{"1.5e3", 1500000},
		{"15E-1", 1500},
		{"1.7e15", 1700000000000000000},
		{"00012.5", 12500},
		{"0.000000000000000000000000000000000000001", 0},
		{"1e-99999", 0},
		{"0e99999", 0},
		{"9223372036854775.807", INT64_MAX},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int64_t ns = -1;

		assert_true(kineto_number_time(cases[i].text, &ns));
		assert_int_equal(ns, cases[i].ns);
	}
}

static void what_is_no_time_is_refused(void **state)
{
	static const char *const cases[] = {"", "-", ".", "e5", "1e", "1e+", "1.2.3", "12us",
		"0x10", "NaN", "9223372036854775.808", "1e300", "1e99999999999", "--1", "1 "};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int64_t ns = 0;

		assert_false(kineto_number_time(cases[i], &ns));
	}
}

static void integers_may_be_written_in_many_ways(void **state)
{
	int64_t value = 0;
	uint64_t bits = 0;

	(void)state;
	assert_true(kineto_number_integer("-247463936", &value));
	assert_int_equal(value, -247463936);
	assert_true(kineto_number_integer("12.0", &value));
	assert_int_equal(value, 12);
	assert_true(kineto_number_integer("0xFf", &value));
	assert_int_equal(value, 255);
	assert_true(kineto_number_unsigned("18446744073709551615", &bits));
	assert_true(bits == UINT64_MAX);
	assert_true(kineto_number_unsigned("-1", &bits));
	assert_true(bits == UINT64_MAX);
	assert_true(kineto_number_unsigned("0xafb7fa20e1a14373", &bits));
	assert_true(bits == 0xafb7fa20e1a14373ULL);
	assert_false(kineto_number_unsigned("0x", &bits));
	assert_false(kineto_number_unsigned("0x1g", &bits));
	assert_false(kineto_number_unsigned("0x11111111111111111", &bits));
	assert_false(kineto_number_unsigned("18446744073709551616", &bits));
	assert_false(kineto_number_integer("9223372036854775808", &value));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_are_exact),
		cmocka_unit_test(what_is_no_time_is_refused),
		cmocka_unit_test(integers_may_be_written_in_many_ways),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
