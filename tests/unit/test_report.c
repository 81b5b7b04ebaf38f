/* SPDX-License-Identifier: MIT */
/* A report adds up, in JSON and in text, whatever the names in it; files appear whole or not at
 * all. */
#include "analysis/report/report.h"

#include "tests/unit/event_builder.h"
#include "tests/unit/report_reading.h"

#include <dirent.h>
#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define MS 1000000ULL

static void add(struct report_data *report, struct event event)
{
	assert_int_equal(analyzer_add(report->analyzer, &event), STATUS_OK);
}

/*
 * ms       0    10   20   30   40   50   60   70   80
 * gpu 0         ####           ####                        kernels
 *                    ====                                  copy
 * gpu 1    silent
 * job      |--------------------------------------------|
 */
static struct report_data *example(const char *device_name)
{
	struct report_data *report = NULL;
	struct event device = event_device(1, 7, 0, "A");

	device.device.name = device_name;
	assert_int_equal(report_data_create(5 * MS, &report), STATUS_OK);
	add(report, event_job(EVENT_JOB_SUBMIT, 0, 7, 1));
	add(report, device);
	add(report, event_device(1, 7, 1, "B"));
	add(report, event_operation_at(EVENT_GPU_KERNEL, 7, 0, 10 * MS, 20 * MS));
	add(report, event_operation_at(EVENT_GPU_MEMCPY, 7, 0, 20 * MS, 25 * MS));
	add(report, event_operation_at(EVENT_GPU_KERNEL, 7, 0, 40 * MS, 50 * MS));
	add(report, event_operation_at(EVENT_GPU_KERNEL, 7, 0, 51 * MS, 52 * MS));
	add(report, event_job(EVENT_JOB_END, 80 * MS, 7, 1));
	assert_int_equal(report_data_end(report), STATUS_OK);
	return report;
}

static uint64_t number(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	assert_true(json_is_integer(value));
	return (uint64_t)json_integer_value(value);
}

static void figures_are_those_of_the_drawing(void **state)
{
	AUTO(report_data_destroy) struct report_data *report = example("cpu");
	json_t *document = report_reading_json(report);
	const json_t *devices = json_object_get(document, "devices");
	const json_t *device = json_array_get(devices, 0);
	const json_t *gaps = json_object_get(device, "kernel_gaps");

	(void)state;
	assert_int_equal(json_array_size(devices), 2);
	assert_int_equal(number(device, "span_ns"), 42 * MS);
	assert_int_equal(number(device, "busy_ns"), 21 * MS);
	assert_int_equal(number(device, "copying_ns"), 5 * MS);
	assert_int_equal(number(device, "idle_ns"), 16 * MS);
	/* 0-10, 20-40, 52-80; the one of 1 ms is below the threshold. */
	assert_int_equal(number(gaps, "count"), 3);
	assert_int_equal(number(gaps, "total_ns"), 58 * MS);
	assert_int_equal(number(gaps, "max_ns"), 28 * MS);
	assert_int_equal(number(gaps, "all_count"), 4);
	assert_int_equal(number(gaps, "all_total_ns"), 59 * MS);
	gaps = json_object_get(device, "gaps");
	assert_int_equal(number(gaps, "count"), 3);
	assert_int_equal(number(gaps, "total_ns"), 53 * MS);
	device = json_array_get(devices, 1);
	assert_true(json_is_true(json_object_get(device, "silent")));
	assert_int_equal(number(json_object_get(device, "kernel_gaps"), "total_ns"), 80 * MS);
	json_decref(document);
}

