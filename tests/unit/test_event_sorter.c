/* SPDX-License-Identifier: MIT */
/* Proves that events come out in order, whole, and the same whether they fitted into memory or not.
 */
#include "analysis/import/event_sorter.h"

#include "analysis/core/event_fields.h"

#include <inttypes.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

/* So many that they do not fit into SMALL_BYTES by far. */
#define EVENT_COUNT 20000
#define SMALL_BYTES 65536

static uint32_t random_state = 1;

static uint32_t draw(uint32_t below)
{
	random_state = random_state * 1664525 + 1013904223;
	return (random_state >> 16) % below;
}

/* Kernels at few times, so that many share one; the correlation is the order of adding. */
static struct event_sorter *make_sorter(size_t memory_bytes)
{
	struct event_sorter *sorter = NULL;

	random_state = 1;
	assert_int_equal(event_sorter_create(memory_bytes, &sorter), STATUS_OK);
	for (uint32_t i = 0; i < EVENT_COUNT; i++) {
		char name[32];
		struct event event = {
			.kind = EVENT_GPU_KERNEL,
			.time_ns = draw(1000),
			.kernel = {.operation = {.correlation = i}, .name = name},
		};

		(void)snprintf(name, sizeof(name), "kernel %" PRIu32, i % 100);
		assert_int_equal(event_sorter_add(sorter, &event, draw(3), NULL), STATUS_OK);
	}
	assert_int_equal(event_sorter_finish(sorter, NULL), STATUS_OK);
	return sorter;
}

static void events_come_in_order_with_and_without_the_disk(void **state)
{
	struct event_sorter *large = make_sorter(64u << 20);
	struct event_sorter *small = make_sorter(SMALL_BYTES);
	struct event last = {0};
	uint64_t last_order = 0;
	bool has_event = true;

	(void)state;
	assert_int_equal(event_sorter_run_count(large), 0);
	assert_true(event_sorter_run_count(small) > 10);
	for (uint32_t i = 0; i < EVENT_COUNT; i++) {
		struct event events[2];
		uint64_t orders[2];
		char name[32];

		assert_int_equal(event_sorter_next(large, &events[0], &orders[0], &has_event, NULL),
			STATUS_OK);
		assert_true(has_event);
		assert_int_equal(event_sorter_next(small, &events[1], &orders[1], &has_event, NULL),
			STATUS_OK);
		assert_true(has_event);
		assert_int_equal(events[0].time_ns, events[1].time_ns);
		assert_int_equal(orders[0], orders[1]);
		assert_int_equal(events[0].kernel.operation.correlation,
			events[1].kernel.operation.correlation);
		assert_string_equal(events[0].kernel.name, events[1].kernel.name);
		(void)snprintf(name, sizeof(name), "kernel %" PRIu64,
			events[0].kernel.operation.correlation % 100);
		assert_string_equal(events[0].kernel.name, name);
		if (i > 0 && events[0].time_ns == last.time_ns && orders[0] == last_order) {
			assert_true(events[0].kernel.operation.correlation >
				    last.kernel.operation.correlation);
		} else if (i > 0) {
			assert_true(events[0].time_ns > last.time_ns ||
				    (events[0].time_ns == last.time_ns && orders[0] > last_order));
		}
		last = events[0];
		last_order = orders[0];
	}
	assert_int_equal(event_sorter_next(small, &last, &last_order, &has_event, NULL), STATUS_OK);
	assert_false(has_event);
	assert_int_equal(event_sorter_next(small, &last, &last_order, &has_event, NULL), STATUS_OK);
	assert_false(has_event);
	event_sorter_destroy(large);
	event_sorter_destroy(small);
}

/* Fills each field of the event with something of its own. */
static void fill(struct event *event)
{
	const struct event_field *field = event_fields_of(event->kind)->fields;
	unsigned char value = 3;

	for (; field->name; field++) {
		char *place = (char *)event + field->offset;
		const char *text = field->name;
		const bool is_true = true;

		value++;
		if (field->storage == FIELD_STRING) {
			memcpy(place, &text, sizeof(text));
		} else if (field->storage == FIELD_BOOL) {
			memcpy(place, &is_true, sizeof(is_true));
		} else {
			memset(place, value, 4);
			if (field->storage == FIELD_U64 || field->storage == FIELD_DURATION ||
				field->storage == FIELD_TIME || field->storage == FIELD_STATE) {
				memset(place, value, 8);
			}
		}
	}
}

