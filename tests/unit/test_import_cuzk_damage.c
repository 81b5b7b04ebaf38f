/* SPDX-License-Identifier: MIT */
/* Logs of a daemon that began anew, whose clock was set, whose jobs were tried again, whose lines
 * were lost, or to which a collector of logs added something.
 */
#include "analysis/import/cuzk_clock.h"
#include "analysis/import/cuzk_log.h"
#include "analysis/import/cuzk_native.h"
#include "analysis/import/cuzk_starts.h"
#include "analysis/import/cuzk_text.h"
#include "gaptrace/schema.h"
#include "trace/base/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants these before it */
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FILE_COUNT 2

static char paths[FILE_COUNT][64];

static int make_paths(void **state)
{
	(void)state;
	for (size_t i = 0; i < FILE_COUNT; i++) {
		int file;

		(void)snprintf(paths[i], sizeof(paths[i]), "/tmp/gaptrace-cuzk.XXXXXX");
		file = mkstemp(paths[i]);
		if (file < 0 || close(file) != 0) {
			return -1;
		}
	}
	return 0;
}

static int remove_paths(void **state)
{
	int result = 0;

	(void)state;
	for (size_t i = 0; i < FILE_COUNT; i++) {
		result |= unlink(paths[i]);
	}
	return result;
}

/* What a log became. */
struct outcome {
	size_t kernels;
	size_t submits;
	size_t failed_jobs;
	size_t done_jobs;
	size_t lost_notes;
	uint64_t first_kernel_ns;
	uint64_t last_submit_ns;
	uint64_t longest_resident_ns;
	char notes[4096];
};

static void add_event(const struct event *event, struct outcome *outcome)
{
	switch ((int)event->kind) {
	case EVENT_GPU_KERNEL:
		if (outcome->kernels++ == 0) {
			outcome->first_kernel_ns = event->kernel.operation.start_ns;
		}
		break;
	case EVENT_JOB_SUBMIT:
		outcome->submits++;
		outcome->last_submit_ns = event->time_ns;
		break;
	case EVENT_JOB_END:
		outcome->failed_jobs += event->job.status == GAPTRACE_JOB_FAILED;
		outcome->done_jobs += event->job.status == GAPTRACE_JOB_DONE;
		break;
	case EVENT_QUEUE_POP:
		if (event->queue.resident_ns != GAPTRACE_UNKNOWN &&
			event->queue.resident_ns > outcome->longest_resident_ns) {
			outcome->longest_resident_ns = event->queue.resident_ns;
		}
		break;
	case EVENT_IMPORT_NOTE:
		outcome->lost_notes += event->note.kind == EVENT_NOTE_LOST;
		(void)snprintf(outcome->notes + strlen(outcome->notes),
			sizeof(outcome->notes) - strlen(outcome->notes), "%s\n", event->note.text);
		break;
	default:
		break;
	}
}

/* Opens one log, or two parts of one when `second` is not NULL. */
static enum status open_log(
	const char *first, const char *second, struct diag *diag, struct import_reader **out_reader)
{
	const char *const texts[FILE_COUNT] = {first, second};
	const char *names[FILE_COUNT] = {paths[0], paths[1]};

	for (size_t i = 0; i < FILE_COUNT; i++) {
		FILE *file = fopen(paths[i], "we");

		assert_non_null(file);
		assert_true(fputs(texts[i] ? texts[i] : "", file) >= 0);
		assert_int_equal(fclose(file), 0);
	}
	return cuzk_log_open(names, second ? 2 : 1, diag, out_reader);
}

/* Reads them to their end. */
static struct outcome read_log(const char *first, const char *second)
{
	struct outcome outcome = {0};
	struct import_reader *reader = NULL;
	struct diag diag = {""};
	struct event event;
	uint64_t last_ns = 0;
	bool has_event = true;

