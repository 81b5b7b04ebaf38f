/* SPDX-License-Identifier: MIT */
/* Proves that inputs come out in the order of time, and of one time in the order of their numbers.
 */
#include "analysis/core/merge_heap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#define INPUTS 13
#define TIMES  400

static uint32_t random_state = 1;

static uint32_t draw(uint32_t below)
{
	random_state = random_state * 1664525 + 1013904223;
	return (random_state >> 16) % below;
}

/* Each input has TIMES times that never go back, many of them shared. */
static void all_times_come_in_order(void **state)
{
	struct merge_head heads[INPUTS];
	struct merge_heap heap = {.heads = heads};
	uint32_t left[INPUTS];
	struct merge_head last = {0, 0};
	uint32_t count = 0;

	(void)state;
	for (size_t i = INPUTS; i > 0; i--) {
		left[i - 1] = TIMES;
		merge_heap_add(&heap, (struct merge_head){.time_ns = draw(5), .input = i - 1});
	}
	while (heap.count > 0) {
		const struct merge_head first = heap.heads[0];

		assert_true(first.time_ns >= last.time_ns);
		if (count > 0 && first.time_ns == last.time_ns) {
			assert_true(first.input >= last.input);
		}
		last = first;
		count++;
		if (--left[first.input] == 0) {
			merge_heap_remove_first(&heap);
		} else {
			merge_heap_move_first(&heap, first.time_ns + draw(4));
		}
	}
	assert_int_equal(count, INPUTS * TIMES);
}

/* One that waited comes back with a time that is later than some and earlier than others. */
static void one_that_waited_finds_its_place(void **state)
{
	struct merge_head heads[3];
	struct merge_heap heap = {.heads = heads};

	(void)state;
	merge_heap_add(&heap, (struct merge_head){.time_ns = 30, .input = 0});
	merge_heap_add(&heap, (struct merge_head){.time_ns = 10, .input = 2});
	merge_heap_add(&heap, (struct merge_head){.time_ns = 20, .input = 1});
	merge_heap_remove_first(&heap);
	assert_int_equal(heap.heads[0].input, 1);
	merge_heap_add(&heap, (struct merge_head){.time_ns = 20, .input = 2});
	assert_int_equal(heap.heads[0].input, 1);
	merge_heap_remove_first(&heap);
	assert_int_equal(heap.heads[0].input, 2);
	merge_heap_remove_first(&heap);
	assert_int_equal(heap.heads[0].input, 0);
	merge_heap_remove_first(&heap);
	assert_int_equal(heap.count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_times_come_in_order),
		cmocka_unit_test(one_that_waited_finds_its_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