static void causes_and_parts_sum_to_the_gaps(void **state)
{
	AUTO(report_data_destroy) struct report_data *report = example("cpu");
	json_t *document = report_reading_json(report);
	const json_t *devices = json_object_get(document, "devices");

	(void)state;
	for (size_t d = 0; d < json_array_size(devices); d++) {
		const json_t *device = json_array_get(devices, d);
		const json_t *causes = json_object_get(device, "causes");
		const json_t *worst = json_object_get(device, "worst");
		uint64_t last_ns = UINT64_MAX;
		uint64_t sum_ns = 0;

		for (size_t i = 0; i < json_array_size(causes); i++) {
			const uint64_t ns = number(json_array_get(causes, i), "ns");

			assert_true(ns <= last_ns);
			last_ns = ns;
			sum_ns += ns;
		}
		assert_int_equal(
			sum_ns, number(json_object_get(device, "kernel_gaps"), "total_ns"));
		last_ns = UINT64_MAX;
		for (size_t i = 0; i < json_array_size(worst); i++) {
			const json_t *gap = json_array_get(worst, i);
			const json_t *parts = json_object_get(gap, "parts");
			uint64_t at_ns = number(gap, "begin_ns");

			assert_true(number(gap, "end_ns") - at_ns <= last_ns);
			last_ns = number(gap, "end_ns") - at_ns;
			for (size_t p = 0; p < json_array_size(parts); p++) {
				const json_t *part = json_array_get(parts, p);

				assert_int_equal(number(part, "from_ns"), at_ns);
				at_ns = number(part, "to_ns");
			}
			assert_int_equal(at_ns, number(gap, "end_ns"));
		}
	}
	assert_true(json_array_size(json_object_get(document, "verdicts")) >= VERDICT_SUSPECTS);
	json_decref(document);
}

static void hostile_names_stay_inside(void **state)
{
	AUTO(report_data_destroy)
	struct report_data *report = example("\033[2J\"},{\n\r\t\xff</script>\x9b");
	char *text = report_reading_text(report, "text");
	json_t *document = report_reading_json(report);
	size_t columns = 0;

	(void)state;
	for (const char *c = text; *c; c++) {
		assert_true(*c == '\n' || (*c >= 0x20 && *c < 0x7f));
		columns = *c == '\n' ? 0 : columns + 1;
		assert_true(columns <= 100);
	}
	assert_non_null(strstr(text, "\\x1b[2J"));
	assert_non_null(strstr(text, "SILENT"));
	assert_string_equal(
		json_string_value(json_object_get(
			json_array_get(json_object_get(document, "devices"), 0), "name")),
		"\033[2J\"},{\n\r\t\xef\xbf\xbd</script>\xef\xbf\xbd");
	json_decref(document);
	free(text);
}

static void losses_are_in_both_formats_and_make_parts_unknown(void **state)
{
	AUTO(report_data_destroy) struct report_data *report = NULL;
	const struct analyzer_loss loss = {.kind = ANALYZER_LOST_EVENTS,
		.count = 9223372036854863134ULL, /* 2^63 + 87326: LTTng's stray top bit */
		.has_range = true,
		.begin_ns = 15 * MS,
		.end_ns = 45 * MS};
	json_t *document;
	char *text;

	(void)state;
	assert_int_equal(report_data_create(5 * MS, &report), STATUS_OK);
	add(report, event_job(EVENT_JOB_SUBMIT, 0, 7, 1));
	add(report, event_device(1, 7, 0, "A"));
	assert_int_equal(analyzer_add_loss(report->analyzer, &loss), STATUS_OK);
	add(report, event_operation_at(EVENT_GPU_KERNEL, 7, 0, 10 * MS, 20 * MS));
	add(report, event_operation_at(EVENT_GPU_KERNEL, 7, 0, 40 * MS, 50 * MS));
	add(report, event_job(EVENT_JOB_END, 50 * MS, 7, 1));
	assert_int_equal(report_data_end(report), STATUS_OK);
	document = report_reading_json(report);
	assert_int_equal(number(json_object_get(document, "trust"), "discarded_events"), 87326);
	assert_int_equal(number(json_object_get(document, "trust"), "untrusted_ns"), 30 * MS);
	assert_true(json_is_false(json_object_get(json_object_get(document, "trust"), "ok")));
	text = report_reading_text(report, "text");
	assert_ptr_equal(strstr(text, "NOT TO BE TRUSTED"), text);
	assert_non_null(strstr(text, "lost events: 87326"));
	assert_non_null(strstr(text, "unknown: lost events"));
	free(text);
	json_decref(document);
}

