/* SPDX-License-Identifier: MIT */
/* NVTX ranges become spans that begin and end in order, nested as their threads nested them. */
#include "tests/unit/nsys_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define NAMES NSYS_STRINGS "INSERT INTO StringIds VALUES (6,'IO 7'),(9,'NCCL');"

/* start, end, type, text, thread, end thread, text's number, domain. */
#define RANGE(start, end, type, text, thread, end_thread, text_id, domain)                         \
	"INSERT INTO NVTX_EVENTS VALUES (" start "," end "," type ",NULL,NULL,NULL," text          \
	"," thread "," end_thread "," text_id "," domain ",NULL);"
#define PUSH(start, end, text) RANGE(start, end, "59", text, NSYS_THREAD, "NULL", "NULL", "0")
#define START(start, end, text, end_thread)                                                        \
	RANGE(start, end, "60", text, NSYS_THREAD, end_thread, "NULL", "0")

/* "+a -a": what was told of spans, in order. */
static void expect_spans(const struct nsys_fixture *fixture, const char *expected)
{
	char told[512] = "";
	size_t used = 0;

	for (size_t i = 0; i < fixture->count; i++) {
		const struct event *event = &fixture->events[i];

		if (event->kind == EVENT_SPAN_BEGIN || event->kind == EVENT_SPAN_END) {
			used += (size_t)snprintf(told + used, sizeof(told) - used, "%s%c%s",
				used > 0 ? " " : "", event->kind == EVENT_SPAN_BEGIN ? '+' : '-',
				event->span.name);
			assert_true(used < sizeof(told));
		}
	}
	assert_string_equal(told, expected);
}

static void ranges_nest_whatever_the_order_of_rows(void **state)
{
	/* b and c begin with a, c is the shortest; d begins when c ends; e takes no time. */
	AUTO(nsys_fixture_destroy)
	struct nsys_fixture *fixture = nsys_fixture_read(
		NSYS_NVTX PUSH("30", "40", "'d'") PUSH("10", "30", "'c'") PUSH("10", "100", "'a'")
			PUSH("10", "50", "'b'") PUSH("60", "60", "'e'"));
	const struct event *end = nsys_fixture_get(fixture, EVENT_SPAN_END, 0);

	(void)state;
	expect_spans(fixture, "+a +b +c -c +d -d -b +e -e -a");
	assert_int_equal(end->time_ns, 30);
	assert_int_equal(end->pid, 42);
	assert_int_equal(end->tid, 77);
	assert_int_equal(end->span.begin_tid, 77);
	assert_int_equal(end->span.duration_ns, 20);
	assert_true(end->span.run_delay_ns == GAPTRACE_UNKNOWN);
	assert_int_equal(end->span.work.job, 0);
	assert_int_equal(end->span.work.device, GAPTRACE_NONE);
}

static void registered_texts_and_domains_name_ranges(void **state)
{
	AUTO(nsys_fixture_destroy)
	struct nsys_fixture *fixture = nsys_fixture_read(NAMES NSYS_NVTX
			/* The domain's row comes first in time, and long before all others. */
			RANGE("-1957198520", "NULL", "75", "NULL", NSYS_THREAD, "NULL", "9",
				"3") RANGE("10", "20", "59", "NULL", NSYS_THREAD, "NULL", "6", "0")
				RANGE("30", "40", "59", "'x'", NSYS_THREAD, "NULL", "NULL", "3")
					RANGE("50", "60", "59", "'y'", NSYS_THREAD, "NULL", "NULL",
						"4") RANGE("1", "NULL", "33", "'category'",
						NSYS_THREAD, "NULL", "NULL", "0"));

	(void)state;
	expect_spans(fixture, "+IO 7 -IO 7 +NCCL:x -NCCL:x +y -y");
	assert_int_equal(nsys_fixture_get(fixture, EVENT_SPAN_BEGIN, 0)->time_ns, 10);
	assert_null(nsys_fixture_note(fixture, EVENT_NOTE_FACT, "time 0"));
}

