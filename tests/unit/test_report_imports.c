/* SPDX-License-Identifier: MIT */
/*
 * Proves what a report says of a trace that another tool recorded: what it was read from and what
 * is missing, a window without jobs, gaps split at their calls and explained however long they are,
 * ranges that count as one row; and that all of it needs no more memory however long the trace is.
 */
#include "analysis/report/report.h"

#include "tests/unit/event_builder.h"
#include "tests/unit/report_reading.h"

#include <jansson.h>
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PID   7
#define TID   8
#define US    1000ULL
#define BEGIN 5000000000000ULL /* imported stamps may lie anywhere */

/* The sanitizers have their own heap, and tell it by this. */
size_t __sanitizer_get_current_allocated_bytes(void) __attribute__((weak));

static void add(struct report_data *report, struct event event)
{
	assert_int_equal(analyzer_add(report->analyzer, &event), STATUS_OK);
}

static struct event note(enum event_note_kind kind, const char *text)
{
	return (struct event){
		.kind = EVENT_IMPORT_NOTE, .note = {.kind = kind, .text = text, .count = 3}};
}

/* Told at its start, as imported ones are. */
static struct event operation(
	enum event_kind kind, uint64_t start_ns, uint64_t end_ns, uint64_t correlation)
{
	struct event event = event_operation_at(kind, PID, 0, start_ns, end_ns);

	event.time_ns = start_ns;
	if (kind == EVENT_GPU_KERNEL) {
		event.kernel.operation.correlation = correlation;
	} else {
		event.copy.operation.correlation = correlation;
	}
	return event;
}

static struct event call(uint64_t start_ns, uint64_t end_ns, uint64_t correlation)
{
	return (struct event){.kind = EVENT_GPU_API,
		.time_ns = start_ns,
		.pid = PID,
		.tid = TID,
		.api = {.name = "cudaLaunchKernel",
			.tid = TID,
			.correlation = correlation,
			.start_ns = start_ns,
			.end_ns = end_ns}};
}

static struct event range(enum event_kind kind, uint64_t time_ns, const char *name)
{
	return (struct event){.kind = kind,
		.time_ns = time_ns,
		.pid = PID,
		.tid = TID,
		.span = {.name = name,
			.work = {.partition = GAPTRACE_NONE, .device = GAPTRACE_NONE},
			.duration_ns = GAPTRACE_UNKNOWN,
			.cpu_ns = GAPTRACE_UNKNOWN,
			.run_delay_ns = GAPTRACE_UNKNOWN}};
}

static struct report_data *start(void)
{
	struct report_data *report = NULL;

	assert_int_equal(report_data_create(10 * US, &report), STATUS_OK);
	add(report, note(EVENT_NOTE_SOURCE, "a file of another tool"));
	return report;
}

/*
 * us           0        20       40        60        80   90       110
 * gpu          ########|         ##########|         #####|        ####> 150
 * calls                    [25-31]          [62-70]       [95-100]
 * ranges                [IO 1]             [IO 2]         [IO 3]
 *                        21-24              61-62          91-95
 */
static struct report_data *example(void)
{
	struct report_data *report = start();
	const uint64_t kernels_us[][2] = {{0, 20}, {40, 60}, {80, 90}, {110, 150}};
	const uint64_t calls_us[][2] = {{0, 0}, {25, 31}, {62, 70}, {95, 100}};
	const uint64_t ranges_us[][2] = {{0, 0}, {21, 24}, {61, 62}, {91, 95}};
	static const char *const names[] = {"IO 0", "IO 1", "IO 2", "IO 3"};

	add(report, event_device(0, PID, 0, "A"));
	for (uint64_t i = 0; i < 4; i++) {
		if (i > 0) {
			add(report,
				range(EVENT_SPAN_BEGIN, BEGIN + ranges_us[i][0] * US, names[i]));
			add(report, range(EVENT_SPAN_END, BEGIN + ranges_us[i][1] * US, names[i]));
			add(report, call(BEGIN + calls_us[i][0] * US, BEGIN + calls_us[i][1] * US,
					    i + 1));
		}
		add(report, operation(EVENT_GPU_KERNEL, BEGIN + kernels_us[i][0] * US,
				    BEGIN + kernels_us[i][1] * US, i + 1));
	}
	return report;
}

