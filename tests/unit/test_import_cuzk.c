/* SPDX-License-Identifier: MIT */
/* The daemon's lines: torn ones put together, three kinds parsed, clocks matched, calls told apart.
 */
#include "analysis/import/cuzk_clock.h"
#include "analysis/import/cuzk_lines.h"
#include "analysis/import/cuzk_log.h"
#include "analysis/import/cuzk_native.h"
#include "analysis/import/cuzk_text.h"
#include "analysis/import/cuzk_timeline.h"
#include "analysis/import/cuzk_tracing.h"
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

static char path[64];

static const char *write_log(const char *text)
{
	FILE *file = fopen(path, "we");

	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
	assert_int_equal(fclose(file), 0);
	return path;
}

static int make_path(void **state)
{
	int file;

	(void)state;
	(void)snprintf(path, sizeof(path), "/tmp/gaptrace-cuzk.XXXXXX");
	file = mkstemp(path);
	return file < 0 ? -1 : close(file);
}

static int remove_path(void **state)
{
	(void)state;
	return unlink(path);
}

/* The lines of a log, joined by '|'. */
static struct cuzk_line_counts read_lines(const char *text, char *out_joined, size_t size)
{
	const char *name = write_log(text);
	struct cuzk_lines *lines = NULL;
	struct cuzk_line_counts counts;
	struct diag diag = {""};
	char *line = NULL;

	out_joined[0] = '\0';
	assert_int_equal(cuzk_lines_open(&name, 1, &diag, &lines), STATUS_OK);
	for (;;) {
		assert_int_equal(cuzk_lines_next(lines, &line, &diag), STATUS_OK);
		if (!line) {
			break;
		}
		(void)snprintf(out_joined + strlen(out_joined), size - strlen(out_joined), "%s%s",
			out_joined[0] ? "|" : "", line);
	}
	counts = cuzk_lines_counts(lines);
	cuzk_lines_close(lines);
	return counts;
}

static void test_a_torn_line_is_put_together_behind_what_tore_it(void **state)
{
	char joined[1024];
	struct cuzk_line_counts counts;

	(void)state;
	counts = read_lines("TIMELINE,786,GPU_STACUZK_TIMING: gpu_tid=0 batch_add_ms=651\n"
			    "RT,porep-1,worker=1,partition=3\n",
		joined, sizeof(joined));
	assert_string_equal(joined, "CUZK_TIMING: gpu_tid=0 batch_add_ms=651|"
				    "TIMELINE,786,GPU_START,porep-1,worker=1,partition=3");
	assert_int_equal(counts.mended, 1);
	assert_int_equal(counts.torn, 0);
}

static void test_a_line_torn_twice_is_put_together(void **state)
{
	char joined[1024];
	struct cuzk_line_counts counts;

	(void)state;
	counts = read_lines("TIMELICUZK_TIMING: a\nTIMELINE,7CUZK_TIMING: b_ms=1\n"
			    "CUZK_TIMING: c_ms=2\n86,GPUCUZK_NTT_H: total=3ms\n"
			    "_QUEUE,j,partition=3\n",
		joined, sizeof(joined));
	assert_string_equal(joined,
		"TIMELICUZK_TIMING: a|CUZK_TIMING: b_ms=1|CUZK_TIMING: c_ms=2|CUZK_NTT_H: "
		"total=3ms|TIMELINE,786,GPU_QUEUE,j,partition=3");
	assert_int_equal(counts.mended, 1);
}

static void test_zeros_in_a_log_are_counted(void **state)
{
	const char *name = write_log("TIMELINE,1,GPU_QUEUE,j,monolithic\n");
	FILE *file = fopen(path, "ae");
	struct cuzk_lines *lines = NULL;
	struct diag diag = {""};
	char *line = NULL;

	(void)state;
	assert_non_null(file);
	assert_int_equal(fwrite("\0\0\0TIMELINE,2\nlast", 1, 19, file), 19);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(cuzk_lines_open(&name, 1, &diag, &lines), STATUS_OK);
	do {
		assert_int_equal(cuzk_lines_next(lines, &line, &diag), STATUS_OK);
	} while (line);
	assert_int_equal(cuzk_lines_counts(lines).zeroed, 1);
	assert_int_equal(cuzk_lines_counts(lines).lines, 2);
	assert_int_equal(cuzk_lines_counts(lines).torn, 1); /* the last line, which has no end */
	cuzk_lines_close(lines);
}

