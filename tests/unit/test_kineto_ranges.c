/* SPDX-License-Identifier: MIT */
/*
 * Proves that ranges of threads come out as begins and ends that nest, in order of time, whatever
 * the file says about them.
 */
#include "tests/unit/kineto_reading.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TEXT_BYTES 1000000

/* Appends a row of a thread; without a duration when `duration_us` is negative. */
static void add_row(
	char *text, char phase, const char *name, int tid, int begin_us, int duration_us)
{
	const size_t size = strlen(text);
	int used = snprintf(text + size, TEXT_BYTES - size,
		"%s{\"ph\":\"%c\",\"cat\":\"cpu_op\",\"name\":\"%s\",\"pid\":1,\"tid\":%d,\"ts\":%"
		"d",
		size ? "," : "[", phase, name, tid, begin_us);

	if (duration_us >= 0) {
		used += snprintf(text + size + (size_t)used, TEXT_BYTES - size - (size_t)used,
			",\"dur\":%d", duration_us);
	}
	(void)snprintf(text + size + (size_t)used, TEXT_BYTES - size - (size_t)used, "}");
}

/* Writes the ranges as "10+a 20-a" (begin and end, in microseconds), a thread's number behind. */
static void check(char *text, const char *wanted)
{
	struct kineto_reading reading;
	char found[2048] = "";
	size_t size = 0;

	(void)strcat(text, "]");
	reading = kineto_reading_of_text(text);
	assert_int_equal(reading.status, STATUS_OK);
	for (size_t i = 0; i < reading.count; i++) {
		const struct event *event = &reading.events[i];

		if (event->kind == EVENT_SPAN_BEGIN || event->kind == EVENT_SPAN_END) {
			size += (size_t)snprintf(found + size, sizeof(found) - size,
				"%" PRIu64 "%c%s%d ", event->time_ns / 1000,
				event->kind == EVENT_SPAN_BEGIN ? '+' : '-', event->span.name,
				event->tid);
		}
	}
	assert_string_equal(found, wanted);
	kineto_reading_finish(&reading);
	text[0] = '\0';
}

static char *make_text(void)
{
	char *text = calloc(1, TEXT_BYTES);

	assert_non_null(text);
	return text;
}

static void ranges_nest_whatever_their_order_in_the_file(void **state)
{
	char *text = make_text();

	(void)state;
	add_row(text, 'X', "inner", 1, 12, 3);
	add_row(text, 'X', "first", 1, 10, 2);
	add_row(text, 'X', "outer", 1, 10, 10);
	add_row(text, 'X', "next", 1, 20, 5);
	check(text,
		"10+outer1 10+first1 12-first1 12+inner1 15-inner1 20-outer1 20+next1 25-next1 ");
	free(text);
}

static void threads_have_ranges_of_their_own(void **state)
{
	char *text = make_text();

	(void)state;
	add_row(text, 'X', "a", 1, 10, 10);
	add_row(text, 'X', "b", 2, 15, 10);
	add_row(text, 'X', "c", 3, 12, 1);
	check(text, "10+a1 12+c3 13-c3 15+b2 20-a1 25-b2 ");
	free(text);
}

static void what_crosses_is_cut_and_counted(void **state)
{
	char *text = make_text();
	struct kineto_reading reading;

	(void)state;
	add_row(text, 'X', "a", 1, 10, 10);
	add_row(text, 'X', "b", 1, 15, 10);
	check(text, "10+a1 15+b1 20-b1 20-a1 ");
	add_row(text, 'X', "a", 1, 10, 10);
	add_row(text, 'X', "b", 1, 15, 10);
	(void)strcat(text, "]");
	reading = kineto_reading_of_text(text);
	assert_non_null(kineto_reading_note(&reading, EVENT_NOTE_FACT, "cut at its end: 1"));
	kineto_reading_finish(&reading);
	free(text);
}

