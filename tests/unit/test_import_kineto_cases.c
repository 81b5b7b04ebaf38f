/* SPDX-License-Identifier: MIT */
/*
 * Proves, on real traces where they are there, that each device's operations, busy time and gaps
 * are to the nanosecond those that an independent reference found, and that odd files do no harm.
 */
#include "analysis/import/import.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <jansson.h>

#define DEVICE_COUNT 16

/* The thresholds of the reference, and its names for them. */
static const struct {
	const char *name;
	uint64_t ns;
} thresholds[] = {{"gaps_ge_10us", 10000}, {"gaps_ge_100us", 100000}, {"gaps_ge_1000us", 1000000}};

/* What ran on one device: in order of start, so that the union needs no more than the last end. */
struct busy {
	uint64_t count;
	uint64_t start_ns;
	uint64_t end_ns;
	uint64_t idle_ns;
	uint64_t gap_count;
	uint64_t counts[3];
	uint64_t totals_ns[3];
};

struct device {
	struct busy all;
	struct busy kernels;
	uint64_t copies;
	uint64_t memsets;
};

static void add(struct busy *busy, const struct event_operation *operation)
{
	if (busy->count == 0) {
		busy->start_ns = operation->start_ns;
		busy->end_ns = operation->start_ns;
	}
	busy->count++;
	if (operation->start_ns > busy->end_ns) {
		const uint64_t gap_ns = operation->start_ns - busy->end_ns;

		busy->idle_ns += gap_ns;
		busy->gap_count++;
		for (size_t i = 0; i < 3; i++) {
			if (gap_ns >= thresholds[i].ns) {
				busy->counts[i]++;
				busy->totals_ns[i] += gap_ns;
			}
		}
	}
	if (operation->end_ns > busy->end_ns) {
		busy->end_ns = operation->end_ns;
	}
}

static void add_event(struct device *devices, const struct event *event)
{
	const struct event_operation *operation = &event->kernel.operation;
	struct device *device;

	if (event->kind != EVENT_GPU_KERNEL && event->kind != EVENT_GPU_MEMCPY &&
		event->kind != EVENT_GPU_MEMSET) {
		return;
	}
	if (event->kind != EVENT_GPU_KERNEL) {
		operation = &event->copy.operation;
	}
	assert_true(operation->device < DEVICE_COUNT);
	if (operation->end_ns < operation->start_ns) {
		return;
	}
	device = &devices[operation->device];
	add(&device->all, operation);
	device->copies += event->kind == EVENT_GPU_MEMCPY;
	device->memsets += event->kind == EVENT_GPU_MEMSET;
	if (event->kind == EVENT_GPU_KERNEL) {
		add(&device->kernels, operation);
	}
}

/* Reads the whole file; gives how many events there were. */
static uint64_t read_file(const char *path, struct device *devices)
{
	AUTO(import_reader_destroy) struct import_reader *reader = NULL;
	struct diag diag = {0};
	uint64_t count = 0;
	uint64_t last_ns = 0;
	bool has_event = true;

	memset(devices, 0, DEVICE_COUNT * sizeof(*devices));
	if (import_kineto.open(path, &diag, &reader) != STATUS_OK) {
		fail_msg("%s", diag.line);
	}
	while (has_event) {
		struct event event;

		assert_int_equal(
			reader->operations->next(reader, &event, &has_event, &diag), STATUS_OK);
		if (has_event) {
			assert_true(event.time_ns >= last_ns);
			last_ns = event.time_ns;
			add_event(devices, &event);
			count++;
		}
	}
	return count;
}

static uint64_t number(const json_t *object, const char *name)
{
	const json_t *value = json_object_get(object, name);

	assert_true(json_is_integer(value));
	return (uint64_t)json_integer_value(value);
}

static void check_busy(const struct busy *busy, const json_t *wanted)
{
	if (!json_object_get(wanted, "n_events")) {
		assert_int_equal(busy->count, 0);
		return;
	}
	assert_int_equal(busy->count, number(wanted, "n_events"));
	if (busy->count == 0) {
		return;
	}
	assert_int_equal(busy->start_ns, number(wanted, "start_ns"));
	assert_int_equal(busy->end_ns, number(wanted, "end_ns"));
	assert_int_equal(busy->idle_ns, number(wanted, "idle_ns"));
	assert_int_equal(busy->end_ns - busy->start_ns - busy->idle_ns, number(wanted, "busy_ns"));
	assert_int_equal(busy->gap_count, number(wanted, "gaps_all"));
	for (size_t i = 0; i < 3; i++) {
		const json_t *gaps = json_object_get(wanted, thresholds[i].name);

		assert_int_equal(busy->counts[i], number(gaps, "count"));
		assert_int_equal(busy->totals_ns[i], number(gaps, "total_ns"));
	}
}

static void check_devices(const struct device *devices, json_t *wanted)
{
	const char *ordinal;
	json_t *facts;

	for (int64_t i = 0; i < DEVICE_COUNT; i++) {
		char name[32];

		(void)snprintf(name, sizeof(name), "%" PRId64, i);
		assert_int_equal(devices[i].all.count > 0, json_object_get(wanted, name) != NULL);
	}
	json_object_foreach(wanted, ordinal, facts)
	{
		const struct device *device = &devices[atoi(ordinal)];
		const json_t *counts = json_object_get(facts, "counts");

		assert_int_equal(device->kernels.count, number(counts, "kernel"));
		assert_int_equal(device->copies, number(counts, "memcpy"));
		assert_int_equal(device->memsets, number(counts, "memset"));
		check_busy(&device->all, json_object_get(facts, "all"));
		check_busy(&device->kernels, json_object_get(facts, "kernel"));
	}
}

static void skip_without_cases(void)
{
	if (access(CASES_DIR "/expected.json", R_OK) != 0) {
		print_message("skipped: no " CASES_DIR "\n");
		skip();
	}
}

static void real_traces_have_the_right_figures(void **state)
{
	static struct device devices[DEVICE_COUNT];
	size_t count = 0;
	const char *name;
	json_t *expected;
	json_t *facts;

	(void)state;
	skip_without_cases();
	expected = json_load_file(CASES_DIR "/expected.json", 0, NULL);
	assert_non_null(expected);
	json_object_foreach(expected, name, facts)
	{
		char path[512];

		if (strncmp(name, "kineto/", 7) != 0) {
			continue;
		}
		(void)snprintf(path, sizeof(path), CASES_DIR "/%s", name);
		print_message("%s\n", name);
		(void)read_file(path, devices);
		check_devices(devices, json_object_get(facts, "devices"));
		count++;
	}
	assert_true(count >= 23);
	json_decref(expected);
}

static void odd_traces_do_no_harm(void **state)
{
	static const char *const names[] = {"bing-truncated.json", "empty_event.json",
		"instant-events-duplicates.json", "nanoseconds.json"};
	static struct device devices[DEVICE_COUNT];

	(void)state;
	skip_without_cases();
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char path[512];

		(void)snprintf(path, sizeof(path), CASES_DIR "/chrome-json-odd/%s", names[i]);
		assert_true(read_file(path, devices) > 0);
		assert_int_equal(devices[0].all.count, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(real_traces_have_the_right_figures),
		cmocka_unit_test(odd_traces_do_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
