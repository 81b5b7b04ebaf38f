/* SPDX-License-Identifier: MIT */
/* Quantiles are within 1/128 of the duration of that rank, and exact below 128. */
#include "analysis/core/quantiles.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT_MAX 5000

static uint64_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return *state >> 11;
}

static int compare(const void *left, const void *right)
{
	const uint64_t a = *(const uint64_t *)left;
	const uint64_t b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

static void an_empty_one_is_zero(void **state)
{
	static struct quantiles quantiles;

	(void)state;
	assert_int_equal(quantiles_ns(&quantiles, 50), 0);
}

static void small_durations_are_exact(void **state)
{
	static struct quantiles quantiles;

	(void)state;
	memset(&quantiles, 0, sizeof(quantiles));
	for (uint64_t ns = 1; ns <= 100; ns++) {
		quantiles_add(&quantiles, ns);
	}
	for (uint32_t percent = 1; percent <= 100; percent++) {
		assert_int_equal(quantiles_ns(&quantiles, percent), percent);
	}
}

/* Durations spread over all magnitudes, held against the sorted list. */
static void the_error_is_below_its_bound(void **state)
{
	static struct quantiles quantiles;
	static uint64_t durations[COUNT_MAX];
	uint64_t random = 1;

	(void)state;
	for (uint32_t round = 0; round < 200; round++) {
		const uint32_t count = 1 + (uint32_t)(next_random(&random) % COUNT_MAX);
		const uint32_t bits = 1 + round % 52;

		memset(&quantiles, 0, sizeof(quantiles));
		for (uint32_t i = 0; i < count; i++) {
			durations[i] = next_random(&random) >> (next_random(&random) % bits);
			quantiles_add(&quantiles, durations[i]);
		}
		qsort(durations, count, sizeof(durations[0]), compare);
		for (uint32_t percent = 1; percent <= 100; percent++) {
			const uint32_t rank = (count * percent + 99) / 100;
			const uint64_t truth = durations[rank - 1];
			const uint64_t told = quantiles_ns(&quantiles, percent);
			const uint64_t error = told > truth ? told - truth : truth - told;

			assert_true(error * 128 <= truth);
		}
	}
}

static void the_longest_durations_fit(void **state)
{
	static struct quantiles quantiles;

	(void)state;
	memset(&quantiles, 0, sizeof(quantiles));
	quantiles_add(&quantiles, UINT64_MAX);
	quantiles_add(&quantiles, 0);
	assert_int_equal(quantiles_ns(&quantiles, 50), 0);
	assert_true(quantiles_ns(&quantiles, 99) > UINT64_MAX - UINT64_MAX / 128);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_one_is_zero),
		cmocka_unit_test(small_durations_are_exact),
		cmocka_unit_test(the_error_is_below_its_bound),
		cmocka_unit_test(the_longest_durations_fit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