	assert_int_equal(open_log(first, second, &diag, &reader), STATUS_OK);
	for (;;) {
		assert_int_equal(
			reader->operations->next(reader, &event, &has_event, &diag), STATUS_OK);
		if (!has_event) {
			break;
		}
		assert_true(event.time_ns >= last_ns);
		last_ns = event.time_ns;
		add_event(&event, &outcome);
	}
	import_reader_destroy(reader);
	return outcome;
}

/* A proof of partition 0 that was queued at `ms`; the TIMELINE lines of 60 ms. */
#define PROOF(job, ms)                                                                             \
	"TIMELINE," ms "00,SYNTH_START," job ",partition=0\n"                                      \
	"TIMELINE," ms "10,GPU_QUEUE," job ",partition=0\n"                                        \
	"TIMELINE," ms "11,GPU_PICKUP," job ",worker=0,partition=0\n"                              \
	"TIMELINE," ms "12,GPU_START," job ",worker=0,partition=0\n"                               \
	"TIMELINE," ms "60,GPU_END," job ",worker=0,partition=0,gpu_ms=48\n"

static void add_times(struct cuzk_starts *starts, const uint64_t *times_ms, size_t count)
{
	*starts = (struct cuzk_starts){0};
	for (size_t i = 0; i < count; i++) {
		(void)cuzk_starts_add(starts, i + 1, times_ms[i]);
	}
}

static void times_that_go_back_for_good_are_a_new_beginning(void **state)
{
	static const uint64_t anew[] = {500000, 500001, 300, 400, 90000};
	static const uint64_t disorder[] = {500000, 500900, 500100, 500000, 501000};
	static const uint64_t too_small[] = {500000, 500001, 7, 500002, 500003};
	static const uint64_t too_large[] = {500000, 500001, 999999999, 500002, 500003};
	struct cuzk_starts starts;

	(void)state;
	add_times(&starts, anew, 5);
	assert_int_equal(starts.count, 1);
	assert_int_equal(starts.line, 3);
	assert_int_equal(starts.time_ms, 300);
	add_times(&starts, disorder, 5);
	assert_int_equal(starts.count + starts.odd_count, 0);
	add_times(&starts, too_small, 5);
	assert_int_equal(starts.count, 0);
	assert_true(cuzk_starts_is_odd(&starts, 3));
	add_times(&starts, too_large, 5);
	assert_int_equal(starts.count, 0);
	assert_true(cuzk_starts_is_odd(&starts, 3));
	assert_int_equal(starts.odd_count, 1);
}

static void of_a_daemon_that_began_anew_the_last_run_is_read_and_it_is_said(void **state)
{
	static const char log[] = PROOF("a", "500") PROOF("b", "501") PROOF("a", "9");
	const struct outcome outcome = read_log(log, NULL);

	(void)state;
	assert_int_equal(outcome.kernels, 1);
	assert_int_equal(outcome.first_kernel_ns, 912 * NS_PER_MS);
	assert_non_null(strstr(outcome.notes, "began 2 times"));
	assert_non_null(strstr(outcome.notes, "since line 11 of /tmp/"));
	/* The number is that of the file. */
	assert_non_null(strstr(read_log(PROOF("b", "501"), PROOF("a", "600") PROOF("a", "9")).notes,
		"since line 6 of "));
}

static void a_line_with_a_time_that_is_none_costs_no_other(void **state)
{
	static const char log[] =
		PROOF("a", "500") "TIMELINE,999999999999,GPU_QUEUE,x,partition=0\n" PROOF(
			"b", "501") "TIMELINE,3,GPU_QUEUE,y,partition=0\n" PROOF("c", "502");
	const struct outcome outcome = read_log(log, NULL);

	(void)state;
	assert_int_equal(outcome.kernels, 3);
	assert_non_null(strstr(outcome.notes, "2 TIMELINE lines"));
	assert_null(strstr(outcome.notes, "began"));
}

