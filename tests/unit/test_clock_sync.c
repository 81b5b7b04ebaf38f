/* SPDX-License-Identifier: MIT */
/* Stamps of another clock come out on ours, whatever its offset and drift; nonsense is counted. */
#include "trace/base/clock.h"
#include "trace/cupti/clock_sync.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#define BEGIN_NS (1000 * NS_PER_S)

/* The other clock: far ahead, and 400 parts in a million too fast. */
static uint64_t other(uint64_t time_ns)
{
	const uint64_t elapsed_ns = time_ns - BEGIN_NS;

	return 1700000000 * NS_PER_S + elapsed_ns + elapsed_ns / 2500;
}

static struct clock_reading reading(uint64_t time_ns)
{
	return (struct clock_reading){time_ns - 20, other(time_ns), time_ns + 20};
}

static uint64_t distance(uint64_t left, uint64_t right)
{
	return left > right ? left - right : right - left;
}

static void offset_and_drift_are_taken_out_between_pairs(void **state)
{
	struct clock_sync clock;

	(void)state;
	clock_sync_init(&clock, CLOCK_PATH_DEFAULT, BEGIN_NS);
	for (uint64_t second = 0; second < 200; second++) {
		const uint64_t now_ns = BEGIN_NS + second * NS_PER_S;
		const struct clock_reading pair = reading(now_ns);
		const uint64_t past_ns = now_ns - 300 * NS_PER_MS;
		struct clock_interval interval;

		clock_sync_add(&clock, &pair);
		if (second > 0) {
			assert_true(clock_sync_operation(&clock,
				(struct clock_interval){other(past_ns), other(past_ns + 1000)},
				now_ns, &interval));
			assert_true(distance(interval.start_ns, past_ns) <= 2);
			assert_true(distance(interval.end_ns, past_ns + 1000) <= 2);
		}
	}
	assert_int_equal(clock.pair_count, CLOCK_PAIR_COUNT_MAX);
	assert_int_equal(clock_sync_bad_count(&clock), 0);
}

/* Half a second after the last pair the drift of 400 ppm would be 200 us. */
static void after_the_last_pair_the_drift_goes_on(void **state)
{
	const struct clock_reading first = reading(BEGIN_NS);
	const struct clock_reading second = reading(BEGIN_NS + NS_PER_S);
	const uint64_t time_ns = BEGIN_NS + 1500 * NS_PER_MS;
	struct clock_sync clock;

	(void)state;
	clock_sync_init(&clock, CLOCK_PATH_DEFAULT, BEGIN_NS);
	clock_sync_add(&clock, &first);
	assert_true(distance(clock_sync_predict(&clock, other(time_ns)), time_ns) > 500000);
	clock_sync_add(&clock, &second);
	assert_true(distance(clock_sync_predict(&clock, other(time_ns)), time_ns) <= 2);
}

static void a_clock_that_steps_back_starts_anew(void **state)
{
	const struct clock_reading first = reading(BEGIN_NS + NS_PER_S);
	struct clock_reading second = reading(BEGIN_NS + 2 * NS_PER_S);
	struct clock_sync clock;

	(void)state;
	clock_sync_init(&clock, CLOCK_PATH_DEFAULT, BEGIN_NS);
	clock_sync_add(&clock, &first);
	second.other_ns -= 3600 * NS_PER_S;
	clock_sync_add(&clock, &second);
	assert_int_equal(clock.pair_count, 1);
	assert_true(clock_sync_predict(&clock, second.other_ns) == BEGIN_NS + 2 * NS_PER_S);
}

static void a_reading_that_failed_is_no_pair(void **state)
{
	const struct clock_reading failed = {BEGIN_NS, 0, BEGIN_NS + 1};
	struct clock_sync clock;
	struct clock_interval interval;

	(void)state;
	clock_sync_init(&clock, CLOCK_PATH_DEFAULT, BEGIN_NS);
	clock_sync_add(&clock, &failed);
	assert_int_equal(clock.pair_count, 0);
	/* Without a pair nothing can be converted, and nothing is guessed. */
	assert_false(clock_sync_operation(&clock,
		(struct clock_interval){other(BEGIN_NS), other(BEGIN_NS) + 1}, BEGIN_NS,
		&interval));
	assert_int_equal(interval.start_ns, 0);
	assert_int_equal(clock.counts.implausible_count, 1);
}