static void expect(const json_t *object, const char *key, uint64_t expected)
{
	const json_t *value = json_object_get(object, key);

	assert_true(json_is_integer(value));
	if ((uint64_t)json_integer_value(value) != expected) {
		fail_msg("%s is %lld, not %llu", key, json_integer_value(value),
			(unsigned long long)expected);
	}
}

static const json_t *device_of(const json_t *document)
{
	return json_array_get(json_object_get(document, "devices"), 0);
}

/* Inner gaps: 20-40, 60-80, 90-110; the first one's call is 25-31, and so on. */
static void gaps_between_operations_are_split_at_their_calls(void **state)
{
	AUTO(report_data_destroy) struct report_data *report = example();
	static const char *const layers[] = {"gaps", "kernel_gaps"};
	json_t *document;

	(void)state;
	assert_int_equal(report_data_end(report), STATUS_OK);
	document = report_reading_json(report);
	for (size_t i = 0; i < 2; i++) {
		const json_t *table = json_object_get(device_of(document), layers[i]);
		const json_t *split = json_object_get(table, "split");

		expect(json_object_get(table, "inner"), "total_ns", 60 * US);
		expect(split, "host_late_ns", (5 + 2 + 5) * US);
		expect(split, "in_call_ns", (6 + 8 + 5) * US);
		expect(split, "after_call_ns", (9 + 10 + 10) * US);
		expect(split, "unjoined_ns", 0);
		expect(split, "joined", 3);
		expect(split, "unjoined", 0);
	}
	json_decref(document);
}

/* The time of the report's own events is of no account; the last kernel ends after all of them. */
static void the_window_is_what_was_captured(void **state)
{
	AUTO(report_data_destroy) struct report_data *report = example();
	json_t *document;

	(void)state;
	assert_int_equal(report_data_end(report), STATUS_OK);
	document = report_reading_json(report);
	expect(json_object_get(document, "window"), "begin_ns", BEGIN);
	expect(json_object_get(document, "window"), "end_ns", BEGIN + 150 * US);
	expect(device_of(document), "span_ns", 150 * US);
	expect(device_of(document), "idle_ns", 60 * US);
	expect(json_object_get(document, "trust"), "launched_before", 1);
	expect(json_object_get(document, "trust"), "unjoined", 0);
	json_decref(document);
}

static const json_t *row_of(const json_t *device, const char *object)
{
	const json_t *causes = json_object_get(device, "causes");

	for (size_t i = 0; i < json_array_size(causes); i++) {
		const json_t *row = json_array_get(causes, i);

		if (strcmp(json_string_value(json_object_get(row, "object")), object) == 0) {
			return row;
		}
	}
	fail_msg("no row of %s", object);
	return NULL;
}

static void ranges_that_count_are_one_row_and_keep_their_names_in_gaps(void **state)
{
	AUTO(report_data_destroy) struct report_data *report = example();
	json_t *document;
	char *text;

	(void)state;
	assert_int_equal(report_data_end(report), STATUS_OK);
	document = report_reading_json(report);
	expect(row_of(device_of(document), "IO #"), "ns", (3 + 1 + 4) * US);
	expect(row_of(device_of(document), "IO #"), "gaps", 3);
	json_decref(document);
	text = report_reading_text(report, "text");
	assert_non_null(strstr(text, "cpu_phase IO #"));
	assert_non_null(strstr(text, "cpu_phase IO 3"));
	free(text);
}

