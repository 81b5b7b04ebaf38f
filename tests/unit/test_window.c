/* SPDX-License-Identifier: MIT */
/* Where the window begins and ends: jobs decide, and where they do not, the recording's edges. */
#include "analysis/core/window.h"

#include "tests/unit/event_builder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void add(struct window *window, struct event event)
{
	assert_int_equal(window_add(window, &event), STATUS_OK);
}

static struct event span_of(uint64_t time_ns, uint64_t job)
{
	return (struct event){.kind = EVENT_SPAN_BEGIN,
		.time_ns = time_ns,
		.pid = 1,
		.tid = 1,
		.span = {.name = "synthesize", .work = {.job = job, .partition = 0, .device = -1}}};
}

static struct event state_of(uint64_t time_ns, uint64_t job)
{
	return (struct event){.kind = EVENT_STATE,
		.time_ns = time_ns,
		.pid = 1,
		.tid = 1,
		.state = {.subject = GAPTRACE_STATE_JOB, .name = "", .work = {.job = job}}};
}

static void jobs_bound_the_window(void **state)
{
	struct window window;

	(void)state;
	window_init(&window);
	assert_int_equal(window_known_until(&window), 0);
	add(&window, event_device(5, 1, 0, "A"));
	add(&window, event_job(EVENT_JOB_SUBMIT, 10, 1, 1));
	add(&window, event_job(EVENT_JOB_SUBMIT, 20, 1, 2));
	add(&window, event_job(EVENT_JOB_END, 30, 1, 1));
	assert_int_equal(window_known_until(&window), 30);
	add(&window, event_device(40, 1, 0, "A"));
	assert_int_equal(window_known_until(&window), 40); /* job 2 goes on */
	add(&window, event_job(EVENT_JOB_END, 50, 1, 2));
	add(&window, event_device(60, 1, 0, "A"));
	assert_int_equal(window_known_until(&window), 50); /* nobody knows whether more comes */
	assert_int_equal(window.begin_ns, 10);
	assert_false(window.is_begin_cut);
	assert_int_equal(window_end_ns(&window), 50);
	assert_false(window_is_end_cut(&window));
	assert_int_equal(window_partitions(&window), 4); /* of the two jobs that are done */
	window_finish(&window);
}

static void a_recording_that_begins_inside_a_job_is_cut(void **state)
{
	struct window window;

	(void)state;
	window_init(&window);
	add(&window, event_device(5, 1, 0, "A"));
	add(&window, span_of(7, 3));
	add(&window, event_job(EVENT_JOB_SUBMIT, 10, 1, 4));
	add(&window, event_job(EVENT_JOB_END, 20, 1, 3));
	assert_true(window.is_begin_cut);
	assert_int_equal(window.begin_ns, 5);
	assert_true(window_is_end_cut(&window)); /* job 4 has not ended */
	add(&window, event_device(33, 1, 0, "A"));
	assert_int_equal(window_end_ns(&window), 33);
	window_finish(&window);
}

static void jobs_of_two_processes_are_two_jobs(void **state)
{
	struct window window;

	(void)state;
	window_init(&window);
	add(&window, event_job(EVENT_JOB_SUBMIT, 10, 1, 1));
	add(&window, event_job(EVENT_JOB_SUBMIT, 11, 2, 1));
	add(&window, event_job(EVENT_JOB_END, 20, 1, 1));
	assert_true(window_is_end_cut(&window));
	add(&window, event_job(EVENT_JOB_END, 21, 2, 1));
	assert_false(window_is_end_cut(&window));
	window_finish(&window);
}

static void a_keyframe_opens_a_job_but_not_one_that_ended(void **state)
{
	struct window window;

	(void)state;
	window_init(&window);
	add(&window, state_of(10, 8));
	assert_true(window_is_end_cut(&window));
	add(&window, event_job(EVENT_JOB_END, 20, 1, 8));
	add(&window, state_of(21, 8));
	assert_false(window_is_end_cut(&window));
	assert_int_equal(window_end_ns(&window), 20);
	window_finish(&window);
}

static void without_jobs_the_recording_is_the_window(void **state)
{
	struct window window;

	(void)state;
	window_init(&window);
	add(&window, event_device(5, 1, 0, "A"));
	add(&window, event_device(9, 1, 0, "A"));
	assert_int_equal(window_known_until(&window), 0);
	window_force_begin(&window);
	assert_int_equal(window.begin_ns, 5);
	assert_int_equal(window_end_ns(&window), 9);
	assert_true(window.is_begin_cut && window_is_end_cut(&window));
	window_finish(&window);
}

static void partitions_are_ends_of_prove_finish_when_there_are_any(void **state)
{
	struct event finish = span_of(15, 1);
	struct window window;

	(void)state;
	finish.kind = EVENT_PROVE_FINISH_END;
	window_init(&window);
	add(&window, event_job(EVENT_JOB_SUBMIT, 10, 1, 1));
	add(&window, finish);
	add(&window, finish);
	add(&window, finish);
	assert_int_equal(window_partitions(&window), 3);
	window_finish(&window);
}