#define UTC(second) "2026-03-14T10:08:" second ".000000Z  INFO cuzk_core::engine: "

static void parts_of_a_log_are_put_in_order_of_time(void **state)
{
	static const char older[] = UTC("20") "job enqueued job_id=a\n" PROOF("a", "500");
	static const char newer[] = UTC("50") "job enqueued job_id=b\n" PROOF("b", "800");
	const struct outcome outcome = read_log(newer, older);

	(void)state;
	assert_int_equal(outcome.kernels, 2);
	assert_null(strstr(outcome.notes, "began"));
}

/* One worker 0, one clock and one tracker of two daemons would be taken for the same. */
static void logs_of_two_daemons_are_no_parts_of_one(void **state)
{
	static const char first[] =
		"2026-03-14T10:00:00.000000Z  INFO cuzk_core::engine: job enqueued job_id=a\n" UTC(
			"20") "job enqueued job_id=b\n";
	static const char second[] =
		"2026-03-14T10:07:00.000000Z  INFO cuzk_core::engine: job enqueued job_id=c\n" UTC(
			"59") "job enqueued job_id=d\n";
	struct import_reader *reader = NULL;
	struct diag diag = {""};

	(void)state;
	assert_int_equal(open_log(first, second, &diag, &reader), STATUS_BAD_USE);
	assert_non_null(strstr(diag.line, paths[0]));
	assert_non_null(strstr(diag.line, paths[1]));
	/* Where one log was cut, lines may be a little out of order. */
	assert_int_equal(read_log(first, UTC("19") "job enqueued job_id=c\n").submits, 3);
}

static void tracing_lines_in_json_are_said_to_be_unread(void **state)
{
	static const char json[] = "{\"timestamp\":\"2026-03-14T10:08:56.011688Z\",\"level\":"
				   "\"INFO\",\"fields\":{\"message\":\"FIN_TIMING malloc_trim\"},"
				   "\"target\":\"cuzk_core::engine\"}\n";
	const struct outcome outcome = read_log(json, PROOF("a", "500"));
	struct import_reader *reader = NULL;
	struct diag diag = {""};

	(void)state;
	assert_true(import_cuzk_log.recognise((const unsigned char *)json, strlen(json)));
	assert_int_equal(outcome.kernels, 1);
	assert_non_null(strstr(outcome.notes, "1 tracing lines are JSON"));
	assert_int_equal(open_log(json, NULL, &diag, &reader), STATUS_BAD_INPUT);
	assert_non_null(strstr(diag.line, "JSON"));
	/* Lines of others in front of the daemon's do not hide them. */
	assert_true(import_cuzk_log.recognise((const unsigned char *)"[a]\nTIMELINE,1", 14));
}

static void times_that_go_back_leave_no_endless_durations(void **state)
{
	static const char log[] = "TIMELINE,500,GPU_QUEUE,j,partition=0\n"
				  "TIMELINE,400,GPU_PICKUP,j,worker=0,partition=0\n";

	(void)state;
	assert_int_equal(read_log(log, NULL).longest_resident_ns, 0);
}

static void without_starts_and_ends_nothing_is_known_of_a_gpu(void **state)
{
	static const char log[] = "TIMELINE,500,GPU_QUEUE,j,partition=0\n"
				  "TIMELINE,501,GPU_PICKUP,j,worker=0,partition=0\n";
	struct outcome outcome = read_log(log, NULL);

	(void)state;
	assert_int_equal(outcome.lost_notes, 1);
	assert_non_null(strstr(outcome.notes, "CUZK_DISABLE_SPLIT_PROVE"));
	outcome = read_log(PROOF("j", "5"), NULL);
	assert_int_equal(outcome.lost_notes, 0);
}

/* Lines of both streams whose clocks can be matched. */
#define QUEUED(job, ms, second)                                                                    \
	PROOF(job, ms)                                                                             \
	UTC(second)                                                                                \
	"partition synthesis complete, pushing to GPU queue job_id=" job " partition=0\n"

