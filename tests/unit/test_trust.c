/* SPDX-License-Identifier: MIT */
/* What makes a recording one not to trust, and that every loss is said in a line of its own. */
#include "analysis/core/trust.h"

#include "trace/base/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static struct trust whole(void)
{
	struct trust trust;

	trust_init(&trust);
	trust.events = 1000;
	trust.operations = 1000;
	trust.window_ns = 1000;
	trust.joined = 100;
	return trust;
}

static bool conclude(struct trust *trust, const char *said)
{
	bool is_said = said == NULL;
	bool is_ok;

	assert_int_equal(trust_conclude(trust), STATUS_OK);
	for (uint32_t i = 0; said && i < trust->note_count; i++) {
		is_said |= strstr(trust->notes[i], said) != NULL;
	}
	assert_true(is_said);
	is_ok = trust->ok;
	trust_finish(trust);
	return is_ok;
}

static void a_whole_recording_is_trusted_without_notes(void **state)
{
	struct trust trust = whole();

	(void)state;
	assert_int_equal(trust_conclude(&trust), STATUS_OK);
	assert_true(trust.ok);
	assert_int_equal(trust.note_count, 0);
	assert_true(trust_coverage(&trust) == 1.0);
	trust_finish(&trust);
}

static void one_in_a_hundred_is_the_limit(void **state)
{
	struct trust trust = whole();

	(void)state;
	trust.discarded_events = 10;
	assert_true(conclude(&trust, "lost events: 10"));
	trust = whole();
	trust.discarded_events = 11;
	assert_false(conclude(&trust, "lost events: 11"));
	trust = whole();
	trust.bad_stamps = 10;
	assert_true(conclude(&trust, "time stamps: 10"));
	trust = whole();
	trust.bad_stamps = 11;
	assert_false(conclude(&trust, "time stamps: 11"));
	trust = whole();
	trust.dropped_records = 11;
	assert_false(conclude(&trust, "dropped records: 11"));
	trust = whole();
	trust.late_records = 1;
	trust.late_ns = 11;
	assert_false(conclude(&trust, "late device records: 1"));
}

static void a_loss_without_a_number_is_no_number(void **state)
{
	struct trust trust = whole();

	(void)state;
	trust.discarded_events = 1;
	trust.has_uncounted = true;
	assert_true(conclude(&trust, "lost events: 1; at least"));
}

static void lost_packets_count_by_the_time_they_cover(void **state)
{
	struct trust trust = whole();

	(void)state;
	trust.discarded_packets = 1;
	assert_int_equal(interval_set_add(&trust.untrusted, 0, 50), STATUS_OK);
	assert_true(conclude(&trust, "lost packets: 1"));
	trust = whole();
	trust.discarded_packets = 1;
	assert_int_equal(interval_set_add(&trust.untrusted, 0, 51), STATUS_OK);
	assert_false(conclude(&trust, "lost packets: 1"));
	trust = whole();
	trust.discarded_packets = 1; /* and nobody knows when */
	assert_false(conclude(&trust, "lost packets: 1"));
}

static void what_could_not_be_read_is_never_trusted(void **state)
{
	struct trust trust = whole();

	(void)state;
	trust.unreadable = 1;
	assert_false(conclude(&trust, NULL));
}

static void facts_leave_room_for_what_is_missing(void **state)
{
	struct trust trust = whole();

	(void)state;
	for (int i = 0; i < 1000; i++) {
		assert_int_equal(trust_fact(&trust, "not in the file: NVTX ranges"), STATUS_OK);
	}
	assert_int_equal(trust.note_count, TRUST_FACT_COUNT_MAX);
	assert_non_null(strstr(trust.notes[TRUST_FACT_COUNT_MAX - 1], "more"));
	assert_int_equal(trust_note(&trust, "rank 63 was cut"), STATUS_OK);
	trust.unreadable = 1;
	assert_false(conclude(&trust, "rank 63 was cut"));
}

static void notes_are_bounded(void **state)
{
	struct trust trust = whole();

	(void)state;
	for (int i = 0; i < 1000; i++) {
		assert_int_equal(trust_note(&trust, "file %d", i), STATUS_OK);
	}
	assert_int_equal(trust.note_count, TRUST_NOTE_COUNT_MAX);
	assert_string_equal(trust.notes[0], "file 0");
	assert_non_null(strstr(trust.notes[TRUST_NOTE_COUNT_MAX - 1], "more"));
	trust_finish(&trust);
}