static void test_a_torn_line_without_its_rest_is_counted(void **state)
{
	char joined[1024];
	struct cuzk_line_counts counts;

	(void)state;
	counts = read_lines("TIMELINE,78CUZK_TIMING: a_ms=1\nTIMELINE,79,GPU_QUEUE,j,monolithic\n",
		joined, sizeof(joined));
	assert_string_equal(joined, "CUZK_TIMING: a_ms=1|TIMELINE,79,GPU_QUEUE,j,monolithic");
	assert_int_equal(counts.torn, 1);
}

static void test_colours_and_line_ends_are_no_text(void **state)
{
	char line[] = "\033[2m2026\033[0m \033[1;32mINFO\033[0m x\r\n";
	char cut[] = "a\033[3";

	(void)state;
	cuzk_text_clean(line);
	assert_string_equal(line, "2026 INFO x");
	cuzk_text_clean(cut);
	assert_string_equal(cut, "a");
}

static void test_values_are_found_by_their_whole_key(void **state)
{
	uint64_t value = 0;

	(void)state;
	assert_true(cuzk_text_unsigned("gpu_total_ms=7 total_ms=9", "total_ms", &value));
	assert_int_equal(value, 9);
	assert_true(cuzk_text_unsigned("{a=Some(3) b=\"4\"", "a", &value));
	assert_int_equal(value, 3);
	assert_true(cuzk_text_unsigned("a=1,b=\"4\"", "b", &value));
	assert_int_equal(value, 4);
	assert_true(cuzk_text_unsigned("total=685ms", "total", &value));
	assert_int_equal(value, 685);
	assert_false(cuzk_text_unsigned("a=None b=12x c=-1", "a", &value));
	assert_false(cuzk_text_unsigned("a=None b=12x c=-1", "b", &value));
	assert_false(cuzk_text_unsigned("a=None b=12x c=-1", "c", &value));
	assert_false(cuzk_text_unsigned("a=99999999999999999999", "a", &value));
}

static struct cuzk_timeline parse_timeline(const char *text, enum cuzk_timeline_result wanted)
{
	static char line[256];
	struct cuzk_timeline timeline = {0};

	(void)snprintf(line, sizeof(line), "%s", text);
	assert_int_equal(cuzk_timeline_parse(line, &timeline), wanted);
	return timeline;
}

static void test_a_job_may_be_named_by_anything(void **state)
{
	struct cuzk_timeline timeline;

	(void)state;
	timeline = parse_timeline(
		"TIMELINE,9,GPU_PICKUP,wdpost-1-[12 255],x,worker=3", CUZK_TIMELINE_OK);
	assert_string_equal(timeline.job, "wdpost-1-[12 255],x");
	assert_int_equal(timeline.worker, 3);
	assert_int_equal(timeline.partition, CUZK_NONE);
	timeline = parse_timeline(
		"TIMELINE,10,SYNTH_END,j,partition=3,synth_ms=36487", CUZK_TIMELINE_OK);
	assert_string_equal(timeline.job, "j");
	assert_int_equal(timeline.partition, 3);
	assert_int_equal(timeline.duration_ms, 36487);
	timeline = parse_timeline("TIMELINE,10,SYNTH_START,j,kind=window-post", CUZK_TIMELINE_OK);
	assert_string_equal(timeline.kind, "window-post");
}

static void test_lines_that_lack_what_they_must_tell_are_bad(void **state)
{
	static const char *const bad[] = {"TIMELINE,", "TIMELINE,x,GPU_END,j,worker=1",
		"TIMELINE,1,GPU_EN,j,worker=1", "TIMELINE,1,GPU_END,j,worker=1",
		"TIMELINE,1,GPU_START,j", "TIMELINE,1,GPU_START,j,partition=1",
		"TIMELINE,1,SYNTH_END,j,partition=1", "TIMELINE,1,GPU_QUEUE,j,monolithic ",
		"TIMELINE,99999999999999999999,GPU_QUEUE,j,monolithic",
		"TIMELINE,1,GPU_START,j,worker=99999999"};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		(void)parse_timeline(bad[i], CUZK_TIMELINE_BAD);
	}
	(void)parse_timeline("TIMELINE,1,CHAN_SEND,j,", CUZK_TIMELINE_OTHER);
	(void)parse_timeline("CUZK_TIMING: a", CUZK_TIMELINE_OTHER);
}