static void a_job_whose_name_comes_again_failed_before(void **state)
{
	static const char log[] = QUEUED("x", "10", "21") UTC("22") "job enqueued job_id=a\n" UTC(
		"30") "job enqueued job_id=a\n" UTC("40") "proof completed successfully (pipeline) "
							  "job_id=a total_ms=9\n";
	const struct outcome outcome = read_log(log, NULL);

	(void)state;
	assert_int_equal(outcome.failed_jobs, 1);
	assert_int_equal(outcome.done_jobs, 1);
}

static void a_job_at_work_that_nobody_told_to_have_come_was_there_all_along(void **state)
{
	static const char log[] =
		UTC("20") "job enqueued job_id=b\n" QUEUED("b", "10", "21") QUEUED("a", "20", "22");
	const struct outcome outcome = read_log(log, NULL);

	(void)state;
	assert_int_equal(outcome.submits, 2);
	/* Both at the log's beginning: b came one second before it was queued, and so did a, at
	 * most. */
	assert_true(outcome.last_submit_ns < NS_PER_S);
	assert_int_equal(read_log(PROOF("a", "20"), NULL).submits, 0);
}

/* A daemon that proves window posts alone has no other pairs, and its last line names no job. */
static void jobs_in_one_piece_have_a_clock_and_an_end(void **state)
{
	static const char log[] = UTC(
		"20") "job enqueued job_id=w-[1 2]\n"
		      "TIMELINE,1000,GPU_QUEUE,w-[1 2],monolithic\n"
		      "TIMELINE,1001,GPU_PICKUP,w-[1 2],worker=0\n"
		      "2026-03-14T10:08:21.002000Z  INFO gpu_worker{worker_id=0 gpu=0 job_id=w-[1 "
		      "2] "
		      "partition=None}: cuzk_core::engine: GPU_TIMING hot_path pre-prove overhead "
		      "worker_id=0 partition=None\n"
		      "TIMELINE,1002,GPU_START,w-[1 2],worker=0\n"
		      "TIMELINE,1900,GPU_END,w-[1 2],worker=0,gpu_ms=9\n" UTC(
			      "22") "FIN_TIMING finalizer monolithic worker_id=0 lock_wait_ms=1 "
				    "process_ms=2 total_ms=3\n";
	const struct outcome outcome = read_log(log, NULL);

	(void)state;
	assert_non_null(strstr(outcome.notes, "matched by 1 pairs"));
	assert_int_equal(outcome.submits, 1);
	assert_int_equal(outcome.done_jobs, 1);
	assert_int_equal(outcome.kernels, 1);
}

static void tracing_lines_of_when_utc_was_set_are_left_out(void **state)
{
	static const char set[] =
		QUEUED("a", "10", "21") QUEUED("b", "20", "25") UTC("26") "job enqueued job_id=c\n";
	static const char unset[] =
		QUEUED("a", "10", "21") QUEUED("b", "20", "22") UTC("26") "job enqueued job_id=c\n";
	struct outcome outcome = read_log(set, NULL);

	(void)state;
	assert_non_null(strstr(outcome.notes, "UTC was set"));
	outcome = read_log(unset, NULL);
	assert_null(strstr(outcome.notes, "UTC was set"));
}

