/* SPDX-License-Identifier: MIT */
/* Proves that arrays grow with what is in them, and stay whole where they cannot. */
#include "trace/base/array.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static void what_is_in_it_stays_while_it_grows(void **state)
{
	uint64_t *numbers = NULL;
	uint32_t count = 0;
	uint32_t capacity = 0;

	(void)state;
	for (; count < 100; count++) {
		assert_true(ARRAY_MAKE_ROOM(numbers, count, capacity, 3));
		numbers[count] = count;
	}
	assert_int_equal(capacity, 192);
	for (uint32_t i = 0; i < count; i++) {
		assert_int_equal(numbers[i], i);
	}
	free(numbers);
}

static void pointers_and_wide_capacities_will_do(void **state)
{
	const char **texts = NULL;
	size_t capacity = 0;

	(void)state;
	assert_true(ARRAY_MAKE_ROOM(texts, 0, capacity, 2));
	texts[1] = "";
	assert_int_equal(capacity, 2);
	assert_true(ARRAY_MAKE_ROOM(texts, 2, capacity, 2));
	assert_int_equal(capacity, 4);
	assert_string_equal(texts[1], "");
	free(texts);
}

/* Doubled, a capacity of 32 bits would become 0. */
static void a_capacity_never_wraps_round(void **state)
{
	unsigned char *bytes = NULL;
	uint32_t capacity = 1u << 31;

	(void)state;
	assert_false(ARRAY_MAKE_ROOM(bytes, capacity, capacity, 1));
	assert_int_equal(capacity, 1u << 31);
	assert_null(bytes);
}

static void what_no_memory_could_hold_is_refused(void **state)
{
	struct {
		unsigned char bytes[1 << 20];
	} *items = NULL;
	size_t capacity = SIZE_MAX / 8;

	(void)state;
	assert_false(ARRAY_MAKE_ROOM(items, capacity, capacity, 1));
	assert_int_equal(capacity, SIZE_MAX / 8);
	assert_null(items);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_in_it_stays_while_it_grows),
		cmocka_unit_test(pointers_and_wide_capacities_will_do),
		cmocka_unit_test(a_capacity_never_wraps_round),
		cmocka_unit_test(what_no_memory_could_hold_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