static void stamps_of_the_callback_pass_as_they_are(void **state)
{
	const struct clock_reading pair = reading(BEGIN_NS);
	struct clock_sync clock;
	struct clock_interval interval;

	(void)state;
	clock_sync_init(&clock, CLOCK_PATH_CALLBACK, BEGIN_NS);
	clock_sync_add(&clock, &pair);
	assert_true(clock_sync_operation(&clock,
		(struct clock_interval){BEGIN_NS + 7, BEGIN_NS + 7}, BEGIN_NS + 10, &interval));
	assert_true(interval.start_ns == BEGIN_NS + 7 && interval.end_ns == BEGIN_NS + 7);
	assert_int_equal(clock.counts.converted_count, 0);
	/* One of the other clock among them. */
	assert_true(clock_sync_operation(&clock,
		(struct clock_interval){other(BEGIN_NS), other(BEGIN_NS) + 5}, BEGIN_NS + 10,
		&interval));
	assert_true(interval.start_ns == BEGIN_NS && interval.end_ns == BEGIN_NS + 5);
	assert_int_equal(clock.counts.converted_count, 1);
}

static void a_verdict_needs_some_operations_and_a_tenth_of_them_bad(void **state)
{
	struct clock_sync clock;
	struct clock_interval interval;

	(void)state;
	clock_sync_init(&clock, CLOCK_PATH_CALLBACK, BEGIN_NS);
	for (int i = 0; i < 15; i++) {
		(void)clock_sync_operation(
			&clock, (struct clock_interval){0, 0}, BEGIN_NS, &interval);
		assert_false(clock_sync_is_spoilt(&clock));
	}
	(void)clock_sync_operation(&clock, (struct clock_interval){0, 0}, BEGIN_NS, &interval);
	assert_true(clock_sync_is_spoilt(&clock));
	for (int i = 0; i < 144; i++) {
		(void)clock_sync_operation(&clock, (struct clock_interval){BEGIN_NS, BEGIN_NS + 1},
			BEGIN_NS, &interval);
	}
	assert_false(clock_sync_is_spoilt(&clock));
	/* Ten microseconds before a launch are nothing: the clocks agree to no better. */
	clock_sync_launch(&clock, BEGIN_NS + 10 * NS_PER_US, BEGIN_NS);
	assert_false(clock_sync_is_spoilt(&clock));
	clock_sync_launch(&clock, BEGIN_NS + 10 * NS_PER_US + 1, BEGIN_NS);
	assert_true(clock_sync_is_spoilt(&clock));
}

static uint64_t read_ours(const void *unused)
{
	(void)unused;
	return clock_now_ns();
}

static uint64_t read_nothing(const void *unused)
{
	(void)unused;
	return 0;
}

static void a_reading_lies_in_its_bracket(void **state)
{
	const struct clock_reading good = clock_sync_read(read_ours, NULL);

	(void)state;
	assert_true(good.before_ns <= good.other_ns && good.other_ns <= good.after_ns);
	assert_int_equal(clock_sync_read(read_nothing, NULL).other_ns, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(offset_and_drift_are_taken_out_between_pairs),
		cmocka_unit_test(after_the_last_pair_the_drift_goes_on),
		cmocka_unit_test(a_clock_that_steps_back_starts_anew),
		cmocka_unit_test(a_reading_that_failed_is_no_pair),
		cmocka_unit_test(stamps_of_the_callback_pass_as_they_are),
		cmocka_unit_test(a_verdict_needs_some_operations_and_a_tenth_of_them_bad),
		cmocka_unit_test(a_reading_lies_in_its_bracket),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