/* Two daemons that write into one file, of which one began four seconds before the other. */
static void clocks_by_turns_are_of_two_daemons(void **state)
{
	static const char turns[] = QUEUED("a", "10", "21") QUEUED("b", "20", "26")
		QUEUED("c", "30", "23") QUEUED("d", "40", "28") QUEUED("e", "50", "25")
			QUEUED("f", "60", "30") QUEUED("g", "70", "27") QUEUED("h", "80", "32")
				QUEUED("i", "90", "29");
	static const char set[] = QUEUED("a", "10", "21") QUEUED("b", "20", "22")
		QUEUED("c", "30", "23") QUEUED("d", "40", "28") QUEUED("e", "50", "29")
			QUEUED("f", "60", "30") QUEUED("g", "70", "31") QUEUED("h", "80", "32")
				QUEUED("i", "90", "33");
	struct outcome outcome = read_log(turns, NULL);

	(void)state;
	assert_int_equal(outcome.lost_notes, 1);
	assert_non_null(strstr(outcome.notes, "two clocks by turns"));
	outcome = read_log(set, NULL);
	assert_int_equal(outcome.lost_notes, 0);
	assert_null(strstr(outcome.notes, "by turns"));
}

/* A line about the queued partition 0 of job `a`. */
static void add_queued(struct cuzk_clock *clock, bool is_tracing, uint64_t time_ms)
{
	const struct cuzk_timeline timeline = {
		.time_ms = time_ms, .event = CUZK_GPU_QUEUE, .job = "a"};
	const struct cuzk_tracing tracing = {.utc_ns = time_ms * NS_PER_MS,
		.message = CUZK_TRACING_SYNTH_COMPLETE,
		.fields = " job_id=a partition=0"};

	assert_int_equal(is_tracing ? cuzk_clock_add_tracing(clock, &tracing)
				    : cuzk_clock_add_timeline(clock, &timeline),
		STATUS_OK);
}

static void lines_of_two_tries_are_nobodys_partner(void **state)
{
	struct cuzk_clock *clock = NULL;

	(void)state;
	assert_int_equal(cuzk_clock_create(&clock), STATUS_OK);
	add_queued(clock, false, 1000);
	add_queued(clock, false, 61000);
	add_queued(clock, true, 1700000001000);
	add_queued(clock, true, 1700000061000);
	assert_int_equal(cuzk_clock_pair_count(clock), 0);
	cuzk_clock_destroy(clock);
}

static void call(struct cuzk_native *native, const char *held)
{
	assert_true(cuzk_native_add(native, "CUZK_TIMING: pre_lock_cpu_ms=2 mutex_wait_ms=0"));
	assert_true(cuzk_native_add(native, "CUZK_TIMING: gpu_tid=0 ntt_msm_h_ms=50"));
	assert_true(cuzk_native_add(native, "CUZK_TIMING: gpu_tid=0 barrier_wait_ms=10"));
	assert_true(cuzk_native_add(native, "CUZK_TIMING: gpu_tid=0 batch_add_ms=30"));
	assert_true(
		cuzk_native_add(native, "CUZK_TIMING: gpu_tid=0 tail_msm_ms=10 gpu_total_ms=100"));
	assert_true(cuzk_native_add(native, held));
}

static void a_mixed_call_may_be_any_lines_own(void **state)
{
	static const char good[] = "CUZK_TIMING: mutex_held_ms=101 total_start_fn_ms=103";
	static const char bad[] = "CUZK_TIMING: mutex_held_ms=101 total_start_fn_ms=999";
	struct cuzk_native native = {0};
	struct cuzk_call found;

	(void)state;
	call(&native, good);
	call(&native, bad);
	assert_false(cuzk_native_join(&native, 1000, &found));
	/* One of the two has not told yet: a new call is not the only one that waits. */
	call(&native, good);
	assert_false(cuzk_native_join(&native, 110, &found));
	assert_false(cuzk_native_join(&native, 110, &found));
	call(&native, good);
	assert_true(cuzk_native_join(&native, 110, &found));
	/* Its line never came, and its worker went on. */
	call(&native, bad);
	cuzk_native_lose(&native);
	call(&native, good);
	assert_true(cuzk_native_join(&native, 110, &found));
}