static void test_a_tracing_line_tells_time_worker_and_message(void **state)
{
	struct cuzk_tracing tracing;

	(void)state;
	assert_true(cuzk_tracing_parse(
		"2026-03-14T10:08:51.982713Z  INFO gpu_worker{worker_id=2 gpu=1 job_id=\"a}b\"}: "
		"cuzk_core::engine: GPU_TIMING hot_path pre-prove overhead worker_id=2 "
		"mark_busy_ms=12",
		&tracing));
	assert_int_equal(tracing.utc_ns, 1773482931982713000);
	assert_int_equal(tracing.message, CUZK_TRACING_HOT_PATH);
	assert_int_equal(tracing.worker, 2);
	assert_int_equal(tracing.gpu, 1);
	assert_string_equal(tracing.fields, " worker_id=2 mark_busy_ms=12");
	assert_true(cuzk_tracing_parse(
		"2024-02-29T23:59:60.000000Z DEBUG a{b=1}:c{d=2}: x::y: budget acquired",
		&tracing));
	assert_int_equal(tracing.utc_ns, 1709251200000000000);
	assert_int_equal(tracing.message, CUZK_TRACING_BUDGET_ACQUIRED);
	assert_int_equal(tracing.worker, CUZK_NONE);
	assert_true(cuzk_tracing_parse(
		"2026-03-14T10:08:51.982713Z  INFO x: budget acquiredness", &tracing));
	assert_int_equal(tracing.message, CUZK_TRACING_OTHER);
	assert_false(cuzk_tracing_parse("2026-13-14T10:08:51.982713Z  INFO x: y", &tracing));
	assert_false(cuzk_tracing_parse("2026-03-14 10:08:51.982713Z  INFO x: y", &tracing));
	assert_false(cuzk_tracing_parse("", &tracing));
}

static void add_call(struct cuzk_native *native, const char *barrier, const char *held)
{
	assert_true(cuzk_native_add(native, "CUZK_TIMING: pre_lock_cpu_ms=12 mutex_wait_ms=843"));
	assert_true(cuzk_native_add(native, "CUZK_NTT_H: d_b_alloc=0ms total=685ms"));
	assert_true(cuzk_native_add(native, "CUZK_TIMING: gpu_tid=0 ntt_msm_h_ms=686"));
	assert_true(cuzk_native_add(native, "CUZK_TIMING: prep_msm_ms=1909"));
	assert_true(cuzk_native_add(native, barrier));
	assert_true(cuzk_native_add(native, "CUZK_TIMING: gpu_tid=0 batch_add_ms=651"));
	assert_true(
		cuzk_native_add(native, "CUZK_TIMING: gpu_tid=0 tail_msm_ms=83 gpu_total_ms=1812"));
	assert_true(cuzk_native_add(native, held));
}

static const char good_barrier[] = "CUZK_TIMING: gpu_tid=0 barrier_wait_ms=391";
static const char good_held[] = "CUZK_TIMING: mutex_held_ms=1813 total_start_fn_ms=2668";

static void test_a_call_is_whole_when_its_sums_hold(void **state)
{
	struct cuzk_native native = {0};
	struct cuzk_call call;

	(void)state;
	assert_false(cuzk_native_add(&native, "TIMELINE,1,GPU_QUEUE,j,monolithic"));
	add_call(&native, good_barrier, good_held);
	assert_int_equal(native.whole, 1);
	assert_true(cuzk_native_join(&native, 2671, &call));
	assert_int_equal(call.barrier_ms, 391);
	assert_int_equal(call.mutex_held_ms, 1813);
	assert_false(cuzk_native_join(&native, 2671, &call));
}

static void test_a_call_whose_sums_do_not_hold_is_used_for_nothing(void **state)
{
	struct cuzk_native native = {0};
	struct cuzk_call call;

	(void)state;
	add_call(&native, "CUZK_TIMING: gpu_tid=0 barrier_wait_ms=291", good_held);
	add_call(&native, good_barrier, "CUZK_TIMING: mutex_held_ms=1913 total_start_fn_ms=2668");
	add_call(&native, "CUZK_TIMING: gpu_tid=0 ntt_msm_h_ms=686", good_held);
	assert_int_equal(native.whole, 0);
	assert_int_equal(native.broken, 3);
	assert_false(cuzk_native_join(&native, 2671, &call));
}

static void test_of_two_calls_that_fit_none_is_taken(void **state)
{
	struct cuzk_native native = {0};
	struct cuzk_call call;

	(void)state;
	add_call(&native, good_barrier, good_held);
	add_call(&native, good_barrier, good_held);
	assert_false(cuzk_native_join(&native, 2671, &call));
	assert_int_equal(native.unjoined, 2);
	add_call(&native, good_barrier, good_held);
	cuzk_native_cut(&native);
	assert_false(cuzk_native_join(&native, 2671, &call));
	assert_int_equal(native.unjoined, 3);
}