static void start_end_ranges_count_where_they_nest(void **state)
{
	AUTO(nsys_fixture_destroy)
	struct nsys_fixture *fixture = nsys_fixture_read(NSYS_NVTX PUSH("10", "50", "'push'")
			START("20", "30", "'in'", "NULL") START("20", "30", "'in too'", NSYS_THREAD)
				START("40", "60", "'overlaps'", NSYS_THREAD)
					START("21", "22", "'leaves'", "((1<<56)|(42<<24)|78)")
						START("70", "80", "'alone'", "NULL"));

	(void)state;
	expect_spans(fixture, "+push +in +in too -in too -in -push +alone -alone");
	assert_non_null(nsys_fixture_note(fixture, EVENT_NOTE_FACT, "1 NVTX ranges that end on"));
	assert_non_null(nsys_fixture_note(fixture, EVENT_NOTE_FACT, "1 NVTX start/end ranges"));
}

static void ranges_that_cross_all_end(void **state)
{
	/* Of different domains, for which NVTX has a stack each. */
	AUTO(nsys_fixture_destroy)
	struct nsys_fixture *fixture = nsys_fixture_read(NSYS_NVTX PUSH("10", "30", "'a'")
			PUSH("20", "40", "'b'") PUSH("25", "35", "'c'") PUSH("26", "45", "'d'"));

	(void)state;
	expect_spans(fixture, "+a +b +c +d -a -c -b -d");
	assert_non_null(nsys_fixture_note(fixture, EVENT_NOTE_FACT, "2 NVTX push/pop ranges end"));
}

static void ranges_without_an_end_or_with_a_wrong_one_are_counted(void **state)
{
	AUTO(nsys_fixture_destroy)
	struct nsys_fixture *fixture = nsys_fixture_read(NSYS_NVTX PUSH("10", "NULL",
		"'open'") PUSH("20", "30", "'in'") PUSH("40", "35", "'back'") PUSH("50", "'soon'",
		"'text'") RANGE("60", "70", "59", "'nobody'", "NULL", "NULL", "NULL", "0")
			RANGE("80", "NULL", "34", "'mark'", NSYS_THREAD, "NULL", "NULL", "0"));
	const struct event *lost = nsys_fixture_note(fixture, EVENT_NOTE_LOST, "NVTX_EVENTS");

	(void)state;
	expect_spans(fixture, "+open +in -in");
	assert_non_null(lost);
	assert_int_equal(lost->note.count, 3);
	assert_non_null(nsys_fixture_note(fixture, EVENT_NOTE_FACT, "1 NVTX ranges have no end"));
	assert_non_null(nsys_fixture_note(fixture, EVENT_NOTE_FACT, "1 NVTX marks"));
}

static void threads_do_not_nest_in_one_another(void **state)
{
	/* Two thousand threads share the slots of the table of threads. */
	AUTO(nsys_fixture_destroy)
	struct nsys_fixture *fixture = nsys_fixture_read(NSYS_NVTX
		"INSERT INTO NVTX_EVENTS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 "
		"FROM n"
		" WHERE i<2000) SELECT i, 5000-i%7, 59, NULL, NULL, NULL, 'r'||i, (42<<24)|i, NULL,"
		" NULL, 0, NULL FROM n;");

	(void)state;
	assert_int_equal(nsys_fixture_count(fixture, EVENT_SPAN_BEGIN), 2000);
	assert_int_equal(nsys_fixture_count(fixture, EVENT_SPAN_END), 2000);
	assert_null(nsys_fixture_note(fixture, EVENT_NOTE_FACT, "push/pop"));
}

static void too_many_open_ranges_are_counted(void **state)
{
	AUTO(nsys_fixture_destroy)
	struct nsys_fixture *fixture = nsys_fixture_read(NSYS_NVTX
		"INSERT INTO NVTX_EVENTS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 "
		"FROM n"
		" WHERE i<65546) SELECT 0, 900000-i, 59, NULL, NULL, NULL, 'r', (42<<24)|7, NULL,"
		" NULL, 0, NULL FROM n;");

	(void)state;
	/* Five notes before the first range, and one that ten were left out. */
	assert_int_equal(fixture->count, 5 + 2 * 65536 + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranges_nest_whatever_the_order_of_rows),
		cmocka_unit_test(registered_texts_and_domains_name_ranges),
		cmocka_unit_test(start_end_ranges_count_where_they_nest),
		cmocka_unit_test(ranges_that_cross_all_end),
		cmocka_unit_test(ranges_without_an_end_or_with_a_wrong_one_are_counted),
		cmocka_unit_test(threads_do_not_nest_in_one_another),
		cmocka_unit_test(too_many_open_ranges_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