static void a_list_in_a_jobs_name_is_part_of_it(void **state)
{
	struct cuzk_word word;

	(void)state;
	assert_true(cuzk_text_value(" job_id=wdpost-1-0-[12 255 3] partition=3", "job_id", &word));
	assert_int_equal(word.length, strlen("wdpost-1-0-[12 255 3]"));
	assert_true(cuzk_text_value(" job_id=a[1 partition=3]", "job_id", &word));
	assert_int_equal(word.length, strlen("a[1"));
}

static void what_collectors_put_before_lines_is_passed_over(void **state)
{
	static const char journal[] = "Mar 14 10:08:51 host cuzk-daemon[12]: ";
	static const char dated[] = "2026-03-14T10:08:51+0000 host cuzk-daemon[12]: ";
	static const char kubelet[] = "2026-03-14T10:08:51.123456789Z stderr F ";
	static const char docker[] = "2026-03-14T10:08:51.123456789Z ";
	char line[256];
	uint64_t process;

	(void)state;
	(void)snprintf(line, sizeof(line), "%sTIMELINE,1", journal);
	assert_int_equal(cuzk_text_prefix(line, &process), strlen(journal));
	assert_int_equal(process, 12);
	(void)snprintf(line, sizeof(line), "%sTIMELINE,1", dated);
	assert_int_equal(cuzk_text_prefix(line, &process), strlen(dated));
	(void)snprintf(line, sizeof(line), "%s" UTC("20") "x", kubelet);
	assert_int_equal(cuzk_text_prefix(line, &process), strlen(kubelet));
	assert_int_equal(cuzk_text_prefix(UTC("20") "a[12]: b", &process), 0);
	(void)snprintf(line, sizeof(line), "%sRT,porep-1000-1,worker=1", docker);
	assert_int_equal(cuzk_text_prefix(line, &process), strlen(docker));
	(void)snprintf(line, sizeof(line), "%s" UTC("20") "x", docker);
	assert_int_equal(cuzk_text_prefix(line, &process), strlen(docker));
	assert_int_equal(cuzk_text_prefix("TIMELINE,1,GPU_QUEUE,a[12]: ,monolithic", &process), 0);
	assert_int_equal(cuzk_text_prefix("", &process), 0);
	assert_true(import_cuzk_log.recognise((const unsigned char *)line, strlen(line)));
	assert_true(import_cuzk_log.recognise((const unsigned char *)"TIMELINE,1\n\0\0", 13));
	assert_false(import_cuzk_log.recognise((const unsigned char *)"\0\0\nTIMELINE,1", 13));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_that_go_back_for_good_are_a_new_beginning),
		cmocka_unit_test(of_a_daemon_that_began_anew_the_last_run_is_read_and_it_is_said),
		cmocka_unit_test(a_line_with_a_time_that_is_none_costs_no_other),
		cmocka_unit_test(parts_of_a_log_are_put_in_order_of_time),
		cmocka_unit_test(logs_of_two_daemons_are_no_parts_of_one),
		cmocka_unit_test(tracing_lines_in_json_are_said_to_be_unread),
		cmocka_unit_test(times_that_go_back_leave_no_endless_durations),
		cmocka_unit_test(without_starts_and_ends_nothing_is_known_of_a_gpu),
		cmocka_unit_test(a_job_whose_name_comes_again_failed_before),
		cmocka_unit_test(a_job_at_work_that_nobody_told_to_have_come_was_there_all_along),
		cmocka_unit_test(jobs_in_one_piece_have_a_clock_and_an_end),
		cmocka_unit_test(tracing_lines_of_when_utc_was_set_are_left_out),
		cmocka_unit_test(clocks_by_turns_are_of_two_daemons),
		cmocka_unit_test(lines_of_two_tries_are_nobodys_partner),
		cmocka_unit_test(a_mixed_call_may_be_any_lines_own),
		cmocka_unit_test(a_list_in_a_jobs_name_is_part_of_it),
		cmocka_unit_test(what_collectors_put_before_lines_is_passed_over),
	};

	return cmocka_run_group_tests(tests, make_paths, remove_paths);
}
