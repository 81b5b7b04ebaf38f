/* SPDX-License-Identifier: MIT */
/* Proves that a recording is stopped before the disk is full, and warned of in time, once. */
#include "trace/record/watch.h"

#include "trace/base/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define MIB (1ULL << 20)

static struct watch watch_of(uint64_t free_bytes)
{
	return (struct watch){.output = "/",
		.begin_ns = NS_PER_S,
		.begin_free_bytes = free_bytes,
		.last_free_bytes = free_bytes};
}

static void a_quiet_disk_is_nothing(void **state)
{
	struct watch watch = watch_of(1000 * MIB);

	(void)state;
	for (uint64_t second = 1; second < 100; second++) {
		assert_int_equal(watch_judge(&watch, second * NS_PER_S, 1000 * MIB), WATCH_NOTHING);
	}
}

/* 1 MiB a second for 20 s of 100 MiB: 80 s are left. */
static void a_filling_disk_is_warned_of_once(void **state)
{
	struct watch watch = watch_of(100 * MIB);
	int warned = 0;

	(void)state;
	for (uint64_t second = 1; second <= 20; second++) {
		enum watch_finding finding =
			watch_judge(&watch, (second + 1) * NS_PER_S, (100 - second) * MIB);

		if (finding == WATCH_DISK_SOON_FULL) {
			warned++;
			assert_int_equal(watch.left_s, 100 - second);
		} else {
			assert_int_equal(finding, WATCH_NOTHING);
		}
	}
	assert_int_equal(warned, 1);
}

static void a_disk_that_lasts_is_not_warned_of(void **state)
{
	struct watch watch = watch_of(1000000 * MIB);

	(void)state;
	assert_int_equal(watch_judge(&watch, 101 * NS_PER_S, 999900 * MIB), WATCH_NOTHING);
}

static void the_last_room_stops_it(void **state)
{
	struct watch watch = watch_of(100 * MIB);

	(void)state;
	assert_int_equal(watch_judge(&watch, 2 * NS_PER_S, 90 * MIB), WATCH_NOTHING);
	assert_int_equal(watch_judge(&watch, 3 * NS_PER_S, 15 * MIB), WATCH_DISK_FULL);
}

/* 40 MiB between two looks: of 50 MiB the next look would find 10, under the limit. */
static void what_the_next_look_would_miss_stops_it(void **state)
{
	struct watch watch = watch_of(130 * MIB);

	(void)state;
	assert_int_equal(watch_judge(&watch, 2 * NS_PER_S, 90 * MIB), WATCH_NOTHING);
	assert_int_equal(watch_judge(&watch, 3 * NS_PER_S, 50 * MIB), WATCH_DISK_FULL);
}

static void room_that_is_made_counts(void **state)
{
	struct watch watch = watch_of(100 * MIB);

	(void)state;
	assert_int_equal(watch_judge(&watch, 20 * NS_PER_S, 200 * MIB), WATCH_NOTHING);
	assert_int_equal(watch_judge(&watch, 21 * NS_PER_S, 150 * MIB), WATCH_NOTHING);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_quiet_disk_is_nothing),
		cmocka_unit_test(a_filling_disk_is_warned_of_once),
		cmocka_unit_test(a_disk_that_lasts_is_not_warned_of),
		cmocka_unit_test(the_last_room_stops_it),
		cmocka_unit_test(what_the_next_look_would_miss_stops_it),
		cmocka_unit_test(room_that_is_made_counts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
