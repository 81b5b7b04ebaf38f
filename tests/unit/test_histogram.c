/* SPDX-License-Identifier: MIT */
/* Every duration falls between its bucket's bounds, and buckets leave no room between them. */
#include "analysis/core/histogram.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void expect_bucket(uint64_t duration_ns)
{
	static struct histogram histogram;

	memset(&histogram, 0, sizeof(histogram));
	histogram_add(&histogram, duration_ns);
	for (uint32_t i = 0; i < HISTOGRAM_BUCKET_COUNT_MAX; i++) {
		if (histogram.buckets[i].count == 0) {
			continue;
		}
		assert_true(histogram_from_ns(i) <= duration_ns);
		assert_true(duration_ns < histogram_to_ns(i) || duration_ns == UINT64_MAX);
		assert_int_equal(histogram.buckets[i].total_ns, duration_ns);
		return;
	}
	fail_msg("no bucket for %llu", (unsigned long long)duration_ns);
}

static void durations_fall_between_the_bounds_of_their_bucket(void **state)
{
	(void)state;
	for (uint64_t power = 1; power != 0 && power < UINT64_MAX / 10; power *= 10) {
		for (uint64_t digit = 1; digit < 10; digit++) {
			expect_bucket(power * digit);
			expect_bucket(power * digit - 1);
			expect_bucket(power * digit + 1);
		}
	}
	expect_bucket(0);
	expect_bucket(UINT64_MAX);
	expect_bucket(UINT64_MAX - 1);
	expect_bucket(1ULL << 63);
}

static void bounds_are_what_people_write(void **state)
{
	(void)state;
	assert_int_equal(histogram_from_ns(0), 0);
	assert_int_equal(histogram_to_ns(0), 2);
	assert_int_equal(histogram_from_ns(9), 10);
	assert_int_equal(histogram_from_ns(10), 20);
	assert_int_equal(histogram_from_ns(54), 1000000);
	for (uint32_t i = 0; i + 1 < HISTOGRAM_BUCKET_COUNT_MAX && histogram_to_ns(i) != UINT64_MAX;
		i++) {
		assert_int_equal(histogram_to_ns(i), histogram_from_ns(i + 1));
	}
}

static void sums_and_maximum_are_kept(void **state)
{
	static struct histogram histogram;

	(void)state;
	histogram_add(&histogram, 7);
	histogram_add(&histogram, 900);
	histogram_add(&histogram, 901);
	assert_int_equal(histogram.count, 3);
	assert_int_equal(histogram.total_ns, 1808);
	assert_int_equal(histogram.max_ns, 901);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(durations_fall_between_the_bounds_of_their_bucket),
		cmocka_unit_test(bounds_are_what_people_write),
		cmocka_unit_test(sums_and_maximum_are_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