static void pairs_end_where_they_say(void **state)
{
	char *text = make_text();

	(void)state;
	add_row(text, 'B', "a", 1, 10, -1);
	add_row(text, 'X', "b", 1, 12, 20);
	add_row(text, 'E', "a", 1, 15, -1);
	add_row(text, 'B', "c", 1, 15, -1);
	add_row(text, 'E', "c", 1, 15, -1);
	add_row(text, 'E', "none", 1, 16, -1);
	check(text, "10+a1 12+b1 15-b1 15-a1 15+c1 15-c1 ");
	free(text);
}

static void pairs_without_an_end_end_with_the_file(void **state)
{
	char *text = make_text();

	(void)state;
	add_row(text, 'B', "a", 1, 10, -1);
	add_row(text, 'B', "b", 1, 11, -1);
	add_row(text, 'X', "c", 1, 12, 2);
	add_row(text, 'X', "d", 2, 13, 9);
	check(text, "10+a1 11+b1 12+c1 13+d2 14-c1 22-d2 22-b1 22-a1 ");
	free(text);
}

static void ranges_without_a_length_are_told(void **state)
{
	char *text = make_text();

	(void)state;
	add_row(text, 'X', "a", 1, 10, 0);
	add_row(text, 'X', "b", 1, 10, 5);
	add_row(text, 'X', "c", 1, 12, 0);
	check(text, "10+b1 10+a1 10-a1 12+c1 12-c1 15-b1 ");
	free(text);
}

static void nesting_without_bounds_is_dropped_and_counted(void **state)
{
	char *text = make_text();
	struct kineto_reading reading;
	uint64_t open = 0;
	uint64_t deepest = 0;

	(void)state;
	for (int i = 0; i < 3000; i++) {
		add_row(text, 'X', "f", 1, i, 10000 - 2 * i);
	}
	(void)strcat(text, "]");
	reading = kineto_reading_of_text(text);
	for (size_t i = 0; i < reading.count; i++) {
		open += reading.events[i].kind == EVENT_SPAN_BEGIN;
		open -= reading.events[i].kind == EVENT_SPAN_END;
		deepest = open > deepest ? open : deepest;
	}
	assert_int_equal(open, 0);
	assert_int_equal(deepest, 1200);
	assert_int_equal(
		kineto_reading_note(&reading, EVENT_NOTE_LOST, "too deep")->note.count, 1800);
	kineto_reading_finish(&reading);
	free(text);
}

/* Many threads with many ranges: each thread's own must close in the right order. */
static void ends_of_many_threads_come_in_order(void **state)
{
	char *text = make_text();
	struct kineto_reading reading;
	int open[50] = {0};

	(void)state;
	for (int i = 0; i < 4000; i++) {
		const int begin_us = (i * 7919) % 10007;

		add_row(text, 'X', "f", 1 + i % 50, begin_us, (i * 31) % 500);
	}
	(void)strcat(text, "]");
	reading = kineto_reading_of_text(text);
	assert_int_equal(kineto_reading_count(&reading, EVENT_SPAN_BEGIN), 4000);
	assert_int_equal(kineto_reading_count(&reading, EVENT_SPAN_END), 4000);
	for (size_t i = 0; i < reading.count; i++) {
		const struct event *event = &reading.events[i];

		if (event->kind == EVENT_SPAN_BEGIN) {
			open[event->tid - 1]++;
		} else if (event->kind == EVENT_SPAN_END) {
			assert_true(open[event->tid - 1]-- > 0);
			assert_true(event->span.duration_ns <= event->time_ns);
		}
	}
	kineto_reading_finish(&reading);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranges_nest_whatever_their_order_in_the_file),
		cmocka_unit_test(threads_have_ranges_of_their_own),
		cmocka_unit_test(what_crosses_is_cut_and_counted),
		cmocka_unit_test(pairs_end_where_they_say),
		cmocka_unit_test(pairs_without_an_end_end_with_the_file),
		cmocka_unit_test(ranges_without_a_length_are_told),
		cmocka_unit_test(nesting_without_bounds_is_dropped_and_counted),
		cmocka_unit_test(ends_of_many_threads_come_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
