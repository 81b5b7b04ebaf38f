/* SPDX-License-Identifier: MIT */
/* An interval set equals a bitmap: the same instants, the same sums, whatever the order of adding.
 */
#include "analysis/core/interval_set.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define INSTANTS 256
#define ROUNDS   400

static bool holds(const struct interval_set *set, uint64_t time_ns)
{
	for (size_t i = 0; i < set->count; i++) {
		if (set->intervals[i].begin_ns <= time_ns && time_ns < set->intervals[i].end_ns) {
			return true;
		}
	}
	return false;
}

static void set_equals_bitmap(void **state)
{
	unsigned int seed = 1;

	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		bool bitmap[INSTANTS] = {false};
		struct interval_set set;
		uint64_t total = 0;

		interval_set_init(&set);
		for (int i = 0; i < round % 40; i++) {
			const uint64_t begin = (uint64_t)rand_r(&seed) % INSTANTS;
			const uint64_t length = (uint64_t)rand_r(&seed) % 20;
			const uint64_t end = begin + length > INSTANTS ? INSTANTS : begin + length;

			assert_int_equal(interval_set_add(&set, begin, end), STATUS_OK);
			memset(bitmap + begin, true, end - begin);
		}
		for (uint64_t t = 0; t < INSTANTS; t++) {
			total += bitmap[t];
			assert_int_equal(holds(&set, t), bitmap[t]);
		}
		assert_int_equal(interval_set_total_ns(&set), total);
		for (size_t i = 1; i < set.count; i++) {
			assert_true(set.intervals[i - 1].end_ns < set.intervals[i].begin_ns);
		}
		interval_set_finish(&set);
	}
}

static void touching_intervals_merge_and_empty_ones_add_nothing(void **state)
{
	struct interval_set set;

	(void)state;
	interval_set_init(&set);
	assert_int_equal(interval_set_add(&set, 5, 5), STATUS_OK);
	assert_int_equal(set.count, 0);
	assert_int_equal(interval_set_add(&set, 0, 5), STATUS_OK);
	assert_int_equal(interval_set_add(&set, 10, 15), STATUS_OK);
	assert_int_equal(interval_set_add(&set, 5, 10), STATUS_OK);
	assert_int_equal(set.count, 1);
	assert_int_equal(interval_set_total_ns(&set), 15);
	interval_set_finish(&set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(set_equals_bitmap),
		cmocka_unit_test(touching_intervals_merge_and_empty_ones_add_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