/* Pauses and dropped records make causes unknown as lost events do, and so are in the same sum. */
static void pauses_and_dropped_records_are_untrusted_time(void **state)
{
	AUTO(report_data_destroy) struct report_data *report = NULL;
	struct event dropped = {.kind = EVENT_GPU_DROPPED, .time_ns = 25 * MS, .pid = 7, .tid = 9};
	json_t *document;
	json_t *trust;
	char *text;

	(void)state;
	dropped.dropped.device = GAPTRACE_NONE;
	dropped.dropped.count = 1;
	assert_int_equal(report_data_create(5 * MS, &report), STATUS_OK);
	add(report, event_job(EVENT_JOB_SUBMIT, 10 * MS, 7, 1));
	add(report, event_device(11 * MS, 7, 0, "A"));
	add(report, event_operation_at(EVENT_GPU_KERNEL, 7, 0, 12 * MS, 20 * MS));
	add(report, dropped);
	assert_int_equal(analyzer_add_pause(report->analyzer, 30 * MS, 35 * MS), STATUS_OK);
	for (uint64_t i = 0; i < 200; i++) {
		add(report,
			event_operation_at(EVENT_GPU_KERNEL, 7, 0, (40 + i) * MS, (41 + i) * MS));
	}
	add(report, event_job(EVENT_JOB_END, 240 * MS, 7, 1));
	assert_int_equal(report_data_end(report), STATUS_OK);
	document = report_reading_json(report);
	trust = json_object_get(document, "trust");
	assert_int_equal(number(trust, "dropped_records"), 1);
	assert_int_equal(number(trust, "untrusted_ns"), (15 + 5) * MS);
	assert_true(json_is_false(json_object_get(trust, "ok")));
	text = report_reading_text(report, "text");
	assert_non_null(
		strstr(text, "! what is missing may be of 20.00 ms in a window of 230.0 ms"));
	free(text);
	json_decref(document);
}

static const char *lock_name = "tracker";

/* Thread 1 waits from 1 ms after `begin_ms` on for the lock, which `holder` has for 19 ms more,
 * and launches a kernel of 10 ms then. */
static void add_wait(
	struct report_data *report, uint64_t begin_ms, int32_t holder, uint64_t correlation)
{
	const struct {
		enum event_kind kind;
		uint64_t ms;
		int32_t tid;
	} acts[] = {{EVENT_LOCK_ACQUIRE, 0, holder}, {EVENT_LOCK_WAIT, 1, 1},
		{EVENT_LOCK_RELEASE, 20, holder}, {EVENT_LOCK_ACQUIRE, 20, 1},
		{EVENT_LOCK_RELEASE, 20, 1}};
	struct event event = {.pid = 7, .tid = 1};
	struct event kernel = event_operation_at(
		EVENT_GPU_KERNEL, 7, 0, (begin_ms + 20) * MS, (begin_ms + 30) * MS);

	for (size_t i = 0; i < sizeof(acts) / sizeof(acts[0]); i++) {
		event.kind = acts[i].kind;
		event.time_ns = (begin_ms + acts[i].ms) * MS;
		event.tid = acts[i].tid;
		event.lock.lock = 1;
		event.lock.name = lock_name;
		add(report, event);
	}
	event = (struct event){.kind = EVENT_GPU_API,
		.time_ns = (begin_ms + 20) * MS,
		.pid = 7,
		.tid = 1,
		.api = {.name = "launch",
			.tid = 1,
			.correlation = correlation,
			.start_ns = (begin_ms + 20) * MS,
			.end_ns = (begin_ms + 20) * MS}};
	add(report, event);
	kernel.kernel.operation.correlation = correlation;
	add(report, kernel);
}

/* A job, a GPU, and a kernel that came late since its thread waited for a lock. */
static struct report_data *begin_with_a_wait(void)
{
	struct report_data *report = NULL;

	assert_int_equal(report_data_create(5 * MS, &report), STATUS_OK);
	add(report, event_job(EVENT_JOB_SUBMIT, 0, 7, 1));
	add(report, event_device(0, 7, 0, "A"));
	add_wait(report, 0, 21, 1);
	return report;
}