static void add_pair(struct cuzk_clock *clock, uint64_t engine_ms, uint64_t late_us, int partition)
{
	const struct cuzk_timeline timeline = {.time_ms = engine_ms,
		.event = CUZK_GPU_END,
		.job = "j",
		.partition = partition,
		.duration_ms = 7};
	char fields[64];
	const struct cuzk_tracing tracing = {
		.utc_ns = 1000 * NS_PER_S + engine_ms * NS_PER_MS + late_us * NS_PER_US,
		.message = CUZK_TRACING_GPU_COMPLETE,
		.fields = fields};

	(void)snprintf(fields, sizeof(fields), " job_id=j partition=%d gpu_ms=7", partition);
	assert_int_equal(cuzk_clock_add_tracing(clock, &tracing), STATUS_OK);
	assert_int_equal(cuzk_clock_add_timeline(clock, &timeline), STATUS_OK);
}

static void test_the_least_delayed_pair_tells_what_lies_between_the_clocks(void **state)
{
	struct cuzk_clock *clock = NULL;
	uint64_t time_ns = 0;

	(void)state;
	assert_int_equal(cuzk_clock_create(&clock), STATUS_OK);
	assert_false(cuzk_clock_time(clock, 1, &time_ns));
	add_pair(clock, 1000, 900, 1);
	add_pair(clock, 2000, 100, 2);
	add_pair(clock, 3000, 50000, 3);
	assert_int_equal(cuzk_clock_pair_count(clock), 3);
	assert_true(cuzk_clock_time(clock, 1005 * NS_PER_S, &time_ns));
	assert_int_equal(time_ns, 5 * NS_PER_S - 100 * NS_PER_US);
	assert_true(cuzk_clock_epoch(clock, &time_ns));
	assert_int_equal(time_ns, 1000 * NS_PER_S + 100 * NS_PER_US);
	assert_false(cuzk_clock_time(clock, 999 * NS_PER_S, &time_ns));
	cuzk_clock_destroy(clock);
}

/* Reads a log to its end: how many events of the kind there are, times never going back. */
static size_t count_events(const char *text, enum event_kind kind, struct event *out_last)
{
	const char *name = write_log(text);
	struct import_reader *reader = NULL;
	struct diag diag = {""};
	struct event event;
	uint64_t last_ns = 0;
	bool has_event = true;
	size_t count = 0;

	assert_int_equal(cuzk_log_open(&name, 1, &diag, &reader), STATUS_OK);
	for (;;) {
		assert_int_equal(
			reader->operations->next(reader, &event, &has_event, &diag), STATUS_OK);
		if (!has_event) {
			break;
		}
		assert_true(event.time_ns >= last_ns);
		last_ns = event.time_ns;
		if (event.kind == kind) {
			*out_last = event;
			count++;
		}
	}
	import_reader_destroy(reader);
	return count;
}

static void test_a_claim_is_an_operation_of_its_workers_gpu(void **state)
{
	static const char text[] = "TIMELINE,100,GPU_QUEUE,j,partition=0\n"
				   "TIMELINE,101,GPU_PICKUP,j,worker=1,partition=0\n"
				   "TIMELINE,102,GPU_START,j,worker=1,partition=0\n"
				   "TIMELINE,150,GPU_END,j,worker=1,partition=0,gpu_ms=48\n";
	struct event event;

	(void)state;
	assert_int_equal(count_events(text, EVENT_GPU_KERNEL, &event), 1);
	assert_int_equal(event.kernel.operation.start_ns, 102 * NS_PER_MS);
	assert_int_equal(event.kernel.operation.end_ns, 150 * NS_PER_MS);
	assert_int_equal(count_events(text, EVENT_GPU_DEVICE, &event), 1);
	assert_int_equal(event.device.backend, GAPTRACE_BACKEND_LOG);
	assert_int_equal(count_events(text, EVENT_QUEUE_POP, &event), 1);
	assert_int_equal(event.queue.resident_ns, NS_PER_MS);
	/* Nobody said when the job came, so nobody may say that there was no work. */
	assert_int_equal(count_events(text, EVENT_JOB_SUBMIT, &event), 0);
}