/* Of notes only what is lost or unreadable touches trust, and a gap in lost time has no cause. */
static void notes_say_what_the_trace_cannot_vouch_for(void **state)
{
	AUTO(report_data_destroy) struct report_data *report = start();
	AUTO(report_data_destroy) struct report_data *broken = start();
	struct event lost = note(EVENT_NOTE_LOST, "records were dropped");
	json_t *document;
	char *text;

	(void)state;
	lost.note.begin_ns = BEGIN + 30 * US;
	lost.note.end_ns = BEGIN + 35 * US;
	add(report, note(EVENT_NOTE_FACT, "not in the file: NVTX ranges"));
	for (uint64_t i = 0; i < 1000; i++) {
		add(report, operation(EVENT_GPU_KERNEL, BEGIN + i * 20 * US,
				    BEGIN + (i * 20 + 10) * US, i + 1));
	}
	add(report, lost);
	assert_int_equal(report_data_end(report), STATUS_OK);
	document = report_reading_json(report);
	assert_true(json_is_true(json_object_get(json_object_get(document, "trust"), "ok")));
	expect(json_object_get(document, "trust"), "discarded_events", 3);
	expect(json_object_get(document, "trust"), "untrusted_ns", 5 * US);
	json_decref(document);
	text = report_reading_text(report, "text");
	assert_non_null(strstr(text, "read from a file of another tool\n"));
	assert_non_null(strstr(text, "! not in the file: NVTX ranges\n"));
	assert_non_null(strstr(text, "! records were dropped\n"));
	assert_non_null(strstr(text, "unknown: lost events"));
	assert_non_null(strstr(text, "unknown: no host trace"));
	assert_non_null(strstr(text, "the window is the whole capture"));
	free(text);

	add(broken, note(EVENT_NOTE_UNREADABLE, "kernels past byte 100 could not be read"));
	assert_int_equal(report_data_end(broken), STATUS_OK);
	assert_false(analyzer_trust(broken->analyzer)->ok);
	text = report_reading_text(broken, "text");
	assert_non_null(strstr(text, "no GPU rows"));
	free(text);
}

static void sources_are_listed_up_to_a_number(void **state)
{
	AUTO(report_data_destroy) struct report_data *report = start();
	json_t *document;
	char *text;

	(void)state;
	for (int i = 1; i < 70; i++) {
		add(report, note(EVENT_NOTE_SOURCE, "a rank"));
	}
	assert_int_equal(report_data_end(report), STATUS_OK);
	document = report_reading_json(report);
	assert_int_equal(
		json_array_size(json_object_get(json_object_get(document, "trust"), "sources")),
		TRUST_SOURCE_COUNT_MAX);
	json_decref(document);
	text = report_reading_text(report, "text");
	assert_non_null(strstr(text, "and from 6 more\n"));
	free(text);
}

/* A job that is named before a gap was told bounds the window, as in a recording of ours. */
static void jobs_of_a_log_bound_the_window(void **state)
{
	AUTO(report_data_destroy) struct report_data *report = start();
	json_t *document;

	(void)state;
	add(report, range(EVENT_SPAN_BEGIN, BEGIN, "start"));
	add(report, event_device(BEGIN, PID, 0, "A"));
	add(report, event_job(EVENT_JOB_SUBMIT, BEGIN + 10 * US, PID, 1));
	add(report, operation(EVENT_GPU_KERNEL, BEGIN + 30 * US, BEGIN + 40 * US, 0));
	add(report, event_job(EVENT_JOB_END, BEGIN + 60 * US, PID, 1));
	add(report, range(EVENT_SPAN_END, BEGIN + 90 * US, "start"));
	assert_int_equal(report_data_end(report), STATUS_OK);
	document = report_reading_json(report);
	expect(json_object_get(document, "window"), "begin_ns", BEGIN + 10 * US);
	expect(json_object_get(document, "window"), "end_ns", BEGIN + 60 * US);
	json_decref(document);
}

/* Of two ranks the other one's capture began 90 us earlier: that is said, and never what to mend.
 */
static void what_was_not_captured_yet_is_not_first(void **state)
{
	AUTO(report_data_destroy) struct report_data *report = start();
	struct event other = range(EVENT_SPAN_BEGIN, BEGIN, "step");
	char *text;

	(void)state;
	other.pid = PID + 1;
	add(report, other);
	add(report, event_device(BEGIN, PID, 0, "A"));
	add(report, range(EVENT_SPAN_BEGIN, BEGIN + 90 * US, "loader"));
	add(report, call(BEGIN + 110 * US, BEGIN + 111 * US, 1));
	add(report, operation(EVENT_GPU_KERNEL, BEGIN + 112 * US, BEGIN + 120 * US, 1));
	assert_int_equal(report_data_end(report), STATUS_OK);
	text = report_reading_text(report, "text");
	assert_non_null(strstr(text, "first: cpu_phase loader, 20.00 us"));
	assert_non_null(strstr(text, "unknown: before the capture"));
	free(text);
}

/* What the device's causes charge to that phase. */
static uint64_t charged_to(const struct report_data *report, const char *phase)
{
	const struct report_cause_table *causes = &report->devices[0]->causes;
	uint64_t ns = 0;

	for (uint32_t i = 0; i < causes->count; i++) {
		ns += strcmp(causes->rows[i].phase, phase) == 0 ? causes->rows[i].ns : 0;
	}
	return ns;
}