static void a_cause_is_one_row_whoever_held_and_the_largest_comes_first(void **state)
{
	AUTO(report_data_destroy) struct report_data *report = NULL;
	char *text;
	const char *row;

	(void)state;
	report = begin_with_a_wait();
	add_wait(report, 30, 22, 2);
	add(report, event_job(EVENT_JOB_END, 60 * MS, 7, 1));
	assert_int_equal(report_data_end(report), STATUS_OK);
	text = report_reading_text(report, "text");
	/* Of the 60 ms the two gaps of 20; a third is cut by the job's end. */
	assert_non_null(strstr(text, "idle:  40.00 ms without a kernel on 1 GPU, 67 % of all, in "
				     "gaps of 5.000 ms and more\nfirst: "));
	/* 19 of each gap's 20 ms; the rest is before the wait. */
	assert_non_null(strstr(text, "first: lock tracker: not traced, 38.00 ms: 95 % of the time "
				     "without a kernel, 63 % of all\n"));
	row = strstr(text, "\n  lock tracker: not traced  ");
	assert_non_null(row);
	assert_non_null(strstr(row, "38.00 ms  95.0 %     2  thread 21 +1\n"));
	assert_null(strstr(row + 1, "\n  lock tracker: not traced  "));
	free(text);
}

/* Every text is held against the width of a terminal where it is made. */
static void a_name_of_any_length_leaves_the_first_lines_as_wide_as_a_terminal(void **state)
{
	AUTO(report_data_destroy) struct report_data *report = NULL;
	char *text;

	(void)state;
	lock_name = "a lock with a name much longer than anybody has the patience to read";
	report = begin_with_a_wait();
	add(report, event_job(EVENT_JOB_END, 30 * MS, 7, 1));
	assert_int_equal(report_data_end(report), STATUS_OK);
	lock_name = "tracker";
	text = report_reading_text(report, "text");
	assert_non_null(strstr(text, "first: lock a lock with a name"));
	free(text);
}

static void verdicts_that_blame_come_first(void **state)
{
	AUTO(report_data_destroy) struct report_data *report = NULL;
	char *text;
	const char *confirmed;
	const char *untold;
	const char *refuted;

	(void)state;
	report = begin_with_a_wait();
	add(report, event_job(EVENT_JOB_END, 60 * MS, 7, 1));
	assert_int_equal(report_data_end(report), STATUS_OK);
	text = report_reading_text(report, "text");
	confirmed = strstr(text, "tracker_lock             CONFIRMED");
	untold = strstr(text, "pcie                     cannot tell");
	refuted = strstr(text, "gpu_mutex                refuted");
	assert_non_null(confirmed);
	assert_non_null(untold);
	assert_non_null(refuted);
	assert_true(confirmed < untold);
	assert_true(untold < refuted);
	free(text);
}

static void an_empty_recording_is_a_report_without_devices(void **state)
{
	AUTO(report_data_destroy) struct report_data *report = NULL;
	json_t *document;
	char *text;

	(void)state;
	assert_int_equal(report_data_create(MS, &report), STATUS_OK);
	assert_int_equal(report_data_end(report), STATUS_OK);
	document = report_reading_json(report);
	assert_int_equal(json_array_size(json_object_get(document, "devices")), 0);
	text = report_reading_text(report, "text");
	assert_non_null(strstr(text, "no devices"));
	free(text);
	json_decref(document);
}

static uint32_t count_files(const char *path)
{
	DIR *entries = opendir(path);
	uint32_t count = 0;
	const struct dirent *entry;

	assert_non_null(entries);
	while ((entry = readdir(entries)) != NULL) {
		count += entry->d_name[0] != '.';
	}
	closedir(entries);
	return count;
}

/* A recording of one device, and what its recorder said of its clock: the path and bound. */
static void assert_clock(const char *const *said, enum gaptrace_backend backend, const char *path,
	uint64_t bound_ns, const char *text_has)
{
	AUTO(report_data_destroy) struct report_data *report = NULL;
	struct event device = event_device(1, 7, 0, "A");
	struct event event = {.kind = EVENT_STATE, .time_ns = 2, .pid = 7, .tid = 7};
	json_t *document;
	const json_t *clock;
	char *text;

	device.device.backend = backend;
	assert_int_equal(report_data_create(5 * MS, &report), STATUS_OK);
	add(report, device);
	event.state.subject = GAPTRACE_STATE_PROCESS;
	for (; *said; said++) {
		event.state.name = *said;
		add(report, event);
	}
	if (bound_ns) {
		add(report, (struct event){.kind = EVENT_GPU_CLOCK_PAIR,
				    .time_ns = 3,
				    .pid = 7,
				    .tid = 7,
				    .clock_pair = {.host_before_ns = 1000,
					    .device_ns = 1100,
					    .host_after_ns = 1000 + bound_ns}});
	}
	assert_int_equal(report_data_end(report), STATUS_OK);
	document = report_reading_json(report);
	clock = json_object_get(json_object_get(document, "trust"), "clock");
	assert_string_equal(json_string_value(json_object_get(clock, "path")), path);
	if (bound_ns) {
		assert_int_equal(number(clock, "bound_ns"), bound_ns - 100);
	} else {
		assert_true(json_is_null(json_object_get(clock, "bound_ns")));
	}
	text = report_reading_text(report, "text");
	assert_non_null(strstr(text, text_has));
	free(text);
	json_decref(document);
}