/* Whatever the first line is: what the file is comes before it, and the device before its work. */
static void test_what_a_log_is_comes_before_its_first_line(void **state)
{
	static const enum event_kind first[] = {
		EVENT_IMPORT_NOTE, EVENT_IMPORT_NOTE, EVENT_IMPORT_NOTE, EVENT_GPU_DEVICE};
	const char *name = write_log("TIMELINE,12,GPU_START,a,worker=0,partition=0\n"
				     "TIMELINE,60,GPU_END,a,worker=0,partition=0,gpu_ms=48\n");
	struct import_reader *reader = NULL;
	struct diag diag = {""};
	struct event event;
	bool has_event = false;

	(void)state;
	assert_int_equal(cuzk_log_open(&name, 1, &diag, &reader), STATUS_OK);
	for (size_t i = 0; i < sizeof(first) / sizeof(first[0]); i++) {
		assert_int_equal(
			reader->operations->next(reader, &event, &has_event, &diag), STATUS_OK);
		assert_true(has_event);
		assert_int_equal(event.kind, first[i]);
		assert_true(i > 0 || event.note.kind == EVENT_NOTE_SOURCE);
	}
	assert_int_equal(event.device.backend, GAPTRACE_BACKEND_LOG);
	import_reader_destroy(reader);
}

#define OF(process, ms)                                                                            \
	"Mar 14 10:08:51 h cuzk[" process "]: TIMELINE," ms ",GPU_QUEUE,a,monolithic\n"

static void test_processes_by_turns_are_several_daemons(void **state)
{
	const char *name = write_log(
		OF("7", "1") OF("9", "2") OF("7", "3") OF("9", "4") OF("7", "5") OF("9", "6"));
	struct import_reader *reader = NULL;
	struct diag diag = {""};
	struct event event;

	(void)state;
	assert_int_equal(cuzk_log_open(&name, 1, &diag, &reader), STATUS_BAD_INPUT);
	assert_non_null(strstr(diag.line, "processes 7 and 9"));
	/* One after the other they are one that began anew. */
	assert_int_equal(count_events(OF("7", "1") OF("7", "2") OF("9", "3") OF("9", "4"),
				 EVENT_QUEUE_PUSH, &event),
		4);
}

static void test_a_claim_without_an_end_is_no_operation(void **state)
{
	struct event event;

	(void)state;
	assert_int_equal(count_events("TIMELINE,102,GPU_START,j,worker=1,partition=0\n",
				 EVENT_GPU_KERNEL, &event),
		0);
	assert_int_equal(count_events("TIMELINE,150,GPU_END,j,worker=1,partition=0,gpu_ms=48\n",
				 EVENT_GPU_KERNEL, &event),
		1);
}

static void test_a_file_without_a_line_of_the_daemon_is_refused(void **state)
{
	const char *name = write_log("hello\nworld\n");
	struct import_reader *reader = NULL;
	struct diag diag = {""};

	(void)state;
	assert_int_equal(cuzk_log_open(&name, 1, &diag, &reader), STATUS_BAD_INPUT);
	assert_non_null(strstr(diag.line, name));
	assert_false(import_cuzk_log.recognise((const unsigned char *)"hello\n", 6));
	assert_true(import_cuzk_log.recognise((const unsigned char *)"x\nTIMELINE,1", 12));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_torn_line_is_put_together_behind_what_tore_it),
		cmocka_unit_test(test_a_line_torn_twice_is_put_together),
		cmocka_unit_test(test_a_torn_line_without_its_rest_is_counted),
		cmocka_unit_test(test_zeros_in_a_log_are_counted),
		cmocka_unit_test(test_colours_and_line_ends_are_no_text),
		cmocka_unit_test(test_values_are_found_by_their_whole_key),
		cmocka_unit_test(test_a_job_may_be_named_by_anything),
		cmocka_unit_test(test_lines_that_lack_what_they_must_tell_are_bad),
		cmocka_unit_test(test_a_tracing_line_tells_time_worker_and_message),
		cmocka_unit_test(test_a_call_is_whole_when_its_sums_hold),
		cmocka_unit_test(test_a_call_whose_sums_do_not_hold_is_used_for_nothing),
		cmocka_unit_test(test_of_two_calls_that_fit_none_is_taken),
		cmocka_unit_test(test_the_least_delayed_pair_tells_what_lies_between_the_clocks),
		cmocka_unit_test(test_a_claim_is_an_operation_of_its_workers_gpu),
		cmocka_unit_test(test_what_a_log_is_comes_before_its_first_line),
		cmocka_unit_test(test_processes_by_turns_are_several_daemons),
		cmocka_unit_test(test_a_claim_without_an_end_is_no_operation),
		cmocka_unit_test(test_a_file_without_a_line_of_the_daemon_is_refused),
	};

	return cmocka_run_group_tests(tests, make_path, remove_path);
}