/*
 * A kernel of a second every two, for an hour: that is few events, so that hardly a watermark comes
 * between them. Each gap is the loader's, but for the last microsecond.
 */
static void what_comes_seldom_is_explained_too(void **state)
{
	const uint64_t count = 1800;
	AUTO(report_data_destroy) struct report_data *report = start();

	(void)state;
	add(report, event_device(BEGIN, PID, 0, "A"));
	add(report, range(EVENT_SPAN_BEGIN, BEGIN, "main"));
	for (uint64_t i = 0; i < count; i++) {
		const uint64_t at_ns = BEGIN + i * 2000000 * US;

		add(report, call(at_ns, at_ns, i + 1));
		add(report, operation(EVENT_GPU_KERNEL, at_ns, at_ns + 1000000 * US, i + 1));
		add(report, range(EVENT_SPAN_BEGIN, at_ns + 1000000 * US, "loader"));
		add(report, range(EVENT_SPAN_END, at_ns + 1999999 * US, "loader"));
	}
	assert_int_equal(report_data_end(report), STATUS_OK);
	assert_int_equal(charged_to(report, "loader"), (count - 1) * 999999 * US);
	assert_int_equal(charged_to(report, "main"), (count - 1) * US);
	assert_int_equal(charged_to(report, "no feeder"), 0);
	assert_int_equal(report->devices[0]->gaps[SWEEP_KERNEL].joined_count, count - 1);
}

/* Other threads go on meanwhile, but what the feeder did is not forgotten for that. */
static void a_long_gap_has_all_of_its_history(void **state)
{
	static const char *const phases[] = {"load", "compile", "load", "warm up"};
	AUTO(report_data_destroy) struct report_data *report = start();
	struct event os = {.kind = EVENT_IMPORT_OS_CALL, .pid = PID, .tid = TID + 1};

	(void)state;
	add(report, range(EVENT_SPAN_BEGIN, BEGIN, "main"));
	os.os_call.name = "read";
	os.os_call.tid = os.tid;
	/* Two minutes before the first kernel, when no device is known yet, and two behind it. */
	for (uint64_t i = 0; i < 4; i++) {
		const uint64_t at_ns = BEGIN + i * 60000000 * US;

		if (i == 2) {
			add(report, call(at_ns, at_ns, 1));
			add(report, operation(EVENT_GPU_KERNEL, at_ns, at_ns, 1));
		}
		add(report, range(EVENT_SPAN_BEGIN, at_ns, phases[i]));
		for (uint64_t j = 0; j < 2000; j++) {
			os.time_ns = at_ns + j * 10000 * US;
			os.os_call.start_ns = os.time_ns;
			os.os_call.end_ns = os.time_ns + 1000 * US;
			add(report, os);
		}
		add(report, range(EVENT_SPAN_END, at_ns + 60000000 * US, phases[i]));
	}
	add(report, call(BEGIN + 240000000 * US, BEGIN + 240000000 * US, 2));
	add(report, operation(EVENT_GPU_KERNEL, BEGIN + 240000000 * US, BEGIN + 240000001 * US, 2));
	assert_int_equal(report_data_end(report), STATUS_OK);
	assert_int_equal(charged_to(report, "load"), 120000000 * US);
	assert_int_equal(charged_to(report, "compile"), 60000000 * US);
	assert_int_equal(charged_to(report, "warm up"), 60000000 * US);
}

/* The second device comes when gaps of the first one need nothing of the beginning any more. */
static void what_is_forgotten_is_not_charged_to_what_was_around_it(void **state)
{
	AUTO(report_data_destroy) struct report_data *report = start();
	const struct report_cause_table *causes;
	uint64_t at_ns = BEGIN + 100 * US;
	struct event late;

	(void)state;
	add(report, event_device(BEGIN, PID, 0, "A"));
	add(report, range(EVENT_SPAN_BEGIN, BEGIN, "main"));
	add(report, range(EVENT_SPAN_BEGIN, BEGIN, "load"));
	add(report, range(EVENT_SPAN_END, BEGIN + 90 * US, "load"));
	for (uint64_t i = 1; i <= 4000; i++, at_ns += 100 * US) {
		add(report, call(at_ns, at_ns + 1 * US, i));
		add(report, operation(EVENT_GPU_KERNEL, at_ns + 2 * US, at_ns + 50 * US, i));
		add(report, event_watermark(at_ns + 2 * US, PID, 0, at_ns + 2 * US));
	}
	add(report, event_device(at_ns, PID, 1, "B"));
	add(report, call(at_ns, at_ns + 1 * US, 5000));
	late = operation(EVENT_GPU_KERNEL, at_ns + 2 * US, at_ns + 50 * US, 5000);
	late.kernel.operation.device = 1;
	add(report, late);
	assert_int_equal(report_data_end(report), STATUS_OK);
	causes = &report->devices[1]->causes;
	assert_string_equal(causes->rows[0].phase, "history limit");
	assert_true(causes->rows[0].ns > 300000 * US);
}