static void nothing_to_join_is_no_coverage(void **state)
{
	struct trust trust = whole();

	(void)state;
	trust.joined = 0;
	assert_true(trust_coverage(&trust) < 0);
	trust.unjoined = 3;
	assert_true(trust_coverage(&trust) == 0.0);
	assert_true(conclude(&trust, "3 of 3"));
}

static void overlapping_recordings_are_not_to_be_trusted(void **state)
{
	struct trust trust = whole();

	(void)state;
	trust.told_twice = 1;
	assert_false(conclude(&trust, "ends of jobs and partitions that two recordings have: 1; "
				      "they are of one process at one time"));
}

/* Half a second before the window and a tenth of a percent in it, then a fifth of it. */
static void what_no_recording_covers_is_said_and_counts(void **state)
{
	struct trust trust = whole();

	(void)state;
	trust.window_begin_ns = NS_PER_S;
	trust.window_ns = NS_PER_S;
	assert_int_equal(
		interval_set_add(&trust.uncovered, NS_PER_S / 2, NS_PER_S + NS_PER_MS), STATUS_OK);
	assert_true(conclude(&trust, "no recording covers 1.000 ms of the window, 0 ns into it"));

	trust = whole();
	trust.window_begin_ns = NS_PER_S;
	trust.window_ns = NS_PER_S;
	assert_int_equal(interval_set_add(&trust.uncovered, 0, NS_PER_MS), STATUS_OK);
	assert_int_equal(interval_set_add(&trust.uncovered, 3 * NS_PER_S / 2, 17 * NS_PER_S / 10),
		STATUS_OK);
	assert_false(conclude(&trust, "no recording covers 200.0 ms of the window, 500.0 ms into"));
}

/* 20 ns are lost twice, 10 ns thrice, and 90 ns before the window. */
static void time_lost_in_several_ways_counts_once_and_in_the_window_only(void **state)
{
	static const char note[] =
		"may be of 110 ns in a window of 2.199 us: more than a twentieth";
	struct interval_set dropped;
	struct trust trust = whole();

	(void)state;
	interval_set_init(&dropped);
	assert_int_equal(interval_set_add(&dropped, 0, 120), STATUS_OK);
	trust.window_begin_ns = 90;
	trust.window_ns = 2199;
	trust.unrecorded = &dropped;
	assert_int_equal(interval_set_add(&trust.untrusted, 100, 150), STATUS_OK);
	assert_int_equal(interval_set_add(&trust.uncovered, 110, 200), STATUS_OK);
	assert_int_equal(trust_conclude(&trust), STATUS_OK);
	assert_int_equal(trust.untrusted_ns, 110);
	assert_false(trust.ok);
	assert_non_null(strstr(trust.notes[trust.note_count - 1], note));
	trust_finish(&trust);

	trust = whole();
	trust.window_begin_ns = 90;
	trust.window_ns = 600;
	trust.unrecorded = &dropped;
	assert_true(conclude(&trust, NULL));
	interval_set_finish(&dropped);
}

static void a_loss_without_a_window_is_not_trusted(void **state)
{
	struct trust trust = whole();

	(void)state;
	trust.window_ns = 0;
	assert_int_equal(interval_set_add(&trust.untrusted, 100, 150), STATUS_OK);
	assert_false(conclude(&trust, NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_whole_recording_is_trusted_without_notes),
		cmocka_unit_test(one_in_a_hundred_is_the_limit),
		cmocka_unit_test(what_no_recording_covers_is_said_and_counts),
		cmocka_unit_test(overlapping_recordings_are_not_to_be_trusted),
		cmocka_unit_test(a_loss_without_a_number_is_no_number),
		cmocka_unit_test(lost_packets_count_by_the_time_they_cover),
		cmocka_unit_test(what_could_not_be_read_is_never_trusted),
		cmocka_unit_test(facts_leave_room_for_what_is_missing),
		cmocka_unit_test(notes_are_bounded),
		cmocka_unit_test(nothing_to_join_is_no_coverage),
		cmocka_unit_test(time_lost_in_several_ways_counts_once_and_in_the_window_only),
		cmocka_unit_test(a_loss_without_a_window_is_not_trusted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