/* Each list ends in NULL. */
static void the_clock_is_told_with_its_path_and_bound(void **state)
{
	const char *const nothing[] = {NULL};
	const char *const off[] = {GAPTRACE_STATE_CUPTI_OFF, NULL};
	const char *const callback[] = {"another", GAPTRACE_STATE_CUPTI_CALLBACK, NULL};
	const char *const both[] = {GAPTRACE_STATE_CUPTI_DEFAULT, GAPTRACE_STATE_CUPTI_CALLBACK,
		GAPTRACE_STATE_CUPTI_OFF, NULL};

	(void)state;
	assert_clock(callback, GAPTRACE_BACKEND_CUDA, "callback", 300,
		"device clock within 200 ns of the host's: CUPTI stamps with it (callback)");
	assert_clock(both, GAPTRACE_BACKEND_CUDA, "default", 300,
		"CUPTI's own, by offset and drift (default)");
	assert_clock(off, GAPTRACE_BACKEND_CPU, "off", 0, "CUPTI did not start");
	assert_clock(nothing, GAPTRACE_BACKEND_CPU, "host", 300, "within 200 ns of the host's\n");
	assert_clock(nothing, GAPTRACE_BACKEND_CUDA, "unknown", 0, "trust:");
}

static void a_file_is_whole_or_absent(void **state)
{
	AUTO(report_data_destroy) struct report_data *report = example("cpu");
	const struct report_format *format = report_format_find("json");
	char folder[] = "/tmp/gaptrace-test-report.XXXXXX";
	char path[128];
	struct diag diag = {""};

	(void)state;
	assert_non_null(mkdtemp(folder));
	(void)snprintf(path, sizeof(path), "%s/report.json", folder);
	assert_int_equal(report_write(report, format, path, &diag), STATUS_OK);
	assert_int_equal(report_write(report, format, path, &diag), STATUS_OK);
	assert_int_equal(count_files(folder), 1);
	assert_int_equal(report_write(report, format, "/dev/full", &diag), STATUS_NO_SPACE);
	assert_non_null(strstr(diag.line, "/dev/full"));
	assert_int_equal(unlink(path), 0);
	/* A folder in the way: the rename fails, and nothing is left beside it. */
	assert_int_equal(report_write(report, format, folder, &diag), STATUS_IO);
	assert_int_equal(count_files(folder), 0);
	assert_int_equal(rmdir(folder), 0);
	assert_int_equal(report_write(report, format, path, &diag), STATUS_IO);
	assert_non_null(strstr(diag.line, path));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figures_are_those_of_the_drawing),
		cmocka_unit_test(causes_and_parts_sum_to_the_gaps),
		cmocka_unit_test(hostile_names_stay_inside),
		cmocka_unit_test(losses_are_in_both_formats_and_make_parts_unknown),
		cmocka_unit_test(pauses_and_dropped_records_are_untrusted_time),
		cmocka_unit_test(a_cause_is_one_row_whoever_held_and_the_largest_comes_first),
		cmocka_unit_test(a_name_of_any_length_leaves_the_first_lines_as_wide_as_a_terminal),
		cmocka_unit_test(verdicts_that_blame_come_first),
		cmocka_unit_test(an_empty_recording_is_a_report_without_devices),
		cmocka_unit_test(the_clock_is_told_with_its_path_and_bound),
		cmocka_unit_test(a_file_is_whole_or_absent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