static struct event end_of_job(uint64_t time_ns, uint64_t job, uint64_t duration_ns)
{
	struct event event = event_job(EVENT_JOB_END, time_ns, 1, job);

	event.job.duration_ns = duration_ns;
	return event;
}

static struct event end_of_partition(uint64_t time_ns, int32_t partition, uint64_t duration_ns)
{
	struct event event = span_of(time_ns, 1);

	event.kind = EVENT_PROVE_FINISH_END;
	event.span.work.partition = partition;
	event.span.duration_ns = duration_ns;
	return event;
}

static void what_two_recordings_tell_counts_once(void **state)
{
	struct window window;

	(void)state;
	window_init(&window);
	add(&window, event_job(EVENT_JOB_SUBMIT, 10, 1, 1));
	add(&window, event_job(EVENT_JOB_SUBMIT, 11, 1, 1));
	add(&window, end_of_partition(20, 0, 7));
	add(&window, end_of_partition(21, 0, 7));
	add(&window, end_of_partition(25, 1, 7));
	add(&window, end_of_partition(26, 1, 7));
	add(&window, end_of_job(30, 1, 20));
	add(&window, end_of_job(31, 1, 20));
	assert_int_equal(window.jobs_done, 1);
	assert_int_equal(window_partitions(&window), 2);
	assert_int_equal(window.told_twice, 3);
	assert_int_equal(window_end_ns(&window), 30);
	window_finish(&window);
}

static void a_process_number_used_again_is_not_told_twice(void **state)
{
	struct window window;

	(void)state;
	window_init(&window);
	add(&window, event_job(EVENT_JOB_SUBMIT, 10, 1, 1));
	add(&window, end_of_partition(20, 0, 7));
	add(&window, end_of_job(30, 1, 20));
	add(&window, event_job(EVENT_JOB_SUBMIT, 110, 1, 1));
	add(&window, end_of_partition(120, 0, 8));
	add(&window, end_of_job(130, 1, 21));
	/* Durations that nobody measured say nothing. */
	add(&window, end_of_job(140, 2, GAPTRACE_UNKNOWN));
	add(&window, end_of_job(150, 2, GAPTRACE_UNKNOWN));
	assert_int_equal(window.jobs_done, 4);
	assert_int_equal(window_partitions(&window), 2);
	assert_int_equal(window.told_twice, 0);
	window_finish(&window);
}

static struct event note_of(uint64_t time_ns)
{
	return (struct event){.kind = EVENT_IMPORT_NOTE,
		.time_ns = time_ns,
		.note = {.kind = EVENT_NOTE_SOURCE, .text = "a file"}};
}

/* What comes at its start may end last; what a reader says about the file is in no time of it. */
static void an_imported_window_is_from_the_first_start_to_the_last_end(void **state)
{
	struct window window;
	struct event kernel = event_operation_at(EVENT_GPU_KERNEL, 1, 0, 100, 190);

	(void)state;
	window_init(&window);
	window_set_imported(&window);
	add(&window, note_of(0));
	add(&window, event_device(0, 1, 0, "A"));
	assert_int_equal(window_known_until(&window), 0);
	kernel.time_ns = 100;
	add(&window, kernel);
	assert_int_equal(window_known_until(&window), 100); /* memory is bounded without jobs */
	add(&window, span_of(150, 0));
	kernel.kernel.operation.end_ns = UINT64_MAX; /* CUPTI's "no time" */
	add(&window, kernel);
	add(&window, note_of(500));
	assert_int_equal(window.begin_ns, 100);
	assert_true(window.is_begin_cut);
	assert_int_equal(window_end_ns(&window), 190);
	assert_true(window_is_end_cut(&window));
	window_finish(&window);
}

/* Jobs of a log move the begin, until a gap was told that begins with it. */
static void jobs_of_an_imported_trace_move_the_begin_once(void **state)
{
	struct window window;

	(void)state;
	for (int is_told = 0; is_told < 2; is_told++) {
		window_init(&window);
		window_set_imported(&window);
		add(&window, span_of(100, 0));
		window.is_begin_told = is_told;
		add(&window, event_job(EVENT_JOB_SUBMIT, 120, 1, 1));
		add(&window, event_job(EVENT_JOB_SUBMIT, 140, 1, 2));
		assert_int_equal(window.begin_ns, is_told ? 100 : 120);
		assert_int_equal(window.is_begin_cut, is_told);
		window_finish(&window);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(jobs_bound_the_window),
		cmocka_unit_test(a_recording_that_begins_inside_a_job_is_cut),
		cmocka_unit_test(jobs_of_two_processes_are_two_jobs),
		cmocka_unit_test(a_keyframe_opens_a_job_but_not_one_that_ended),
		cmocka_unit_test(what_two_recordings_tell_counts_once),
		cmocka_unit_test(a_process_number_used_again_is_not_told_twice),
		cmocka_unit_test(without_jobs_the_recording_is_the_window),
		cmocka_unit_test(partitions_are_ends_of_prove_finish_when_there_are_any),
		cmocka_unit_test(an_imported_window_is_from_the_first_start_to_the_last_end),
		cmocka_unit_test(jobs_of_an_imported_trace_move_the_begin_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