static void every_field_of_every_kind_is_kept(void **state)
{
	struct event_sorter *sorter = NULL;
	bool has_event = false;

	(void)state;
	assert_int_equal(event_sorter_create(4096, &sorter), STATUS_OK);
	for (int kind = 0; kind < EVENT_KIND_COUNT; kind++) {
		struct event event = {
			.kind = (enum event_kind)kind, .time_ns = 7, .pid = -1, .tid = 5};

		fill(&event);
		assert_int_equal(event_sorter_add(sorter, &event, 0, NULL), STATUS_OK);
	}
	assert_int_equal(event_sorter_finish(sorter, NULL), STATUS_OK);
	for (int kind = 0; kind < EVENT_KIND_COUNT; kind++) {
		struct event wanted = {
			.kind = (enum event_kind)kind, .time_ns = 7, .pid = -1, .tid = 5};
		const struct event_field *field = event_fields_of(wanted.kind)->fields;
		struct event event;
		uint64_t order;

		fill(&wanted);
		assert_int_equal(
			event_sorter_next(sorter, &event, &order, &has_event, NULL), STATUS_OK);
		assert_true(has_event);
		assert_int_equal(event.kind, kind);
		assert_int_equal(event.time_ns, 7);
		assert_int_equal(event.pid, -1);
		assert_int_equal(event.tid, 5);
		for (; field->name; field++) {
			const char *place = (const char *)&event + field->offset;
			const char *text;

			if (field->storage == FIELD_STRING) {
				memcpy(&text, place, sizeof(text));
				assert_string_equal(text, field->name);
				memcpy((char *)&wanted + field->offset, &text, sizeof(text));
			}
		}
		assert_memory_equal(&event, &wanted, sizeof(event));
	}
	event_sorter_destroy(sorter);
}

static void nothing_added_is_nothing_taken(void **state)
{
	struct event_sorter *sorter = NULL;
	struct event event;
	uint64_t order;
	bool has_event = true;

	(void)state;
	assert_int_equal(event_sorter_create(4096, &sorter), STATUS_OK);
	assert_int_equal(event_sorter_finish(sorter, NULL), STATUS_OK);
	assert_int_equal(event_sorter_next(sorter, &event, &order, &has_event, NULL), STATUS_OK);
	assert_false(has_event);
	event_sorter_destroy(sorter);
}

/* Adds until something goes wrong. */
static enum status add_many(struct diag *diag)
{
	struct event_sorter *sorter = NULL;
	enum status status = event_sorter_create(SMALL_BYTES, &sorter);

	for (uint32_t i = 0; i < EVENT_COUNT && status == STATUS_OK; i++) {
		const struct event event = {.kind = EVENT_SCHED_WAKING, .time_ns = i};

		status = event_sorter_add(sorter, &event, 0, diag);
	}
	event_sorter_destroy(sorter);
	return status;
}

static void a_missing_folder_is_named(void **state)
{
	struct diag diag = {0};

	(void)state;
	assert_int_equal(setenv("TMPDIR", "/nonexistent/gaptrace", 1), 0);
	assert_int_equal(add_many(&diag), STATUS_NOT_FOUND);
	assert_non_null(strstr(diag.line, "/nonexistent/gaptrace"));
	assert_non_null(strstr(diag.line, "TMPDIR"));
	assert_int_equal(unsetenv("TMPDIR"), 0);
}

/* The limit on the size of a file stands for a disk that is full. */
static void a_write_that_fails_is_an_error_that_says_what_to_do(void **state)
{
	struct rlimit before;
	struct rlimit limit;
	struct diag diag = {0};

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	assert_true(signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
	limit = before;
	limit.rlim_cur = 100000;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_int_not_equal(add_many(&diag), STATUS_OK);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_non_null(strstr(diag.line, "TMPDIR"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_come_in_order_with_and_without_the_disk),
		cmocka_unit_test(every_field_of_every_kind_is_kept),
		cmocka_unit_test(nothing_added_is_nothing_taken),
		cmocka_unit_test(a_missing_folder_is_named),
		cmocka_unit_test(a_write_that_fails_is_an_error_that_says_what_to_do),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
