/* SPDX-License-Identifier: MIT */
/* The picture keeps every covered nanosecond while its bins widen. */
#include "analysis/core/strip.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static uint64_t sum(const struct strip *strip, enum strip_layer layer)
{
	uint64_t total = 0;

	for (int i = 0; i < STRIP_BIN_COUNT; i++) {
		total += strip->covered_ns[layer][i];
		assert_true(strip->covered_ns[layer][i] <= strip->bin_ns);
	}
	return total;
}

static void widening_loses_nothing(void **state)
{
	static struct strip strip;
	uint64_t total = 0;

	(void)state;
	strip_init(&strip, 1000);
	for (uint64_t i = 0; i < 5000; i++) {
		const uint64_t begin_ns = 1000 + i * 7919;

		strip_add(&strip, STRIP_KERNEL, begin_ns, begin_ns + i % 7000);
		total += i % 7000;
	}
	assert_int_equal(sum(&strip, STRIP_KERNEL), total);
	strip_add(&strip, STRIP_KERNEL, 1ULL << 62, (1ULL << 62) + 5);
	assert_int_equal(sum(&strip, STRIP_KERNEL), total + 5);
	assert_int_equal(sum(&strip, STRIP_ANYTHING), 0);
}

static void time_before_the_origin_is_cut(void **state)
{
	static struct strip strip;

	(void)state;
	strip_init(&strip, 1000);
	strip_add(&strip, STRIP_ANYTHING, 0, 999);
	strip_add(&strip, STRIP_ANYTHING, 999, 1010);
	assert_int_equal(sum(&strip, STRIP_ANYTHING), 10);
}

static void shares_are_what_was_added(void **state)
{
	static struct strip strip;

	(void)state;
	strip_init(&strip, 0);
	strip_add(&strip, STRIP_KERNEL, 0, 1024 * 100);
	strip_add(&strip, STRIP_KERNEL, 1024 * 200, 1024 * 300);
	assert_true(strip_share(&strip, STRIP_KERNEL, 0, 1024 * 100) > 0.999);
	assert_true(strip_share(&strip, STRIP_KERNEL, 1024 * 100, 1024 * 200) < 0.001);
	assert_true(strip_share(&strip, STRIP_KERNEL, 1024 * 150, 1024 * 250) > 0.499);
	assert_true(strip_share(&strip, STRIP_KERNEL, 1024 * 150, 1024 * 250) < 0.501);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(widening_loses_nothing),
		cmocka_unit_test(time_before_the_origin_is_cut),
		cmocka_unit_test(shares_are_what_was_added),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