static size_t heap_bytes(void)
{
	if (__sanitizer_get_current_allocated_bytes) {
		return __sanitizer_get_current_allocated_bytes();
	}
	return mallinfo2().uordblks + mallinfo2().hblkhd;
}

/* One step of a training loop: ranges with new names, calls in calls, the system, the scheduler. */
static void add_step(struct report_data *report, uint64_t step)
{
	const uint64_t at_ns = BEGIN + step * 100 * US;
	struct event os = {.kind = EVENT_IMPORT_OS_CALL, .pid = PID, .tid = TID};
	struct event sched = {.kind = EVENT_SCHED_SWITCH, .pid = PID, .tid = TID};
	char name[32];

	(void)snprintf(name, sizeof(name), "step %llu", (unsigned long long)step);
	add(report, range(EVENT_SPAN_BEGIN, at_ns, name));
	os.time_ns = at_ns + 1 * US;
	os.os_call.name = "read";
	os.os_call.tid = TID;
	os.os_call.start_ns = os.time_ns;
	os.os_call.end_ns = at_ns + 20 * US;
	add(report, os);
	for (uint64_t i = 0; i < 2; i++) {
		sched.time_ns = at_ns + (2 + i * 10) * US;
		sched.sched_switch.previous_tid = i == 0 ? TID : 0;
		sched.sched_switch.next_tid = i == 1 ? TID : 0;
		sched.sched_switch.previous_state = step % 3 ? step % 3 : GAPTRACE_UNKNOWN;
		add(report, sched);
	}
	add(report, call(at_ns + 30 * US, at_ns + 40 * US, step + 1));
	add(report, call(at_ns + 32 * US, at_ns + 38 * US, step + 1));
	add(report, operation(EVENT_GPU_KERNEL, at_ns + 45 * US, at_ns + (step % 2 ? 180 : 60) * US,
			    step + 1));
	add(report, range(EVENT_SPAN_END, at_ns + 90 * US, name));
	if (step % 50 == 0) {
		add(report, event_watermark(at_ns + 90 * US, PID, 0, at_ns + 90 * US));
	}
}

static void memory_does_not_grow_with_the_trace(void **state)
{
	AUTO(report_data_destroy) struct report_data *report = start();
	size_t few_bytes = 0;

	(void)state;
	add(report, event_device(0, PID, 0, "A"));
	/* By then the table of names is as full as it gets, and the rest have their family's. */
	for (uint64_t step = 0; step < 90000; step++) {
		add_step(report, step);
		if (step == 40000) {
			few_bytes = heap_bytes();
		}
	}
	assert_true(heap_bytes() < few_bytes + (1u << 20));
	assert_int_equal(report_data_end(report), STATUS_OK);
	assert_true(report->devices[0]->causes.count < 32);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gaps_between_operations_are_split_at_their_calls),
		cmocka_unit_test(the_window_is_what_was_captured),
		cmocka_unit_test(ranges_that_count_are_one_row_and_keep_their_names_in_gaps),
		cmocka_unit_test(notes_say_what_the_trace_cannot_vouch_for),
		cmocka_unit_test(sources_are_listed_up_to_a_number),
		cmocka_unit_test(jobs_of_a_log_bound_the_window),
		cmocka_unit_test(what_was_not_captured_yet_is_not_first),
		cmocka_unit_test(what_comes_seldom_is_explained_too),
		cmocka_unit_test(a_long_gap_has_all_of_its_history),
		cmocka_unit_test(what_is_forgotten_is_not_charged_to_what_was_around_it),
		cmocka_unit_test(memory_does_not_grow_with_the_trace),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
